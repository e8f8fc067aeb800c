package settlement_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/page"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/models/task"
)

// The candidate costs a tenth more. What was delivered is paid back, the rest is not, and what is delivered later comes
// as a supplement that holds nothing else.
func TestDeliveredChargesArePutRight(t *testing.T) {
	w := newWorld(t, 1100, 0)
	ctx := context.Background()
	for _, a := range []string{"a", "b", "c"} {
		w.Account(t, a, 1000)
	}
	w.delivered("a", "j1", 60)
	w.delivered("a", "j2", 100)
	w.delivered("b", "j1", 10)
	w.charge("b", "running", 60)
	w.charge("c", "late", 60)
	w.signal("c", "late", job.SignalFailed)
	w.step(w.rollouts.RollBack)
	w.delivered("a", "after", 60)

	if s, err := w.store.Standing(ctx, ro); err != nil || s != (settlement.Standing{Delivered: 3, Credits: 3}) {
		t.Errorf("%+v %v", s, err)
	}
	p, err := w.store.Preview(ctx, ro, settlement.Filter{}, "", 1)
	if err != nil || p.Totals != (settlement.Totals{Jobs: 3, Accounts: 2, Charged: 187, Baseline: 170, Credits: 17}) || len(p.Lines) != 1 || p.Lines[0].AccountID != "a" ||
		p.Lines[0].Amount != 16 || p.Lines[0].Balance != 764 {
		t.Errorf("%+v %v", p, err)
	}

	st := w.propose(settlement.Filter{})
	if st.State != settlement.Proposed || st.Jobs != 3 || st.Accounts != 2 || st.Credits != 17 || st.Debits != 0 || st.Supplement {
		t.Errorf("%+v", st)
	}
	if err := w.approveBy("fiona", st); !fault.Is(err, approval.CodeOwnRequest) {
		t.Errorf("the proposer approved: %v", err)
	}
	// Held by a proposal, nobody else can propose them; what is delivered meanwhile waits for the next settlement.
	_, err = w.store.Propose(ctx, settlement.Proposal{Envelope: envelope("finn"), RolloutID: ro, Reason: "again"})
	is(t, err, settlement.CodeNothing)
	w.signal("c", "late", job.SignalSucceeded)

	if st = w.approve(st); st.State != settlement.Paying || w.count(`SELECT count(*) FROM settlement_payments`) != 0 {
		t.Errorf("%+v", st)
	}
	if r := w.pay(st); r != (settlement.Result{Settlement: st.ID, Paid: 3, Credits: 17}) {
		t.Errorf("%+v", r)
	}
	if got := w.balances("a", "b", "c"); got != "[780 924 934]" {
		t.Errorf("balances %s", got)
	}
	if n := w.count(`SELECT count(*) FROM entries WHERE type = 'adjustment' AND rollout_id = ? AND cohort = 'candidate' AND rule_version = ? AND reference = ?
		AND actor = 'staff:fiona' AND reason = 'the price was wrong'`, ro, st.Candidate, st.ID); n != 3 {
		t.Errorf("%d adjustments with the attribution of the charges", n)
	}

	if s, err := w.store.Standing(ctx, ro); err != nil || s != (settlement.Standing{Delivered: 4, Paid: 3, Credits: 1}) {
		t.Errorf("%+v %v", s, err)
	}
	next := w.propose(settlement.Filter{})
	if !next.Supplement || next.Jobs != 1 || next.Credits != 6 {
		t.Errorf("the supplement: %+v", next)
	}
	w.pay(w.approve(next))
	if got := w.balances("a", "b", "c"); got != "[780 924 940]" {
		t.Errorf("balances %s", got)
	}
	if st = w.find(st.ID); st.State != settlement.Done || st.Paid != 3 || st.FinishedAt == nil {
		t.Errorf("%+v", st)
	}
	w.whole()
}

