package drill

import (
	"context"
	"encoding/json"

	"math"
	"sync"
)

// Source is where the recount reads what the system holds.
type Source interface {
	// Balance is an account's balance; false when there is no such account.
	Balance(ctx context.Context, account string) (Balance, bool, error)
	// Entries hands out all entries of an account, newest first.
	Entries(ctx context.Context, account string, take func(Entry)) error
	// Job is a job with its evidence; false when there is none.
	Job(ctx context.Context, account, job string) (JobView, Evidence, bool, error)
	// DeadLetters hands out all open dead letters, those of other accounts too.
	DeadLetters(ctx context.Context, take func(account, job string)) error
	// Operation is the stored result of an operation; false when there is none.
	Operation(ctx context.Context, scope, id string) (json.RawMessage, bool, error)
}

// found is what the recount counted in the system.
type found struct {
	entries, refunds, reclaims int
	dead, succeeded, late      int
	operations                 int
	accounts                   int
	// granted, spent and held are sums over all accounts, in credits.
	granted, spent, held int64
}

// tally is what an account's entries say of one job.
type tally struct {
	charges, refunds, reclaims int
	net                        int64
}

// recount compares every account, job and acknowledged operation with the books. Differences go into
// the books; the error says that the system could not be read. step hears of every unit of work done,
// total is how many there are.
func (b *books) recount(ctx context.Context, src Source, parallel int, step func(done, total int)) (found, error) {
	operations := b.withoutEntry()
	total, done := len(b.order)+len(operations), 0
	for _, a := range b.accounts {
		total += len(a.jobs)
	}
	r := recounter{b: b, src: src}
	r.step = func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		done++
		step(done, total)
	}
	tallies := make([]map[string]*tally, len(b.order))
	err := each(ctx, parallel, len(b.order), func(ctx context.Context, i int) error {
		var err error
		tallies[i], err = r.account(ctx, b.accounts[b.order[i]])
		return err
	})
	if err != nil {
		return r.found, err
	}
	type at struct{ account, job int }
	if err := b.recountDeadLetters(ctx, src); err != nil {
		return r.found, err
	}
	var jobs []at
	for i, id := range b.order {
		for k := range b.accounts[id].order {
			jobs = append(jobs, at{i, k})
		}
	}
	err = each(ctx, parallel, len(jobs), func(ctx context.Context, i int) error {
		a := b.accounts[b.order[jobs[i].account]]
		id := a.order[jobs[i].job]
		return r.job(ctx, a, a.jobs[id], tallies[jobs[i].account][id])
	})
	if err != nil {
		return r.found, err
	}
	err = each(ctx, parallel, len(operations), func(ctx context.Context, i int) error { return r.operation(ctx, operations[i]) })
	return r.found, err
}

// withoutEntry lists the acknowledged operations that no entry proves.
func (b *books) withoutEntry() []opName {
	var names []opName
	for name, op := range b.ops {
		if op.acked && !op.entry && op.kind != kindClaim {
			names = append(names, name)
		}
	}
	return names
}

// recountDeadLetters looks whether every job that must be dead is in the list, once, and no other.
func (b *books) recountDeadLetters(ctx context.Context, src Source) error {
	times := map[*jobBook]int{}
	err := src.DeadLetters(ctx, func(account, job string) {
		if a := b.accounts[account]; a != nil {
			if j := a.jobs[job]; j != nil {
				times[j]++
				return
			}
			b.note(WrongDeadLetters, account, job, "is listed and was never charged")
		}
	})
	if err != nil {
		return err
	}
	for id, a := range b.accounts {
		for job, j := range a.jobs {
			want := 1
			if j.plan.Fate.Delivers() {
				want = 0
			}
			// What has not ended is a difference of its own.
			if times[j] != want && j.ended {
				b.note(WrongDeadLetters, id, job, "is listed %d times, planned (%s): %d", times[j], j.plan.Fate, want)
			}
		}
	}
	return nil
}

// recounter holds what the parts of one recount share.
type recounter struct {
	b    *books
	src  Source
	step func()

	mu    sync.Mutex
	found found
}

