package job_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
)

// budget is how long TestAnySequence draws; RECOUP_PROPERTY_TIME ("10m") sets another.
func budget(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("RECOUP_PROPERTY_TIME")
	if text == "" {
		return 12 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// setFlag sets a flag for the time of a test, unless the command line has set it.
func setFlag(t *testing.T, name, value string) {
	t.Helper()
	f := flag.Lookup(name)
	given := false
	flag.Visit(func(set *flag.Flag) { given = given || set == f })
	if given {
		return
	}
	before := f.Value.String()
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Value.Set(before); err != nil {
			t.Error(err)
		}
	})
}

// world is one drawn sequence: a few accounts and jobs of its own in a shared database, beside what they
// should be.
type world struct {
	m, watched *modeltest.Models
	tr         *tracer
	action     string
	free       string
	accounts   map[string]*refAccount
	keys       []int64
	jobs       map[string]*refJob
	ids        []string
	leases     []handed
	claims     []job.ClaimRequest
	// rows is a digest of everything before the step, to see that a refusal changed nothing.
	rows string
	// nothing says that the last claim found no work: it leaves nothing, so it cannot be replayed.
	nothing bool
}

type handed struct {
	job     string
	attempt int
	token   string
}

// TestAnySequence draws sequences of everything that can happen to jobs and accounts, with repetitions, stale
// leases, timers and connections that break at any statement, and compares the database with the reference and
// with itself after every step.
func TestAnySequence(t *testing.T) {
	setFlag(t, "rapid.checks", "3")
	setFlag(t, "rapid.steps", "50")
	policy := job.Policy{MaxAttempts: 3, Lease: time.Hour, Deadline: 2 * time.Hour, Expires: 24 * time.Hour, BackoffBase: time.Minute, BackoffMax: time.Hour}
	m, watched, tr := traced(t, policy)
	run := 0
	sequence := func(t *rapid.T) {
		run++
		i := run
		w := &world{m: m, watched: watched, tr: tr, action: fmt.Sprintf("act%d", i), free: fmt.Sprintf("free%d", i),
			accounts: map[string]*refAccount{}, jobs: map[string]*refJob{}}
		w.price(t, w.action, 1000)
		w.price(t, w.free, 0)
		for n := range 2 {
			id := fmt.Sprintf("acct%d_%d", i, n)
			if _, err := m.Ledger.PutAccount(context.Background(), ledger.Profile{Envelope: modeltest.Envelope(), AccountID: id}); err != nil {
				t.Fatal(err)
			}
			w.accounts[id] = &refAccount{}
			a, err := m.Ledger.Account(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			w.keys = append(w.keys, a.Key)
		}
		for n := range 2 {
			w.deposit(t, fmt.Sprintf("acct%d_%d", i, n), 60)
		}
		for range 4 {
			w.charge(t)
		}
		t.Repeat(map[string]func(*rapid.T){
			"":           w.check,
			"grant":      w.grant,
			"adjust":     w.adjust,
			"freeze":     w.freeze,
			"charge":     w.charge,
			"charge two": w.charge,
			"signal":     w.signal,
			"signal two": w.signal,
			"signal now": w.signal,
			"claim":      w.claim,
			"claim two":  w.claim,
			"reclaim":    w.claimAgain,
			"finish":     w.finish,
			"finish two": w.finish,
			"beat":       w.heartbeat,
			"wake":       w.wake,
			"wake two":   w.wake,
			"wake now":   w.wake,
			"claim now":  w.claim,
			"time out":   w.timeOut,
			"expire":     w.expire,
			"cancel":     w.cancel,
			"requeue":    w.requeue,
			"put back":   w.requeue,
			"discard":    w.discard,
			"reopen":     w.reopen,
		})
	}
	// Few at a time, so that the time is kept without a clock in what is drawn.
	for until := time.Now().Add(budget(t)); run == 0 || time.Now().Before(until); {
		rapid.Check(t, sequence)
	}
	var seen []string
	err := m.G.Raw(`SELECT kind || ' ' || coalesce(nullif(outcome, ''), state_after) || ' ' || count(*) FROM job_events
		GROUP BY kind, coalesce(nullif(outcome, ''), state_after) ORDER BY 1`).Scan(&seen).Error
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sequences drew %s", run, strings.Join(seen, ", "))
}

func (w *world) price(t *rapid.T, action string, unitPrice int64) {
	t.Helper()
	e := modeltest.Envelope()
	_, err := w.m.Pricing.SetPrice(context.Background(), pricing.NewRule{OperationID: e.OperationID, Actor: e.Actor, Action: action,
		Unit: "second", UnitPrice: unitPrice, Rounding: credit.RoundUp, Reason: "test"})
	if err != nil {
		t.Fatal(err)
	}
}

// send sends an operation, perhaps over a connection that breaks, perhaps more than once, and returns what the
// first complete answer said. A refusal must leave no row, a repetition must repeat the bytes.
func (w *world) send(t *rapid.T, do func(m *modeltest.Models) (operation.Outcome, error)) (operation.Outcome, string) {
	t.Helper()
	w.rows = w.digest(t)
	uncertain := false
	if cut := rapid.IntRange(-30, 9).Draw(t, "cut"); cut >= 0 {
		hook, _ := cutBefore(cut)
		if cut == 0 {
			hook, _ = loseAnswer()
		}
		w.tr.set(hook, nil)
		out, err := do(w.watched)
		w.tr.set(nil, nil)
		switch f := fault.As(err); {
		case err == nil:
			return w.again(t, do, out), okay
		case f != nil && f.Kind != fault.Busy:
			return w.refused(t, f)
		}
		uncertain = true
		if problems := inconsistencies(t, w.m, w.keys...); len(problems) > 0 {
			t.Fatalf("after a broken connection: %v", problems)
		}
	}
	out, err := do(w.m)
	if f := fault.As(err); f != nil {
		return w.refused(t, f)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	if out.Replayed && !uncertain {
		t.Fatalf("the first answer is a replay")
	}
	return w.again(t, do, out), okay
}

func (w *world) refused(t *rapid.T, f *fault.Error) (operation.Outcome, string) {
	t.Helper()
	if after := w.digest(t); after != w.rows {
		t.Fatalf("refused with %s, yet rows changed", f.Code)
	}
	return operation.Outcome{}, f.Code
}

func (w *world) again(t *rapid.T, do func(m *modeltest.Models) (operation.Outcome, error), first operation.Outcome) operation.Outcome {
	t.Helper()
	before := w.digest(t)
	if w.nothing {
		w.nothing = false
		if before != w.rows {
			t.Fatalf("a claim that found nothing changed rows")
		}
		return first
	}
	if rapid.IntRange(0, 3).Draw(t, "repeat") != 0 {
		return first
	}
	out, err := do(w.m)
	if err != nil || !out.Replayed || string(out.Result) != string(first.Result) {
		t.Fatalf("repeated: replayed %t, %v: %s, first %s", out.Replayed, err, out.Result, first.Result)
	}
	if w.digest(t) != before {
		t.Fatalf("a repetition changed rows")
	}
	return first
}

// digest is of every row of the world's accounts, but for audit rows and counted attempts.
func (w *world) digest(t *rapid.T) string {
	t.Helper()
	keys := strings.ReplaceAll(strings.Trim(fmt.Sprint(w.keys), "[]"), " ", ",")
	var parts []string
	for _, table := range []string{"accounts", "entries", "operations", "jobs", "attempts", "job_events", "waiting_line", "outbox"} {
		column := "account_key"
		if table == "accounts" {
			column = "key"
		}
		parts = append(parts, `SELECT md5(string_agg(x::text, '|' ORDER BY x::text)) AS h FROM `+table+` x WHERE `+column+` IN (`+keys+`)`)
	}
	var sum sql.NullString
	if err := w.m.G.Raw(`SELECT string_agg(h, ',') FROM (` + strings.Join(parts, " UNION ALL ") + `) p`).Row().Scan(&sum); err != nil {
		t.Fatalf("digest: %v", err)
	}
	return sum.String
}

func expect(t *rapid.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %q, the reference says %q", what, got, want)
	}
}

func (w *world) someAccount(t *rapid.T) (string, *refAccount) {
	names := make([]string, 0, len(w.accounts))
	for name := range w.accounts {
		names = append(names, name)
	}
	sort.Strings(names)
	name := rapid.SampledFrom(names).Draw(t, "account")
	return name, w.accounts[name]
}

// someJob draws a job, mostly one in a preferred state where there is any: else most draws would meet jobs that
// have ended.
func (w *world) someJob(t *rapid.T, preferred ...string) (string, *refJob, *refAccount) {
	if len(w.ids) == 0 {
		t.Skip("no job yet")
	}
	from := w.ids
	var better []string
	for _, id := range w.ids {
		if slices.Contains(preferred, w.jobs[id].state) {
			better = append(better, id)
		}
	}
	if len(better) > 0 && rapid.IntRange(0, 6).Draw(t, "any job") > 0 {
		from = better
	}
	id := rapid.SampledFrom(from).Draw(t, "job")
	j := w.jobs[id]
	return id, j, w.accounts[j.account]
}

func (w *world) grant(t *rapid.T) {
	name, _ := w.someAccount(t)
	w.deposit(t, name, rapid.Int64Range(1, 30).Draw(t, "amount"))
}

func (w *world) deposit(t *rapid.T, account string, amount int64) {
	t.Helper()
	r := ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: account, Amount: amount, Category: ledger.Paid}
	_, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) { return m.Ledger.Grant(context.Background(), r) })
	expect(t, "grant", code, okay)
	w.accounts[account].post("grant", amount, "")
}

