package month_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"recoup/models/audit"
	"recoup/models/calendar"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/month"
	"recoup/models/operation"
	"recoup/models/rollup"
	"recoup/models/verify"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// world is months over a fresh database.
type world struct {
	*modeltest.Models
	t      *testing.T
	months *month.Service
	rollup *rollup.Store
	// kept are the anchors that were handed out.
	kept []verify.Anchor
}

func newWorld(t *testing.T, zone string) *world {
	t.Helper()
	z, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Models: modeltest.New(t, modeltest.DB(t), modeltest.Fast()), t: t}
	w.rollup = rollup.New(w.G, z)
	v := verify.New(w.G)
	var mu sync.Mutex
	w.months = v.Months(w.Ops, w.rollup, func(a verify.Anchor) error {
		mu.Lock()
		defer mu.Unlock()
		w.kept = append(w.kept, a)
		return nil
	})
	return w
}

func (w *world) entries(account string, list ...modeltest.Past) {
	w.t.Helper()
	modeltest.Entries(w.t, w.G, account, list...)
}

// rollUp takes up everything there is.
func (w *world) rollUp() {
	w.t.Helper()
	for range 3 {
		if _, err := w.rollup.Advance(context.Background(), 5000); err != nil {
			w.t.Fatal(err)
		}
	}
}

