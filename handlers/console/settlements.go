package console

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/approval"
	"recoup/models/export"
	"recoup/models/fault"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/models/staff"
	"recoup/views/layout"
	"recoup/views/rollouts"
	views "recoup/views/settlements"
	"recoup/views/ui"
)

const (
	settlementsPath = "/settlements"
	// shownItems is how many jobs of one account a settlement's page lists.
	shownItems = 200
)

// settlementRoutes declares the URLs of settlements.
func (h *Console) settlementRoutes() []route.Route {
	const one = settlementsPath + "/:settlement"
	at := func(method, path, name string, p staff.Permission, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: method, Path: path, Name: "console." + name, Access: route.SignedIn(p), Handler: handler}
	}
	file := at(http.MethodGet, one+"/export", "settlement.export", staff.LedgerExport, h.exportSettlement)
	file.Timeout = route.NoTimeout
	return []route.Route{
		at(http.MethodGet, settlementsPath, "settlements", staff.SettlementView, h.settlements),
		at(http.MethodGet, settlementsPath+"/new", "settlement.new", staff.SettlementPropose, h.newSettlementPage),
		at(http.MethodPost, settlementsPath+"/new", "settlement.new.post", staff.SettlementPropose, h.newSettlement),
		at(http.MethodGet, settlementsPath+"/preview", "settlement.preview", staff.SettlementPropose, h.previewSettlement),
		at(http.MethodGet, one, "settlement", staff.SettlementView, h.settlement), file,
		at(http.MethodGet, one+"/outside", "settlement.outside", staff.SettlementPropose, h.outsideForm),
		at(http.MethodPost, one+"/outside", "settlement.outside.post", staff.SettlementPropose, h.settleOutside),
		at(http.MethodGet, one+"/resume", "settlement.resume", staff.SettlementPropose, h.resumeForm),
		at(http.MethodPost, one+"/resume", "settlement.resume.post", staff.SettlementPropose, h.resumeSettlement),
	}
}

