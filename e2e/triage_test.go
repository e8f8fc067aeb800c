package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"recoup/models/fingerprint"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// deadGroup is the page of the group of the furnished world's first dead letter.
func deadGroup() string {
	return "/dead-letters/groups/" + fingerprint.Failure{Action: modeltest.Action, Code: "unsupported_codec", Message: longMessage}.ID()
}

// TestTriageByKeyboard clears a dead letter without a mouse: open the oldest, assign it, put it out of sight and undo
// that, put it back. A letter alone never changes anything.
func TestTriageByKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	for _, id := range []string{"oldest", "newer"} {
		w.failed("acct_7", id, 40, "gpu_lost", "GPU fell off the bus.")
	}
	b := w.as(staff.Support, staff.Preferences{})
	ready := func() {
		t.Helper()
		b.until("document.readyState === 'complete' && document.documentElement.dataset.js === ''")
	}
	touched := func() int64 {
		t.Helper()
		var n int64
		if err := w.G.Raw(`SELECT count(*) FROM dead_letters WHERE assignee <> '' OR snoozed_at IS NOT NULL`).Scan(&n).Error; err != nil {
			t.Fatal(err)
		}
		return n
	}
	b.goTo("/dead-letters")
	ready()
	b.press("j")
	b.until("document.activeElement?.matches('[data-open][title=oldest]')")
	b.press("a")
	b.until("document.activeElement?.matches('button[data-key=a]')")
	b.press("s")
	b.until("document.activeElement?.matches('button[data-key=s]')")
	if n := touched(); n != 0 {
		t.Fatalf("letters alone changed %d", n)
	}
	b.press("a", kb.Enter)
	b.sees("oldest was assigned to Pat Lindqvist.")
	ready()
	// The work goes on where it was: at the row that was assigned, and at the next one when a row leaves the list.
	b.until("document.activeElement?.matches('[data-open][title=oldest]')")
	b.press("s", kb.Enter)
	b.sees("oldest is snoozed until")
	b.until("document.querySelectorAll('tr[data-row]').length === 1")
	ready()
	b.until("document.activeElement?.matches('[data-open][title=newer]')")
	b.press("u")
	b.until("document.activeElement?.matches('.notices button[data-key=u]')")
	b.press(kb.Enter)
	b.sees("Undone: oldest is as it was before.")
	b.until("document.querySelectorAll('tr[data-row]').length === 2")
	ready()
	b.until("document.activeElement?.matches('[data-open][title=oldest]')")
	b.press(kb.Enter)
	b.at(jobPath("acct_7", "oldest", ""))
	ready()
	b.press("r")
	b.until("document.querySelector('#dialog[open]') && document.activeElement.matches('#dialog [data-cancel]')")
	b.fill("#dialog #f-reason", "the GPU was replaced")
	b.press(kb.Tab)
	b.until("document.activeElement.matches('#dialog [data-cancel]')")
	b.press(kb.Tab, kb.Enter)
	b.sees("The job was requeued.", "Retrying", "Undone")
	// On an object's page what was done is read first.
	b.until("document.activeElement?.matches('.notices .notice')")
	if j, err := w.Jobs.Find(context.Background(), "acct_7", "oldest"); err != nil || j.Generation != 1 || j.State != job.Retrying {
		t.Errorf("generation %d, %s, %v", j.Generation, j.State, err)
	}
	// The lists beside it go by the same keys, and a group by the letters of its dead letters.
	for _, list := range []string{"/jobs", "/queue?tab=retrying"} {
		b.goTo(list)
		ready()
		b.press("j")
		b.until("document.activeElement?.matches('tr[data-row]:first-of-type a.id')")
		b.press(kb.Enter)
		b.at("/accounts/acct_7/jobs/")
	}
	b.goTo("/dead-letters/groups/" + fingerprint.Failure{Action: modeltest.Action, Code: "gpu_lost", Message: "GPU fell off the bus."}.ID())
	ready()
	for key, there := range map[string]string{"n": "summary", "r": "button[value=requeue]", "a": "button[value=assign]", "d": "button[value=discard]"} {
		b.press(key)
		b.until("document.activeElement?.matches('" + there + "')")
	}
	b.press("j", "s")
	b.until("document.querySelector('#dialog[open]') && document.activeElement.matches('#dialog [data-cancel]')")
}

// TestNewLettersAreOffered: the list asks by itself, and its rows stay until the person wants them.
func TestNewLettersAreOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.failed("acct_7", "first", 40, "gpu_lost", "GPU fell off the bus.")
	b := w.as(staff.Support, staff.Preferences{})
	b.goTo("/dead-letters")
	b.until("document.documentElement.dataset.js === '' && document.querySelector('#fresh') && window.htmx")
	time.Sleep(10 * time.Millisecond)
	w.failed("acct_7", "second", 40, "gpu_lost", "GPU fell off the bus.")
	// What the half minute between two questions ends with.
	eval[bool](b, "htmx.ajax('GET', document.querySelector('#fresh').getAttribute('hx-get'), {target: '#fresh', swap: 'outerHTML'}), true")
	b.sees("1 new: show")
	b.until("document.querySelectorAll('tr[data-row]').length === 1")
	b.click("#fresh a")
	b.until("document.querySelectorAll('tr[data-row]').length === 2")
}
