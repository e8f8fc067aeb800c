package drill

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// trial is the rollout that a drill makes: on the action that most jobs have, in two stages that admit about a third and two thirds of its
// jobs, by accounts.
type trial struct {
	timeline
	id, action string
	// baseline and candidate are the two rule versions, prices what each asks for a unit in thousandths of a credit.
	baseline, candidate string
	prices              map[string]int64
	// minCharges is how many charges under the candidate its checks ask for.
	minCharges int
}

// The parts of the jobs that have been handed out when each step is made.
const (
	startAt   = 0.05
	advanceAt = 0.30
	// The pause follows the advance at once: it has to find accounts that the second stage admits and that were not enrolled yet.
	pauseAt    = 0.31
	resumeAt   = 0.45
	haltAt     = 0.68
	rollBackAt = 0.80
	// leeway is how far charging may run ahead of a step that is due.
	leeway = 0.06
)

// the share of an action's jobs that each stage is to admit.
const (
	firstShare  = 0.3
	secondShare = 0.6
)

// errTooSmall is the end of a drill whose trace shows nothing of a rollout.
var errTooSmall = errors.New("--rollout needs a trace with an action that at least three accounts use often enough: a few dozen jobs")

// planTrial chooses action, salt and thresholds from the plan alone. The salt is one of many, so that few and uneven accounts are split
// well all the same; the buckets that follow from it are whatever they are.
func planTrial(plan Plan, name string) (*trial, error) {
	jobs, users := map[string]int{}, map[string]map[string]int{}
	for _, j := range plan.Jobs {
		if users[j.Action] == nil {
			users[j.Action] = map[string]int{}
		}
		jobs[j.Action]++
		users[j.Action][j.Account]++
	}
	action := ""
	for _, a := range sortedKeys(jobs) {
		if a != unclaimedAction && len(users[a]) >= 3 && jobs[a] > jobs[action] {
			action = a
		}
	}
	if action == "" {
		return nil, errTooSmall
	}
	var best *trial
	least := math.MaxFloat64
	for k := range 300 {
		t := &trial{id: fmt.Sprintf("drill-%s-%d", name, k), action: action}
		if off, ok := t.split(plan, users[action], jobs[action]); ok && off < least {
			best, least = t, off
		}
	}
	if best == nil {
		return nil, errTooSmall
	}
	return best, nil
}

// split sets the thresholds for this salt and says how far off the shares are; false where the stages would have nothing to show.
func (t *trial) split(plan Plan, jobs map[string]int, total int) (off float64, ok bool) {
	accounts := sortedKeys(jobs)
	slices.SortFunc(accounts, func(a, b string) int { return cmp.Compare(bucketOf(t.id, a), bucketOf(t.id, b)) })
	in, shares := 0, []float64{}
	for i, a := range accounts[:len(accounts)-1] {
		in += jobs[a]
		share := float64(in) / float64(total)
		if want := []float64{firstShare, secondShare}; len(shares) < 2 && (share >= want[len(shares)] || len(accounts)-1-i <= 2-len(shares)) {
			if bucketOf(t.id, a) == bucketOf(t.id, accounts[i+1]) {
				return 0, false
			}
			t.thresholds = append(t.thresholds, bucketOf(t.id, a)+1)
			shares = append(shares, share)
		}
	}
	if len(shares) < 2 {
		return 0, false
	}
	// What is certainly charged under the candidate before the advance, and of that what is delivered: its costs have to be known.
	n := float64(len(plan.Jobs))
	charges, delivered := 0, 0
	for i, j := range plan.Jobs {
		at := float64(i) / n
		if at < startAt+leeway || at > advanceAt-0.02 || j.Action != t.action || bucketOf(t.id, j.Account) >= t.thresholds[0] {
			continue
		}
		if _, held := t.quoted(j, at); held {
			continue
		}
		charges++
		if j.Fate.Delivers() {
			delivered++
		}
	}
	t.minCharges = min(20, max(1, charges/2))
	return math.Abs(shares[0]-firstShare) + math.Abs(shares[1]-secondShare), charges > 0 && delivered > 0
}

// quoted reports whether a job's price is asked for before it is charged, and whether it then waits for the rollback.
func (t *trial) quoted(j Planned, at float64) (quoted, held bool) {
	if t == nil || j.Action != t.action {
		return false, false
	}
	r := seeded(j.Seed, "quote")
	quoted = r.IntN(3) == 0
	return quoted, quoted && at > startAt && at < rollBackAt && r.IntN(3) == 0
}
