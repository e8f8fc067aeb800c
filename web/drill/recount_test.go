package drill

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// shelf is a ledger in memory that can be made wrong.
type shelf struct {
	entries  []Entry // ascending
	balance  *Balance
	jobs     map[string]JobView
	evidence map[string]Evidence
	ops      map[opName]json.RawMessage
	missing  bool
	// listed are the dead letters of account a.
	listed []string
}

func (s *shelf) Balance(context.Context, string) (Balance, bool, error) {
	if s.balance != nil {
		return *s.balance, !s.missing, nil
	}
	b := Balance{AsOfSeq: int64(len(s.entries))}
	for _, e := range s.entries {
		b.Balance += e.Amount
	}
	return b, !s.missing, nil
}

func (s *shelf) Entries(_ context.Context, _ string, take func(Entry)) error {
	for i := len(s.entries) - 1; i >= 0; i-- {
		take(s.entries[i])
	}
	return nil
}

func (s *shelf) Job(_ context.Context, _, job string) (JobView, Evidence, bool, error) {
	v, there := s.jobs[job]
	return v, s.evidence[job], there, nil
}

func (s *shelf) DeadLetters(_ context.Context, take func(account, job string)) error {
	take("somebody", "else")
	for _, id := range s.listed {
		take("a", id)
	}
	return nil
}

func (s *shelf) Operation(_ context.Context, scope, id string) (json.RawMessage, bool, error) {
	result, there := s.ops[opName{scope, id}]
	return result, there, nil
}

// world is a right ledger and the books of the drill that made it.
type world struct {
	t     *testing.T
	b     *books
	shelf *shelf
	// deliveredAt of every delivered job.
	now time.Time
}

const cost = 10

// newWorld runs one job of every fate over one account of 1,000 credits.
func newWorld(t *testing.T) *world {
	plan := Plan{Accounts: []string{"a"}}
	for id, f := range map[string]Fate{"succ": FateSucceeds, "fail": FateFails, "late": FateLate, "aban": FateAbandoned, "neve": FateUnclaimed} {
		plan.Jobs = append(plan.Jobs, Planned{Account: "a", JobID: id, Action: "x", Units: 20, Fate: f, MaxAttempts: 2})
	}
	w := &world{t: t, b: newBooks(plan), now: time.Now(),
		shelf: &shelf{jobs: map[string]JobView{}, evidence: map[string]Evidence{}, ops: map[opName]json.RawMessage{},
			listed: []string{"fail", "aban", "neve"}}}
	w.send(kindGrant, "grant:1", "", "grant", 1000, "", "", false)
	for _, p := range plan.Jobs {
		w.shelf.jobs[p.JobID] = JobView{AccountID: "a", JobID: p.JobID, State: "queued", Cost: cost, Net: -cost, Attempt: 2, MaxAttempts: 2}
		w.send(kindCharge, "charge:"+p.JobID, p.JobID, "charge", -cost, "", "queued", false)
	}
	w.send(kindComplete, "complete:succ", "succ", "", 0, "nothing_to_reclaim", "succeeded", true)
	w.send(kindFail, "fail:fail", "fail", "refund", cost, "refunded", "retrying", false)
	w.send(kindFail, "fail:fail:2", "fail", "", 0, "already_refunded", "dead", false)
	w.send(kindFail, "fail:late", "late", "refund", cost, "refunded", "dead", false)
	w.send(kindComplete, "late:late", "late", "reclaim", -cost, "reclaimed", "succeeded", true)
	w.timer("aban")
	w.timer("neve")
	for _, p := range plan.Jobs {
		w.b.end(w.b.accounts["a"].jobs[p.JobID])
	}
	return w
}

// move changes the shelf as the server would.
func (w *world) move(id, job, entryType string, amount int64, state, actor string) *Entry {
	var e *Entry
	s := w.shelf
	if entryType != "" {
		after := amount
		if n := len(s.entries); n > 0 {
			after += s.entries[n-1].BalanceAfter
		}
		e = &Entry{Seq: int64(len(s.entries) + 1), Type: entryType, Amount: amount, BalanceAfter: after, JobID: job, OperationID: id, Actor: actor}
		s.entries = append(s.entries, *e)
	}
	if job == "" {
		return e
	}
	v, ev := s.jobs[job], s.evidence[job]
	switch entryType {
	case "refund":
		v.IsRefunded, v.Net = true, 0
		ev.RefundSignals++
		ev.RefundsApplied++
	case "reclaim":
		v.IsReclaimed, v.Net = true, -cost
		was := v.State
		v.LateSuccess = &was
		ev.ReclaimSignals++
		ev.ReclaimsApplied++
	}
	if v.State = state; state == "succeeded" {
		v.DeliveredAt = &w.now
	}
	s.jobs[job], s.evidence[job] = v, ev
	return e
}

