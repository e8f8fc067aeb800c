package e2e

import (
	"testing"

	"recoup/models/staff"
)

// A row's time opens everything that caused the entry beside the list; without script it is a link to the same.
func TestEntryBesideTheLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.delivered(w.failed("acct_7", "j1", 40, "storage_timeout", "no answer"))
	const entry = "/accounts/acct_7/entries/4"
	for _, list := range []string{"/ledger?type=reclaim", "/accounts/acct_7"} {
		b := w.as(staff.Finance, staff.Preferences{})
		b.goTo(list)
		b.click(`a[href="` + entry + `"]`)
		b.until("document.querySelector('#dialog[open] #panel') && document.activeElement.matches('#dialog [data-cancel]')")
		b.sees("Entry 4: Reclaim −40", "Result of attempt 1 arrived late")
		b.click("#dialog [data-cancel]")
		b.until("!document.querySelector('#dialog[open]') && !document.querySelector('#panel')")
		b.at(list)
		// The links of the files follow the filter that htmx put into the list.
		b.click(`.choices a[href*="period=today"]`)
		b.until(`location.search.includes("period=today") && document.querySelector('.exports a[href*="format=csv"]')?.href.includes("period=today")`)
	}
	b := w.as(staff.Finance, staff.Preferences{})
	b.withoutScript()
	b.goTo("/ledger?type=reclaim")
	b.click(`a[href="` + entry + `"]`)
	b.at(entry)
	b.sees("Entry 4: Reclaim −40", "Delivered after its refund")
}

// The words for the customer are copied whole, line by line.
func TestCopyTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.delivered(w.failed("acct_7", "j1", 40, "storage_timeout", "no answer"))
	b := w.as(staff.Support, staff.Preferences{})
	b.goTo("/accounts/acct_7")
	b.click(`a[href="/accounts/acct_7/balance"]`)
	b.sees("Why is this balance 60?", "sum of 4 entries = 60 = balance, checked now")
	// Headless browsers keep the clipboard to themselves: what would be written there is noted.
	eval[bool](b, "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (s) => { window.copied = s; } } }), true")
	b.click(".answers .card:first-child [data-copy]")
	b.until(`window.copied?.split("\n").length === 4 && window.copied.endsWith("Together: 60 credits, your balance.")`)
	b.sees("Copied")
	b.click(".answers .card:last-child [data-copy]")
	b.until(`window.copied?.includes("合計：60クレジット")`)
}
