package ledger

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/fault"
)

// Reason groups entries by what became of them, seen from a moment.
type Reason string

// The reasons. Entries of one job share one; every other entry has its own type's.
const (
	// ForDelivered are charges of jobs that had been delivered and were never refunded.
	ForDelivered Reason = "delivered"
	// ForUnfinished are charges of jobs that had neither been delivered nor refunded.
	ForUnfinished Reason = "unfinished"
	// ForRefunded are charges with their refunds, of jobs that had failed for good.
	ForRefunded Reason = "refunded"
	// ForCanceled are charges with their refunds, of jobs that had been canceled.
	ForCanceled Reason = "canceled"
	// ForRetried are charges with their refunds, of jobs that were being tried again: what is delivered is reclaimed.
	ForRetried Reason = "retried"
	// ForReclaimed are charges with their refunds and the reclaims of these.
	ForReclaimed Reason = "reclaimed"
	// ByGrant are grants.
	ByGrant Reason = "grant"
	// BySettlement are adjustments by which settlements put the prices of jobs right.
	BySettlement Reason = "settlement"
	// ByAdjustment are all other adjustments.
	ByAdjustment Reason = "adjustment"
	// Irregular are jobs whose entries fit none of the above. There are none unless rows were damaged.
	Irregular Reason = "irregular"
)

// Reasons lists them in the order screens show them.
func Reasons() []Reason {
	return []Reason{ByGrant, ForDelivered, ForReclaimed, ForRefunded, ForCanceled, ForRetried, ForUnfinished, BySettlement, ByAdjustment, Irregular}
}

// Line sums up the entries of one reason.
type Line struct {
	Reason Reason
	// Count is the number of jobs, of entries for grants, settlements and other adjustments.
	Count int64
	// Taken and Given are the sums of the amounts below and above zero, both without sign. Either may be more than any balance.
	Taken, Given credit.Sum
}

// Net is what the line adds to the balance.
func (l Line) Net() credit.Sum { return l.Given.Minus(l.Taken) }

// Replay is an account's balance at a moment, added up anew from its entries.
type Replay struct {
	Account Account
	// At is the moment, inclusive.
	At time.Time
	// Seq is the newest entry up to then, 0 when there is none.
	Seq int64
	// Balance is what the ledger says: the newest entry's balance_after and, for now, the account's own figure.
	Balance int64
	// Sum and Entries are what adding up found.
	Sum     credit.Sum
	Entries int64
	// FirstBreak is the first entry that does not follow from the one before it: another balance, or a gap. nil
	// when there is none.
	FirstBreak *int64
	// Lines are in the order of Reasons; reasons without entries are left out. Their nets add up to Sum.
	Lines []Line
}

// Holds reports whether the balance is what the entries say.
func (r Replay) Holds() bool {
	for _, l := range r.Lines {
		if l.Reason == Irregular {
			return false
		}
	}
	return r.Sum.String() == strconv.FormatInt(r.Balance, 10) && r.Entries == r.Seq && r.FirstBreak == nil
}

// Replay adds up an account's entries up to and including a moment, nil for now, all read at one time. Its cost
// grows with the number of entries. Where entries are missing it says what there is. Faults: account_not_found.
func (s *Service) Replay(ctx context.Context, accountID string, at *time.Time) (Replay, error) {
	a, err := s.Account(ctx, accountID)
	if err != nil {
		return Replay{}, err
	}
	r := Replay{Account: a}
	if at != nil {
		r.At = *at
		r.Seq, err = s.seqBefore(ctx, a.Key, at.Add(time.Microsecond))
		if fault.Is(err, fault.CodeAccountInconsistent) {
			// An entry is missing: all are looked at, and adding up says where.
			r.Seq, err = s.lastUpTo(ctx, a.Key, *at)
		}
		if err != nil {
			return Replay{}, err
		}
	}
	return r, s.snapshot(ctx, func(tx *gorm.DB) error {
		if at == nil {
			// The head is read again: entries may have been appended since.
			if err := tx.Raw(selectAccount+`WHERE key = ?`, a.Key).Scan(&r.Account).Error; err != nil {
				return fmt.Errorf("ledger: replay: %w", err)
			}
			r.Seq, r.Balance = r.Account.LastSeq, r.Account.Balance
			if err := tx.Raw(`SELECT clock_timestamp()`).Scan(&r.At).Error; err != nil {
				return fmt.Errorf("ledger: replay: %w", err)
			}
		}
		if err := r.addUp(tx, at == nil); err != nil {
			return err
		}
		return r.sumUp(tx)
	})
}

// lastUpTo is the highest number of an entry made up to and including a moment, 0 when there is none. Unlike seqBefore it reads
// all of the account's entries, and answers also where some are missing.
func (s *Service) lastUpTo(ctx context.Context, accountKey int64, at time.Time) (int64, error) {
	var seq int64
	err := s.g.WithContext(ctx).Raw(`SELECT COALESCE(max(seq), 0) FROM entries WHERE account_key = ? AND created_at <= ?`, accountKey, at).Scan(&seq).Error
	if err != nil {
		return 0, fmt.Errorf("ledger: last entry up to a time: %w", err)
	}
	return seq, nil
}