func (w *world) adjust(t *rapid.T) {
	name, a := w.someAccount(t)
	r := ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: name, Reason: "x",
		Amount: rapid.Int64Range(-12, 12).Filter(func(n int64) bool { return n != 0 }).Draw(t, "amount")}
	_, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) { return m.Ledger.Adjust(context.Background(), r) })
	expect(t, "adjustment", code, okay)
	a.post("adjustment", r.Amount, "")
}

func (w *world) freeze(t *rapid.T) {
	name, a := w.someAccount(t)
	// Mostly the change that is possible; an account that stays frozen would stop the charges.
	to := a.frozen == (rapid.IntRange(0, 4).Draw(t, "wrong way") == 0)
	r := ledger.FreezeRequest{Envelope: modeltest.Envelope(), AccountID: name, Reason: "x"}
	_, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) {
		if to {
			return m.Ledger.Freeze(context.Background(), r)
		}
		return m.Ledger.Unfreeze(context.Background(), r)
	})
	want := okay
	if a.frozen == to {
		want = stateConflict
	}
	expect(t, "freeze", code, want)
	a.frozen = to
}

func (w *world) charge(t *rapid.T) {
	name, a := w.someAccount(t)
	id, known := fmt.Sprintf("%s_j%d", w.action, len(w.ids)), false
	if rapid.IntRange(0, 9).Draw(t, "known job") == 0 {
		for _, other := range w.ids {
			if w.jobs[other].account == name {
				id, known = other, true
			}
		}
	}
	j := &refJob{account: name, external: rapid.IntRange(0, 2).Draw(t, "external") == 0, cost: rapid.Int64Range(1, 20).Draw(t, "units"),
		budget: rapid.IntRange(1, 4).Draw(t, "max attempts")}
	r := job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: name, JobID: id, Action: w.action, Units: j.cost, MaxAttempts: n(int64(j.budget))}
	if rapid.IntRange(0, 5).Draw(t, "free") == 0 {
		j.cost, r.Action = 0, w.free
	}
	if j.external {
		r.Mode = job.External
		if rapid.Bool().Draw(t, "deadline") {
			r.DeadlineS, j.hasDeadline = n(7200), true
		}
	}
	_, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) { return m.Jobs.Charge(context.Background(), r) })
	expect(t, "charge", code, refCharge(a, id, known, j))
	if code == okay {
		w.jobs[id] = j
		w.ids = append(w.ids, id)
	}
}

