package e2e

import (
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// A filter holds from the form over page two, the entry beside the list, its job, and all the way back.
func TestFilterHoldsOverEntryAndJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 10_000)
	for i := range 53 {
		w.Charge(t, "acct_7", fmt.Sprintf("job-%02d", i), 3)
	}
	b := w.as(staff.Finance, staff.Preferences{})
	b.goTo("/ledger")
	b.until("document.documentElement.dataset.js === ''")
	b.click(".filter summary")
	b.click(`input[name="type"][value="charge"]`)
	b.fill("#f-min", "3")
	b.click(`input[name="sign"]`)
	b.click(".filter-form .actions button")
	b.until("location.search.includes('sign=any') && document.querySelectorAll('.chip').length === 2 && document.querySelectorAll('#list tbody tr').length === 50")
	b.click(`.pager a[rel="next"]`)
	b.until("location.search.includes('cursor=') && document.querySelectorAll('#list tbody tr').length === 3")
	second := eval[string](b, "location.search")
	// A click into the row, not onto one of its links.
	at := eval[[]float64](b, `(() => { const r = document.querySelector('#list tbody tr:last-child td.fill').getBoundingClientRect(); return [r.right - 4, r.y + r.height / 2]; })()`)
	b.clickAt(at)
	b.until("document.querySelector('#dialog[open] #panel')")
	b.sees("Entry 2: Charge −3")
	b.click(fmt.Sprintf("#dialog a[href=%q]", jobPath("acct_7", "job-00", "")))
	b.at(jobPath("acct_7", "job-00", ""))
	b.sees("Guard evidence")
	b.back()
	b.until(fmt.Sprintf("location.search === %q && document.querySelectorAll('#list tbody tr').length === 3 && document.querySelectorAll('.chip').length === 2", second))
	// With the keyboard, once the script has the page: next row, open, close.
	b.until("document.readyState === 'complete' && document.documentElement.dataset.js === ''")
	b.press("j", "j", kb.Enter)
	b.until("document.querySelector('#dialog[open] #panel')")
	// Back closes the panel and stays on the page; so does Escape, and neither leaves a step behind.
	b.back()
	b.until(fmt.Sprintf("!document.querySelector('dialog[open]') && location.search === %q && document.querySelectorAll('#list tbody tr').length === 3", second))
	b.press("j", kb.Enter)
	b.until("document.querySelector('#dialog[open] #panel')")
	b.press(kb.Escape)
	b.until(fmt.Sprintf("!document.querySelector('dialog[open]') && !history.state?.panel && location.search === %q", second))
	b.back()
	b.until("!location.search.includes('cursor=') && location.search.includes('sign=any') && document.querySelectorAll('#list tbody tr').length === 50")
}

// What a person takes along is what they see: the rows of the CSV are those of the table on all its pages.
func TestExportEqualsTheScreenInTheBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 10_000)
	for i := range 30 {
		w.delivered(w.failed("acct_7", fmt.Sprintf("job-%02d", i), int64(i+1), "gpu_lost", "gone"))
	}
	b := w.as(staff.Finance, staff.Preferences{TimeZone: "Asia/Kathmandu"})
	for _, start := range []string{"/ledger?type=refund&type=reclaim", "/accounts/acct_7"} {
		b.goTo(start)
		b.until("document.documentElement.dataset.js === ''")
		file := eval[string](b, `fetch(document.querySelector('.exports a[href*="format=csv"]').href).then(r => r.text())`)
		rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var inFile, onScreen []string
		for _, r := range rows[1:] {
			inFile = append(inFile, r[0][:10]+" "+r[0][11:19]+" "+r[3]+" "+r[4])
		}
		for {
			onScreen = append(onScreen, eval[[]string](b, `[...document.querySelectorAll('#list tr[data-row]')].map(tr => {
				const at = tr.querySelector('time').title.match(/(\d+) (\w+) (\d{4}) (\d\d:\d\d:\d\d)/);
				const day = new Date(at[1] + ' ' + at[2] + ' ' + at[3] + ' UTC').toISOString().slice(0, 10);
				return [day, at[4], tr.querySelector('[data-type]').dataset.type, tr.querySelector('.end').innerText.trim().replaceAll(',', '').replace('−', '-').replace('+', '')].join(' ');
			})`)...)
			if !b.truth(`document.querySelector('.pager a[rel="next"]')`) {
				break
			}
			before := eval[string](b, "location.search")
			b.click(`.pager a[rel="next"]`)
			b.until(fmt.Sprintf(`location.search !== %q && document.querySelector('.pager a[rel="prev"]') && !document.querySelector('.htmx-request, .htmx-settling')`, before))
		}
		if len(inFile) < 60 || !slices.Equal(inFile, onScreen) {
			t.Errorf("%s: %d rows in the file, %d on screen\n%v\n%v", start, len(inFile), len(onScreen), inFile[:min(3, len(inFile))], onScreen[:min(3, len(onScreen))])
		}
	}
}

