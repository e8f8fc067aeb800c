package rollout

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fault"
)

const (
	// againRows is how many decisions one run looks at once more: what was right may have been damaged since. The rounds of
	// live rollouts go on to the last one, for againFor at most: see reread.
	againRows = 20_000
	againFor  = 15 * time.Second
	// keptFindings is how many findings of one run are kept.
	keptFindings = 1000
	// lateness is how much later than its own time a row may become visible: longer than any transaction lasts.
	lateness = 10 * time.Minute
)

// checker makes the three checks of a rollout.
type checker struct {
	costs CostsFunc
	// again is againRows; tests make it small.
	again int
}

// run examines the decisions that are new below the oldest transaction under way, those whose entries or replays are
// new, those with an open finding, and a part of all others in turn; stores what came out; and returns it. Two runs of
// a rollout wait for each other.
func (c checker) run(ctx context.Context, g *gorm.DB, r Rollout) (Checks, error) {
	g = g.WithContext(ctx)
	if err := g.Exec(`INSERT INTO rollout_checks (rollout_id) VALUES (?) ON CONFLICT DO NOTHING`, r.ID).Error; err != nil {
		return Checks{}, fmt.Errorf("rollout: checks: %w", err)
	}
	var at progress
	err := g.Raw(`SELECT horizon::text AS horizon, examined, again_tx::text AS again_tx, again_account, again_id, checked_at
		FROM rollout_checks WHERE rollout_id = ? FOR UPDATE`, r.ID).Scan(&at).Error
	if err != nil {
		return Checks{}, fmt.Errorf("rollout: checks: %w", err)
	}
	// In a statement of its own: the one above may have waited for another run.
	var now struct {
		Upto string
		Now  time.Time
	}
	if err := g.Raw(`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS upto, clock_timestamp() AS now`).Scan(&now).Error; err != nil {
		return Checks{}, fmt.Errorf("rollout: horizon: %w", err)
	}
	examined, err := c.examine(ctx, g, r, at, now.Upto)
	if err != nil {
		return Checks{}, err
	}
	out := Checks{At: now.Now.UTC(), Examined: at.Examined + examined}
	if err := c.conclude(ctx, g, r, &out); err != nil {
		return Checks{}, err
	}
	err = g.Exec(`UPDATE rollout_checks SET horizon = GREATEST(horizon, ?::xid8), examined = ? WHERE rollout_id = ?`, now.Upto, out.Examined, r.ID).Error
	if err != nil {
		return Checks{}, fmt.Errorf("rollout: horizon: %w", err)
	}
	return out, store(ctx, g, r.ID, out)
}

// progress is how far the checks of a rollout have read.
type progress struct {
	Horizon      string
	Examined     int64
	AgainTx      string
	AgainAccount int64
	AgainID      string
	CheckedAt    *time.Time
}

// examined is the set of decisions that one run looks at; the parameters are those of examine. A decision whose
// replays or entries are new is found through them.
const examined = `fresh AS (SELECT account_key, operation_id FROM decisions WHERE rollout_id = @ro AND tx >= (@from)::xid8 AND tx < (@upto)::xid8),
	again AS (SELECT account_key, operation_id, tx FROM decisions WHERE rollout_id = @ro AND tx < (@from)::xid8
		AND (tx, account_key, operation_id) > ((@again_tx)::xid8, @again_account, @again_id) ORDER BY tx, account_key, operation_id LIMIT @again_rows),
	moved AS (SELECT e.account_key, j.operation_id FROM entries e JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key
		WHERE e.rollout_id = @ro AND e.created_at > @since),
	served AS (SELECT p.account_key, p.operation_id FROM operation_attempts p WHERE p.at > @since AND p.scope = '' AND p.outcome = 'replayed'),
	open AS (SELECT account_key, operation_id FROM rollout_findings WHERE rollout_id = @ro AND gone_at IS NULL),
	d AS MATERIALIZED (SELECT d.account_key, d.operation_id, d.action, d.units, d.rule_version, d.price, d.rollout_id, d.rollout_version, d.stage, d.cohort,
			d.bucket, d.at, d.reason, d.expires_at IS NOT NULL AS quoted, o.job_key, o.result IS NOT NULL AS charged
		FROM (SELECT account_key, operation_id FROM fresh UNION SELECT account_key, operation_id FROM again UNION SELECT * FROM moved
			UNION SELECT * FROM served UNION SELECT * FROM open) one
		JOIN decisions d ON d.account_key = one.account_key AND d.operation_id = one.operation_id AND d.rollout_id = @ro
		LEFT JOIN operations o ON o.account_key = d.account_key AND o.scope = '' AND o.id = d.operation_id AND o.kind = 'charge')`

