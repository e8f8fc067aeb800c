package console_test

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// zoned is a range of days in a zone, with the moments between which it lies worked out by hand.
type zoned struct {
	zone, first, last string
	hours             int
	from, to          string // to is exclusive
}

func zonedPeriods() []zoned {
	return []zoned{
		{"America/New_York", "2025-03-09", "2025-03-09", 23, "2025-03-09T05:00:00Z", "2025-03-10T04:00:00Z"},
		{"America/New_York", "2025-11-02", "2025-11-02", 25, "2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"},
		{"America/New_York", "2025-03-01", "2025-03-31", 743, "2025-03-01T05:00:00Z", "2025-04-01T04:00:00Z"},
		{"America/New_York", "2025-11-01", "2025-11-30", 721, "2025-11-01T04:00:00Z", "2025-12-01T05:00:00Z"},
		{"Asia/Tokyo", "2025-11-01", "2025-11-30", 720, "2025-10-31T15:00:00Z", "2025-11-30T15:00:00Z"},
		{"Asia/Tokyo", "2025-12-01", "2025-12-31", 744, "2025-11-30T15:00:00Z", "2025-12-31T15:00:00Z"},
		{"Asia/Kathmandu", "2025-11-01", "2025-11-30", 720, "2025-10-31T18:15:00Z", "2025-11-30T18:15:00Z"},
		{"Asia/Kathmandu", "2025-11-10", "2025-11-10", 24, "2025-11-09T18:15:00Z", "2025-11-10T18:15:00Z"},
		{"UTC", "2025-11-30", "2025-11-30", 24, "2025-11-30T00:00:00Z", "2025-12-01T00:00:00Z"},
	}
}

