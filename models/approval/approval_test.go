package approval_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/verify"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

const limit = 1000

// world is an installation whose limit is 1,000 credits, with one account of 500.
type world struct {
	t testing.TB
	*modeltest.Models
}

func newWorld(t testing.TB) world {
	t.Helper()
	g := modeltest.DB(t)
	w := world{t, modeltest.New(t, g, modeltest.Fast(), modeltest.Limit(g, limit))}
	w.Account(t, "a", 500)
	return w
}

func staffer(name string) actor.Actor { return actor.Staff(name) }

func envelope(who actor.Actor) ledger.Envelope {
	return ledger.Envelope{OperationID: ids.New(), Actor: who}
}

// propose asks for a grant that needs a second person and returns its change request.
func (w world) propose(r ledger.GrantRequest) approval.Request {
	w.t.Helper()
	out, err := w.Ledger.Grant(context.Background(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	if !out.Waiting {
		w.t.Fatalf("a grant of %d was not held: %s", r.Amount, out.Result)
	}
	var required approval.Required
	if err := out.Decode(&required); err != nil {
		w.t.Fatal(err)
	}
	return w.find(required.ChangeRequest.ID)
}

func (w world) find(id string) approval.Request {
	w.t.Helper()
	r, err := w.Requests.Find(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func big(who actor.Actor) ledger.GrantRequest {
	return ledger.GrantRequest{Envelope: envelope(who), AccountID: "a", Amount: 5000, Category: ledger.Paid, Reference: "INV-1", Reason: "annual plan"}
}

func decision(r approval.Request, who actor.Actor) approval.Decision {
	return approval.Decision{OperationID: ids.New(), Actor: who, ID: r.ID, Version: r.Version, Digest: r.Digest, Reason: "checked the invoice"}
}

// refused fails the test unless err is a fault with this code.
func refused(t testing.TB, err error, code string) *fault.Error {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return f
}

// whole fails the test when verify finds anything.
func (w world) whole() {
	w.t.Helper()
	report, err := verify.New(w.G).Run(context.Background(), verify.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	if !report.OK() {
		w.t.Errorf("verify: %+v", report)
	}
}

func TestAtTheLimitOnePersonIsEnoughAboveItIsNot(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for _, x := range []struct {
		amount int64
		grant  bool
		waits  bool
	}{{limit, true, false}, {limit + 1, true, true}, {limit, false, false}, {limit + 1, false, true},
		{-limit, false, false}, {-limit - 1, false, true}, {-9223372036854775808, false, true}, {9223372036854775807, true, true}} {
		var out operation.Outcome
		var err error
		e := modeltest.Envelope()
		e.Actor = actor.Key(ids.New()) // what one requester moves counts together
		if x.grant {
			out, err = w.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: e, AccountID: "a", Amount: x.amount, Category: ledger.Goodwill})
		} else {
			out, err = w.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: e, AccountID: "a", Amount: x.amount, Reason: "x"})
		}
		if err != nil {
			t.Fatalf("%d: %v", x.amount, err)
		}
		if out.Waiting != x.waits {
			t.Errorf("grant %v of %d: waits %v, want %v", x.grant, x.amount, out.Waiting, x.waits)
		}
	}
	if got := w.Balance(t, "a"); got != 500+limit {
		t.Errorf("balance %d: what waits must move nothing", got)
	}
	w.whole()
}

func TestProposedTwiceIsOneChangeRequestAndOtherInputIsAConflict(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	r := big(staffer("st_fiona"))
	first := w.propose(r)
	if again := w.propose(r); again.ID != first.ID {
		t.Errorf("the same operation made the change requests %s and %s", first.ID, again.ID)
	}
	for name, change := range map[string]func(*ledger.GrantRequest){
		"amount":                 func(r *ledger.GrantRequest) { r.Amount = 6000 },
		"amount below the limit": func(r *ledger.GrantRequest) { r.Amount = 5 },
		"category":               func(r *ledger.GrantRequest) { r.Category = ledger.Goodwill },
	} {
		other := r
		change(&other)
		_, err := w.Ledger.Grant(ctx, other)
		f := refused(t, err, fault.CodeOperationConflict)
		if !strings.HasPrefix(name, f.Fields[0].Name) || len(f.Fields) != 1 {
			t.Errorf("%s: the conflict names %v", name, f.Fields)
		}
	}
	// The id is taken for every kind of operation of the account.
	_, err := w.Ledger.Freeze(ctx, ledger.FreezeRequest{Envelope: r.Envelope, AccountID: "a", Reason: "x"})
	_ = refused(t, err, fault.CodeOperationConflict)
	if n, err := w.Requests.CountOpen(ctx, approval.Filter{}, 10); err != nil || n != 1 {
		t.Errorf("%d open, %v", n, err)
	}
	if got := w.Balance(t, "a"); got != 500 {
		t.Errorf("balance %d", got)
	}
	w.whole()
}

func TestApprovedIsAppliedOnceUnderTheProposedId(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	r := big(staffer("st_fiona"))
	cr := w.propose(r)
	in := decision(cr, staffer("st_lena"))
	out, err := w.Desk.Approve(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Desk.Approve(ctx, in)
	if err != nil || !again.Replayed || string(again.Result) != string(out.Result) {
		t.Errorf("the same approval again: %+v %v", again, err)
	}
	var decided approval.Decided
	if err := out.Decode(&decided); err != nil {
		t.Fatal(err)
	}
	// The caller's retry gets the result of the grant itself, as a replay.
	retry, err := w.Ledger.Grant(ctx, r)
	if err != nil || !retry.Replayed || retry.Waiting || string(retry.Result) != string(decided.Result) {
		t.Errorf("retry: %+v %s %v, want %s", retry, retry.Result, err, decided.Result)
	}
	var applied ledger.GrantResult
	if err := json.Unmarshal(retry.Result, &applied); err != nil || applied.Entry.Amount != 5000 || applied.Entry.BalanceAfter != 5500 {
		t.Errorf("applied %+v %v", applied, err)
	}
	list, err := w.Ledger.List(ctx, ledger.Filter{AccountID: "a", OperationID: r.OperationID}, nil, page.Older, 5)
	if err != nil || len(list.Rows) != 1 || list.Rows[0].Actor != "staff:st_fiona" || *list.Rows[0].Reference != "INV-1" {
		t.Errorf("entries %+v %v", list.Rows, err)
	}
	now, err := w.Requests.OfOperation(ctx, operation.Account("a"), r.OperationID)
	if err != nil || now.State != approval.Approved || *now.DecidedBy != "staff:st_lena" || now.Version != 2 || now.DecisionReason != in.Reason {
		t.Errorf("change request %+v %v", now, err)
	}
	history, err := w.Requests.History(ctx, cr.ID, 10)
	if err != nil || len(history) != 2 || history[0].Action != "approve" || history[1].Action != "propose" || history[0].Actor != "staff:st_lena" {
		t.Errorf("history %+v %v", history, err)
	}
	// A second approval under another id changes nothing.
	_, err = w.Desk.Approve(ctx, decision(*now, staffer("st_lena")))
	if f := refused(t, err, fault.CodeStateConflict); f.Detail["state"] != "approved" {
		t.Errorf("state %v", f.Detail)
	}
	if got := w.Balance(t, "a"); got != 5500 {
		t.Errorf("balance %d", got)
	}
	w.whole()
}

func TestWhoAskedCannotDecide(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	cr := w.propose(big(staffer("st_fiona")))
	_, err := w.Desk.Approve(ctx, decision(cr, staffer("st_fiona")))
	_ = refused(t, err, approval.CodeOwnRequest)
	_, err = w.Desk.Reject(ctx, decision(cr, staffer("st_fiona")))
	_ = refused(t, err, approval.CodeOwnRequest)
	// No program and no operator of the command line decides either.
	for _, who := range []actor.Actor{actor.Key("k"), actor.System(), {Kind: "operator"}} {
		_, err = w.Desk.Approve(ctx, decision(cr, who))
		_ = refused(t, err, fault.CodeForbidden)
	}
	_, err = w.Desk.Withdraw(ctx, decision(cr, staffer("st_lena")))
	_ = refused(t, err, approval.CodeNotRequester)
	if w.find(cr.ID).State != approval.Open || w.Balance(t, "a") != 500 {
		t.Error("something was changed")
	}
	// Who made the API key that asked is the same person by another way.
	if err := w.G.Exec(`INSERT INTO api_keys (id, name, secret_hash, scopes, created_by)
		VALUES ('aaaaaaaaaaaaaaaa', 'mine', decode(repeat('00', 32), 'hex'), '{ledger:write}', 'staff:st_fiona')`).Error; err != nil {
		t.Fatal(err)
	}
	byKey := w.propose(big(actor.Key("aaaaaaaaaaaaaaaa")))
	_, err = w.Desk.Approve(ctx, decision(byKey, staffer("st_fiona")))
	_ = refused(t, err, approval.CodeOwnRequest)
	if _, err = w.Desk.Approve(ctx, decision(byKey, staffer("st_lena"))); err != nil {
		t.Fatal(err)
	}
}

func TestAVoidRequestStaysVoidAndItsIdIsUsedUp(t *testing.T) {
	for name, x := range map[string]struct {
		void  func(w world, cr approval.Request) error
		state approval.State
		code  string
	}{
		"rejected": {func(w world, cr approval.Request) error {
			_, err := w.Desk.Reject(context.Background(), decision(cr, staffer("st_lena")))
			return err
		}, approval.Rejected, approval.CodeRejected},
		"withdrawn": {func(w world, cr approval.Request) error {
			_, err := w.Desk.Withdraw(context.Background(), decision(cr, staffer("st_fiona")))
			return err
		}, approval.Withdrawn, approval.CodeWithdrawn},
		"expired": {func(w world, cr approval.Request) error { return w.expire(cr) }, approval.Expired, approval.CodeExpired},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ctx := context.Background()
			r := big(staffer("st_fiona"))
			cr := w.propose(r)
			if err := x.void(w, cr); err != nil {
				t.Fatal(err)
			}
			now := w.find(cr.ID)
			if now.State != x.state {
				t.Fatalf("state %s", now.State)
			}
			_, err := w.Desk.Approve(ctx, decision(cr, staffer("st_lena")))
			if f := refused(t, err, fault.CodeStateConflict); f.Detail["state"] != string(x.state) {
				t.Errorf("the page is told %v", f.Detail)
			}
			_, err = w.Desk.Approve(ctx, decision(now, staffer("st_lena")))
			_ = refused(t, err, fault.CodeStateConflict)
			_, err = w.Ledger.Grant(ctx, r)
			if f := refused(t, err, x.code); f.Detail["change_request"] != cr.ID {
				t.Errorf("the retry is told %v", f.Detail)
			}
			if got := w.Balance(t, "a"); got != 500 {
				t.Errorf("balance %d", got)
			}
			if n, err := w.Requests.CountOpen(ctx, approval.Filter{}, 10); err != nil || n != 0 {
				t.Errorf("%d open, %v", n, err)
			}
			closed, err := w.Requests.List(ctx, approval.Filter{Closed: true, State: x.state}, nil, page.Older, 10)
			if err != nil || len(closed.Rows) != 1 {
				t.Errorf("closed %+v %v", closed.Rows, err)
			}
			w.whole()
		})
	}
}