func someAttempt(t *rapid.T, j *refJob) int {
	switch rapid.IntRange(0, 5).Draw(t, "which attempt") {
	case 0:
		return 0
	case 1, 2, 3:
		return j.attempt
	case 4:
		return max(j.attempt-1, 0)
	}
	return rapid.IntRange(0, j.attempt+2).Draw(t, "attempt")
}

func (w *world) signal(t *rapid.T) {
	id, j, a := w.someJob(t, "queued", "running", "retrying", "dead", "succeeded")
	attempt := someAttempt(t, j)
	r := job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: j.account, JobID: id}
	if attempt > 0 {
		r.Attempt = n(int64(attempt))
	}
	if rapid.IntRange(0, 9).Draw(t, "succeeded") == 0 {
		r.Type = job.SignalSucceeded
	} else {
		r.Type, r.Class = job.SignalFailed, rapid.SampledFrom([]string{job.Transient, job.Transient, job.Transient, job.Throttled, job.TimedOut, job.Permanent}).Draw(t, "class")
	}
	out, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) { return m.Jobs.Signal(context.Background(), r) })
	var want, refusal string
	if r.Type == job.SignalSucceeded {
		want, _, refusal = j.succeed(a, id, attempt)
	} else {
		want, refusal = j.fail(a, id, r.Class, attempt)
	}
	expect(t, "signal", code, refusal)
	if code == okay {
		var got job.SignalResult
		decode(t, out, &got)
		w.compareResult(t, got, want, id, j)
	}
}

