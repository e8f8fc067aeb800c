package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
)

// Query holds the parameters of a request's query, each at most once.
type Query struct {
	values url.Values
}

// ParseQuery reads the query of a request that knows the named parameters. It refuses unknown and
// repeated parameters, bad escapes, invalid UTF-8 and NUL characters, each as an Invalid fault that
// names the parameter: a misspelt filter must not answer with unfiltered rows.
func ParseQuery(c echo.Context, known ...string) (Query, error) {
	values, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return Query{}, fault.InvalidField("query", "is not a well-formed query string")
	}
	var v Checks
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		given := values[name]
		switch {
		case !slices.Contains(known, name):
			v.Refuse(plainName(name), "is not a known parameter")
		case len(given) > 1:
			v.Refuse(name, "is given twice")
		case !utf8.ValidString(given[0]):
			v.Refuse(name, "is not valid UTF-8")
		case strings.ContainsRune(given[0], 0):
			v.Refuse(name, "must not hold a NUL character")
		}
	}
	if err := v.Err(); err != nil {
		return Query{}, err
	}
	return Query{values: values}, nil
}

// Text returns a parameter, "" when it was not given.
func (q Query) Text(name string) string { return q.values.Get(name) }

// Has reports whether a parameter was given, be it empty.
func (q Query) Has(name string) bool { return q.values.Has(name) }

// Int returns a whole number between low and high, the fallback when the parameter was not given.
func (q Query) Int(name string, fallback, low, high int64) (int64, error) {
	if !q.Has(name) {
		return fallback, nil
	}
	n, err := strconv.ParseInt(q.Text(name), 10, 64)
	if err != nil || n < low || n > high {
		return 0, fault.InvalidField(name, "must be a whole number between %d and %d", low, high)
	}
	return n, nil
}

// Time returns an RFC 3339 time in UTC, nil when the parameter was not given.
func (q Query) Time(name string) (*time.Time, error) {
	if !q.Has(name) {
		return nil, nil
	}
	t, err := time.Parse(time.RFC3339Nano, q.Text(name))
	if err != nil || t.UTC().Year() < 1970 || t.UTC().Year() > 9999 {
		return nil, fault.InvalidField(name, "must be a time such as 2026-11-30T18:00:00Z (RFC 3339; write + as %%2B)")
	}
	t = t.UTC().Truncate(time.Microsecond)
	return &t, nil
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
