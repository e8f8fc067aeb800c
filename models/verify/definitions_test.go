package verify_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"recoup/migrations"
	"recoup/models/modeltest"
	"recoup/models/verify"
)

// The file of definitions is what a fresh database has, whatever major of PostgreSQL tells it: nothing is overlooked and nothing stands in it
// that no database has.
func TestDefinitionsAreThoseOfTheSchema(t *testing.T) {
	have, err := verify.New(modeltest.DB(t)).DefinitionsNow(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("RECOUP_WRITE_DEFINITIONS") != "" {
		if err := os.WriteFile("../../migrations/definitions.txt", []byte(migrations.FormatDefinitions(have)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := migrations.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(have, want) {
		return
	}
	t.Error("migrations/definitions.txt is not what the migrations make: run go generate ./models/verify and commit the result")
	for _, d := range have {
		if !slices.Contains(want, d) {
			t.Errorf("a fresh database has %s %s: %s", d.Kind, d.Name, d.Text)
		}
	}
	for _, d := range want {
		if !slices.Contains(have, d) {
			t.Errorf("the file has %s %s: %s", d.Kind, d.Name, d.Text)
		}
	}
}
