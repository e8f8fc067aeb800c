package settlement

import (
	"context"
	"fmt"
	"time"

	"recoup/models/page"
	"recoup/models/where"
)

// Position is a settlement's place in the list.
type Position struct{ Key int64 }

// List returns a page of settlements, newest first; of one rollout, or of all when rolloutID is empty.
func (s *Store) List(ctx context.Context, rolloutID string, from *Position, dir page.Direction, limit int) (page.Page[Settlement, Position], error) {
	var w where.Clause
	if rolloutID != "" {
		w.And("s.rollout_id = ?", rolloutID)
	}
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	if from != nil {
		w.And("s.key "+compare+" ?", from.Key)
	}
	rows, err := read(ctx, s.g, w.SQL()+` ORDER BY s.key `+order+` LIMIT ?`, w.Args(limit+1)...)
	if err != nil {
		return page.Page[Settlement, Position]{}, err
	}
	return page.Cut(rows, limit, from, dir, func(r Settlement) Position { return Position{Key: r.Key} }), nil
}

// Unfinished says how many settlements wait for somebody or something.
type Unfinished struct {
	// Proposed wait for a second person; Outside are approved, and the document is not named yet; Paying are being paid.
	Proposed, Outside, Paying int64
}

// CountUnfinished counts the settlements that are neither done nor void.
func (s *Store) CountUnfinished(ctx context.Context) (Unfinished, error) {
	var n Unfinished
	err := s.g.WithContext(ctx).Raw(`SELECT count(*) FILTER (WHERE s.approved_at IS NULL) AS proposed, count(*) FILTER (WHERE s.approved_at IS NOT NULL AND s.way = 'outside') AS outside,
			count(*) FILTER (WHERE s.approved_at IS NOT NULL AND s.way = 'ledger') AS paying
		FROM settlements s ` + requestOf + ` WHERE s.finished_at IS NULL AND (s.approved_at IS NOT NULL OR ` + isOpen + `)`).Scan(&n).Error
	if err != nil {
		return n, fmt.Errorf("settlement: count: %w", err)
	}
	return n, nil
}

// Outcome filters lines by what became of them.
type Outcome string

// The outcomes; the empty one is all.
const (
	// OutcomePaid: at least one job was paid.
	OutcomePaid Outcome = "paid"
	// OutcomeExcluded: at least one job was left out.
	OutcomeExcluded Outcome = "excluded"
	// OutcomeOpen: at least one job is neither.
	OutcomeOpen Outcome = "open"
)

// Lines narrows the lines of a settlement.
type Lines struct {
	// Account is exact; empty for all.
	Account string
	Outcome Outcome
}

// LinePosition is a line's place: the largest differences come first.
type LinePosition struct {
	Size       int64
	AccountKey int64
}

const lines = `l AS (SELECT i.account_key, count(*) AS jobs, sum(i.charged)::bigint AS charged, sum(i.baseline)::bigint AS baseline, sum(i.amount)::bigint AS amount,
		abs(sum(i.amount))::bigint AS size, count(p.job_key) AS paid, COALESCE(sum(p.amount), 0)::bigint AS paid_amount, count(x.job_key) AS excluded, min(x.why) AS why
	FROM settlement_items i
	LEFT JOIN settlement_payments p ON p.settlement_key = i.settlement_key AND p.account_key = i.account_key AND p.job_key = i.job_key
	LEFT JOIN settlement_exclusions x ON x.settlement_key = i.settlement_key AND x.account_key = i.account_key AND x.job_key = i.job_key
	WHERE i.settlement_key = ? GROUP BY i.account_key)`

func (f Lines) clause() where.Clause {
	var w where.Clause
	if f.Account != "" {
		w.And("a.id = ?", f.Account)
	}
	switch f.Outcome {
	case OutcomePaid:
		w.And("l.paid > 0")
	case OutcomeExcluded:
		w.And("l.excluded > 0")
	case OutcomeOpen:
		w.And("l.paid + l.excluded < l.jobs")
	}
	return w
}

// Lines returns a page of what a settlement means for each account.
func (s *Store) Lines(ctx context.Context, st Settlement, f Lines, from *LinePosition, dir page.Direction, limit int) (page.Page[AccountLine, LinePosition], error) {
	w := f.clause()
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	if from != nil {
		w.And("(l.size, l.account_key) "+compare+" (?, ?)", from.Size, from.AccountKey)
	}
	var rows []AccountLine
	err := s.g.WithContext(ctx).Raw(`WITH `+lines+` SELECT l.*, a.id AS account_id, a.balance, a.frozen_at IS NOT NULL AS frozen FROM l JOIN accounts a ON a.key = l.account_key `+
		w.SQL()+` ORDER BY l.size `+order+`, l.account_key `+order+` LIMIT ?`, append([]any{st.Key}, w.Args(limit+1)...)...).Scan(&rows).Error
	if err != nil {
		return page.Page[AccountLine, LinePosition]{}, fmt.Errorf("settlement: lines: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(l AccountLine) LinePosition {
		return LinePosition{Size: max(l.Amount, -l.Amount), AccountKey: l.AccountKey}
	}), nil
}