// bucketOf is what Bucket of package pricing says of account a in rollout o: 2^32 is 67296 in the numbers modulo 100000.
const bucketOf = `(SELECT (('x' || substr(h, 1, 8))::bit(32)::bigint % 100000 * 67296 + ('x' || substr(h, 9, 8))::bit(32)::bigint) % 100000
			FROM encode(sha256(convert_to('recoup-bucket-v1', 'UTF8') || decode('00', 'hex') || convert_to(o.salt, 'UTF8') || decode('00', 'hex') || convert_to(a.id, 'UTF8')), 'hex') h)`

// problems are what is wrong with the decisions of d, one row each: check, account, operation, what, expected, found. What
// and the values are codes, see Problem. What an account's plan, region and attributes were at the time nobody knows any
// more, so admission is held against names, thresholds and enrolments.
const problems = `SELECT 'uniqueness' AS "check", d.account_key, d.operation_id, 'operation_charges' AS what, '1' AS expected, n::text AS found
		FROM d CROSS JOIN LATERAL (SELECT count(*) AS n FROM entries e WHERE e.operation_id = d.operation_id AND e.account_key = d.account_key AND e.type = 'charge') x WHERE n > 1
	UNION ALL SELECT 'uniqueness', d.account_key, d.operation_id, 'job_charges', '1', n::text
		FROM d CROSS JOIN LATERAL (SELECT count(*) AS n FROM entries e WHERE e.account_key = d.account_key AND e.job_key = d.job_key AND e.type = 'charge') x WHERE n > 1
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'entry_price:' || e.seq, d.price || '|' || d.rule_version,
			abs(e.amount::numeric) || '|' || COALESCE(e.rule_version, '')
		FROM d JOIN entries e ON e.account_key = d.account_key AND e.job_key = d.job_key
		WHERE abs(e.amount::numeric) <> d.price OR e.rule_version IS DISTINCT FROM d.rule_version
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'replay_price:' || p.attempt, d.price || '|' || d.rule_version,
			COALESCE(p.price::text, '') || '|' || COALESCE(p.rule_version, '')
		FROM d JOIN operation_attempts p ON p.account_key = d.account_key AND p.scope = '' AND p.operation_id = d.operation_id AND p.outcome = 'replayed'
		WHERE d.charged AND (p.price, p.rule_version) IS DISTINCT FROM (d.price, d.rule_version)
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'admission:' || d.rollout_version,
			COALESCE(v.state_after || '|' || v.stage_after, ''), d.reason || '|' || COALESCE(d.stage::text, '')
		FROM d JOIN accounts a ON a.key = d.account_key JOIN rollouts o ON o.id = d.rollout_id
			LEFT JOIN rollout_events v ON v.rollout_id = d.rollout_id AND v.version = d.rollout_version
		WHERE v.version IS NULL OR d.bucket <> ` + bucketOf + ` OR v.state_after NOT IN ('running', 'paused', 'halted')
			OR d.cohort = 'candidate' AND d.reason <> 'enrolled' AND (v.state_after <> 'running' OR d.stage > v.stage_after)
			OR d.cohort = 'candidate' AND NOT EXISTS (SELECT 1 FROM enrolments n WHERE n.account_key = d.account_key AND n.rollout_id = d.rollout_id
				AND (d.reason <> 'enrolled' OR n.stage = d.stage))
			OR d.reason IN ('below_threshold', 'named') AND NOT EXISTS (SELECT 1 FROM rollout_stages s WHERE s.rollout_id = d.rollout_id AND s.stage = d.stage
				AND CASE d.reason WHEN 'named' THEN COALESCE(jsonb_exists(s.segment -> 'accounts', a.id), false) ELSE d.bucket < s.threshold END)
			OR d.cohort = 'baseline' AND v.state_after = 'running' AND EXISTS (SELECT 1 FROM rollout_stages s WHERE s.rollout_id = d.rollout_id AND s.stage <= v.stage_after
				AND (COALESCE(jsonb_exists(s.segment -> 'accounts', a.id), false) OR d.bucket < s.threshold AND NOT jsonb_exists_any(s.segment, ARRAY['plans', 'regions', 'attributes'])))
			OR d.cohort = 'baseline' AND EXISTS (SELECT 1 FROM enrolments n WHERE n.account_key = d.account_key AND n.rollout_id = d.rollout_id
				AND n.enrolled_at < d.at - make_interval(secs => @lateness))
	UNION ALL SELECT 'reconciliation', d.account_key, d.operation_id, 'charge',
			'-' || d.price || '|' || d.rule_version || '|' || d.rollout_id || '|' || d.cohort, COALESCE(x.found, '')
		FROM d LEFT JOIN LATERAL (SELECT string_agg(e.amount || '|' || COALESCE(e.rule_version, '') || '|' || COALESCE(e.rollout_id, '') || '|' || COALESCE(e.cohort, ''), ';' ORDER BY e.seq) AS found,
				count(*) AS n, bool_and((e.amount, e.rule_version, e.rollout_id, e.cohort, e.job_key) IS NOT DISTINCT FROM (-d.price, d.rule_version, d.rollout_id, d.cohort, d.job_key)) AS same
			FROM entries e WHERE e.operation_id = d.operation_id AND e.account_key = d.account_key AND e.type = 'charge') x ON true
		WHERE (d.charged OR NOT d.quoted) AND (x.n <> 1 OR NOT x.same)
	UNION ALL SELECT 'reconciliation', d.account_key, d.operation_id, 'job', d.units || '|' || d.action || '|' || d.price || '|' || d.rule_version || '|' || d.rollout_id || '|' || d.cohort,
			j.units || '|' || j.action || '|' || j.cost || '|' || j.rule_version || '|' || COALESCE(j.rollout_id, '') || '|' || j.cohort
		FROM d JOIN jobs j ON j.account_key = d.account_key AND j.key = d.job_key
		WHERE (d.units, d.action, d.price, d.rule_version, d.rollout_id, d.cohort) IS DISTINCT FROM (j.units, j.action, j.cost, j.rule_version, j.rollout_id, j.cohort)
	UNION ALL SELECT 'reconciliation', e.account_key, e.operation_id, 'decision', '1', '0'
		FROM entries e WHERE e.rollout_id = @ro AND e.type = 'charge' AND NOT EXISTS (SELECT 1 FROM decisions y
			WHERE y.account_key = e.account_key AND y.operation_id = e.operation_id AND y.rollout_id = @ro)`