// verified runs and records verify, and returns what it found.
func (w *world) verified() []verify.Problem {
	w.t.Helper()
	var found []verify.Problem
	v := verify.New(w.G)
	report, err := v.Run(context.Background(), verify.Options{OnProblem: func(p verify.Problem) error { found = append(found, p); return nil }})
	if err == nil {
		err = v.Record(context.Background(), report)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func (w *world) read(m string) month.Overview {
	w.t.Helper()
	o, err := w.months.Read(context.Background(), parse(w.t, m))
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// close tries to close a month with the figures it has now.
func (w *world) close(m string) (operation.Outcome, error) {
	w.t.Helper()
	digest, err := w.read(m).Digest()
	if err != nil {
		w.t.Fatal(err)
	}
	return w.months.Close(context.Background(), w.request(m, digest))
}

func (w *world) request(m, digest string) month.CloseRequest {
	e := modeltest.Envelope()
	return month.CloseRequest{OperationID: e.OperationID, Actor: e.Actor, Month: parse(w.t, m), Digest: digest, Reason: "month end"}
}

func (w *world) mustClose(m string) {
	w.t.Helper()
	if _, err := w.close(m); err != nil {
		w.t.Fatalf("close %s: %v", m, err)
	}
}

// refused closes a month and wants a state in return.
func (w *world) refused(m, state string) *fault.Error {
	w.t.Helper()
	_, err := w.close(m)
	f := fault.As(err)
	if f == nil || f.Code != fault.CodeStateConflict || f.Detail["state"] != state {
		w.t.Fatalf("close %s: %v, want %s", m, err, state)
	}
	return f
}

func parse(t *testing.T, s string) calendar.Month {
	t.Helper()
	m, err := calendar.ParseMonth(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	x, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// say writes figures on a few lines.
func say(f month.Figures) string {
	var b strings.Builder
	fmt.Fprintf(&b, "opening %s", f.Opening)
	for _, t := range ledger.Types() {
		if s := f.Types[t]; s.Count > 0 {
			fmt.Fprintf(&b, ", %s %d of %s", t, s.Count, s.Amount)
		}
	}
	fmt.Fprintf(&b, ", closing %s, open refunds %d of %s, delivered %s", f.Closing, f.OpenRefunds.Count, f.OpenRefunds.Amount, f.NetOfJobs())
	return b.String()
}

// The last microsecond of a month is in it, the first of the next is not, whatever the zone and the length of the days.
func TestMonthsEndWhereTheZoneSays(t *testing.T) {
	for _, c := range []struct {
		zone, month, from, to string
		days                  int
		// short and long are the lengths of the days that have not 24 hours, by their number.
		odd map[int]time.Duration
	}{
		{"UTC", "2026-02", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", 28, nil},
		{"Asia/Tokyo", "2026-10", "2026-09-30T15:00:00Z", "2026-10-31T15:00:00Z", 31, nil},
		{"Asia/Kathmandu", "2026-10", "2026-09-30T18:15:00Z", "2026-10-31T18:15:00Z", 31, nil},
		{"America/New_York", "2026-03", "2026-03-01T05:00:00Z", "2026-04-01T04:00:00Z", 31, map[int]time.Duration{8: 23 * time.Hour}},
		{"America/New_York", "2025-11", "2025-11-01T04:00:00Z", "2025-12-01T05:00:00Z", 30, map[int]time.Duration{2: 25 * time.Hour}},
	} {
		for _, rolled := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %s %v", c.zone, c.month, rolled), func(t *testing.T) {
				w := newWorld(t, c.zone)
				from, to := at(t, c.from), at(t, c.to)
				micro := time.Microsecond
				list := []modeltest.Past{{At: from.Add(-micro), Type: "grant", Amount: 1000}, {At: from, Type: "charge", Amount: -100}}
				// One entry in the first and the last microsecond of each day.
				days := calendar.Days(from, to, w.months.Zone())
				for _, d := range days[1 : len(days)-1] {
					list = append(list, modeltest.Past{At: d.Add(-micro), Type: "grant", Amount: 3}, modeltest.Past{At: d, Type: "grant", Amount: 5})
				}
				list = append(list, modeltest.Past{At: to.Add(-micro), Type: "refund", Amount: 40}, modeltest.Past{At: to, Type: "reclaim", Amount: -40})
				w.entries("a", list...)
				if rolled {
					w.rollUp()
				}
				o := w.read(c.month)
				if !o.From.Equal(from) || !o.To.Equal(to) || len(o.Days) != c.days {
					t.Fatalf("from %s to %s, %d days", o.From, o.To, len(o.Days))
				}
				n := c.days - 1
				want := fmt.Sprintf("opening 1000, grant %d of %d, charge 1 of -100, refund 1 of 40, closing %d, open refunds 1 of 40, delivered 60", 2*n, 8*n, 1000+8*n-60)
				if got := say(o.Figures); got != want {
					t.Errorf("%s\nwant %s", got, want)
				}
				if got := o.Later.String(); got != "-40" {
					t.Errorf("later %s", got)
				}
				for i, d := range o.Days {
					length := 24 * time.Hour
					if odd, ok := c.odd[i+1]; ok {
						length = odd
					}
					if d.End.Sub(d.Start) != length {
						t.Errorf("day %d has %s, want %s", i+1, d.End.Sub(d.Start), length)
					}
					grants := d.Types[ledger.Grant]
					want := "8"
					switch i {
					case 0:
						want = "3"
					case n:
						want = "5"
					}
					if grants.Amount.String() != want {
						t.Errorf("day %d: grants %s, want %s", i+1, grants.Amount, want)
					}
				}
				all, err := w.Ledger.Totals(context.Background(), ledger.Filter{From: &o.From, To: &o.To})
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range all {
					if s := o.Types[x.Type]; s.Count != x.Count || s.Amount.String() != x.Amount.String() {
						t.Errorf("%s: the ledger says %d of %s, the month %d of %s", x.Type, x.Count, x.Amount, s.Count, s.Amount)
					}
				}
			})
		}
	}
}

func TestListOfMonths(t *testing.T) {
	w := newWorld(t, "Asia/Tokyo")
	ctx := context.Background()
	if list, more, err := w.months.List(ctx, calendar.Month{}, 5); err != nil || more || len(list) != 1 || list[0].Closing.Sign() != 0 {
		t.Fatalf("an empty ledger: %v %v %v", list, more, err)
	}
	w.entries("a", modeltest.Past{At: at(t, "2025-01-15T00:00:00Z"), Type: "grant", Amount: 100},
		modeltest.Past{At: at(t, "2025-01-31T15:00:00Z"), Type: "charge", Amount: -30}, // the first moment of February in Tokyo
		modeltest.Past{At: at(t, "2025-03-05T00:00:00Z"), Type: "refund", Amount: 30})
	w.rollUp()
	list, more, err := w.months.List(ctx, parse(t, "2025-04"), 2)
	if err != nil || !more || len(list) != 2 {
		t.Fatalf("%v %v %v", list, more, err)
	}
	line := func(l month.Listed) string {
		return fmt.Sprintf("%s %s→%s over %v", l.Month, l.Opening, l.Closing, l.Over)
	}
	if got := line(list[0]) + ", " + line(list[1]); got != "2025-03 70→100 over true, 2025-02 100→70 over true" {
		t.Error(got)
	}
	list, more, err = w.months.List(ctx, parse(t, "2025-02"), 2)
	if err != nil || more || len(list) != 1 || line(list[0]) != "2025-01 0→100 over true" {
		t.Fatalf("%v %v %v", list, more, err)
	}
	for _, m := range []string{"2024-12", "2030-01"} {
		if _, err := w.months.Read(ctx, parse(t, m)); !fault.Is(err, fault.CodeNotFound) {
			t.Errorf("%s: %v", m, err)
		}
	}
}

// The canonical form and its digest never change: digests of closed months are kept for ever.
func TestDigestGolden(t *testing.T) {
	from, to := at(t, "2026-10-31T15:00:00Z"), at(t, "2026-11-30T15:00:00Z")
	f := month.Of(parse(t, "2026-11"), "Asia/Tokyo", from, to, []rollup.Group{
		{Part: 0, Type: "grant", Category: "paid", Count: 2, Amount: sum(t, "18446744073709551614")},
		{Part: 0, Type: "refund", RuleVersion: "video_render@v1", Count: 1, Amount: sum(t, "40")},
		{Part: 3, Type: "charge", RuleVersion: "video_render@v2", RolloutID: "ro_1", Cohort: "candidate", Count: 2, Amount: sum(t, "-72")},
		{Part: 1, Type: "charge", RuleVersion: "video_render@v1", RolloutID: "ro_1", Cohort: "baseline", Count: 1, Amount: sum(t, "-40")},
		{Part: 2, Type: "charge", RuleVersion: "video_render@v2", RolloutID: "ro_1", Cohort: "candidate", Count: 1, Amount: sum(t, "-36")},
		{Part: 9, Type: "reclaim", RuleVersion: "video_render@v1", Count: 1, Amount: sum(t, "-40")},
	})
	const want = `{"form":1,"month":"2026-11","zone":"Asia/Tokyo","from":"2026-10-31T15:00:00Z","to":"2026-11-30T15:00:00Z","opening":"18446744073709551654",` +
		`"types":[{"type":"grant","count":0,"amount":"0"},{"type":"charge","count":4,"amount":"-148"},{"type":"refund","count":0,"amount":"0"},` +
		`{"type":"reclaim","count":1,"amount":"-40"},{"type":"adjustment","count":0,"amount":"0"}],` +
		`"groups":[{"type":"charge","rule_version":"video_render@v1","rollout_id":"ro_1","cohort":"baseline","category":"","count":1,"amount":"-40"},` +
		`{"type":"charge","rule_version":"video_render@v2","rollout_id":"ro_1","cohort":"candidate","category":"","count":3,"amount":"-108"},` +
		`{"type":"reclaim","rule_version":"video_render@v1","rollout_id":"","cohort":"","category":"","count":1,"amount":"-40"}],` +
		`"closing":"18446744073709551466","open_refunds":{"count":0,"amount":"0"}}`
	got, err := f.Canonical()
	if err != nil || got != want {
		t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
	}
	if digest, err := f.Digest(); err != nil || digest != "0698d8827a3fa6f7e9f1eb9f6980af57a57c2a56b5ba5d846bdbd2005a3b2336" {
		t.Errorf("digest %s %v", digest, err)
	}
	back, err := month.Parse(got)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := back.Canonical(); err != nil || again != want {
		t.Errorf("read back and written: %v\n%s", err, again)
	}
	if d := month.Differences(f, back); d != nil {
		t.Errorf("differences %v", d)
	}
}

// What is refused, one reason after the other, and what closing leaves behind.
func TestClose(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, "Asia/Tokyo")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"},
		modeltest.Past{At: at(t, "2025-10-01T00:00:00Z"), Type: "adjustment", Amount: -30})
	w.entries("b", modeltest.Past{At: at(t, "2025-10-31T14:59:59.999999Z"), Type: "grant", Amount: 7, Category: "goodwill"},
		modeltest.Past{At: at(t, "2025-10-31T15:00:00Z"), Type: "grant", Amount: 1, Category: "paid"})
	_ = w.refused("2025-08", month.StateUnverified)
	if found := w.verified(); len(found) > 0 {
		t.Fatalf("%v", found)
	}
	present := calendar.MonthOf(time.Now().In(w.months.Zone())).String()
	_ = w.refused(present, month.StateNotOver)
	if f := w.refused("2025-10", month.StatePrevious); !strings.Contains(f.Message, "2025-08") {
		t.Errorf("%q does not name the month", f.Message)
	}
	if _, err := w.months.Close(ctx, w.request("2025-08", strings.Repeat("0", 64))); fault.As(err) == nil || fault.As(err).Detail["state"] != month.StateChanged {
		t.Errorf("another digest: %v", err)
	}
	if _, err := w.months.Close(ctx, month.CloseRequest{OperationID: ids.New(), Actor: modeltest.Envelope().Actor, Month: parse(t, "2025-08")}); !fault.Is(err, fault.CodeInvalid) {
		t.Errorf("without a reason: %v", err)
	}
	w.mustClose("2025-08")
	_ = w.refused("2025-08", month.StateClosed)
	// September has no entries and needs not be closed before October.
	w.mustClose("2025-10")
	_ = w.refused("2025-09", month.StateLater)

	o := w.read("2025-10")
	if o.Closed == nil || month.Differences(o.Closed.Figures, o.Figures) != nil {
		t.Fatalf("%+v", o.Closed)
	}
	if got := say(o.Figures); got != "opening 100, grant 1 of 7, adjustment 1 of -30, closing 77, open refunds 0 of 0, delivered 0" {
		t.Error(got)
	}
	last := w.kept[len(w.kept)-1]
	if !last.Moment.Equal(at(t, "2025-10-31T14:59:59.999999Z")) || last.Digest != o.Closed.HeadsDigest {
		t.Errorf("anchor %v, closed with %s", last, o.Closed.HeadsDigest)
	}
	rows, err := audit.Of(ctx, w.G, "month:2025-10", 5)
	if err != nil || len(rows) == 0 || rows[0].Action != "month.close" || rows[0].Reason != "month end" || !strings.Contains(*rows[0].After, o.Closed.Digest) {
		t.Errorf("audit %v %v", rows, err)
	}
	for _, s := range []string{`UPDATE closed_months SET closing = closing`, `DELETE FROM closed_months`, `TRUNCATE closed_months`} {
		if err := w.G.Exec(s).Error; err == nil {
			t.Errorf("%s was allowed", s)
		}
	}
	if found := w.verified(); len(found) > 0 {
		t.Fatalf("after closing: %v", found)
	}
}

// A transaction that is still open and could write into the month keeps it open.
func TestALateTransactionKeepsTheMonthOpen(t *testing.T) {
	w := newWorld(t, "UTC")
	w.entries("late")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100})
	w.verified()
	tx := w.G.Begin()
	defer tx.Rollback()
	err := tx.Exec(`INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, created_at, hash)
		SELECT key, 1, 'grant', 10, 10, 'late', 'system', '2025-08-31T23:59:59Z', last_hash FROM accounts WHERE id = 'late'`).Error
	if err == nil {
		err = tx.Exec(`UPDATE accounts SET balance = e.balance_after, last_seq = 1, last_hash = e.hash, last_at = e.created_at
			FROM entries e WHERE e.account_key = accounts.key AND id = 'late'`).Error
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_ = w.refused("2025-08", month.StateSettling)
	}
	if err := tx.Commit().Error; err != nil {
		t.Fatal(err)
	}
	w.mustClose("2025-08")
	if got := w.read("2025-08").Closed.Figures.Closing.String(); got != "110" {
		t.Errorf("closed at %s, want 110", got)
	}
}

