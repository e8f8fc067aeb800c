package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// periodOf is the period of a cost record or of its state.
func periodOf(of string) string {
	const at = `to_char(%s.%s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
	return fmt.Sprintf(`COALESCE(', from ' || `+at+`, '') || COALESCE(', to ' || `+at+`, '')`, of, "occurred_at", of, "occurred_until")
}

// costStates are the cost records whose state is not what their newest attribution says, or not of their time.
func costStates() string {
	return `SELECT r.source || ' ' || r.external_id, COALESCE(a.state, 'none'), COALESCE(a.seq, 0), COALESCE(s.state, 'none'), COALESCE(s.seq, 0),
		` + periodOf("r") + `, ` + periodOf("s") + `
	FROM cost_records r LEFT JOIN cost_states s ON s.record_key = r.key
	LEFT JOIN LATERAL (SELECT * FROM cost_attributions WHERE record_key = r.key ORDER BY seq DESC LIMIT 1) a ON true
	WHERE a.seq IS NULL OR (s.seq, s.state, s.account_key, s.job_key, s.job_operation_id, s.rule_key, s.action)
		IS DISTINCT FROM (a.seq, a.state, a.account_key, a.job_key, a.job_operation_id, a.rule_key, a.action)
		OR (s.occurred_at, s.occurred_until) IS DISTINCT FROM (r.occurred_at, r.occurred_until)
	ORDER BY r.key`
}

// openFindings are what the checks of rollouts found and was not put right.
const openFindings = `SELECT a.id, f.rollout_id, f."check", f.operation_id, f.expected, f.found FROM rollout_findings f JOIN accounts a ON a.key = f.account_key
	WHERE f.gone_at IS NULL ORDER BY f.rollout_id, f."check", f.account_key, f.operation_id`

// costs looks at the attributions of costs, findings at what rollouts have found of themselves.
func (r *run) costs(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			err := each(ctx, tx, func(row [][]byte) error {
				return r.problem(Problem{Check: CheckCost, Expected: fmt.Sprintf("%s, attribution %d%s", row[1], int32Of(row[2]), row[5]), Found: fmt.Sprintf("%s, attribution %d%s", row[3], int32Of(row[4]), row[6]),
					Message: fmt.Sprintf("The state of the cost record %s is not that of its newest attribution.", row[0])})
			}, costStates())
			if err != nil {
				return err
			}
			return each(ctx, tx, func(row [][]byte) error {
				return r.problem(Problem{Check: CheckFinding, AccountID: string(row[0]), Expected: string(row[4]), Found: string(row[5]),
					Message: fmt.Sprintf("The check %s of rollout %s found operation %s.", row[2], row[1], row[3])})
			}, openFindings)
		})
	})
	if err != nil {
		return fmt.Errorf("costs and findings: %w", err)
	}
	return nil
}
