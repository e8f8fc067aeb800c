// Package where builds the WHERE clause of a list: conditions and their arguments, in order.
package where

import (
	"slices"
	"strconv"
	"strings"
)

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

// Clone is a copy that further conditions leave apart from the original.
func (c *Clause) Clone() Clause {
	return Clause{conds: slices.Clone(c.conds), args: slices.Clone(c.args)}
}

// Join adds the conditions of another clause.
func (c *Clause) Join(other Clause) {
	c.conds = append(c.conds, other.conds...)
	c.args = append(c.args, other.args...)
}

// Limit is " LIMIT n" for the end of a query, with the number in its text. Of a number that comes as an argument the
// planner assumes, where one plan has to fit all arguments, that it is a tenth of the table: it would read a table of
// millions from end to end to join it to fifty rows.
func Limit(n int) string { return " LIMIT " + strconv.Itoa(n) }

// SQL is "WHERE …", or "" when there is no condition.
func (c *Clause) SQL() string {
	if len(c.conds) == 0 {
		return ""
	}
	return "WHERE (" + strings.Join(c.conds, ") AND (") + ")"
}

// Args are the arguments in the order of SQL, followed by more.
func (c *Clause) Args(more ...any) []any { return append(append([]any{}, c.args...), more...) }
