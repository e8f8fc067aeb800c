package console_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"recoup/models/modeltest"
	"recoup/models/rollup"
	"recoup/models/staff"
	"recoup/models/verify"
)

// The month's page says what its closing was held against, and that it has passed only where it was.
func TestMonthPageTies(t *testing.T) {
	w := newWorld(t)
	day := func(month time.Month) time.Time { return time.Date(2025, month, 10, 0, 0, 0, 0, time.UTC) }
	modeltest.Entries(t, w.G, "aurora", modeltest.Past{At: day(8), Type: "grant", Amount: 1000, Category: "paid"},
		modeltest.Past{At: day(9), Type: "adjustment", Amount: -113}, modeltest.Past{At: day(10), Type: "adjustment", Amount: -300})
	kathmandu, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	sums := rollup.New(w.G, kathmandu)
	tie := func() {
		t.Helper()
		if _, err := sums.Tie(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	verified := func(found map[verify.Check]int64) {
		t.Helper()
		now := time.Now()
		if err := verify.New(w.G).Record(context.Background(), verify.Report{Started: now, Finished: now, ByCheck: found}); err != nil {
			t.Fatal(err)
		}
	}
	b := w.as(staff.Finance)
	said := func(state string, want ...string) {
		t.Helper()
		page := b.page("/months/2025-09")
		card := page[strings.Index(page, `aria-labelledby="tie"`):]
		card = card[:strings.Index(card, "</section>")]
		if head, _, _ := strings.Cut(card, "</header>"); !strings.Contains(plain(head), state) {
			t.Errorf("the state is not %s: %s", state, plain(card))
		}
		for _, s := range append(want, "By the kept sums, opening 1,000 and the month’s −113 make closing 887.") {
			if !strings.Contains(plain(card), s) {
				t.Errorf("the card lacks %q: %s", s, plain(card))
			}
		}
	}
	said("Stale", "The balances have not been added up yet", "have not been read back by a verification yet")
	tie()
	verified(map[verify.Check]int64{})
	said("Passed", "less what was entered after the month, come to 887 as well", "found nothing wrong with the ledger")
	verified(map[verify.Check]int64{verify.CheckRollup: 2, verify.CheckMonth: 1})
	said("Failed", "come to 887 as well", "found something wrong with the ledger: Derived sums, Closed months.")
	verified(map[verify.Check]int64{verify.CheckStuck: 2})
	said("Passed", "found nothing wrong with the ledger")
	if err := w.G.Exec(`UPDATE accounts SET balance = balance + 5 WHERE id = 'aurora'`).Error; err != nil {
		t.Fatal(err)
	}
	tie()
	said("Failed", "come to 892: the closing differs by −5")
	if err := w.G.Exec(`UPDATE rollup_state SET tied_at = tied_at - interval '1 hour'`).Error; err != nil {
		t.Fatal(err)
	}
	said("Stale", "too long ago to hold the closing against them")
}

// What verify found of a month stands on its page and in the list, and nothing says then that it is as it was closed.
func TestAMonthSaysWhatVerifyFoundOfIt(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	day := func(month time.Month) time.Time { return time.Date(2025, month, 10, 0, 0, 0, 0, time.UTC) }
	modeltest.Entries(t, w.G, "aurora", modeltest.Past{At: day(8), Type: "grant", Amount: 1000, Category: "paid"},
		modeltest.Past{At: day(9), Type: "adjustment", Amount: -113})
	b := w.as(staff.Finance)
	found := func(problems ...verify.Problem) {
		t.Helper()
		now := time.Now()
		var e verify.Evidence
		r := verify.Report{Started: now, Finished: now, ByCheck: map[verify.Check]int64{}}
		for _, p := range problems {
			if err := e.Add(p); err != nil {
				t.Fatal(err)
			}
			r.ByCheck[p.Check]++
		}
		if _, err := verify.New(w.G).Keep(ctx, verify.Record{Report: r, Evidence: &e}); err != nil {
			t.Fatal(err)
		}
	}
	found()
	w.saysNot(b.page("/months/2025-09"), "What the last verification found")
	w.saysNot(b.page("/months"), "Failed")
	found(verify.Problem{Check: verify.CheckMonth, Expected: "adjustment 1 / -113", Found: "adjustment 1 / -13", Message: "The entries of 2025-09 do not add up to the figures it was closed with."},
		verify.Problem{Check: verify.CheckHash, AccountID: "aurora", Seq: 2, Expected: "ab", Found: "cd", Message: "x"},
		verify.Problem{Check: verify.CheckRollup, Expected: "1 entries of 7", Found: "none", Message: "The sum of a day is not that of its quarter hours. It begins at 2025-09-10T00:00:00.000000Z and is of grant."})
	w.says(b.page("/months/2025-09"), "What the last verification found of this month", "Closed months", "adjustment 1 / -113", "aurora #2", "1 entries of 7")
	rows := func() map[string]string {
		t.Helper()
		out := map[string]string{}
		for row := range strings.SplitSeq(b.page("/months"), "<tr") {
			if said := text("<tr" + row); strings.Contains(said, " 2025") {
				out[strings.Fields(said)[0]] = said
			}
		}
		return out
	}
	w.says(b.page("/months"), "verification found something wrong with the ledger: Checksums", "No month ties until that is put right")
	if r := rows(); !strings.Contains(r["September"], "Failed") || strings.Contains(r["August"]+r["October"], "Failed") {
		t.Errorf("%v", r)
	}
	// What is found of an entry or of a sum marks its month as well.
	found(verify.Problem{Check: verify.CheckHash, AccountID: "aurora", Seq: 1, Expected: "ab", Found: "cd", Message: "x"},
		verify.Problem{Check: verify.CheckRollup, Expected: "1 entries of 7", Found: "none", Message: "The sum of a day is not that of its quarter hours. It begins at 2025-10-10T00:00:00.000000Z and is of grant."})
	if r := rows(); !strings.Contains(r["August"], "Failed") || !strings.Contains(r["October"], "Failed") || strings.Contains(r["September"], "Failed") {
		t.Errorf("%v", r)
	}
	found(verify.Problem{Check: verify.CheckHash, AccountID: "aurora", Seq: 2, Expected: "ab", Found: "cd", Message: "x"})
	// So do the rows of the entry, and of no other; the statement also at its head.
	for path, want := range map[string]int{"/accounts/aurora": 2, "/ledger": 1} {
		if page := b.page(path); strings.Count(text(page), "Inconsistent") != want {
			t.Errorf("%s: %s", path, text(page))
		}
	}
	// Another month has nothing of it.
	w.saysNot(b.page("/months/2025-08"), "What the last verification found of this month", "aurora #2", "1 entries of 7")
}