// examine looks at decisions and keeps what it finds: a new finding is made, one that is right again is marked gone.
// It returns how many decisions were new.
func (c checker) examine(ctx context.Context, g *gorm.DB, r Rollout, at progress, upto string) (int64, error) {
	since := time.Time{}
	if at.CheckedAt != nil {
		since = at.CheckedAt.Add(-lateness)
	}
	args := map[string]any{"ro": r.ID, "from": at.Horizon, "upto": upto, "since": since,
		"again_tx": at.AgainTx, "again_account": at.AgainAccount, "again_id": at.AgainID, "again_rows": c.again, "kept": keptFindings, "lateness": lateness.Seconds()}
	var seen struct {
		Fresh int64
		Tx    *string
		Acc   *int64
		ID    *string
		N     int64
	}
	err := g.Raw(`WITH `+examined+`,
		p AS MATERIALIZED (`+problems+`),
		made AS (INSERT INTO rollout_findings (rollout_id, "check", account_key, operation_id, what, expected, found)
			SELECT @ro, "check", account_key, operation_id, what, expected, found FROM p LIMIT @kept
			ON CONFLICT (rollout_id, "check", account_key, operation_id, what) DO UPDATE
				SET expected = EXCLUDED.expected, found = EXCLUDED.found, gone_at = NULL,
					found_at = CASE WHEN rollout_findings.gone_at IS NULL THEN rollout_findings.found_at ELSE clock_timestamp() END),
		gone AS (UPDATE rollout_findings f SET gone_at = clock_timestamp() WHERE f.rollout_id = @ro AND f.gone_at IS NULL AND NOT EXISTS (SELECT 1 FROM p
			WHERE (p."check", p.account_key, p.operation_id, p.what) = (f."check", f.account_key, f.operation_id, f.what)))
		SELECT (SELECT count(*) FROM fresh) AS fresh, (SELECT count(*) FROM again) AS n, l.tx::text AS tx, l.account_key AS acc, l.operation_id AS id
		FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT * FROM again ORDER BY tx DESC, account_key DESC, operation_id DESC LIMIT 1) l ON true`, args).Scan(&seen).Error
	if err != nil {
		return 0, fmt.Errorf("rollout: examine: %w", err)
	}
	if seen.Tx == nil || seen.N < int64(c.again) {
		// The end is reached: the next run begins anew.
		zero, none, empty := "0", int64(0), ""
		seen.Tx, seen.Acc, seen.ID = &zero, &none, &empty
	}
	err = g.Exec(`UPDATE rollout_checks SET again_tx = ?::xid8, again_account = ?, again_id = ? WHERE rollout_id = ?`, *seen.Tx, *seen.Acc, *seen.ID, r.ID).Error
	if err != nil {
		return 0, fmt.Errorf("rollout: examine: %w", err)
	}
	return seen.Fresh, nil
}

