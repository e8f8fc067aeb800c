package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/rollup"
)

// What the quarters must be, by the entries they cover, beside what they are; and the same of the days by the
// quarters. $1 is the moment that quarters or days go up to.
const (
	quartersDiffer = `SELECT COALESCE(e.bucket, q.bucket), COALESCE(e.type, q.type), COALESCE(e.rule_version, q.rule_version),
			COALESCE(e.rollout_id, q.rollout_id), COALESCE(e.cohort, q.cohort), COALESCE(e.category, q.category),
			COALESCE(e.count, 0)::text, COALESCE(e.amount, 0)::text, COALESCE(q.count, 0)::text, COALESCE(q.amount, 0)::text
		FROM (SELECT date_bin('15 minutes', created_at, 'epoch') AS bucket, type, COALESCE(rule_version, '') AS rule_version,
				COALESCE(rollout_id, '') AS rollout_id, COALESCE(cohort, '') AS cohort, COALESCE(category, '') AS category,
				count(*) AS count, sum(amount) AS amount
			FROM entries WHERE created_at < $1 GROUP BY 1, 2, 3, 4, 5, 6) e
		FULL JOIN rollup_quarters q ON (q.bucket, q.type, q.rule_version, q.rollout_id, q.cohort, q.category)
			= (e.bucket, e.type, e.rule_version, e.rollout_id, e.cohort, e.category)
		WHERE e.count IS DISTINCT FROM q.count OR e.amount IS DISTINCT FROM q.amount OR q.bucket >= $1 ORDER BY 1, 2, 3, 4, 5, 6`
	daysDiffer = `SELECT COALESCE(q.starts, d.starts), COALESCE(q.type, d.type), COALESCE(q.rule_version, d.rule_version),
			COALESCE(q.rollout_id, d.rollout_id), COALESCE(q.cohort, d.cohort), COALESCE(q.category, d.category),
			COALESCE(q.count, 0)::text, COALESCE(q.amount, 0)::text, COALESCE(d.count, 0)::text, COALESCE(d.amount, 0)::text
		FROM (SELECT w.starts, w.ends, q.type, q.rule_version, q.rollout_id, q.cohort, q.category, sum(q.count) AS count, sum(q.amount) AS amount
			FROM (SELECT DISTINCT starts, ends FROM rollup_days) w JOIN rollup_quarters q ON q.bucket >= w.starts AND q.bucket < w.ends
			GROUP BY 1, 2, 3, 4, 5, 6, 7) q
		FULL JOIN rollup_days d ON (d.starts, d.type, d.rule_version, d.rollout_id, d.cohort, d.category)
			= (q.starts, q.type, q.rule_version, q.rollout_id, q.cohort, q.category)
		WHERE q.count IS DISTINCT FROM d.count OR q.amount IS DISTINCT FROM d.amount OR d.starts >= $1 ORDER BY 1, 2, 3, 4, 5, 6`
	// A day that is missing altogether: quarters that no day covers though a later or an earlier one is there.
	daysMissing = `SELECT q.bucket, q.type, q.rule_version, q.rollout_id, q.cohort, q.category, q.count::text, q.amount::text, '0', '0'
		FROM rollup_quarters q WHERE q.bucket < $1 AND NOT EXISTS (SELECT 1 FROM rollup_days d WHERE d.starts <= q.bucket AND d.ends > q.bucket)
		ORDER BY 1, 2, 3, 4, 5, 6`
	// What was reached at the end of each day, by the days up to it.
	throughDiffers = `SELECT COALESCE(d.ends, k.ends), COALESCE(d.type, k.type), '', '', '', '',
			COALESCE(d.count, 0)::text, COALESCE(d.amount, 0)::text, COALESCE(k.count, 0)::text, COALESCE(k.amount, 0)::text
		FROM (SELECT * FROM (SELECT e.ends, t.type, sum(COALESCE(x.count, 0)) OVER upto AS count, sum(COALESCE(x.amount, 0)) OVER upto AS amount
				FROM (SELECT DISTINCT ends FROM rollup_days) e CROSS JOIN (SELECT DISTINCT type FROM rollup_days) t
					LEFT JOIN (SELECT ends, type, sum(count) AS count, sum(amount) AS amount FROM rollup_days GROUP BY 1, 2) x ON x.ends = e.ends AND x.type = t.type
				WINDOW upto AS (PARTITION BY t.type ORDER BY e.ends)) s WHERE count > 0) d
		FULL JOIN rollup_through k ON (k.ends, k.type) = (d.ends, d.type)
		WHERE d.count IS DISTINCT FROM k.count OR d.amount IS DISTINCT FROM k.amount OR k.ends > $1 ORDER BY 1, 2`
)

