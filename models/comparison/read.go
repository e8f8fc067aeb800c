package comparison

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/decimal"
	"recoup/models/stats"
)

// account is what one account brought to a side.
type account struct {
	AccountKey     int64
	Charges        int64
	Resent         int64
	Replays        int64
	Conflicting    int64
	Conflicts      int64
	Attempts       int64
	Transient      int64
	Throttled      int64
	Permanent      int64
	TimedOut       int64
	Delivered      int64
	Known          int64
	KnownDelivered int64
}

func (a account) failed() int64 { return a.Transient + a.Throttled + a.Permanent + a.TimedOut }

// cost is what the jobs of one account cost in one currency.
type cost struct {
	AccountKey int64
	Currency   string
	Amount     decimal.Decimal
}

// side is what was read of one side.
type side struct {
	counts   Counts
	accounts []account
	costs    []cost
	lags     []stats.Observation
}

// selection is which charges belong to a side: those of a rule version in a period, of one rollout unless that is
// empty, and of so many of 1024 parts of the accounts.
type selection struct {
	rule, rollout string
	from, to      time.Time
	part          int
}

func (s selection) args() map[string]any {
	return map[string]any{"rule": s.rule, "rollout": s.rollout, "from": s.from, "to": s.to, "part": s.part}
}

// charged is the set of charges of a selection. The accounts are chosen from the index alone; only the entries of those
// that are chosen are fetched, each by its key (the subqueries stay apart by OFFSET 0, so that no plan joins them to whole
// tables).
const charged = `k AS MATERIALIZED (SELECT account_key, seq FROM entries WHERE rule_version = @rule AND created_at >= @from AND created_at < @to
		AND (hashint8extended(account_key, 20) & 1023) < @part LIMIT 400000),
	c AS MATERIALIZED (SELECT k.account_key, e.job_key, e.operation_id FROM k CROSS JOIN LATERAL (SELECT x.job_key, x.operation_id, x.type, x.rollout_id
			FROM entries x WHERE x.account_key = k.account_key AND x.seq = k.seq OFFSET 0) e
		WHERE e.type = 'charge' AND (@rollout = '' OR e.rollout_id = @rollout))`

const selectAccounts = `WITH ` + charged + `
	SELECT c.account_key, count(*) AS charges, count(*) FILTER (WHERE r.replays > 0) AS resent, sum(r.replays)::bigint AS replays,
		count(*) FILTER (WHERE r.conflicts > 0) AS conflicting, sum(r.conflicts)::bigint AS conflicts, sum(t.ended)::bigint AS attempts,
		sum(t.transient)::bigint AS transient, sum(t.throttled)::bigint AS throttled, sum(t.permanent)::bigint AS permanent, sum(t.timed_out)::bigint AS timed_out,
		count(j.delivered_at) AS delivered, count(*) FILTER (WHERE j.known) AS known, count(j.delivered_at) FILTER (WHERE j.known) AS known_delivered
	FROM c
	CROSS JOIN LATERAL (SELECT x.delivered_at, EXISTS (SELECT 1 FROM cost_states s WHERE s.account_key = x.account_key AND s.job_key = x.key OFFSET 0) AS known
		FROM jobs x WHERE x.account_key = c.account_key AND x.key = c.job_key OFFSET 0) j
	CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE p.outcome = 'replayed') AS replays, count(*) FILTER (WHERE p.outcome = 'conflict') AS conflicts
		FROM operation_attempts p WHERE p.account_key = c.account_key AND p.scope = '' AND p.operation_id = c.operation_id OFFSET 0) r
	CROSS JOIN LATERAL (SELECT count(*) AS ended, count(*) FILTER (WHERE failed AND class = 'transient') AS transient,
			count(*) FILTER (WHERE failed AND class = 'throttled') AS throttled, count(*) FILTER (WHERE failed AND class = 'permanent') AS permanent,
			count(*) FILTER (WHERE failed AND class NOT IN ('transient', 'throttled', 'permanent')) AS timed_out
		FROM (SELECT a.outcome IN ('failed', 'timed_out') AS failed, a.error_class AS class FROM attempts a
			WHERE a.account_key = c.account_key AND a.job_key = c.job_key AND a.outcome IN ('succeeded', 'failed', 'timed_out') OFFSET 0) y) t
	GROUP BY c.account_key`

const selectLags = `WITH ` + charged + `
	SELECT c.account_key AS account, l.value FROM c
	CROSS JOIN LATERAL (SELECT GREATEST(extract(epoch FROM a.claimed_at - a.queued_at), 0)::float8 AS value FROM attempts a
		WHERE a.account_key = c.account_key AND a.job_key = c.job_key AND a.queued_at IS NOT NULL OFFSET 0) l`

const selectCosts = `WITH ` + charged + `
	SELECT c.account_key, x.currency, sum(x.amount) AS amount FROM c
	CROSS JOIN LATERAL (SELECT r.currency, r.amount FROM cost_states s JOIN cost_records r ON r.key = s.record_key
		WHERE s.account_key = c.account_key AND s.job_key = c.job_key OFFSET 0) x
	GROUP BY 1, 2 ORDER BY 1, 2`

// read reads one side. total is how many charges the period holds.
func read(ctx context.Context, tx *gorm.DB, s selection, total int64) (side, error) {
	var out side
	tx = tx.WithContext(ctx)
	for _, q := range []struct {
		what, sql string
		into      any
	}{{"charges", selectAccounts, &out.accounts}, {"lags", selectLags, &out.lags}, {"costs", selectCosts, &out.costs}} {
		if err := tx.Raw(q.sql, s.args()).Scan(q.into).Error; err != nil {
			return out, fmt.Errorf("comparison: %s: %w", q.what, err)
		}
	}
	n := &out.counts
	n.Total, n.Part, n.Claims, n.Failed = total, s.part, int64(len(out.lags)), map[string]int64{}
	for _, a := range out.accounts {
		n.Accounts++
		n.Charges += a.Charges
		n.Replays += a.Replays
		n.Conflicts += a.Conflicts
		n.Attempts += a.Attempts
		n.Delivered += a.Delivered
		n.Known += a.Known
		n.KnownDelivered += a.KnownDelivered
		for class, k := range map[string]int64{"transient": a.Transient, "throttled": a.Throttled, "permanent": a.Permanent, "timed_out": a.TimedOut} {
			n.Failed[class] += k
		}
	}
	for _, c := range out.costs {
		n.addCost(c)
	}
	return out, nil
}

func (n *Counts) addCost(c cost) {
	for i := range n.Costs {
		if n.Costs[i].Currency == c.Currency {
			n.Costs[i].Amount = n.Costs[i].Amount.Plus(c.Amount)
			return
		}
	}
	n.Costs = append(n.Costs, Money{c.Currency, c.Amount})
}

// cost is the sum in a currency, zero where there is none.
func (n Counts) cost(currency string) decimal.Decimal {
	for _, m := range n.Costs {
		if m.Currency == currency {
			return m.Amount
		}
	}
	return decimal.Decimal{}
}
