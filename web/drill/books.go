package drill

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Difference is one thing that is not as the drill's own record says it must be.
type Difference struct {
	Kind Kind
	// Account and Job are empty where the difference concerns none.
	Account, Job string
	Text         string
}

func (d Difference) String() string {
	where := d.Account
	if d.Job != "" {
		where += "/" + d.Job
	}
	if where != "" {
		where += ": "
	}
	return fmt.Sprintf("%s: %s%s", d.Kind, where, d.Text)
}

// Kind is a class of differences.
type Kind string

// The kinds.
const (
	UnexpectedAnswer Kind = "unexpected answer"
	AnswerChanged    Kind = "answer changed"
	AppliedTwice     Kind = "applied twice"
	NotReplayed      Kind = "not replayed"
	MovedTwice       Kind = "money moved twice"
	WrongCost        Kind = "wrong cost"
	WrongBalance     Kind = "wrong balance"
	BrokenChain      Kind = "broken chain of entries"
	UnknownEntry     Kind = "entry nobody asked for"
	LostEntry        Kind = "acknowledged entry lost"
	LostOperation    Kind = "acknowledged operation lost"
	WrongNet         Kind = "wrong net of a job"
	WrongState       Kind = "wrong state of a job"
	WrongEvidence    Kind = "wrong evidence of a job"
	NotEnded         Kind = "job did not end"
	ServerError      Kind = "server error"
	AccountNotThere  Kind = "account lost"
	WrongNumber      Kind = "wrong number of entries"
	WrongDeadLetters Kind = "wrong list of dead letters"
	WrongDecision    Kind = "wrong decision of a price"
	WrongAttribution Kind = "wrong attribution of a price"
)

// books is the drill's record of what it sent and what was acknowledged. It never asks the server.
type books struct {
	mu       sync.Mutex
	accounts map[string]*accountBook
	order    []string
	ops      map[opName]*opBook
	wrong    []Difference
	onWrong  func(Difference)
	n        counts
	// trial is the rollout that the drill makes; nil for none. What books read of it is set before the first charge.
	trial *trial
}

// counts is what the table at the end shows, as far as answers tell.
type counts struct {
	charged, claims, signals, heartbeats int
	replays                              int
	dropped, cut, duplicates, races      int
	kills, requeues                      int
	insufficient, conflicts              int
	ended                                int
	// quotes, byCandidate, byBaseline and lateRetries are those of a rollout.
	quotes, byCandidate, byBaseline, lateRetries int
}

type opName struct{ scope, id string }

// accountBook is what one account must hold.
type accountBook struct {
	id string
	// grants are the acknowledged ones, operation id → amount.
	grants map[string]int64
	// acked are the entries that answers named, by seq.
	acked map[int64]ackedEntry
	jobs  map[string]*jobBook
	order []string
}

type ackedEntry struct {
	Entry
	opID, job string
}

// jobBook is what the drill knows of one job.
type jobBook struct {
	plan Planned
	// charged is true once the charge is acknowledged; cost is then its price.
	charged bool
	cost    int64
	// decided is what the charge says of its price, and quote what was said of it before; nil where nobody asked.
	decided decided
	quote   *decided
	// held is true for a job that is quoted and charged after the rollback.
	held bool
	// quoteFirst is true for a job whose price is asked for before it is charged.
	quoteFirst bool
	// refundedBy and reclaimedBy are the operations whose answers said so.
	refundedBy, reclaimedBy string
	// delivered is true once a success is acknowledged.
	delivered bool
	// attempt is the highest that was acknowledged to a worker or by an answer.
	attempt int
	replays int
	ended   bool
	// lateSent is true once the late success is planned, requeued once the job is put back, and rescued
	// once a success is sent for a job whose workers were all killed.
	lateSent, requeued, rescued bool
}

// opBook is what the drill knows of one operation.
type opBook struct {
	account, job, kind string
	acked, applied     bool
	// entry is true when the answer named an entry, which the recount looks for.
	entry  bool
	digest [sha256.Size]byte
	// asked is when it was sent first.
	asked time.Time
}

