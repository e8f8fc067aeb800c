package console_test

import (
	"context"
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/models/staff"
	"recoup/models/task"
)

const dearer = "ro_dearer"

// dearerRollout starts a rollout for everybody whose candidate costs a tenth more.
func (w *world) dearerRollout() {
	w.t.Helper()
	ctx := context.Background()
	if _, err := w.Pricing.CreateRule(ctx, pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: modeltest.Action, Unit: "second", UnitPrice: 1100,
		Rounding: credit.RoundHalfEven, Reason: "dearer"}); err != nil {
		w.t.Fatal(err)
	}
	one, none := int64(1), int64(0)
	if _, err := w.Rollouts.Create(ctx, rollout.NewRollout{Envelope: modeltest.Envelope(), ID: dearer, Action: modeltest.Action, Candidate: modeltest.Action + "@v2",
		MinCharges: &one, MinCostsBps: &none, Stages: []pricing.Stage{{Threshold: pricing.Buckets}}, Reason: "test"}); err != nil {
		w.t.Fatal(err)
	}
	w.rolloutStep(1, w.Rollouts.Start)
}

func (w *world) rolledBack() { w.t.Helper(); w.rolloutStep(2, w.Rollouts.RollBack) }

// rendered charges a job that the caller runs and delivers it.
func (w *world) rendered(account, id string, units int64) {
	w.t.Helper()
	ctx := context.Background()
	_, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Action: modeltest.Action, Units: units, Mode: job.External})
	if err == nil {
		_, err = w.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: job.Signal{Type: job.SignalSucceeded}})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// pay does the newest settlement's task as a worker does.
