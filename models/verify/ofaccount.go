package verify

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Aside are the checks that say nothing of what an entry or a balance is: work that waits, dead letters, costs, and what rollouts
// have found of themselves.
func Aside() []Check {
	return []Check{CheckLine, CheckStuck, CheckTally, CheckLetter, CheckCost, CheckFinding}
}

// OfAccount is what the newest run over all accounts found wrong with one account's ledger.
type OfAccount struct {
	// Started is when the run began.
	Started time.Time
	// Problems counts them; a run keeps the first of each check only.
	Problems int64
	// Checks are those that found something, in the order of Checks.
	Checks []Check
	// First is the first entry there is among those concerned, 0 for none.
	First int64
}

const ofAccount = `SELECT p.check_name AS "check", r.started_at AS started, count(*) AS problems, min(e.seq) AS first
	FROM (SELECT id, started_at FROM verify_runs WHERE NOT partial ORDER BY id DESC LIMIT 1) r
		JOIN verify_problems p ON p.run_id = r.id LEFT JOIN accounts a ON a.id = p.account_id LEFT JOIN entries e ON e.account_key = a.key AND e.seq = p.seq
	WHERE p.account_id = ? AND p.check_name NOT IN ? AND p.seq <= ? GROUP BY 1, 2`

// OfAccount returns what the newest run found wrong with an account's ledger, nil for nothing. upTo leaves out what concerns a
// later entry; nil for all.
func (v *Verifier) OfAccount(ctx context.Context, account string, upTo *int64) (*OfAccount, error) {
	var rows []struct {
		Check    Check
		Started  time.Time
		Problems int64
		First    *int64
	}
	last := int64(math.MaxInt64)
	if upTo != nil {
		last = *upTo
	}
	err := v.g.WithContext(ctx).Raw(ofAccount, account, Aside(), last).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("verify: problems of an account: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	out := OfAccount{Started: rows[0].Started.UTC()}
	for _, r := range rows {
		out.Problems += r.Problems
		out.Checks = append(out.Checks, r.Check)
		if r.First != nil && (out.First == 0 || *r.First < out.First) {
			out.First = *r.First
		}
	}
	order := Checks()
	slices.SortFunc(out.Checks, func(a, b Check) int { return slices.Index(order, a) - slices.Index(order, b) })
	return &out, nil
}
