package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Jobs that are given up and whose dead letter does not say so, and open dead letters whose job is not dead in their
// generation. $1 and $2 restrict the accounts, as for operations.
const (
	jobsWithoutLetter = `SELECT a.id, j.id, j.state, j.generation::text, j.is_refunded::text,
			COALESCE(CASE WHEN d.closed_at IS NULL THEN 'open' ELSE d.outcome END, 'none'), COALESCE(d.generation, j.generation)::text, COALESCE(d.refunded, j.is_refunded)::text
		FROM jobs j JOIN accounts a ON a.key = j.account_key
		LEFT JOIN dead_letters d ON d.account_key = j.account_key AND d.job_key = j.key AND d.generation = j.generation
		WHERE j.dead_at IS NOT NULL AND ($1 = '' OR a.id = $1) AND ($2 = '' OR starts_with(a.id, $2))
			AND (d.job_key IS NULL OR d.dead_at <> j.dead_at OR d.refunded <> j.is_refunded
				OR CASE WHEN j.state = 'dead' THEN d.closed_at IS NOT NULL ELSE d.outcome <> j.state END)
		ORDER BY a.key, j.key`
	lettersWithoutJob = `SELECT a.id, j.id, j.state, j.generation::text, j.is_refunded::text, 'open', d.generation::text, d.refunded::text
		FROM dead_letters d JOIN jobs j ON j.account_key = d.account_key AND j.key = d.job_key JOIN accounts a ON a.key = d.account_key
		WHERE d.closed_at IS NULL AND (j.dead_at IS NULL OR j.generation <> d.generation) AND ($1 = '' OR a.id = $1) AND ($2 = '' OR starts_with(a.id, $2))
		ORDER BY a.key, j.key, d.generation`
)

// letters holds the dead letters against the jobs: one problem a row that differs.
func (r *run) letters(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			for _, c := range []struct{ sql, message string }{
				{jobsWithoutLetter, "The job is given up, and its dead letter is missing or says otherwise."},
				{lettersWithoutJob, "A dead letter is open though its job is not dead in that generation."},
			} {
				err := each(ctx, tx, func(row [][]byte) error {
					return r.problem(Problem{Check: CheckLetter, AccountID: string(row[0]), JobID: string(row[1]), Message: c.message,
						Expected: fmt.Sprintf("%s, generation %s, refunded %s", row[2], row[3], row[4]),
						Found:    fmt.Sprintf("%s, generation %s, refunded %s", row[5], row[6], row[7])})
				}, c.sql, r.opts.AccountID, r.opts.Prefix)
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	return nil
}