// Kept sums whose total is right and whose parts are not would be closed for good: the entries are counted anew.
func TestWrongSumsByTypeAreNotClosed(t *testing.T) {
	for _, c := range []struct{ name, damage, say string }{
		{"types", `UPDATE rollup_days SET amount = amount + 1000 WHERE type = 'grant';
			UPDATE rollup_days SET amount = amount - 1000 WHERE type = 'adjustment'`, "grant: entries 1 / 100, figures 1 / 1100"},
		{"a count", `UPDATE rollup_days SET count = count + 1 WHERE type = 'grant'`, "grant: entries 1 / 100, figures 2 / 100"},
		{"a group", `UPDATE rollup_days SET category = 'goodwill' WHERE type = 'grant'`, "group: entries 1 / 100, figures 0 / 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "UTC")
			w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"},
				modeltest.Past{At: at(t, "2025-08-12T00:00:00Z"), Type: "adjustment", Amount: -30},
				modeltest.Past{At: at(t, "2025-09-10T00:00:00Z"), Type: "grant", Amount: 1, Category: "paid"})
			w.verified()
			w.rollUp()
			for _, s := range strings.Split(c.damage, ";") {
				if res := w.G.Exec(s); res.Error != nil || res.RowsAffected == 0 {
					t.Fatalf("%d rows, %v", res.RowsAffected, res.Error)
				}
			}
			f := w.refused("2025-08", month.StateMiscounted)
			if said := fmt.Sprint(f.Detail["differences"]); !strings.Contains(said, c.say) {
				t.Errorf("said %s", said)
			}
			if o := w.read("2025-08"); o.Closed != nil {
				t.Error("it is closed")
			}
		})
	}
}

