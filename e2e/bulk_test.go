package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"recoup/models/actor"
	"recoup/models/bulk"
	"recoup/models/deadletter"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// TestBulkByKeyboard selects the fifty rows of a page without a mouse, types their number, and watches the work to its
// end while a worker does it.
func TestBulkByKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	modeltest.Dead(t, w.G, "acct_7", "render-", 52)
	if _, err := w.Letters.FillFingerprints(context.Background(), 100); err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Support, staff.Preferences{})
	ready := func() {
		t.Helper()
		b.until("document.readyState === 'complete' && document.documentElement.dataset.js === ''")
	}
	b.goTo("/dead-letters/groups")
	ready()
	// Groups are selected as rows are; a selected group stands for all of its open dead letters.
	b.press("j", "x", "b")
	b.until("document.querySelectorAll('[data-tick][name=group]:checked').length === 1 && document.activeElement?.matches('[data-tick-all]')")
	b.press(kb.Tab)
	b.until("document.activeElement?.matches('.bulkbar button[value=requeue]')")
	b.press(kb.Enter)
	b.sees("Requeue 52 dead letters")
	b.goTo("/dead-letters")
	ready()
	if !eval[bool](b, "[...document.querySelectorAll('.bulkbar button')].every((x) => x.disabled)") {
		t.Error("the buttons wait for a selection")
	}
	// x selects the row and changes nothing else.
	b.press("j", "x", "j", "x", "x")
	b.until("document.querySelectorAll('[data-tick]:checked').length === 1 && document.querySelector('[data-ticked]').textContent.startsWith('1 ')")
	b.press("b")
	b.until("document.activeElement?.matches('[data-tick-all]')")
	b.press(kb.Tab)
	b.until("document.activeElement?.matches('[data-whole]')")
	b.press("b", " ")
	b.until("document.querySelectorAll('[data-tick]:checked').length === 50 && document.querySelector('[data-ticked]').textContent.startsWith('50 ')")
	b.press(kb.Tab, kb.Tab)
	b.until("document.activeElement?.matches('.bulkbar button[value=requeue]')")
	b.press(kb.Enter)
	b.sees("Requeue 50 dead letters", "No customer pays now", "Type 50 to confirm")
	ready()
	b.until("document.activeElement?.matches('[data-cancel]')")
	b.fill("#f-reason", "storage is back")
	b.fill("#f-probe", "5")
	b.fill("#f-per_minute", "3000")
	b.fill("#f-count", "50")
	b.press(kb.Tab, kb.Tab)
	b.until("document.activeElement?.matches('#form button')")
	b.press(kb.Enter)
	b.sees("The bulk work was started.", "0 of 50")
	ready()

	// The first five go first; when they have come back the rest follows, and the page says so by itself.
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_, _ = w.works.Turn(context.WithoutCancel(ctx))
			time.Sleep(50 * time.Millisecond)
		}
	}()
	defer func() { stop(); <-ended }()
	b.sees("The first 5 go first: 0 have come back", "5 of 50")
	w.comeBack(5)
	b.sees("50 of 50", "Every row has its outcome since")
	for _, figure := range []string{"Succeeded5", "Failedagain0", "Out45", "Todo0"} {
		b.until(fmt.Sprintf("[...document.querySelectorAll('.facts > div')].some((d) => d.textContent.replace(/\\s+/g, '').startsWith(%q))", figure))
	}
	b.until("document.querySelector('progress').value === 50")
	b.accessible("a work that is done")
	var requeued int64
	if err := w.G.Raw(`SELECT count(*) FROM jobs WHERE generation = 1`).Scan(&requeued).Error; err != nil || requeued != 50 {
		t.Errorf("%d jobs were put back, %v", requeued, err)
	}
}

// comeBack lets n jobs that were put back succeed.
func (w *world) comeBack(n int64) {
	w.t.Helper()
	ctx := context.Background()
	for _, sql := range []string{`UPDATE jobs SET not_before = clock_timestamp() - interval '1 second' WHERE state = 'retrying'`,
		`UPDATE waiting_line SET due_at = clock_timestamp() - interval '1 second' WHERE phase = 'retrying'`} {
		if err := w.G.Exec(sql).Error; err != nil {
			w.t.Fatal(err)
		}
	}
	var bells []job.Bell
	if err := w.G.Raw(`SELECT account_key, key AS job_key, attempt, generation FROM jobs WHERE state = 'retrying' ORDER BY key LIMIT ?`, n).Scan(&bells).Error; err != nil {
		w.t.Fatal(err)
	}
	for _, bell := range bells {
		if _, err := w.Jobs.Wake(ctx, bell); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, c := range w.Claim(w.t, n) {
		w.delivered(c)
	}
}

// bulkPages are the pages of two works over what is open: one that nobody has started, and one that rests before its
// first row.
func (w *world) bulkPages() []string {
	w.t.Helper()
	ctx := context.Background()
	by := func() ledger.Envelope {
		return ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("st_of_nobody")}
	}
	prepare := func(kind bulk.Kind) bulk.PreparedSet {
		w.t.Helper()
		out, err := w.works.Prepare(ctx, by(), kind, bulk.Selection{Tab: deadletter.Open, Query: "tab=open"})
		if err != nil {
			w.t.Fatal(err)
		}
		var set bulk.PreparedSet
		if err := out.Decode(&set); err != nil {
			w.t.Fatal(err)
		}
		return set
	}
	begun := prepare(bulk.Requeue)
	_, err := w.works.Start(ctx, bulk.StartRequest{Envelope: by(), ID: begun.ID, Count: begun.Count, Reason: "The storage of the render farm is back since 17:40.",
		Pace: bulk.Pace{Probe: 10, PerMinute: 300, StopPercent: 20}})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.works.Pause(ctx, bulk.StepRequest{Envelope: by(), ID: begun.ID}); err != nil {
		w.t.Fatal(err)
	}
	const all = "/dead-letters/bulk"
	rests, discard, assign := all+"/"+begun.ID, all+"/"+prepare(bulk.Discard).ID, all+"/"+prepare(bulk.Assign).ID
	again := all + "/" + prepare(bulk.Requeue).ID // what the first one has put back is left out of it
	return []string{all, rests, rests + "?show=done", rests + "/resume", rests + "/abort", discard, discard + "/start", assign + "/start", again + "/start"}
}

// TestBulkPages looks at the pages of bulk works as TestEveryPage does at the others.
func TestBulkPages(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w := furnished(t)
			b := w.as(staff.Admin, staff.Preferences{Language: lang, TimeZone: "Asia/Tokyo", Theme: "light"})
			for _, path := range w.bulkPages() {
				b.size(1280, 900)
				b.goTo(path)
				b.until(fmt.Sprintf("document.readyState === 'complete' && document.documentElement.lang === %q", lang))
				b.fits(path, 1280)
				b.accessible(path)
				eval[bool](b, "document.documentElement.dataset.theme = 'dark', true")
				b.accessible(path+" (dark)", "color-contrast")
				b.size(390, 844)
				b.fits(path, 390)
			}
		})
	}
}