// Kinds of operations, as far as the books tell them apart.
const (
	kindAccount  = "account"
	kindGrant    = "grant"
	kindCharge   = "charge"
	kindSignal   = "signal"
	kindComplete = "complete"
	kindFail     = "fail"
	kindClaim    = "claim"
	kindRequeue  = "requeue"
)

func newBooks(plan Plan) *books {
	b := &books{accounts: map[string]*accountBook{}, order: plan.Accounts, ops: map[opName]*opBook{}, onWrong: func(Difference) {}}
	for _, id := range plan.Accounts {
		b.accounts[id] = &accountBook{id: id, grants: map[string]int64{}, acked: map[int64]ackedEntry{}, jobs: map[string]*jobBook{}}
	}
	for _, j := range plan.Jobs {
		a := b.accounts[j.Account]
		a.jobs[j.JobID] = &jobBook{plan: j}
		a.order = append(a.order, j.JobID)
	}
	return b
}

func scopeOf(account string) string { return "account:" + account }

// differ notes a difference. The caller holds b.mu.
func (b *books) differ(d Difference) {
	b.wrong = append(b.wrong, d)
	b.onWrong(d)
}

// note notes a difference.
func (b *books) note(kind Kind, account, job, format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.differ(Difference{kind, account, job, fmt.Sprintf(format, args...)})
}

// count changes the counts under the lock.
func (b *books) count(change func(*counts)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.n)
}

// sent notes that an operation is on its way: from now on it may be in the ledger.
func (b *books) sent(o operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := opName{o.scope, o.id}
	if b.ops[name] == nil {
		b.ops[name] = &opBook{account: o.account, job: o.job, kind: o.kind, asked: time.Now()}
	}
}

// answered checks an answer of 2xx against everything known and learns from it. replayed says that
// the operation is known to be committed, so that the answer must be a replay.
func (b *books) answered(o operation, a answer, committed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	differ := func(kind Kind, format string, args ...any) {
		b.differ(Difference{kind, o.account, o.job, fmt.Sprintf("%s %s: ", o.kind, o.id) + fmt.Sprintf(format, args...)})
	}
	op := b.ops[opName{o.scope, o.id}]
	if op == nil {
		differ(UnexpectedAnswer, "was never sent")
		return
	}
	want := "applied"
	if a.replayed {
		want = "replayed"
		b.n.replays++
	}
	if a.outcome != want {
		differ(UnexpectedAnswer, "outcome %q with Idempotent-Replayed %t", a.outcome, a.replayed)
	}
	if committed && !a.replayed {
		differ(NotReplayed, "was committed before and answered as %s again", a.outcome)
	}
	if !a.replayed {
		if op.applied {
			differ(AppliedTwice, "two answers say applied")
		}
		op.applied = true
	}
	digest := digestOf(a.result)
	if op.acked && digest != op.digest {
		differ(AnswerChanged, "another result than the first answer: %s", cut(string(a.result), 200))
	}
	first := !op.acked
	op.acked, op.digest = true, digest
	if o.kind == kindClaim {
		return
	}
	c, err := readChanged(a.result)
	if err != nil {
		differ(UnexpectedAnswer, "%s", err)
		return
	}
	if o.job != "" && a.replayed {
		b.accounts[o.account].jobs[o.job].replays++
	}
	if first {
		b.learn(o, op, c, differ)
	}
}

