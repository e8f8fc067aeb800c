package operation

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"recoup/models/db"
)

// The three ways a claim can end. claimLost says no more than that the row is not ours: a twin committed
// while we waited, the input differs, or the account does not exist. known finds out which.
type claimed int

const (
	claimLost claimed = iota
	claimWon
	claimReplayed
)

// One statement claims the operation or, where it was applied before with the very same input, counts
// the replay and brings the stored result: most retries need no more than this.
//
// The wait for a running twin is bounded by lock_timeout, which the RETURNING clause puts back once the
// row is ours, so that the wait for accounts keeps its own bound without another statement. A row that
// a twin commits while we wait is not visible to this statement any more: that is a claim lost.
const (
	claimHead = `WITH t AS MATERIALIZED (SELECT set_config('lock_timeout', $9, true)),
		won AS (INSERT INTO operations (account_key, scope, id, kind, input_version, input, actor, request_id, trace_id)
			SELECT `
	claimValues = `, $2, $3, $11, $4::smallint, $5::json, $6, $7, $8::bytea FROM t`
	claimTail   = ` ON CONFLICT DO NOTHING
			RETURNING account_key, started_at, set_config('lock_timeout', $10, true)), `
	claimAnswer = ` SELECT account_key, started_at, NULL::text, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::text, NULL::int FROM won
		UNION ALL ` + replayAnswer

	// replayThere finds the stored operation of the same input; the account's key and perhaps a further
	// condition follow.
	replayThere = `there AS (SELECT o.account_key, o.scope, o.id, o.result::text AS result, o.job_key, ` + servedPrice + `,
				j.id AS job_id, j.rule_version, j.rollout_id, j.cohort
			FROM operations o LEFT JOIN jobs j ON j.account_key = o.account_key AND j.key = o.job_key
			WHERE o.scope = $2 AND o.id = $3 AND o.result IS NOT NULL
				AND o.input_version = $4::smallint AND o.input::text = $5::text AND o.account_key = `
	replayCount = `),
		counted AS (INSERT INTO operation_attempts (account_key, scope, operation_id, attempt, outcome, price, rule_version, actor, request_id, trace_id)
			SELECT account_key, scope, id,
				2 + (SELECT count(*) FROM operation_attempts p WHERE (p.account_key, p.scope, p.operation_id) = (there.account_key, there.scope, there.id)),
				'replayed', served_price, served_rule, $6, $7, $8::bytea
			FROM there RETURNING attempt)`
	replayAnswer = ` SELECT account_key, NULL::timestamptz, result, job_key, job_id, rule_version, rollout_id, cohort, attempt FROM there, counted`

	// $1 is the account: by the caller's id or by its key.
	accountByID  = `(SELECT key FROM accounts WHERE id = $1::text)`
	accountByKey = `$1::bigint`
	ifNotWon     = ` AND NOT EXISTS (SELECT 1 FROM won)`

	claimInAccount  = claimHead + `a.key` + claimValues + `, accounts a WHERE a.id = $1::text` + claimTail + replayThere + accountByID + ifNotWon + replayCount + claimAnswer
	claimByKey      = claimHead + accountByKey + claimValues + claimTail + replayThere + accountByKey + ifNotWon + replayCount + claimAnswer
	replayInAccount = `WITH ` + replayThere + accountByID + replayCount + replayAnswer
	replayByKey     = `WITH ` + replayThere + accountByKey + replayCount + replayAnswer
)

// servedPrice is price and rule version that the stored result o of a charge tells whoever sends it again. They are read from that
// text and not from the job, so that the checks of a rollout compare what was really said; a cost that is no whole number is none.
const servedPrice = `CASE WHEN o.kind = 'charge' AND o.result #>> '{job,cost}' ~ '^[0-9]{1,18}$' THEN (o.result #>> '{job,cost}')::bigint END AS served_price,
				CASE o.kind WHEN 'charge' THEN o.result #>> '{job,rule_version}' END AS served_rule`

// answer is the one row that the statements above return.
type answer struct {
	stored    Stored
	startedAt *time.Time
	attempt   *int
}

func (a *answer) scan(row *sql.Row) error {
	return row.Scan(&a.stored.AccountKey, &a.startedAt, &a.stored.Result, &a.stored.JobKey, &a.stored.JobID,
		&a.stored.RuleVersion, &a.stored.RolloutID, &a.stored.Cohort, &a.attempt)
}

// replayed is the outcome of an answer from the stored row.
func (a *answer) replayed(ctx context.Context) Outcome {
	describe(ctx, a.stored)
	if a.attempt != nil {
		trace.SpanFromContext(ctx).SetAttributes(attribute.Int(AttrSend, *a.attempt))
	}
	return Outcome{Replayed: true, Result: json.RawMessage(*a.stored.Result)}
}

// claim makes the operation's row, or answers from the one that is there.
func (s *Store) claim(ctx context.Context, tx *Tx, input string) (claimed, Outcome, error) {
	r := tx.Request
	statement, account := claimByKey, any(r.Scope.AccountKey)
	if r.Scope.AccountID != "" {
		statement, account = claimInAccount, r.Scope.AccountID
	}
	var a answer
	err := a.scan(db.Row(ctx, tx.DB, statement, account, r.Scope.Name, r.ID, inputVersion, input, r.Actor.String(), r.RequestID, tx.TraceID,
		msText(s.opts.Wait), msText(s.opts.LockTimeout), r.Kind))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return claimLost, Outcome{}, nil
	case db.Code(err) == "55P03":
		return claimLost, Outcome{}, inProgress()
	case err != nil:
		return claimLost, Outcome{}, fmt.Errorf("operation: claim: %w", err)
	case a.startedAt != nil:
		tx.AccountKey, tx.StartedAt = a.stored.AccountKey, *a.startedAt
		return claimWon, Outcome{}, nil
	}
	return claimReplayed, a.replayed(ctx), nil
}

// replay answers, outside a transaction, from the stored row of the same operation with the same input;
// ok is false when there is none.
func (s *Store) replay(ctx context.Context, r Request, input string) (out Outcome, ok bool, err error) {
	statement, account := replayByKey, any(r.Scope.AccountKey)
	if r.Scope.AccountID != "" {
		statement, account = replayInAccount, r.Scope.AccountID
	}
	var a answer
	err = a.scan(db.Row(ctx, s.g, statement, account, r.Scope.Name, r.ID, inputVersion, input, r.Actor.String(), r.RequestID, TraceID(ctx)))
	if errors.Is(err, sql.ErrNoRows) {
		return Outcome{}, false, nil
	}
	if err != nil {
		return Outcome{}, false, db.Fault(fmt.Errorf("operation: replay: %w", err))
	}
	return a.replayed(ctx), true, nil
}
