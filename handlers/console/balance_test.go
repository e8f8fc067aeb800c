package console_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
	"recoup/models/staff"
)

// credits reads an amount off a page.
func credits(t testing.TB, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.NewReplacer(",", "", "−", "-", "+", "").Replace(strings.TrimSpace(s)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// answers are the texts for the customer that a page offers to copy.
func answers(page string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?s)class="btn needs-js" data-size="s" data-copy="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		out = append(out, text(strings.ReplaceAll(m[1], "\n", " | ")))
	}
	return out
}

// At every moment of a random ledger the lines, the check and the text for the customer add up to the balance.
func TestBalanceAddsUp(t *testing.T) {
	w := newWorld(t)
	seed := rand.Uint64()
	w.mixed("acct_7", 60, seed)
	b := w.signedIn(w.person(staff.Viewer, staff.Preferences{TimeZone: "Asia/Tokyo"}))
	all, err := w.Ledger.List(context.Background(), ledger.Filter{AccountID: "acct_7"}, nil, page.Older, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	moments := map[string]int64{"": w.Balance(t, "acct_7"), "2020-01-01T00:00": 0}
	for i, e := range all.Rows {
		if i%17 == 0 || i == len(all.Rows)-1 {
			moments[e.CreatedAt.UTC().Format(time.RFC3339Nano)] = e.BalanceAfter
			moments[e.CreatedAt.Add(-time.Microsecond).UTC().Format(time.RFC3339Nano)] = e.BalanceAfter - e.Amount
		}
	}
	for at, want := range moments {
		path := "/accounts/acct_7/balance?" + url.Values{"at": {at}}.Encode()
		page := b.page(path)
		shown := text(page)
		balance := regexp.MustCompile(`Why is this balance (−?[\d,]+)\?`).FindStringSubmatch(shown)
		check := regexp.MustCompile(`Passed sum of [\d,]+ entr\w+ = (−?[\d,]+) = balance, checked now`).FindStringSubmatch(shown)
		if balance == nil || check == nil {
			t.Fatalf("seed %d, %s: no balance or check:\n%s", seed, path, shown)
		}
		var sum int64
		head, _, _ := strings.Cut(page, `<tr class="total">`)
		for _, m := range regexp.MustCompile(`(?s)<td class="num end">\s*<span[^>]*>([^<]+)</span>`).FindAllStringSubmatch(head, -1) {
			sum += credits(t, m[1])
		}
		if credits(t, balance[1]) != want || credits(t, check[1]) != want || sum != want {
			t.Errorf("seed %d, %s: balance %s, check %s, lines %d, want %d", seed, at, balance[1], check[1], sum, want)
		}
		texts := answers(page)
		if len(texts) != 2 {
			t.Fatalf("%d texts", len(texts))
		}
		for _, s := range texts {
			var sum int64
			lines := strings.Split(s, " | ")
			for _, line := range lines[1 : len(lines)-1] {
				m := regexp.MustCompile(`[:：] ?([+−]?[\d,]+)`).FindStringSubmatch(line)
				if m == nil {
					t.Fatalf("no amount in %q", line)
				}
				sum += credits(t, m[1])
			}
			m := regexp.MustCompile(`(−?[\d,]+) ?(credits|クレジット)`).FindStringSubmatch(lines[len(lines)-1])
			if m == nil || sum != want || credits(t, m[1]) != want {
				t.Errorf("seed %d: the text does not add up to %d: %s", seed, want, s)
			}
			for _, word := range []string{"operation", "seq", "guard", "entry", "entries", "ledger", "reclaim", "signal", "attempt", "dead letter", "rollout", "grant", "adjustment",
				"generation", "acct_", "⟦", "操作", "台帳", "記帳", "回収", "調整", "シグナル", "試行", "付与"} {
				if strings.Contains(strings.ToLower(s), word) {
					t.Errorf("the text for the customer says %q: %s", word, s)
				}
			}
		}
	}
	w.says(b.page("/accounts/acct_7"), "Why this balance?")
}

// Every entry stands in the replay once, oldest first, over all pages, and the way back leads to the same pages.
func TestReplayPages(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	for range 205 {
		w.grant("acct_7", 3)
	}
	b := w.as(staff.Viewer)
	path, want := "/accounts/acct_7/balance", int64(1)
	var pages []string
	for path != "" {
		page := b.page(path)
		pages = append(pages, page)
		for _, m := range regexp.MustCompile(`href="/accounts/acct_7/entries/(\d+)"`).FindAllStringSubmatch(page, -1) {
			if m[1] != strconv.FormatInt(want, 10) {
				t.Fatalf("entry %s, want %d", m[1], want)
			}
			want++
		}
		w.saysNot(page, "Inconsistent")
		path = strings.TrimSuffix(follow(page, "next"), "#entries")
	}
	if want != 206 || len(pages) != 3 {
		t.Errorf("%d entries on %d pages", want-1, len(pages))
	}
	w.says(pages[1], "101–200 of 205")
	if back := b.page(strings.TrimSuffix(follow(pages[1], "prev"), "#entries")); !strings.Contains(text(back), "1–100 of 205") {
		t.Error("the way back leads elsewhere")
	}
}

// Beside each entry stands what its job has come to, also where the job began on an earlier page.
func TestReplayTellsWhatTheJobCameTo(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	c := w.charged("acct_7", "j1", 40)
	for range 100 {
		w.grant("acct_7", 1)
	}
	ctx := context.Background()
	if _, err := w.Jobs.Fail(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Transient, Code: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken}); err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Viewer)
	w.says(b.page("/accounts/acct_7/balance"), "j1 −40 −40 960")
	w.says(b.page("/accounts/acct_7/balance?after=100"), "j1 0 +40 1,100", "j1 −40 −40 1,060")
}

