package job_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/verify"
)

// The cases below are faults that other systems had in the field, each by its number.

// paid makes an account of 100 with a managed job of 40 that a worker holds.
func paid(t *testing.T) (*modeltest.Models, job.Claimed) {
	t.Helper()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	return m, m.Claim(t, 1)[0]
}

func complete(t *testing.T, m *modeltest.Models, token string) job.FinishResult {
	t.Helper()
	out, err := m.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: token})
	if err != nil {
		t.Fatal(err)
	}
	var f job.FinishResult
	if err := out.Decode(&f); err != nil {
		t.Fatal(err)
	}
	return f
}

// entries lists an account's entries as "type amount".
func entries(t *testing.T, m *modeltest.Models, account string) string {
	t.Helper()
	var lines []string
	err := m.G.Raw(`SELECT e.type || ' ' || e.amount FROM entries e JOIN accounts a ON a.key = e.account_key WHERE a.id = ? ORDER BY e.seq`, account).Scan(&lines).Error
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, ", ")
}

func wantEntries(t *testing.T, m *modeltest.Models, want string) {
	t.Helper()
	if got := entries(t, m, "a"); got != want {
		t.Errorf("entries: %s\nwant: %s", got, want)
	}
	consistent(t, m)
}

const once40 = "grant 100, charge -40, refund 40, reclaim -40"

// TestCase_F01: timed out, refunded, then the render was delivered after all.
func TestCase_F01(t *testing.T) {
	m, c := paid(t)
	due(t, m, "j", "lease_until")
	j := row(t, m, "j")
	if done, err := m.Jobs.TimeOut(context.Background(), job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: 1}); !done || err != nil {
		t.Fatalf("timed out: %t, %v", done, err)
	}
	wantEntries(t, m, "grant 100, charge -40, refund 40")
	if f := complete(t, m, c.LeaseToken); f.Outcome != job.LateReclaimed || f.Signal.Entry.Amount != -40 {
		t.Errorf("%+v", f)
	}
	for range 3 {
		if f := complete(t, m, c.LeaseToken); f.Outcome != job.Duplicate {
			t.Errorf("again: %+v", f)
		}
	}
	wantEntries(t, m, once40)
	if j := row(t, m, "j"); j.Net() != -40 || j.LateSuccessOf == nil || *j.LateSuccessOf != job.Retrying {
		t.Errorf("%+v", j)
	}
}

// TestCase_F02: a flag without its entry (made here as the owner of the tables could) is found.
func TestCase_F02(t *testing.T) {
	ctx := context.Background()
	m, _ := paid(t)
	report, err := verify.New(m.G).Run(ctx, verify.Options{})
	if err != nil || !report.OK() {
		t.Fatalf("before: %+v, %v", report, err)
	}
	if err := m.G.Exec(`UPDATE jobs SET is_refunded = true, refunded_at = clock_timestamp()`).Error; err != nil {
		t.Fatal(err)
	}
	report, err = verify.New(m.G).Run(ctx, verify.Options{})
	if err != nil || report.ByCheck[verify.CheckFlags] != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestCase_F03: the acknowledgement of a refund was lost; the retry gets the stored result, and another operation
// id moves nothing.
func TestCase_F03(t *testing.T) {
	m, watched, tr := traced(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	ctx := context.Background()
	r := job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Signal: job.Signal{Type: job.SignalFailed, Class: job.TimedOut}}
	hook, lost := loseAnswer()
	tr.set(hook, nil)
	_, err := watched.Jobs.Signal(ctx, r)
	tr.set(nil, nil)
	if err == nil || !*lost {
		t.Fatalf("the answer was not lost: %v", err)
	}
	for range 3 {
		out, err := m.Jobs.Signal(ctx, r)
		if err != nil || !out.Replayed || !strings.Contains(string(out.Result), `"outcome":"refunded"`) {
			t.Fatalf("replayed %t, %v: %s", out.Replayed, err, out.Result)
		}
	}
	if got := signal(t, m, "a", "j", r.Signal); got.Outcome != job.AlreadyRefunded || got.Entry != nil {
		t.Errorf("another operation id: %+v", got)
	}
	wantEntries(t, m, "grant 100, charge -40, refund 40")
}

// TestCase_F04: two refunds under different keys, at once.
func TestCase_F04(t *testing.T) {
	m, _ := paid(t)
	outcomes := make([]string, 8)
	var wg sync.WaitGroup
	for i := range outcomes {
		wg.Go(func() {
			outcomes[i] = signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Transient}).Outcome
		})
	}
	wg.Wait()
	if got := strings.Count(strings.Join(outcomes, " "), "already_"); got != 7 {
		t.Errorf("outcomes %v", outcomes)
	}
	wantEntries(t, m, "grant 100, charge -40, refund 40")
}

