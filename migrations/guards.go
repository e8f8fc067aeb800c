package migrations

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
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
type Trigger struct {
	Table, Name, Function string
	// When says when it fires, in one form: "before delete, update for each row", with "of columns" and "under a condition" behind it
	// where it looks at some columns alone or has one.
	When string
}

var (
	createTrigger  = regexp.MustCompile(`(?s)CREATE (?:CONSTRAINT )?TRIGGER (\w+)\s+(.*?)\s+ON (\w+)\s(.*?)EXECUTE FUNCTION (\w+)\(\);`)
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
	calls := map[[2]string]Trigger{} // by table and name
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
			calls[[2]string{m[3], m[1]}] = Trigger{Table: m[3], Name: m[1], Function: m[5], When: fires(m[2], m[4])}
		}
		for _, m := range always.FindAllStringSubmatch(up, -1) {
			t := calls[[2]string{m[1], m[2]}]
			g.drop(func(x Trigger) bool { return x.Table == t.Table && x.Name == t.Name })
			g.Triggers = append(g.Triggers, t)
		}
	}
	return g, nil
}

// fires puts the two halves of a trigger's definition, around its table, into the form of Trigger.When.
func fires(before, after string) string {
	words := strings.Fields(strings.ToLower(before))
	timing, events := words[0], []string{}
	if timing == "instead" {
		words = words[1:]
	}
	for _, w := range words[1:] {
		switch w = strings.Trim(w, ","); w {
		case "insert", "update", "delete", "truncate":
			events = append(events, w)
		}
	}
	slices.Sort(events)
	level, after := "statement", strings.ToLower(after)
	if strings.Contains(after, "for each row") {
		level = "row"
	}
	return When(timing, events, level, slices.Contains(words, "of"), strings.Contains(after, "when ("))
}

// When is the form of Trigger.When. The events are in the order of the alphabet, level is row or statement.
func When(timing string, events []string, level string, columns, condition bool) string {
	out := timing + " " + strings.Join(events, ", ") + " for each " + level
	if columns {
		out += ", of columns"
	}
	if condition {
		out += ", under a condition"
	}
	return out
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