// addUp reads the sum and looks for the first entry that breaks the row of balances.
func (r *Replay) addUp(tx *gorm.DB, now bool) error {
	var found struct {
		Entries, Last int64
		Sum           credit.Sum
		FirstBreak    *int64
	}
	err := tx.Raw(`SELECT count(*) AS entries, COALESCE(sum(amount), 0) AS sum,
			COALESCE(max(balance_after) FILTER (WHERE seq = ?), 0) AS last,
			min(seq) FILTER (WHERE balance_after <> before::numeric + amount OR seq <> n) AS first_break
		FROM (SELECT seq, amount, balance_after, lag(balance_after, 1, 0::bigint) OVER w AS before, row_number() OVER w AS n
			FROM entries WHERE account_key = ? AND seq <= ? WINDOW w AS (ORDER BY seq)) e`, r.Seq, r.Account.Key, r.Seq).Scan(&found).Error
	if err != nil {
		return fmt.Errorf("ledger: replay: %w", err)
	}
	r.Entries, r.Sum, r.FirstBreak = found.Entries, found.Sum, found.FirstBreak
	if !now {
		r.Balance = found.Last
	}
	return nil
}

// sumUp reads what became of the entries.
func (r *Replay) sumUp(tx *gorm.DB) error {
	var lines []Line
	err := tx.Raw(`WITH e AS (SELECT type, amount, job_key, rollout_id FROM entries WHERE account_key = ? AND seq <= ?),
		g AS (SELECT job_key, count(*) FILTER (WHERE type = 'charge') AS charges, count(*) FILTER (WHERE type = 'refund') AS refunds,
				count(*) FILTER (WHERE type = 'reclaim') AS reclaims, COALESCE(-sum(amount) FILTER (WHERE amount < 0), 0) AS taken,
				COALESCE(sum(amount) FILTER (WHERE amount > 0), 0) AS given
			FROM e WHERE job_key IS NOT NULL GROUP BY job_key)
		SELECT CASE WHEN charges <> 1 OR refunds > 1 OR reclaims > refunds THEN 'irregular'
				WHEN reclaims = 1 AND taken = 2 * given THEN 'reclaimed'
				WHEN reclaims = 0 AND refunds = 1 AND taken = given THEN CASE v.state_after WHEN 'canceled' THEN 'canceled'
					WHEN 'queued' THEN 'retried' WHEN 'running' THEN 'retried' WHEN 'retrying' THEN 'retried' ELSE 'refunded' END
				WHEN refunds = 1 THEN 'irregular'
				WHEN j.delivered_at <= ? THEN 'delivered' ELSE 'unfinished' END AS reason,
			count(*) AS count, sum(taken) AS taken, sum(given) AS given
		FROM g LEFT JOIN jobs j ON j.account_key = ? AND j.key = g.job_key
		-- How a refunded job stood at the moment, by its timeline: the job itself says how it stands now.
		LEFT JOIN LATERAL (SELECT v.state_after FROM job_events v WHERE v.account_key = ? AND v.job_key = g.job_key AND v.state_after <> '' AND v.at <= ?
			ORDER BY v.key DESC LIMIT 1) v ON refunds = 1 AND reclaims = 0
		GROUP BY 1
		UNION ALL
		-- Of adjustments, those of settlements alone belong to a rollout.
		SELECT CASE WHEN type = 'adjustment' AND rollout_id IS NOT NULL THEN 'settlement' ELSE type END, count(*),
			COALESCE(-sum(amount) FILTER (WHERE amount < 0), 0), COALESCE(sum(amount) FILTER (WHERE amount > 0), 0)
		FROM e WHERE job_key IS NULL GROUP BY 1`, r.Account.Key, r.Seq, r.At, r.Account.Key, r.Account.Key, r.At).Scan(&lines).Error
	if err != nil {
		return fmt.Errorf("ledger: replay: %w", err)
	}
	for _, reason := range Reasons() {
		for _, l := range lines {
			if l.Reason == reason {
				r.Lines = append(r.Lines, l)
			}
		}
	}
	return nil
}

// JobNets returns what the entries of jobs of one account add up to before an entry. Jobs that had none are left out.
func (s *Service) JobNets(ctx context.Context, accountKey int64, jobKeys []int64, before int64) (map[int64]int64, error) {
	list := make([]string, len(jobKeys))
	for i, k := range jobKeys {
		list[i] = strconv.FormatInt(k, 10)
	}
	var rows []struct{ JobKey, Net int64 }
	err := s.g.WithContext(ctx).Raw(`SELECT job_key, sum(amount)::bigint AS net FROM entries
		WHERE account_key = ? AND job_key = ANY (?::bigint[]) AND seq < ? GROUP BY job_key`,
		accountKey, "{"+strings.Join(list, ",")+"}", before).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: nets of jobs: %w", err)
	}
	nets := make(map[int64]int64, len(rows))
	for _, r := range rows {
		nets[r.JobKey] = r.Net
	}
	return nets, nil
}
