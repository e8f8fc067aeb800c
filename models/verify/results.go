package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// resultsDiffer holds the entries of a batch against the stored results of their operations: one row an entry that
// its operation does not say, and one a result whose entry is nowhere. %operations and %entries are the conditions of
// the batch.
//
// Whoever rewrites an entry with its hash and the head leaves a whole chain; what the operation answered when it was
// written still says otherwise. Values are compared as texts, so that a forged result is named and does not end the
// run. Both sides are hashed by the database, which keeps on disk what does not fit its memory.
//
// A worker's report keeps the entry one level deeper, with the signal that it amounts to. The operation also has its actor, and of a grant or an adjustment digests of amount, category, reference and reason.
const resultsDiffer = `WITH o AS (SELECT account_key, id, kind, actor, job_key, COALESCE(result -> 'entry', result -> 'signal' -> 'entry') AS entry,
			CASE WHEN kind IN ('grant', 'adjustment') AND input_version = 1 THEN input END AS input,
			CASE WHEN kind = 'settlement_payment' THEN result ->> 'settlement' END AS settlement
		FROM operations WHERE %operations AND scope IN ('', 'system') AND result IS NOT NULL OFFSET 0),
	r AS (SELECT account_key, id, actor, job_key, input, settlement, entry ->> 'seq' AS seq, entry ->> 'type' AS type, entry ->> 'amount' AS amount,
			entry ->> 'balance_after' AS balance_after FROM o WHERE json_typeof(entry) = 'object' OFFSET 0),
	e AS (SELECT account_key, seq, type, amount, balance_after, job_key, operation_id, actor, category, reference, reason FROM entries WHERE %entries),
	both_ AS (SELECT e.account_key, e.seq, e.type, e.amount, e.balance_after, e.job_key, e.operation_id, e.actor,
			r.account_key AS r_account, r.id AS r_id, r.seq AS r_seq, r.type AS r_type, r.amount AS r_amount, r.balance_after AS r_balance, r.job_key AS r_job, r.actor AS r_actor,
			r.input IS NOT NULL AND (r.input ->> 'amount') IS DISTINCT FROM encode(substring(sha256('i'::bytea || int8send(e.amount)) FOR 16), 'hex') AS other_amount,
			CASE WHEN r.input IS NOT NULL THEN (r.input ->> 'category') IS DISTINCT FROM encode(substring(sha256('s'::bytea || convert_to(e.category, 'UTF8')) FOR 16), 'hex')
				ELSE e.category IS NOT NULL END AS other_category,
			CASE WHEN r.input IS NOT NULL THEN (r.input ->> 'reference') IS DISTINCT FROM encode(substring(sha256('s'::bytea || convert_to(e.reference, 'UTF8')) FOR 16), 'hex')
				ELSE e.reference IS DISTINCT FROM r.settlement END AS other_reference,
			CASE WHEN r.input IS NOT NULL THEN (r.input ->> 'reason') IS DISTINCT FROM encode(substring(sha256('s'::bytea || convert_to(e.reason, 'UTF8')) FOR 16), 'hex')
				ELSE r.settlement IS NULL AND e.reason IS NOT NULL END AS other_reason
		FROM e FULL JOIN r ON r.account_key = e.account_key AND r.id = e.operation_id AND r.seq = e.seq::text),
	bad AS MATERIALIZED (SELECT * FROM both_ WHERE r_id IS NULL OR seq IS NULL
		OR (type, amount::text, balance_after::text, actor) IS DISTINCT FROM (r_type, r_amount, r_balance, r_actor)
		OR job_key IS NOT NULL AND job_key IS DISTINCT FROM r_job OR other_amount OR other_category OR other_reference OR other_reason)
	SELECT COALESCE(bad.account_key, r_account), COALESCE(bad.seq, 0), COALESCE(bad.operation_id, r_id),
		bad.seq::text, bad.type, bad.amount::text, bad.balance_after::text, bad.actor, bad.job_key::text,
		COALESCE(r_seq, s.seq), COALESCE(r_type, s.type), COALESCE(r_amount, s.amount), COALESCE(r_balance, s.balance_after), COALESCE(r_actor, s.actor), COALESCE(r_job, s.job_key)::text,
		other_amount AND r_id IS NOT NULL, other_category AND r_id IS NOT NULL, other_reference AND r_id IS NOT NULL, other_reason AND r_id IS NOT NULL
	FROM bad LEFT JOIN LATERAL (SELECT r.* FROM r WHERE bad.r_id IS NULL AND r.account_key = bad.account_key AND r.id = bad.operation_id LIMIT 1) s ON true
	WHERE bad.seq IS NOT NULL OR NOT EXISTS (SELECT 1 FROM entries x WHERE x.account_key = r_account AND x.operation_id = r_id)
	ORDER BY 1, 2`