func decode(t *rapid.T, out operation.Outcome, v any) {
	t.Helper()
	if err := out.Decode(v); err != nil {
		t.Fatalf("%s: %v", out.Result, err)
	}
}

func (w *world) compareResult(t *rapid.T, got job.SignalResult, outcome, id string, j *refJob) {
	t.Helper()
	expect(t, "outcome", got.Outcome, outcome)
	expect(t, "state in the answer", string(got.Job.State), j.state)
	moved := outcome == "refunded" || outcome == "reclaimed"
	if (got.Entry != nil) != moved || got.Job.IsRefunded != j.refunded || got.Job.IsReclaimed != j.reclaimed || got.Job.Attempt != j.attempt {
		t.Fatalf("answer %+v, the reference has %+v", got, j)
	}
	if got.Entry != nil {
		a := w.accounts[j.account]
		if got.Entry.Seq != int64(len(a.entries)) || got.Entry.BalanceAfter != a.balance {
			t.Fatalf("entry in the answer %+v, the reference has %d entries and balance %d", got.Entry, len(a.entries), a.balance)
		}
	}
}

// waiting lists the jobs that a claim may hand out.
func (w *world) waiting() (ids []string) {
	for _, id := range w.ids {
		if j := w.jobs[id]; j.state == "queued" && !j.expired {
			ids = append(ids, id)
		}
	}
	return ids
}

func (w *world) claim(t *rapid.T) {
	r := job.ClaimRequest{Envelope: modeltest.Envelope(), Actions: []string{w.action, w.free}, Max: rapid.Int64Range(1, 3).Draw(t, "max")}
	var jobs []job.Claimed
	_, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) {
		var replayed bool
		var err error
		jobs, replayed, err = m.Jobs.Claim(context.Background(), r)
		text, _ := json.Marshal(jobs)
		w.nothing = err == nil && len(jobs) == 0
		return operation.Outcome{Replayed: replayed, Result: text}, err
	})
	expect(t, "claim", code, okay)
	waiting := w.waiting()
	if len(jobs) != min(int(r.Max), len(waiting)) {
		t.Fatalf("claimed %d of %v", len(jobs), waiting)
	}
	for _, c := range jobs {
		j := w.jobs[c.JobID]
		if !slices.Contains(waiting, c.JobID) || c.Attempt != j.attempt+1 || c.AccountID != j.account {
			t.Fatalf("handed out %+v, the reference has %+v", c, j)
		}
		j.state = "running"
		j.attempt++
		w.leases = append(w.leases, handed{c.JobID, c.Attempt, c.LeaseToken})
	}
	if len(jobs) > 0 {
		w.claims = append(w.claims, r)
	}
}

// claimAgain repeats a claim of any age: the same jobs and leases, whatever became of them.
func (w *world) claimAgain(t *rapid.T) {
	if len(w.claims) == 0 {
		t.Skip("nothing claimed yet")
	}
	jobs, replayed, err := w.m.Jobs.Claim(context.Background(), rapid.SampledFrom(w.claims).Draw(t, "claim"))
	if err != nil || !replayed || len(jobs) == 0 {
		t.Fatalf("replayed %t with %d jobs, %v", replayed, len(jobs), err)
	}
	for _, c := range jobs {
		if !slices.Contains(w.leases, handed{c.JobID, c.Attempt, c.LeaseToken}) {
			t.Fatalf("a lease that was never given: %+v", c)
		}
	}
}

