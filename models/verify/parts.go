package verify

import (
	"context"
	"time"
)

// part is a piece of a run that reads something once, for all the checks that look at it.
type part struct {
	checks []Check
	make   func(ctx context.Context) error
	// whole is true of what only a run over all accounts looks at.
	whole bool
}

// accountChecks are made in one reading of the accounts, their entries and their jobs, by several workers at once.
func accountChecks() []Check {
	return []Check{CheckSeq, CheckTime, CheckBalance, CheckCovered, CheckHash, CheckHead, CheckNegativeSince, CheckJob, CheckOnce, CheckFlags, CheckAmount, CheckOrder,
		CheckAttribution, CheckDecision, CheckSettlement, CheckLine, CheckStuck, CheckResult, CheckCheckpoint, CheckCut}
}

// besides are the parts that are made one after the other beside the reading of accounts.
func (r *run) besides() []part {
	return []part{
		{[]Check{CheckOperation}, r.operations, false},
		{[]Check{CheckPayment}, r.payments, false},
		{[]Check{CheckPrice, CheckBucket}, r.decided, false},
		{[]Check{CheckApproval}, r.approvals, false},
		{[]Check{CheckLetter}, r.letters, false},
		{[]Check{CheckTally}, r.tallies, true},
		{[]Check{CheckCost, CheckFinding}, r.costs, true},
		{[]Check{CheckRollup}, r.rollup, true},
		{[]Check{CheckMonth}, r.months, true},
	}
}

// schema are the parts that look at what the database itself refuses.
func (r *run) schema() []part {
	return []part{{[]Check{CheckTriggers, CheckKept}, r.guards, false}}
}

// parts makes parts one after the other.
func (r *run) parts(ctx context.Context, list []part) error {
	for _, p := range list {
		if p.whole && r.report.Partial {
			continue
		}
		began := time.Now()
		if err := p.make(ctx); err != nil {
			return err
		}
		r.took(p.checks, time.Since(began))
	}
	return nil
}

// took notes what checks took. Checks that share a reading share what it took.
func (r *run) took(checks []Check, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range checks {
		r.report.Took[c] = d
	}
}
