package console

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/views/layout"
	views "recoup/views/ledger"
	"recoup/views/ui"
)

// periodChoices are the periods as links that keep the other filters.
func (f entryFilter) periodChoices(r request) []ui.Choice {
	choices := []ui.Choice{{Text: views.PeriodName(r.L, ""), URL: f.without("period", "from", "to"), Current: f.get("period") == ""}}
	for _, p := range views.Periods() {
		if p != "custom" {
			q := query{path: f.path, values: f.copy()}
			q.values.Del("from")
			q.values.Del("to")
			choices = append(choices, ui.Choice{Text: views.PeriodName(r.L, p), URL: q.with("period", p), Current: f.get("period") == p})
		}
	}
	return choices
}

func (h *Console) ledger(c echo.Context) error {
	r := h.inZone(h.of(c))
	f, err := h.entriesOf(r, "/ledger", ledgerParams())
	if err != nil {
		return err
	}
	m := views.Model{Filter: f.form, Periods: f.periodChoices(r), Period: f.period.words(r.L, r.Now), Zone: r.L.ZoneLabel(r.Now), List: list(f.chips, f.path)}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	if f.bad {
		m.List.Refused = true
		return fragment(r, h, http.StatusUnprocessableEntity, page, part)
	}
	frame := h.frameBeside(r)
	defer frame()
	var shown []ledger.Entry
	err = h.Ledger.AtOnce(c.Request().Context(), func(l *ledger.Service) (err error) {
		shown, err = readLedger(l, r, f, &m)
		return err
	})
	var broken map[string]bool
	if err == nil {
		broken, err = h.brokenEntries(c.Request().Context(), shown)
	}
	for i := range m.Rows {
		m.Rows[i].Broken = broken[m.Rows[i].URL]
	}
	if err != nil {
		return h.unreadable(r, err, &m.List, f.url(), page, part)
	}
	return fragmentIn(r, frame, http.StatusOK, page, part)
}

// readLedger fills in rows, totals and the neighbouring pages, all from l, and returns the entries.
func readLedger(l *ledger.Service, r request, f entryFilter, m *views.Model) ([]ledger.Entry, error) {
	ctx := r.Request().Context()
	from, dir := position[ledger.Position](r, f.query)
	rows, err := l.List(ctx, f.Filter, from, dir, pageSize)
	if fault.Is(err, fault.CodeAccountNotFound) {
		// A filter that matches nothing is no error: the page says so and offers to clear it.
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if m.List.Pager, err = pager(f.query, rows); err != nil {
		return nil, err
	}
	pr := f.presenter(r)
	for _, e := range rows.Rows {
		m.Rows = append(m.Rows, pr.Entry(e))
	}
	if m.Totals, m.Ask, err = totals(ctx, l, r, pr, f, rows); err != nil {
		return nil, err
	}
	count := ""
	if m.Totals != nil {
		count = m.Totals.Entries
	}
	m.Exports = f.exports(r, count)
	return rows.Rows, nil
}

// fragment answers htmx with the list alone and everybody else with the page.
func fragment(r request, h *Console, status int, page func(layout.Frame) component, part func() component) error {
	return fragmentIn(r, func() layout.Frame { return h.frame(r) }, status, page, part)
}

// fragmentIn is fragment with a frame that may have been read already.
func fragmentIn(r request, frame func() layout.Frame, status int, page func(layout.Frame) component, part func() component) error {
	if partWanted(r) {
		return render(r, status, part())
	}
	return render(r, status, page(frame()))
}

// partWanted reports whether htmx asks for the list alone.
func partWanted(r request) bool {
	header := r.Request().Header
	return header.Get("HX-Request") == "true" && header.Get("HX-Target") == ui.ListID && header.Get("HX-History-Restore-Request") == ""
}

// frameBeside reads the frame of a page while the caller reads the page, and returns what waits for it. There is none where htmx asks for
// the list alone.
func (h *Console) frameBeside(r request) func() layout.Frame {
	var f layout.Frame
	if partWanted(r) {
		return func() layout.Frame { return f }
	}
	wait := beside(func() error {
		f = h.frame(r)
		return nil
	})
	return func() layout.Frame {
		wait() //nolint:errcheck // it returns none
		return f
	}
}