func (w *world) pay() {
	w.t.Helper()
	ctx := context.Background()
	list, err := w.tasks.List(ctx, kinds(settlement.Kind), 1)
	if err != nil || len(list) != 1 {
		w.t.Fatalf("%d tasks, %v", len(list), err)
	}
	run, err := w.tasks.Take(ctx, list[0].Key, "w")
	if err != nil || run == nil {
		w.t.Fatalf("not taken: %v", err)
	}
	result, err := w.settlements.Run(ctx, run)
	if err == nil {
		err = run.Finish(ctx, result)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// approves lets a person approve the change request of a path as the page shows it.
func (b *browser) approves(request string) string {
	b.t.Helper()
	page := b.page(request + "/approve")
	return b.sent(request+"/approve", url.Values{"operation_id": {operationID(b.t, page)}, "version": {hidden(b.t, page, "version")}, "digest": {hidden(b.t, page, "digest")}, "reason": {"right"}})
}

// settlementSamples classify the routes of settlements.
func settlementSamples() map[string]sample {
	const one = "/settlements/stl_aaaaaaaaaaaaaaaa"
	return map[string]sample{
		"console.settlements":             {path: "/settlements", opens: every()},
		"console.settlement.new":          {path: "/settlements/new", opens: money()},
		"console.settlement.new.post":     {path: "/settlements/new", form: url.Values{"rollout": {"none"}, "reason": {"because"}}, opens: money()},
		"console.settlement.preview":      {path: "/settlements/preview", opens: money()},
		"console.settlement":              {path: one, opens: every()},
		"console.settlement.export":       {path: one + "/export", opens: money()},
		"console.settlement.outside":      {path: one + "/outside", opens: money()},
		"console.settlement.outside.post": {path: one + "/outside", form: url.Values{"reference": {"CN-7"}, "reason": {"because"}}, opens: money()},
		"console.settlement.resume":       {path: one + "/resume", opens: money()},
		"console.settlement.resume.post":  {path: one + "/resume", form: url.Values{"reason": {"because"}}, opens: money()},
	}
}

// A rollback leads product to the charges, finance proposes, a second person approves, and every page says where it stands.
func TestSettlementOfThreePeople(t *testing.T) {
	w := newWorld(t)
	for _, a := range []string{"acct_7", "acct_8", "acct_9"} {
		w.Account(t, a, 1000)
	}
	w.dearerRollout()
	w.rendered("acct_7", "j1", 100)
	w.rendered("acct_7", "j2", 100)
	w.rendered("acct_8", "j1", 50)
	w.rendered("acct_9", "j1", 10)
	if _, err := w.Ledger.Freeze(context.Background(), ledger.FreezeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_9", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	// While it is live nothing is owed, and the form says so.
	early := w.as(staff.Finance)
	if page := early.page("/settlements/new"); strings.Contains(page, `value="`+dearer+`"`) {
		t.Error("a live rollout is offered")
	}
	// Where a link names one all the same, the form stands at what its preview is of.
	page := early.page("/settlements/new?rollout=" + dearer)
	w.says(page, "The rollout "+dearer+" is live")
	if !strings.Contains(page, `<option value="`+dearer+`" selected>`) {
		t.Error("the form would propose another rollout than its preview is of")
	}
	w.says(early.page("/settlements/preview?rollout="+dearer), "The rollout "+dearer+" is live", "Roll it back first")
	if rec := early.post("/settlements/new", url.Values{"operation_id": {ids.New()}, "rollout": {dearer}, "reason": {"x"}}); rec.Code != http.StatusSeeOther ||
		!strings.Contains(rec.Header().Get("Location"), "refused=running") {
		t.Errorf("a live rollout: %d %s", rec.Code, rec.Header().Get("Location"))
	}
	w.rolledBack()
	paula, fiona, lena := w.as(staff.Product), w.as(staff.Finance), w.as(staff.Lead)

	note := "4 delivered charges were priced by the candidate: 0 paid back or settled, 0 in a settlement that is under way, 4 still to be settled."
	w.says(paula.page("/rollouts/"+dearer), note)
	if strings.Contains(paula.page("/rollouts/"+dearer), "/settlements/new") {
		t.Error("product is led to a form that it may not open")
	}
	w.says(fiona.page("/rollouts/"+dearer), note, "Propose a settlement")
	w.says(fiona.page("/settlements"), "No settlement has been proposed yet.")
	page = fiona.page("/settlements/new?rollout=" + dearer)
	w.says(page, "4 charges of 3 accounts: charged 286 credits, 260 under the baseline.", "Frozen accounts take no payment and will be left out: 1.", "acct_7", "+20", "780 → becomes 800")
	w.says(fiona.page("/settlements/preview?rollout="+dearer+"&accounts=acct_8&sign=credits"), "1 charge of 1 account: charged 55 credits, 50 under the baseline.", "945 → becomes 950")
	w.says(fiona.page("/settlements/preview?rollout="+dearer+"&sign=debits"), "No delivered charge is left", "4 charges could be proposed as credits")
	w.says(fiona.page("/settlements/preview?rollout="+dearer+"&minimum=x"), "At least, credits an account:")
	w.says(fiona.page("/settlements/preview?rollout="+dearer+"&way=outside"), "No balance changes")

	form := url.Values{"operation_id": {operationID(t, page)}, "rollout": {dearer}, "sign": {"credits"}, "way": {"ledger"}}
	if rec := fiona.post("/settlements/new", form); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("no reason: %d", rec.Code)
	}
	form.Set("reason", "the price was wrong")
	form.Set("accounts", "nobody")
	if rec := fiona.post("/settlements/new", form); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("an account that does not exist: %d", rec.Code)
	} else {
		w.says(rec.Body.String(), "There is no such account: nobody")
	}
	form.Del("accounts")
	first := fiona.post("/settlements/new", form)
	request := path(first.Header().Get("Location"))
	if first.Code != http.StatusSeeOther || !strings.HasPrefix(request, "/approvals/cr_") {
		t.Fatalf("%d %s", first.Code, request)
	}
	if again := fiona.post("/settlements/new", form); path(again.Header().Get("Location")) != request {
		t.Errorf("a double click leads to %s", again.Header().Get("Location"))
	}
	w.says(fiona.page(request), "Settlement of +26 credits", dearer, "the price was wrong")
	st := w.settlementIn(request)
	at := "/settlements/" + st.ID
	w.says(lena.page("/"), "Open settlements 1 1 to approve, 0 without a document")
	w.says(fiona.page(at), "Waits for a second person", "Pat finance proposed it", "acct_7", "780 → becomes 800", "Proposed", "Edit")
	w.says(lena.page(at), "Approve")
	if strings.Contains(fiona.page(at), "/approve") {
		t.Error("the proposer is led to approve")
	}
	seen := lena.page(request + "/approve")
	if rec := fiona.post(request+"/approve", url.Values{"operation_id": {ids.New()}, "version": {hidden(t, seen, "version")}, "digest": {hidden(t, seen, "digest")}, "reason": {"x"}}); rec.Code != http.StatusForbidden {
		t.Errorf("the proposer approves: %d", rec.Code)
	}
	if rec := fiona.post("/settlements/new", url.Values{"operation_id": {ids.New()}, "rollout": {dearer}, "reason": {"again"}}); rec.Code != http.StatusConflict {
		t.Errorf("all charges are held: %d", rec.Code)
	}

	// An edit takes its place, and the first can be approved no more.
	edit := fiona.page("/settlements/new?replaces=" + st.ID)
	w.says(edit, "Edit the proposal", "4 charges of 3 accounts")
	rec := fiona.post("/settlements/new", url.Values{"operation_id": {operationID(t, edit)}, "replaces": {st.ID}, "version": {hidden(t, edit, "version")}, "digest": {hidden(t, edit, "digest")},
		"sign": {"credits"}, "way": {"ledger"}, "minimum": {"1"}, "reason": {"the price was wrong"}})
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", rec.Code, text(rec.Body.String()))
	}
	w.says(fiona.page(at), "Withdrawn", "It will not be paid.")
	request = path(rec.Header().Get("Location"))
	st = w.settlementIn(request)
	at = "/settlements/" + st.ID

	lena.approves(request)
	w.says(lena.page(at), "It is approved and waits for a worker.")
	w.pay()
	w.says(paula.page("/"), "Open settlements 0 Show settlements")
	w.says(paula.page(at), "3 jobs were paid, 1 was left out.", "Left out", "The account was frozen.", "Paid", "Payment begun", "Approved")
	w.says(paula.page(at+"?outcome=excluded"), "acct_9")
	if strings.Contains(paula.page(at+"?outcome=excluded"), ">acct_7<") {
		t.Error("the filter shows others")
	}
	w.says(paula.page(at+"?account=acct_7"), "Jobs of acct_7", "j1", "entry 4", "entry 5", "+10")
	w.says(fiona.page(at), "1 charge of this rollout could be proposed now", "Propose a supplement")
	w.says(fiona.page("/settlements?rollout="+dearer), st.ID[len(st.ID)-6:], "Done", "Withdrawn")
	w.says(paula.page("/accounts/acct_7"), "the price was wrong")
	// The entry, its operation and the job lead to each other.
	w.says(paula.page("/accounts/acct_7/entries/4"), "Settlement", st.ID[len(st.ID)-6:], dearer, "Approved by Pat lead", "Change request", "Job j1")
	w.says(paula.page("/operations?scope=system:acct_7&id="+settlement.PaymentID(dearer, w.keyOf("acct_7", "j1"))), "Payment of a settlement", "Change request")
	// So do the rows of the statement and of "Why is this balance".
	for _, at := range []string{"/accounts/acct_7?type=adjustment", "/accounts/acct_7/balance"} {
		if page := paula.page(at); strings.Count(page, jobAt("acct_7", "j1", "")+`"`) == 0 || strings.Count(page, jobAt("acct_7", "j2", "")+`"`) == 0 {
			t.Errorf("%s does not name the jobs whose prices were put right", at)
		}
	}
	w.says(paula.page("/accounts/acct_7/jobs/j1"), "Settled", "the price was wrong", "+10", "acct_7 has paid 110 credits, once. A settlement then booked +10 credits on ", "with it acct_7 has paid 100 credits.",
		"You paid 110 credits for it, once. The price was higher than it should have been, so we returned 10 credits to your account on ", "With that you paid 100 credits.",
		"料金が本来より高かったため、", "差し引きのお支払いは100クレジットです。")
	w.says(paula.page("/accounts/acct_7/balance"), "Settlements: prices of jobs put right", "Prices of jobs put right by us: +20 (2 jobs)", "当社によるジョブ料金の訂正：+20（2件）")
	for _, s := range answers(paula.page("/accounts/acct_7/balance")) {
		if strings.Contains(s, "settle") || strings.Contains(s, "精算") || strings.Contains(s, "Corrections made") {
			t.Errorf("the customer is told %s", s)
		}
	}
	if w.Balance(t, "acct_7") != 800 || w.Balance(t, "acct_8") != 950 || w.Balance(t, "acct_9") != 989 {
		t.Error("balances")
	}

	if rec := paula.get(at + "/export"); rec.Code != http.StatusForbidden {
		t.Errorf("product takes the file: %d", rec.Code)
	}
	rows, err := csv.NewReader(strings.NewReader(fiona.page(at + "/export"))).ReadAll()
	if err != nil || len(rows) != 5 || len(rows[0]) != 19 || rows[1][1] != dearer || rows[1][12] != "10" || rows[1][16] != "4" || rows[4][18] != "account_frozen" {
		t.Errorf("%v %v", rows, err)
	}
	w.says(fiona.page(at), "File taken")
}

