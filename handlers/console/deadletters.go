package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/staff"
	views "recoup/views/deadletters"
	"recoup/views/layout"
	"recoup/views/ui"
)

// ages are the values of the filter "dead for longer than".
func ages() map[string]time.Duration {
	const day = 24 * time.Hour
	return map[string]time.Duration{"1h": time.Hour, "24h": day, "7d": 7 * day, "30d": 30 * day}
}

func (h *Console) deadLetters(c echo.Context) error {
	r := h.of(c)
	q := newQuery(r, "/dead-letters", "tab", "account", "action", "class", "code", "text", "age")
	tab := views.Tab(q.get("tab"))
	f := job.Filter{AccountID: q.get("account"), Action: q.get("action"), ErrorClass: q.get("class"), ErrorCode: q.get("code"), ErrorText: q.get("text")}
	order := job.ByDeath
	switch tab {
	case views.LateSuccess:
		order = job.ByLateSuccess
	case views.Resolved:
		order = job.ByResolution
		f.States = []job.State{job.Discarded}
	default:
		tab = views.NeedsReview
		f.States = []job.State{job.Dead}
	}
	chips := q.chip(nil, "account", r.L.T("filter.account"))
	chips = q.chip(chips, "action", r.L.T("col.action"))
	if v := q.get("class"); v != "" {
		chips = append(chips, ui.Chip{Label: r.L.T("dead.class"), Value: r.L.Maybe("class."+v, v), RemoveURL: q.without("class")})
	}
	chips = q.chip(chips, "code", r.L.T("dead.code"))
	chips = q.chip(chips, "text", r.L.T("dead.text"))
	if age, known := ages()[q.get("age")]; known {
		before := r.Now.Add(-age)
		f.Before = &before
		chips = append(chips, ui.Chip{Label: r.L.T("dead.age"), Value: r.L.T("age." + q.get("age")), RemoveURL: q.without("age")})
	}
	clear := query{path: q.path, values: nil}.with("tab", q.get("tab"))
	m := views.Model{Action: q.path, Tab: tab, Account: ui.Field{Value: f.AccountID}, ActionName: ui.Field{Value: f.Action}, Code: ui.Field{Value: f.ErrorCode},
		Text: ui.Field{Value: f.ErrorText}, Classes: views.ClassOptions(r.L, f.ErrorClass), Ages: views.AgeOptions(r.L, q.get("age")),
		Zone: r.L.ZoneAt(r.Now), List: list(chips, clear)}
	for _, t := range []views.Tab{views.NeedsReview, views.LateSuccess, views.Resolved} {
		to := string(t)
		if t == views.NeedsReview {
			to = ""
		}
		m.Tabs = append(m.Tabs, ui.Choice{Text: views.TabName(r.L, t), URL: q.with("tab", to), Current: t == tab})
	}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[job.Position](r, q)
	rows, err := h.Jobs.List(c.Request().Context(), f, order, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, j := range rows.Rows {
		row := pr.DeadLetter(j)
		at := jobURL(j.AccountID, j.ID)
		switch j.State {
		case job.Dead:
			row.RequeueURL, row.DiscardURL = r.link(staff.Requeue, at+"/requeue"), r.link(staff.Discard, at+"/discard")
		case job.Discarded:
			row.ReopenURL = r.link(staff.Reopen, at+"/reopen")
		case job.Queued, job.Running, job.Retrying, job.Succeeded, job.Canceled:
		}
		m.Rows = append(m.Rows, row)
	}
	return fragment(r, h, http.StatusOK, page, part)
}

func deadSubject(r request, j job.Listed, a ledger.Account) views.Subject {
	name := a.Name
	if name == "" {
		name = a.ID
	}
	return views.Subject{JobID: j.ID, JobURL: jobURL(a.ID, j.ID), Account: name, Action: j.Action, Cost: r.L.Credits(j.Cost), Refunded: j.IsRefunded,
		Generation: strconv.Itoa(j.Generation)}
}

func (h *Console) requeueForm(c echo.Context) error {
	return h.jobForm(c, func(r request, j job.Listed, a ledger.Account) templ.Component {
		return views.RequeuePage(h.frame(r), requeueModel(r, act(r, jobURL(a.ID, j.ID)), j, a, nil))
	})
}

func requeueModel(r request, form ui.Act, j job.Listed, a ledger.Account, err error) views.Requeue {
	m := views.Requeue{Act: form, Subject: deadSubject(r, j, a), NextGeneration: strconv.Itoa(j.Generation + 1), NextAttempt: strconv.Itoa(j.Attempt + 1),
		Dependency: j.Dependency, Zone: r.L.ZoneName(), Later: r.FormValue("when") == "at"}
	m.At, m.Reason = field(r, "at", err), field(r, "reason", err)
	return m
}

// localTime is what an input of type datetime-local sends.
const localTime = "2006-01-02T15:04"

func (h *Console) requeue(c echo.Context) error {
	return h.jobAct(c, func(r request, p job.PersonRequest) (operation.Outcome, error) {
		if r.FormValue("when") == "at" {
			zone := r.L.Zone
			if zone == nil {
				zone = time.UTC
			}
			at, err := time.ParseInLocation(localTime, r.FormValue("at"), zone)
			if err != nil {
				return operation.Outcome{}, fault.InvalidField("at", "must be a date and a time")
			}
			p.At = &at
		}
		return h.Jobs.Requeue(c.Request().Context(), p)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		return views.RequeuePage(h.frame(r), requeueModel(r, again(r, jobURL(a.ID, j.ID), err), j, a, err))
	})
}

func (h *Console) discardForm(c echo.Context) error {
	return h.jobForm(c, func(r request, j job.Listed, a ledger.Account) templ.Component {
		return views.DiscardPage(h.frame(r), views.Discard{Act: act(r, jobURL(a.ID, j.ID)), Subject: deadSubject(r, j, a), Reasons: views.ReasonOptions(r.L, "")})
	})
}

func (h *Console) discard(c echo.Context) error {
	return h.jobAct(c, func(r request, p job.PersonRequest) (operation.Outcome, error) {
		return h.Jobs.Discard(c.Request().Context(), p)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		return views.DiscardPage(h.frame(r), views.Discard{Act: again(r, jobURL(a.ID, j.ID), err), Subject: deadSubject(r, j, a),
			Reasons: views.ReasonOptions(r.L, r.FormValue("reason")), ReasonError: field(r, "reason", err).Error, Note: field(r, "note", err)})
	})
}

func (h *Console) reopenForm(c echo.Context) error {
	return h.jobForm(c, func(r request, j job.Listed, a ledger.Account) templ.Component {
		return views.ReopenPage(h.frame(r), views.Reopen{Act: act(r, jobURL(a.ID, j.ID)), Subject: deadSubject(r, j, a)})
	})
}

func (h *Console) reopen(c echo.Context) error {
	return h.jobAct(c, func(r request, p job.PersonRequest) (operation.Outcome, error) {
		return h.Jobs.Reopen(c.Request().Context(), p)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		return views.ReopenPage(h.frame(r), views.Reopen{Act: again(r, jobURL(a.ID, j.ID), err), Subject: deadSubject(r, j, a), Reason: field(r, "reason", err)})
	})
}