func (h *Console) settlements(c echo.Context) error {
	r := h.of(c)
	q := newQuery(r, settlementsPath, "rollout")
	m := views.Model{Zone: r.L.ZoneLabel(r.Now), NewURL: r.link(staff.SettlementPropose, query{path: settlementsPath + "/new", values: q.values}.url()),
		List: list(q.chip(nil, "rollout", r.L.T("col.rollout")), settlementsPath)}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.ListPart(r.L, m) }
	from, dir := position[settlement.Position](r, q)
	rows, err := h.Settlements.List(c.Request().Context(), q.get("rollout"), from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	for _, st := range rows.Rows {
		m.Rows = append(m.Rows, pr.SettlementRow(st))
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// settlementOf reads the settlement that the path names.
func (h *Console) settlementOf(r request) (settlement.Settlement, error) {
	id, err := param(r, "settlement")
	if err != nil {
		return settlement.Settlement{}, err
	}
	return h.Settlements.Find(r.Request().Context(), id)
}

func (h *Console) settlement(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	st, err := h.settlementOf(r)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	d, err := h.settlementPage(ctx, st)
	if err != nil {
		return err
	}
	m := pr.SettlementView(d)
	h.settlementLinks(r, d, &m)
	page := func(f layout.Frame) component { return views.DetailPage(f, m) }
	part := func() component { return views.ListOfLines(r.L, m) }
	q := newQuery(r, m.URL, "account", "outcome")
	if err := h.settlementLines(r, pr, st, q, &m); err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// settlementPage reads what belongs to a settlement.
func (h *Console) settlementPage(ctx context.Context, st settlement.Settlement) (present.SettlementPage, error) {
	d := present.SettlementPage{Settlement: st}
	var err error
	if d.Request, err = h.Requests.OfOperation(ctx, settlement.Scope(), st.OperationID); err != nil {
		return d, err
	}
	of := ""
	if d.Request != nil {
		of = approval.ObjectOf(d.Request.ID)
	}
	if d.History, err = h.Settlements.History(ctx, st, of, historyRows); err != nil {
		return d, err
	}
	if st.TaskID != nil {
		t, err := h.Tasks.Find(ctx, *st.TaskID)
		if err != nil {
			return d, err
		}
		d.Task = &t
	}
	if st.State == settlement.Done || st.State.Void() {
		standing, err := h.Settlements.Standing(ctx, st.RolloutID)
		if err != nil && fault.As(err) == nil {
			return d, err
		}
		d.Open = standing.Open()
	}
	return d, nil
}

// settlementLinks are what the person may do with a settlement.
func (h *Console) settlementLinks(r request, d present.SettlementPage, m *views.Detail) {
	st := d.Settlement
	own := st.ProposedBy == r.Who.Actor().String()
	if m.Hint != "" {
		m.HintURL = r.link(staff.SettlementPropose, newSettlementURL(st.RolloutID))
	}
	if st.State == settlement.Proposed && d.Request != nil {
		if own {
			m.EditURL = r.link(staff.SettlementPropose, query{path: settlementsPath + "/new"}.with("replaces", st.ID))
		} else {
			m.ApproveURL = r.link(staff.ApprovalDecide, present.ApprovalURL(d.Request.ID)+"/approve")
		}
	}
	if st.State == settlement.Approved {
		m.OutsideURL = r.link(staff.SettlementPropose, m.URL+"/outside")
	}
	if st.State == settlement.Paying && d.Task != nil && d.Task.State.Over() {
		m.ResumeURL = r.link(staff.SettlementPropose, m.URL+"/resume")
	}
	if r.may(staff.LedgerExport) {
		m.Exports = ui.Exports{Say: r.L.T("settlement.export_say", r.L.ZoneName()), Links: []ui.Link{{Text: r.L.T("settlement.export"), URL: m.URL + "/export"}}}
	}
}

// settlementLines fills in the accounts of a settlement that the filter selects.
func (h *Console) settlementLines(r request, pr present.Presenter, st settlement.Settlement, q query, m *views.Detail) error {
	ctx := r.Request().Context()
	f := settlement.Lines{Account: q.get("account")}
	m.Account.Value = f.Account
	chips := q.chip(nil, "account", r.L.T("filter.account"))
	m.Outcomes = []ui.Option{{Label: r.L.T("filter.any")}}
	for outcome, word := range outcomes() {
		chosen := q.get("outcome") == string(outcome)
		if chosen {
			f.Outcome = outcome
			chips = append(chips, ui.Chip{Label: r.L.T("col.outcome"), Value: r.L.T(word), RemoveURL: q.without("outcome")})
		}
		m.Outcomes = append(m.Outcomes, ui.Option{Value: string(outcome), Label: r.L.T(word), Selected: chosen})
	}
	m.List = list(chips, m.URL)
	from, dir := position[settlement.LinePosition](r, q)
	rows, err := h.Settlements.Lines(ctx, st, f, from, dir, pageSize)
	if err != nil {
		return err
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	totals, err := h.Settlements.LineTotals(ctx, st, f)
	if err != nil {
		return err
	}
	m.Totals = pr.SettlementTotals(totals.Totals)
	open := st.Way == settlement.Ledger && (st.State == settlement.Proposed || st.State == settlement.Paying)
	for _, x := range rows.Rows {
		line := pr.SettlementLine(x, open)
		line.URL = q.with("account", x.AccountID)
		if x.AccountID == f.Account {
			line.URL = "" // its jobs are on this page
		}
		m.Lines = append(m.Lines, line)
	}
	if f.Account == "" || len(rows.Rows) == 0 {
		return nil
	}
	items, err := h.Settlements.Items(ctx, st, f.Account, 0, 0, shownItems+1)
	if err != nil {
		return err
	}
	if len(items) > shownItems {
		items, m.MoreURL = items[:shownItems], r.link(staff.LedgerExport, m.URL+"/export")
	}
	for _, x := range items {
		m.Items = append(m.Items, pr.SettlementItem(x))
	}
	return nil
}

// outcomes are what lines are filtered by, in the order of the form, with their words.
func outcomes() func(func(settlement.Outcome, string) bool) {
	return func(yield func(settlement.Outcome, string) bool) {
		_ = yield(settlement.OutcomePaid, "state.paid") && yield(settlement.OutcomeExcluded, "state.left_out") && yield(settlement.OutcomeOpen, "state.open")
	}
}

// exportSettlement sends all charges of a settlement as CSV.
func (h *Console) exportSettlement(c echo.Context) error {
	r := h.of(c)
	ctx, cancel := context.WithTimeout(c.Request().Context(), exportTime)
	defer cancel()
	st, err := h.settlementOf(r)
	if err != nil {
		return err
	}
	release, err := h.makeExport()
	if err != nil {
		return err
	}
	defer release()
	if err := h.Settlements.RecordExport(ctx, st, r.Who.Actor(), reqctx.RequestID(ctx), r.L.ZoneName()); err != nil {
		return err
	}
	out := attach(r, "settlement_"+st.ID, "charges", export.CSV)
	file, err := export.NewSettlements(out, out.zone, st)
	if err != nil {
		return err
	}
	return out.end(h.Settlements.Each(ctx, st, func(x settlement.Item) error {
		out.row(nil)
		return file.Write(x)
	}), file.Close)
}

// settleNote is what a rollout's page says of settling its charges, once the rollout is over.
func (h *Console) settleNote(r request, o rollout.Rollout) (rollouts.Settle, error) {
	var m rollouts.Settle
	if o.State != rollout.RolledBack && o.State != rollout.Completed || !r.may(staff.SettlementView) {
		return m, nil
	}
	s, err := h.Settlements.Standing(r.Request().Context(), o.ID)
	if fault.As(err) != nil || err == nil && s.Delivered == 0 {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	if s.Paid+s.Held > 0 {
		m.ListURL = query{path: settlementsPath}.with("rollout", o.ID)
	}
	if s.Open() == 0 {
		m.Say = r.L.T("settle.say_even", r.L.Credits(s.Delivered))
		return m, nil
	}
	if o.State == rollout.Completed {
		// Its price is that of all: nobody is owed anything.
		m.Say = r.L.T("settle.say_completed", r.L.Credits(s.Delivered))
		return m, nil
	}
	m.Say = r.L.T("settle.say", r.L.Credits(s.Delivered), r.L.Credits(s.Paid), r.L.Credits(s.Held), r.L.Credits(s.Open()))
	m.URL = r.link(staff.SettlementPropose, newSettlementURL(o.ID))
	return m, nil
}

func newSettlementURL(rolloutID string) string {
	return query{path: settlementsPath + "/new"}.with("rollout", rolloutID)
}
