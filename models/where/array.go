package where

import (
	"database/sql/driver"
	"strconv"
	"strings"
)

// List is a PostgreSQL array literal. Passing it as text keeps GORM from spreading the slice into
// one placeholder an element, which would make a new statement for every length.
type List string

// Value implements driver.Valuer.
func (a List) Value() (driver.Value, error) { return string(a), nil }

// ListOf makes the literal of a list.
func ListOf[T string | int64](values []T) List {
	var b strings.Builder
	b.WriteByte('{')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		switch v := any(v).(type) {
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case string:
			b.WriteByte('"')
			b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v))
			b.WriteByte('"')
		}
	}
	b.WriteByte('}')
	return List(b.String())
}
