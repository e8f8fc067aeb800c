package console

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"recoup/models/calendar"
	"recoup/models/page"
	"recoup/views/text"
	"recoup/views/ui"
)

// pageSize is how many rows a list page shows.
const pageSize = 50

// query is a list's URL: its path and the parameters that filter it, without the position.
type query struct {
	path   string
	values url.Values
}

// newQuery keeps the known parameters that are set, so that equal views have equal URLs.
func newQuery(r request, path string, known ...string) query {
	q := query{path: path, values: url.Values{}}
	for _, name := range known {
		for _, v := range r.QueryParams()[name] {
			if v = readable(v); v != "" && !slices.Contains(q.values[name], v) {
				q.values.Add(name, v)
			}
		}
	}
	return q
}

// readable is a parameter without space around it and with U+FFFD in the place of what no text in the database
// holds: it finds nothing there, where the bytes themselves would be refused.
func readable(v string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(strings.TrimSpace(v), "\uFFFD"), "\x00", "\uFFFD")
}

func (q query) get(name string) string { return q.values.Get(name) }

func (q query) url() string { return address(q.path, q.values) }

// with is the same view with one parameter set; "" removes it.
func (q query) with(name, value string) string {
	v := q.copy()
	v.Del(name)
	if value != "" {
		v.Set(name, value)
	}
	return address(q.path, v)
}

// without is the same view less some parameters.
func (q query) without(names ...string) string {
	v := q.copy()
	for _, n := range names {
		v.Del(n)
	}
	return address(q.path, v)
}

// withoutValue is the same view less one value of a repeated parameter.
func (q query) withoutValue(name, value string) string {
	v := q.copy()
	v[name] = slices.DeleteFunc(v[name], func(x string) bool { return x == value })
	if len(v[name]) == 0 {
		v.Del(name)
	}
	return address(q.path, v)
}

func (q query) copy() url.Values {
	v := make(url.Values, len(q.values))
	for name, values := range q.values {
		v[name] = slices.Clone(values)
	}
	return v
}

func address(path string, v url.Values) string {
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// chip is a chip for a parameter that is set, nothing otherwise.
func (q query) chip(chips []ui.Chip, name, label string) []ui.Chip {
	if v := q.get(name); v != "" {
		chips = append(chips, ui.Chip{Label: label, Value: v, RemoveURL: q.without(name)})
	}
	return chips
}

// list names the list and its filter: cursors of lists without a filter would otherwise be taken for each other's.
func (q query) list() string { return q.path + "?" + q.values.Encode() }

// position reads where the page begins. A cursor that belongs to another list or filter than the URL's, or that is
// none, leads to the first page.
func position[P any](r request, q query) (*P, page.Direction) {
	c, err := page.Decode[string, P](r.QueryParam("cursor"))
	if err != nil || c.Query != q.list() {
		return nil, page.Older
	}
	return &c.Position, c.Direction
}

// pager makes the links to the neighbouring pages. The cursor carries the filter, and so does the URL.
func pager[R, P any](q query, p page.Page[R, P]) (ui.Pager, error) {
	var out ui.Pager
	for _, side := range []struct {
		at  *P
		dir page.Direction
		to  *string
	}{{p.Newer, page.Newer, &out.NewerURL}, {p.Older, page.Older, &out.OlderURL}} {
		if side.at == nil {
			continue
		}
		text, err := page.Cursor[string, P]{Query: q.list(), Position: *side.at, Direction: side.dir}.Encode()
		if err != nil {
			return out, err
		}
		*side.to = q.with("cursor", text)
	}
	return out, nil
}

// period is a range of whole days in the person's zone.
type period struct {
	// First and Last are the days, both included; zero for all time.
	First, Last time.Time
	// From and To are the range in time; To is exclusive. nil for all time.
	From, To *time.Time
}

// periodOf reads the parameters period, from and to. What cannot be read is named by its field.
func periodOf(r request, q query) (p period, bad map[string]string) {
	zone := r.L.Zone
	if zone == nil {
		zone = time.UTC
	}
	now := r.Now.In(zone)
	day := func(y int, m time.Month, d int) time.Time { return calendar.Day(y, m, d, zone) }
	today := day(now.Year(), now.Month(), now.Day())
	q.plainPeriod()
	switch q.get("period") {
	case "today":
		p.First, p.Last = today, today
	case "yesterday":
		p.First = day(now.Year(), now.Month(), now.Day()-1)
		p.Last = p.First
	case "this_month":
		p.First, p.Last = day(now.Year(), now.Month(), 1), day(now.Year(), now.Month()+1, 0)
	case "last_month":
		p.First, p.Last = day(now.Year(), now.Month()-1, 1), day(now.Year(), now.Month(), 0)
	case "":
	case "custom":
		bad = map[string]string{}
		parse := func(name string) time.Time {
			v := q.get(name)
			if v == "" {
				return time.Time{}
			}
			t, err := time.Parse(time.DateOnly, v)
			if err != nil || t.Year() < 1970 || t.Year() > 9999 {
				bad[name] = r.L.T("problem.day")
				return time.Time{}
			}
			return day(t.Year(), t.Month(), t.Day())
		}
		p.First, p.Last = parse("from"), parse("to")
		if !p.First.IsZero() && !p.Last.IsZero() && p.Last.Before(p.First) {
			bad["to"] = r.L.T("problem.order")
			p = period{} // neither day says what is filtered by
		}
	default:
		return p, map[string]string{"period": r.L.T("problem.period", q.get("period"))}
	}
	if !p.First.IsZero() {
		p.From = &p.First
	}
	if !p.Last.IsZero() {
		// The next midnight by the calendar: a day may have 23 or 25 hours.
		end := day(p.Last.Year(), p.Last.Month(), p.Last.Day()+1)
		p.To = &end
	}
	return p, bad
}

// plainPeriod lets days that are given without a period count, and drops them beside a period that has days of its own: what
// a field shows is what is filtered by.
func (q query) plainPeriod() {
	days := q.get("from") != "" || q.get("to") != ""
	switch p := q.get("period"); {
	case p == "" && days:
		q.values.Set("period", "custom")
	case p != "custom":
		q.values.Del("from")
		q.values.Del("to")
	}
}

// typedDays lets days that were typed beside a period with days of its own take its place. was is the period that the form showed: where
// that was days, these stood in it already, and what was changed is the period.
func (q query) typedDays(was string) {
	if p := q.get("period"); p != "" && p != "custom" && was != "custom" && (q.get("from") != "" || q.get("to") != "") {
		q.values.Set("period", "custom")
	}
}

// words names the period: "1–30 Nov 2026"; "" for all time.
func (p period) words(l text.Locale, now time.Time) string {
	switch {
	case p.From == nil && p.To == nil:
		return ""
	case p.From == nil:
		return l.T("period.until", l.Days(p.Last, p.Last))
	case p.To == nil:
		return l.T("period.since", l.Days(p.First, p.First))
	}
	return l.Days(p.First, p.Last)
}
