package cost

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/decimal"
)

// By is what a margin is worked out for.
type By string

// What margins can be worked out for.
const (
	ByAction      By = "action"
	ByRuleVersion By = "rule_version"
	ByRollout     By = "rollout"
)

// Bys returns all of them, in the order in which a screen lists them.
func Bys() []By { return []By{ByAction, ByRuleVersion, ByRollout} }

// Margin is what one group of jobs brought in and cost in a period, in one currency.
type Margin struct {
	// Group is an action, a rule version or a rollout; empty for jobs outside a rollout. Cohort tells the jobs apart that a
	// rollout priced by its candidate and by its baseline; empty for what is no rollout.
	Group    string
	Cohort   string
	Currency string
	// Charged is the credits charged in the period, net of refunds, reclaims and what settlements gave back or took in the
	// ledger. What was settled outside is not in it.
	Charged credit.Sum
	// Revenue is Charged at what a credit was worth when each entry was made, and nil where the value of a credit is not
	// set in this currency for all of them; of a group without entries it is 0 where one is set before the period ends.
	Revenue *decimal.Decimal
	Cost    decimal.Decimal
	// Records counts the attributed records behind Cost.
	Records int64
	// Coverage is for how many of the group's jobs that were delivered in the period a cost is known in this currency.
	Coverage Coverage
	// Margin is Revenue − Cost. It is nil with Revenue, and where a cost is known for too few jobs: what is not known would
	// count as free.
	Margin *decimal.Decimal
}

// enoughKnown is for how much of the delivered jobs a cost has to be known for a margin, in basis points: as much as a
// rollout asks for unless it says otherwise.
const enoughKnown = 5_000

// Lacking reports whether a cost is known for too few of the delivered jobs to tell a margin, or of none at all.
func (m Margin) Lacking() bool {
	return m.Records == 0 || m.Coverage.Known*10_000 < m.Coverage.Delivered*enoughKnown
}

// Margins is a period as a whole.
type Margins struct {
	Rows []Margin
	// Overhead and Unattributed are costs of the period that belong to no group.
	Overhead, Unattributed []Total
	// Coverage is for how many delivered jobs of the period a cost is known.
	Coverage Coverage
}

// ofJobs are the entries of [?, ?) that are about a job j: charges, refunds, reclaims, and the adjustments that are the
// payments of settlements, which name their job in a row of their own.
const ofJobs = `(SELECT x.account_key, x.amount, x.created_at, COALESCE(x.job_key, p.job_key) AS job_key
				FROM entries x LEFT JOIN settlement_payments p ON x.type = 'adjustment' AND p.account_key = x.account_key AND p.entry_seq = x.seq
				WHERE x.created_at >= ? AND x.created_at < ?) e
			JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key`

