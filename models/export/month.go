package export

import (
	"strconv"
	"time"

	"recoup/models/credit"
	"recoup/models/ledger"
	"recoup/models/month"
)

// Month is the figures of a month as the rows of a table, the header first. The first column says what a row
// is: opening, type, group, closing, net_of_jobs (charges less refunds plus reclaims), not_over (what of it
// was charged for jobs that are neither delivered nor refunded by now), net_delivered (the rest), open_refunds, day. Without not_over and net_delivered
// such jobs were too many to be added up. Rows of a group add up to those of
// their type, and so do rows of days; opening and all types make closing.
func Month(o month.Overview) [][]string {
	rows := [][]string{{"figure", "month", "zone", "day", "type", "rule_version", "rollout", "cohort", "category", "entries", "credits"}}
	add := func(figure, day, kind string, group [4]string, count string, amount credit.Sum) {
		rows = append(rows, []string{figure, o.Month.String(), o.Zone, day, kind, inert(group[0]), inert(group[1]), inert(group[2]), inert(group[3]), count, amount.String()})
	}
	none := [4]string{}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	add("opening", "", "", none, "", o.Opening)
	for _, t := range ledger.Types() {
		add("type", "", string(t), none, number(o.Types[t].Count), o.Types[t].Amount)
	}
	for _, g := range o.Groups {
		add("group", "", g.Type, [4]string{g.RuleVersion, g.RolloutID, g.Cohort, g.Category}, number(g.Count), g.Amount)
	}
	add("closing", "", "", none, "", o.Closing)
	add("net_of_jobs", "", "", none, "", o.NetOfJobs())
	if delivered := o.NetDelivered(); delivered != nil {
		add("not_over", "", "", none, number(o.Unsettled.Count), o.Unsettled.Amount)
		add("net_delivered", "", "", none, "", *delivered)
	}
	add("open_refunds", "", "", none, number(o.OpenRefunds.Count), o.OpenRefunds.Amount)
	for _, d := range o.Days {
		for _, t := range ledger.Types() {
			if s := d.Types[t]; s.Count > 0 {
				add("day", d.Start.In(o.Location).Format(time.DateOnly), string(t), none, number(s.Count), s.Amount)
			}
		}
	}
	return rows
}