// Whoever owns the tables can damage them; the page then says so and offers no words for the customer.
func TestBalanceSeesDamage(t *testing.T) {
	w := newWorld(t)
	w.mixed("acct_7", 25, 3)
	b := w.as(staff.Viewer)
	pool, err := w.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	w.says(b.page("/accounts/acct_7/balance"), "Passed")
	for _, x := range []struct{ damage, mend string }{
		{`UPDATE entries SET amount = amount - 1 WHERE seq = 3`, `UPDATE entries SET amount = amount + 1 WHERE seq = 3`},
		{`UPDATE entries SET balance_after = balance_after + 1 WHERE seq = 3`, `UPDATE entries SET balance_after = balance_after - 1 WHERE seq = 3`},
		{`UPDATE accounts SET balance = balance + 1`, `UPDATE accounts SET balance = balance - 1`},
		{`CREATE TABLE away AS SELECT * FROM entries WHERE seq = 4; DELETE FROM entries WHERE seq = 4`, `INSERT INTO entries SELECT * FROM away; DROP TABLE away`},
		{`CREATE TABLE away AS SELECT * FROM entries WHERE seq > 12; DELETE FROM entries WHERE seq > 12`, `INSERT INTO entries SELECT * FROM away; DROP TABLE away`},
		{`UPDATE entries SET type = 'adjustment', job_key = NULL WHERE seq = (SELECT min(seq) FROM entries WHERE type = 'charge' AND job_key IN (SELECT job_key FROM entries WHERE type = 'refund'))`, ""},
	} {
		if _, err := pool.Exec(`ALTER TABLE entries DISABLE TRIGGER USER; ` + x.damage); err != nil {
			t.Fatal(x.damage, err)
		}
		page := b.page("/accounts/acct_7/balance")
		w.saysNot(page, "Passed", "checked now", "For the customer")
		w.says(page, "Do not explain this balance to the customer yet")
		if !strings.Contains(page, `data-kind="failure"`) || len(answers(page)) != 0 {
			t.Errorf("%s is not seen:\n%s", x.damage, text(page))
		}
		if x.mend == "" {
			return
		}
		if _, err := pool.Exec(x.mend); err != nil {
			t.Fatal(x.mend, err)
		}
		w.says(b.page("/accounts/acct_7/balance"), "Passed")
	}
}

func TestBalanceAtOddMoments(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	b := w.signedIn(w.person(staff.Viewer, staff.Preferences{TimeZone: "Asia/Tokyo"}))
	for at, says := range map[string]string{
		"2999-01-01T00:00": "That moment has not come yet.",
		"yesterday":        "A time such as 2026-11-30T18:12:34.",
		"2026-02-30T00:00": "A time such as 2026-11-30T18:12:34.",
	} {
		rec := b.get("/accounts/acct_7/balance?" + url.Values{"at": {at}}.Encode())
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", at, rec.Code)
		}
		w.says(rec.Body.String(), says, "Balance of acct_7")
		w.saysNot(rec.Body.String(), "credits", "Why is this balance")
	}
	for at, says := range map[string]string{
		"2020-01-01T00:00:30":       "At 1 Jan 2020 00:00:30 JST the balance of acct_7 was 0 credits",
		"2020-01-01T00:00:00+05:45": "At 1 Jan 2020 03:15:00 JST",
		"2020-01-01T00:00:00 05:45": "At 1 Jan 2020 03:15:00 JST",
		"2020-01-01T00:00:00Z":      "At 1 Jan 2020 09:00:00 JST",
	} {
		w.says(b.page("/accounts/acct_7/balance?"+url.Values{"at": {at}}.Encode()), says)
	}
	w.says(b.page("/accounts/acct_7/balance?at=2020-01-01T00:00:00%2b05:45"), "03:15:00 JST")
	for q, code := range map[string]int{"?at=%00": 422, "?at=%ff": 422, "?at=0000-00-00T00:00:00Z": 422, "?at=9999-12-31T23:59:59Z": 422, "?at=0001-01-01T00:00:00%2b14:00": 200,
		"?after=-1": 200, "?after=9223372036854775807": 200, "?after=x": 200, "?at=" + strings.Repeat("9", 5000): 422, "?at=": 200} {
		if rec := b.get("/accounts/acct_7/balance" + q); rec.Code != code {
			t.Errorf("%.40s: %d", q, rec.Code)
		}
	}
	if rec := b.get("/accounts/nobody/balance?at=x"); rec.Code != http.StatusNotFound {
		t.Error(rec.Code)
	}
	if rec := b.get("/accounts/nobody/balance"); rec.Code != http.StatusNotFound {
		t.Error(fmt.Sprint(rec.Code))
	}
}