// conclude says how the three checks come out.
func (c checker) conclude(ctx context.Context, g *gorm.DB, r Rollout, out *Checks) error {
	var open []struct {
		Check CheckName
		N     int64
		Example
	}
	err := g.Raw(`SELECT DISTINCT ON ("check") "check", count(*) OVER (PARTITION BY "check") AS n, what, operation_id, expected, found
		FROM rollout_findings WHERE rollout_id = ? AND gone_at IS NULL ORDER BY "check", operation_id, what`, r.ID).Scan(&open).Error
	if err != nil {
		return fmt.Errorf("rollout: findings: %w", err)
	}
	err = g.Raw(`SELECT count(*) FROM (SELECT 1 FROM entries WHERE rollout_id = ? AND type = 'charge' AND cohort = 'candidate' LIMIT ?) x`,
		r.ID, r.MinCharges).Scan(&out.Charges).Error
	if err != nil {
		return fmt.Errorf("rollout: charges: %w", err)
	}
	few := ""
	if out.Charges < int64(r.MinCharges) {
		few = fmt.Sprintf("%d of %d charges under the candidate", out.Charges, r.MinCharges)
	}
	out.All = []Check{{Name: Uniqueness}, {Name: Consistency}, {Name: Reconciliation}}
	for i := range out.All {
		for _, o := range open {
			if o.Check == out.All[i].Name {
				example := o.Example
				out.All[i].Found, out.All[i].Example, out.All[i].Why = o.N, &example, example.String()
			}
		}
	}
	missing := []string{few, few, few}
	if c.costs == nil {
		missing[2] = join(few, "costs are not connected")
	} else if err := c.reconcile(ctx, g, r, out, &missing[2]); err != nil {
		return err
	}
	for i := range out.All {
		x := &out.All[i]
		switch {
		case x.Found > 0:
			x.Outcome = Fail
		case missing[i] != "":
			x.Outcome, x.Why = Missing, missing[i]
		default:
			x.Outcome = Pass
		}
	}
	return nil
}

