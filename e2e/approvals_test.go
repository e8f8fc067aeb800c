package e2e

import (
	"context"
	"strings"
	"testing"

	"recoup/models/approval"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// proposed lets a program ask for more than it may grant alone and returns the change request's path.
func (w *world) proposed(account string, amount int64) string {
	w.t.Helper()
	out, err := w.Ledger.Grant(context.Background(), ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: account, Amount: amount, Category: ledger.Paid,
		Reference: "INV-2026-11-30-7f3c9b02", Reason: "Annual plan of the studio, paid in advance by bank transfer on 28 November"})
	var required approval.Required
	if err != nil || out.Decode(&required) != nil || !out.Waiting {
		w.t.Fatalf("%+v %v", out, err)
	}
	path := "/approvals/" + required.ChangeRequest.ID
	w.requests = append(w.requests, path)
	return path
}

// An adjustment with a second person: two people, each with a browser of their own.
func TestAdjustmentWithASecondPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.named("acct_7", "Ann Media", "pro")
	fiona, lena := w.as(staff.Finance, staff.Preferences{}), w.as(staff.Lead, staff.Preferences{Language: "ja"})
	fiona.goTo("/accounts/acct_7")
	fiona.click(`a[href="/accounts/acct_7/adjustments"]`)
	fiona.until("document.querySelector('#dialog[open] #form')")
	fiona.sees("Above 2,000,000 credits a second person has to approve.")
	// While the amount is typed the dialog tells what it comes to, to the credit beyond 2^53.
	fiona.fill("#dialog #f-amount", "-9007199254740993")
	fiona.until(`document.querySelector('#dialog [data-after] b').textContent === '\u22129,007,199,254,740,893' && !document.querySelector('#dialog [data-above]').hidden`)
	fiona.fill("#dialog #f-amount", "2,000,000")
	fiona.until(`document.querySelector('#dialog [data-after] b').textContent === '2,000,100' && document.querySelector('#dialog [data-above]').hidden`)
	fiona.fill("#dialog #f-amount", "ten")
	fiona.until(`document.querySelector('#dialog [data-live-amount]').hidden`)
	fiona.fill("#dialog #f-amount", "-2000001")
	fiona.until(`!document.querySelector('#dialog [data-above]').hidden && !document.querySelector('#dialog [data-live-amount]').hidden`)
	fiona.accessible("the dialog with a live amount")
	fiona.fill("#dialog #f-reason", "paid outside")
	fiona.doubleClick(`#dialog button[data-kind="primary"]`)
	fiona.until("location.pathname.startsWith('/approvals/cr_') && document.querySelector('main h1')")
	fiona.sees("Adjustment of \u22122,000,001 credits", "You asked for this, so somebody else decides.", "Pat Lindqvist can help.", "\u22121,999,901")
	if fiona.truth(`document.querySelector('a[href$="/approve"], a[href$="/reject"]')`) {
		t.Error("whoever asked is offered the decision")
	}
	request := eval[string](fiona, "location.pathname")
	if n, err := w.Requests.CountOpen(t.Context(), approval.Filter{}, 10); err != nil || n != 1 {
		t.Errorf("%d change requests after a double click, %v", n, err)
	}
	for _, own := range []string{request + "/edit", request + "/withdraw"} {
		fiona.goTo(own)
		fiona.until("document.querySelector('#form')")
		fiona.accessible(own)
		fiona.fits(own, 1280)
	}

	lena.goTo("/")
	lena.sees("二人目の承認待ち")
	lena.click(`.rail a[href="/approvals"]`)
	lena.at("/approvals")
	lena.click(`#list tbody a[href="` + request + `"]`)
	lena.at(request)
	lena.click(`a[href="` + request + `/approve"]`)
	lena.until("document.querySelector('#dialog[open] #form') && document.activeElement.matches('#dialog [data-cancel]')")
	lena.accessible("the dialog that approves")
	lena.fill("#dialog #f-reason", "領収書を確認")
	lena.doubleClick(`#dialog button[data-kind="primary"]`)
	lena.until("location.search.includes('op=') && document.querySelector('.notice')")
	lena.sees("領収書を確認", "承認済み")
	if got := w.Balance(t, "acct_7"); got != 100-2_000_001 {
		t.Errorf("balance %d after a double click", got)
	}
	fiona.goTo(request)
	fiona.sees("Approved", "Pat Lindqvist approved it")
	if strings.Contains(fiona.body(), "You asked for this") {
		t.Error("a decided request still tells who can help")
	}
}
