package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/staff"
	views "recoup/views/jobs"
	"recoup/views/layout"
	"recoup/views/ui"
)

func (h *Console) jobs(c echo.Context) error {
	r := h.of(c)
	q := newQuery(r, "/jobs", "job", "account", "action", "state", "money")
	f := job.Filter{JobID: q.get("job"), AccountID: q.get("account"), Action: q.get("action"), Reclaimable: q.get("money") == "refunded"}
	chips := q.chip(nil, "job", r.L.T("filter.job"))
	chips = q.chip(chips, "account", r.L.T("filter.account"))
	chips = q.chip(chips, "action", r.L.T("col.action"))
	for _, s := range q.values["state"] {
		f.States = append(f.States, job.State(s))
		chips = append(chips, ui.Chip{Label: r.L.T("col.state"), Value: r.L.Maybe("state."+s, s), RemoveURL: q.withoutValue("state", s)})
	}
	if f.Reclaimable {
		chips = append(chips, ui.Chip{Label: r.L.T("filter.only"), Value: r.L.T("jobs.reclaimable"), RemoveURL: q.without("money")})
	}
	m := views.Model{Action: q.path, Job: ui.Field{Value: f.JobID}, Account: ui.Field{Value: f.AccountID}, ActionName: ui.Field{Value: f.Action},
		Reclaimable: f.Reclaimable, States: views.StateOptions(r.L, q.values["state"]...), Zone: r.L.ZoneLabel(r.Now), List: list(chips, q.path)}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[job.Position](r, q)
	rows, err := h.Jobs.List(c.Request().Context(), f, job.ByCharge, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	if f.Reclaimable && f.AccountID != "" && f.JobID == "" && f.Action == "" && len(f.States) == 0 && len(rows.Rows) > 0 {
		all, err := h.Jobs.Reclaimable(c.Request().Context(), f.AccountID, 0)
		if err != nil {
			return err
		}
		m.ReclaimableSay = r.L.N("statement.reclaimable_count", all.Jobs, r.L.Sum(all.Credits.String()))
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, j := range rows.Rows {
		m.Rows = append(m.Rows, pr.JobListRow(j))
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// find reads the job of the URL and its account.
func (h *Console) find(r request) (job.Listed, ledger.Account, error) {
	account, err := param(r, "account")
	if err != nil {
		return job.Listed{}, ledger.Account{}, err
	}
	id, err := param(r, "job")
	if err != nil {
		return job.Listed{}, ledger.Account{}, err
	}
	ctx := r.Request().Context()
	a, err := h.Ledger.Account(ctx, account)
	if err != nil {
		return job.Listed{}, a, err
	}
	j, err := h.Jobs.Find(ctx, account, id)
	return j, a, err
}

func (h *Console) job(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	j, a, err := h.find(r)
	if err != nil {
		return err
	}
	d, err := h.jobPage(ctx, j, a)
	if err != nil {
		return err
	}
	return h.showJob(r, d)
}

// showJob renders the page of one job with what the person may do.
func (h *Console) showJob(r request, d present.JobPage) error {
	j, a := d.Job, d.Account
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m, err := pr.JobView(d)
	if err != nil {
		return err
	}
	if m.Triage, err = h.triageCard(r, j, pr); err != nil {
		return err
	}
	if j.Mode == job.Managed && (j.State == job.Queued || j.State == job.Retrying) {
		standing, err := h.Dependencies.Standing(r.Request().Context(), []string{j.Action}, dependenciesOf(j))
		if err != nil {
			return err
		}
		m.Held = pr.JobHeld(j.Job, standing)
	}
	at := jobURL(a.ID, j.ID)
	switch j.State {
	case job.Queued, job.Running, job.Retrying:
		m.CancelURL = r.link(staff.JobCancel, at+"/cancel")
	case job.Dead:
		m.CancelURL = r.link(staff.JobCancel, at+"/cancel")
		m.RequeueURL, m.DiscardURL = r.link(staff.Requeue, at+"/requeue"), r.link(staff.Discard, at+"/discard")
		m.RecoverURL = r.link(staff.Recover, at+"/recover")
	case job.Discarded:
		m.ReopenURL, m.RecoverURL = r.link(staff.Reopen, at+"/reopen"), r.link(staff.Recover, at+"/recover")
	case job.Canceled:
		m.RecoverURL = r.link(staff.Recover, at+"/recover")
	case job.Succeeded:
	}
	if m.Payload != nil && d.Revealed && j.State == job.Dead && r.may(staff.Requeue) {
		text, err := present.EditablePayload(d.Payload)
		if err != nil {
			return err
		}
		m.Payload.Edit = &views.EditPayload{Act: ui.Act{Action: at + "/requeue", OperationID: ids.New()}, JobID: j.ID, JobURL: at, Generation: generationOf(j.Generation),
			Cost: r.L.Credits(j.Cost), Payload: ui.Field{Value: text}}
	}
	if m.Payload != nil && !d.Revealed {
		m.Payload.RevealURL = r.link(staff.JobReveal, at+"/payload")
	}
	return render(r, http.StatusOK, views.JobPage(h.frame(r), m))
}

// dependenciesOf is what a job depends on, as a list of at most one.
func dependenciesOf(j job.Listed) []string {
	if j.Dependency == "" {
		return nil
	}
	return []string{j.Dependency}
}

func (h *Console) jobPage(ctx context.Context, j job.Listed, a ledger.Account) (present.JobPage, error) {
	d := present.JobPage{Job: j, Account: a, Entries: map[int64]ledger.Entry{}}
	var err error
	history, err := h.Jobs.History(ctx, j.AccountKey, j.Key)
	if err != nil {
		return d, err
	}
	d.Events, d.LeftOut = history.Events, history.LeftOut
	if d.Attempts, err = h.Jobs.Attempts(ctx, j.AccountKey, j.Key); err != nil {
		return d, err
	}
	if d.Operations, err = h.Ops.OfJob(ctx, j.AccountKey, j.Key); err != nil {
		return d, err
	}
	if d.Repeats, err = h.Ops.RepeatsOfJob(ctx, j.AccountKey, j.Key); err != nil {
		return d, err
	}
	if d.Evidence, err = h.Jobs.Evidence(ctx, j.AccountKey, j.Key); err != nil {
		return d, err
	}
	if d.Payload, err = h.Jobs.Payload(ctx, j.AccountKey, j.Key); err != nil {
		return d, err
	}
	if d.Edits, err = h.Jobs.PayloadEdits(ctx, j.AccountKey, j.Key); err != nil {
		return d, err
	}
	if d.Decision, err = h.Pricing.Recorded(ctx, j.AccountKey, j.OperationID); err != nil {
		return d, err
	}
	entries, err := h.Ledger.List(ctx, ledger.Filter{AccountID: a.ID, JobID: j.ID}, nil, page.Older, pageSize)
	if err != nil {
		return d, err
	}
	for _, e := range entries.Rows {
		d.Entries[e.Seq] = e
	}
	// An adjustment names no job: what a settlement paid for this one is found through the timeline.
	for _, e := range d.Events {
		if e.Kind != job.EventSettled || e.EntrySeq == nil {
			continue
		}
		paid, err := h.Ledger.List(ctx, ledger.Filter{AccountID: a.ID}, &ledger.Position{Seq: *e.EntrySeq + 1}, page.Older, 1)
		if err != nil {
			return d, err
		}
		for _, x := range paid.Rows {
			d.Entries[x.Seq] = x
		}
	}
	return d, nil
}

// presenter knows the names of people and keys.
func (h *Console) presenter(r request) (present.Presenter, error) {
	a, err := h.actors(r.Request().Context())
	return present.Presenter{L: r.L, Now: r.Now, Names: a.names, TraceURL: h.TraceURL}, err
}

func (h *Console) cancelForm(c echo.Context) error {
	return h.jobForm(c, func(r request, j job.Listed, a ledger.Account) templ.Component {
		return views.CancelPage(h.frame(r), cancelModel(r, act(r, jobURL(a.ID, j.ID)), j, a, ui.Field{}))
	})
}

func cancelModel(r request, form ui.Act, j job.Listed, a ledger.Account, reason ui.Field) views.Cancel {
	name := a.Name
	if name == "" {
		name = a.ID
	}
	return views.Cancel{Act: form, JobID: j.ID, JobURL: jobURL(a.ID, j.ID), Account: name, State: string(j.State), Cost: r.L.Credits(j.Cost),
		Generation: strconv.Itoa(j.Generation), Refunded: j.IsRefunded, Reason: reason}
}

func (h *Console) cancel(c echo.Context) error {
	return h.jobAct(c, func(r request, p job.PersonRequest) (operation.Outcome, error) {
		p.Seen = seenState(r)
		return h.Jobs.Cancel(c.Request().Context(), p)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		return views.CancelPage(h.frame(r), cancelModel(r, again(r, jobURL(a.ID, j.ID), err), j, a, field(r, "reason", err)))
	})
}

// jobForm shows a form about one job.
func (h *Console) jobForm(c echo.Context, build func(request, job.Listed, ledger.Account) templ.Component) error {
	r := h.of(c)
	j, a, err := h.find(r)
	if err != nil {
		return err
	}
	if r.Warning, err = h.unsound(r, j.Job); err != nil {
		return err
	}
	return formPage(c, build(r, j, a))
}

// unsound warns where the flags of a job, by which its forms speak, are not what its entries say; "" where they are.
func (h *Console) unsound(r request, j job.Job) (string, error) {
	ok, err := h.Jobs.Sound(r.Request().Context(), j)
	if err != nil || ok {
		return "", err
	}
	return r.L.T("fault.job_inconsistent"), nil
}

// jobFormIn shows a form about one job in the states in which that can be done; in others the job's page says how it is.
func (h *Console) jobFormIn(c echo.Context, states []job.State, build func(request, job.Listed, ledger.Account) templ.Component) error {
	r := h.of(c)
	j, a, err := h.find(r)
	if err != nil {
		return err
	}
	if !slices.Contains(states, j.State) {
		return r.Redirect(http.StatusSeeOther, jobURL(a.ID, j.ID))
	}
	if r.Warning, err = h.unsound(r, j.Job); err != nil {
		return err
	}
	return formPage(c, build(r, j, a))
}

// jobAct runs a form's operation on one job and concludes it.
func (h *Console) jobAct(c echo.Context, run func(request, job.PersonRequest) (operation.Outcome, error),
	build func(request, job.Listed, ledger.Account, error) templ.Component) error {
	r := h.of(c)
	j, a, err := h.find(r)
	if err != nil {
		return err
	}
	p := job.PersonRequest{Envelope: r.by(), AccountID: a.ID, JobID: j.ID, Reason: r.FormValue("reason"), Note: r.FormValue("note")}
	if seen, err := strconv.ParseInt(r.FormValue("generation"), 10, 32); err == nil {
		p.Generation = &seen
	}
	out, err := run(r, p)
	return h.conclude(r, jobURL(a.ID, j.ID), operation.Account(a.ID), out, err, func(err error) templ.Component { return build(r, j, a, err) })
}
