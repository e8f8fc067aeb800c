package deadletter

import (
	"context"
	"fmt"
	"time"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/page"
	"recoup/models/where"
)

// Figures sum up the open dead letters, those out of sight included.
type Figures struct {
	Open int64
	// Refunded is what the customers have back, Charged what they still pay for without a result: credits.
	Refunded, Charged credit.Sum
	// OldestAt is nil when there is none.
	OldestAt *time.Time
	// LastHour is how many jobs died within the last hour, whatever became of them since.
	LastHour int64
	// At is the moment of these figures, by the database's clock.
	At time.Time
}

// Figures adds up the tallies of the groups, and counts the dead letters that have no group yet and those of the last
// hour: its cost grows with neither jobs nor open dead letters.
func (s *Service) Figures(ctx context.Context) (Figures, error) {
	var f Figures
	// The order is that of the index of what is open: by dead_at alone, all that has been closed since would be read. And an
	// index is looked up by what does not change within a statement, which clock_timestamp does.
	err := s.g.WithContext(ctx).Raw(`SELECT t.open + n.open AS open, t.refunded + n.refunded AS refunded, t.charged + n.charged AS charged,
			LEAST((SELECT dead_at FROM dead_letters WHERE closed_at IS NULL AND refunded <= false ORDER BY refunded, dead_at LIMIT 1),
				(SELECT dead_at FROM dead_letters WHERE closed_at IS NULL AND refunded >= true ORDER BY refunded, dead_at LIMIT 1)) AS oldest_at,
			(SELECT count(*) FROM dead_letters WHERE dead_at > statement_timestamp() - interval '1 hour') AS last_hour, clock_timestamp() AS at
		FROM (SELECT COALESCE(sum(open), 0) AS open, COALESCE(sum(refunded), 0) AS refunded, COALESCE(sum(charged), 0) AS charged FROM dead_letter_tallies) t,
			(SELECT count(*) AS open, COALESCE(sum(cost) FILTER (WHERE refunded), 0) AS refunded, COALESCE(sum(cost) FILTER (WHERE NOT refunded), 0) AS charged
				FROM dead_letters WHERE closed_at IS NULL AND fingerprint = '') n`).Scan(&f).Error
	if err != nil {
		return f, fmt.Errorf("deadletter: figures: %w", err)
	}
	return f, nil
}

// Waiting sums up the open dead letters that nobody has put out of sight, by themselves or with their group: those of Review.
type Waiting struct {
	Count int64
	// OldestAt is when the first of them died; nil when there is none.
	OldestAt *time.Time
}

// CountWaiting counts what waits for a person.
func (s *Service) CountWaiting(ctx context.Context) (int64, error) {
	n, err := db.Counts(ctx, s.g, AllWaiting())
	if err != nil {
		return 0, fmt.Errorf("deadletter: waiting: %w", err)
	}
	return n[0], nil
}

// AllWaiting is what CountWaiting counts, for whoever counts other things as well. Its cost grows with the groups that are open and with
// what people have put out of sight or brought back, not with what is open.
func AllWaiting() db.Count { return waiting("") }

// WaitingUpTo is AllWaiting for whoever counts no further than most: where more wait, the number is above most, but not what they are. Its cost does
// not grow with the groups.
func WaitingUpTo(most int) db.Count {
	// A tally counts one at least. What is put out of sight by itself is in tallies, too, and taken away again.
	return waiting(fmt.Sprintf(" LIMIT %d + (SELECT count(*) FROM aside)", most+1))
}

func waiting(limit string) db.Count {
	// Snoozed groups are left out as a whole; then what is snoozed by itself; what was woken out of its group comes back.
	const snoozed = "d.snoozed_until > statement_timestamp() AND d.snoozed_until IS NOT NULL"
	return db.Count{SQL: `WITH q AS MATERIALIZED (SELECT g.fingerprint FROM dead_letter_groups g WHERE ` + quiet + `),
			aside AS MATERIALIZED (SELECT 1 FROM dead_letters d WHERE d.closed_at IS NULL AND ` + snoozed + ` AND d.fingerprint NOT IN (SELECT fingerprint FROM q))
		SELECT (SELECT COALESCE(sum(open), 0)::bigint FROM (SELECT open FROM dead_letter_tallies WHERE open > 0 AND fingerprint NOT IN (SELECT fingerprint FROM q)` + limit + `) t)
			+ (SELECT count(*) FROM dead_letters WHERE closed_at IS NULL AND fingerprint = '')
			- (SELECT count(*) FROM aside)
			+ (SELECT count(*) FROM dead_letters d WHERE d.closed_at IS NULL AND d.fingerprint IN (SELECT fingerprint FROM q) AND ` + woken("d") + ` AND NOT COALESCE(` + snoozed + `, false))`}
}

// Waiting sums up what waits for a person, see CountWaiting.
func (s *Service) Waiting(ctx context.Context) (Waiting, error) {
	var n Waiting
	var err error
	if n.Count, err = s.CountWaiting(ctx); err != nil {
		return n, err
	}
	for _, refunded := range []bool{false, true} {
		oldest, err := s.List(ctx, Review, Filter{Refunded: &refunded}, nil, page.Older, 1)
		if err != nil {
			return n, err
		}
		for _, l := range oldest.Rows {
			if n.OldestAt == nil || l.DeadAt.Before(*n.OldestAt) {
				n.OldestAt = &l.DeadAt
			}
		}
	}
	return n, nil
}

// JobKey names a job inside.
type JobKey struct{ AccountKey, Key int64 }

// Reclaim is the entry that took a refund back.
type Reclaim struct {
	// Amount is negative, in credits; BalanceAfter is the account's balance right after it.
	Amount, BalanceAfter int64
}

// Reclaims returns the reclaims of some jobs; jobs without one are left out.
func (s *Service) Reclaims(ctx context.Context, jobs []JobKey) (map[JobKey]*Reclaim, error) {
	accounts, keys := make([]int64, len(jobs)), make([]int64, len(jobs))
	for i, j := range jobs {
		accounts[i], keys[i] = j.AccountKey, j.Key
	}
	var rows []struct {
		AccountKey, JobKey   int64
		Amount, BalanceAfter int64
	}
	err := s.g.WithContext(ctx).Raw(`SELECT e.account_key, e.job_key, e.amount, e.balance_after
		FROM unnest(?::bigint[], ?::bigint[]) AS x (account_key, job_key)
		JOIN entries e ON e.account_key = x.account_key AND e.job_key = x.job_key AND e.type = 'reclaim'`, where.ListOf(accounts), where.ListOf(keys)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: reclaims: %w", err)
	}
	out := make(map[JobKey]*Reclaim, len(rows))
	for _, r := range rows {
		out[JobKey{r.AccountKey, r.JobKey}] = &Reclaim{Amount: r.Amount, BalanceAfter: r.BalanceAfter}
	}
	return out, nil
}