// The month after a closed one is counted from where that ended, its open refunds included.
func TestTheNextMonthIsCountedFromTheClosedOne(t *testing.T) {
	w := newWorld(t, "UTC")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"},
		modeltest.Past{At: at(t, "2025-08-11T00:00:00Z"), Type: "charge", Amount: -10}, modeltest.Past{At: at(t, "2025-08-12T00:00:00Z"), Type: "refund", Amount: 10},
		modeltest.Past{At: at(t, "2025-09-10T00:00:00Z"), Type: "reclaim", Amount: -10})
	if err := w.G.Exec(`INSERT INTO verify_runs (started_at, finished_at, partial, accounts, entries, jobs, problems, by_check)
		SELECT clock_timestamp(), clock_timestamp(), false, 1, 4, 0, 0, '{}'`).Error; err != nil {
		t.Fatal(err)
	}
	w.mustClose("2025-08")
	w.mustClose("2025-09")
	if got := say(w.read("2025-09").Figures); !strings.Contains(got, "opening 100, reclaim 1 of -10, closing 90, open refunds 0 of 0") {
		t.Error(got)
	}
}

// Of many who close the same month at once one does; the same operation sent again is a replay.
func TestTwoPeopleCloseAtOnce(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, "America/New_York")
	w.entries("a", modeltest.Past{At: at(t, "2025-11-02T06:30:00Z"), Type: "grant", Amount: 100})
	w.verified()
	digest, err := w.read("2025-11").Digest()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var won []month.CloseRequest
	var wg sync.WaitGroup
	for range 8 {
		r := w.request("2025-11", digest)
		wg.Go(func() {
			out, err := w.months.Close(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			switch f := fault.As(err); {
			case err == nil && !out.Replayed:
				won = append(won, r)
			case f == nil || f.Detail["state"] != month.StateClosed:
				t.Errorf("%v %+v", err, out)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d closed the month", len(won))
	}
	out, err := w.months.Close(ctx, won[0])
	if err != nil || !out.Replayed {
		t.Errorf("sent again: %+v %v", out, err)
	}
	var result month.CloseResult
	if err := out.Decode(&result); err != nil || result.Digest != digest || result.Closing != "100" {
		t.Errorf("%+v %v", result, err)
	}
}

// Whatever the owner of the tables changes in a closed month is shown by the month and named by verify, and no
// further month is closed over it.
func TestDamageToAClosedMonthIsNamed(t *testing.T) {
	for _, c := range []struct{ name, damage, say string }{
		{"an entry slipped in", `INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, created_at, hash)
			SELECT key, 1, 'grant', 9, 9, 'x', 'system', '2025-08-20', last_hash FROM accounts WHERE id = 'empty';
			UPDATE accounts SET balance = 9, last_seq = 1, last_hash = e.hash, last_at = e.created_at FROM entries e WHERE e.account_key = accounts.key AND id = 'empty'`,
			"do not add up to the figures"},
		{"stored figures", `UPDATE closed_months SET figures = replace(figures, '"closing":"100"', '"closing":"101"')`, "do not have the stored digest"},
		{"figures and digest", `UPDATE closed_months SET figures = replace(figures, '"closing":"100"', '"closing":"101"'),
			digest = encode(sha256(convert_to(replace(figures, '"closing":"100"', '"closing":"101"'), 'UTF8')), 'hex')`, "do not add up to the figures"},
		{"the anchor", `UPDATE closed_months SET heads_digest = repeat('0', 64)`, "entries were cut off or changed"},
		{"an attribution", `UPDATE entries SET category = 'goodwill' WHERE amount = 100`, "do not add up to the figures"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "Asia/Kathmandu")
			w.entries("empty")
			w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"},
				modeltest.Past{At: at(t, "2025-09-10T00:00:00Z"), Type: "grant", Amount: 1, Category: "paid"})
			if found := w.verified(); len(found) > 0 {
				t.Fatalf("%v", found)
			}
			w.mustClose("2025-08")
			for _, s := range []string{`ALTER TABLE closed_months DISABLE TRIGGER USER`, `ALTER TABLE closed_months DROP CONSTRAINT closed_months_check1`,
				`ALTER TABLE closed_months DROP CONSTRAINT closed_months_digest_check`, `ALTER TABLE entries DISABLE TRIGGER entries_append_only_row`,
				`ALTER TABLE entries DISABLE TRIGGER entries_append_only`} {
				if err := w.G.Exec(s).Error; err != nil && !strings.Contains(err.Error(), "does not exist") {
					t.Fatal(err)
				}
			}
			for _, s := range strings.Split(c.damage, ";") {
				if err := w.G.Exec(s).Error; err != nil {
					t.Fatal(err)
				}
			}
			found := w.verified()
			named := false
			for _, p := range found {
				named = named || p.Check == verify.CheckMonth && strings.Contains(p.Message, c.say)
			}
			if !named {
				t.Errorf("nothing says %q: %v", c.say, found)
			}
			_ = w.refused("2025-09", month.StateProblems)
			if c.name == "an entry slipped in" {
				o := w.read("2025-08")
				d := month.Differences(o.Closed.Figures, o.Figures)
				if len(d) == 0 || d[0].Name != "grant" || d[0].Stored != "1 / 100" || d[0].Now != "2 / 109" {
					t.Errorf("the month shows %v", d)
				}
			}
		})
	}
}

