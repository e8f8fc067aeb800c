package migrations

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// Guards are what keeps rows of the schema as they are: triggers that fire always, whatever a session sets, and
// the functions they call.
type Guards struct {
	// Triggers in the order in which they came to be.
	Triggers []Trigger
	// Functions is the body of each trigger function by its name, as PostgreSQL keeps it in pg_proc.prosrc.
	Functions map[string]string
}

// Trigger is a trigger of a table and the function it calls.
type Trigger struct{ Table, Name, Function string }

var (
	createTrigger  = regexp.MustCompile(`(?s)CREATE (?:CONSTRAINT )?TRIGGER (\w+)\s.*?\sON (\w+)\s.*?EXECUTE FUNCTION (\w+)\(\);`)
	always         = regexp.MustCompile(`ALTER TABLE (\w+) ENABLE ALWAYS TRIGGER (\w+);`)
	dropTrigger    = regexp.MustCompile(`DROP TRIGGER (?:IF EXISTS )?(\w+) ON (\w+)`)
	dropTable      = regexp.MustCompile(`DROP TABLE (?:IF EXISTS )?(\w+)`)
	createFunction = regexp.MustCompile(`(?s)CREATE (?:OR REPLACE )?FUNCTION (\w+)\(\) RETURNS trigger[^$]*AS \$\$(.*?)\$\$`)
)

// ReadGuards reads from the files of this program what guards the schema has, so that a database can be held
// against the program and not against itself.
func ReadGuards() (Guards, error) {
	g := Guards{Functions: map[string]string{}}
	names, err := fs.Glob(files, "sql/*.sql")
	if err != nil {
		return g, fmt.Errorf("migrations: %w", err)
	}
	calls := map[Trigger]string{} // without its function → the function
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return g, fmt.Errorf("migrations: %w", err)
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		for _, m := range dropTrigger.FindAllStringSubmatch(up, -1) {
			g.drop(func(t Trigger) bool { return t.Name == m[1] && t.Table == m[2] })
		}
		for _, m := range dropTable.FindAllStringSubmatch(up, -1) {
			g.drop(func(t Trigger) bool { return t.Table == m[1] })
		}
		for _, m := range createFunction.FindAllStringSubmatch(up, -1) {
			g.Functions[m[1]] = m[2]
		}
		for _, m := range createTrigger.FindAllStringSubmatch(up, -1) {
			calls[Trigger{Table: m[2], Name: m[1]}] = m[3]
		}
		for _, m := range always.FindAllStringSubmatch(up, -1) {
			t := Trigger{Table: m[1], Name: m[2]}
			t.Function = calls[t]
			g.drop(func(x Trigger) bool { return x.Table == t.Table && x.Name == t.Name })
			g.Triggers = append(g.Triggers, t)
		}
	}
	return g, nil
}

func (g *Guards) drop(is func(Trigger) bool) {
	kept := g.Triggers[:0]
	for _, t := range g.Triggers {
		if !is(t) {
			kept = append(kept, t)
		}
	}
	g.Triggers = kept
}