func TestSettledOutsideInTheConsole(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dearerRollout()
	w.rendered("acct_7", "j1", 100)
	w.rolledBack()
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	rec := fiona.post("/settlements/new", url.Values{"operation_id": {ids.New()}, "rollout": {dearer}, "way": {"outside"}, "reason": {"invoiced"}})
	request := path(rec.Header().Get("Location"))
	st := w.settlementIn(request)
	at := "/settlements/" + st.ID
	lena.approves(request)
	w.says(fiona.page(at), "to be settled outside", "Name the document")
	w.says(fiona.page("/"), "Open settlements 1 0 to approve, 1 without a document")
	form := fiona.form(at+"/outside", "reference", "CN-7", "reason", "credit note")
	if rec := fiona.post(at+"/outside", url.Values{"operation_id": {ids.New()}, "reason": {"x"}}); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("no reference: %d", rec.Code)
	}
	w.says(fiona.sent(at+"/outside", form), "The jobs count as settled outside.", "1 job was settled outside by CN-7")
	w.says(fiona.sent(at+"/outside", form), "Already done")
	form.Set("operation_id", ids.New())
	w.says(fiona.sent(at+"/outside", form), "Too late: the settlement is in another state by now.")
	w.says(fiona.page(at+"?account=acct_7"), "CN-7")
	w.says(fiona.page("/accounts/acct_7/jobs/j1"), "Settled", "CN-7", "its price was settled outside the ledger by CN-7", "We put its price right on ", "please see document CN-7. The balance of your account does not change by it.",
		"詳細は書類CN-7をご覧ください。")
	if w.Balance(t, "acct_7") != 890 {
		t.Error("balance")
	}
}