func (w *world) finish(t *rapid.T) {
	if len(w.leases) == 0 {
		t.Skip("no lease yet")
	}
	l := rapid.SampledFrom(w.leases[max(0, len(w.leases)-4):]).Draw(t, "lease")
	j := w.jobs[l.job]
	a := w.accounts[j.account]
	r := job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: l.token}
	succeeds := rapid.IntRange(0, 3).Draw(t, "succeeded") == 0
	if !succeeds {
		r.Class = rapid.SampledFrom([]string{job.Transient, job.Throttled, job.Permanent}).Draw(t, "class")
	}
	out, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) {
		if succeeds {
			return m.Jobs.Complete(context.Background(), r)
		}
		return m.Jobs.Fail(context.Background(), r)
	})
	expect(t, "finish", code, okay)
	var got job.FinishResult
	decode(t, out, &got)
	var outcome, want string
	if succeeds {
		older := l.attempt < j.attempt
		var first bool
		outcome, first, _ = j.succeed(a, l.job, l.attempt)
		switch {
		case outcome == "reclaimed" && j.late != "":
			want = job.LateReclaimed
		case !first:
			want = job.Duplicate
		case older:
			want = job.SupersededDelivered
		default:
			want = job.Applied
		}
	} else {
		outcome, _ = j.fail(a, l.job, r.Class, l.attempt)
		want = outcome
	}
	expect(t, "finish outcome", got.Outcome, want)
	w.compareResult(t, *got.Signal, outcome, l.job, j)
}

func (w *world) heartbeat(t *rapid.T) {
	if len(w.leases) == 0 {
		t.Skip("no lease yet")
	}
	l := rapid.SampledFrom(w.leases).Draw(t, "lease")
	j := w.jobs[l.job]
	beat, err := w.m.Jobs.Heartbeat(context.Background(), l.token)
	if err != nil || beat.Continue != (j.state == "running" && j.attempt == l.attempt) || string(beat.State) != j.state {
		t.Fatalf("beat %+v, %v, the reference has %+v", beat, err, j)
	}
}

// bell is the job's, or one of another attempt or generation.
func (w *world) bell(t *rapid.T, id string, j *refJob) (b job.Bell, right bool) {
	t.Helper()
	var key job.Bell
	if err := w.m.G.Raw(`SELECT account_key, key AS job_key FROM jobs WHERE id = ?`, id).Scan(&key).Error; err != nil {
		t.Fatalf("bell: %v", err)
	}
	b = job.Bell{AccountKey: key.AccountKey, JobKey: key.JobKey, Attempt: j.attempt, Generation: j.generation}
	switch rapid.IntRange(0, 11).Draw(t, "bell") {
	case 0:
		b.Attempt--
	case 1:
		b.Generation--
	default:
		return b, true
	}
	return b, false
}

// timer runs a timer over a connection that may break, and then again: once in all it may report a change.
func (w *world) timer(t *rapid.T, run func(m *modeltest.Models) (bool, error)) (moved bool) {
	t.Helper()
	before := w.digest(t)
	if cut := rapid.IntRange(-20, 9).Draw(t, "cut"); cut >= 0 {
		hook, _ := cutBefore(cut)
		if cut == 0 {
			hook, _ = loseAnswer()
		}
		w.tr.set(hook, nil)
		run(w.watched) //nolint:errcheck // the connection was cut; what counts is what the next run finds
		w.tr.set(nil, nil)
		if problems := inconsistencies(t, w.m, w.keys...); len(problems) > 0 {
			t.Fatalf("after a broken connection: %v", problems)
		}
	}
	cutMoved := w.digest(t) != before
	moved, err := run(w.m)
	if err != nil {
		if _, early := err.(job.Early); !early {
			t.Fatalf("timer: %v", err)
		}
	}
	if moved && cutMoved {
		t.Fatalf("the timer did it twice")
	}
	if !moved && !cutMoved && w.digest(t) != before {
		t.Fatalf("the timer changed rows and says it did not")
	}
	return moved || cutMoved
}