// Margins works out the margin of each group in [from, to), one row a group and currency: the currencies that have
// costs in the period, and those in which a credit has a value. Everything is read at one moment. Its cost grows with
// the entries and records of the period.
func (s *Service) Margins(ctx context.Context, by By, from, to time.Time) (Margins, error) {
	const alone = `, '' AS cohort`
	column := map[By]string{ByAction: "COALESCE(j.action, '') AS grp" + alone, ByRuleVersion: "COALESCE(j.rule_version, '') AS grp" + alone,
		ByRollout: "COALESCE(j.rollout_id, '') AS grp, CASE WHEN j.rollout_id IS NULL THEN '' ELSE j.cohort END AS cohort"}[by]
	if column == "" {
		return Margins{}, fmt.Errorf("cost: margin by %q", by)
	}
	var m Margins
	err := db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		g := tx.WithContext(ctx)
		var charged []struct {
			Grp, Cohort string
			Entries     int64
			Credits     credit.Sum
		}
		err := g.Raw(`SELECT `+column+`, count(*) AS entries, COALESCE(-sum(e.amount), 0) AS credits
			FROM `+ofJobs+` GROUP BY 1, 2`, from, to).Scan(&charged).Error
		if err != nil {
			return fmt.Errorf("cost: margin: credits: %w", err)
		}
		var revenue []struct {
			Grp, Cohort, Currency string
			Entries               int64
			Amount                decimal.Decimal
		}
		err = g.Raw(`WITH v AS (SELECT currency, value, valid_from, lead(valid_from) OVER (PARTITION BY currency ORDER BY valid_from) AS until
				FROM (SELECT DISTINCT ON (currency, valid_from) currency, valid_from, value FROM credit_values ORDER BY currency, valid_from, key DESC) x)
			SELECT `+column+`, v.currency, count(*) AS entries, sum(-e.amount * v.value) AS amount
			FROM `+ofJobs+`
			JOIN v ON e.created_at >= v.valid_from AND (v.until IS NULL OR e.created_at < v.until) GROUP BY 1, 2, 3`, from, to).Scan(&revenue).Error
		if err != nil {
			return fmt.Errorf("cost: margin: revenue: %w", err)
		}
		var valued []string
		if err := g.Raw(`SELECT DISTINCT currency FROM credit_values WHERE valid_from < ?`, to).Scan(&valued).Error; err != nil {
			return fmt.Errorf("cost: margin: values: %w", err)
		}
		var costs []struct {
			State                 State
			Grp, Cohort, Currency string
			Count                 int64
			Amount                decimal.Decimal
		}
		err = g.Raw(`SELECT s.state, `+column+`, r.currency, count(*) AS count, sum(r.amount) AS amount
			FROM cost_states s JOIN cost_records r ON r.key = s.record_key
			LEFT JOIN jobs j ON j.account_key = s.account_key AND j.key = s.job_key
			WHERE s.occurred_at >= ? AND s.occurred_at < ? GROUP BY 1, 2, 3, 4`, from, to).Scan(&costs).Error
		if err != nil {
			return fmt.Errorf("cost: margin: costs: %w", err)
		}
		coverage, err := coverageByGroup(g, column, from, to)
		if err != nil {
			return err
		}

		rows := map[[3]string]*Margin{}
		row := func(group, cohort, currency string) *Margin {
			key := [3]string{group, cohort, currency}
			if rows[key] == nil {
				rows[key] = &Margin{Group: group, Cohort: cohort, Currency: currency}
			}
			return rows[key]
		}
		currencies := map[string]bool{}
		for _, c := range costs {
			switch c.State {
			case Attributed:
				x := row(c.Grp, c.Cohort, c.Currency)
				x.Cost, x.Records = x.Cost.Plus(c.Amount), x.Records+c.Count
				currencies[c.Currency] = true
			case Overhead:
				m.Overhead = addTotal(m.Overhead, c.Currency, c.Count, c.Amount)
			case Unattributed:
				m.Unattributed = addTotal(m.Unattributed, c.Currency, c.Count, c.Amount)
			}
		}
		entries := map[[2]string]int64{}
		for _, r := range revenue {
			currencies[r.Currency] = true
		}
		for _, c := range charged {
			entries[[2]string{c.Grp, c.Cohort}] = c.Entries
			for currency := range currencies {
				row(c.Grp, c.Cohort, currency).Charged = c.Credits
			}
			if len(currencies) == 0 {
				row(c.Grp, c.Cohort, "").Charged = c.Credits
			}
		}
		for _, r := range revenue {
			if x := row(r.Grp, r.Cohort, r.Currency); r.Entries == entries[[2]string{r.Grp, r.Cohort}] {
				amount := r.Amount
				x.Revenue = &amount
			}
		}
		for _, x := range rows {
			// Bills come later than charges: what cost something and was not charged in the period brought in nothing.
			if entries[[2]string{x.Group, x.Cohort}] == 0 && slices.Contains(valued, x.Currency) {
				x.Revenue = &decimal.Decimal{}
			}
			x.Coverage = coverage.of(*x)
			if x.Revenue != nil && !x.Lacking() {
				margin := x.Revenue.Minus(x.Cost)
				x.Margin = &margin
			}
			m.Rows = append(m.Rows, *x)
		}
		sort.Slice(m.Rows, func(a, b int) bool {
			x, y := m.Rows[a], m.Rows[b]
			return cmp.Or(cmp.Compare(x.Group, y.Group), cmp.Compare(x.Cohort, y.Cohort), cmp.Compare(x.Currency, y.Currency)) < 0
		})
		m.Coverage, err = CoverageOf(ctx, tx, Jobs{}, from, to)
		return err
	})
	return m, err
}

func addTotal(totals []Total, currency string, count int64, amount decimal.Decimal) []Total {
	for i := range totals {
		if totals[i].Currency == currency {
			totals[i].Count, totals[i].Amount = totals[i].Count+count, totals[i].Amount.Plus(amount)
			return totals
		}
	}
	return append(totals, Total{Currency: currency, Count: count, Amount: amount})
}
