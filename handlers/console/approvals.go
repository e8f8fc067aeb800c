package console

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/models/bulkgrant"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/staff"
	views "recoup/views/approvals"
	"recoup/views/layout"
	"recoup/views/ui"
)

// approvalRoutes are the URLs of what waits for a second person.
func (h *Console) approvalRoutes() []route.Route {
	const one = "/approvals/:request"
	at := func(method, path, name string, p staff.Permission, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: method, Path: path, Name: "console." + name, Access: route.SignedIn(p), Handler: handler}
	}
	out := []route.Route{
		at(http.MethodGet, "/approvals", "approvals", staff.ApprovalView, h.approvals),
		at(http.MethodGet, one, "approval", staff.ApprovalView, h.approval),
		at(http.MethodGet, one+"/edit", "approval.edit", staff.AccountGrant, h.editForm),
		at(http.MethodPost, one+"/edit", "approval.edit.post", staff.AccountGrant, h.edit),
	}
	// Which right it takes to decide depends on what is proposed: decidable asks for it.
	for verb, p := range map[string]staff.Permission{"approve": staff.ApprovalView, "reject": staff.ApprovalView, "withdraw": staff.ApprovalAsk} {
		out = append(out,
			at(http.MethodGet, one+"/"+verb, verb, p, func(c echo.Context) error { return h.decideForm(c, verb) }),
			at(http.MethodPost, one+"/"+verb, verb+".post", p, func(c echo.Context) error { return h.decide(c, verb) }))
	}
	return out
}

