package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/cost"
	"recoup/models/export"
	"recoup/models/fault"
	"recoup/models/staff"
	views "recoup/views/costs"
	"recoup/views/layout"
	ledgerviews "recoup/views/ledger"
	"recoup/views/ui"
)

// costRoutes declares the URLs of the pages of costs.
func (h *Console) costRoutes() []route.Route {
	view, bring, attribute := route.SignedIn(staff.CostView), route.SignedIn(staff.CostImport), route.SignedIn(staff.CostAttribute)
	page := func(method, path, name string, access route.Access, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: method, Path: path, Name: "console." + name, Access: access, Handler: handler}
	}
	file := page(http.MethodGet, "/costs/export", "costs.export", route.SignedIn(staff.LedgerExport), h.exportCosts)
	file.Timeout = route.NoTimeout
	upload := page(http.MethodPost, "/costs/imports/new", "cost_upload.post", bring, h.uploadCosts)
	upload.MaxBody = maxUpload
	return []route.Route{
		page(http.MethodGet, "/costs", "costs", view, h.costs), file,
		page(http.MethodGet, "/costs/records/:record", "cost", view, h.cost),
		page(http.MethodGet, "/costs/records/:record/attribution", "cost_attribute", attribute, h.attributeForm),
		page(http.MethodPost, "/costs/records/:record/attribution", "cost_attribute.post", attribute, h.attributeCost),
		page(http.MethodGet, "/costs/rules", "cost_rules", view, h.costRules),
		page(http.MethodGet, "/costs/rules/new", "cost_rule", attribute, h.costRuleForm),
		page(http.MethodPost, "/costs/rules/new", "cost_rule.post", attribute, h.addCostRule),
		page(http.MethodGet, "/costs/rules/preview", "cost_rule.preview", attribute, h.previewCostRule),
		page(http.MethodGet, "/costs/rules/:cost_rule/retire", "cost_rule_retire", attribute, h.retireCostRuleForm),
		page(http.MethodPost, "/costs/rules/:cost_rule/retire", "cost_rule_retire.post", attribute, h.retireCostRule),
		page(http.MethodGet, "/costs/imports", "cost_imports", view, h.costImports),
		page(http.MethodGet, "/costs/imports/new", "cost_upload", bring, h.uploadForm), upload,
		page(http.MethodGet, "/costs/imports/:import", "cost_import", view, h.costImport),
		page(http.MethodPost, "/costs/imports/:import", "cost_import.post", bring, h.startCostImport),
		page(http.MethodGet, "/costs/margin", "cost_margin", view, h.costMargin),
		page(http.MethodGet, "/costs/values", "credit_value", attribute, h.creditValueForm),
		page(http.MethodPost, "/costs/values", "credit_value.post", attribute, h.setCreditValue),
	}
}

// costTabs lead between the pages of costs.
func costTabs(r request, here string) []ui.Choice {
	var out []ui.Choice
	for _, t := range []struct{ text, url string }{{"costs.records", "/costs"}, {"state.unattributed", "/costs?state=unattributed"}, {"costs.imports", "/costs/imports"},
		{"costs.rules", "/costs/rules"}, {"costs.margin", "/costs/margin"}} {
		out = append(out, ui.Choice{Text: r.L.T(t.text), URL: t.url, Current: t.url == here})
	}
	return out
}

// costFilter is the filter of records as a URL says it.
type costFilter struct {
	query
	cost.Filter
	period period
	form   views.List
	chips  []ui.Chip
	bad    bool
}

// costsOf parses the filter once, for the page, the next page and the file. What cannot be read is named at its field,
// and such a filter selects nothing.
func costsOf(r request) costFilter {
	q := newQuery(r, "/costs", "state", "source", "currency", "action", "text", "import", "rule", "account", "job", "period", "from", "to")
	f := costFilter{query: q, form: views.List{Action: "/costs", Zone: r.L.ZoneLabel(r.Now), States: views.StateOptions(r.L, q.values["state"]...), Import: q.get("import"), Rule: q.get("rule")}}
	for _, s := range q.values["state"] {
		if !cost.State(s).Valid() {
			f.bad = true
			continue
		}
		f.States = append(f.States, cost.State(s))
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("col.state"), Value: r.L.Maybe("state."+s, s), RemoveURL: q.withoutValue("state", s)})
	}
	for _, p := range []struct {
		name, label string
		to          *string
		field       *ui.Field
	}{
		{"source", "costs.source", &f.Source, &f.form.Source}, {"currency", "costs.currency", &f.Currency, &f.form.Currency},
		{"action", "col.action", &f.Action, &f.form.Act}, {"text", "costs.text", &f.Text, &f.form.Text}, {"import", "costs.import", &f.ImportID, nil},
		{"rule", "costs.rule", &f.RuleID, nil}, {"account", "filter.account", &f.AccountID, nil}, {"job", "filter.job", &f.JobID, nil},
	} {
		*p.to = q.get(p.name)
		if p.field != nil {
			p.field.Value = q.get(p.name)
		}
		f.chips = q.chip(f.chips, p.name, r.L.T(p.label))
	}
	f.Currency = strings.ToUpper(f.Currency)
	q.typedDays(readable(r.QueryParam("was")))
	var bad map[string]string
	f.period, bad = periodOf(r, q)
	f.From, f.To = f.period.From, f.period.To
	f.form.Was = q.get("period")
	f.form.Period, f.form.PeriodAt = ledgerviews.PeriodOptions(r.L, q.get("period")), bad["period"]
	f.form.From, f.form.To = ui.Field{Value: q.get("from"), Error: bad["from"]}, ui.Field{Value: q.get("to"), Error: bad["to"]}
	f.bad = f.bad || len(bad) > 0
	f.form.Open = f.bad
	if days := f.period.words(r.L, r.Now); days != "" {
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("period.label"), Value: ledgerviews.PeriodChip(r.L, days, r.L.ZoneName()), RemoveURL: q.without("period", "from", "to")})
	}
	return f
}