func TestResumeInTheConsole(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.Account(t, "acct_7", 1000)
	w.dearerRollout()
	w.rendered("acct_7", "j1", 100)
	w.rolledBack()
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	rec := fiona.post("/settlements/new", url.Values{"operation_id": {ids.New()}, "rollout": {dearer}, "reason": {"x"}})
	request := path(rec.Header().Get("Location"))
	at := "/settlements/" + w.settlementIn(request).ID
	lena.approves(request)
	list, err := w.tasks.List(ctx, kinds(settlement.Kind), 1)
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.tasks.Take(ctx, list[0].Key, "w")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Fail(ctx, "gave_up", "no"); err != nil {
		t.Fatal(err)
	}
	w.says(fiona.page(at), "came to a stop after 0 of 1 job", "Take it up again")
	w.says(fiona.sent(at+"/resume", fiona.form(at+"/resume", "reason", "the database is back")), "The settlement is being paid again.")
	w.pay()
	w.says(fiona.page(at), "1 job was paid, 0 were left out.")
}

func kinds(k ...task.Kind) []task.Kind { return k }

// settlementIn is the settlement that a change request's page is about.
func (w *world) settlementIn(request string) settlement.Settlement {
	w.t.Helper()
	ctx := context.Background()
	cr, err := w.Requests.Find(ctx, strings.TrimPrefix(request, "/approvals/"))
	if err != nil {
		w.t.Fatal(err)
	}
	content, err := settlement.ReadProposed(cr)
	if err != nil {
		w.t.Fatal(err)
	}
	st, err := w.settlements.Find(ctx, content.Settlement)
	if err != nil {
		w.t.Fatal(err)
	}
	return st
}

// rolloutStep makes a step of the dearer rollout from a version.
func (w *world) rolloutStep(version int64, do func(context.Context, rollout.StepRequest) (operation.Outcome, error)) {
	w.t.Helper()
	if _, err := do(context.Background(), rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: dearer, Version: version, Reason: "test"}); err != nil {
		w.t.Fatal(err)
	}
}

// keyOf is the key of a job.
func (w *world) keyOf(account, id string) int64 {
	w.t.Helper()
	j, err := w.Jobs.Find(context.Background(), account, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return j.Key
}
