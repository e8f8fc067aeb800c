package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/page"
	"recoup/models/where"
)

// Filter selects entries. Zero members do not restrict.
type Filter struct {
	Types       []Type `json:"types,omitempty"`
	AccountID   string `json:"account,omitempty"`
	JobID       string `json:"job,omitempty"`
	OperationID string `json:"operation,omitempty"`
	RuleVersion string `json:"rule,omitempty"`
	RolloutID   string `json:"rollout,omitempty"`
	Actor       string `json:"actor,omitempty"`
	MinAmount   *int64 `json:"min,omitempty"`
	MaxAmount   *int64 `json:"max,omitempty"`
	// AnySign makes MinAmount and MaxAmount bounds of an amount's size, whatever its sign. Neither may be negative then.
	AnySign bool       `json:"any_sign,omitempty"`
	From    *time.Time `json:"from,omitempty"`
	// To is exclusive.
	To *time.Time `json:"to,omitempty"`
}

// Position is an entry's place in a list.
type Position struct {
	At         time.Time `json:"t"`
	AccountKey int64     `json:"a"`
	Seq        int64     `json:"s"`
}

const selectEntry = `SELECT e.account_key, a.id AS account_id, e.seq, e.type, e.amount, e.balance_after, e.job_key, j.id AS job_id,
	e.operation_id, e.rollout_id, e.cohort, e.rule_version, e.actor, e.trace_id, e.category, e.reference, e.reason, e.created_at, e.hash,
	j.action AS job_action, j.units AS job_units, v.kind AS cause, COALESCE(v.attempt, 0) AS cause_attempt,
	v.data->>'class' AS cause_class, v.data->>'code' AS cause_code
	FROM (SELECT * FROM entries e %s) e JOIN accounts a ON a.key = e.account_key
	LEFT JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key
	LEFT JOIN LATERAL (SELECT kind, attempt, data FROM job_events v WHERE v.account_key = e.account_key AND v.job_key = e.job_key
		AND v.entry_seq = e.seq ORDER BY v.key LIMIT 1) v ON e.job_key IS NOT NULL
	ORDER BY %s`

// List returns a page of entries, newest first. Rows of one account are in the order of seq; rows of
// several in the order of time. from is nil for the first page. Faults: account_not_found.
func (s *Service) List(ctx context.Context, f Filter, from *Position, dir page.Direction, limit int) (page.Page[Entry, Position], error) {
	var none page.Page[Entry, Position]
	w, one, err := s.where(ctx, f)
	if err != nil {
		return none, err
	}
	columns := "e.created_at, e.account_key, e.seq"
	if one {
		columns = "e.seq"
	}
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	if from != nil {
		if one {
			w.And("e.seq "+compare+" ?", from.Seq)
		} else {
			w.And("("+columns+") "+compare+" (?, ?, ?)", from.At, from.AccountKey, from.Seq)
		}
	}
	by := strings.ReplaceAll(columns, ",", " "+order+",") + " " + order
	var rows []Entry
	err = s.g.WithContext(ctx).Raw(fmt.Sprintf(selectEntry, w.SQL()+" ORDER BY "+by+" LIMIT ?", by), w.Args(limit+1)...).Scan(&rows).Error
	if err != nil {
		return none, fmt.Errorf("ledger: list: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(e Entry) Position {
		return Position{At: e.CreatedAt.UTC(), AccountKey: e.AccountKey, Seq: e.Seq}
	}), nil
}