// TestCase_F05: a failure of any class refunds, also one sent by somebody else than the worker.
func TestCase_F05(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 1000)
	for _, class := range []string{job.Transient, job.Throttled, job.Permanent, job.TimedOut} {
		for _, attempt := range []*int64{nil, n(1)} {
			id := fmt.Sprintf("%s-%t", class, attempt == nil)
			m.Charge(t, "a", id, 40)
			m.Claim(t, 1)
			if r := signal(t, m, "a", id, job.Signal{Type: job.SignalFailed, Class: class, Attempt: attempt, Code: "publish_failed"}); r.Outcome != job.Refunded {
				t.Errorf("%s: %+v", id, r)
			}
		}
	}
	if got := m.Balance(t, "a"); got != 1000 {
		t.Errorf("balance %d", got)
	}
	consistent(t, m)
}

// TestCase_F06: a retry after a refund is not free: success reclaims, putting back by hand does not charge.
func TestCase_F06(t *testing.T) {
	ctx := context.Background()
	m, _ := paid(t)
	signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(1)})
	if _, err := m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "fixed"}); err != nil {
		t.Fatal(err)
	}
	wake(t, m, "j")
	wantEntries(t, m, "grant 100, charge -40, refund 40")
	if f := complete(t, m, m.Claim(t, 1)[0].LeaseToken); f.Signal.Outcome != job.Reclaimed {
		t.Errorf("%+v", f)
	}
	wantEntries(t, m, once40)
}

// TestCase_F07: at most one reclaim whatever the path, all of them at once.
func TestCase_F07(t *testing.T) {
	m, c := paid(t)
	signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(1)})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			switch i % 4 {
			case 0:
				complete(t, m, c.LeaseToken)
			case 1:
				signal(t, m, "a", "j", job.Signal{Type: job.SignalSucceeded})
			case 2:
				signal(t, m, "a", "j", job.Signal{Type: job.SignalSucceeded, Attempt: n(1)})
			case 3:
				_, err := m.Jobs.Cancel(context.Background(), job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j"})
				if err != nil && !fault.Is(err, fault.CodeStateConflict) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wantEntries(t, m, once40)
}

// TestCase_F08: a replay repeats the first answer though price and job have moved on.
func TestCase_F08(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	r := job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Action: modeltest.Action, Units: 40}
	first, err := m.Jobs.Charge(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	m.Price(t, modeltest.Action, 9000)
	signal(t, m, "a", "j", job.Signal{Type: job.SignalSucceeded})
	again, err := m.Jobs.Charge(ctx, r)
	if err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("%s, %v\nfirst %s", again.Result, err, first.Result)
	}
	wantEntries(t, m, "grant 100, charge -40")
}

// TestCase_F09: 255 characters name an operation, 256 do not, and are never cut.
func TestCase_F09(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	for length, code := range map[int]string{1: "", 255: "", 256: fault.CodeInvalid, 450: fault.CodeInvalid, 0: fault.CodeInvalid} {
		e := modeltest.Envelope()
		e.OperationID = strings.Repeat("k", length)
		before := snapshot(t, m)
		_, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: e, AccountID: "a", Amount: 1, Category: ledger.Paid})
		if (code == "") != (err == nil) || code != "" && !fault.Is(err, code) {
			t.Errorf("%d characters: %v", length, err)
		}
		if after := snapshot(t, m); (after == before) != (code != "") {
			t.Errorf("%d characters: rows changed: %t", length, after != before)
		}
	}
	wantEntries(t, m, "grant 100, grant 1, grant 1")
}

// TestCase_F10: which payloads are the same input.
func TestCase_F10(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	r := job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Action: modeltest.Action, Units: 1, Payload: []byte(`{"a":9007199254740993,"b":[1,2]}`)}
	if _, err := m.Jobs.Charge(ctx, r); err != nil {
		t.Fatal(err)
	}
	for payload, same := range map[string]bool{
		`{"b":[1,2],"a":9007199254740993}`: true, " { \"a\" : 9007199254740993,\n\"b\":[1, 2]} ": true,
		`{"a":9007199254740992,"b":[1,2]}`: false, `{"a":9007199254740993,"b":[2,1]}`: false, `{"a":9007199254740993,"b":[1,2],"c":null}`: false, ``: false,
	} {
		again := r
		again.Payload = []byte(payload)
		out, err := m.Jobs.Charge(ctx, again)
		if same && (err != nil || !out.Replayed) || !same && !fault.Is(err, fault.CodeOperationConflict) {
			t.Errorf("%s: replayed %t, %v", payload, out.Replayed, err)
		}
	}
	other := r
	other.Payload, other.MaxAttempts = r.Payload, n(3)
	if _, err := m.Jobs.Charge(ctx, other); !fault.Is(err, fault.CodeOperationConflict) || fault.As(err).Fields[0].Name != "max_attempts" {
		t.Errorf("the default spelled out: %v", err)
	}
	wantEntries(t, m, "grant 100, charge -1")
}

