package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

func TestSignInWithAPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	who := w.person(staff.Finance, staff.Preferences{})
	b := open(t, w.base)
	b.expectRefusals()
	b.goTo("/ledger?type=refund")
	b.at("/sign-in?next=")
	b.fill("#f-email", who.Email)
	b.fill("#f-password", "not this one")
	b.press(kb.Enter)
	b.sees("E-mail or password is wrong.")
	b.until("document.activeElement.id === 'f-password' && document.querySelector('#f-password').value === ''")
	b.fill("#f-password", password)
	b.press(kb.Enter)
	b.at("/ledger?type=refund")
	b.sees("Pat Lindqvist")
	b.click(".who")
	b.click(`form[action="/sign-out"] button`)
	b.at("/sign-in")
	b.goTo("/ledger")
	b.at("/sign-in")
}

// A filter holds over page two, into a job and back.
func TestFilterHoldsOverPagesAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 10_000)
	for i := range 53 {
		w.Charge(t, "acct_7", fmt.Sprintf("job-%02d", i), 3)
	}
	b := w.as(staff.Viewer, staff.Preferences{})
	b.goTo("/ledger")
	b.until("document.documentElement.dataset.js === ''")
	b.click(".filter summary")
	b.click(`input[name="type"][value="charge"]`)
	b.fill(`#f-account`, "acct_7")
	b.click(".filter-form .actions button")
	b.until("location.search.includes('type=charge') && document.querySelectorAll('.chip').length === 2")
	b.until("document.querySelectorAll('#list tbody tr').length === 50 && !location.search.includes('min=')")
	b.click(`.pager a[rel="next"]`)
	b.until("location.search.includes('cursor=') && document.querySelectorAll('#list tbody tr').length === 3")
	b.until("document.querySelectorAll('.chip').length === 2 && !document.querySelector('#list').innerText.includes('Grant')")
	second := eval[string](b, "location.search")
	b.click(`#list tbody tr a[href*="/jobs/job-00"]`)
	b.at(jobPath("acct_7", "job-00", ""))
	b.sees("video_render", "Guard evidence")
	b.back()
	b.until(fmt.Sprintf("location.search === %q && document.querySelectorAll('#list tbody tr').length === 3 && document.querySelectorAll('.chip').length === 2", second))
	b.back()
	b.until("!location.search.includes('cursor=') && location.search.includes('type=charge') && document.querySelectorAll('#list tbody tr').length === 50")
	b.click(`.chip .x[href*="account"]`)
	b.until("document.querySelectorAll('.chip').length === 1")
}

// Whoever goes back to a form that was sent, and sends it again, gets the first result.
func TestBackToAFormIsAReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	b := w.as(staff.Finance, staff.Preferences{})
	const form = "/accounts/acct_7/grants"
	send := func() {
		b.fill(`#form [name="amount"]`, "5")
		b.click(`#form [name="category"][value="goodwill"]`)
		b.fill(`#form [name="reason"]`, "an outage")
		b.click(`#form button[data-kind="primary"]`)
	}
	const id = `document.querySelector('#form [name="operation_id"]').value`
	b.goTo(form)
	first := eval[string](b, id)
	send()
	b.sees("Credits were granted.")
	b.back()
	b.at(form)
	b.until(`document.querySelector('#form [name="operation_id"]') !== null`)
	if again := eval[string](b, id); again != first {
		t.Errorf("back at the form, its operation id is %s, was %s", again, first)
	}
	send()
	b.sees("Already done.")
	if got := w.Balance(t, "acct_7"); got != 105 {
		t.Errorf("balance %d", got)
	}
}

func TestGrantInADialog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	b := w.as(staff.Finance, staff.Preferences{})
	b.expectRefusals()
	b.goTo("/accounts/acct_7")
	b.click(`a[href="/accounts/acct_7/grants"]`)
	b.until("document.querySelector('#dialog[open] #form') && document.activeElement.matches('#dialog [data-cancel]')")
	b.sees("Grant credits to acct_7")
	b.press(kb.Escape)
	b.until("!document.querySelector('#dialog[open]') && location.pathname === '/accounts/acct_7'")
	b.click(`a[href="/accounts/acct_7/grants"]`)
	b.fill("#dialog #f-amount", "1.5")
	b.choose(`#dialog [name="category"]`, "goodwill")
	b.fill("#dialog #f-reason", "sorry for the delay")
	b.click(`#dialog button[data-kind="primary"]`)
	b.sees("A whole number of credits, without fractions.")
	b.until("document.querySelector('#f-reason').value === 'sorry for the delay'")
	b.fill("#f-amount", "40")
	b.doubleClick(`#form button[data-kind="primary"]`)
	b.until("location.pathname === '/accounts/acct_7' && document.querySelector('.notice')")
	b.sees("140")
	if got := w.Balance(t, "acct_7"); got != 140 {
		t.Errorf("balance %d after a double click", got)
	}
	rows, err := w.Ledger.List(context.Background(), ledger.Filter{AccountID: "acct_7"}, nil, "older", 10)
	if err != nil || len(rows.Rows) != 2 {
		t.Errorf("%d entries, %v", len(rows.Rows), err)
	}
}

