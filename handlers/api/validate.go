package api

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recoup/models/fault"
	"recoup/models/ids"
)

// Checks collects what is wrong with the fields of one request, so that a caller hears everything at
// once. The zero value is ready. Methods that return a value return it as it was given; after a
// fault it must not be used, which Err makes sure of.
type Checks struct {
	fields []fault.Field
}

// Err returns nil when every check passed, else one Invalid fault with all fields.
func (v *Checks) Err() error {
	if len(v.fields) == 0 {
		return nil
	}
	return fault.InvalidFields(v.fields...)
}

// Refuse notes that a field is wrong. The message completes a sentence that begins with the name.
func (v *Checks) Refuse(name, message string) {
	v.fields = append(v.fields, fault.Field{Name: name, Message: message})
}

// That refuses the field unless ok.
func (v *Checks) That(ok bool, name, message string) {
	if !ok {
		v.Refuse(name, message)
	}
}

const missing = "is required"

// Bytes checks a string's length in bytes. With low ≥ 1 the field is required.
func (v *Checks) Bytes(name, s string, low, high int) string {
	v.length(name, s, len(s), low, high, "bytes")
	return s
}

// Runes checks a string's length in characters. With low ≥ 1 the field is required.
func (v *Checks) Runes(name, s string, low, high int) string {
	v.length(name, s, utf8.RuneCountInString(s), low, high, "characters")
	return s
}

func (v *Checks) length(name, s string, n, low, high int, unit string) {
	switch {
	case n == 0 && low > 0:
		v.Refuse(name, missing)
	case n < low:
		v.Refuse(name, "must have at least "+itoa(int64(low))+" "+unit)
	case n > high:
		v.Refuse(name, "must have at most "+itoa(int64(high))+" "+unit)
	case !utf8.ValidString(s):
		v.Refuse(name, "is not valid UTF-8")
	case strings.ContainsRune(s, 0):
		v.Refuse(name, "must not hold a NUL character")
	}
}

// OneOf checks that a required field has one of the allowed values. An optional field is filled with
// its default before.
func (v *Checks) OneOf(name, s string, allowed ...string) string {
	switch {
	case s == "":
		v.Refuse(name, missing)
	case !slices.Contains(allowed, s):
		v.Refuse(name, "must be one of "+strings.Join(allowed, ", "))
	}
	return s
}

// Int checks a required number: low ≤ n ≤ high. It returns 0 when n is nil.
func (v *Checks) Int(name string, n *int64, low, high int64) int64 {
	if n == nil {
		v.Refuse(name, missing)
		return 0
	}
	return v.IntOr(name, n, 0, low, high)
}

// IntOr checks an optional number: nil gives the fallback, which is not checked.
func (v *Checks) IntOr(name string, n *int64, fallback, low, high int64) int64 {
	if n == nil {
		return fallback
	}
	if *n < low || *n > high {
		v.Refuse(name, "must be between "+itoa(low)+" and "+itoa(high))
	}
	return *n
}

// Bool checks a required boolean. It returns false when b is nil.
func (v *Checks) Bool(name string, b *bool) bool {
	if b == nil {
		v.Refuse(name, missing)
		return false
	}
	return *b
}

// Time checks a required time and returns it in UTC, cut to the microseconds that PostgreSQL keeps.
// It returns the zero time when t is nil.
func (v *Checks) Time(name string, t *time.Time) time.Time {
	if t == nil {
		v.Refuse(name, missing)
		return time.Time{}
	}
	if y := t.UTC().Year(); y < 1970 || y > 9999 {
		v.Refuse(name, "must lie between the years 1970 and 9999")
	}
	return t.UTC().Truncate(time.Microsecond)
}

// CallerID checks the id of an account or a job, which the caller chose.
func (v *Checks) CallerID(name, id string) string {
	if id == "" {
		v.Refuse(name, missing)
	} else if err := ids.CheckCallerID(id); err != nil {
		v.Refuse(name, err.Error())
	}
	return id
}

// Optional reports whether p was given; it keeps handlers free of nil checks on plain strings.
func Optional[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}