func (h *Console) approvals(c echo.Context) error {
	r := h.of(c)
	q := newQuery(r, "/approvals", "tab", "kind", "account", "state")
	tab := views.Tab(q.get("tab"))
	may, decides := r.decidable()
	if tab != views.Decided && tab != views.Mine && (tab != views.Yours || !decides) {
		tab = views.Open
		q.values.Del("tab")
		q.values.Del("state")
	}
	f := approval.Filter{Kind: approval.Kind(q.get("kind")), Undecided: tab == views.Open || tab == views.Yours, Closed: tab == views.Decided, State: approval.State(q.get("state"))}
	if tab == views.Mine {
		f.RequestedBy = r.Who.Actor().String()
	}
	if tab == views.Yours {
		f.Kinds, f.NotKinds, f.NotRequestedBy = may.Kinds, may.NotKinds, may.NotRequestedBy
	}
	if account := q.get("account"); account != "" {
		f.Object = operation.Account(account).String()
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	var chips []ui.Chip
	if f.Kind != "" {
		chips = append(chips, ui.Chip{Label: r.L.T("approvals.kind"), Value: pr.KindOfApproval(f.Kind), RemoveURL: q.without("kind")})
	}
	if f.State != "" {
		chips = append(chips, ui.Chip{Label: r.L.T("col.state"), Value: r.L.Maybe("state."+present.ApprovalState(f.State), string(f.State)), RemoveURL: q.without("state")})
	}
	chips = q.chip(chips, "account", r.L.T("filter.account"))
	m := views.Model{Action: q.path, Tab: tab, Account: ui.Field{Value: q.get("account")}, Zone: r.L.ZoneLabel(r.Now),
		List: list(chips, q.without("kind", "state", "account"))}
	open, err := h.Requests.CountOpen(c.Request().Context(), approval.Filter{}, railCount)
	if err != nil {
		return err
	}
	yours, err := h.Requests.CountOpen(c.Request().Context(), may, railCount)
	if err != nil {
		return err
	}
	for _, t := range []views.Tab{views.Open, views.Yours, views.Decided, views.Mine} {
		if t == views.Yours && !decides {
			continue
		}
		choice := ui.Choice{Text: views.TabName(r.L, t), URL: q.path + "?tab=" + string(t), Current: t == tab}
		if t == views.Open {
			choice.URL, choice.Count = q.path, counted(r, open)
		}
		if t == views.Yours {
			choice.Count = counted(r, yours)
		}
		m.Tabs = append(m.Tabs, choice)
	}
	m.Kinds = []ui.Option{{Label: r.L.T("filter.any"), Selected: f.Kind == ""}}
	for _, k := range approvalKinds() {
		m.Kinds = append(m.Kinds, ui.Option{Value: string(k), Label: pr.KindOfApproval(k), Selected: k == f.Kind})
	}
	m.States = []ui.Option{{Label: r.L.T("filter.any"), Selected: f.State == ""}}
	for _, s := range approval.States() {
		if s != approval.Open || tab == views.Mine {
			m.States = append(m.States, ui.Option{Value: string(s), Label: r.L.T("state." + present.ApprovalState(s)), Selected: s == f.State})
		}
	}
	show := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[approval.Position](r, q)
	rows, err := h.Requests.List(c.Request().Context(), f, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), show, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	for _, x := range rows.Rows {
		applies, err := h.appliedBy(c.Request().Context(), x)
		if err != nil {
			return err
		}
		line := pr.ApprovalRow(x)
		line.Outcome = present.ApprovalOutcome(applies)
		m.Rows = append(m.Rows, line)
	}
	return fragment(r, h, http.StatusOK, show, part)
}

// counted is a number that was counted up to railCount.
func counted(r request, n int64) string {
	if n >= railCount {
		return r.L.Credits(n) + "+"
	}
	return r.L.Credits(n)
}

// requestOf reads the change request that the path names.
func (h *Console) requestOf(r request) (approval.Request, error) {
	id, err := param(r, "request")
	if err != nil {
		return approval.Request{}, err
	}
	return h.Requests.Find(r.Request().Context(), id)
}

func (h *Console) approval(c echo.Context) error {
	r := h.of(c)
	cr, err := h.requestOf(r)
	if err != nil {
		return err
	}
	m, err := h.approvalDetail(r, cr)
	if err != nil {
		return err
	}
	if cr.Kind == bulkgrant.Kind {
		if m.Below, err = h.proposedLines(r, cr); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, views.RequestPage(h.frame(r), m))
}

// historyRows is how many lines of history a change request's page shows.
const historyRows = 50

// approvalDetail reads what belongs to a change request and maps it to its page.
func (h *Console) approvalDetail(r request, cr approval.Request) (views.Detail, error) {
	ctx := r.Request().Context()
	d := present.ApprovalPage{Request: cr, Own: cr.RequestedBy == r.Who.Actor().String(), ByOwnKey: cr.Behind == r.Who.Actor().String(), May: r.may(decidedBy(cr.Kind))}
	if err := h.approvalSubject(ctx, &d); err != nil {
		return views.Detail{}, err
	}
	err := h.approvalFile(ctx, &d)
	if err != nil {
		return views.Detail{}, err
	}
	if d.Task, err = h.appliedBy(ctx, cr); err != nil {
		return views.Detail{}, err
	}
	if d.History, err = h.Requests.History(ctx, cr.ID, historyRows); err != nil {
		return views.Detail{}, err
	}
	people, err := h.Staff.List(ctx)
	if err != nil {
		return views.Detail{}, err
	}
	for _, p := range people {
		if p.Allows(decidedBy(cr.Kind)) && !cr.AskedBy(p.Actor()) {
			d.Deciders = append(d.Deciders, p)
		}
	}
	pr, err := h.presenter(r)
	if err != nil {
		return views.Detail{}, err
	}
	if cr.Kind == bulk.KindStart {
		if d.Selected, d.Elsewhere, err = h.proposedSelection(r, cr); err != nil {
			return views.Detail{}, err
		}
	}
	m, err := pr.ApprovalView(d)
	if err == nil {
		err = h.aboutStep(r, pr, cr, &m)
	}
	if err != nil || cr.State != approval.Open {
		return m, err
	}
	at := present.ApprovalURL(cr.ID)
	if d.Own {
		m.WithdrawURL = r.link(staff.ApprovalAsk, at+"/withdraw")
		if editable(r, cr) {
			m.EditURL = at + "/edit"
		}
	} else if !d.ByOwnKey {
		m.ApproveURL, m.RejectURL = r.link(decidedBy(cr.Kind), at+"/approve"), r.link(decidedBy(cr.Kind), at+"/reject")
	}
	return m, nil
}

// approvalSubject reads the account that a change request is about, what was applied, and what took its place.
func (h *Console) approvalSubject(ctx context.Context, d *present.ApprovalPage) error {
	cr := d.Request
	if cr.AccountID != "" {
		a, err := h.Ledger.Account(ctx, cr.AccountID)
		if err != nil {
			return err
		}
		d.Account = &a
		if cr.State == approval.Approved {
			list, err := h.Ledger.List(ctx, ledger.Filter{AccountID: a.ID, OperationID: cr.OperationID}, nil, page.Older, 1)
			if err != nil {
				return err
			}
			if len(list.Rows) == 1 {
				d.Entry = &list.Rows[0]
			}
		}
	}
	if cr.ReplacedBy == nil {
		return nil
	}
	var err error
	d.Replacement, err = h.Requests.OfOperation(ctx, cr.OperationScope(), *cr.ReplacedBy)
	return err
}

func (h *Console) decideForm(c echo.Context, verb string) error {
	r := h.of(c)
	cr, err := h.requestOf(r)
	if err != nil {
		return err
	}
	if err := r.mayDecide(verb, cr.Kind); err != nil {
		return err
	}
	at := present.ApprovalURL(cr.ID)
	if own := cr.RequestedBy == r.Who.Actor().String(); cr.State != approval.Open || own != (verb == "withdraw") || verb != "withdraw" && cr.AskedBy(r.Who.Actor()) {
		// Nothing is left to decide, or it is for somebody else to: its page says what became of it and who can.
		return c.Redirect(http.StatusSeeOther, at)
	}
	m, err := h.approvalDetail(r, cr)
	if err != nil {
		return err
	}
	return formPage(c, views.DecidePage(h.frame(r), views.Decide{Act: act(r, at), Request: m, Verb: verb}))
}

func (h *Console) decide(c echo.Context, verb string) error {
	r := h.of(c)
	cr, err := h.requestOf(r)
	if err != nil {
		return err
	}
	if err := r.mayDecide(verb, cr.Kind); err != nil {
		return err
	}
	seen := seenOf(r, cr.ID)
	in := approval.Decision{OperationID: r.FormValue("operation_id"), Actor: r.Who.Actor(), RequestID: reqctx.RequestID(c.Request().Context()),
		ID: cr.ID, Version: seen.Version, Digest: seen.Digest, Reason: r.FormValue("reason")}
	run := map[string]func(context.Context, approval.Decision) (operation.Outcome, error){
		"approve": h.Desk.Approve, "reject": h.Desk.Reject, "withdraw": h.Desk.Withdraw}[verb]
	out, err := run(c.Request().Context(), in)
	if fault.Is(err, fault.CodeChecksNotPassed) {
		// The refusal wrote nothing, not even what the checks have found.
		return h.keptBack(r, cr, field(r, "reason", err))
	}
	at := present.ApprovalURL(cr.ID)
	var m views.Detail
	if err != nil {
		// For the form that may have to be shown again.
		var unread error
		if m, unread = h.approvalDetail(r, cr); unread != nil {
			return unread
		}
	}
	return h.conclude(r, at, approval.Scope(), out, err, func(err error) templ.Component {
		return views.DecidePage(h.frame(r), views.Decide{Act: again(r, at, err), Request: m, Verb: verb, Reason: field(r, "reason", err)})
	})
}

// seenOf is what the form says that the person saw. What cannot be read matches nothing.
func seenOf(r request, id string) approval.Replaced {
	version, err := strconv.Atoi(r.FormValue("version"))
	if err != nil {
		version = 0
	}
	digest, err := hex.DecodeString(r.FormValue("digest"))
	if err != nil {
		digest = nil
	}
	return approval.Replaced{ID: id, Version: version, Digest: digest}
}

// waitingFor is the page of the change request that an outcome waits for.
func waitingFor(out operation.Outcome) (string, error) {
	var required approval.Required
	if err := json.Unmarshal(out.Result, &required); err != nil {
		return "", err
	}
	if required.ChangeRequest.ID == "" {
		return "", fault.New(fault.NotFound, approval.CodeRequestNotFound, "It waits for something that is not known.")
	}
	return present.ApprovalURL(required.ChangeRequest.ID), nil
}

// approvalFile reads the file of grants that a change request is about and, while it can still be approved, what it would do now.
func (h *Console) approvalFile(ctx context.Context, d *present.ApprovalPage) error {
	if d.Request.Kind != bulkgrant.Kind {
		return nil
	}
	what, err := bulkgrant.ReadProposed(d.Request)
	if err != nil {
		return err
	}
	f, err := h.BulkGrants.Find(ctx, what.BulkGrant)
	if err != nil {
		return err
	}
	d.File = &f
	if d.Request.State != approval.Open {
		return nil
	}
	check, err := h.BulkGrants.Check(ctx, f)
	d.FileCheck = &check
	return err
}