// The back button shows the form that was sent; sent again it is a replay.
func TestBackButtonIsAReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	b := w.as(staff.Finance, staff.Preferences{})
	b.goTo("/accounts/acct_7/adjustments")
	b.fill("#f-amount", "-30")
	b.fill("#f-reason", "paid outside")
	b.click(`#form button[data-kind="primary"]`)
	b.sees("The balance was adjusted.")
	b.back()
	b.until("document.querySelector('#f-amount')")
	b.fill("#f-amount", "-30")
	b.fill("#f-reason", "paid outside")
	b.click(`#form button[data-kind="primary"]`)
	b.sees("Already done.", "This is the first result")
	if got := w.Balance(t, "acct_7"); got != 70 {
		t.Errorf("balance %d", got)
	}
	// Opened anew it is another operation.
	b.goTo("/accounts/acct_7/adjustments")
	b.fill("#f-amount", "-30")
	b.fill("#f-reason", "paid outside")
	b.click(`#form button[data-kind="primary"]`)
	b.sees("The balance was adjusted.", "40")
}

func TestDeadLettersByKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	for _, id := range []string{"first", "second", "third"} {
		w.failed("acct_7", id, 40, "gpu_lost", "GPU fell off the bus.")
	}
	b := w.as(staff.Support, staff.Preferences{})
	row := func(id string) string {
		return fmt.Sprintf("document.activeElement?.matches('[data-open][title=%q]')", id)
	}
	b.goTo("/dead-letters")
	b.until("document.documentElement.dataset.js === '' && document.querySelectorAll('tr[data-row]').length === 3")
	b.press("j")
	b.until(row("first"))
	b.press("j", "j", "j")
	b.until(row("third"))
	b.press("k")
	b.until(row("second"))
	b.press("r")
	b.until("document.querySelector('#dialog[open]') && document.activeElement.matches('#dialog [data-cancel]')")
	b.sees("Requeue second", "Customer pays now, credits")
	// A letter typed in a dialog does nothing, Escape leaves everything as it was and returns to the row.
	b.press("d", kb.Escape)
	b.until("!document.querySelector('dialog[open]') && location.pathname === '/dead-letters'")
	b.until(row("second"))
	b.press("d")
	b.until("document.querySelector('#dialog[open]')")
	b.sees("Discard second")
	b.press(kb.Escape)
	b.until("!document.querySelector('dialog[open]')")
	b.press("?")
	b.until("document.querySelector('#shortcuts[open]')")
	b.press(kb.Escape)
	b.until("!document.querySelector('dialog[open]')")
	b.press("/", "j", "d", "r")
	b.until("document.activeElement.matches('[data-search]') && document.activeElement.value === 'jdr' && !document.querySelector('dialog[open]')")
	b.press(kb.Escape)
	b.press("j", "j", kb.Enter)
	b.at(jobPath("acct_7", "second", ""))
	if j, err := w.Jobs.Find(context.Background(), "acct_7", "second"); err != nil || j.State != job.Dead {
		t.Errorf("keys alone left the job %s, %v", j.State, err)
	}
	b.click(fmt.Sprintf(`a[href=%q]`, jobPath("acct_7", "second", "/requeue")))
	b.fill("#dialog #f-reason", "the GPU was replaced")
	b.click(`#dialog button[data-kind="primary"]`)
	b.sees("The job was requeued.", "Pat Lindqvist: the GPU was replaced", "Retrying")
	if j, err := w.Jobs.Find(context.Background(), "acct_7", "second"); err != nil || j.Generation != 1 {
		t.Errorf("generation %d, %v", j.Generation, err)
	}
}

func TestDiscardAndReopen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.failed("acct_7", "j1", 40, "bad_input", "The file is empty.")
	b := w.as(staff.Lead, staff.Preferences{})
	b.goTo("/dead-letters")
	b.until("document.documentElement.dataset.js === ''")
	b.click(`a[data-key="d"]`)
	b.until("document.querySelector('#dialog [name=reason]')")
	b.choose(`#dialog [name="reason"]`, "bad_input")
	b.fill("#dialog #f-note", "asked for a new file")
	b.click(`#dialog button[data-kind="danger"]`)
	b.sees("The job was discarded.", "asked for a new file")
	b.goTo("/dead-letters")
	b.sees("No dead letters.")
	b.click(`.choices a[href*="resolved"]`)
	b.sees("The input cannot be processed")
	b.click("td.act a")
	b.fill("#dialog #f-reason", "they sent a new file")
	b.click(`#dialog button[data-kind="primary"]`)
	b.sees("The job was reopened.", "they sent a new file")
	b.goTo("/dead-letters")
	b.sees("j1")
}