// When the book time zone is changed, the next month begins where the last closed one ended.
func TestNoEntryFallsBetweenMonthsWhenTheZoneChanges(t *testing.T) {
	w := newWorld(t, "UTC")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-31T12:00:00Z"), Type: "grant", Amount: 100},
		modeltest.Past{At: at(t, "2025-08-31T20:00:00Z"), Type: "grant", Amount: 10}, // September in Tokyo
		modeltest.Past{At: at(t, "2025-09-01T00:00:00Z"), Type: "grant", Amount: 1})
	w.verified()
	w.mustClose("2025-08")
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	w.rollup = rollup.New(w.G, tokyo)
	d := w.months.Deps
	d.Rollup = w.rollup
	w.months = month.New(d)
	w.rollUp()
	o := w.read("2025-09")
	if !o.From.Equal(at(t, "2025-09-01T00:00:00Z")) || say(o.Figures) != "opening 110, grant 1 of 1, closing 111, open refunds 0 of 0, delivered 0" {
		t.Errorf("from %s: %s", o.From, say(o.Figures))
	}
	w.mustClose("2025-09")
	if aug := w.read("2025-08"); aug.Zone != "UTC" || month.Differences(aug.Closed.Figures, aug.Figures) != nil {
		t.Errorf("August: %+v", aug.Figures)
	}
}

