package console

import (
	"recoup/models/staff"
	views "recoup/views/overview"
)

// needsOfRollouts adds what rollouts need of a person: those that are halted, settlements that are not done, and the costs
// that would halt one. Whoever
// may not see them has no tile.
func (h *Console) needsOfRollouts(r request, m *views.Model) error {
	ctx := r.Request().Context()
	if r.may(staff.RolloutView) {
		halted, err := h.Rollouts.CountHalted(ctx)
		if err != nil {
			return err
		}
		m.Halted = views.Tile{Count: r.L.Credits(halted), URL: "/rollouts"}
	}
	if r.may(staff.SettlementView) {
		n, err := h.Settlements.CountUnfinished(ctx)
		if err != nil {
			return err
		}
		m.Settlements = views.Tile{Count: r.L.Credits(n.Proposed + n.Outside + n.Paying), URL: settlementsPath}
		if n.Proposed+n.Outside > 0 {
			m.Settlements.Note = r.L.T("overview.settlements_note", r.L.Credits(n.Proposed), r.L.Credits(n.Outside))
		} else {
			m.Settlements.Calm = true
		}
	}
	if r.may(staff.CostView) {
		loose, err := h.Costs.CountUnattributed(ctx, railCount)
		if err != nil {
			return err
		}
		m.Unattributed = views.Tile{Count: counted(r, loose), URL: "/costs?state=unattributed"}
	}
	return nil
}