// where turns a filter into conditions on entries e; one tells that all rows are of one account.
func (s *Service) where(ctx context.Context, f Filter) (w *where.Clause, one bool, err error) {
	w = &where.Clause{}
	if f.AccountID != "" {
		a, err := s.Account(ctx, f.AccountID)
		if err != nil {
			return nil, false, err
		}
		one = true
		w.And("e.account_key = ?", a.Key)
		// Time rises with seq within an account: a search over seq finds the period's ends by a few
		// primary key reads, however long the account is.
		if f.From != nil {
			seq, err := s.seqBefore(ctx, a.Key, *f.From)
			if err != nil {
				return nil, false, err
			}
			w.And("e.seq > ?", seq)
		}
		if f.To != nil {
			seq, err := s.seqBefore(ctx, a.Key, *f.To)
			if err != nil {
				return nil, false, err
			}
			w.And("e.seq <= ?", seq)
		}
	} else {
		if f.From != nil {
			w.And("e.created_at >= ?", *f.From)
		}
		if f.To != nil {
			w.And("e.created_at < ?", *f.To)
		}
	}
	if len(f.Types) > 0 {
		names := make([]string, len(f.Types))
		for i, t := range f.Types {
			if !t.Valid() {
				return nil, false, fault.InvalidField("type", "has no entry type %q", t)
			}
			names[i] = string(t)
		}
		w.And("e.type = ANY (?::text[])", "{"+strings.Join(names, ",")+"}")
	}
	if f.JobID != "" {
		w.And("(e.account_key, e.job_key) IN (SELECT account_key, key FROM jobs WHERE id = ?)", f.JobID)
	}
	equal := func(column, value string) {
		if value != "" {
			w.And("e."+column+" = ?", value)
		}
	}
	equal("operation_id", f.OperationID)
	equal("rule_version", f.RuleVersion)
	equal("rollout_id", f.RolloutID)
	equal("actor", f.Actor)
	switch {
	case f.MinAmount != nil && f.AnySign:
		w.And("(e.amount >= ? OR e.amount <= ?)", *f.MinAmount, -*f.MinAmount)
	case f.MinAmount != nil:
		w.And("e.amount >= ?", *f.MinAmount)
	}
	switch {
	case f.MaxAmount != nil && f.AnySign:
		w.And("e.amount BETWEEN ? AND ?", -*f.MaxAmount, *f.MaxAmount)
	case f.MaxAmount != nil:
		w.And("e.amount <= ?", *f.MaxAmount)
	}
	return w, one, nil
}

// seqBefore is the seq of the account's newest entry before a moment, 0 when there is none.
func (s *Service) seqBefore(ctx context.Context, accountKey int64, at time.Time) (int64, error) {
	var found struct{ Low int64 }
	// The entries say how many there are: the head may be wrong, and this has to be right all the same.
	res := s.g.WithContext(ctx).Raw(`WITH RECURSIVE search (low, high) AS (
			SELECT 0::bigint, COALESCE((SELECT max(seq) FROM entries WHERE account_key = ?), 0) + 1
			UNION ALL
			SELECT CASE WHEN e.created_at < ? THEN e.seq ELSE s.low END, CASE WHEN e.created_at < ? THEN s.high ELSE e.seq END
			FROM search s JOIN entries e ON e.account_key = ? AND e.seq = (s.low + s.high) / 2
			WHERE s.high - s.low > 1)
		SELECT low FROM search WHERE high - low <= 1`, accountKey, at, at, accountKey).Scan(&found)
	if res.Error != nil {
		return 0, fmt.Errorf("ledger: entry before a time: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return 0, db.Inconsistent() // an entry is missing in the middle: any number would be a guess
	}
	return found.Low, nil
}

// Total is the sum of one type's entries.
type Total struct {
	Type  Type
	Count int64
	// Amount is exact, however many entries there are.
	Amount credit.Sum
}

// Totals sums the filtered entries by type, in the order of Types; types without entries are left
// out. The cost grows with the rows that the filter selects, unless the filter is Derived. Faults:
// account_not_found.
func (s *Service) Totals(ctx context.Context, f Filter) ([]Total, error) {
	if f.Derived() {
		return s.derivedTotals(ctx, f)
	}
	w, _, err := s.where(ctx, f)
	if err != nil {
		return nil, err
	}
	var rows []Total
	err = s.g.WithContext(ctx).Raw(`SELECT e.type, count(*) AS count, sum(e.amount) AS amount FROM entries e `+w.SQL()+` GROUP BY e.type`, w.Args()...).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: totals: %w", err)
	}
	return inOrder(rows), nil
}

// Balance is an account's balance at a moment.
type Balance struct {
	AccountID string
	Balance   int64
	At        time.Time
	// Seq is the newest entry the balance includes, 0 when there is none.
	Seq int64
}

// BalanceAt returns the balance after all entries made up to and including at. Faults:
// account_not_found.
func (s *Service) BalanceAt(ctx context.Context, accountID string, at time.Time) (Balance, error) {
	a, err := s.Account(ctx, accountID)
	if err != nil {
		return Balance{}, err
	}
	seq, err := s.seqBefore(ctx, a.Key, at.Add(time.Microsecond))
	if err != nil {
		return Balance{}, err
	}
	b := Balance{AccountID: a.ID, At: at, Seq: seq}
	if seq > 0 {
		err = s.g.WithContext(ctx).Raw(`SELECT balance_after FROM entries WHERE account_key = ? AND seq = ?`, a.Key, seq).Scan(&b.Balance).Error
	}
	if err != nil {
		return Balance{}, fmt.Errorf("ledger: balance: %w", err)
	}
	return b, nil
}