func (r *recounter) add(change func(*found)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.found)
}

// account reads one account's entries once, from the newest to the first, and tallies them by job.
func (r *recounter) account(ctx context.Context, a *accountBook) (map[string]*tally, error) {
	defer r.step()
	differ := func(kind Kind, job, format string, args ...any) { r.b.note(kind, a.id, job, format, args...) }
	tallies := map[string]*tally{}
	balance, there, err := r.src.Balance(ctx, a.id)
	if err != nil {
		return nil, err
	}
	if !there {
		differ(AccountNotThere, "", "the API does not know it")
		return tallies, nil
	}
	walk := chain{account: a, differ: differ, next: balance.AsOfSeq, after: balance.Balance, tallies: tallies,
		grants: map[string]bool{}, seen: map[int64]bool{}, ops: r.b.ops}
	if err := r.src.Entries(ctx, a.id, walk.take); err != nil {
		return nil, err
	}
	walk.finish()

	want, spent := int64(0), int64(0)
	for _, amount := range a.grants {
		want += amount
	}
	granted := want
	for _, j := range a.jobs {
		if j.charged && j.plan.Fate.Delivers() {
			spent += j.cost
		}
	}
	want -= spent
	if balance.Balance != want {
		differ(WrongBalance, "", "the API says %d, the record %d (%d granted, %d for delivered jobs)", balance.Balance, want, granted, spent)
	}
	if walk.sum != balance.Balance {
		differ(WrongBalance, "", "the API says %d, its entries add up to %d", balance.Balance, walk.sum)
	}
	r.add(func(f *found) {
		f.accounts++
		f.entries += walk.count
		f.granted, f.spent, f.held = f.granted+granted, f.spent+spent, f.held+balance.Balance
		for _, t := range tallies {
			f.refunds += t.refunds
			f.reclaims += t.reclaims
		}
	})
	return tallies, nil
}

// chain checks entries one by one, newest first.
type chain struct {
	account *accountBook
	ops     map[opName]*opBook
	differ  func(kind Kind, job, format string, args ...any)
	// next is the seq the next entry must have, after the balance it must leave.
	next, after int64
	sum         int64
	count       int
	tallies     map[string]*tally
	grants      map[string]bool
	seen        map[int64]bool
}

func (c *chain) take(e Entry) {
	c.count++
	c.sum += e.Amount
	c.seen[e.Seq] = true
	if e.Seq != c.next {
		c.differ(BrokenChain, e.JobID, "entry %d where %d must be", e.Seq, c.next)
	} else if e.BalanceAfter != c.after {
		c.differ(BrokenChain, e.JobID, "entry %d leaves %d, the one after it began with %d", e.Seq, e.BalanceAfter, c.after)
	}
	c.next, c.after = e.Seq-1, e.BalanceAfter-e.Amount
	if acked, ok := c.account.acked[e.Seq]; ok {
		if acked.Type != e.Type || acked.Amount != e.Amount || acked.BalanceAfter != e.BalanceAfter || acked.opID != e.OperationID || acked.job != e.JobID {
			c.differ(LostEntry, e.JobID, "entry %d was acknowledged as %s of %d by %s and is now %s of %d by %s", e.Seq,
				acked.Type, acked.Amount, acked.opID, e.Type, e.Amount, e.OperationID)
		}
	}
	if e.Type == "grant" {
		amount, ours := c.account.grants[e.OperationID]
		switch {
		case !ours:
			c.differ(UnknownEntry, "", "entry %d is a grant by operation %s", e.Seq, e.OperationID)
		case c.grants[e.OperationID]:
			c.differ(MovedTwice, "", "grant %s has a second entry, %d", e.OperationID, e.Seq)
		case amount != e.Amount:
			c.differ(LostEntry, "", "grant %s was of %d and is now of %d", e.OperationID, amount, e.Amount)
		}
		c.grants[e.OperationID] = true
		return
	}
	c.takeJob(e)
}

