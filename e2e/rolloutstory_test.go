package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// external charges a job that its caller runs.
func (w *world) external(account, id string) {
	w.t.Helper()
	if _, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Action: modeltest.Action, Units: 60, Mode: job.External}); err != nil {
		w.t.Fatal(err)
	}
}

// succeeded delivers a job that its caller runs.
func (w *world) succeeded(account, id string) {
	w.t.Helper()
	if _, err := w.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: job.Signal{Type: job.SignalSucceeded}}); err != nil {
		w.t.Fatal(err)
	}
}

// moved lets somebody open the dialog of a rollout's step and, where a reason is given, confirm it with a double click.
func (w *tab) moved(at, step, button, reason string) {
	w.t.Helper()
	w.goTo(at)
	w.until("document.documentElement.dataset.js === ''")
	w.click(fmt.Sprintf(`a[href="%s/%s"]`, at, step))
	w.until("document.querySelector('#dialog[open] #form') && document.activeElement.matches('#dialog [data-cancel]')")
	if reason != "" {
		w.confirmed(button, reason)
	}
}

// confirmed fills the reason of the dialog that is open and clicks its button twice.
func (w *tab) confirmed(button, reason string) {
	w.t.Helper()
	w.fill("#dialog #f-reason", reason)
	w.doubleClick(fmt.Sprintf(`#dialog button[data-kind=%q]`, button))
	w.until("location.search.includes('op=') && document.querySelector('.notice')")
}