func (w *world) wake(t *rapid.T) {
	id, j, _ := w.someJob(t, "retrying")
	isDue := rapid.IntRange(0, 9).Draw(t, "due") > 0 && j.state == "retrying"
	if isDue {
		due(t, w.m, id, "not_before")
	}
	bell, right := w.bell(t, id, j)
	if !isDue && j.state == "retrying" {
		// A minute of backoff and more lie before the bell's time.
		right = false
		if err := w.m.G.Exec(`WITH j AS (UPDATE jobs SET not_before = clock_timestamp() + interval '1 hour' WHERE id = ? RETURNING account_key, key, not_before)
			UPDATE waiting_line w SET due_at = j.not_before FROM j WHERE w.account_key = j.account_key AND w.job_key = j.key`, id).Error; err != nil {
			t.Fatalf("later: %v", err)
		}
	}
	moved := w.timer(t, func(m *modeltest.Models) (bool, error) { return m.Jobs.Wake(context.Background(), bell) })
	if want := right && j.wake(); moved != want {
		t.Fatalf("woken %t, the reference says %t", moved, want)
	}
}

func (w *world) timeOut(t *rapid.T) {
	id, j, a := w.someJob(t, "running")
	running := j.state == "running"
	over := running && rapid.IntRange(0, 3).Draw(t, "over") > 0 && (!j.external || j.hasDeadline)
	if over {
		column := "deadline_at"
		if !j.external && rapid.Bool().Draw(t, "lease") {
			column = "lease_until"
		}
		due(t, w.m, id, column)
	}
	bell, right := w.bell(t, id, j)
	moved := w.timer(t, func(m *modeltest.Models) (bool, error) { return m.Jobs.TimeOut(context.Background(), bell) })
	if over && !right {
		// Nothing moved; a due lease would let later steps depend on the clock.
		moved2 := w.timer(t, func(m *modeltest.Models) (bool, error) {
			return m.Jobs.TimeOut(context.Background(), job.Bell{AccountKey: bell.AccountKey, JobKey: bell.JobKey, Attempt: j.attempt, Generation: j.generation})
		})
		if moved || !moved2 {
			t.Fatalf("a wrong bell timed out: %t, the right one: %t", moved, moved2)
		}
		moved, right = true, true
	}
	if want := over && right; moved != want {
		t.Fatalf("timed out %t, the reference says %t", moved, want)
	}
	if moved {
		j.fail(a, id, "timed_out", j.attempt)
	}
}

func (w *world) expire(t *rapid.T) {
	id, j, a := w.someJob(t, "queued", "running", "retrying")
	if j.waits() && !j.expired && rapid.IntRange(0, 3).Draw(t, "over") == 0 {
		due(t, w.m, id, "expires_at")
		if j.external && j.state == "running" {
			// An external job's place in line is at its deadline or, if that is earlier, at its end.
			if err := w.m.G.Exec(`UPDATE waiting_line w SET due_at = LEAST(j.deadline_at, j.expires_at) FROM jobs j
				WHERE j.id = ? AND w.account_key = j.account_key AND w.job_key = j.key`, id).Error; err != nil {
				t.Fatalf("%v", err)
			}
		}
		j.expired = true
		if rapid.IntRange(0, 2).Draw(t, "leave it") == 0 {
			return
		}
	}
	bell, _ := w.bell(t, id, j)
	bell.Attempt, bell.Generation = j.attempt, j.generation
	moved := w.timer(t, func(m *modeltest.Models) (bool, error) { return m.Jobs.Expire(context.Background(), bell) })
	if want := j.expire(a, id); moved != want {
		t.Fatalf("expired %t, the reference says %t", moved, want)
	}
}

func (w *world) cancel(t *rapid.T) {
	if rapid.IntRange(0, 2).Draw(t, "keep") > 0 {
		t.Skip("canceled jobs are an end, and most should go on")
	}
	id, j, a := w.someJob(t, "dead", "running")
	r := job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: j.account, JobID: id}
	out, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) { return m.Jobs.Cancel(context.Background(), r) })
	outcome, refusal := j.cancel(a, id)
	expect(t, "cancel", code, refusal)
	if code == okay {
		var got job.WorkResult
		decode(t, out, &got)
		expect(t, "cancel outcome", got.Outcome, outcome)
	}
}

