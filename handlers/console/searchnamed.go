package console

import (
	"context"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/staff"
	"recoup/views/search"
	"recoup/views/ui"
)

// named are the pages of what else has exactly this id: a rollout, an action or a rule version, a change request, a settlement.
// What the person may not see is not found.
func (h *Console) named(ctx context.Context, r request, q string) ([]search.Other, error) {
	var found []search.Other
	for _, x := range []struct {
		kind string
		may  staff.Permission
		find func() (url string, err error)
	}{
		{"rollout", staff.RolloutView, func() (string, error) {
			o, err := h.Rollouts.Find(ctx, q)
			return present.RolloutURL(o.ID), err
		}},
		{"action", staff.PricingView, func() (string, error) {
			a, err := h.Pricing.Action(ctx, q)
			return present.ActionURL(a.ID), err
		}},
		{"rule_version", staff.PricingView, func() (string, error) {
			v, err := h.Pricing.Version(ctx, q)
			return present.ActionURL(v.Action), err
		}},
		{"request", staff.ApprovalView, func() (string, error) {
			c, err := h.Requests.Find(ctx, q)
			return present.ApprovalURL(c.ID), err
		}},
		{"bulk_grant", staff.AccountGrant, func() (string, error) {
			f, err := h.BulkGrants.Find(ctx, q)
			return bulkURL(f.ID), err
		}},
		{"settlement", staff.SettlementView, func() (string, error) {
			s, err := h.Settlements.Find(ctx, q)
			return present.SettlementURL(s.ID), err
		}},
	} {
		if !r.may(x.may) {
			continue
		}
		switch url, err := x.find(); {
		case err == nil:
			found = append(found, search.Other{ID: ui.ID{Value: q, URL: url}, Kind: r.L.T("found." + x.kind)})
		case fault.As(err) == nil:
			return nil, err
		}
	}
	return found, nil
}
