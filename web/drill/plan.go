package drill

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

// Fate is how a job is to end. It follows from the trace and the seed alone, so that what every
// account must hold is known before the first request.
type Fate string

// The fates.
const (
	// FateSucceeds: delivered, net −cost.
	FateSucceeds Fate = "succeeds"
	// FateFails: every attempt fails, dead, net 0.
	FateFails Fate = "fails"
	// FateLate: fails and is refunded, then a success arrives after all: reclaimed, net −cost.
	FateLate Fate = "fails and succeeds late"
	// FateAbandoned: every attempt is claimed by a worker that falls silent: dead, net 0.
	FateAbandoned Fate = "abandoned"
	// FateUnclaimed: nobody ever runs it: expires, net 0.
	FateUnclaimed Fate = "never run"
)

// Delivers reports whether a job of this fate ends at −cost.
func (f Fate) Delivers() bool { return f == FateSucceeds || f == FateLate }

// LateWay is how a late success arrives.
type LateWay string

// The ways.
const (
	// LateAfterDeath: by the last lease, when the job is a dead letter.
	LateAfterDeath LateWay = "lease after death"
	// LateWhileRetrying: by the first attempt's lease, while the job waits for or runs its next one.
	LateWhileRetrying LateWay = "old lease while retrying"
	// LateSignal: by a callback that knows no attempt, when the job is a dead letter.
	LateSignal LateWay = "signal after death"
	// LateRequeue: the dead letter is requeued, and its next attempt delivers.
	LateRequeue LateWay = "requeued"
)

// Planned is what the drill will do with one job.
type Planned struct {
	// Account is the trace's account with the drill's prefix, Action the trace's with its prefix.
	Account, JobID, Action string
	Units                  int64
	Fate                   Fate
	// External jobs are run by signals, never claimed.
	External bool
	// MaxAttempts is the budget sent with the charge.
	MaxAttempts int
	// ExpiresInS is sent with the charge when above 0.
	ExpiresInS int
	// Late is set for FateLate.
	Late LateWay
	// Permanent failures die at their first attempt.
	Permanent bool
	// Seed feeds the job's own choices during the run.
	Seed uint64
}

// Plan is the whole drill, jobs in order of arrival.
type Plan struct {
	Jobs []Planned
	// Accounts are the accounts in order of their first job.
	Accounts []string
	// Short accounts get too few credits at first, so that charges are refused.
	Short map[string]bool
	// Actions are the actions that workers claim, sorted.
	Actions []string
}

// Prefixes keep the drill apart from what else a system holds.
type Prefixes struct {
	// Account begins every account id.
	Account string
	// Action begins every action; may be empty.
	Action string
	// Unclaimed is a priced action that no worker claims; empty when there is none: jobs that nobody
	// runs are then all external.
	Unclaimed string
}

// MakePlan decides every job's fate. The same trace, seed, prefixes and faults give the same plan.
func MakePlan(jobs []TraceJob, seed uint64, p Prefixes, faults Faults) Plan {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b TraceJob) int {
		switch {
		case a.CreatedS < b.CreatedS:
			return -1
		case a.CreatedS > b.CreatedS:
			return 1
		}
		return 0
	})
	plan := Plan{Short: map[string]bool{}}
	known, actions := map[string]bool{}, map[string]bool{}
	for _, t := range jobs {
		j := planned(t, seed, p, faults)
		plan.Jobs = append(plan.Jobs, j)
		if !known[j.Account] {
			known[j.Account] = true
			plan.Accounts = append(plan.Accounts, j.Account)
			// About every eighth, whichever the seed says.
			if seeded(seed, "short", t.AccountID).IntN(8) == 0 {
				plan.Short[j.Account] = true
			}
		}
		if !j.External && j.Fate != FateUnclaimed {
			actions[j.Action] = true
		}
	}
	for a := range actions {
		plan.Actions = append(plan.Actions, a)
	}
	slices.Sort(plan.Actions)
	return plan
}

func planned(t TraceJob, seed uint64, p Prefixes, faults Faults) Planned {
	r := seeded(seed, "job", t.AccountID, t.JobID)
	j := Planned{Account: accountID(p.Account, t.AccountID), JobID: t.JobID, Action: p.Action + t.Action, Units: t.Units, Seed: r.Uint64()}
	switch t.Phase {
	case Succeeded:
		j.Fate, j.MaxAttempts = FateSucceeds, 50 // killed workers must not use it up
		j.External = r.IntN(5) == 0
	case Failed:
		j.Fate, j.MaxAttempts = FateFails, 1+r.IntN(3)
		j.External = r.IntN(8) == 0
		j.Permanent = r.IntN(10) == 0
		late, way := r.IntN(2) == 0, r.IntN(4)
		if !late || !faults.Has(Late) {
			break
		}
		j.Fate = FateLate
		j.Late = []LateWay{LateAfterDeath, LateWhileRetrying, LateSignal, LateRequeue}[way]
		if j.Late == LateWhileRetrying {
			j.Permanent, j.MaxAttempts = false, max(j.MaxAttempts, 2)
		}
		if j.External && (j.Late == LateAfterDeath || j.Late == LateRequeue) {
			j.Late = LateSignal // there is no lease, and nobody would claim it
		}
	case Running:
		j.Fate, j.MaxAttempts = FateAbandoned, []int{1, 1, 1, 1, 1, 2, 2, 2, 2, 3}[r.IntN(10)]
	case Pending:
		j.Fate, j.MaxAttempts, j.ExpiresInS = FateUnclaimed, 5, 3+r.IntN(8)
		j.External = p.Unclaimed == "" || r.IntN(2) == 0
		if !j.External {
			j.Action = p.Unclaimed
		}
	}
	return j
}

// accountID is the trace's account with a prefix, shortened to a digest where it would be too long.
func accountID(prefix, id string) string {
	if len(prefix)+len(id) <= 64 {
		return prefix + id
	}
	sum := sha256.Sum256([]byte(id))
	return prefix + hex.EncodeToString(sum[:16])
}

// seeded is a source of choices that depends on the seed and the names alone.
func seeded(seed uint64, names ...string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(names, "\x00"))) //nolint:errcheck // a hash does not fail
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// count tells how many jobs have each fate.
func (p Plan) count() map[Fate]int {
	n := map[Fate]int{}
	for _, j := range p.Jobs {
		n[j.Fate]++
	}
	return n
}