// A month that was closed in another zone keeps the days of that zone, and what it left over belongs to the month after it.
func TestAClosedMonthKeepsItsZone(t *testing.T) {
	w := newWorld(t, "Asia/Tokyo")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-10T12:00:00Z"), Type: "grant", Amount: 100},
		modeltest.Past{At: at(t, "2025-08-31T20:00:00Z"), Type: "grant", Amount: 10}) // September in Tokyo, August in UTC
	w.verified()
	w.mustClose("2025-08")
	w.rollup = rollup.New(w.G, time.UTC)
	d := w.months.Deps
	d.Rollup = w.rollup
	w.months = month.New(d)
	w.rollUp()
	aug := w.read("2025-08")
	if aug.Location.String() != "Asia/Tokyo" || len(aug.Days) != 31 || !aug.Days[1].Start.Equal(at(t, "2025-08-01T15:00:00Z")) {
		t.Errorf("August has %d days of %s, the second from %s", len(aug.Days), aug.Location, aug.Days[1].Start)
	}
	if from, to, err := w.months.Span(context.Background(), parse(t, "2025-07")); err != nil || !to.Equal(aug.From) {
		t.Errorf("July is from %s to %s, August from %s: %v", from, to, aug.From, err)
	}
	o, err := w.months.Obstacle(context.Background(), parse(t, "2025-10"))
	if err != nil || o == nil || o.State != month.StatePrevious || o.Month.String() != "2025-09" {
		t.Errorf("before October: %+v %v", o, err)
	}
	w.mustClose("2025-09")
	if say(w.read("2025-09").Figures) != "opening 100, grant 1 of 10, closing 110, open refunds 0 of 0, delivered 0" {
		t.Error(say(w.read("2025-09").Figures))
	}
}