// periodChoices are the periods as links that keep the other filters.
func periodLinks(r request, q query) []ui.Choice {
	choices := []ui.Choice{{Text: ledgerviews.PeriodName(r.L, ""), URL: q.without("period", "from", "to"), Current: q.get("period") == ""}}
	for _, p := range ledgerviews.Periods() {
		if p != "custom" {
			to := query{path: q.path, values: q.copy()}
			to.values.Del("from")
			to.values.Del("to")
			choices = append(choices, ui.Choice{Text: ledgerviews.PeriodName(r.L, p), URL: to.with("period", p), Current: q.get("period") == p})
		}
	}
	return choices
}

func (h *Console) costs(c echo.Context) error {
	r := h.of(c)
	f := costsOf(r)
	m := f.form
	here := "/costs"
	if slices.Equal(f.States, []cost.State{cost.Unattributed}) {
		here = "/costs?state=unattributed"
	}
	m.Tabs, m.Periods, m.List = costTabs(r, here), periodLinks(r, f.query), list(f.chips, "/costs")
	page := func(fr layout.Frame) component { return views.ListPage(fr, m) }
	part := func() component { return views.ListPart(r.L, m) }
	if f.bad {
		m.List.Refused = true
		return fragment(r, h, http.StatusUnprocessableEntity, page, part)
	}
	if err := h.readCosts(r, f, &m); err != nil {
		return h.unreadable(r, err, &m.List, f.url(), page, part)
	}
	return fragment(r, h, http.StatusOK, page, part)
}

func (h *Console) readCosts(r request, f costFilter, m *views.List) error {
	ctx := r.Request().Context()
	from, dir := position[cost.Position](r, f.query)
	rows, err := h.Costs.List(ctx, f.Filter, from, dir, pageSize)
	if err != nil {
		return err
	}
	if m.List.Pager, err = pager(f.query, rows); err != nil {
		return err
	}
	totals, err := h.Costs.Totals(ctx, f.Filter)
	if err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	m.Totals = pr.CostTotals(totals)
	for _, x := range rows.Rows {
		row := pr.CostRow(x)
		row.AttributeURL = r.link(staff.CostAttribute, present.CostURL(x.Key)+"/attribution")
		m.Rows = append(m.Rows, row)
	}
	if r.may(staff.LedgerExport) {
		q := query{path: "/costs/export", values: f.copy()}
		m.Exports = ui.Exports{Say: r.L.T("costs.export_say", r.L.ZoneName()), Links: []ui.Link{{Text: r.L.T("costs.export"), URL: q.url()}}}
	}
	return nil
}

// exportCosts sends the records that the filter of /costs selects, as CSV.
func (h *Console) exportCosts(c echo.Context) error {
	r := h.of(c)
	ctx, cancel := context.WithTimeout(c.Request().Context(), exportTime)
	defer cancel()
	f := costsOf(r)
	if f.bad {
		return fault.New(fault.Invalid, "export_filter", "A part of the filter cannot be read. No file was made.")
	}
	release, err := h.makeExport()
	if err != nil {
		return err
	}
	defer release()
	if err := h.Costs.RecordExport(ctx, r.Who.Actor(), reqctx.RequestID(ctx), f.Filter, r.L.ZoneName()); err != nil {
		return err
	}
	out := attach(r, daysOf("costs", f.period, filteredBeside(f.query)), "records", export.CSV)
	file, err := export.NewCosts(out, out.zone)
	if err != nil {
		return err
	}
	return out.end(h.Costs.Each(ctx, f.Filter, func(x cost.Record) error {
		out.row(nil)
		return file.Write(x)
	}), file.Close)
}

// costRecord reads the record of the path.
func (h *Console) costRecord(r request) (cost.Record, error) {
	key, err := strconv.ParseInt(r.Param("record"), 10, 64)
	if err != nil || key < 1 {
		return cost.Record{}, fault.New(fault.NotFound, cost.CodeRecordNotFound, "There is no such cost record.")
	}
	return h.Costs.Get(r.Request().Context(), key)
}

func (h *Console) cost(c echo.Context) error {
	r := h.of(c)
	x, err := h.costRecord(r)
	if err != nil {
		return err
	}
	history, err := h.Costs.History(c.Request().Context(), x.Key)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m := pr.CostRecord(x, history)
	m.AttributeURL = r.link(staff.CostAttribute, present.CostURL(x.Key)+"/attribution")
	if x.State == cost.Unattributed {
		q := query{path: "/costs/rules/new", values: map[string][]string{"source": {x.Source}}}
		m.RuleURL = r.link(staff.CostAttribute, q.with("description", x.Description))
	}
	return render(c, http.StatusOK, views.RecordPage(h.frame(r), m))
}