// expire moves a change request into the past, as only the owner of the tables can.
func (w world) expire(cr approval.Request) error {
	return w.G.Exec(`ALTER TABLE change_requests DISABLE TRIGGER change_requests_one_decision;
		UPDATE change_requests SET requested_at = requested_at - interval '8 days', expires_at = expires_at - interval '8 days' WHERE id = '` + cr.ID + `';
		ALTER TABLE change_requests ENABLE ALWAYS TRIGGER change_requests_one_decision`).Error
}

// F25: an edit made the approval that somebody had in mind void: the old request cannot be approved any more.
func TestCase_F25_AnEditVoidsTheRequest(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	r := big(staffer("st_fiona"))
	old := w.propose(r)
	edit := big(staffer("st_fiona"))
	edit.Amount, edit.Replaces = 4000, &approval.Replaced{ID: old.ID, Version: old.Version, Digest: old.Digest}
	// Somebody else cannot edit it, and it cannot become one about another account.
	foreign := edit
	foreign.Envelope = envelope(staffer("st_lena"))
	_, err := w.Ledger.Grant(ctx, foreign)
	_ = refused(t, err, approval.CodeNotRequester)
	w.Account(t, "b", 0)
	moved := edit
	moved.AccountID = "b"
	_, err = w.Ledger.Grant(ctx, moved)
	_ = refused(t, err, fault.CodeInvalid)
	if w.find(old.ID).State != approval.Open {
		t.Fatal("a refused edit voided the request")
	}

	edited := w.propose(edit)
	if w.propose(edit).ID != edited.ID {
		t.Error("the same edit twice made two change requests")
	}
	void := w.find(old.ID)
	if void.State != approval.Withdrawn || *void.ReplacedBy != edit.OperationID || edited.ID == old.ID {
		t.Errorf("the old request is %+v", void)
	}
	_, err = w.Desk.Approve(ctx, decision(old, staffer("st_lena")))
	_ = refused(t, err, fault.CodeStateConflict)
	_, err = w.Ledger.Grant(ctx, r)
	if f := refused(t, err, approval.CodeWithdrawn); f.Detail["replaced_by"] != edit.OperationID {
		t.Errorf("the retry is told %v", f.Detail)
	}
	if _, err := w.Desk.Approve(ctx, decision(edited, staffer("st_lena"))); err != nil {
		t.Fatal(err)
	}
	if got := w.Balance(t, "a"); got != 4500 {
		t.Errorf("balance %d", got)
	}
	// An edit down to what one person may do is done at once.
	third := w.propose(big(staffer("st_fiona")))
	small := big(staffer("st_fiona"))
	small.Amount, small.Replaces = 10, &approval.Replaced{ID: third.ID, Version: third.Version, Digest: third.Digest}
	out, err := w.Ledger.Grant(ctx, small)
	if err != nil || out.Waiting || w.Balance(t, "a") != 4510 || w.find(third.ID).State != approval.Withdrawn {
		t.Errorf("%+v %v", out, err)
	}
	w.whole()
}

