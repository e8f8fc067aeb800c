package console

import (
	"recoup/models/staff"
	views "recoup/views/overview"
)

// needsOfRollouts adds what rollouts need of a person: those that are halted, and the costs that would halt one. Whoever
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
	if r.may(staff.CostView) {
		loose, err := h.Costs.CountUnattributed(ctx, railCount)
		if err != nil {
			return err
		}
		m.Unattributed = views.Tile{Count: counted(r, loose), URL: "/costs?state=unattributed"}
	}
	return nil
}
