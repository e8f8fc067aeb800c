package console

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/models/calendar"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/staff"
	views "recoup/views/deadletters"
	jobviews "recoup/views/jobs"
	"recoup/views/ui"
)

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
		return views.RequeuePage(h.frame(r), h.requeueModel(r, act(r, jobURL(a.ID, j.ID)), j, a, nil))
	})
}

func (h *Console) requeueModel(r request, form ui.Act, j job.Listed, a ledger.Account, err error) views.Requeue {
	m := views.Requeue{Act: form, Subject: deadSubject(r, j, a), NextGeneration: strconv.Itoa(j.Generation + 1), NextAttempt: strconv.Itoa(j.Attempt + 1),
		Dependency: j.Dependency, External: j.Mode == job.External, Zone: r.L.ZoneName(), Later: r.FormValue("when") == "at"}
	m.Frozen = a.FrozenAt != nil
	pr, unread := h.presenter(r)
	if j.Mode == job.Managed {
		// A form that cannot say what is held still does what it is for.
		standing, err := h.Dependencies.Standing(r.Request().Context(), []string{j.Action}, nil)
		if err == nil && unread == nil {
			m.Held = pr.RequeueHeld(standing)
		}
	}
	m.At, m.Reason = field(r, "at", err), field(r, "reason", err)
	if j.Dependency != "" {
		// A form that cannot say how the dependency is still says which it is.
		if s, err := h.Dependencies.Find(r.Request().Context(), j.Dependency); err == nil && unread == nil {
			m.DependencySay = pr.DependencySay(s)
		}
	}
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
			wall, err := time.Parse(localTime, r.FormValue("at"))
			if err != nil {
				return operation.Outcome{}, fault.InvalidField("at", "must be a date and a time")
			}
			at, _ := calendar.At(wall, zone)
			p.At = &at
		} else if r.FormValue("at") != "" {
			return operation.Outcome{}, fault.InvalidField("at", "is a time where now is chosen")
		}
		if r.FormValue("edited") != "" {
			// Whoever edits a payload has seen it.
			if !r.may(staff.JobReveal) {
				return operation.Outcome{}, fault.New(fault.Forbidden, fault.CodeForbidden, "A payload is edited by those who may see it. Nothing was done.")
			}
			p.Payload = json.RawMessage(r.FormValue("payload"))
		}
		return h.Jobs.Requeue(c.Request().Context(), p)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		if r.FormValue("edited") != "" {
			at := jobURL(a.ID, j.ID)
			return jobviews.EditPage(h.frame(r), jobviews.EditPayload{Act: again(r, at, err), JobID: j.ID, JobURL: at, Generation: r.FormValue("generation"),
				Cost: r.L.Credits(j.Cost), Payload: field(r, "payload", err), Reason: field(r, "reason", err)})
		}
		return views.RequeuePage(h.frame(r), h.requeueModel(r, again(r, jobURL(a.ID, j.ID), err), j, a, err))
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
	return h.jobFormIn(c, []job.State{job.Discarded}, func(r request, j job.Listed, a ledger.Account) templ.Component {
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
