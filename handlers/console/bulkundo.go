package console

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/models/bulk"
	"recoup/models/fault"
	"recoup/models/ids"
	views "recoup/views/bulkworks"
	"recoup/views/ui"
)

// workUndo offers to take back what a work assigned or snoozed, or leads to the work that does.
func (h *Console) workUndo(r request, w bulk.Work, m *views.Work) error {
	if w.Undoes != nil {
		m.Undoes = ui.Link{Text: *w.Undoes, URL: workURL(*w.Undoes)}
	}
	if !w.Undoable() {
		return nil
	}
	by, err := h.BulkWorks.UndoneBy(r.Request().Context(), w)
	if err != nil {
		return err
	}
	switch {
	case by != nil:
		m.UndoneBy = ui.Link{Text: by.ID, URL: workURL(by.ID)}
	case mayWork(r, w.Kind):
		m.Undo = &ui.Undo{Action: workURL(w.ID) + "/undo", OperationID: ids.New(), Undoes: w.ID, Next: workURL(w.ID), Text: r.L.T("undo.open")}
	}
	return nil
}

// undoWork takes back what a work assigned or snoozed, and leads to the work that does so.
func (h *Console) undoWork(c echo.Context) error {
	r := h.of(c)
	w, err := h.findWork(r)
	if err != nil {
		return err
	}
	if !mayWork(r, w.Kind) {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "You may not do this to dead letters. Nothing was done.")
	}
	out, err := h.BulkWorks.Undo(c.Request().Context(), r.by(), w.ID)
	if f := fault.As(err); f != nil && f.Code == fault.CodeStateConflict {
		return h.conflict(r, workURL(w.ID), f)
	}
	if err != nil {
		return err
	}
	var begun bulk.Begun
	if err := out.Decode(&begun); err != nil {
		return err
	}
	return r.Redirect(http.StatusSeeOther, withNotice(workURL(begun.ID), bulk.Scope(), r.FormValue("operation_id"), out.Replayed))
}
