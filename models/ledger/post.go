package ledger

import (
	"context"
	"fmt"
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/operation"
)

// Posting is an entry to be appended.
type Posting struct {
	Type Type
	// Amount is signed; a charge's is −cost.
	Amount int64
	// JobKey is required for charge, refund and reclaim, else 0.
	JobKey int64
	Attribution
	// Category, Reference and Reason are empty where they do not apply.
	Category, Reference, Reason string
}

// Posted is what the append will make: seq, balance and time are final once the operation commits.
type Posted struct {
	Seq          int64     `json:"seq"`
	Type         Type      `json:"type"`
	Amount       int64     `json:"amount"`
	BalanceAfter int64     `json:"balance_after"`
	CreatedAt    time.Time `json:"created_at"`
}

// head is the part of the account row that an append moves.
type head struct {
	Key           int64 `gorm:"primaryKey"`
	Balance       int64
	LastSeq       int64
	LastHash      []byte
	LastAt        time.Time
	NegativeSince *time.Time
}

func (head) TableName() string { return "accounts" }

// Post appends one entry to the operation's account: the head moves in one conditional update, which
// takes the account's lock; the entry itself is written with the operation's result. An operation
// may post once an account.
//
// A charge is refused with insufficient_credits when the balance does not cover it or is below
// zero, with account_frozen when the account is frozen. Any posting is refused with
// account_inconsistent when the head differs from the newest entry and with amount_overflow when
// the balance would not fit; both surface when the operation commits.
func (s *Service) Post(ctx context.Context, tx *operation.Tx, p Posting) (Posted, error) {
	ctx, span := s.ops.Step(ctx, "entry "+string(p.Type))
	defer span.End()
	row, moved, err := moveHead(ctx, tx, p)
	for err == nil && !moved {
		// Zero rows, and then a look at why: credits that arrived in between are there, so the guard decides again.
		if err = s.whyNot(ctx, tx, p); err == nil {
			row, moved, err = moveHead(ctx, tx, p)
		}
	}
	if err != nil {
		return Posted{}, err
	}
	// The trigger continues the chain from the hash we saw on the head and refuses if the newest
	// entry has another.
	entry := tx.Finally(`INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id,
			rollout_id, cohort, rule_version, actor, trace_id, category, reference, reason, created_at, hash)
		VALUES (?, ?, ?, ?, ?, NULLIF(?::bigint, 0), ?, ?, ?, ?, ?, ?::bytea, NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), ?, ?::bytea)
		RETURNING account_key, amount, created_at, hash`,
		tx.AccountKey, row.LastSeq, string(p.Type), p.Amount, row.Balance, p.JobKey, tx.Request.ID,
		p.RolloutID, p.Cohort, p.RuleVersion, tx.Request.Actor.String(), tx.TraceID,
		p.Category, p.Reference, p.Reason, row.LastAt, row.LastHash)
	// An account is below zero since the entry that took it there, to the microsecond: the time the head
	// was moved and the entry's are two looks at the clock.
	tx.Finally(`UPDATE accounts SET last_hash = e.hash, negative_since = CASE WHEN accounts.balance < 0 AND accounts.balance - e.amount >= 0
			THEN e.created_at ELSE accounts.negative_since END
		FROM ` + entry + ` e WHERE accounts.key = e.account_key`)

	if span.IsRecording() {
		span.SetAttributes(attribute.String("recoup.entry_type", string(p.Type)), attribute.Int64("recoup.amount", p.Amount),
			attribute.Int64("recoup.entry_seq", row.LastSeq), attribute.Int64("recoup.balance_after", row.Balance))
		p.describe(span)
	}
	tx.AfterCommit(func() {
		kind := metric.WithAttributes(attribute.String("type", string(p.Type)))
		s.entries.Add(ctx, 1, kind)
		s.credits.Add(ctx, math.Abs(float64(p.Amount)), kind)
	})
	return Posted{Seq: row.LastSeq, Type: p.Type, Amount: p.Amount, BalanceAfter: row.Balance, CreatedAt: row.LastAt.UTC()}, nil
}

// moveHead is the one conditional update that moves an account's head. moved is false where the guard did not let it.
func moveHead(ctx context.Context, tx *operation.Tx, p Posting) (row head, moved bool, err error) {
	q := tx.DB.WithContext(ctx).Model(&row).Clauses(clause.Returning{Columns: []clause.Column{
		{Name: "balance"}, {Name: "last_seq"}, {Name: "last_hash"}, {Name: "last_at"}}}).
		Where("key = ?", tx.AccountKey)
	if p.Type == Charge {
		q = q.Where("balance >= 0 AND balance >= ? AND frozen_at IS NULL", -p.Amount)
	}
	res := q.Updates(map[string]any{
		"balance":        gorm.Expr("balance + ?", p.Amount),
		"last_seq":       gorm.Expr("last_seq + 1"),
		"last_at":        gorm.Expr("GREATEST(clock_timestamp(), last_at + interval '1 microsecond')"),
		"negative_since": gorm.Expr("CASE WHEN balance + ? < 0 THEN COALESCE(negative_since, clock_timestamp()) END", p.Amount),
	})
	if res.Error != nil {
		return row, false, fmt.Errorf("ledger: move head: %w", res.Error)
	}
	return row, res.RowsAffected == 1, nil
}

// describe puts the decision that priced an entry on its span.
func (a Attribution) describe(span trace.Span) {
	for name, value := range map[string]*string{operation.AttrRolloutID: a.RolloutID, operation.AttrCohort: a.Cohort,
		operation.AttrRuleVersion: a.RuleVersion} {
		if value != nil {
			span.SetAttributes(attribute.String(name, *value))
		}
	}
}

// whyNot reads, in a statement of its own, why the head did not move: the statement that waits for a
// lock shows the loser a stale row. It returns nil when nothing stands in the way any more.
func (s *Service) whyNot(ctx context.Context, tx *operation.Tx, p Posting) error {
	var row struct {
		ID       string
		Balance  int64
		FrozenAt *time.Time
		Whole    bool
	}
	res := tx.DB.WithContext(ctx).Raw(`SELECT a.id, a.balance, a.frozen_at, `+headIsWhole+` AS whole
		FROM accounts a `+newestEntry+` WHERE a.key = ?`, tx.AccountKey).Scan(&row)
	if res.Error != nil {
		return fmt.Errorf("ledger: read account: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return fault.New(fault.NotFound, fault.CodeAccountNotFound, "The account does not exist. Nothing was written.")
	}
	if !row.Whole {
		// What the head says of the balance is not to be believed.
		return db.Inconsistent()
	}
	if row.FrozenAt != nil {
		return fault.New(fault.Conflict, fault.CodeAccountFrozen, "Account %s is frozen: it takes no charges. Nothing was charged.", row.ID)
	}
	if p.Type == Charge && row.Balance >= 0 && row.Balance >= -p.Amount {
		return nil
	}
	return fault.New(fault.Payment, fault.CodeInsufficientCredits,
		"The balance of account %s is %d, the cost is %d. Nothing was charged.", row.ID, row.Balance, -p.Amount).
		With("balance", row.Balance).With("cost", -p.Amount)
}
