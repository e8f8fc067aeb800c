package cost

import (
	"context"
	"fmt"

	"recoup/models/credit"
	"recoup/models/decimal"
	"recoup/models/pricing"
)

// Losses looks at the newest deliveries of all actions, and among them at so many jobs of one action: enough to tell, and
// quick enough to be asked while somebody types a price.
const (
	lossDays = 28
	lossJobs = 2_000
	// LossDeliveries is at how many of the newest deliveries Losses looks.
	LossDeliveries = 50_000
)

// Loss is a currency in which delivered jobs of an action cost more than a price would bring in for them.
type Loss struct {
	Currency string
	// Jobs counts the jobs: delivered of late, with an attributed cost in this currency.
	Jobs int64
	// Credits is what the price comes to for all of them, Revenue the same at what a credit is worth now, Cost what was billed.
	Credits credit.Sum
	Revenue decimal.Decimal
	Cost    decimal.Decimal
	// Part is true where there were more deliveries than are looked at, so that older jobs of these days were not.
	Part bool
}

// Losses holds a rule version, made or only thought of, against what the action's jobs cost that were delivered within 28
// days: of the newest 50,000 deliveries the newest 2,000 of this action. It returns the currencies in which the price falls
// below that cost, by name; none where no cost is known or no value of a credit is set. Costs of different currencies
// are never added up, and what is not billed yet is not guessed, so a price that is not named here may be too low all the same.
func (s *Service) Losses(ctx context.Context, r pricing.Rule) ([]Loss, error) {
	var rows []struct {
		Currency string
		Value    decimal.Decimal
		Units    int64
		Jobs     int64
		Amount   decimal.Decimal
		Part     bool
	}
	err := s.g.WithContext(ctx).Raw(`WITH v AS (
			SELECT DISTINCT ON (currency) currency, value FROM credit_values WHERE valid_from <= statement_timestamp() ORDER BY currency, valid_from DESC, key DESC),
		x AS MATERIALIZED (
			SELECT account_key, key, units, action, delivered_at FROM jobs WHERE delivered_at > statement_timestamp() - make_interval(days => ?)
			ORDER BY delivered_at DESC LIMIT ?),
		j AS MATERIALIZED (SELECT account_key, key, units FROM x WHERE action = ? ORDER BY delivered_at DESC LIMIT ?),
		c AS (
			SELECT j.account_key, j.key, j.units, r.currency, sum(r.amount) AS amount
			FROM j JOIN cost_states s ON s.account_key = j.account_key AND s.job_key = j.key AND s.state = 'attributed'
			JOIN cost_records r ON r.key = s.record_key GROUP BY 1, 2, 3, 4)
		SELECT c.currency, v.value, c.units, count(*) AS jobs, sum(c.amount) AS amount,
			(SELECT count(*) FROM x) >= ? OR (SELECT count(*) FROM j) >= ? AS part FROM c JOIN v ON v.currency = c.currency
		GROUP BY 1, 2, 3 ORDER BY 1`, lossDays, s.lossDeliveries, r.Action, lossJobs, s.lossDeliveries, lossJobs).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("cost: losses: %w", err)
	}
	var losses []Loss
	var x Loss // of the currency whose rows come now
	for i, row := range rows {
		price, err := r.Cost(row.Units)
		if err != nil {
			return nil, nil //nolint:nilerr // a price that no number of credits holds is not too low
		}
		if x.Currency != row.Currency {
			x = Loss{Currency: row.Currency, Part: row.Part}
		}
		x.Jobs, x.Credits, x.Cost = x.Jobs+row.Jobs, x.Credits.Plus(credit.SumOf(price).Times(row.Jobs)), x.Cost.Plus(row.Amount)
		if i+1 < len(rows) && rows[i+1].Currency == row.Currency {
			continue
		}
		credits, err := decimal.Parse(x.Credits.String())
		if err != nil {
			return nil, fmt.Errorf("cost: losses: %w", err)
		}
		if x.Revenue = credits.Times(row.Value); x.Revenue.Minus(x.Cost).Sign() < 0 {
			losses = append(losses, x)
		}
	}
	return losses, nil
}
