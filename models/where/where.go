// Package where builds the WHERE clause of a list: conditions and their arguments, in order.
package where

import "strings"

// Clause collects conditions. Its zero value matches everything.
type Clause struct {
	conds []string
	args  []any
}

// And adds a condition with its arguments.
func (c *Clause) And(cond string, args ...any) {
	c.conds = append(c.conds, cond)
	c.args = append(c.args, args...)
}

// SQL is "WHERE …", or "" when there is no condition.
func (c *Clause) SQL() string {
	if len(c.conds) == 0 {
		return ""
	}
	return "WHERE (" + strings.Join(c.conds, ") AND (") + ")"
}

// Args are the arguments in the order of SQL, followed by more.
func (c *Clause) Args(more ...any) []any { return append(append([]any{}, c.args...), more...) }
