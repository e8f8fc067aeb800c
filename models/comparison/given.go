package comparison

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/horizon"
	"recoup/models/pricing"
)

const (
	// givenStep is how much time one transaction takes up, givenFor how long one call goes on at most.
	givenStep = time.Hour
	givenFor  = 20 * time.Second
)

// Given is what a rollout's candidate has given away, exactly, up to a moment.
type Given struct {
	// Through is that moment: what was charged or delivered later is not in the sums.
	Through time.Time
	// Charges counts the charges under the candidate, Charged is what they cost, Baseline what they would have cost.
	Charges           int64
	Charged, Baseline credit.Sum
	// Deliveries are those of them whose jobs are delivered.
	Deliveries                   int64
	Delivered, DeliveredBaseline credit.Sum
}

// All is what all charges gave away; below zero where the candidate costs more.
func (g Given) All() credit.Sum { return g.Baseline.Minus(g.Charged) }

// ForDelivered is what the charges of delivered jobs gave away.
func (g Given) ForDelivered() credit.Sum { return g.DeliveredBaseline.Minus(g.Delivered) }

// Given returns what a rollout has given away, as Advance left it; nil when it has not begun to count.
func (s *Service) Given(ctx context.Context, id string) (*Given, error) {
	var rows []Given
	err := s.g.WithContext(ctx).Raw(`SELECT through, charges, charged, charged_baseline AS baseline, deliveries, delivered, delivered_baseline
		FROM rollout_given WHERE rollout_id = ?`, id).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("comparison: given: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// counted is what Advance knows of a rollout.
type counted struct {
	ID, Baseline, Candidate string
	StartedAt               time.Time
}

// Advance takes up the charges and deliveries of a rollout's candidate that are below the horizon and not counted yet,
// an hour of them a transaction, for about twenty seconds at most. Its cost grows with the candidate's charges and with
// all deliveries of that time. It does nothing for a rollout that has not started.
func (s *Service) Advance(ctx context.Context, id string) error {
	var found []counted
	err := s.g.WithContext(ctx).Raw(`SELECT id, baseline, candidate, started_at FROM rollouts WHERE id = ? AND started_at IS NOT NULL`, id).Scan(&found).Error
	if err != nil {
		return fmt.Errorf("comparison: given: %w", err)
	}
	if len(found) == 0 {
		return nil
	}
	final, err := horizon.Advance(ctx, s.g)
	if err != nil {
		return err
	}
	base, err := pricing.ReadRule(ctx, s.g, found[0].Baseline)
	if err != nil {
		return err
	}
	for until := time.Now().Add(givenFor); ; {
		more, err := s.giveStep(ctx, found[0], base, final)
		if err != nil {
			return fmt.Errorf("comparison: given: %w", err)
		}
		if !more || time.Now().After(until) {
			return nil
		}
	}
}

// tally is a number of charges of so many units.
type tally struct {
	Units   int64
	Count   int64
	Charged credit.Sum
}

func (s *Service) giveStep(ctx context.Context, r counted, base pricing.Rule, final time.Time) (more bool, err error) {
	err = db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		tx = tx.WithContext(ctx)
		// What is charged begins with the start; a microsecond before it nothing is.
		err := tx.Exec(`INSERT INTO rollout_given (rollout_id, through) VALUES (?, ?) ON CONFLICT DO NOTHING`, r.ID, r.StartedAt.Add(-time.Microsecond)).Error
		if err != nil {
			return err
		}
		var through time.Time
		if err := db.Row(ctx, tx, `SELECT through FROM rollout_given WHERE rollout_id = $1 FOR UPDATE`, r.ID).Scan(&through); err != nil {
			return err
		}
		upto := final
		if upto.Sub(through) > givenStep {
			upto = through.Add(givenStep)
		}
		if more = upto.Before(final); !upto.After(through) {
			return nil
		}
		args := map[string]any{"ro": r.ID, "rule": r.Candidate, "from": through, "to": upto}
		var charged, delivered []tally
		err = tx.Raw(`SELECT j.units, count(*) AS count, sum(-e.amount) AS charged
			FROM (SELECT account_key, job_key, amount FROM entries WHERE rule_version = @rule AND created_at > @from AND created_at <= @to
				AND type = 'charge' AND rollout_id = @ro OFFSET 0) e
			CROSS JOIN LATERAL (SELECT units FROM jobs WHERE account_key = e.account_key AND key = e.job_key OFFSET 0) j GROUP BY 1`, args).Scan(&charged).Error
		if err != nil {
			return err
		}
		err = tx.Raw(`SELECT units, count(*) AS count, sum(cost) AS charged FROM jobs
			WHERE delivered_at > @from AND delivered_at <= @to AND rollout_id = @ro AND rule_version = @rule GROUP BY 1`, args).Scan(&delivered).Error
		if err != nil {
			return err
		}
		all, done := add(charged, base), add(delivered, base)
		return tx.Exec(`UPDATE rollout_given SET through = ?, charges = charges + ?, charged = charged + ?::numeric, charged_baseline = charged_baseline + ?::numeric,
				deliveries = deliveries + ?, delivered = delivered + ?::numeric, delivered_baseline = delivered_baseline + ?::numeric WHERE rollout_id = ?`,
			upto, all.count, all.charged, all.baseline, done.count, done.charged, done.baseline, r.ID).Error
	})
	return more, err
}

// sums are charges with what they would have cost under the baseline.
type sums struct {
	count             int64
	charged, baseline credit.Sum
}

func add(tallies []tally, base pricing.Rule) (out sums) {
	for _, t := range tallies {
		out.count += t.Count
		out.charged = out.charged.Plus(t.Charged)
		out.baseline = out.baseline.Plus(base.WouldCost(t.Units).Times(t.Count))
	}
	return out
}
