package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/fault"
	"recoup/models/rollout"
	"recoup/models/staff"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// shownScheduled is how many scheduled steps a rollout's page shows.
const shownScheduled = 30

// scheduleRoutes are the URLs of steps that are made at a time.
func (h *Console) scheduleRoutes() []route.Route {
	const at, cancel = "/rollouts/:rollout/schedule", "/rollouts/:rollout/schedule/:scheduled/cancel"
	one := func(method, path, name string, p staff.Permission, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: method, Path: path, Name: "console." + name, Access: route.SignedIn(p), Handler: handler}
	}
	return []route.Route{
		one(http.MethodGet, at, "rollout.schedule", staff.RolloutAdvance, h.scheduleForm),
		one(http.MethodPost, at, "rollout.schedule.post", staff.RolloutAdvance, h.schedule),
		one(http.MethodGet, cancel, "rollout.unschedule", staff.RolloutPause, h.unscheduleForm),
		one(http.MethodPost, cancel, "rollout.unschedule.post", staff.RolloutPause, h.unschedule),
	}
}

// scheduled adds to a rollout's page the steps that are made at a time.
func (h *Console) scheduled(r request, pr present.Presenter, o rollout.Rollout, m *views.Rollout) error {
	ctx := r.Request().Context()
	rows, err := h.Rollouts.Schedule(ctx, o.ID, shownScheduled)
	if err != nil {
		return err
	}
	asked, err := h.Rollouts.WaitingTimes(ctx, o)
	if err != nil {
		return err
	}
	s := views.Schedule{Zone: r.L.ZoneLabel(r.Now)}
	// What is still ahead, asked for or agreed, in the order of its time; below it what is over.
	type ahead struct {
		at  time.Time
		row views.ScheduledRow
	}
	var still []ahead
	var over []views.ScheduledRow
	for _, cr := range asked {
		what, err := rollout.ReadProposed(cr)
		if err != nil {
			return err
		}
		if what.Time == nil {
			continue // it is about no time
		}
		row, err := pr.AskedTime(cr)
		if err != nil {
			return err
		}
		still = append(still, ahead{what.Time.At, row})
	}
	for _, x := range rows {
		row := pr.ScheduledRow(o, x)
		if x.State != rollout.Waiting {
			over = append(over, row)
			continue
		}
		row.CancelURL = r.link(staff.RolloutPause, scheduledURL(o.ID, x.Key)+"/cancel")
		still = append(still, ahead{x.At, row})
	}
	slices.SortStableFunc(still, func(a, b ahead) int { return a.at.Compare(b.at) })
	for _, x := range still {
		s.Rows = append(s.Rows, x.row)
	}
	s.Rows = append(s.Rows, over...)
	if len(pr.StepsAhead(o, "")) > 0 {
		s.NewURL = r.link(staff.RolloutAdvance, present.RolloutURL(o.ID)+"/schedule")
	}
	m.Schedule = s
	return nil
}

// overdue adds to the form of a resume how many scheduled steps have waited for it, and that it lifts a cap.
func (h *Console) overdue(r request, m rolloutMove, o rollout.Rollout, f *views.Move) error {
	if m.name != "resume" {
		return nil
	}
	today, err := h.Rollouts.Today(r.Request().Context(), o)
	if err != nil {
		return err
	}
	if today != nil && today.Over() {
		pr := present.Presenter{L: r.L, Now: r.Now}
		f.Changes = append(f.Changes, ui.Change{Label: r.L.T("cap.title"), Before: pr.DayCap(o, today).Say, After: r.L.T("cap.lifts", r.L.Stamp(today.Until, r.Now).Full)})
	}
	rows, err := h.Rollouts.Schedule(r.Request().Context(), o.ID, shownScheduled)
	if err != nil {
		return err
	}
	due := 0
	for _, x := range rows {
		if x.State == rollout.Waiting && !x.At.After(r.Now) {
			due++
		}
	}
	if due > 0 {
		f.Changes = append(f.Changes, ui.Change{Label: r.L.T("schedule.due"), After: r.L.T("schedule.due_made", r.L.Credits(int64(due)))})
	}
	return nil
}

func scheduledURL(id string, key int64) string {
	return present.RolloutURL(id) + "/schedule/" + strconv.FormatInt(key, 10)
}

