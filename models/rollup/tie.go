package rollup

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
)

// Tie holds the sums that are kept of all entries, with those entries that they do not have yet, against all balances,
// each added up for itself in one snapshot. The heads of the accounts keep the balances, so the two sums have no figure
// in common. It reads no old entry: that a kept sum is the sum of its entries is for verify to say, and for whoever
// closes a month.
type Tie struct {
	At       time.Time
	Entries  credit.Sum
	Balances credit.Sum
}

// Holds reports whether both sums are the same.
func (t Tie) Holds() bool { return t.Entries.Minus(t.Balances).Sign() == 0 }

// Tie adds up all entries and all balances now and records what came out.
func (s *Store) Tie(ctx context.Context) (Tie, error) {
	var t Tie
	err := db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		if err := db.Row(ctx, tx, `SELECT clock_timestamp(), sum(balance) FROM accounts`).Scan(&t.At, &t.Balances); err != nil {
			return err
		}
		totals, err := Totals(ctx, tx, Filter{})
		for _, x := range totals {
			t.Entries = t.Entries.Plus(x.Amount)
		}
		return err
	})
	if err != nil {
		return t, fmt.Errorf("rollup: tie: %w", err)
	}
	t.At = t.At.UTC()
	err = s.g.WithContext(ctx).Exec(`UPDATE rollup_state SET tied_at = ?, tied_entries = ?::numeric, tied_balances = ?::numeric`,
		t.At, t.Entries.String(), t.Balances.String()).Error
	if err != nil {
		return t, fmt.Errorf("rollup: record tie: %w", err)
	}
	return t, nil
}

// LastTie is what the last Tie found, nil when there was none since the rollup began.
func (s *Store) LastTie(ctx context.Context) (*Tie, error) {
	var at *time.Time
	var t Tie
	if err := db.Row(ctx, s.g, `SELECT tied_at, tied_entries, tied_balances FROM rollup_state`).Scan(&at, &t.Entries, &t.Balances); err != nil {
		return nil, fmt.Errorf("rollup: last tie: %w", db.Fault(err))
	}
	if at == nil {
		return nil, nil
	}
	t.At = at.UTC()
	return &t, nil
}