func resultsOf(operations, entries string) string {
	return strings.NewReplacer("%operations", operations, "%entries", entries).Replace(resultsDiffer)
}

// readResults compares the entries of a batch with what their operations answered.
func (w *worker) readResults(ctx context.Context, tx pgx.Tx, b batch) error {
	return each(ctx, tx, func(row [][]byte) error {
		p := resultProblem(row)
		if h := w.head(int64Of(row[0])); h != nil {
			p.AccountID = h.id
		}
		return w.run.problem(p)
	}, resultsOf(b.in("account_key"), b.in("account_key")), b.args()...)
}

// resultProblem words a row of resultsDiffer; the account is left to the caller.
func resultProblem(row [][]byte) Problem {
	p := Problem{Check: CheckResult, Seq: int64Of(row[1])}
	entry, result := row[3:9], row[9:15]
	operation := "Operation " + string(row[2])
	switch {
	case entry[0] == nil:
		p.Check, p.Expected, p.Found = CheckCut, describeResult(result), "no entry"
		p.Message = operation + " answered with an entry that is not there."
	case result[0] == nil:
		p.Expected, p.Found = "an operation that answered with it", "none"
		p.Message = operation + " of the entry is not there, or answered with no entry."
	default:
		p.Expected, p.Found = describeDifferences(entry, result, row[15:19])
		p.Message = operation + " says otherwise than its entry."
	}
	return p
}

// EntryDiffers holds one entry against its operation, as a run does for all: nil when the operation says the same.
func (v *Verifier) EntryDiffers(ctx context.Context, account string, seq int64) (*Problem, error) {
	var found *Problem
	err := v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			var key int64
			var operation string
			err := tx.QueryRow(ctx, `SELECT e.account_key, e.operation_id FROM entries e JOIN accounts a ON a.key = e.account_key WHERE a.id = $1 AND e.seq = $2`,
				pgx.QueryExecModeExec, account, seq).Scan(&key, &operation)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			return each(ctx, tx, func(row [][]byte) error {
				if p := resultProblem(row); p.Seq == seq {
					p.AccountID, found = account, &p
				}
				return nil
			}, resultsOf("account_key = $1 AND id = $2", "account_key = $1 AND seq = $3"), key, operation, seq)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("verify: entry against operation: %w", err)
	}
	return found, nil
}

// otherResults counts what resultsDiffer finds of one account, within a transaction of gorm's.
func otherResults(g *gorm.DB, account int64) (int64, error) {
	var n int64
	err := g.Raw(`SELECT count(*) FROM (`+resultsOf("account_key = @account", "account_key = @account")+`) x`, map[string]any{"account": account}).Scan(&n).Error
	return n, err
}

// resultNames are the values of an entry that a result repeats, in the order of resultsDiffer.
func resultNames() []string {
	return []string{"seq", "type", "amount", "balance_after", "actor", "job_key"}
}

func describeResult(result [][]byte) string {
	var out []string
	for i, name := range resultNames() {
		if result[i] != nil {
			out = append(out, name+" "+string(result[i]))
		}
	}
	return strings.Join(out, ", ")
}

// describeDifferences names what differs. digests tell of amount, category, reference and reason, of which an
// operation keeps no more than that.
func describeDifferences(entry, result, digests [][]byte) (expected, found string) {
	var want, got []string
	text := func(b []byte) string {
		if b == nil {
			return "none"
		}
		return string(b)
	}
	for i, name := range resultNames() {
		// An operation of an account may name a job that its entry does not: the payment of a settlement does.
		if name == "job_key" && entry[i] == nil {
			continue
		}
		if text(entry[i]) != text(result[i]) {
			want, got = append(want, name+" "+text(result[i])), append(got, name+" "+text(entry[i]))
		}
	}
	for i, name := range []string{"amount", "category", "reference", "reason"} {
		if boolOf(digests[i]) {
			want, got = append(want, name+" as it was asked for"), append(got, "another "+name)
		}
	}
	return strings.Join(want, ", "), strings.Join(got, ", ")
}
