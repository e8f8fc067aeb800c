package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/page"
)

// Filter selects entries. Zero members do not restrict.
type Filter struct {
	Types       []Type `json:"types,omitempty"`
	AccountID   string `json:"account,omitempty"`
	JobID       string `json:"job,omitempty"`
	OperationID string `json:"operation,omitempty"`
	RuleVersion string `json:"rule,omitempty"`
	RolloutID   string `json:"rollout,omitempty"`
	// Action selects the entries that any of its rule versions priced.
	Action    string `json:"action,omitempty"`
	Cohort    string `json:"cohort,omitempty"`
	Category  string `json:"category,omitempty"`
	Actor     string `json:"actor,omitempty"`
	MinAmount *int64 `json:"min,omitempty"`
	MaxAmount *int64 `json:"max,omitempty"`
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

const selectEntry = `SELECT e.account_key, a.id AS account_id, e.seq, e.type, e.amount, e.balance_after, e.job_key, COALESCE(j.id, s.id) AS job_id,
	e.operation_id, e.rollout_id, e.cohort, e.rule_version, e.actor, e.trace_id, e.category, e.reference, e.reason, e.created_at, e.hash,
	j.action AS job_action, j.units AS job_units, v.kind AS cause, COALESCE(v.attempt, 0) AS cause_attempt,
	v.data->>'class' AS cause_class, v.data->>'code' AS cause_code
	FROM (%s) e JOIN accounts a ON a.key = e.account_key
	LEFT JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key
	LEFT JOIN LATERAL (SELECT kind, attempt, data FROM job_events v WHERE v.account_key = e.account_key AND v.job_key = e.job_key
		AND v.entry_seq = e.seq ORDER BY v.key LIMIT 1) v ON e.job_key IS NOT NULL
	LEFT JOIN LATERAL (SELECT o.id FROM settlement_payments p JOIN jobs o ON o.account_key = p.account_key AND o.key = p.job_key
		WHERE e.type = 'adjustment' AND e.rollout_id IS NOT NULL AND p.account_key = e.account_key AND p.entry_seq = e.seq LIMIT 1) s ON true
	ORDER BY %s`

// scanEntry reads a row of selectEntry. By name and reflection that takes longer than the query, which a page of fifty rows and a file of a million notice.
func scanEntry(rows *sql.Rows, e *Entry) error {
	return rows.Scan(&e.AccountKey, &e.AccountID, &e.Seq, &e.Type, &e.Amount, &e.BalanceAfter, &e.JobKey, &e.JobID,
		&e.OperationID, &e.RolloutID, &e.Cohort, &e.RuleVersion, &e.Actor, &e.TraceID, &e.Category, &e.Reference, &e.Reason, &e.CreatedAt, &e.Hash,
		&e.JobAction, &e.JobUnits, &e.Cause, &e.CauseAttempt, &e.CauseClass, &e.CauseCode)
}

// List returns a page of entries, newest first. Rows of one account are in the order of seq; rows of
// several in the order of time. from is nil for the first page. Faults: account_not_found; filter_too_wide when the
// rows could not be found in time.
func (s *Service) List(ctx context.Context, f Filter, from *Position, dir page.Direction, limit int) (page.Page[Entry, Position], error) {
	var none page.Page[Entry, Position]
	w, one, err := s.where(ctx, f)
	if err != nil {
		return none, err
	}
	compare, direction := "<", "DESC"
	if dir == page.Newer {
		compare, direction = ">", "ASC"
	}
	if from != nil {
		switch {
		case one:
			w.And("e.seq "+compare+" ?", from.Seq)
		case f.RuleVersion != "":
			w.And("(e.rule_version, e.created_at, e.account_key, e.seq) "+compare+" (?, ?, ?, ?)", f.RuleVersion, from.At, from.AccountKey, from.Seq)
		default:
			w.And("(e.created_at, e.account_key, e.seq) "+compare+" (?, ?, ?)", from.At, from.AccountKey, from.Seq)
		}
	}
	by := fmt.Sprintf(f.order(one), direction)
	inner, args := byType(w, f.Types, by, limit+1)
	rows := make([]Entry, 0, limit+1)
	err = s.bounded(ctx, f, func(g *gorm.DB) error {
		found, err := g.Raw(fmt.Sprintf(selectEntry, inner, by), args...).Rows()
		if err != nil {
			return err
		}
		defer found.Close()
		for rows = rows[:0]; found.Next(); {
			var e Entry
			if err := scanEntry(found, &e); err != nil {
				return err
			}
			rows = append(rows, e)
		}
		return found.Err()
	})
	if err != nil {
		return none, fmt.Errorf("ledger: list: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(e Entry) Position {
		return Position{At: e.CreatedAt.UTC(), AccountKey: e.AccountKey, Seq: e.Seq}
	}), nil
}

// seqBefore is the seq of the account's newest entry before a moment, 0 when there is none.
func (s *Service) seqBefore(ctx context.Context, accountKey int64, at time.Time) (int64, error) {
	place := accountAt{accountKey, at.UnixMicro()}
	if s.known != nil {
		if seq, ok := s.known.seqs[place]; ok {
			return seq, nil
		}
	}
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
	if s.known != nil {
		s.known.seqs[place] = found.Low
	}
	return found.Low, nil
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
