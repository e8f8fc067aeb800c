package console

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/ledger"
	"recoup/models/rollout"
	"recoup/models/staff"
	accounts "recoup/views/accounts"
	"recoup/views/layout"
	views "recoup/views/rollouts"
)

// enrolmentRoutes declares the URL of the accounts that a rollout admitted.
func (h *Console) enrolmentRoutes() []route.Route {
	return []route.Route{{Method: http.MethodGet, Path: "/rollouts/:rollout/accounts", Name: "console.rollout.accounts",
		Access: route.SignedIn(staff.RolloutView), Handler: h.enrolments}}
}

// enrolments lists the accounts that a rollout admitted.
func (h *Console) enrolments(c echo.Context) error {
	r := h.of(c)
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	q := newQuery(r, present.EnrolmentsURL(o.ID))
	m := views.Enrolments{ID: o.ID, URL: present.RolloutURL(o.ID), Zone: r.L.ZoneLabel(r.Now), List: list(nil, q.path)}
	page := func(f layout.Frame) component { return views.EnrolmentsPage(f, m) }
	part := func() component { return views.EnrolmentsList(r.L, m) }
	from, dir := position[rollout.EnrolmentPosition](r, q)
	rows, err := h.Rollouts.Enrolments(c.Request().Context(), o.ID, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, e := range rows.Rows {
		row := pr.Enrolment(e, o.Stages)
		if !r.may(staff.AccountView) {
			row.Account.URL = ""
		}
		m.Rows = append(m.Rows, row)
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// statementRollouts fills in the rollouts that admitted an account.
func (h *Console) statementRollouts(ctx context.Context, r request, pr present.Presenter, a ledger.Account, m *accounts.Statement) error {
	if !r.may(staff.RolloutView) {
		return nil
	}
	rows, err := h.Rollouts.OfAccount(ctx, a.Key)
	if err != nil {
		return err
	}
	for _, e := range rows {
		m.Rollouts = append(m.Rollouts, pr.AccountRollout(e))
	}
	return nil
}
