package staff_test

import (
	"context"
	"testing"

	"recoup/models/staff"
)

// Actors are those of List and ListKeys, one after the other, the disabled and revoked too.
func TestActorsAreEverybody(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	for _, n := range []staff.NewPerson{{Email: "z@example.com", Name: "anna", Role: staff.Viewer}, {Email: "a@example.com", Name: "Zoe", Role: staff.Lead},
		{Email: "b@example.com", Name: "Anna", Role: staff.Lead}} {
		if _, err := w.CreateStaff(ctx, boss, n); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"platform", "billing"} {
		if _, _, err := w.CreateKey(ctx, boss, staff.NewKey{Name: name, Scopes: []staff.Scope{staff.JobsWrite}}); err != nil {
			t.Fatal(err)
		}
	}
	w.db.Exec(`UPDATE staff SET disabled_at = clock_timestamp() WHERE name = 'Zoe'`)
	w.db.Exec(`UPDATE api_keys SET revoked_at = clock_timestamp() WHERE name = 'billing'`)
	people, err := w.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := w.ListKeys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var want []staff.Named
	for _, p := range people {
		want = append(want, staff.Named{Actor: p.Actor(), Name: p.Name, Email: p.Email})
	}
	for _, k := range keys {
		want = append(want, staff.Named{Actor: k.Actor(), Name: k.Name})
	}
	got, err := w.Actors(ctx)
	if err != nil || len(got) != 5 || len(want) != 5 {
		t.Fatalf("%+v %v, want %+v", got, err, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %+v, want %+v", i, got[i], want[i])
		}
	}
}