func (h *Console) scheduleForm(c echo.Context) error {
	r := h.of(c)
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	return formPage(c, h.schedulePage(r, o, act(r, present.RolloutURL(o.ID)), nil))
}

// schedulePage is the form that schedules a step, with what was typed.
func (h *Console) schedulePage(r request, o rollout.Rollout, form ui.Act, err error) templ.Component {
	pr := present.Presenter{L: r.L, Now: r.Now}
	m := views.NewScheduled{Act: form, ID: o.ID, URL: present.RolloutURL(o.ID), Steps: pr.StepsAhead(o, r.FormValue("step")), StepError: field(r, "step", err).Error,
		Local: field(r, "local", err), Zone: field(r, "zone", err), Reason: field(r, "reason", err), NeedsSecond: pr.SecondSteps(o.Second), Zones: suggestedZones()}
	if m.Zone.Value == "" && m.Zone.Error == "" {
		m.Zone.Value = r.L.ZoneName()
	}
	return views.SchedulePage(h.frame(r), m)
}

func (h *Console) schedule(c echo.Context) error {
	r := h.of(c)
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	step, stage, _ := strings.Cut(r.FormValue("step"), ":")
	n, err := strconv.Atoi(stage)
	if err != nil {
		n = 0 // of no stage: only an advance needs one, and is refused
	}
	in := rollout.ScheduleRequest{Envelope: r.by(), RolloutID: o.ID, Step: rollout.StepName(step), Stage: n, Local: r.FormValue("local"), Zone: r.FormValue("zone"), Reason: r.FormValue("reason")}
	out, err := h.Rollouts.AtTime(c.Request().Context(), in)
	to := present.RolloutURL(o.ID)
	return h.conclude(r, to, rollout.ScopeOf(o.ID), out, err, func(err error) templ.Component { return h.schedulePage(r, o, again(r, to, err), err) })
}

// scheduledOf reads the rollout and the scheduled step that the path names.
func (h *Console) scheduledOf(r request) (o rollout.Rollout, s rollout.Scheduled, err error) {
	if o, err = h.rolloutOf(r); err != nil {
		return o, s, err
	}
	key, err := strconv.ParseInt(r.Param("scheduled"), 10, 64)
	if err != nil {
		return o, s, fault.New(fault.NotFound, fault.CodeRolloutNotFound, "There is no such scheduled step.")
	}
	s, err = h.Rollouts.FindScheduled(r.Request().Context(), o.ID, key)
	return o, s, err
}

func (h *Console) unscheduleForm(c echo.Context) error {
	r := h.of(c)
	o, s, err := h.scheduledOf(r)
	if err != nil {
		return err
	}
	if s.State != rollout.Waiting {
		return c.Redirect(http.StatusSeeOther, present.RolloutURL(o.ID))
	}
	page, err := h.unschedulePage(r, o, s, act(r, present.RolloutURL(o.ID)), nil)
	if err != nil {
		return err
	}
	return formPage(c, page)
}

func (h *Console) unschedulePage(r request, o rollout.Rollout, s rollout.Scheduled, form ui.Act, err error) (templ.Component, error) {
	pr, unread := h.presenter(r)
	if unread != nil {
		return nil, unread
	}
	return views.CancelScheduledPage(h.frame(r), views.CancelScheduled{Act: form, ID: o.ID, URL: present.RolloutURL(o.ID), Row: pr.ScheduledRow(o, s), Reason: field(r, "reason", err)}), nil
}

func (h *Console) unschedule(c echo.Context) error {
	r := h.of(c)
	o, s, err := h.scheduledOf(r)
	if err != nil {
		return err
	}
	out, err := h.Rollouts.CancelScheduled(c.Request().Context(), rollout.CancelRequest{Envelope: r.by(), RolloutID: o.ID, Key: s.Key, Reason: r.FormValue("reason")})
	to := present.RolloutURL(o.ID)
	var page templ.Component
	if err != nil {
		var unread error
		if page, unread = h.unschedulePage(r, o, s, again(r, to, err), err); unread != nil {
			return unread
		}
	}
	return h.conclude(r, to, rollout.ScopeOf(o.ID), out, err, func(error) templ.Component { return page })
}