// send lets an operation happen and enters its answer into the books.
func (w *world) send(kind, id, job, entryType string, amount int64, outcome, state string, success bool) {
	e := w.move(id, job, entryType, amount, state, "key:1")
	c := changed{Outcome: outcome, Entry: e}
	if job != "" {
		v := w.shelf.jobs[job]
		c.Job = &v
	}
	result, err := json.Marshal(c)
	if err != nil {
		w.t.Fatal(err)
	}
	o := operation{scope: scopeOf("a"), id: id, kind: kind, account: "a", job: job, success: success}
	w.b.sent(o)
	w.b.answered(o, answer{status: 200, outcome: "applied", result: result}, false)
	w.shelf.ops[opName{o.scope, id}] = result
}

// timer refunds as the system does, which the drill is not told.
func (w *world) timer(job string) { w.move("timeout:7", job, "refund", cost, "dead", "system") }

func (w *world) recount() (found, []Difference) {
	f, err := w.b.recount(context.Background(), w.shelf, 3, func(int, int) {})
	if err != nil {
		w.t.Fatal(err)
	}
	return f, w.b.wrong
}

func TestRecountOfARightLedger(t *testing.T) {
	w := newWorld(t)
	f, wrong := w.recount()
	if len(wrong) != 0 {
		t.Fatalf("a right ledger is called wrong: %v", wrong)
	}
	if f.refunds != 4 || f.reclaims != 1 || f.dead != 3 || f.succeeded != 2 || f.late != 1 || f.held != 1000-2*cost || f.operations != 2 {
		t.Errorf("counted %+v", f)
	}
}