// LineTotals are what the lines of a filter come to.
type LineTotals struct {
	Totals
	Paid, Excluded, PaidAmount int64
}

// LineTotals adds up all lines of a filter.
func (s *Store) LineTotals(ctx context.Context, st Settlement, f Lines) (LineTotals, error) {
	w := f.clause()
	var t LineTotals
	err := s.g.WithContext(ctx).Raw(`WITH `+lines+` SELECT COALESCE(sum(l.jobs), 0)::bigint AS jobs, count(*) AS accounts, COALESCE(sum(l.charged), 0)::bigint AS charged,
			COALESCE(sum(l.baseline), 0)::bigint AS baseline, COALESCE(sum(l.amount) FILTER (WHERE l.amount > 0), 0)::bigint AS credits,
			COALESCE(-sum(l.amount) FILTER (WHERE l.amount < 0), 0)::bigint AS debits, COALESCE(sum(l.paid), 0)::bigint AS paid,
			COALESCE(sum(l.excluded), 0)::bigint AS excluded, COALESCE(sum(l.paid_amount), 0)::bigint AS paid_amount
		FROM l JOIN accounts a ON a.key = l.account_key `+w.SQL(), append([]any{st.Key}, w.Args()...)...).Scan(&t).Error
	if err != nil {
		return t, fmt.Errorf("settlement: line totals: %w", err)
	}
	return t, nil
}

// Item is one charge of a settlement with what became of it.
type Item struct {
	AccountKey, JobKey int64
	AccountID, JobID   string
	// OperationID is that of the charge.
	OperationID string
	ChargedAt   time.Time
	Action      string
	Units       int64
	Charged     int64
	Baseline    int64
	Amount      int64
	// PaymentID is the payment's operation and PaidAt its time, EntrySeq its entry; Reference is the document outside.
	// All nil until it is paid, EntrySeq and Reference also for the other way.
	PaymentID *string
	PaidAt    *time.Time
	EntrySeq  *int64
	Reference *string
	// Why is why it was left out, nil unless it was.
	Why *string
}

// Items returns the charges of a settlement after a position, in the order of their keys, at most limit; of one account
// where accountID is not empty.
func (s *Store) Items(ctx context.Context, st Settlement, accountID string, afterAccount, afterJob int64, limit int) ([]Item, error) {
	var w where.Clause
	w.And("i.settlement_key = ?", st.Key)
	w.And("(i.account_key, i.job_key) > (?, ?)", afterAccount, afterJob)
	if accountID != "" {
		w.And("a.id = ?", accountID)
	}
	var rows []Item
	err := s.g.WithContext(ctx).Raw(`SELECT i.account_key, i.job_key, a.id AS account_id, j.id AS job_id, i.operation_id, i.charged_at, j.action, i.units, i.charged, i.baseline, i.amount,
			p.operation_id AS payment_id, p.at AS paid_at, p.entry_seq, NULLIF(p.reference, '') AS reference, x.why
		FROM settlement_items i JOIN accounts a ON a.key = i.account_key JOIN jobs j ON j.account_key = i.account_key AND j.key = i.job_key
		LEFT JOIN settlement_payments p ON p.settlement_key = i.settlement_key AND p.account_key = i.account_key AND p.job_key = i.job_key
		LEFT JOIN settlement_exclusions x ON x.settlement_key = i.settlement_key AND x.account_key = i.account_key AND x.job_key = i.job_key `+
		w.SQL()+` ORDER BY i.account_key, i.job_key LIMIT ?`, w.Args(limit)...).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("settlement: items: %w", err)
	}
	return rows, nil
}

// Each hands out every charge of a settlement in the order of their keys. An error of fn ends it.
func (s *Store) Each(ctx context.Context, st Settlement, fn func(Item) error) error {
	const some = 1000
	var account, job int64
	for {
		rows, err := s.Items(ctx, st, "", account, job, some)
		if err != nil {
			return err
		}
		for _, x := range rows {
			if err := fn(x); err != nil {
				return err
			}
		}
		if len(rows) < some {
			return nil
		}
		account, job = rows[some-1].AccountKey, rows[some-1].JobKey
	}
}
