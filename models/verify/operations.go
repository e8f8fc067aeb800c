package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// operations looks for operations that were committed without a result, other than those that wait for a
// second person or whose change request was voided. There is no index to find them by, since one would cost
// every operation a second index write: this is one scan a run.
func (r *run) operations(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			return each(ctx, tx, func(row [][]byte) error {
				p := Problem{Check: CheckOperation, AccountID: string(row[0]), Expected: "a result", Found: "none",
					Message: fmt.Sprintf("Operation %q (%s) was committed without a result.", row[1], row[2])}
				return r.problem(p)
			}, `SELECT COALESCE(a.id, ''), o.id, o.kind FROM operations o LEFT JOIN accounts a ON a.key = o.account_key
				WHERE o.result IS NULL AND NOT EXISTS (SELECT 1 FROM change_requests c WHERE c.state <> 'approved'
					AND (c.account_key, c.scope, c.operation_id) = (o.account_key, o.scope, o.id)) AND ($1 = '' OR a.id = $1) AND ($2 = '' OR starts_with(a.id, $2))`,
				r.opts.AccountID, r.opts.Prefix)
		})
	})
	if err != nil {
		return fmt.Errorf("operations: %w", err)
	}
	return nil
}
