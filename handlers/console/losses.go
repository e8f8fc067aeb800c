package console

import (
	"recoup/handlers/present"
	"recoup/models/pricing"
	"recoup/models/staff"
)

// loss says that a price falls below what is known of the costs of its action; empty where it does not, or where the person
// may not see costs.
func (h *Console) loss(r request, rule pricing.Rule) (string, error) {
	if !r.may(staff.CostView) {
		return "", nil
	}
	losses, err := h.Costs.Losses(r.Request().Context(), rule)
	if err != nil {
		return "", err
	}
	return present.Presenter{L: r.L, Now: r.Now}.Loss(losses), nil
}

// losses are those of the price in force and of the newest rule version, which is the next to be put in force or tried; each
// names its version.
func (h *Console) losses(r request, versions []pricing.Version) ([]string, error) {
	var out []string
	for i, v := range versions {
		if v.RetiredAt != nil || i > 0 && !v.InForce {
			continue
		}
		say, err := h.loss(r, v.Rule)
		if err != nil {
			return nil, err
		}
		if say != "" {
			out = append(out, v.ID+": "+say)
		}
	}
	return out, nil
}

// lossOf is loss for a rule version of which only the id is at hand.
func (h *Console) lossOf(r request, id string) (string, error) {
	if !r.may(staff.CostView) {
		return "", nil
	}
	v, err := h.Pricing.Version(r.Request().Context(), id)
	if err != nil {
		return "", err
	}
	return h.loss(r, v.Rule)
}
