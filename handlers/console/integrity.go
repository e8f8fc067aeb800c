package console

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/staff"
	"recoup/models/task"
	"recoup/models/verify"
	views "recoup/views/integrity"
	"recoup/views/layout"
	"recoup/views/ui"
)

// integrityPath is the page of the ledger's invariants.
const integrityPath = "/integrity"

func runURL(id int64) string { return integrityPath + "/runs/" + strconv.FormatInt(id, 10) }

// integrity shows what the last run of the verifier says of every invariant, a run that is on, and the history.
func (h *Console) integrity(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	q := newQuery(r, integrityPath)
	last, err := h.Verifier.Last(ctx)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	var missing map[string]bool
	var made map[verify.Check]verify.Run
	if last != nil {
		if made, err = h.Verifier.MadeBefore(ctx, *last); err != nil {
			return err
		}
		if missing, err = h.Verifier.NotInForce(ctx, *last); err != nil {
			return err
		}
	}
	m := pr.Integrity(last, missing, made, runURL)
	m.List, m.Zone = list(nil, q.path), r.L.ZoneLabel(r.Now)
	if err := h.asked(r, pr, last, &m); err != nil {
		return err
	}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[verify.RunPosition](r, q)
	rows, err := h.Verifier.Runs(ctx, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	for _, run := range rows.Rows {
		m.Rows = append(m.Rows, pr.VerifyRun(run, runURL(run.ID)))
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// asked fills in the run that was asked for last: how far it is, or why it did not come to an end.
func (h *Console) asked(r request, pr present.Presenter, last *verify.Run, m *views.Model) error {
	t, err := h.Integrity.Asked(r.Request().Context())
	if err != nil {
		return err
	}
	switch {
	case t != nil && !t.State.Over():
		if m.Live, err = h.live(r, pr, *t); err != nil {
			return err
		}
		return nil
	case t != nil && t.State == task.Failed && (last == nil || last.Started.Before(t.CreatedAt)):
		m.Failed = pr.Stamp(t.FinishedAt)
		m.FailedWhy = t.Message
	}
	m.RunURL = r.link(staff.IntegrityRun, integrityPath+"/run")
	return nil
}

func (h *Console) live(r request, pr present.Presenter, t task.Task) (*views.Live, error) {
	progress, total, err := h.Verifier.Watched(r.Request().Context(), t.ID)
	if err != nil {
		return nil, err
	}
	live := pr.LiveRun(t, progress, total)
	live.ProgressURL = integrityPath + "/progress?" + url.Values{"task": {t.ID}}.Encode()
	live.CancelURL = r.link(staff.IntegrityRun, integrityPath+"/tasks/"+seg(t.ID)+"/cancel")
	return live, nil
}

// progress answers the page that watches a run: how far it is, and when it is over, to load the page anew.
func (h *Console) progress(c echo.Context) error {
	r := h.of(c)
	t, err := h.Integrity.Asked(c.Request().Context())
	if err != nil {
		return err
	}
	if t == nil || t.State.Over() || t.ID != readable(r.QueryParam("task")) {
		c.Response().Header().Set("HX-Refresh", "true")
		if c.Request().Header.Get("HX-Request") == "" {
			return c.Redirect(http.StatusSeeOther, integrityPath)
		}
		return c.NoContent(http.StatusOK)
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	live, err := h.live(r, pr, *t)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.Progress(r.L, *live))
}

// integrityRun shows one recorded run with the problems that it kept.
func (h *Console) integrityRun(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	id, err := strconv.ParseInt(c.Param("run"), 10, 64)
	if err != nil {
		return fault.New(fault.NotFound, fault.CodeNotFound, "There is no such run of the verifier.")
	}
	run, err := h.Verifier.FindRun(ctx, id)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	q := newQuery(r, runURL(id), "check")
	check := verify.Check(q.get("check"))
	var chips []ui.Chip
	if check != "" {
		chips = append(chips, ui.Chip{Label: r.L.T("integrity.check"), Value: pr.CheckName(check), RemoveURL: q.without("check")})
	}
	missing, err := h.Verifier.NotInForce(ctx, run)
	if err != nil {
		return err
	}
	made, err := h.Verifier.MadeBefore(ctx, run)
	if err != nil {
		return err
	}
	m := pr.RunPage(run, missing, made, runURL)
	m.List, m.Zone, m.Checks = list(chips, q.path), r.L.ZoneLabel(r.Now), pr.CheckChoices(run, check, q.path)
	page := func(f layout.Frame) component { return views.RunPage(f, m) }
	part := func() component { return views.Evidence(r.L, m) }
	from, dir := position[verify.ProblemPosition](r, q)
	rows, err := h.Verifier.Problems(ctx, id, check, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	for _, p := range rows.Rows {
		m.Problems = append(m.Problems, pr.Problem(p.Problem))
	}
	return fragment(r, h, http.StatusOK, page, part)
}

func (h *Console) runForm(c echo.Context) error {
	r := h.of(c)
	return formPage(c, views.RunNowPage(h.frame(r), act(r, integrityPath)))
}

func (h *Console) runNow(c echo.Context) error {
	r := h.of(c)
	by := r.by()
	out, err := h.Integrity.Start(c.Request().Context(), verify.RunRequest{OperationID: by.OperationID, Actor: by.Actor, RequestID: by.RequestID})
	return h.conclude(r, integrityPath, verify.Scope(), out, err, func(err error) component {
		return views.RunNowPage(h.frame(r), again(r, integrityPath, err))
	})
}

// cancelRunForm asks about the run that is on; the page of the runs says how it is with any other.
func (h *Console) cancelRunForm(c echo.Context) error {
	r := h.of(c)
	id, err := param(c, "task")
	if err != nil {
		return err
	}
	t, err := h.Integrity.Asked(c.Request().Context())
	if err != nil {
		return err
	}
	if t == nil || t.State.Over() || t.ID != id {
		return c.Redirect(http.StatusSeeOther, integrityPath)
	}
	return formPage(c, views.CancelPage(h.frame(r), act(r, integrityPath)))
}

func (h *Console) cancelRun(c echo.Context) error {
	r := h.of(c)
	id, err := param(c, "task")
	if err != nil {
		return err
	}
	by := r.by()
	out, err := h.Integrity.Cancel(c.Request().Context(), verify.RunRequest{OperationID: by.OperationID, Actor: by.Actor, RequestID: by.RequestID, TaskID: id})
	return h.conclude(r, integrityPath, verify.Scope(), out, err, func(err error) component {
		return views.CancelPage(h.frame(r), again(r, integrityPath, err))
	})
}