func moment(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// made is an entry of the scenario. Its amount is a power of two, so that each sum tells which entries are in it.
type made struct {
	at     time.Time
	kind   ledger.Type
	amount int64
}

// edges makes an account with an entry at the first moment of every period, of every day after one, and at the last moment
// before each, grants and adjustments in turn; oldest first.
func (w *world) edges(account string) []made {
	w.t.Helper()
	w.Account(w.t, account, 0)
	var at []time.Time
	for _, p := range zonedPeriods() {
		for _, s := range []string{p.from, p.to} {
			at = append(at, moment(w.t, s).Add(-time.Microsecond), moment(w.t, s))
		}
	}
	// The hour that comes twice.
	at = append(at, moment(w.t, "2025-11-02T05:30:00Z"), moment(w.t, "2025-11-02T06:30:00Z"))
	slices.SortFunc(at, time.Time.Compare)
	at = slices.CompactFunc(at, time.Time.Equal)
	pool, err := w.G.DB()
	if err != nil {
		w.t.Fatal(err)
	}
	var out []made
	for i, when := range at {
		m := made{when, ledger.Grant, 1 << i}
		if i%2 == 0 {
			w.grant(account, m.amount)
		} else {
			m.kind = ledger.Adjustment
			if _, err := w.Ledger.Adjust(w.t.Context(), ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: account, Amount: m.amount, Reason: "edge"}); err != nil {
				w.t.Fatal(err)
			}
		}
		// The times are moved by the owner of the tables, as no operation can.
		if _, err := pool.Exec(fmt.Sprintf(`ALTER TABLE entries DISABLE TRIGGER USER; UPDATE entries SET created_at = '%s' WHERE seq = %d;
			ALTER TABLE entries ENABLE TRIGGER USER`, when.Format(time.RFC3339Nano), i+1)); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// Whatever the zone, its month boundary and the length of its days: the rows on screen, their day groups, the totals, the
// balances at both ends and the files of all formats hold the entries from the first day's first moment to the last day's last.
func TestPeriodsInTimeZones(t *testing.T) {
	w := newWorld(t)
	all := w.edges("acct_7")
	for _, p := range zonedPeriods() {
		t.Run(p.zone+" "+p.first+" "+p.last, func(t *testing.T) {
			from, to := moment(t, p.from), moment(t, p.to)
			if to.Sub(from) != time.Duration(p.hours)*time.Hour {
				t.Fatalf("the period has %v", to.Sub(from))
			}
			zone, err := time.LoadLocation(p.zone)
			if err != nil {
				t.Fatal(err)
			}
			var want []made // newest first
			var opening, closing int64
			byType, byDay := map[ledger.Type]int64{}, map[string]int{}
			for _, m := range all {
				if m.at.Before(from) {
					opening += m.amount
				}
				if m.at.Before(to) {
					closing += m.amount
				}
				if !m.at.Before(from) && m.at.Before(to) {
					want = append([]made{m}, want...)
					byType[m.kind] += m.amount
					byDay[m.at.In(zone).Format(time.DateOnly)]++
				}
			}
			if len(want) == 0 || len(want) == len(all) {
				t.Fatalf("%d of %d entries are in the period", len(want), len(all))
			}
			b := w.signedIn(w.person(staff.Finance, staff.Preferences{TimeZone: p.zone}))
			b.t = t
			q := url.Values{"period": {"custom"}, "from": {p.first}, "to": {p.last}}.Encode()
			for _, path := range []string{"/ledger?" + q, "/ledger?account=acct_7&" + q, "/accounts/acct_7?" + q} {
				page := b.page(path)
				screen := b.onScreen(path)
				if !slices.Equal(amounts(screen), amountsOf(want)) {
					t.Errorf("%s shows %v, want %v", path, amounts(screen), amountsOf(want))
				}
				for kind, sum := range byType {
					word := map[ledger.Type]string{ledger.Grant: "Grant", ledger.Adjustment: "Adjustment"}[kind]
					b.says(page, word+" +"+grouped(sum))
				}
				if strings.HasPrefix(path, "/accounts") {
					b.says(page, "Opening, credits "+grouped(opening), "Closing, credits "+grouped(closing))
					groups := regexp.MustCompile(`scope="rowgroup"`).FindAllString(page, -1)
					if len(groups) != len(byDay) {
						t.Errorf("%d day groups, want %d", len(groups), len(byDay))
					}
				} else {
					b.says(page, fmt.Sprintf("Of this filter, credits %d entr", len(want)), "net +"+grouped(closing-opening))
				}
				b.filesHold(page, screen, zone, p)
			}
		})
	}
}

// filesHold compares the files that a page offers with its rows.
func (b *browser) filesHold(page string, screen []shown, zone *time.Location, p zoned) {
	b.t.Helper()
	name, file := b.exported(exportLink(page, "csv"))
	rows, all := inFile(b.t, file)
	if !slices.Equal(rows, screen) {
		b.t.Errorf("CSV %v, screen %v", rows, screen)
	}
	if !strings.Contains(name, p.first+"_"+p.last+"_"+strings.ReplaceAll(p.zone, "/", "-")) {
		b.t.Errorf("the name does not say period and zone: %s", name)
	}
	for _, r := range all[1:] {
		if day := r[0][:10]; day < p.first || day > p.last {
			b.t.Errorf("CSV of %s to %s has a row of %s", p.first, p.last, r[0])
		}
	}

	_, file = b.exported(exportLink(page, "xlsx"))
	book, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		b.t.Fatal(err)
	}
	defer book.Close()
	cells, err := book.GetRows("Ledger")
	if err != nil || len(cells) != 1+len(screen) {
		b.t.Fatalf("%d rows in the workbook, %v", len(cells), err)
	}
	for i, s := range screen {
		at := moment(b.t, s.at).In(zone).Format(time.DateTime)
		if got := cells[i+1]; got[0] != at || strings.ReplaceAll(got[4], ",", "") != s.credits || got[0][:10] < p.first || got[0][:10] > p.last {
			b.t.Errorf("workbook row %d: %v, want %s and %s", i+1, got[:5], at, s.credits)
		}
	}

	_, file = b.exported(exportLink(page, "journal"))
	heads := regexp.MustCompile(`(?m)^(\d{4}-\d{2}-\d{2}) \* .*$`).FindAllSubmatch(file, -1)
	sums := regexp.MustCompile(`(?m)^    equity:\S+  (-?\d+) credits$`).FindAllSubmatch(file, -1)
	if len(heads) != len(screen) || len(sums) != len(screen) {
		b.t.Fatalf("%d transactions and %d amounts in the journal, want %d", len(heads), len(sums), len(screen))
	}
	for i, s := range screen {
		k := len(screen) - 1 - i // it runs with time
		day := moment(b.t, s.at).In(zone).Format(time.DateOnly)
		if string(heads[k][1]) != day || string(sums[k][1]) != s.credits {
			b.t.Errorf("journal transaction %d: %s %s, want %s %s", k, heads[k][1], sums[k][1], day, s.credits)
		}
	}
}

func amounts(rows []shown) (out []string) {
	for _, r := range rows {
		out = append(out, r.credits)
	}
	return out
}

func amountsOf(rows []made) (out []string) {
	for _, r := range rows {
		out = append(out, strconv.FormatInt(r.amount, 10))
	}
	return out
}

// grouped is a number with the separators of the screen.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
