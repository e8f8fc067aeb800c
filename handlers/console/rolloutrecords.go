package console

import (
	"recoup/models/staff"
	views "recoup/views/rollouts"
)

// reachable leaves the names of cost records that checks found without a link for whoever may not see costs.
func (r request) reachable(checks []views.Check) {
	for _, c := range checks {
		for i := range c.Costs {
			c.Costs[i].URL = r.link(staff.CostView, c.Costs[i].URL)
		}
	}
}
