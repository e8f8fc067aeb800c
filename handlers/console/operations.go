package console

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
	views "recoup/views/operations"
)

func (h *Console) operation(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	scope, id := readable(c.QueryParam("scope")), readable(c.QueryParam("id"))
	if scope == "" || id == "" {
		return fault.InvalidFields(fault.Field{Name: "scope", Message: "is required"}, fault.Field{Name: "id", Message: "is required"})
	}
	stored, attempts, err := h.Ops.Find(ctx, operation.ParseScope(scope), id)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	d := present.OperationPage{Stored: stored, Attempts: attempts}
	if d.Approval, err = h.Requests.OfOperation(ctx, operation.ParseScope(scope), id); err != nil {
		return err
	}
	if stored.Result != nil {
		var b bytes.Buffer
		// Indent copies numbers digit by digit.
		if err := json.Indent(&b, []byte(*stored.Result), "", "  "); err != nil {
			return err
		}
		d.Result = b.String()
	}
	if stored.AccountID != "" {
		entries, err := h.Ledger.List(ctx, ledger.Filter{AccountID: stored.AccountID, OperationID: id}, nil, page.Older, pageSize)
		if err != nil {
			return err
		}
		d.Entries = entries.Rows
		if d.Approval == nil && len(d.Entries) == 1 {
			if d.Approval, err = h.approvalOfPayment(ctx, d.Entries[0]); err != nil {
				return err
			}
		}
		if d.Approval == nil && len(d.Entries) == 1 && d.Entries[0].Type == ledger.Grant {
			if d.File, d.Approval, err = h.fileOfGrant(ctx, stored.AccountID, d.Entries[0]); err != nil {
				return err
			}
		}
	}
	if stored.Kind == "charge" && stored.JobID != nil {
		j, err := h.Jobs.Find(ctx, stored.AccountID, *stored.JobID)
		if err != nil {
			return err
		}
		d.Charged = &j
		if d.Decision, err = h.Pricing.Recorded(ctx, j.AccountKey, id); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, views.Page(h.frame(r), pr.OperationView(d)))
}
