package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/migrations"
)

// inForce names, after their tables, the constraints that hold for every row and the unique indexes that are whole, each with its kind
// and the columns that it is about, "if" where it is about some rows alone.
const inForce = `SELECT r.relname || '.' || c.conname AS name, c.contype::text || ' ' || COALESCE((SELECT string_agg(a.attname, ', ' ORDER BY k.n)
			FROM unnest(c.conkey) WITH ORDINALITY k (attnum, n) JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum), '') AS about
		FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid WHERE c.connamespace = current_schema()::regnamespace AND c.convalidated
	UNION ALL SELECT r.relname || '.' || i.relname, 'i ' || (SELECT string_agg(COALESCE(a.attname, '()'), ', ' ORDER BY k.n)
			FROM unnest(x.indkey::smallint[]) WITH ORDINALITY k (attnum, n) LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum)
			|| CASE WHEN x.indpred IS NULL THEN '' ELSE ' if' END
		FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class r ON r.oid = x.indrelid
		WHERE r.relnamespace = current_schema()::regnamespace AND x.indisunique AND x.indisvalid
			AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = x.indexrelid AND c.contype IN ('p', 'u', 'x'))`

// keptRules looks whether what the rules of Invariants rely on is in force. Whoever owns the tables can take it off; what
// was written meanwhile no check may ever read back. Triggers are CheckTriggers' to look at.
func (r *run) keptRules(ctx context.Context) error {
	want, err := migrations.ReadGuards()
	if err != nil {
		return err
	}
	found := map[string]string{}
	for _, t := range want.Triggers {
		found[t.Table+"."+t.Name] = trigger
	}
	err = r.v.native(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, inForce, pgx.QueryExecModeExec)
		if err != nil {
			return err
		}
		var name, about string
		_, err = pgx.ForEachRow(rows, []any{&name, &about}, func() error {
			found[name] = about
			return nil
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("kept rules: %w", err)
	}
	told := map[string]bool{}
	for _, in := range Invariants() {
		for _, name := range in.Kept {
			about, there := found[name]
			if told[name] || about == trigger || there && about == keptAbout(name) {
				continue
			}
			told[name] = true
			p := Problem{Check: CheckKept, Expected: name, Found: "not in force", Message: "A constraint or index that rule " + in.Rule + " relies on is not in force."}
			if there {
				p.Found, p.Message = "of the same name, about other columns", "A constraint or index that rule "+in.Rule+" relies on was replaced: it is about \""+
					about+"\" and not \""+keptAbout(name)+"\"."
			}
			if err := r.problem(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// trigger stands for what CheckTriggers looks at.
const trigger = "trigger"

// NotInForce names what CheckKept and CheckTriggers of a recorded run found missing or off, as Invariant.Kept does.
func (v *Verifier) NotInForce(ctx context.Context, r Run) (map[string]bool, error) {
	if r.ByCheck[CheckKept]+r.ByCheck[CheckTriggers] == 0 {
		return nil, nil
	}
	var names []string
	err := v.g.WithContext(ctx).Raw(`SELECT split_part(expected, ' ', 1) FROM verify_problems WHERE run_id = ? AND check_name IN (?, ?)`, r.ID, string(CheckKept), string(CheckTriggers)).Scan(&names).Error
	if err != nil {
		return nil, fmt.Errorf("verify: not in force: %w", err)
	}
	missing := map[string]bool{}
	for _, n := range names {
		missing[n] = true
	}
	return missing, nil
}

// costStates are the cost records whose state is not what their newest attribution says.
const costStates = `SELECT r.source || ' ' || r.external_id, COALESCE(a.state, 'none'), COALESCE(a.seq, 0), COALESCE(s.state, 'none'), COALESCE(s.seq, 0)
	FROM cost_records r LEFT JOIN cost_states s ON s.record_key = r.key
	LEFT JOIN LATERAL (SELECT * FROM cost_attributions WHERE record_key = r.key ORDER BY seq DESC LIMIT 1) a ON true
	WHERE a.seq IS NULL OR (s.seq, s.state, s.account_key, s.job_key, s.job_operation_id, s.rule_key, s.action)
		IS DISTINCT FROM (a.seq, a.state, a.account_key, a.job_key, a.job_operation_id, a.rule_key, a.action)
	ORDER BY r.key`

// openFindings are what the checks of rollouts found and was not put right.
const openFindings = `SELECT a.id, f.rollout_id, f."check", f.operation_id, f.expected, f.found FROM rollout_findings f JOIN accounts a ON a.key = f.account_key
	WHERE f.gone_at IS NULL ORDER BY f.rollout_id, f."check", f.account_key, f.operation_id`

// costs looks at the attributions of costs, findings at what rollouts have found of themselves.
func (r *run) costs(ctx context.Context) error {
	err := r.v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			err := each(ctx, tx, func(row [][]byte) error {
				return r.problem(Problem{Check: CheckCost, Expected: fmt.Sprintf("%s, attribution %d", row[1], int32Of(row[2])), Found: fmt.Sprintf("%s, attribution %d", row[3], int32Of(row[4])),
					Message: fmt.Sprintf("The state of the cost record %s is not that of its newest attribution.", row[0])})
			}, costStates)
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
