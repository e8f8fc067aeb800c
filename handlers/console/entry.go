package console

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/approval"
	"recoup/models/bulkgrant"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/settlement"
	views "recoup/views/entry"
)

// entry shows one entry with everything that caused it.
func (h *Console) entry(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	id, err := param(c, "account")
	if err != nil {
		return err
	}
	a, err := h.Ledger.Account(ctx, id)
	if err != nil {
		return err
	}
	missing := fault.New(fault.NotFound, fault.CodeNotFound, "There is no such entry in account %q.", a.ID)
	seq, err := strconv.ParseInt(c.Param("seq"), 10, 64)
	if err != nil || seq < 1 || seq > a.LastSeq {
		return missing
	}
	// The entry and the one before it.
	list, err := h.Ledger.List(ctx, ledger.Filter{AccountID: a.ID}, &ledger.Position{Seq: seq + 1}, page.Older, 2)
	if err != nil {
		return err
	}
	if len(list.Rows) == 0 || list.Rows[0].Seq != seq {
		return missing
	}
	d := present.EntryPage{Account: a, Entry: list.Rows[0]}
	if len(list.Rows) > 1 {
		d.Previous = &list.Rows[1]
	}
	if d.Differs, err = h.Verifier.EntryDiffers(ctx, a.ID, seq); err != nil {
		return err
	}
	if d.Entry.Type == ledger.Grant || d.Entry.Type == ledger.Adjustment {
		if d.Approval, err = h.Requests.OfOperation(ctx, operation.Account(a.ID), d.Entry.OperationID); err != nil {
			return err
		}
	}
	if d.Approval == nil {
		if d.Approval, err = h.approvalOfPayment(ctx, d.Entry); err != nil {
			return err
		}
	}
	if d.Entry.Type == ledger.Grant && d.Approval == nil {
		if d.File, d.Approval, err = h.fileOfGrant(ctx, a.ID, d.Entry); err != nil {
			return err
		}
	}
	if d.Entry.JobID != nil {
		j, err := h.Jobs.Find(ctx, a.ID, *d.Entry.JobID)
		if err != nil {
			return err
		}
		of, err := h.jobPage(ctx, j, a)
		if err != nil {
			return err
		}
		d.Job = &of
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m, err := pr.EntryView(d)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.Page(h.frame(r), m))
}

// approvalOfPayment is the change request by which a second person approved the settlement that an entry is a payment of; nil for others.
func (h *Console) approvalOfPayment(ctx context.Context, e ledger.Entry) (*approval.Request, error) {
	if e.Type != ledger.Adjustment || e.RolloutID == nil || e.Reference == nil {
		return nil, nil
	}
	st, err := h.Settlements.Find(ctx, *e.Reference)
	if fault.As(err) != nil {
		return nil, nil // the reference names a document of its own
	}
	if err != nil {
		return nil, err
	}
	return h.Requests.OfOperation(ctx, settlement.Scope(), st.OperationID)
}

// fileOfGrant is the file whose line a grant was, with the change request by which a second person approved it; both nil for others.
func (h *Console) fileOfGrant(ctx context.Context, account string, e ledger.Entry) (*bulkgrant.File, *approval.Request, error) {
	f, err := h.BulkGrants.GrantedBy(ctx, account, e.OperationID, e.CreatedAt)
	if err != nil || f == nil || f.OperationID == nil {
		return f, nil, err
	}
	cr, err := h.Requests.OfOperation(ctx, bulkgrant.Scope(), *f.OperationID)
	return f, cr, err
}