// F26: a page that shows an older version, or another proposal, decides nothing.
func TestCase_F26_AStalePageDecidesNothing(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	cr := w.propose(big(staffer("st_fiona")))
	for name, change := range map[string]func(*approval.Decision){
		"version":   func(d *approval.Decision) { d.Version = 2 },
		"digest":    func(d *approval.Decision) { d.Digest = make([]byte, 32) },
		"no digest": func(d *approval.Decision) { d.Digest = nil },
	} {
		in := decision(cr, staffer("st_lena"))
		change(&in)
		_, err := w.Desk.Approve(ctx, in)
		if f := refused(t, err, fault.CodeStateConflict); f.Kind != fault.Conflict || f.Detail["state"] != "stale" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, id := range []string{"", "cr_", "cr_aaaaaaaaaaaaaaaa", "x\x00y", "\xff"} {
		in := decision(cr, staffer("st_lena"))
		in.ID = id
		_, err := w.Desk.Approve(ctx, in)
		_ = refused(t, err, approval.CodeRequestNotFound)
		_, err = w.Requests.Find(ctx, id)
		_ = refused(t, err, approval.CodeRequestNotFound)
	}
	in := decision(cr, staffer("st_lena"))
	in.Reason = "  "
	_, err := w.Desk.Approve(ctx, in)
	_ = refused(t, err, fault.CodeInvalid)
	if w.find(cr.ID).Version != 1 || w.Balance(t, "a") != 500 {
		t.Error("something was changed")
	}
}

// What cannot be applied when it is approved leaves the request open.
func TestAnApprovalThatCannotBeAppliedChangesNothing(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	r := big(staffer("st_fiona"))
	r.Amount = 9223372036854775807
	cr := w.propose(r)
	_, err := w.Desk.Approve(ctx, decision(cr, staffer("st_lena")))
	_ = refused(t, err, fault.CodeAmountOverflow)
	if w.find(cr.ID).State != approval.Open || w.Balance(t, "a") != 500 {
		t.Error("something was changed")
	}
	w.whole()
}

// The table itself refuses what the code never does.
func TestTheDatabaseHoldsTheRules(t *testing.T) {
	w := newWorld(t)
	cr := w.propose(big(staffer("st_fiona")))
	if hex.EncodeToString(cr.Digest) != cr.DigestHex() || len(cr.Digest) != 32 {
		t.Fatalf("digest %x", cr.Digest)
	}
	const decide = `UPDATE change_requests SET state = 'approved', version = version + 1, decided_by = 'staff:st_lena', decided_at = clock_timestamp()`
	for name, statement := range map[string]string{
		"who asked approves":    strings.Replace(decide, "st_lena", "st_fiona", 1),
		"a program approves":    strings.Replace(decide, "staff:st_lena", "key:k", 1),
		"nobody approves":       `UPDATE change_requests SET state = 'approved', version = version + 1`,
		"decided too late":      strings.Replace(decide, "clock_timestamp()", "clock_timestamp() + interval '8 days'", 1),
		"withdrawn by another":  `UPDATE change_requests SET state = 'withdrawn', version = version + 1, decided_by = 'staff:st_lena', decided_at = clock_timestamp()`,
		"without a new version": strings.Replace(decide, "version + 1", "version", 1),
		"with another proposal": decide + `, proposal = '{}'`,
		"with more time":        decide + `, expires_at = expires_at + interval '1 day'`,
		"proposal alone":        `UPDATE change_requests SET proposal = '{}'`,
		"digest":                `UPDATE change_requests SET digest = decode(repeat('00', 32), 'hex')`,
		"deleted":               `DELETE FROM change_requests`,
		"truncated":             `TRUNCATE change_requests`,
		"for no operation":      `INSERT INTO change_requests (id, kind, object, account_key, scope, operation_id, proposal, requested_by, expires_at) VALUES ('cr_aaaaaaaaaaaaaaaa', 'grant', 'x', 0, 'x', 'x', '{}', 'staff:x', clock_timestamp() + interval '1 day')`,
	} {
		if err := w.G.Exec(statement).Error; err == nil {
			t.Errorf("%s: the database let it through", name)
		}
	}
	if _, err := w.Desk.Approve(context.Background(), decision(cr, staffer("st_lena"))); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`UPDATE change_requests SET decision_reason = 'other'`, `UPDATE change_requests SET state = 'rejected', version = 3`} {
		if err := w.G.Exec(statement).Error; err == nil {
			t.Errorf("%s: a decided row was changed", statement)
		}
	}
}