// Whatever is proposed at once, edited, rejected or has expired: a charge is in one settlement that can still pay it.
func TestVoidProposalsFreeTheirCharges(t *testing.T) {
	w := newWorld(t, 1100, 0)
	ctx := context.Background()
	w.Account(t, "a", 1000)
	w.delivered("a", "j1", 60)
	w.delivered("a", "j2", 40)
	w.ended()
	first := w.propose(settlement.Filter{})
	r := w.request(first)

	edit := settlement.Proposal{Envelope: envelope("fiona"), RolloutID: ro, Filter: settlement.Filter{Minimum: 5}, Reason: "at least 5",
		Replaces: &settlement.Replaced{SettlementID: first.ID, Replaced: approval.Replaced{ID: r.ID, Version: r.Version, Digest: r.Digest}}}
	// What the edit would take the place of does not stand in its way.
	if p, err := w.store.Preview(ctx, ro, edit.Filter, first.ID, 10); err != nil || p.Jobs != 2 {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := w.store.Preview(ctx, ro, edit.Filter, "", 10); err != nil || p.Jobs != 0 {
		t.Errorf("%+v %v", p, err)
	}
	out, err := w.store.Propose(ctx, edit)
	if err != nil || !out.Waiting {
		t.Fatalf("edit: %+v %v", out, err)
	}
	if again, err := w.store.Propose(ctx, edit); err != nil || string(again.Result) != string(out.Result) || !again.Waiting {
		t.Errorf("a double click: %+v %v", again, err)
	}
	second := w.find(w.content(out).Settlement)
	if err := w.approveBy("lena", first); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("the first was approved after the edit: %v", err)
	}
	if st := w.find(first.ID); st.State != settlement.Withdrawn || second.Jobs != 2 {
		t.Errorf("%+v %+v", st, second)
	}
	stranger := edit
	r = w.request(second)
	stranger.Envelope, stranger.Replaces = envelope("finn"), &settlement.Replaced{SettlementID: second.ID, Replaced: approval.Replaced{ID: r.ID, Version: r.Version, Digest: r.Digest}}
	_, err = w.store.Propose(ctx, stranger)
	is(t, err, approval.CodeNotRequester)

	w.damage("change_requests", `UPDATE change_requests SET requested_at = requested_at - interval '30 days', expires_at = expires_at - interval '30 days' WHERE id = ?`, r.ID)
	if err := w.approveBy("lena", second); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("approved after its time: %v", err)
	}
	if st := w.find(second.ID); st.State != settlement.Expired {
		t.Errorf("%+v", st)
	}
	third := w.propose(settlement.Filter{})
	r = w.request(third)
	if _, err := w.desk.Reject(ctx, approval.Decision{OperationID: "no", Actor: envelope("lena").Actor, ID: r.ID, Version: r.Version, Digest: r.Digest, Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	// Of many at once one holds them.
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 6 {
		wg.Go(func() {
			_, err := w.store.Propose(ctx, settlement.Proposal{Envelope: envelope(fmt.Sprint("p", i)), RolloutID: ro, Reason: "x"})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !fault.Is(err, settlement.CodeNothing) {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d proposals hold the same charges", won)
	}
	w.whole()
}

func TestFilters(t *testing.T) {
	// At least 50 credits: short jobs are dearer than under the baseline, long ones cheaper.
	w := newWorld(t, 900, 50)
	ctx := context.Background()
	for _, a := range []string{"a", "b", "c"} {
		w.Account(t, a, 10_000)
	}
	w.delivered("a", "up", 40)    // 50, was 40: 10
	w.delivered("a", "down", 100) // 90, was 100: −10
	w.delivered("b", "up", 20)    // 50, was 20: 30
	w.delivered("c", "equal", 50) // 50, was 50
	var mid time.Time
	if err := w.G.Raw(`SELECT clock_timestamp()`).Row().Scan(&mid); err != nil {
		t.Fatal(err)
	}
	w.delivered("c", "down", 200) // 180, was 200: −20
	w.ended()
	for name, x := range map[string]struct {
		f    settlement.Filter
		want settlement.Totals
	}{
		"credits alone":  {settlement.Filter{}, settlement.Totals{Jobs: 2, Accounts: 2, Charged: 100, Baseline: 60, Credits: 40}},
		"debits":         {settlement.Filter{Sign: settlement.Debits}, settlement.Totals{Jobs: 2, Accounts: 2, Charged: 270, Baseline: 300, Debits: 30}},
		"both":           {settlement.Filter{Sign: settlement.Both}, settlement.Totals{Jobs: 4, Accounts: 3, Charged: 370, Baseline: 360, Credits: 40, Debits: 30}},
		"before":         {settlement.Filter{Sign: settlement.Both, To: &mid}, settlement.Totals{Jobs: 3, Accounts: 2, Charged: 190, Baseline: 160, Credits: 40, Debits: 10}},
		"after":          {settlement.Filter{Sign: settlement.Both, From: &mid}, settlement.Totals{Jobs: 1, Accounts: 1, Charged: 180, Baseline: 200, Debits: 20}},
		"accounts":       {settlement.Filter{Accounts: []string{"b", "c"}}, settlement.Totals{Jobs: 1, Accounts: 1, Charged: 50, Baseline: 20, Credits: 30}},
		"minimum":        {settlement.Filter{Sign: settlement.Both, Minimum: 20}, settlement.Totals{Jobs: 2, Accounts: 2, Charged: 230, Baseline: 220, Credits: 30, Debits: 20}},
		"nothing enough": {settlement.Filter{Minimum: 31}, settlement.Totals{}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := w.store.Preview(ctx, ro, x.f, "", 10)
			if err != nil || p.Totals != x.want || int64(len(p.Lines)) != x.want.Accounts {
				t.Errorf("%+v %v; want %+v", p, err, x.want)
			}
		})
	}
	now := time.Now()
	for name, f := range map[string]settlement.Filter{"sign": {Sign: "all"}, "minimum": {Minimum: -1}, "to": {From: &now, To: &mid}, "accounts": {Accounts: []string{"a", "nobody"}}} {
		if _, err := w.store.Preview(ctx, ro, f, "", 10); fault.As(err) == nil || fault.As(err).Fields[0].Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.store.Preview(ctx, ro, settlement.Filter{Accounts: []string{"b", "nobody", "a", "B"}}, "", 10)
	if f := fault.As(err); f == nil || fmt.Sprint(f.Detail[settlement.DetailMissing]) != "[nobody B]" || !strings.HasSuffix(f.Fields[0].Message, ": nobody, B") {
		t.Errorf("accounts that do not exist: %v", err)
	}
	_, err = w.store.Preview(ctx, "none", settlement.Filter{}, "", 10)
	is(t, err, fault.CodeRolloutNotFound)

	// What a filter leaves out is there for the next settlement; pages and totals agree with the rows.
	st := w.pay(w.approve(w.propose(settlement.Filter{Sign: settlement.Both, Accounts: []string{"a", "b"}})))
	if st.Credits != 40 || st.Debits != 10 || w.balances("a", "b", "c") != "[9860 9980 9770]" {
		t.Errorf("%+v %s", st, w.balances("a", "b", "c"))
	}
	if s, err := w.store.Standing(ctx, ro); err != nil || s != (settlement.Standing{Delivered: 5, Paid: 3, Equal: 1, Debits: 1}) {
		t.Errorf("%+v %v", s, err)
	}
	done := w.find(st.Settlement)
	var names []string
	var from *settlement.LinePosition
	for range 3 {
		lines, err := w.store.Lines(ctx, done, settlement.Lines{}, from, page.Older, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines.Rows {
			names = append(names, fmt.Sprint(l.AccountID, l.Amount, l.Paid, l.PaidAmount))
		}
		if from = lines.Older; from == nil {
			break
		}
	}
	if got := strings.Join(names, ", "); got != "b30 1 30, a0 2 0" {
		t.Errorf("lines %s", got)
	}
	sum, err := w.store.LineTotals(ctx, done, settlement.Lines{Outcome: settlement.OutcomePaid})
	if err != nil || sum.Jobs != 3 || sum.Paid != 3 || sum.PaidAmount != 30 || sum.Accounts != 2 || sum.Charged != 190 {
		t.Errorf("%+v %v", sum, err)
	}
	w.whole()
}

// What a rollout owes shows once it has ended: while it is live its candidate is what the admitted accounts pay, and nothing
// is proposed, previewed or approved. Of one that became the price of all something can be given back, if somebody asks.
func TestOnlyARolloutThatHasEndedIsSettled(t *testing.T) {
	w := newWorld(t, 1100, 0)
	ctx := context.Background()
	w.Account(t, "a", 1000)
	propose := func() error {
		_, err := w.store.Propose(ctx, settlement.Proposal{Envelope: envelope("fiona"), RolloutID: ro, Reason: "x"})
		return err
	}
	refused := func(state rollout.State, why string) {
		t.Helper()
		_, previewed := w.store.Preview(ctx, ro, settlement.Filter{}, "", 10)
		for what, err := range map[string]error{"preview": previewed, "proposal": propose()} {
			if f := fault.As(err); f == nil || f.Code != fault.CodeStateConflict || f.Detail["state"] != string(state) || f.Detail[fault.DetailWhy] != why || f.Detail["rollout_id"] != ro {
				t.Errorf("%s of a %s rollout: %v", what, state, err)
			}
		}
	}
	w.delivered("a", "j1", 60)
	refused(rollout.Running, settlement.WhyRolloutLive)
	w.step(w.rollouts.Pause)
	refused(rollout.Paused, settlement.WhyRolloutLive)
	w.damage("rollouts", `UPDATE rollouts SET state = 'halted'`)
	refused(rollout.Halted, settlement.WhyRolloutLive)
	w.damage("rollouts", `UPDATE rollouts SET state = 'draft', stage = 0, stage_since = NULL, started_at = NULL`)
	refused(rollout.Draft, settlement.WhyNotStarted)
	w.damage("rollouts", `UPDATE rollouts SET state = 'completed', stage = 1, stage_since = now(), started_at = now(), ended_at = now()`)
	st := w.propose(settlement.Filter{})
	// Proposed by an earlier release while the rollout was live.
	w.damage("rollouts", `UPDATE rollouts SET state = 'running', ended_at = NULL`)
	is(t, w.approveBy("lena", st), fault.CodeStateConflict)
	w.damage("rollouts", `UPDATE rollouts SET state = 'rolled_back', ended_at = clock_timestamp()`)
	if r := w.pay(w.approve(st)); r.Paid != 1 || w.Balance(t, "a") != 940 {
		t.Errorf("%+v, balance %d", r, w.Balance(t, "a"))
	}
	w.whole()
}

// A rollout can be put right that made its customers pay less; such debits may lead below zero.
func TestDebitsAreOnlyOfThoseWhoAreChosen(t *testing.T) {
	w := newWorld(t, 900, 0)
	w.Account(t, "a", 55)
	w.delivered("a", "j1", 60)
	w.ended()
	_, err := w.store.Propose(context.Background(), settlement.Proposal{Envelope: envelope("fiona"), RolloutID: ro, Reason: "x"})
	is(t, err, settlement.CodeNothing)
	st := w.approve(w.propose(settlement.Filter{Sign: settlement.Debits}))
	if r := w.pay(st); r.Debits != 6 || w.Balance(t, "a") != -5 {
		t.Errorf("%+v, balance %d", r, w.Balance(t, "a"))
	}
	w.whole()
}

// A charge whose price under the baseline is beyond all credits is owed nothing, and keeps nobody else from being put right.
func TestAPriceBeyondAllCreditsHoldsUpNobody(t *testing.T) {
	w := newWorld(t, 0, 3_000_000_000)
	w.Account(t, "a", 6_000_000_000)
	w.delivered("a", "small", 1)
	w.delivered("a", "vast", 1<<40)
	w.ended()
	// As if the baseline had cost so much from the start.
	for _, statement := range []string{`ALTER TABLE rule_versions DISABLE TRIGGER USER`, `UPDATE rule_versions SET unit_price = 1::bigint << 40 WHERE version = 1`} {
		if err := w.G.Exec(statement).Error; err != nil {
			t.Fatal(err)
		}
	}
	if s, err := w.store.Standing(context.Background(), ro); err != nil || s.Credits != 1 || s.Debits != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	_, err := w.store.Propose(context.Background(), settlement.Proposal{Envelope: envelope("fiona"), RolloutID: ro, Reason: "x", Filter: settlement.Filter{Sign: settlement.Debits}})
	is(t, err, fault.CodeAmountOverflow)
	// 2^40 / 1000, rounded half to even, is 1,099,511,628.
	if r := w.pay(w.approve(w.propose(settlement.Filter{}))); r.Credits != 3_000_000_000-1_099_511_628 || w.Balance(t, "a") != r.Credits {
		t.Errorf("%+v, balance %d", r, w.Balance(t, "a"))
	}
}

// Accounts that take no payment are left out by name, hold up nobody, and can be settled later.
func TestFrozenAndInconsistentAccountsAreLeftOut(t *testing.T) {
	w := newWorld(t, 1100, 0)
	ctx := context.Background()
	for _, a := range []string{"frozen", "broken", "sound"} {
		w.Account(t, a, 1000)
		w.delivered(a, "j1", 60)
		w.delivered(a, "j2", 40)
	}
	st := w.propose(settlement.Filter{})
	if _, err := w.Ledger.Freeze(ctx, ledger.FreezeRequest{Envelope: envelope("finn"), AccountID: "frozen", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	w.damage("accounts", `UPDATE accounts SET balance = balance + 1 WHERE id = 'broken'`)
	if p, err := w.store.Lines(ctx, st, settlement.Lines{Account: "frozen"}, nil, page.Older, 10); err != nil || len(p.Rows) != 1 || !p.Rows[0].Frozen {
		t.Errorf("%+v %v", p, err)
	}
	if r := w.pay(w.approve(st)); r != (settlement.Result{Settlement: st.ID, Paid: 2, Excluded: 4, Credits: 10}) {
		t.Errorf("%+v", r)
	}
	p, err := w.store.Lines(ctx, st, settlement.Lines{Outcome: settlement.OutcomeExcluded}, nil, page.Older, 10)
	if err != nil {
		t.Fatal(err)
	}
	why := map[string]string{}
	for _, l := range p.Rows {
		why[l.AccountID] = fmt.Sprint(*l.Why, l.Excluded)
	}
	if fmt.Sprint(why) != fmt.Sprint(map[string]string{"frozen": fault.CodeAccountFrozen + "2", "broken": fault.CodeAccountInconsistent + "2"}) {
		t.Errorf("left out: %v", why)
	}
	w.damage("accounts", `UPDATE accounts SET balance = balance - 1 WHERE id = 'broken'`)
	if _, err := w.Ledger.Unfreeze(ctx, ledger.FreezeRequest{Envelope: envelope("finn"), AccountID: "frozen", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	next := w.propose(settlement.Filter{})
	if r := w.pay(w.approve(next)); !next.Supplement || r.Paid != 4 || w.balances("frozen", "broken", "sound") != "[900 900 900]" {
		t.Errorf("%+v %s", r, w.balances("frozen", "broken", "sound"))
	}
	w.whole()
}

// What was billed outside makes no entry and counts as the one payment.
func TestSettledOutside(t *testing.T) {
	w := newWorld(t, 1100, 0)
	ctx := context.Background()
	w.Account(t, "a", 1000)
	w.delivered("a", "j1", 60)
	st := w.proposeBy(settlement.Proposal{RolloutID: ro, Way: settlement.Outside})
	in := settlement.OutsideRequest{Envelope: envelope("fiona"), ID: st.ID, Reference: "CN-2026-7", Reason: "credit note"}
	_, err := w.store.SettleOutside(ctx, in)
	is(t, err, fault.CodeStateConflict)
	if st = w.approve(st); st.State != settlement.Approved || st.TaskID != nil {
		t.Errorf("%+v", st)
	}
	first, err := w.store.SettleOutside(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.store.SettleOutside(ctx, in); err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("a double click: %+v %v", again, err)
	}
	in.Envelope = envelope("fiona")
	_, err = w.store.SettleOutside(ctx, in)
	is(t, err, fault.CodeStateConflict)
	if st = w.find(st.ID); st.State != settlement.Done || st.Reference != "CN-2026-7" || st.Paid != 1 || w.Balance(t, "a") != 934 {
		t.Errorf("%+v, balance %d", st, w.Balance(t, "a"))
	}
	_, err = w.store.Propose(ctx, settlement.Proposal{Envelope: envelope("finn"), RolloutID: ro, Reason: "x"})
	is(t, err, settlement.CodeNothing)
	var items []settlement.Item
	if err := w.store.Each(ctx, st, func(i settlement.Item) error { items = append(items, i); return nil }); err != nil || len(items) != 1 ||
		*items[0].Reference != "CN-2026-7" || items[0].EntrySeq != nil || items[0].Amount != 6 {
		t.Errorf("%+v %v", items, err)
	}
	w.whole()
}

// What was proposed is what is paid: a list that was changed in the database is refused by whoever approves.
func TestAChangedListIsNotPaid(t *testing.T) {
	w := newWorld(t, 1100, 0)
	w.Account(t, "a", 1000)
	w.delivered("a", "j1", 60)
	st := w.propose(settlement.Filter{})
	for _, statement := range []string{`UPDATE settlement_items SET charged = 1000, amount = 940`, `DELETE FROM settlement_items`, `TRUNCATE settlement_items CASCADE`,
		`UPDATE settlements SET credits = 1000`, `DELETE FROM settlements`, `UPDATE settlement_payments SET amount = 1`, `DELETE FROM settlement_payments`,
		`DELETE FROM settlement_exclusions`, `INSERT INTO settlement_items SELECT key, 1, 1, 'x', now(), 1, 5, 5, 0 FROM settlements`} {
		if err := w.G.Exec(statement).Error; err == nil {
			t.Errorf("the database let through: %s", statement)
		}
	}
	w.damage("settlement_items", `UPDATE settlement_items SET charged = 1000, amount = 940`)
	is(t, w.approveBy("lena", st), settlement.CodeDamaged)
	if st = w.find(st.ID); st.State != settlement.Proposed {
		t.Errorf("%+v", st)
	}
}

func TestResume(t *testing.T) {
	w := newWorld(t, 1100, 0)
	ctx := context.Background()
	w.Account(t, "a", 1000)
	w.delivered("a", "j1", 60)
	st := w.approve(w.propose(settlement.Filter{}))
	_, err := w.store.Resume(ctx, envelope("finn"), st.ID, "it stands still")
	is(t, err, fault.CodeStateConflict)
	if err := w.take(st).Fail(ctx, task.CodeGaveUp, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Resume(ctx, envelope("finn"), st.ID, "the database is back"); err != nil {
		t.Fatal(err)
	}
	again := w.find(st.ID)
	if *again.TaskID == *st.TaskID {
		t.Error("no new task")
	}
	if r := w.pay(again); r.Paid != 1 || w.Balance(t, "a") != 940 {
		t.Errorf("%+v", r)
	}
	_, err = w.store.Resume(ctx, envelope("finn"), st.ID, "again")
	is(t, err, fault.CodeStateConflict)
	w.whole()
}
