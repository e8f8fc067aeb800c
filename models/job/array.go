package job

import (
	"database/sql/driver"
	"strconv"
	"strings"
)

// pgArray is a PostgreSQL array literal. Passing it as text keeps GORM from spreading the slice into
// one placeholder an element, which would make a new statement for every length.
type pgArray string

// Value implements driver.Valuer.
func (a pgArray) Value() (driver.Value, error) { return string(a), nil }

func array[T string | int64](values []T) pgArray {
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
	return pgArray(b.String())
}
