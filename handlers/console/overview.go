package console

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/calendar"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/page"
	"recoup/models/staff"
	"recoup/models/verify"
	views "recoup/views/overview"
)

// lateOnOverview is how many late successes the overview shows.
const lateOnOverview = 6

func (h *Console) overview(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	pr := present.Presenter{L: r.L, Now: r.Now}
	waiting, err := h.Letters.Waiting(ctx)
	if err != nil {
		return err
	}
	negative, oldest, err := h.Ledger.Negative(ctx)
	if err != nil {
		return err
	}
	last, err := h.Verifier.Last(ctx)
	if err != nil {
		return err
	}
	var made map[verify.Check]verify.Run
	if last != nil {
		if made, err = h.Verifier.MadeBefore(ctx, *last); err != nil {
			return err
		}
	}
	processes, err := h.Processes.List(ctx)
	if err != nil {
		return err
	}
	open, err := h.Requests.CountOpen(ctx, r.waiting(), railCount)
	if err != nil {
		return err
	}
	unhealthy, err := h.Dependencies.Unhealthy(ctx, unhealthyShown+1)
	if err != nil {
		return err
	}
	held, err := h.Dependencies.Actions(ctx)
	if err != nil {
		return err
	}
	late, err := h.Jobs.List(ctx, job.Filter{}, job.ByLateSuccess, nil, page.Older, lateOnOverview)
	if err != nil {
		return err
	}
	m := views.Model{DeadLetters: pr.DeadTile(waiting, r.link(staff.DeadLetterView, "/dead-letters")),
		Negative:  pr.NegativeTile(negative, oldest, r.link(staff.AccountView, "/accounts?negative=1")),
		Approvals: pr.ApprovalTile(open, r.link(staff.ApprovalView, "/approvals")),
		Integrity: pr.IntegrityTile(last, made, r.link(staff.IntegrityView, integrityPath)), Services: pr.Services(processes),
		LateURL: r.link(staff.DeadLetterView, "/dead-letters?tab=late"), Zone: r.L.ZoneLabel(r.Now)}
	m.Dependencies = pr.DependencyTile(unhealthy, unhealthyShown, r.link(staff.QueueView, dependenciesPath+"?tab=unhealthy"))
	m.Held = pr.HeldTile(held, r.link(staff.QueueView, "/queue"))
	if err := h.needsOfRollouts(r, &m); err != nil {
		return err
	}
	for _, j := range late.Rows {
		m.Late = append(m.Late, pr.LateSuccess(j))
	}
	if err := h.compareDays(ctx, r, pr, &m); err != nil {
		return err
	}
	return render(c, http.StatusOK, views.Page(h.frame(r), m))
}

// compareDays sums today so far and the same weekday a week ago up to the same time of day, both in the
// person's zone.
func (h *Console) compareDays(ctx context.Context, r request, pr present.Presenter, m *views.Model) error {
	zone := r.L.Zone
	if zone == nil {
		zone = time.UTC
	}
	now := r.Now.In(zone)
	today := calendar.Day(now.Year(), now.Month(), now.Day(), zone)
	before := calendar.Day(now.Year(), now.Month(), now.Day()-7, zone)
	until := now.AddDate(0, 0, -7)
	types := []ledger.Type{ledger.Charge, ledger.Refund, ledger.Reclaim}
	current, err := h.Ledger.Totals(ctx, ledger.Filter{Types: types, From: &today, To: &now})
	if err != nil {
		return err
	}
	past, err := h.Ledger.Totals(ctx, ledger.Filter{Types: types, From: &before, To: &until})
	if err != nil {
		return err
	}
	m.Today, m.LastWeek, m.Until = r.L.ShortDay(today), r.L.ShortDay(before), now.Format("15:04")+" "+r.L.ZoneAt(r.Now)
	m.Compare = pr.Compare(types, current, past)
	return nil
}