// Search jumps on what is exact, from everywhere, by both of its keys.
func TestSearchJumpsInTheBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.Charge(t, "acct_7", "render-1", 40)
	grant := modeltest.Envelope()
	if _, err := w.Ledger.Grant(context.Background(), ledger.GrantRequest{Envelope: grant, AccountID: "acct_7", Amount: 5, Category: ledger.Goodwill}); err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Viewer, staff.Preferences{})
	b.goTo("/ledger")
	for i, x := range []struct{ typed, at, sees string }{
		{"acct_7", "/accounts/acct_7", "Why this balance?"},
		{"render-1", jobPath("acct_7", "render-1", ""), "Guard evidence"},
		{grant.OperationID, "/operations?", grant.OperationID[:8]},
		{"acct_7/3", "/accounts/acct_7/entries/3", "Entry 3: Grant +5"},
	} {
		b.until("document.documentElement.dataset.js === ''")
		if i%2 == 0 {
			b.press("/")
		} else {
			b.controlK()
		}
		b.until("document.activeElement.matches('[data-search]')")
		b.fill("[data-search]", x.typed)
		b.press(kb.Enter)
		b.at(x.at)
		b.sees(x.sees)
	}
}

// Twice as fast as can be is once: the second click is told that it was done already, or goes nowhere.
func TestDoubleClickIsAReplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	b := w.as(staff.Finance, staff.Preferences{})
	b.goTo("/accounts/acct_7")
	b.until("document.documentElement.dataset.js === ''")
	b.click(`a[href="/accounts/acct_7/adjustments"]`)
	b.fill("#dialog #f-amount", "-30")
	b.fill("#dialog #f-reason", "paid outside")
	b.doubleClick(`#dialog button[data-kind="primary"]`)
	b.until("location.pathname === '/accounts/acct_7' && document.querySelector('.notice')")
	b.sees("70", "paid outside")
	// And again from what the browser kept of the form.
	first := eval[string](b, "new URLSearchParams(location.search).get('op')")
	b.goTo("/accounts/acct_7/adjustments")
	b.until("document.querySelector('#form')")
	b.fill("#f-amount", "-30")
	b.fill("#f-reason", "paid outside")
	eval[bool](b, fmt.Sprintf("document.querySelector('[name=operation_id]').value = %q, true", first))
	b.click(`#form button[data-kind="primary"]`)
	b.sees("Already done.", "The balance was adjusted.")
	if got := w.Balance(t, "acct_7"); got != 70 {
		t.Errorf("balance %d", got)
	}
}