func (w *world) person(t *rapid.T, from, to string, do func(*modeltest.Models, job.PersonRequest) (operation.Outcome, error)) {
	id, j, _ := w.someJob(t, from)
	r := job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: j.account, JobID: id, Reason: "too_old"}
	out, code := w.send(t, func(m *modeltest.Models) (operation.Outcome, error) { return do(m, r) })
	expect(t, from+" to "+to, code, j.move(from, to))
	if code == okay {
		var got job.WorkResult
		decode(t, out, &got)
		expect(t, "state in the answer", string(got.Job.State), j.state)
	}
}

func (w *world) requeue(t *rapid.T) {
	w.person(t, "dead", "retrying", func(m *modeltest.Models, r job.PersonRequest) (operation.Outcome, error) {
		return m.Jobs.Requeue(context.Background(), r)
	})
}

func (w *world) discard(t *rapid.T) {
	w.person(t, "dead", "discarded", func(m *modeltest.Models, r job.PersonRequest) (operation.Outcome, error) {
		return m.Jobs.Discard(context.Background(), r)
	})
}

func (w *world) reopen(t *rapid.T) {
	w.person(t, "discarded", "dead", func(m *modeltest.Models, r job.PersonRequest) (operation.Outcome, error) {
		return m.Jobs.Reopen(context.Background(), r)
	})
}

// check compares the database with the reference, then with itself.
func (w *world) check(t *rapid.T) {
	keys := strings.ReplaceAll(strings.Trim(fmt.Sprint(w.keys), "[]"), " ", ",")
	var jobs []struct {
		job.Job
		Account string
	}
	if err := w.m.G.Raw(`SELECT j.*, a.id AS account FROM jobs j JOIN accounts a ON a.key = j.account_key WHERE j.account_key IN (` + keys + `)`).Scan(&jobs).Error; err != nil {
		t.Fatalf("jobs: %v", err)
	}
	if len(jobs) != len(w.jobs) {
		t.Fatalf("%d jobs, the reference has %d", len(jobs), len(w.jobs))
	}
	for _, g := range jobs {
		j := w.jobs[g.ID]
		late := ""
		if g.LateSuccessOf != nil {
			late = string(*g.LateSuccessOf)
		}
		got := refJob{account: g.Account, external: g.Mode == job.External, hasDeadline: j.hasDeadline, cost: g.Cost, refunded: g.IsRefunded,
			reclaimed: g.IsReclaimed, delivered: g.DeliveredAt != nil, deliveries: g.Deliveries, state: string(g.State), attempt: g.Attempt,
			generation: g.Generation, base: g.GenerationBase, budget: g.MaxAttempts, expired: j.expired, deadReason: g.DeadReason, late: late}
		want := *j
		want.ended = nil
		if j.state != "dead" && j.state != "discarded" {
			// What a job that left the dead letters was dead of is of no matter.
			got.deadReason, want.deadReason = "", ""
		}
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Fatalf("job %s is %+v, the reference says %+v", g.ID, got, want)
		}
	}
	for name, a := range w.accounts {
		acct, err := w.m.Ledger.Account(context.Background(), name)
		if err != nil || acct.Balance != a.balance || (acct.FrozenAt != nil) != a.frozen {
			t.Fatalf("account %s: %+v, %v, the reference has balance %d, frozen %t", name, acct, err, a.balance, a.frozen)
		}
		var entries []refEntry
		if err := w.m.G.Raw(`SELECT e.type, e.amount, coalesce(j.id, '') AS job FROM entries e LEFT JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key
			WHERE e.account_key = ? ORDER BY e.seq`, acct.Key).Scan(&entries).Error; err != nil {
			t.Fatalf("entries: %v", err)
		}
		if !slices.Equal(entries, a.entries) {
			t.Fatalf("entries of %s: %v, the reference has %v", name, entries, a.entries)
		}
	}
	if problems := inconsistencies(t, w.m, w.keys...); len(problems) > 0 {
		t.Fatalf("%v", problems)
	}
}