// Each way to spoil the ledger must be found, under the right name.
func TestRecountFindsEveryKindOfDifference(t *testing.T) {
	job := func(s *shelf, id string, change func(*JobView)) {
		v := s.jobs[id]
		change(&v)
		s.jobs[id] = v
	}
	// append adds an entry that continues the chain.
	add := func(s *shelf, e Entry) {
		last := s.entries[len(s.entries)-1]
		e.Seq, e.BalanceAfter = last.Seq+1, last.BalanceAfter+e.Amount
		s.entries = append(s.entries, e)
	}
	find := func(s *shelf, job, kind string) int {
		for i, e := range s.entries {
			if e.JobID == job && e.Type == kind {
				return i
			}
		}
		panic(fmt.Sprintf("no %s of %s", kind, job))
	}
	for name, c := range map[string]struct {
		spoil func(*world)
		want  Kind
	}{
		"account lost":               {func(w *world) { w.shelf.missing = true }, AccountNotThere},
		"balance is not the sum":     {func(w *world) { w.shelf.balance = &Balance{981, int64(len(w.shelf.entries))} }, WrongBalance},
		"newest entries cut":         {func(w *world) { w.shelf.entries = w.shelf.entries[:len(w.shelf.entries)-1] }, WrongBalance},
		"acknowledged entry cut":     {func(w *world) { w.shelf.entries = w.shelf.entries[:6] }, LostEntry},
		"first entry missing":        {func(w *world) { w.shelf.entries = w.shelf.entries[1:] }, BrokenChain},
		"gap":                        {func(w *world) { w.shelf.entries = append(w.shelf.entries[:3:3], w.shelf.entries[4:]...) }, BrokenChain},
		"balance after does not add": {func(w *world) { w.shelf.entries[4].BalanceAfter++ }, BrokenChain},
		"refunded twice": {func(w *world) {
			add(w.shelf, Entry{Type: "refund", Amount: cost, JobID: "fail", OperationID: "fail:fail:2"})
		}, WrongNumber},
		"reclaimed twice": {func(w *world) {
			add(w.shelf, Entry{Type: "reclaim", Amount: -cost, JobID: "late", OperationID: "late:late"})
		}, WrongNet},
		"delivered for nothing": {func(w *world) {
			add(w.shelf, Entry{Type: "refund", Amount: cost, JobID: "succ", OperationID: "complete:succ"})
		}, WrongNet},
		"never refunded": {func(w *world) { w.shelf.entries[find(w.shelf, "aban", "refund")].Amount = 0 }, WrongNet},
		"another cost": {func(w *world) {
			w.shelf.entries[find(w.shelf, "fail", "refund")].Amount = cost - 1
		}, WrongCost},
		"rule version of an entry": {func(w *world) { w.shelf.entries[find(w.shelf, "aban", "refund")].RuleVersion = "x@v2" }, WrongAttribution},
		"cohort of a job":          {func(w *world) { job(w.shelf, "late", func(v *JobView) { v.Cohort = "candidate" }) }, WrongAttribution},
		"grant applied twice":      {func(w *world) { add(w.shelf, Entry{Type: "grant", Amount: 1000, OperationID: "grant:1"}) }, MovedTwice},
		"grant of nobody":          {func(w *world) { add(w.shelf, Entry{Type: "grant", Amount: 5, OperationID: "gift"}) }, UnknownEntry},
		"job of nobody":            {func(w *world) { add(w.shelf, Entry{Type: "charge", Amount: -5, JobID: "other", OperationID: "x"}) }, UnknownEntry},
		"operation of nobody": {func(w *world) {
			w.shelf.entries[find(w.shelf, "aban", "refund")].Actor = "key:9"
		}, UnknownEntry},
		"adjustment":         {func(w *world) { add(w.shelf, Entry{Type: "adjustment", Amount: -1, OperationID: "x"}) }, UnknownEntry},
		"flag without entry": {func(w *world) { job(w.shelf, "succ", func(v *JobView) { v.IsRefunded = true }) }, WrongNet},
		"entry without flag": {func(w *world) { job(w.shelf, "late", func(v *JobView) { v.IsReclaimed = false }) }, WrongNet},
		"net of the API":     {func(w *world) { job(w.shelf, "fail", func(v *JobView) { v.Net = -cost }) }, WrongNet},
		"state":              {func(w *world) { job(w.shelf, "aban", func(v *JobView) { v.State = "retrying" }) }, WrongState},
		"delivered unseen":   {func(w *world) { job(w.shelf, "neve", func(v *JobView) { v.DeliveredAt = &w.now }) }, WrongState},
		"late unseen":        {func(w *world) { job(w.shelf, "late", func(v *JobView) { v.LateSuccess = nil }) }, WrongState},
		"attempts forgotten": {func(w *world) { job(w.shelf, "fail", func(v *JobView) { v.Attempt = 1 }) }, LostOperation},
		"too few attempts":   {func(w *world) { w.b.accounts["a"].jobs["aban"].plan.MaxAttempts = 3 }, WrongState},
		"job lost":           {func(w *world) { delete(w.shelf.jobs, "succ") }, LostOperation},
		"job not ended":      {func(w *world) { w.b.accounts["a"].jobs["neve"].ended = false }, NotEnded},
		"charged unheard":    {func(w *world) { w.b.accounts["a"].jobs["neve"].charged = false }, UnknownEntry},
		"evidence": {func(w *world) {
			w.shelf.evidence["fail"] = Evidence{RefundSignals: 3, RefundsApplied: 2}
		}, WrongEvidence},
		"replays unseen":       {func(w *world) { w.b.accounts["a"].jobs["fail"].replays = 1 }, WrongEvidence},
		"dead unlisted":        {func(w *world) { w.shelf.listed = w.shelf.listed[1:] }, WrongDeadLetters},
		"dead listed twice":    {func(w *world) { w.shelf.listed = append(w.shelf.listed, "aban") }, WrongDeadLetters},
		"delivered and listed": {func(w *world) { w.shelf.listed = append(w.shelf.listed, "late") }, WrongDeadLetters},
		"listed unknown":       {func(w *world) { w.shelf.listed = append(w.shelf.listed, "none") }, WrongDeadLetters},
		"operation lost":       {func(w *world) { delete(w.shelf.ops, opName{"account:a", "fail:fail:2"}) }, LostOperation},
		"result rewritten": {func(w *world) {
			w.shelf.ops[opName{"account:a", "fail:fail:2"}] = json.RawMessage(`{"outcome":"refunded"}`)
		}, AnswerChanged},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.spoil(w)
			_, wrong := w.recount()
			for _, d := range wrong {
				if d.Kind == c.want {
					return
				}
			}
			t.Errorf("not found; the recount says %v", wrong)
		})
	}
}
