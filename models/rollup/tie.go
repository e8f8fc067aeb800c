package rollup

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/horizon"
)

// tieFresh is how old a tie may be to be carried on. The process that works in the background makes one a minute.
const tieFresh = 15 * time.Minute

// Tie holds the sums that are kept of all entries, with those entries that they do not have yet, against all balances,
// each added up for itself in one snapshot. The heads of the accounts keep the balances, so the two sums have no figure
// in common. It reads no old entry: that a kept sum is the sum of its entries is for verify to say, and for whoever
// closes a month.
type Tie struct {
	At       time.Time
	Entries  credit.Sum
	Balances credit.Sum
	// Base is what the balances came to at Through: Balances less the entries since. No entry before Through can come
	// or go any more, so that the entries from Through on, at whatever moment they are read, lead from Base to the sum of
	// all balances at that moment.
	Through time.Time
	Base    credit.Sum
}

// Holds reports whether both sums are the same.
func (t Tie) Holds() bool { return t.Entries.Minus(t.Balances).Sign() == 0 }

// Tie adds up all entries and all balances now, records what the balances come to and returns what came out.
func (s *Store) Tie(ctx context.Context) (Tie, error) {
	var t Tie
	err := db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		t = Tie{}
		if err := db.Row(ctx, tx, `SELECT clock_timestamp(), sum(balance) FROM accounts`).Scan(&t.At, &t.Balances); err != nil {
			return err
		}
		// Read within the snapshot: every entry before it was committed before the snapshot was taken.
		final, err := horizon.Final(ctx, tx)
		if err != nil {
			return err
		}
		t.Through = final
		if t.Entries, err = total(ctx, tx, Filter{}); err != nil {
			return err
		}
		since, err := total(ctx, tx, Filter{From: &t.Through})
		t.Base = t.Balances.Minus(since)
		return err
	})
	if err != nil {
		return t, fmt.Errorf("rollup: tie: %w", err)
	}
	t.At = t.At.UTC()
	err = s.g.WithContext(ctx).Exec(`UPDATE rollup_state SET tied_at = ?, tied_through = ?, tied_base = ?::numeric`, t.At, t.Through, t.Base.String()).Error
	if err != nil {
		return t, fmt.Errorf("rollup: record tie: %w", err)
	}
	return t, nil
}

func total(ctx context.Context, tx *gorm.DB, f Filter) (sum credit.Sum, err error) {
	totals, err := Totals(ctx, tx, f)
	for _, x := range totals {
		sum = sum.Plus(x.Amount)
	}
	return sum, err
}

// Balances is the sum of all balances at the moment of a reading, as the last Tie and the entries since lead to it.
type Balances struct {
	// At is the moment of the reading, Tied that of the last Tie; nil when there was none since the rollup began.
	At   time.Time
	Tied *time.Time
	// Sum is what the balances come to; nil where Tied is nil or too long ago to be carried on.
	Sum *credit.Sum
}

// Tied is Parts together with the sum of all balances, both of exactly one moment: whatever commits meanwhile is in both
// or in neither. What the parts add up to comes from kept sums, what the balances come to from the heads of the accounts;
// only the entries of the last minutes are in both. It reads through g, so that more can be read of the same moment.
func (s *Store) Tied(ctx context.Context, g *gorm.DB, f Filter, bounds []time.Time) ([]Group, Balances, error) {
	q := s.parts(f, bounds)
	q.args["fresh"] = tieFresh.Seconds()
	// One statement has one snapshot. Both ends of what is added since the tie come from one place, see query.
	q.sql = `WITH tie AS MATERIALIZED (SELECT tied_base, tied_through, CAST('9999-01-01' AS timestamptz) AS until FROM rollup_state
			WHERE tied_at > clock_timestamp() - make_interval(secs => @fresh))
		SELECT p.*, CAST(NULL AS timestamptz) AS read_at, CAST(NULL AS timestamptz) AS tied_at FROM (` + q.sql + `) p
		UNION ALL SELECT -1, '', '', '', '', '', 0, (SELECT tied_base FROM tie)
			+ COALESCE((SELECT sum(amount) FROM entries, tie WHERE created_at >= tied_through AND created_at < until), 0), clock_timestamp(), tied_at FROM rollup_state`
	var b Balances
	rows, err := g.WithContext(ctx).Raw(q.sql, q.args).Rows()
	if err != nil {
		return nil, b, fmt.Errorf("rollup: tied: %w", db.Fault(err))
	}
	defer rows.Close()
	groups := make([]Group, 0, 12*len(bounds)) // some groups a day, seldom more
	for rows.Next() {
		var x Group
		var amount *credit.Sum
		var read, tied *time.Time
		if err := rows.Scan(&x.Part, &x.Type, &x.RuleVersion, &x.RolloutID, &x.Cohort, &x.Category, &x.Count, &amount, &read, &tied); err != nil {
			return nil, b, fmt.Errorf("rollup: tied: %w", err)
		}
		if read != nil {
			b = Balances{At: read.UTC(), Tied: tied, Sum: amount}
			continue
		}
		x.Amount = *amount
		groups = append(groups, x)
	}
	if err := rows.Err(); err != nil {
		return nil, b, fmt.Errorf("rollup: tied: %w", db.Fault(err))
	}
	return groups, b, nil
}