// rollup holds the derived sums against the entries, all at one moment.
func (r *run) rollup(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			var through, daysThrough time.Time
			if err := tx.QueryRow(ctx, `SELECT through, days_through FROM rollup_state`, pgx.QueryExecModeExec).Scan(&through, &daysThrough); err != nil {
				return err
			}
			for _, look := range []struct {
				sql  string
				upto time.Time
				what string
			}{
				{quartersDiffer, through, "The sum of a quarter hour is not that of its entries."},
				{daysDiffer, daysThrough, "The sum of a day is not that of its quarter hours."},
				{daysMissing, daysThrough, "A day of the rollup is missing."},
				{throughDiffers, daysThrough, "What all days before a day come to is not their sum."},
			} {
				err := each(ctx, tx, func(row [][]byte) error {
					text := func(i int) string { return string(row[i]) }
					p := Problem{Check: CheckRollup, Expected: text(6) + " entries of " + text(7), Found: text(8) + " entries of " + text(9),
						Message: look.what + " It begins at " + timeText(microsOf(row[0])) + " and is of " + text(1) + describeGroup(text(2), text(3), text(4), text(5)) + "."}
					return r.problem(p)
				}, look.sql, look.upto)
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("rollup: %w", err)
	}
	return nil
}

func describeGroup(rule, rollout, cohort, category string) string {
	out := ""
	for _, x := range []struct{ name, value string }{{"rule version", rule}, {"rollout", rollout}, {"cohort", cohort}, {"category", category}} {
		if x.value != "" {
			out += ", " + x.name + " " + x.value
		}
	}
	return out
}

// keptDifferences is how many differences of the rollup the audit row of a rebuild keeps.
const keptDifferences = 50

// RebuildRollup has the derived sums computed anew from the entries, and leaves an audit row with who asked
// and why, how many sums differed and the first of the differences: where it was the entries that were changed, the
// sums were what still told. Sums stay right meanwhile. It returns the moment before which all entries are in the rollup again.
func (v *Verifier) RebuildRollup(ctx context.Context, by actor.Actor, reason string, s *rollup.Store) (time.Time, error) {
	before, err := s.Through(ctx)
	if err != nil {
		return time.Time{}, err
	}
	differ := struct {
		Through     time.Time `json:"through"`
		Differ      int64     `json:"differ"`
		Differences []string  `json:"differences,omitempty"`
	}{Through: before}
	look := &run{v: v, report: Report{ByCheck: map[Check]int64{}}, opts: Options{OnProblem: func(p Problem) error {
		if len(differ.Differences) < keptDifferences {
			differ.Differences = append(differ.Differences, p.String())
		}
		return nil
	}}}
	if err := look.rollup(ctx); err != nil {
		return time.Time{}, fmt.Errorf("verify: %w", err)
	}
	differ.Differ = look.report.Problems
	err = audit.Record(ctx, v.g, audit.Row{Actor: by, Action: "rollup.rebuild", Object: "rollup", Reason: reason, Before: differ})
	if err != nil {
		return time.Time{}, fmt.Errorf("verify: %w", db.Fault(err))
	}
	p, err := s.Rebuild(ctx)
	return p.Through, err
}