func TestTheListPagesAndFilters(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	var made []string
	for range 5 {
		made = append(made, w.propose(big(staffer("st_fiona"))).ID)
	}
	other := w.propose(big(actor.Key("k")))
	first, err := w.Requests.List(ctx, approval.Filter{Undecided: true, RequestedBy: "staff:st_fiona"}, nil, page.Older, 3)
	if err != nil || len(first.Rows) != 3 || first.Rows[0].ID != made[4] || first.Older == nil || first.Newer != nil {
		t.Fatalf("%+v %v", first, err)
	}
	second, err := w.Requests.List(ctx, approval.Filter{Undecided: true, RequestedBy: "staff:st_fiona"}, first.Older, page.Older, 3)
	if err != nil || len(second.Rows) != 2 || second.Rows[1].ID != made[0] || second.Older != nil {
		t.Fatalf("%+v %v", second, err)
	}
	back, err := w.Requests.List(ctx, approval.Filter{Undecided: true, RequestedBy: "staff:st_fiona"}, second.Newer, page.Newer, 3)
	if err != nil || len(back.Rows) != 3 || back.Rows[0].ID != made[4] {
		t.Fatalf("%+v %v", back, err)
	}
	for name, f := range map[string]approval.Filter{"requester": {RequestedBy: "key:k"}, "open": {State: approval.Open, RequestedBy: "key:k"}} {
		list, err := w.Requests.List(ctx, f, nil, page.Older, 10)
		if err != nil || len(list.Rows) != 1 || list.Rows[0].ID != other.ID {
			t.Errorf("%s: %+v %v", name, list.Rows, err)
		}
	}
	for name, f := range map[string]approval.Filter{"decided": {Closed: true}, "kind": {Kind: "rollout_step"}, "object": {Object: "account:b"},
		"expired": {State: approval.Expired}, "decider": {DecidedBy: "staff:st_lena"}} {
		if list, err := w.Requests.List(ctx, f, nil, page.Older, 10); err != nil || len(list.Rows) != 0 {
			t.Errorf("%s: %+v %v", name, list.Rows, err)
		}
	}
	if got := w.find(made[0]).ExpiresAt.Sub(w.find(made[0]).RequestedAt); got != approval.DefaultExpiry {
		t.Errorf("open for %s", got)
	}
}