// The figures of a period are the sums of its rows, and lead from the opening to the closing balance.
func TestPeriodTotalsEqualTheRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.delivered(w.failed("acct_7", "late", 40, "gpu_lost", "gone"))
	w.failed("acct_7", "failed", 12, "gpu_lost", "gone")
	w.delivered(w.claimed("acct_7", "fine", 80))
	b := w.as(staff.Finance, staff.Preferences{TimeZone: "America/New_York"})
	b.goTo("/accounts/acct_7?period=today")
	b.until("document.querySelectorAll('.facts .figure').length >= 6")
	found := eval[struct {
		Figures map[string]int64
		Rows    map[string]int64
		Opening int64
		Closing int64
		Last    int64
	}](b, `(() => {
		const n = (s) => Number(s.trim().replaceAll(',', '').replace('−', '-').replace('+', ''));
		const out = { Figures: {}, Rows: {} };
		const facts = [...document.querySelectorAll('.facts > div')];
		out.Opening = n(facts[0].querySelector('.figure').innerText);
		out.Closing = n(facts.at(-1).querySelector('.figure').innerText);
		for (const f of facts.slice(1, -1)) out.Figures[f.querySelector('[data-type]').dataset.type] = n(f.querySelector('.figure').innerText);
		const rows = [...document.querySelectorAll('#list tr[data-row]')];
		for (const r of rows) {
			const type = r.querySelector('[data-type]').dataset.type;
			out.Rows[type] = (out.Rows[type] ?? 0) + n(r.querySelector('.end').innerText);
		}
		out.Last = n(rows[0].querySelector('td:last-child').innerText);
		return out;
	})()`)
	sum := found.Opening
	for kind, n := range found.Rows {
		if found.Figures[kind] != n {
			t.Errorf("%s: the figure says %d, the rows %d", kind, found.Figures[kind], n)
		}
		sum += n
	}
	if len(found.Rows) != 4 || sum != found.Closing || found.Last != found.Closing || found.Closing != w.Balance(t, "acct_7") {
		t.Errorf("%+v, sum %d, balance %d", found, sum, w.Balance(t, "acct_7"))
	}
}

// A large file: asked for in the ledger, made while the page looks on, taken from it.
func TestLargeExportInTheBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.many("acct_7", directEntries+1)
	b := w.as(staff.Finance, staff.Preferences{})
	b.goTo("/ledger?account=acct_7")
	b.until("document.documentElement.dataset.js === ''")
	b.click(`.exports a[href*="format=csv"]`)
	b.sees("Make this file in the background")
	b.accessible("export form")
	b.doubleClick(`#form button[data-kind="primary"]`)
	b.at("/exports/")
	b.sees("Waiting", "Cancel the export")
	b.accessible("export that waits")
	b.click(`a[href$="/cancel"]`)
	b.until("document.querySelector('#dialog[open] #form') && document.activeElement.matches('#dialog [data-cancel]')")
	b.press(kb.Escape)
	w.work()
	// The page finds out by itself.
	b.sees("The file is ready")
	b.until("!document.querySelector('progress') && document.querySelector('a[download]')")
	b.accessible("export that is done")
	lines := eval[int](b, `fetch(document.querySelector('a[download]').href).then(r => r.text()).then(s => s.trim().split('\n').length)`)
	if lines != directEntries+2 {
		t.Errorf("%d lines, want %d and a header", lines, directEntries+1)
	}
	b.size(390, 844)
	b.fits("export", 390)
	b.goTo("/exports")
	b.fits("/exports", 390)
	if n := w.count(`SELECT count(*) FROM tasks`); n != 1 {
		t.Errorf("a double click made %d exports", n)
	}
}

// The panel of an entry is as readable as the page behind it.
func TestPanelIsAccessible(t *testing.T) {
	t.Parallel()
	w := furnished(t)
	for _, theme := range []string{"light", "dark"} {
		b := w.as(staff.Finance, staff.Preferences{Theme: theme})
		b.goTo("/ledger?account=zephyr-audio")
		b.until("document.documentElement.dataset.js === ''")
		b.click("#list tr[data-row] a[data-open]")
		b.until("document.querySelector('#dialog[open] #panel')")
		b.accessible("panel " + theme)
		b.size(390, 844)
		b.fits("panel", 390)
	}
}