// reconcile adds what is known of the costs to check 3.
func (c checker) reconcile(ctx context.Context, g *gorm.DB, r Rollout, out *Checks, missing *string) error {
	costs, err := c.costs(ctx, g, r)
	if err != nil {
		return fmt.Errorf("rollout: costs: %w", err)
	}
	out.Delivered, out.Known = costs.Delivered, costs.Known
	if costs.Unattributed > 0 {
		x := &out.All[2]
		x.Found += costs.Unattributed
		x.Unattributed, x.Costs, x.CostKeys = costs.Unattributed, costs.Names, costs.Keys
		x.Why = join(x.Why, fmt.Sprintf("%d unattributed costs: %s", costs.Unattributed, strings.Join(costs.Names, ", ")))
	}
	if costs.Known*10000 < costs.Delivered*int64(r.MinCostsBps) || costs.Delivered == 0 && r.MinCostsBps > 0 {
		*missing = join(*missing, fmt.Sprintf("costs of %d of %d delivered jobs are known", costs.Known, costs.Delivered))
	}
	return nil
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// Check makes the checks of a rollout now and stores them. Where one is red, a running or paused rollout is halted, as
// an operation of Recoup itself. Fault: rollout_not_found.
func (s *Service) Check(ctx context.Context, id string) (Checks, error) {
	r, err := s.Find(ctx, id)
	if err != nil {
		return Checks{}, err
	}
	var made Checks
	err = db.InTx(ctx, s.g, func(g *gorm.DB) error {
		var err error
		made, err = s.gate(ctx, g, r)
		return err
	})
	if err != nil || !made.Red() || r.State != Running && r.State != Paused {
		return made, err
	}
	if _, err := s.Halt(ctx, id, r.Version, made); err != nil && fault.As(err) == nil {
		return made, err
	}
	return made, nil
}

// reread looks at all older decisions of a rollout once more and keeps what it finds for the check that follows: damage to
// one of them is found by the next round, however many there are, as long as a round reads them within againFor. Else it
// goes on where it stopped.
func (s *Service) reread(ctx context.Context, r Rollout) error {
	for begun := time.Now(); time.Since(begun) < againFor; {
		more := false
		err := db.InTx(ctx, s.g, func(g *gorm.DB) error {
			g = g.WithContext(ctx)
			var at progress
			res := g.Raw(`SELECT horizon::text AS horizon, again_tx::text AS again_tx, again_account, again_id, clock_timestamp() AS checked_at
				FROM rollout_checks WHERE rollout_id = ? FOR UPDATE`, r.ID).Scan(&at)
			if res.Error != nil || res.RowsAffected == 0 {
				return res.Error
			}
			// What is new is not this look's: nothing lies between the horizon and itself, nor after now.
			now := at.CheckedAt.Add(lateness)
			at.CheckedAt = &now
			if _, err := s.checks.examine(ctx, g, r, at, at.Horizon); err != nil {
				return err
			}
			return g.Raw(`SELECT again_tx <> '0' FROM rollout_checks WHERE rollout_id = ?`, r.ID).Row().Scan(&more)
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// CheckLive makes the checks of all rollouts that are live, and looks at their older decisions once more. It goes on after a
// failure and returns the first.
func (s *Service) CheckLive(ctx context.Context) error {
	live, err := s.Live(ctx)
	if err != nil {
		return err
	}
	var first error
	for _, r := range live {
		err := s.reread(ctx, r)
		if _, failed := s.Check(ctx, r.ID); failed != nil {
			err = failed
		}
		if err != nil && first == nil {
			first = fmt.Errorf("rollout %s: %w", r.ID, err)
		}
	}
	return first
}
