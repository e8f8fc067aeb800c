package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// payments holds what settlements paid against what was approved and against the entries: one row a problem, with the
// account, the entry, the job, what is expected, what was found, and a sentence. $1 and $2 limit it to accounts.
const payments = `WITH p AS (SELECT p.*, a.id AS account_id, j.id AS job, j.cost, j.delivered_at, j.rollout_id AS job_rollout, j.cohort,
			s.id AS settlement, s.rollout_id AS of_rollout, s.approved_at, i.amount AS due, i.charged
		FROM settlement_payments p JOIN accounts a ON a.key = p.account_key LEFT JOIN jobs j ON j.account_key = p.account_key AND j.key = p.job_key
		LEFT JOIN settlements s ON s.key = p.settlement_key
		LEFT JOIN settlement_items i ON i.settlement_key = p.settlement_key AND i.account_key = p.account_key AND i.job_key = p.job_key
		WHERE ($1 = '' OR a.id = $1) AND ($2 = '' OR starts_with(a.id, $2)))
	SELECT account_id, 0::bigint AS seq, COALESCE(min(job), '') AS job, 'payments 1' AS expected, 'payments ' || count(*) AS found,
			'The job was paid ' || count(*) || ' times for rollout ' || rollout_id || '.' AS message
		FROM p GROUP BY account_id, rollout_id, job_key HAVING count(*) > 1
	UNION ALL SELECT p.account_id, COALESCE(p.entry_seq, 0), COALESCE(p.job, ''), 'type adjustment, amount ' || p.amount || ', operation ' || p.operation_id || ', rollout ' || p.rollout_id,
			COALESCE('type ' || e.type || ', amount ' || e.amount || ', operation ' || e.operation_id || ', rollout ' || COALESCE(e.rollout_id, 'none'), 'no entry'),
			'The payment of the job by settlement ' || COALESCE(p.settlement, 'unknown') || ' is not the entry that it names.'
		FROM p LEFT JOIN entries e ON e.account_key = p.account_key AND e.seq = p.entry_seq
		WHERE p.entry_seq IS NOT NULL AND (e.type, e.amount, e.operation_id, e.rollout_id) IS DISTINCT FROM ('adjustment', p.amount, p.operation_id, p.rollout_id)
	UNION ALL SELECT p.account_id, COALESCE(p.entry_seq, 0), COALESCE(p.job, ''), 'an approved settlement, rollout ' || p.rollout_id || ', amount ' || COALESCE(p.due::text, 'none'),
			COALESCE('settlement ' || p.settlement, 'no settlement') || CASE WHEN p.approved_at IS NULL THEN ', not approved' ELSE '' END
				|| ', rollout ' || COALESCE(p.of_rollout, 'none') || ', amount ' || p.amount,
			'The payment of the job is not what a second person approved.'
		FROM p WHERE p.approved_at IS NULL OR p.of_rollout IS DISTINCT FROM p.rollout_id OR p.due IS DISTINCT FROM p.amount
	UNION ALL SELECT p.account_id, COALESCE(p.entry_seq, 0), COALESCE(p.job, ''), 'delivered, charge ' || COALESCE(p.charged::text, 'none') || ', rollout ' || p.rollout_id || ', cohort candidate',
			CASE WHEN p.job IS NULL THEN 'no job' WHEN p.delivered_at IS NULL THEN 'not delivered'
				ELSE 'delivered, charge ' || p.cost || ', rollout ' || COALESCE(p.job_rollout, 'none') || ', cohort ' || p.cohort END,
			'The job that was paid was not delivered under the candidate for what the settlement says.'
		FROM p WHERE p.delivered_at IS NULL OR (p.job_rollout, p.cohort, p.cost) IS DISTINCT FROM (p.rollout_id, 'candidate', p.charged)
	UNION ALL SELECT a.id, e.seq, '', 'a payment of a settlement', 'none', 'The adjustment names rollout ' || e.rollout_id || ' and no settlement has paid it.'
		FROM entries e JOIN accounts a ON a.key = e.account_key WHERE e.rollout_id IS NOT NULL AND e.type = 'adjustment'
			AND NOT EXISTS (SELECT 1 FROM settlement_payments p WHERE p.account_key = e.account_key AND p.entry_seq = e.seq)
			AND ($1 = '' OR a.id = $1) AND ($2 = '' OR starts_with(a.id, $2))
	ORDER BY 1, 3, 2`

// payments looks at what settlements have paid.
func (r *run) payments(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			return each(ctx, tx, func(row [][]byte) error {
				return r.problem(Problem{Check: CheckPayment, AccountID: string(row[0]), Seq: int64Of(row[1]), JobID: string(row[2]), Expected: string(row[3]), Found: string(row[4]),
					Message: string(row[5])})
			}, payments, r.opts.AccountID, r.opts.Prefix)
		})
	})
	if err != nil {
		return fmt.Errorf("payments: %w", err)
	}
	return nil
}
