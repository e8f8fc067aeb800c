package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// tallies holds the tallies of open dead letters against the dead letters: one row a difference.
const tallies = `SELECT COALESCE(r.fingerprint, t.fingerprint),
		COALESCE(r.open, 0) || ' of ' || COALESCE(r.accounts, 0) || ' accounts, ' || COALESCE(r.refunded, 0) || ' and ' || COALESCE(r.charged, 0) || ' credits',
		COALESCE(t.open, 0) || ' of ' || COALESCE(t.accounts, 0) || ' accounts, ' || COALESCE(t.refunded, 0) || ' and ' || COALESCE(t.charged, 0) || ' credits'
	FROM (SELECT fingerprint, account_key % 16 AS shard, count(*) AS open, count(DISTINCT account_key) AS accounts, COALESCE(sum(cost) FILTER (WHERE refunded), 0) AS refunded,
			COALESCE(sum(cost) FILTER (WHERE NOT refunded), 0) AS charged FROM dead_letters WHERE closed_at IS NULL AND fingerprint <> '' GROUP BY 1, 2) r
		FULL JOIN dead_letter_tallies t ON t.fingerprint = r.fingerprint AND t.shard = r.shard
	WHERE (COALESCE(r.open, 0), COALESCE(r.accounts, 0), COALESCE(r.refunded, 0), COALESCE(r.charged, 0))
		IS DISTINCT FROM (COALESCE(t.open, 0), COALESCE(t.accounts, 0), COALESCE(t.refunded, 0), COALESCE(t.charged, 0))
	ORDER BY 1`

// tallies looks at what lists of dead letters count.
func (r *run) tallies(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			return each(ctx, tx, func(row [][]byte) error {
				return r.problem(Problem{Check: CheckTally, Expected: string(row[1]), Found: string(row[2]),
					Message: fmt.Sprintf("The tally of the group %s is not the sum of its open dead letters.", row[0])})
			}, tallies)
		})
	})
	if err != nil {
		return fmt.Errorf("tallies: %w", err)
	}
	return nil
}