// A closed month stays on the list and can be read when a change of the zone moves the first entry into the month after it.
func TestAClosedMonthIsNotLostWithTheZone(t *testing.T) {
	w := newWorld(t, "UTC")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-31T20:00:00Z"), Type: "grant", Amount: 10}, // September in Tokyo
		modeltest.Past{At: at(t, "2025-09-10T00:00:00Z"), Type: "grant", Amount: 1})
	w.verified()
	w.mustClose("2025-08")
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	d := w.months.Deps
	d.Rollup = rollup.New(w.G, tokyo)
	w.months = month.New(d)
	o := w.read("2025-08")
	if o.Closed == nil || o.Closing.String() != "10" || o.Oldest.String() != "2025-08" {
		t.Errorf("August: %s, oldest %s, closed %v", say(o.Figures), o.Oldest, o.Closed)
	}
	list, more, err := w.months.List(context.Background(), parse(t, "2025-10"), 5)
	if err != nil || more || len(list) != 2 || list[1].Month.String() != "2025-08" || !list[1].Closed {
		t.Errorf("list %+v %v %v", list, more, err)
	}
}

func sum(t *testing.T, digits string) (s credit.Sum) {
	t.Helper()
	if err := s.Scan(digits); err != nil {
		t.Fatal(err)
	}
	return s
}
