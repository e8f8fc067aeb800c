package console

import (
	"context"

	"recoup/handlers/present"
	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/task"
)

// appliedBy is the task that applies what a change request proposed; nil where it is not approved, where the approval
// itself applied it, and where the task is not kept any more.
func (h *Console) appliedBy(ctx context.Context, cr approval.Request) (*task.Task, error) {
	if cr.State != approval.Approved || !present.AppliedLater(cr.Kind) {
		return nil, nil
	}
	stored, _, err := h.Ops.Find(ctx, cr.OperationScope(), cr.OperationID)
	if err != nil || stored.Result == nil {
		return nil, err
	}
	var begun struct {
		Task string `json:"task"`
	}
	if err := (operation.Outcome{Result: []byte(*stored.Result)}).Decode(&begun); err != nil || begun.Task == "" {
		return nil, err
	}
	t, err := h.Tasks.Find(ctx, begun.Task)
	if f := fault.As(err); f != nil && f.Kind == fault.NotFound {
		return nil, nil
	}
	return &t, err
}

// approvedLater says of an approval that it only started what applies it; "" for other operations.
func (h *Console) approvedLater(r request, stored operation.Stored) string {
	if stored.Kind != "approve" || stored.Result == nil {
		return ""
	}
	var d approval.Decided
	if err := (operation.Outcome{Result: []byte(*stored.Result)}).Decode(&d); err != nil {
		return ""
	}
	cr, err := h.Requests.Find(r.Request().Context(), d.ChangeRequest)
	if err != nil || !present.AppliedLater(cr.Kind) {
		return ""
	}
	return r.L.T("done.approve_later")
}