// learn takes what the first answer of an operation says. The caller holds b.mu.
func (b *books) learn(o operation, op *opBook, c changed, differ func(Kind, string, ...any)) {
	account := b.accounts[o.account]
	if account == nil {
		return // the account that only asks for prices
	}
	if c.Entry != nil {
		op.entry = true
		if there, twice := account.acked[c.Entry.Seq]; twice {
			differ(BrokenChain, "entry %d was acknowledged for operation %s already", c.Entry.Seq, there.opID)
		}
		account.acked[c.Entry.Seq] = ackedEntry{Entry: *c.Entry, opID: o.id, job: o.job}
	}
	if o.kind == kindGrant {
		if c.Entry == nil || c.Entry.Type != "grant" {
			differ(UnexpectedAnswer, "a grant without its entry")
			return
		}
		account.grants[o.id] = c.Entry.Amount
	}
	j := account.jobs[o.job]
	if j == nil {
		return
	}
	if c.Job == nil {
		differ(UnexpectedAnswer, "an answer without the job")
		return
	}
	if o.kind == kindCharge {
		j.charged, j.cost = true, c.Job.Cost
		b.decides(j, *c.Job, op.asked, differ)
		b.n.charged++
		if c.Entry == nil || c.Entry.Type != "charge" || c.Entry.Amount != -j.cost {
			differ(WrongCost, "the entry of the charge is not −%d", j.cost)
		}
		if o.cost != nil && *o.cost != j.cost {
			differ(WrongCost, "%d credits for %d units, the price in force makes it %d", j.cost, j.plan.Units, *o.cost)
		}
		return
	}
	if j.charged && c.Job.Cost != j.cost {
		differ(WrongCost, "the answer names %d credits, the charge %d", c.Job.Cost, j.cost)
	}
	j.attempt = max(j.attempt, c.Job.Attempt)
	if o.success {
		j.delivered = true
		if c.Job.Net != -c.Job.Cost || c.Job.State != "succeeded" {
			differ(WrongNet, "after a success the net is %d of a cost of %d, state %s", c.Job.Net, c.Job.Cost, c.Job.State)
		}
	}
	b.learnMoney(o, j, c, differ)
}

// learnMoney takes what an answer says of refund and reclaim. The caller holds b.mu.
func (b *books) learnMoney(o operation, j *jobBook, c changed, differ func(Kind, string, ...any)) {
	once := func(by *string, entryType string, sign int64) {
		if *by != "" && *by != o.id {
			differ(MovedTwice, "says %s, which operation %s said before", c.Outcome, *by)
		}
		*by = o.id
		if c.Entry == nil || c.Entry.Type != entryType || c.Entry.Amount != sign*c.Job.Cost {
			differ(WrongNet, "says %s without an entry of %d", c.Outcome, sign*c.Job.Cost)
		}
	}
	switch c.Outcome {
	case "refunded":
		once(&j.refundedBy, "refund", 1)
		if o.success {
			differ(UnexpectedAnswer, "a success refunded")
		}
	case "reclaimed":
		once(&j.reclaimedBy, "reclaim", -1)
		if !o.success {
			differ(UnexpectedAnswer, "a failure reclaimed")
		}
	default:
		if c.Entry != nil {
			differ(UnexpectedAnswer, "%s with an entry of %d", c.Outcome, c.Entry.Amount)
		}
	}
}

// handedOut notes an attempt that a worker was given.
func (b *books) handedOut(account, job string, attempt int) (j *jobBook, ours bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.accounts[account]
	if a == nil || a.jobs[job] == nil {
		return nil, false
	}
	j = a.jobs[job]
	j.attempt = max(j.attempt, attempt)
	return j, true
}

// end notes that a job has reached its fate; false when it had before.
func (b *books) end(j *jobBook) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if j.ended {
		return false
	}
	j.ended = true
	b.n.ended++
	return true
}

// once sets a mark and reports whether it was not set before.
func (b *books) once(mark *bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := *mark
	*mark = true
	return !was
}

// marked reads a mark.
func (b *books) marked(mark *bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return *mark
}

func (b *books) hasEnded(j *jobBook) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return j.ended
}

// snapshot returns the counts and the number of differences so far.
func (b *books) snapshot() (counts, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n, len(b.wrong)
}

// digestOf ignores white space between tokens: the API promises the bytes of the result, and nothing
// of the frame around it.
func digestOf(result json.RawMessage) [sha256.Size]byte {
	var plain bytes.Buffer
	if json.Compact(&plain, result) != nil {
		return sha256.Sum256(result)
	}
	return sha256.Sum256(plain.Bytes())
}
