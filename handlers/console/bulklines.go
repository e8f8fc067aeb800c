package console

import (
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/reqctx"
	"recoup/models/approval"
	"recoup/models/bulkgrant"
	"recoup/models/export"
	"recoup/models/staff"
	views "recoup/views/bulkgrants"
	"recoup/views/ui"
)

// bulkLines is the page of a file's lines that the address asks for: from the line with the number in "line" on. path is
// the page that they stand on.
func (h *Console) bulkLines(ctx context.Context, r request, f bulkgrant.File, path string) (*views.Lines, error) {
	first := 0
	if n, err := strconv.Atoi(r.QueryParam("line")); err == nil {
		first, _ = slices.BinarySearchFunc(f.Lines, n, func(l bulkgrant.Line, n int) int { return l.Number - n })
		first = min(first, max(len(f.Lines)-1, 0))
	}
	last := min(first+pageSize, len(f.Lines))
	shown := f.Lines[first:last]
	entries, err := h.BulkGrants.Entries(ctx, shown)
	if err != nil {
		return nil, err
	}
	var check bulkgrant.Check
	ended := false // without being granted
	if f.AppliedAt == nil {
		now, err := h.bulkStanding(ctx, f)
		if err != nil {
			return nil, err
		}
		ended = now.task != nil && now.task.State.Over() || now.task == nil && now.state != "unconfirmed" && now.state != "waits"
		if check, err = h.BulkGrants.Check(ctx, f); err != nil {
			return nil, err
		}
	}
	at := func(i int) string { return path + "?line=" + strconv.Itoa(f.Lines[i].Number) + "#lines" }
	m := &views.Lines{Say: r.L.T("bulk.lines_say", r.L.Credits(int64(first+1)), r.L.Credits(int64(last)), r.L.Credits(int64(len(f.Lines)))),
		CSVURL: r.link(staff.AccountGrant, bulkURL(f.ID)+"/lines.csv")}
	if first > 0 {
		m.Pager.NewerURL = at(max(first-pageSize, 0))
	}
	if last < len(f.Lines) {
		m.Pager.OlderURL = at(last)
	}
	for i, l := range shown {
		row := views.LineRow{Number: r.L.Credits(int64(l.Number)), Account: present.Account(l.Account), Reference: l.Reference, External: l.External,
			Category: r.L.Maybe("category."+l.Category, l.Category), Reason: l.Reason, Amount: r.L.Signed(l.Amount)}
		standing := bulkgrant.StandingDone
		if len(check.States) > 0 {
			standing = check.States[first+i].Standing
		}
		// An entry under the same reference that is another grant is not this line's.
		if e, there := entries[l.Reference]; there && standing == bulkgrant.StandingDone {
			row.Entry = ui.Link{Text: r.L.T("bulk.line_entry", r.L.Credits(e.Seq)), URL: present.EntryURL(l.Account, e.Seq)}
			row.Before, row.After = r.L.Credits(e.BalanceAfter-e.Amount), r.L.Credits(e.BalanceAfter)
		} else if ended && standing == bulkgrant.StandingNew {
			row.Standing = r.L.T("bulkstanding.not_granted")
		} else if len(check.States) > 0 {
			row.Standing = r.L.T("bulkstanding." + standing)
			if standing == bulkgrant.StandingNew {
				row.Before, row.After = r.L.Credits(check.States[first+i].Before), r.L.Credits(check.States[first+i].After)
			}
		}
		m.Rows = append(m.Rows, row)
	}
	return m, nil
}

// proposedLines are the lines of the file that a change request proposes to grant, for its page.
func (h *Console) proposedLines(r request, cr approval.Request) (templ.Component, error) {
	what, err := bulkgrant.ReadProposed(cr)
	if err != nil {
		return nil, err
	}
	ctx := r.Request().Context()
	f, err := h.BulkGrants.Find(ctx, what.BulkGrant)
	if err != nil {
		return nil, err
	}
	lines, err := h.bulkLines(ctx, r, f, present.ApprovalURL(cr.ID))
	if err != nil {
		return nil, err
	}
	return views.LinesBlock(r.L, *lines), nil
}

// bulkCSV sends the lines of a file as they were read, under the columns of an upload.
func (h *Console) bulkCSV(c echo.Context) error {
	r := h.of(c)
	id, err := param(c, "bulk")
	if err != nil {
		return err
	}
	f, err := h.BulkGrants.Find(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if err := h.BulkGrants.RecordDownload(c.Request().Context(), f, r.Who.Actor(), reqctx.RequestID(c.Request().Context())); err != nil {
		return err
	}
	out := attach(r, f.ID, "lines", export.CSV)
	// It is the file as it was read: there are no times in it.
	out.name = export.Name(f.ID, "", fmt.Sprintf("%d-lines", len(f.Lines)), export.CSV)
	w := csv.NewWriter(out)
	w.UseCRLF = true // RFC 4180
	rows := [][]string{bulkgrant.Columns()}
	for _, l := range f.Lines {
		rows = append(rows, []string{export.Inert(l.Reference), export.Inert(l.Account), strconv.FormatInt(l.Amount, 10), l.Category, export.Inert(l.Reason), export.Inert(l.External)})
	}
	return out.end(w.WriteAll(rows), w.Error)
}
