package console

import (
	"context"
	"slices"

	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/models/bulkgrant"
	"recoup/models/ledger"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/models/staff"
)

// approvalKinds are all kinds of change requests, in the order of the filter.
func approvalKinds() []approval.Kind {
	return slices.Concat([]approval.Kind{
		ledger.KindGrant,
		ledger.KindAdjustment,
		bulkgrant.Kind,
		settlement.Kind,
		bulk.KindStart,
	}, rollout.Kinds())
}

// decidedBy is the right that it takes to decide on what a kind proposes.
func decidedBy(kind approval.Kind) staff.Permission {
	if slices.Contains(rollout.Kinds(), kind) {
		return staff.RolloutApprove
	}
	return staff.ApprovalDecide
}

// mayDecide refuses whoever has not the right to decide on a kind. To take one's own request back needs none but that
// of its route.
func (r request) mayDecide(verb string, kind approval.Kind) error {
	if verb == "withdraw" || r.may(decidedBy(kind)) {
		return nil
	}
	return staff.Forbidden(decidedBy(kind))
}

// decidable selects the open change requests that the person may decide; ok is false where there is no kind of them.
func (r request) decidable() (f approval.Filter, ok bool) {
	money, steps := r.may(staff.ApprovalDecide), r.may(staff.RolloutApprove)
	f.NotRequestedBy = r.Who.Actor().String()
	switch {
	case money && !steps:
		f.NotKinds = rollout.Kinds()
	case steps && !money:
		f.Kinds = rollout.Kinds()
	}
	return f, money || steps
}

// waiting selects what the rail counts: what waits for the person, or for whoever cannot decide all that waits.
func (r request) waiting() approval.Filter {
	if f, ok := r.decidable(); ok {
		return f
	}
	return approval.Filter{}
}

// checkProposed makes the checks of the rollout that a change request is about and keeps what they find.
func (h *Console) checkProposed(ctx context.Context, cr approval.Request) error {
	p, err := rollout.ReadProposed(cr)
	if err != nil {
		return err
	}
	_, err = h.Rollouts.Check(ctx, p.RolloutID)
	return err
}