// What became of a job is said as it was at the moment: a canceled job did not fail, and one that is tried again may be paid for again.
func TestAnswerSaysWhatBecameOfJobs(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.Account(t, "acct_7", 1000)
	b := w.as(staff.Viewer)
	signal := func(id string, s job.Signal) {
		t.Helper()
		if _, err := w.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: id, Signal: s}); err != nil {
			t.Fatal(err)
		}
	}
	w.Charge(t, "acct_7", "gone", 10)
	cancel := job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "gone", Reason: "not wanted"}
	if _, err := w.Jobs.Cancel(ctx, cancel); err != nil {
		t.Fatal(err)
	}
	w.charged("acct_7", "again", 20)
	first := int64(1)
	signal("again", job.Signal{Type: job.SignalFailed, Attempt: &first, Class: job.Transient, Code: "x"})
	before := w.state("acct_7", "again")
	if before.State != job.Retrying {
		t.Fatalf("the job is %s", before.State)
	}
	page := b.page("/accounts/acct_7/balance")
	en := answers(page)[0]
	for _, want := range []string{"Canceled and paid back in full: 0 (1 job, 10 credits paid back)", "being tried again: 0 (1 job, 20 credits paid back"} {
		if !strings.Contains(en, want) {
			t.Errorf("no %q in %s", want, en)
		}
	}
	if strings.Contains(en, "ailed") {
		t.Errorf("something failed: %s", en)
	}
}

// Grants may add up to more than a balance can hold, with an adjustment between them.
func TestBalanceOfHugeGrants(t *testing.T) {
	w := newWorld(t)
	modeltest.Entries(t, w.G, "big", modeltest.Past{Type: "grant", Amount: 1, At: time.Now().Add(-4 * time.Minute)}, modeltest.Past{Type: "adjustment", Amount: -5, At: time.Now().Add(-3 * time.Minute)},
		modeltest.Past{Type: "grant", Amount: 9223372036854775807, At: time.Now().Add(-2 * time.Minute)})
	b := w.as(staff.Viewer)
	page := b.page("/accounts/big/balance")
	w.says(page, "9,223,372,036,854,775,803", "+9,223,372,036,854,775,808")
}

// A page shows whole seconds: the balance at the time beside an entry is the one with the entry.
func TestBalanceAtAShownSecond(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	b := w.as(staff.Viewer)
	a, err := w.Ledger.Account(context.Background(), "acct_7")
	if err != nil {
		t.Fatal(err)
	}
	at := a.LastAt.UTC().Format("2006-01-02T15:04:05")
	w.says(b.page("/accounts/acct_7/balance?at="+at), "= "+fmt.Sprintf("%d,000", a.Balance/1000)+" = balance")
}

// Where the clock is set back a time comes twice, and each of the two can be asked for; one that it leaves out is refused.
func TestBalanceWhereTheClockChanges(t *testing.T) {
	w := newWorld(t)
	at := func(s string) time.Time { return moment(t, s) }
	modeltest.Entries(t, w.G, "aurora", modeltest.Past{At: at("2026-11-01T05:10:00Z"), Type: "grant", Amount: 100, Category: "paid"},
		modeltest.Past{At: at("2026-11-01T06:10:00Z"), Type: "grant", Amount: 20, Category: "paid"})
	b := w.signedIn(w.person(staff.Viewer, staff.Preferences{TimeZone: "America/New_York"}))
	const path = "/accounts/aurora/balance?at=2026-11-01T01:30:00"
	first := b.page(path)
	w.says(first, "Why is this balance 100?", "The clock shows this time twice", "The first time, EDT", "The second time, EST")
	second := b.page(path + "&again=1")
	w.says(second, "Why is this balance 120?", "1 Nov 2026 01:30:00 EST")
	if !strings.Contains(second, `<option value="1" selected>`) || strings.Contains(first, `<option value="1" selected>`) {
		t.Error("the form does not keep which of the two is meant")
	}
	// An address that names the second leads to a form that names it too.
	if page := b.page("/accounts/aurora/balance?at=2026-11-01T01:30:00-05:00"); !strings.Contains(page, `<option value="1" selected>`) {
		t.Error("sent again, the form would ask for the first")
	}
	w.saysNot(b.page("/accounts/aurora/balance?at=2026-11-01T03:30:00&again=1"), "The clock shows this time twice")
	rec := b.get("/accounts/aurora/balance?at=2026-03-08T02:30:00")
	if rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("a time that never was: %d", rec.Code)
	}
	w.says(rec.Body.String(), "The clock is set forward over this time: it never was.")
}
