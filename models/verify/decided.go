package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// priceOf is what so many units cost under a rule version, d and r, by whole numbers alone: another way to the figure than the program's.
const priceOf = `GREATEST(r.minimum, div(n.n, 10000000) + CASE r.rounding WHEN 'up' THEN (mod(n.n, 10000000) > 0)::int WHEN 'down' THEN 0
		ELSE (2 * mod(n.n, 10000000) > 10000000 OR 2 * mod(n.n, 10000000) = 10000000 AND mod(div(n.n, 10000000), 2) = 1)::int END)`

// decidedPrices are the decisions whose price is not that of their units under their rule version, or whose rule version is one of
// another action. $1 and $2 restrict the accounts, as for operations.
const decidedPrices = `SELECT a.id, d.operation_id, COALESCE(` + priceOf + `::text, 'none'), d.price::text, d.units::text, d.rule_version
	FROM decisions d JOIN accounts a ON a.key = d.account_key LEFT JOIN rule_versions r ON r.id = d.rule_version AND r.action = d.action
		CROSS JOIN LATERAL (SELECT d.units::numeric * r.unit_price * (10000 - r.discount_bps) AS n) n
	WHERE ($1 = '' OR a.id = $1) AND ($2 = '' OR starts_with(a.id, $2)) AND ` + priceOf + ` IS DISTINCT FROM d.price
	ORDER BY a.key, d.operation_id`

// digestOf is the first eight bytes of the digest of salt and account, as a number with a sign.
const digestOf = `('x' || encode(substring(sha256('recoup-bucket-v1'::bytea || '\x00'::bytea || convert_to(ro.salt, 'UTF8') || '\x00'::bytea
		|| convert_to(a.id, 'UTF8')) FOR 8), 'hex'))::bit(64)::bigint`

// bucketOf is an account's bucket for a salt. The digest is meant without a sign: 2^64 more where it is below zero, which leaves 51616.
const bucketOf = `(CASE WHEN ` + digestOf + ` < 0 THEN ` + digestOf + ` % 100000 + 151616 ELSE ` + digestOf + ` % 100000 END % 100000)`

// decidedBuckets are the decisions within a rollout that name another bucket than the account's.
const decidedBuckets = `SELECT a.id, d.operation_id, (` + bucketOf + `)::text, COALESCE(d.bucket::text, 'none'), d.rollout_id
	FROM decisions d JOIN accounts a ON a.key = d.account_key JOIN rollouts ro ON ro.id = d.rollout_id
	WHERE ($1 = '' OR a.id = $1) AND ($2 = '' OR starts_with(a.id, $2)) AND ` + bucketOf + ` IS DISTINCT FROM d.bucket
	ORDER BY a.key, d.operation_id`

// approvals are the change requests whose operation says otherwise: what was approved has its result, what was not has none.
const approvals = `SELECT COALESCE(a.id, ''), c.id, c.state, CASE WHEN o.id IS NULL THEN 'no operation' WHEN o.result IS NULL THEN 'no result' ELSE 'a result' END
	FROM change_requests c LEFT JOIN accounts a ON a.key = c.account_key
		LEFT JOIN operations o ON o.account_key = c.account_key AND o.scope = c.scope AND o.id = c.operation_id
	WHERE ($1 = '' OR a.id = $1) AND ($2 = '' OR starts_with(a.id, $2)) AND (o.id IS NULL OR (c.state = 'approved') <> (o.result IS NOT NULL))
	ORDER BY c.key`

// decided computes prices and buckets of all decisions anew.
func (r *run) decided(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			err := each(ctx, tx, func(row [][]byte) error {
				return r.problem(Problem{Check: CheckPrice, AccountID: string(row[0]), Expected: string(row[2]), Found: string(row[3]),
					Message: fmt.Sprintf("The decision of operation %s has another price than %s units cost under %s.", row[1], row[4], row[5])})
			}, decidedPrices, r.opts.AccountID, r.opts.Prefix)
			if err != nil {
				return err
			}
			return each(ctx, tx, func(row [][]byte) error {
				return r.problem(Problem{Check: CheckBucket, AccountID: string(row[0]), Expected: string(row[2]), Found: string(row[3]),
					Message: fmt.Sprintf("The decision of operation %s has another bucket than the account has for rollout %s.", row[1], row[4])})
			}, decidedBuckets, r.opts.AccountID, r.opts.Prefix)
		})
	})
	if err != nil {
		return fmt.Errorf("decisions: %w", err)
	}
	return nil
}

// approvals holds what second people decided against what was applied.
func (r *run) approvals(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			return each(ctx, tx, func(row [][]byte) error {
				p := Problem{Check: CheckApproval, AccountID: string(row[0]), Expected: "no result", Found: string(row[3]),
					Message: fmt.Sprintf("The change request %s is %s, and its operation was applied.", row[1], row[2])}
				if string(row[2]) == "approved" {
					p.Expected, p.Message = "a result", fmt.Sprintf("The change request %s is approved, and its operation was not applied.", row[1])
				} else if string(row[3]) == "no operation" {
					p.Message = fmt.Sprintf("The operation of the change request %s is not there.", row[1])
				}
				return r.problem(p)
			}, approvals, r.opts.AccountID, r.opts.Prefix)
		})
	})
	if err != nil {
		return fmt.Errorf("change requests: %w", err)
	}
	return nil
}
