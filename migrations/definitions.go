package migrations

import (
	_ "embed"
	"fmt"
	"strings"
)

// definitions is written from a database that all migrations were applied to: see models/verify/definitions.go.
//
//go:embed definitions.txt
var definitions string

// Definition is one thing of the schema that keeps rows as they must be, and what it says.
type Definition struct {
	// Kind is table, column, constraint, index, trigger or function.
	Kind string
	// Name is its own name after that of its table ("entries.entries_sign"), of a function the name with the types it takes.
	Name string
	// Text is what PostgreSQL says of it: one line, of a function several.
	Text string
}

// Definitions are the tables, columns, constraints, unique indexes, triggers and functions that the migrations of this program make, so
// that a database can be held against the program and not against itself.
func Definitions() ([]Definition, error) {
	list, err := ParseDefinitions(definitions)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return list, nil
}

// FormatDefinitions writes definitions as text that ParseDefinitions reads and that people can compare: a line with kind and name, and under
// it, each line behind a tab, what it says.
func FormatDefinitions(list []Definition) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s\n", d.Kind, d.Name)
		for line := range strings.SplitSeq(d.Text, "\n") {
			fmt.Fprintf(&b, "\t%s\n", line)
		}
	}
	return b.String()
}

// ParseDefinitions reads what FormatDefinitions wrote.
func ParseDefinitions(text string) ([]Definition, error) {
	var list []Definition
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if more, ok := strings.CutPrefix(line, "\t"); ok && len(list) > 0 {
			last := &list[len(list)-1]
			if last.Text != "" {
				last.Text += "\n"
			}
			last.Text += more
			continue
		}
		kind, name, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("definitions, line %d: %q is no definition", n+1, line)
		}
		list = append(list, Definition{Kind: kind, Name: name})
	}
	return list, nil
}
