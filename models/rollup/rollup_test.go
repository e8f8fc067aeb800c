package rollup_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"gorm.io/gorm"

	"recoup/models/calendar"
	"recoup/models/modeltest"
	"recoup/models/rollup"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// catchUp advances until there is nothing more to do.
func catchUp(t *testing.T, s *rollup.Store) rollup.Progress {
	t.Helper()
	var p rollup.Progress
	var err error
	// The first call may only set the mark that a later one passes.
	for range 3 {
		for more := true; more; more = p.More {
			if p, err = s.Advance(context.Background(), 50); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// plain is the sum of the entries themselves, as the totals of a filter are written below.
func plain(t *testing.T, g *gorm.DB, f rollup.Filter) string {
	t.Helper()
	from, to := time.Unix(0, 0), time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)
	if f.From != nil {
		from = *f.From
	}
	if f.To != nil {
		to = *f.To
	}
	types := "{" + strings.Join(f.Types, ",") + "}"
	var rows []rollup.Total
	err := g.Raw(`SELECT type, count(*) AS count, sum(amount) AS amount FROM entries WHERE created_at >= ? AND created_at < ?
		AND (? = '{}' OR type = ANY (?::text[])) AND (? = '' OR rule_version = ?) AND (? = '' OR rollout_id = ?)
		AND (? = '' OR rule_version LIKE ? || '@v%') AND (? = '' OR cohort = ?) AND (? = '' OR category = ?) GROUP BY type`,
		from, to, types, types, f.RuleVersion, f.RuleVersion, f.RolloutID, f.RolloutID, f.Action, f.Action, f.Cohort, f.Cohort, f.Category, f.Category).Scan(&rows).Error
	if err != nil {
		t.Fatal(err)
	}
	return write(rows)
}

func write(rows []rollup.Total) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%s %d %s", r.Type, r.Count, r.Amount))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// random makes entries over some days, some of them on the very ends of quarters and days.
func random(t *testing.T, g *gorm.DB, r *rand.Rand, z *time.Location, first time.Time, days, accounts, entries int) {
	t.Helper()
	for a := range accounts {
		var list []modeltest.Past
		used := map[time.Time]bool{}
		for range entries {
			at := first.Add(time.Duration(r.Int64N(int64(days) * 24 * int64(time.Hour))))
			switch r.IntN(6) {
			case 0:
				at = at.Truncate(15 * time.Minute)
			case 1:
				at = at.Truncate(15 * time.Minute).Add(-time.Microsecond)
			case 2:
				local := at.In(z)
				at = calendar.Day(local.Year(), local.Month(), local.Day(), z)
			}
			if at = at.UTC().Truncate(time.Microsecond); used[at] {
				continue
			}
			used[at] = true
			e := modeltest.Past{At: at, Type: "grant", Amount: 1 + r.Int64N(1<<59), Category: []string{"paid", "promotion"}[r.IntN(2)]}
			if r.IntN(3) > 0 {
				e = modeltest.Past{At: at, Type: []string{"charge", "refund", "reclaim"}[r.IntN(3)], Amount: r.Int64N(1000), RuleVersion: fmt.Sprintf("render@v%d", 1+r.IntN(2))}
				if e.Type != "refund" {
					e.Amount = -e.Amount
				}
				if r.IntN(2) == 0 {
					e.RolloutID, e.Cohort = "ro_1", []string{"baseline", "candidate"}[r.IntN(2)]
				}
			}
			list = append(list, e)
		}
		slices.SortFunc(list, func(a, b modeltest.Past) int { return a.At.Compare(b.At) })
		// Only grants are large and no charge may end below zero, nor the balance beyond 64 bits.
		var balance int64
		list = slices.DeleteFunc(list, func(e modeltest.Past) bool {
			sum := balance + e.Amount
			if sum < 0 || e.Amount > 0 && sum < balance {
				return true
			}
			balance = sum
			return false
		})
		modeltest.Entries(t, g, fmt.Sprintf("a%d", a), list...)
	}
}

// Any period of any zone adds up to exactly the entries in it, whether the rollup is empty, half way, all there,
// or has days of another zone.
func TestEveryPeriodIsTheSumOfItsEntries(t *testing.T) {
	ctx := context.Background()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	zones := []*time.Location{zone(t, "Asia/Tokyo"), zone(t, "Asia/Kathmandu"), zone(t, "America/New_York"), zone(t, "Australia/Lord_Howe"), time.UTC}
	book := zones[r.IntN(len(zones))]
	g := modeltest.DB(t)
	// Over the change of the clock in New York and on Lord Howe.
	first := time.Date(2025, 10, 30, 7, 11, 0, 0, time.UTC)
	random(t, g, r, book, first, 6, 4, 150)
	s := rollup.New(g, book)
	compare := func(when string) {
		t.Helper()
		for range 60 {
			f := rollup.Filter{}
			moment := func() *time.Time {
				at := first.Add(time.Duration(r.Int64N(8*24*int64(time.Hour))) - 24*time.Hour).Truncate(time.Microsecond)
				switch local := at.In(zones[r.IntN(len(zones))]); r.IntN(5) {
				case 0:
					return nil
				case 1:
					at = at.Truncate(15 * time.Minute)
				case 2, 3:
					at = calendar.Day(local.Year(), local.Month(), local.Day(), local.Location())
				}
				return &at
			}
			f.From, f.To = moment(), moment()
			if r.IntN(4) == 0 {
				f.Types = []string{"charge", "refund"}
			}
			if r.IntN(4) == 0 {
				f.RuleVersion = "render@v1"
			}
			if r.IntN(5) == 0 {
				f.RolloutID = "ro_1"
			}
			switch r.IntN(8) {
			case 0:
				f.Action = "render"
			case 1:
				f.Cohort = "candidate"
			case 2:
				f.Category = "paid"
			}
			rows, err := rollup.Totals(ctx, g, f)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := write(rows), plain(t, g, f); got != want {
				t.Fatalf("%s, book %s, %v to %v of %+v:\n%s\nwant\n%s", when, book, f.From, f.To, f, got, want)
			}
		}
	}
	compare("empty")
	for range 2 {
		if _, err := s.Advance(ctx, 1); err != nil {
			t.Fatal(err)
		}
		compare("on its way")
	}
	p := catchUp(t, s)
	if p.Through.Before(first.AddDate(0, 0, 6)) {
		t.Fatalf("through %s", p.Through)
	}
	var days, quarters int
	g.Raw(`SELECT count(*) FROM rollup_days`).Scan(&days)
	g.Raw(`SELECT count(*) FROM rollup_quarters`).Scan(&quarters)
	if days == 0 || quarters <= days {
		t.Fatalf("%d days, %d quarters", days, quarters)
	}
	compare("all there")
	parts(t, s, g, r, book, first)

	other := zones[r.IntN(len(zones))]
	catchUp(t, rollup.New(g, other))
	compare("with days of " + other.String())
	parts(t, s, g, r, book, first)
	if _, err := rollup.New(g, other).Rebuild(ctx); err != nil {
		t.Fatal(err)
	}
	compare("built anew")
}

// parts holds parts by day against the entries of each, by group and by type alone.
func parts(t *testing.T, s *rollup.Store, g *gorm.DB, r *rand.Rand, z *time.Location, first time.Time) {
	t.Helper()
	start := calendar.Day(first.In(z).Year(), first.In(z).Month(), first.In(z).Day()+1, z)
	bounds := calendar.Days(start, calendar.Day(first.In(z).Year(), first.In(z).Month(), first.In(z).Day()+4, z), z)
	if r.IntN(2) == 0 {
		bounds = append([]time.Time{bounds[0].Add(-7 * time.Hour)}, bounds...) // no day begins there
	}
	if r.IntN(2) == 0 {
		later := first.In(z).AddDate(0, 1, 0) // nothing is there any more
		bounds = append(bounds, calendar.Day(later.Year(), later.Month(), later.Day(), z))
	}
	if r.IntN(2) == 0 {
		before := first.In(z).AddDate(0, -1, 0) // nor there
		bounds = append([]time.Time{calendar.Day(before.Year(), before.Month(), before.Day(), z)}, bounds...)
	}
	groups, err := s.Parts(context.Background(), rollup.Filter{}, bounds)
	if err != nil {
		t.Fatal(err)
	}
	compareParts(t, g, bounds, groups)
	if groups, err = s.TypesOfParts(context.Background(), bounds); err != nil {
		t.Fatal(err)
	}
	compareParts(t, g, bounds, groups)
}

func compareParts(t *testing.T, g *gorm.DB, bounds []time.Time, groups []rollup.Group) {
	t.Helper()
	for part := range len(bounds) + 1 {
		byType := map[string]*rollup.Total{}
		var rows []rollup.Total
		for _, x := range groups {
			if x.Part != part {
				continue
			}
			if byType[x.Type] == nil {
				byType[x.Type] = &rollup.Total{Type: x.Type}
			}
			byType[x.Type].Count += x.Count
			byType[x.Type].Amount = byType[x.Type].Amount.Plus(x.Amount)
		}
		for _, x := range byType {
			rows = append(rows, *x)
		}
		f := rollup.Filter{}
		if part > 0 {
			f.From = &bounds[part-1]
		}
		if part < len(bounds) {
			f.To = &bounds[part]
		}
		if got, want := write(rows), plain(t, g, f); got != want {
			t.Fatalf("part %d of %v:\n%s\nwant\n%s", part, bounds, got, want)
		}
	}
}

// An entry dated before the end of a quarter whose transaction commits long after it is in the sums, at every
// moment in between it is neither missed nor counted before its time.
func TestALateCommitIsNotSkipped(t *testing.T) {
	ctx := context.Background()
	g := modeltest.DB(t)
	s := rollup.New(g, time.UTC)
	at := time.Now().Add(-3 * time.Hour).Truncate(15 * time.Minute).Add(-time.Microsecond)
	modeltest.Entries(t, g, "early", modeltest.Past{At: at.Add(-time.Hour), Type: "grant", Amount: 1})
	modeltest.Entries(t, g, "late")
	tx := g.Begin()
	defer tx.Rollback()
	err := tx.Exec(`INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, created_at, hash)
		SELECT key, 1, 'grant', 10, 10, 'late', 'system', ?, last_hash FROM accounts WHERE id = 'late'`, at).Error
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		p, err := s.Advance(ctx, 10)
		if err != nil {
			t.Fatal(err)
		}
		if p.Through.After(at) {
			t.Fatalf("through %s, though an entry of %s is not committed", p.Through, at)
		}
		// Others commit meanwhile, also later ones.
		modeltest.Entries(t, g, "other", modeltest.Past{At: time.Now(), Type: "grant", Amount: 100})
	}
	if err := tx.Commit().Error; err != nil {
		t.Fatal(err)
	}
	if got, want := sums(t, g), plain(t, g, rollup.Filter{}); got != want {
		t.Fatalf("before it is taken up: %s, want %s", got, want)
	}
	if p := catchUp(t, s); !p.Through.After(at) {
		t.Fatalf("through %s, want after %s", p.Through, at)
	}
	if got, want := sums(t, g), "grant 6 411"; got != want {
		t.Fatalf("afterwards: %s, want %s", got, want)
	}
}

func sums(t *testing.T, g *gorm.DB) string {
	t.Helper()
	rows, err := rollup.Totals(context.Background(), g, rollup.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return write(rows)
}

// Several processes advance at once: each entry is taken up once.
func TestSeveralProcessesAdvanceOnce(t *testing.T) {
	ctx := context.Background()
	g := modeltest.DB(t)
	r := rand.New(rand.NewPCG(7, 7))
	random(t, g, r, time.UTC, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 20, 2, 100)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := rollup.New(g, time.UTC)
			for range 30 {
				if _, err := s.Advance(ctx, 2); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	catchUp(t, rollup.New(g, time.UTC))
	var derived []rollup.Total
	if err := g.Raw(`SELECT type, sum(count)::bigint AS count, sum(amount) AS amount FROM rollup_quarters GROUP BY type`).Scan(&derived).Error; err != nil {
		t.Fatal(err)
	}
	if got, want := write(derived), plain(t, g, rollup.Filter{}); got != want {
		t.Fatalf("quarters: %s\nwant %s", got, want)
	}
}

// The sum of many large entries does not fit 64 bits, and is exact.
func TestSumsBeyond64Bits(t *testing.T) {
	g := modeltest.DB(t)
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for i := range 3 {
		modeltest.Entries(t, g, fmt.Sprintf("a%d", i), modeltest.Past{At: at, Type: "grant", Amount: 9223372036854775807})
	}
	s := rollup.New(g, time.UTC)
	for _, when := range []string{"raw", "rolled up"} {
		if got, want := sums(t, g), "grant 3 27670116110564327421"; got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
		catchUp(t, s)
	}
	tie, err := s.Tie(context.Background())
	if err != nil || !tie.Holds() || tie.Entries.String() != "27670116110564327421" {
		t.Errorf("tie %+v %v", tie, err)
	}
	if err := g.Exec(`UPDATE accounts SET balance = balance - 2 WHERE id = 'a1'`).Error; err != nil {
		t.Fatal(err)
	}
	if tie, err = s.Tie(context.Background()); err != nil || tie.Holds() || tie.Entries.Minus(tie.Balances).String() != "2" {
		t.Errorf("after a balance was changed: %+v %v", tie, err)
	}
}
