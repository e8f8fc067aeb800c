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

// entryFilter is the filter of entries as a URL says it.
type entryFilter struct {
	query
	ledger.Filter
	period period
	form   views.Filter
	chips  []ui.Chip
	bad    bool
}

// entryParams are the parameters of the ledger's URL; a statement has no account.
func entryParams() []string {
	return []string{"type", "account", "job", "operation", "rule_version", "rollout", "actor", "min", "max", "period", "from", "to"}
}

// entriesOf parses the filter once, for the page, the next page and whatever else reads the same rows.
// What cannot be read is named at its field, and sets bad: such a filter selects nothing, rather than more than it says.
func entriesOf(r request, path string) entryFilter {
	q := newQuery(r, path, entryParams()...)
	f := entryFilter{query: q, form: views.Filter{Action: path, Types: views.TypeOptions(r.L, q.values["type"]...)}}
	for _, t := range q.values["type"] {
		if ledger.Type(t).Valid() {
			f.Types = append(f.Types, ledger.Type(t))
			f.chips = append(f.chips, ui.Chip{Label: r.L.T("col.type"), Value: r.L.Maybe("type."+t, t), RemoveURL: q.withoutValue("type", t)})
			continue
		}
		f.form.TypeError, f.bad = r.L.T("problem.type", t), true
	}
	for _, p := range []struct {
		name, label string
		to          *string
		field       *ui.Field
	}{
		{"account", "filter.account", &f.AccountID, &f.form.Account},
		{"job", "filter.job", &f.JobID, &f.form.Job},
		{"operation", "filter.operation", &f.OperationID, &f.form.Operation},
		{"rule_version", "col.rule_version", &f.RuleVersion, &f.form.RuleVersion},
		{"rollout", "filter.rollout", &f.RolloutID, &f.form.Rollout},
		{"actor", "filter.actor", &f.Actor, &f.form.Actor},
	} {
		*p.to, p.field.Value = q.get(p.name), q.get(p.name)
		f.chips = q.chip(f.chips, p.name, r.L.T(p.label))
	}
	for _, p := range []struct {
		name  string
		to    **int64
		field *ui.Field
	}{{"min", &f.MinAmount, &f.form.Min}, {"max", &f.MaxAmount, &f.form.Max}} {
		v := q.get(p.name)
		if p.field.Value = v; v == "" {
			continue
		}
		n, err := amount(v)
		if err != nil {
			p.field.Error, f.bad = r.L.T("problem.amount"), true
			continue
		}
		*p.to = &n
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("filter." + p.name), Value: r.L.Credits(n), RemoveURL: q.without(p.name)})
	}
	var bad map[string]string
	f.period, bad = periodOf(r, q)
	f.From, f.To = f.period.From, f.period.To
	f.form.Periods = views.PeriodOptions(r.L, q.get("period"))
	f.form.From = ui.Field{Value: q.get("from"), Error: bad["from"]}
	f.form.PeriodError = bad["period"]
	f.form.To = ui.Field{Value: q.get("to"), Error: bad["to"]}
	f.bad = f.bad || len(bad) > 0
	f.form.OpenOnErrors = f.bad
	if days := f.period.words(r.L, r.Now); days != "" {
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("period.label"), Value: views.PeriodChip(r.L, days, r.L.ZoneName()),
			RemoveURL: q.without("period", "from", "to")})
	}
	return f
}

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

// narrow reports whether summing all filtered rows is cheap enough for every page view: within an account,
// a job, an operation or a period.
func (f entryFilter) narrow() bool {
	return f.AccountID != "" || f.JobID != "" || f.OperationID != "" || f.From != nil
}

func (h *Console) ledger(c echo.Context) error {
	r := h.of(c)
	f := entriesOf(r, "/ledger")
	m := views.Model{Filter: f.form, Periods: f.periodChoices(r), Period: f.period.words(r.L, r.Now), Zone: r.L.ZoneAt(r.Now), List: list(f.chips, f.path)}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	if f.bad {
		m.List.Refused = true
		return fragment(r, h, http.StatusUnprocessableEntity, page, part)
	}
	if err := h.readLedger(r, f, &m); err != nil {
		return h.unreadable(r, err, &m.List, f.url(), page, part)
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// readLedger fills in rows, totals and the neighbouring pages.
func (h *Console) readLedger(r request, f entryFilter, m *views.Model) error {
	ctx := r.Request().Context()
	from, dir := position[ledger.Position](r, f.query)
	rows, err := h.Ledger.List(ctx, f.Filter, from, dir, pageSize)
	if fault.Is(err, fault.CodeAccountNotFound) {
		// A filter that matches nothing is no error: the page says so and offers to clear it.
		err = nil
	}
	if err != nil {
		return err
	}
	if m.List.Pager, err = pager(f.query, rows); err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	for _, e := range rows.Rows {
		m.Rows = append(m.Rows, pr.Entry(e))
	}
	if f.narrow() {
		totals, err := h.Ledger.Totals(ctx, f.Filter)
		if err != nil && !fault.Is(err, fault.CodeAccountNotFound) {
			return err
		}
		m.Totals = pr.Totals(totals)
	}
	count := ""
	if m.Totals != nil {
		count = m.Totals.Entries
	}
	m.Exports = f.exports(r, count)
	return nil
}

// fragment answers htmx with the list alone and everybody else with the page.
func fragment(r request, h *Console, status int, page func(layout.Frame) component, part func() component) error {
	header := r.Request().Header
	if header.Get("HX-Request") == "true" && header.Get("HX-Target") == ui.ListID && header.Get("HX-History-Restore-Request") == "" {
		return render(r, status, part())
	}
	return render(r, status, page(h.frame(r)))
}
