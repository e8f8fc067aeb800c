package console

import (
	"net/url"

	"recoup/models/staff"
	views "recoup/views/overview"
)

// hostOf is the host of a receiver's address, which says whose it is and holds no token.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// needsOfRollouts adds what rollouts need of a person: those that are halted, settlements that are not done, and the costs
// that would halt one; and the receivers that hear nothing. Whoever
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
	if r.may(staff.WebhookManage) {
		down, err := h.Webhooks.Down(ctx)
		if err != nil {
			return err
		}
		if down.Count > 0 {
			m.Receivers = views.Tile{Count: r.L.Credits(down.Count), URL: "/webhooks", Note: views.Since(r.L, hostOf(down.URL), r.L.Ago(down.Since, r.Now))}
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
