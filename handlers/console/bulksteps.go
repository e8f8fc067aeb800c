package console

import (
	"context"
	"encoding/csv"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/models/bulk"
	"recoup/models/export"
	"recoup/models/fault"
	"recoup/models/operation"
	views "recoup/views/bulkworks"
	"recoup/views/ui"
)

// workStepForm is the form of pause, resume or abort, by the last part of its address.
func (h *Console) workStepForm(c echo.Context) error {
	r := h.of(c)
	w, err := h.findWork(r)
	if err != nil {
		return err
	}
	if !mayWork(r, w.Kind) {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "You may not do this to dead letters. Nothing was done.")
	}
	if w.State.Over() || w.State == bulk.Prepared {
		return c.Redirect(http.StatusSeeOther, workURL(w.ID))
	}
	page, err := h.workStepPage(r, w, act(r, workURL(w.ID)), nil)
	if err != nil {
		return err
	}
	return formPage(c, page)
}

// stepOf is which step an address means.
func stepOf(r request) string { return path.Base(r.Request().URL.Path) }

func (h *Console) workStepPage(r request, w bulk.Work, a ui.Act, err error) (templ.Component, error) {
	pr, unread := h.presenter(r)
	if unread != nil {
		return nil, unread
	}
	at, unread := h.BulkWorks.Progress(r.Request().Context(), w)
	if unread != nil {
		return nil, unread
	}
	step := stepOf(r)
	said := step
	if step == "resume" && w.Kind != bulk.Requeue {
		said = "resume_plain"
	}
	m := views.Step{Act: a, Title: r.L.T("worksteptitle."+step, pr.BulkTitle(w)), URL: workURL(w.ID), Version: strconv.Itoa(w.Version), Say: r.L.T("workstepsay." + said),
		Danger: step == "abort", Submit: r.L.T("workstep." + step),
		Changes: []ui.Change{{Label: r.L.T("works.done"), After: r.L.Credits(at.Done)}, {Label: r.L.T("works.pending"), After: r.L.Credits(at.Pending)}}}
	if v := r.FormValue("version"); v != "" {
		m.Version = v
	}
	if step != "pause" {
		reason := field(r, "reason", err)
		m.Reason = &reason
	}
	if step == "resume" && (w.Kind == bulk.Requeue || w.Kind == bulk.Discard) {
		m.Pace = paceFields(r, w.Kind, bulk.Pace{Probe: int64(w.Probe), PerMinute: int64(w.PerMinute), StopPercent: int64(w.StopPercent)}, err)
	}
	return views.StepPage(h.frame(r), m), nil
}

func (h *Console) workStep(c echo.Context) error {
	r := h.of(c)
	w, err := h.findWork(r)
	if err != nil {
		return err
	}
	if !mayWork(r, w.Kind) {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "You may not do this to dead letters. Nothing was done.")
	}
	out, err := h.stepWork(r, w)
	return h.conclude(r, workURL(w.ID), bulk.Scope(), out, err, func(err error) templ.Component {
		page, unread := h.workStepPage(r, w, again(r, workURL(w.ID), err), err)
		if unread != nil {
			return templ.NopComponent
		}
		return page
	})
}

func (h *Console) stepWork(r request, w bulk.Work) (operation.Outcome, error) {
	ctx := r.Request().Context()
	s := bulk.StepRequest{Envelope: r.by(), ID: w.ID, Reason: r.FormValue("reason")}
	if seen, err := strconv.ParseInt(r.FormValue("version"), 10, 32); err == nil {
		s.Version = &seen
	}
	switch stepOf(r) {
	case "pause":
		return h.BulkWorks.Pause(ctx, s)
	case "abort":
		return h.BulkWorks.Abort(ctx, s)
	}
	var err error
	if s.Pace, err = pace(r, w.Kind); err != nil {
		return operation.Outcome{}, err
	}
	return h.BulkWorks.Resume(ctx, s)
}

// exportWork sends what came of each row as a file. An error after the first byte cuts the connection, so that half a
// file does not look whole.
func (h *Console) exportWork(c echo.Context) error {
	r := h.of(c)
	ctx, cancel := context.WithTimeout(c.Request().Context(), exportTime)
	defer cancel()
	w, err := h.findWork(r)
	if err != nil {
		return err
	}
	release, err := h.makeExport()
	if err != nil {
		return err
	}
	defer release()
	show := newQuery(r, "", "show")
	of := w.ID
	if filteredBeside(show) {
		of += "_filtered"
	}
	out := attach(r, of, "rows", export.CSV)
	file := csv.NewWriter(out)
	file.UseCRLF = true // RFC 4180
	if err = file.Write(workColumns(out.zone)); err == nil {
		err = h.BulkWorks.Each(ctx, w, workShow(show), func(i bulk.Item) error {
			out.row(file.Flush)
			return file.Write(workCells(i, out.zone))
		})
	}
	return out.end(err, func() error {
		file.Flush()
		return file.Error()
	})
}

func workColumns(zone *time.Location) []string {
	return []string{"no", "account", "job", "generation", "credits", "outcome", "code", "first_by", "first_at (" + zone.String() + ")", "acted_at (" + zone.String() + ")", "came_back", "job_state"}
}

func workCells(i bulk.Item, zone *time.Location) []string {
	at := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return t.In(zone).Format("2006-01-02T15:04:05.000000Z07:00")
	}
	outcome := string(i.Outcome)
	if i.Outcome == bulk.Pending {
		outcome = "pending"
	}
	return []string{strconv.FormatInt(i.No, 10), export.Inert(i.AccountID), export.Inert(i.JobID), strconv.Itoa(i.Generation), strconv.FormatInt(i.Cost, 10), outcome,
		export.Inert(i.Code), export.Inert(i.FirstBy), at(i.FirstAt), at(i.ActedAt), string(i.Back), i.State}
}
