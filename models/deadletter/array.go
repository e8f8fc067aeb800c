package deadletter

import (
	"database/sql/driver"
	"strconv"
	"strings"
)

// pgArray is a PostgreSQL array literal: as text it stays one placeholder, whatever its length.
type pgArray string

// Value implements driver.Valuer.
func (a pgArray) Value() (driver.Value, error) { return string(a), nil }

func array[T string | int64](values []T) pgArray {
	parts := make([]string, len(values))
	for i, v := range values {
		switch v := any(v).(type) {
		case int64:
			parts[i] = strconv.FormatInt(v, 10)
		case string:
			parts[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
		}
	}
	return pgArray("{" + strings.Join(parts, ",") + "}")
}