// F51: somebody else was faster. The dialog closes, the page shows what is, and no click says that it was done.
func TestCase_F51_ConflictInTheBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.failed("acct_7", "j1", 40, "bad_input", "The file is empty.")
	b := w.as(staff.Support, staff.Preferences{})
	b.goTo(jobPath("acct_7", "j1", ""))
	b.click(fmt.Sprintf(`a[href=%q]`, jobPath("acct_7", "j1", "/requeue")))
	b.fill("#dialog #f-reason", "worth a try")
	if _, err := w.Jobs.Discard(context.Background(), job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j1", Reason: "too_old"}); err != nil {
		t.Fatal(err)
	}
	b.doubleClick(`#dialog button[data-kind="primary"]`)
	b.sees("Too late: the job is discarded by now.", "Nothing was changed.")
	b.until("!document.querySelector('dialog[open]') && !document.body.innerText.includes('was requeued')")
	b.back()
	b.goTo(jobPath("acct_7", "j1", ""))
	b.until("!document.querySelector('a[href$=requeue]') && document.querySelector('a[href$=reopen]')")
}

func TestLanguageThemeAndZone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	b := w.as(staff.Viewer, staff.Preferences{})
	b.goTo("/ledger?type=grant")
	b.until("document.documentElement.lang === 'en' && document.documentElement.dataset.js === ''")
	b.click(`.bar-end > form button[name="lang"]`)
	b.until("document.documentElement.lang === 'ja' && location.search.includes('type=grant')")
	b.sees("台帳", "付与")
	b.click("[data-theme-form] .icon-button")
	b.until("document.documentElement.dataset.theme === 'light'")
	b.click("[data-theme-form] .icon-button")
	b.until("document.documentElement.dataset.theme === 'dark' && getComputedStyle(document.documentElement).colorScheme === 'dark'")
	b.until("performance.getEntriesByType('resource').filter(e => e.name.endsWith('/preferences') && e.responseEnd > 0).length >= 2")
	b.goTo("/accounts")
	b.until("document.documentElement.dataset.theme === 'dark'")
	b.click(".bar-end > a")
	b.at("/preferences")
	b.fill("#f-zone", "Asia/Kathmandu")
	b.click(`.form-sheet button[data-kind="primary"]`)
	b.at("/accounts")
	b.sees("Asia/Kathmandu", "UTC+05:45")
}

// Everything works with plain links and forms.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.failed("acct_7", "j1", 40, "gpu_lost", "GPU fell off the bus.")
	b := w.as(staff.Lead, staff.Preferences{})
	b.withoutScript()
	b.goTo("/accounts/acct_7")
	b.until("document.documentElement.dataset.js === undefined")
	b.click(`a[href="/accounts/acct_7/grants"]`)
	b.at("/accounts/acct_7/grants")
	b.fill("#f-amount", "7")
	b.choose(`[name="category"]`, "goodwill")
	b.fill("#f-reason", "no script")
	b.click(`#form button[data-kind="primary"]`)
	b.at("/accounts/acct_7?op=")
	b.sees("Credits were granted.", "1,007")
	b.goTo("/dead-letters")
	b.click(`a[data-key="r"]`)
	b.at(jobPath("acct_7", "j1", "/requeue"))
	b.fill("#f-reason", "no script either")
	b.click(`#form button[data-kind="primary"]`)
	b.sees("The job was requeued.")
	b.goTo("/ledger")
	b.click(".filter summary")
	b.click(`input[name="type"][value="grant"]`)
	b.click(".filter-form .actions button")
	b.at("/ledger?type=grant")
	b.until("document.querySelectorAll('#list tbody tr').length === 2")
	if w.Balance(t, "acct_7") != 1007 {
		t.Errorf("balance %d", w.Balance(t, "acct_7"))
	}
}

// A list that the database cannot read says so in its place, and trying again brings the rows back.
func TestUnreadableListInTheBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	b := w.as(staff.Viewer, staff.Preferences{})
	b.expectRefusals()
	b.goTo("/ledger")
	b.until("document.documentElement.dataset.js === '' && document.querySelectorAll('#list tbody tr').length === 1")
	rename := func(from, to string) {
		t.Helper()
		if err := w.G.Exec("ALTER TABLE " + from + " RENAME TO " + to).Error; err != nil {
			t.Fatal(err)
		}
	}
	rename("entries", "entries_away")
	b.click(`.choices a[href*="this_month"]`)
	b.sees("This list cannot be read just now.", "Request id", "Filter")
	b.until("location.search.includes('period=this_month')")
	rename("entries_away", "entries")
	b.click(`.empty[data-kind="unreadable"] a.btn`)
	b.at("/ledger?period=this_month")
	b.until("document.querySelectorAll('#list tbody tr').length === 1")
}