func (c *chain) takeJob(e Entry) {
	j := c.account.jobs[e.JobID]
	if j == nil {
		c.differ(UnknownEntry, e.JobID, "entry %d is a %s of %d by operation %s", e.Seq, e.Type, e.Amount, e.OperationID)
		return
	}
	// What timers do is not ours to name; everything else was sent by the drill.
	if _, sent := c.ops[opName{scopeOf(c.account.id), e.OperationID}]; !sent && e.Actor != "system" {
		c.differ(UnknownEntry, e.JobID, "entry %d is a %s by operation %s of %s, which was never sent", e.Seq, e.Type, e.OperationID, e.Actor)
	}
	t := c.tallies[e.JobID]
	if t == nil {
		t = &tally{}
		c.tallies[e.JobID] = t
	}
	t.net += e.Amount
	want := -j.cost
	switch e.Type {
	case "charge":
		t.charges++
	case "refund":
		t.refunds++
		want = j.cost
	case "reclaim":
		t.reclaims++
	default:
		c.differ(UnknownEntry, e.JobID, "entry %d is a %s", e.Seq, e.Type)
		return
	}
	if j.charged && !e.is(j.decided) {
		c.differ(WrongAttribution, e.JobID, "entry %d is a %s of %s, %q, %q; charged %s", e.Seq, e.Type, e.RuleVersion, e.Cohort, text(e.RolloutID), j.decided)
	}
	if j.charged && e.Amount != want {
		c.differ(WrongCost, e.JobID, "entry %d is a %s of %d, the job's cost is %d", e.Seq, e.Type, e.Amount, j.cost)
	}
}

// finish says what the walk did not meet.
func (c *chain) finish() {
	if c.next != 0 || c.after != 0 {
		c.differ(BrokenChain, "", "the entries end at %d with %d credits before it, not at 1 with 0", c.next+1, c.after)
	}
	for op, amount := range c.account.grants {
		if !c.grants[op] {
			c.differ(LostEntry, "", "grant %s of %d was acknowledged and is not in the ledger", op, amount)
		}
	}
	for seq, acked := range c.account.acked {
		if !c.seen[seq] {
			c.differ(LostEntry, acked.job, "entry %d, %s of %d, was acknowledged and is not in the ledger", seq, acked.Type, acked.Amount)
		}
	}
}

// job compares one job with its fate. t is nil when no entry names it.
func (r *recounter) job(ctx context.Context, a *accountBook, j *jobBook, t *tally) error {
	defer r.step()
	v, e, there, err := r.src.Job(ctx, a.id, j.plan.JobID)
	if err != nil {
		return err
	}
	differ := func(kind Kind, format string, args ...any) { r.b.note(kind, a.id, j.plan.JobID, format, args...) }
	if t == nil {
		t = &tally{}
	}
	if !j.charged {
		if there || t.charges != 0 {
			differ(UnknownEntry, "the charge was never acknowledged, and the job is there")
		}
		return nil
	}
	if !there {
		differ(LostOperation, "the charge was acknowledged and the job is not there")
		return nil
	}
	if !j.ended {
		differ(NotEnded, "planned: %s; it is %s after %d of %d attempts", j.plan.Fate, v.State, v.Attempt, v.MaxAttempts)
	}
	r.jobMoney(j, v, t, differ)
	r.jobWork(j, v, e, t, differ)
	r.add(func(f *found) {
		switch v.State {
		case "dead":
			f.dead++
		case "succeeded":
			f.succeeded++
		}
		if v.LateSuccess != nil {
			f.late++
		}
	})
	return nil
}