// TestCase_F11 and F16: a grant that is sent again grants once and tells the whole first result.
func TestCase_F11_F16(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	r := ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: "a", Amount: 25, Category: ledger.Paid, Reference: "pi_1"}
	first, err := m.Ledger.Grant(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	var g ledger.GrantResult
	if err := first.Decode(&g); err != nil || g.Entry.Amount != 25 || g.Entry.BalanceAfter != 125 || g.Entry.Seq != 2 || g.AccountID != "a" {
		t.Fatalf("%+v, %v", g, err)
	}
	for range 3 {
		again, err := m.Ledger.Grant(ctx, r)
		if err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
			t.Errorf("%s, %v", again.Result, err)
		}
	}
	wantEntries(t, m, "grant 100, grant 25")
}

// TestCase_F13: canceled, and the job ran to its end all the same.
func TestCase_F13(t *testing.T) {
	m, c := paid(t)
	if _, err := m.Jobs.Cancel(context.Background(), job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j"}); err != nil {
		t.Fatal(err)
	}
	if f := complete(t, m, c.LeaseToken); f.Outcome != job.LateReclaimed {
		t.Errorf("%+v", f)
	}
	if j := row(t, m, "j"); j.State != job.Succeeded || j.DeliveredAt == nil || *j.LateSuccessOf != job.Canceled {
		t.Errorf("%+v", j)
	}
	wantEntries(t, m, once40)
}

// TestCase_F17: refunds repeated at any concurrency answer the charge once and never each other, also after the
// reclaim.
func TestCase_F17(t *testing.T) {
	m, _ := paid(t)
	storm := func() {
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)})
			})
		}
		wg.Wait()
	}
	storm()
	wantEntries(t, m, "grant 100, charge -40, refund 40")
	signal(t, m, "a", "j", job.Signal{Type: job.SignalSucceeded})
	storm()
	wantEntries(t, m, once40)
}

// TestCase_F18: the same key with another amount is refused at once.
func TestCase_F18(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	r := ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: "a", Amount: 25, Category: ledger.Paid}
	if _, err := m.Ledger.Grant(ctx, r); err != nil {
		t.Fatal(err)
	}
	r.Amount = 26
	_, err := m.Ledger.Grant(ctx, r)
	if f := fault.As(err); f == nil || f.Code != fault.CodeOperationConflict || len(f.Fields) != 1 || f.Fields[0].Name != "amount" {
		t.Errorf("%v", err)
	}
	wantEntries(t, m, "grant 100, grant 25")
}

// TestCase_F19: a balance that differs from its entries is found, and takes no charge.
func TestCase_F19(t *testing.T) {
	ctx := context.Background()
	m, _ := paid(t)
	if err := m.G.Exec(`UPDATE accounts SET balance = balance + 10`).Error; err != nil {
		t.Fatal(err)
	}
	report, err := verify.New(m.G).Run(ctx, verify.Options{})
	if err != nil || report.ByCheck[verify.CheckHead] != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	_, err = m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "k", Action: modeltest.Action, Units: 1})
	if !fault.Is(err, fault.CodeAccountInconsistent) {
		t.Errorf("charge: %v", err)
	}
}

// TestCase_F48: a payload reaches the worker byte for byte, large numbers and blanks included.
func TestCase_F48(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	for i, payload := range []string{`{"seed": 9007199254740993, "z":1,  "a":-0.10e+2}`, `9007199254740993`, `"\u0041\/ 日本"`, `[1.0,1]`, `{"a":1,"b":{"a":1}}`} {
		id := fmt.Sprintf("j%d", i)
		_, err := m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Action: modeltest.Action, Units: 1, Payload: []byte(payload)})
		if err != nil {
			t.Fatal(err)
		}
		c := m.Claim(t, 1)[0]
		if c.JobID != id || string(c.Payload) != payload {
			t.Errorf("%s arrived as %s", payload, c.Payload)
		}
		stored, err := m.Jobs.Payload(ctx, row(t, m, id).AccountKey, row(t, m, id).Key)
		if err != nil || string(stored) != payload {
			t.Errorf("%s is kept as %s, %v", payload, stored, err)
		}
	}
}
