package cost

import (
	"fmt"
	"time"

	"gorm.io/gorm"
)

// covered is the coverage of the groups of a margin: delivered by group and cohort, known by currency, too.
type covered struct {
	delivered map[[2]string]int64
	known     map[[3]string]int64
}

// of is the coverage of one row.
func (c covered) of(m Margin) Coverage {
	return Coverage{Delivered: c.delivered[[2]string{m.Group, m.Cohort}], Known: c.known[[3]string{m.Group, m.Cohort, m.Currency}]}
}

// coverageByGroup counts the jobs j that were delivered in [from, to) by the columns grp and cohort that group selects, and
// those of them with a cost, whenever it arose, by its currency.
func coverageByGroup(g *gorm.DB, group string, from, to time.Time) (covered, error) {
	c := covered{delivered: map[[2]string]int64{}, known: map[[3]string]int64{}}
	var rows []struct {
		Grp, Cohort string
		Currency    *string
		Jobs        int64
	}
	err := g.Raw(`WITH d AS MATERIALIZED (SELECT `+group+`, j.account_key, j.key FROM jobs j WHERE j.delivered_at >= ? AND j.delivered_at < ?)
		SELECT grp, cohort, NULL::text AS currency, count(*) AS jobs FROM d GROUP BY 1, 2
		UNION ALL SELECT d.grp, d.cohort, r.currency, count(DISTINCT (d.account_key, d.key)) FROM d
			JOIN cost_states s ON s.account_key = d.account_key AND s.job_key = d.key JOIN cost_records r ON r.key = s.record_key GROUP BY 1, 2, 3`,
		from, to).Scan(&rows).Error
	if err != nil {
		return c, fmt.Errorf("cost: margin: coverage: %w", err)
	}
	for _, r := range rows {
		if r.Currency == nil {
			c.delivered[[2]string{r.Grp, r.Cohort}] = r.Jobs
		} else {
			c.known[[3]string{r.Grp, r.Cohort, *r.Currency}] = r.Jobs
		}
	}
	return c, nil
}