func (r *recounter) jobMoney(j *jobBook, v JobView, t *tally, differ func(Kind, string, ...any)) {
	want := int64(0)
	if j.plan.Fate.Delivers() {
		want = -j.cost
	}
	if t.net != want {
		differ(WrongNet, "its entries add up to %d, planned (%s): %d", t.net, j.plan.Fate, want)
	}
	if v.Net != want || v.Cost != j.cost {
		differ(WrongNet, "the API says net %d of cost %d, planned (%s): %d of %d", v.Net, v.Cost, j.plan.Fate, want, j.cost)
	}
	if !v.is(j.decided) {
		differ(WrongAttribution, "the API says %s, %q, %q; charged %s", v.RuleVersion, v.Cohort, text(v.RolloutID), j.decided)
	}
	refunds, reclaims := 1, 0
	switch j.plan.Fate {
	case FateLate:
		reclaims = 1
	case FateSucceeds: // a worker may have been killed and the lease ended on the way
		refunds, reclaims = min(t.refunds, 1), min(t.refunds, 1)
	}
	if t.charges != 1 || t.refunds != refunds || t.reclaims != reclaims {
		differ(WrongNumber, "%d charges, %d refunds, %d reclaims; planned (%s): 1, %d, %d", t.charges, t.refunds, t.reclaims, j.plan.Fate, refunds, reclaims)
	}
	if v.IsRefunded != (t.refunds > 0) || v.IsReclaimed != (t.reclaims > 0) {
		differ(WrongNet, "flags refunded %t, reclaimed %t with %d refunds and %d reclaims", v.IsRefunded, v.IsReclaimed, t.refunds, t.reclaims)
	}
}

func (r *recounter) jobWork(j *jobBook, v JobView, e Evidence, t *tally, differ func(Kind, string, ...any)) {
	state := "dead"
	if j.plan.Fate.Delivers() {
		state = "succeeded"
	}
	if v.State != state || (v.DeliveredAt != nil) != j.plan.Fate.Delivers() {
		differ(WrongState, "it is %s, planned (%s): %s", v.State, j.plan.Fate, state)
	}
	// A retry that goes well reclaims too, without being late; one whose worker was killed may be late.
	either := (j.plan.Fate == FateSucceeds || j.plan.Late == LateRequeue) && t.reclaims > 0
	if late := v.LateSuccess != nil; late != (j.plan.Fate == FateLate) && !either {
		differ(WrongState, "late success is %t, planned: %s", late, j.plan.Fate)
	}
	if v.Attempt < j.attempt {
		differ(LostOperation, "attempt %d was acknowledged, the job has made %d", j.attempt, v.Attempt)
	}
	if j.plan.Fate == FateAbandoned && v.Attempt != j.plan.MaxAttempts {
		differ(WrongState, "dead after %d attempts of %d", v.Attempt, j.plan.MaxAttempts)
	}
	if e.RefundsApplied != int64(t.refunds) || e.ReclaimsApplied != int64(t.reclaims) ||
		e.RefundSignals < e.RefundsApplied || e.ReclaimSignals < e.ReclaimsApplied || e.Replays < int64(j.replays) {
		differ(WrongEvidence, "%+v with %d refunds, %d reclaims and %d replays seen", e, t.refunds, t.reclaims, j.replays)
	}
}

// operation looks for the stored result of an acknowledged operation.
func (r *recounter) operation(ctx context.Context, name opName) error {
	defer r.step()
	op := r.b.ops[name]
	result, there, err := r.src.Operation(ctx, name.scope, name.id)
	switch {
	case err != nil:
		return err
	case !there:
		r.b.note(LostOperation, op.account, op.job, "%s %s was acknowledged and is not stored", op.kind, name.id)
	case digestOf(result) != op.digest:
		r.b.note(AnswerChanged, op.account, op.job, "%s %s is stored with another result than was acknowledged", op.kind, name.id)
	}
	r.add(func(f *found) { f.operations++ })
	return nil
}

// each runs work for 0 … n−1 on several goroutines and returns the first error.
func each(ctx context.Context, parallel, n int, work func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(parallel, max(n, 1)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				if err := work(ctx, i); err != nil {
					cancel(err)
				}
			}
		}()
	}
	for i := range n {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// costOf is units × price ÷ 1,000 rounded half to even: the drill's own arithmetic for the prices that
// it puts in force itself. ok is false when the product does not fit.
func costOf(units, price int64) (cost int64, ok bool) {
	if price != 0 && units > math.MaxInt64/price {
		return 0, false
	}
	product := units * price
	cost, rest := product/1000, product%1000
	if rest > 500 || rest == 500 && cost%2 == 1 {
		cost++
	}
	return cost, true
}