// A dearer price from its draft to the last credit paid back, by three people with a browser each. Product makes the rollout,
// starts it and is kept from widening it, first by missing data, then by a cost that nobody can place; finance places the cost;
// product widens it and takes it back; finance proposes the settlement of what was charged too much, a lead approves it in
// Japanese, and the page that finance has open tells by itself when it is paid. Every button is clicked twice.
func TestARolloutAndItsSettlementByThreePeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	candidate := w.nextRule(modeltest.Action, 1200, 0, "Render farms cost more")
	for _, a := range []string{"acct_7", "acct_8"} {
		w.Account(t, a, 100_000)
		w.named(a, "Ann Media", "pro")
	}
	const id, at = "ro_three", "/rollouts/ro_three"
	product, finance, lead := w.as(staff.Product, staff.Preferences{}), w.as(staff.Finance, staff.Preferences{}), w.as(staff.Lead, staff.Preferences{Language: "ja"})
	product.expectRefusals()
	finance.expectRefusals()

	// Made and started.
	product.goTo("/rollouts")
	product.click(`a[href="/new/rollout"]`)
	product.at("/new/rollout")
	product.fill("#f-id", id)
	product.fill("#f-title", "Twenty percent up")
	product.choose("#f-candidate", candidate)
	product.click("details > summary")
	product.fill("#f-accounts_1", "acct_7")
	product.fill("#f-threshold_2", "100")
	product.fill("#f-min_charges", "2")
	product.fill("#f-reason", "Is as much rendered at a higher price?")
	product.click(`main form.confirm button[data-kind="primary"]`)
	product.at(at)
	product.sees("The draft is made", "it decides about nothing until it is started")
	product.moved(at, "start", "primary", "Agreed in the pricing meeting")
	product.sees("The rollout is running", "0 of 2 accounts are enrolled and pay")

	// Who may not move it is offered no step and is refused one.
	finance.goTo(at)
	finance.sees(id)
	if finance.truth(`document.querySelector('a[href$="/advance"], a[href$="/roll-back"], a[href$="/pause"]')`) {
		t.Error("somebody who may not move a rollout is offered a step")
	}
	finance.goTo(at + "/advance")
	finance.until("document.readyState === 'complete' && !document.querySelector('#form')")

	// Nothing was charged: the dialog says so and cannot be sent.
	product.moved(at, "advance", "", "")
	blocked := `document.querySelector('#dialog button[data-kind="primary"]').disabled`
	product.until(blocked)
	product.sees("Uniqueness has no data.", "0 of at least 2 charges under the candidate", "more charges under the candidate come by themselves", "Checks made", "2 of 2")
	product.accessible("the blocked dialog")

	// Charged and delivered, but a cost belongs to nobody: red, halted, and finance can help.
	for _, x := range [][2]string{{"acct_7", "j1"}, {"acct_7", "j2"}, {"acct_8", "j3"}} {
		w.external(x[0], x[1])
		w.succeeded(x[0], x[1])
	}
	amount, err := decimal.Parse("0.0402")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if _, err := cost.New(w.Ops).Record(ctx, cost.Batch{Envelope: modeltest.Envelope(), Source: "gpu", Records: []cost.NewRecord{
		{ExternalID: "line-1", Amount: amount, Currency: "USD", Time: now, AccountID: "acct_7", JobID: "j1"}, {ExternalID: "line-2", Amount: amount, Currency: "USD", Time: now}}}); err != nil {
		t.Fatal(err)
	}
	product.moved(at, "advance", "", "")
	product.until(blocked)
	product.sees("Cost reconciliation failed.", "1 unattributed cost: gpu/line-2", "Finance can help")
	product.goTo(at)
	product.sees("Halted", "By Recoup: Cost reconciliation failed.")

	// Finance places it.
	finance.goTo(at)
	finance.sees("Halted", "Finance can help")
	finance.goTo("/costs?state=unattributed")
	finance.click(`#list tbody a[href^="/costs/records/"]`)
	finance.until("location.pathname.startsWith('/costs/records/')")
	finance.click(`a[href$="/attribution"]`)
	finance.until("document.querySelector('#dialog[open] #form')")
	finance.fill("#dialog #f-account", "acct_7")
	finance.fill("#dialog #f-job", "j2")
	finance.fill("#dialog #f-reason", "The provider's invoice names the job")
	finance.click(`#dialog button[data-kind="primary"]`)
	finance.sees("Whom the record is put down to was changed")

	// Green: resumed and widened, once, however often it is clicked.
	product.moved(at, "resume", "primary", "Finance placed the cost")
	product.sees("The rollout is running again")
	product.moved(at, "advance", "", "")
	product.until("!" + blocked)
	product.sees("Passed", "2 of 2", "Accounts that change to the candidate", "+12 in 1 day")
	product.accessible("the dialog that widens")
	product.confirmed("primary", "Quiet for a day")
	product.sees("The rollout stands at its next stage")
	if r, err := w.Rollouts.Find(ctx, id); err != nil || r.Stage != 2 || r.State != rollout.Running {
		t.Errorf("after a double click: %+v %v", r, err)
	}
	w.external("acct_8", "j4")
	if got := w.Balance(t, "acct_8"); got != 100_000-60-72 {
		t.Errorf("acct_8 has %d", got)
	}

	// Taken back: nothing is erased, and whoever asks sees what decided each charge. What is delivered afterwards was charged
	// too much all the same.
	product.moved(at, "roll-back", "danger", "Support is asked too much")
	product.sees("The rollout is rolled back", "nothing was erased", "Support is asked too much")
	w.succeeded("acct_8", "j4")
	product.goTo(at)
	product.sees("3 delivered charges were priced by the candidate")
	if product.truth(`document.querySelector('main a[href^="/settlements/new"]')`) {
		t.Error("product is offered to propose")
	}
	finance.goTo(jobPath("acct_8", "j4", ""))
	finance.sees(candidate, id, "Candidate", "Stage 2", "Its bucket was below the threshold of the stage")
	finance.goTo(at)
	finance.sees("Rolled back", "Quiet for a day", "Finance placed the cost")
	lead.goTo(at)
	lead.sees("ロールバック済み", "「費用の照合」が失敗しました", "未帰属の費用 1件：gpu/line-2")
	if body := lead.body(); strings.Contains(body, "Check failed") || strings.Contains(body, "unattributed") {
		t.Errorf("English on a Japanese page:\n%s", body)
	}

	// Put right: the preview follows the form's filter, and what it shows is what is proposed.
	finance.click(`main a[href="/settlements/new?rollout=` + id + `"]`)
	finance.at("/settlements/new")
	finance.sees("3 charges of 2 accounts: charged 216 credits, 180 under the baseline.")
	preview := func(text string) {
		finance.until(fmt.Sprintf("document.querySelector('#preview').textContent.includes(%q)", text))
	}
	finance.click(`input[name="sign"][value="debits"]`)
	preview("No delivered charge is left")
	finance.click(`input[name="sign"][value="credits"]`)
	preview("+36")
	finance.click("#form details > summary")
	finance.fill("#f-minimum", "20")
	preview("2 charges of 1 account: charged 144 credits, 120 under the baseline.")
	finance.fill("#f-minimum", "12")
	preview("+36")
	finance.accessible("the form of a settlement")
	finance.fill("#f-reason", "The price was taken back")
	finance.doubleClick(`#form button[data-kind="primary"]`)
	finance.until("location.pathname.startsWith('/approvals/cr_') && document.querySelector('main h1')")
	finance.sees("Settlement of +36 credits", "You asked for this, so somebody else decides.")
	request := eval[string](finance, "location.pathname")
	finance.click(`main a[href^="/settlements/stl_"]`)
	finance.until("location.pathname.startsWith('/settlements/stl_') && document.querySelector('main h1')")
	settlement := eval[string](finance, "location.pathname")

	// Approved by somebody else.
	lead.goTo(settlement)
	lead.click(`a[href="` + request + `/approve"]`)
	lead.until("document.querySelector('#dialog[open] #form')")
	lead.confirmed("primary", "確認済み")

	// Paid once, and told.
	finance.goTo(settlement)
	finance.sees("It is approved and waits for a worker.")
	w.paid()
	finance.until(`document.querySelector('#settlement-state').textContent.includes('3 jobs were paid, 0 were left out.')`)
	finance.goTo(settlement + "?account=acct_8")
	finance.sees("Jobs of acct_8", "entry 4", "+12")
	finance.accessible("a settlement that is paid")
	for _, a := range []string{"acct_7", "acct_8"} {
		if got := w.Balance(t, a); got != 100_000-2*60 {
			t.Errorf("%s has %d after the settlement", a, got)
		}
	}
}
