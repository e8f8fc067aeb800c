package console_test

import (
	"encoding/csv"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"recoup/models/modeltest"
	"recoup/models/staff"
	"recoup/models/verify"
)

// bookWorld is a world whose book time zone is Kathmandu, with two months that are over and entries on both sides
// of their ends.
func bookWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	at := func(s string) time.Time {
		x, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	// The month of Kathmandu begins at 18:15 of the day before in UTC.
	modeltest.Entries(t, w.G, "aurora",
		modeltest.Past{At: at("2025-08-31T18:14:59.999999Z"), Type: "grant", Amount: 1000, Category: "paid"},
		modeltest.Past{At: at("2025-08-31T18:15:00Z"), Type: "charge", Amount: -300, RuleVersion: "video_render@v1"},
		modeltest.Past{At: at("2025-09-10T10:00:00Z"), Type: "refund", Amount: 300, RuleVersion: "video_render@v1"},
		modeltest.Past{At: at("2025-09-11T10:00:00Z"), Type: "charge", Amount: -120, RuleVersion: "video_render@v2", RolloutID: "ro_1", Cohort: "candidate"},
		modeltest.Past{At: at("2025-09-30T18:14:59.999999Z"), Type: "grant", Amount: 7, Category: "goodwill"},
		modeltest.Past{At: at("2025-09-30T18:15:00Z"), Type: "reclaim", Amount: -300, RuleVersion: "video_render@v1"})
	return w
}

var ledgerLinks = regexp.MustCompile(`<a[^>]*href="(/ledger\?[^"]*)"[^>]*>([^<]*)</a>`)

// linked are the figures of a page that lead to the ledger.
func linked(page string) map[string]string {
	out := map[string]string{}
	for _, m := range ledgerLinks.FindAllStringSubmatch(page, -1) {
		out[strings.ReplaceAll(m[1], "&amp;", "&")] = m[2]
	}
	return out
}

var netOf = regexp.MustCompile(`(?s)<dl class="totals">.*?<dd>\s*<b class="[^"]*">([^<]*)</b>`)

func TestMonthPage(t *testing.T) {
	w := bookWorld(t)
	// Whoever looks from Tokyo sees the same days as the books.
	b := w.signedIn(w.person(staff.Finance, staff.Preferences{TimeZone: "Asia/Tokyo"}))
	page := b.page("/months/2025-09")
	for _, want := range []string{"September 2025", "1–30 Sep 2025", "Asia/Kathmandu", "video_render@v2", "ro_1", "candidate", "Goodwill",
		"By the kept sums, opening 1,000 and the month’s −113 make closing 887."} {
		if !strings.Contains(plain(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	links := linked(page)
	if len(links) < 20 {
		t.Fatalf("only %d figures lead to the ledger", len(links))
	}
	checked := 0
	for to, figure := range links {
		figure = strings.Trim(strings.TrimSpace(figure), "+−")
		if !regexp.MustCompile(`^[0-9,]+$`).MatchString(figure) {
			continue
		}
		list := b.page(to)
		if !strings.Contains(plain(list), "Asia/Kathmandu") {
			t.Errorf("%s does not name the zone of its days", to)
		}
		net := "0"
		if m := netOf.FindStringSubmatch(list); m != nil {
			net = strings.Trim(m[1], "+−")
		}
		if net != figure {
			t.Errorf("%s adds up to %s, the page says %s", to, net, figure)
		}
		checked++
	}
	if checked < 20 {
		t.Errorf("only %d figures were compared", checked)
	}
	if list := b.page("/months"); !strings.Contains(list, `href="/months/2025-09"`) || !strings.Contains(plain(list), "887") {
		t.Error("the list lacks September or its closing")
	}
	for _, path := range []string{"/months/2025-07", "/months/2031-01", "/months/nonsense", "/months/2025-13"} {
		if got := b.get(path).Code; got != http.StatusNotFound {
			t.Errorf("%s: %d", path, got)
		}
	}
	if page := b.page("/months?before=nonsense"); !strings.Contains(page, "/months/2025-09") {
		t.Error("a broken page position does not lead to the first page")
	}
}

// plain is a page without its tags and isolating characters.
func plain(page string) string {
	page = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, "")
	return strings.NewReplacer("\u2068", "", "\u2069", "", "&#39;", "'").Replace(page)
}

func TestMonthExport(t *testing.T) {
	w := bookWorld(t)
	rec := w.as(staff.Finance).get("/months/2025-09/export")
	if rec.Code != http.StatusOK || !strings.Contains(rec.Header().Get("Content-Disposition"), "recoup_month_2025-09_Asia-Kathmandu") {
		t.Fatalf("%d %v", rec.Code, rec.Header())
	}
	rows, err := csv.NewReader(rec.Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range rows[1:] {
		got[strings.Trim(r[0]+" "+r[3]+" "+r[4]+" "+r[5]+" "+r[8], " ")] = r[9] + " " + r[10]
	}
	for name, want := range map[string]string{"opening": " 1000", "type  charge": "2 -420", "group  charge video_render@v2": "1 -120", "group  grant  goodwill": "1 7",
		"closing": " 887", "net_of_jobs": " 120", "not_over": "0 0", "net_delivered": " 120", "open_refunds": "1 300", "day 2025-09-01 charge": "1 -300", "day 2025-09-30 grant": "1 7"} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	var audited int64
	w.G.Raw(`SELECT count(*) FROM audit_log WHERE action = 'month.export' AND object = 'month:2025-09'`).Scan(&audited)
	if audited != 1 {
		t.Errorf("%d audit rows", audited)
	}
	if code := w.as(staff.Support).get("/months/2025-09/export").Code; code != http.StatusForbidden {
		t.Errorf("support: %d", code)
	}
}

func TestCloseAMonth(t *testing.T) {
	w := bookWorld(t)
	b := w.as(staff.Finance)
	if page := b.page("/months/2025-08"); strings.Contains(page, "/months/2025-08/close") || !strings.Contains(plain(page), "The ledger was not verified since the month ended.") {
		t.Error("before verify ran the month can be closed, or the page does not say why it cannot")
	}
	if rec := b.get("/months/2025-08/close"); rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != "/months/2025-08" {
		t.Errorf("the form: %d", rec.Code)
	}
	// The entries of this world name jobs that are none, which verify has something to say of; the run is written as if it had not.
	v := verify.New(w.G)
	now := time.Now()
	if err := v.Record(t.Context(), verify.Report{Started: now, Finished: now, ByCheck: map[verify.Check]int64{}}); err != nil {
		t.Fatal(err)
	}
	if page := b.page("/months/2025-09"); !strings.Contains(plain(page), "August 2025 has entries and has to be closed first.") {
		t.Error("September does not say that August comes first")
	}
	if page := w.as(staff.Viewer).page("/months/2025-08"); strings.Contains(page, "/close") {
		t.Error("a viewer is offered to close a month")
	}
	if code := w.as(staff.Viewer).get("/months/2025-08/close").Code; code != http.StatusForbidden {
		t.Errorf("a viewer gets the form: %d", code)
	}
	form := b.page("/months/2025-08/close")
	digest, operation := hidden(t, form, "digest"), hidden(t, form, "operation_id")
	if !strings.Contains(plain(form), digest) {
		t.Error("the digest is not shown")
	}
	fields := url.Values{"operation_id": {operation}, "digest": {digest}, "reason": {"books of August"}, "confirm": {"2025-9"}}
	if rec := b.post("/months/2025-08/close", fields); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), "Type the month exactly") {
		t.Errorf("another month was typed: %d", rec.Code)
	}
	fields.Set("confirm", "2025-08")
	fields.Set("reason", " ")
	if rec := b.post("/months/2025-08/close", fields); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %d", rec.Code)
	}
	fields.Set("reason", "books of August")
	rec := b.post("/months/2025-08/close", fields)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	page := b.page(rec.Header().Get("Location"))
	for _, want := range []string{"The month is closed.", "books of August", digest, "By the kept sums the ledger still says exactly what was closed"} {
		if !strings.Contains(plain(page), want) {
			t.Errorf("afterwards the page lacks %q", want)
		}
	}
	// A double click is a replay; another form is a conflict that closes the dialog.
	rec = b.post("/months/2025-08/close", fields)
	if page := b.page(rec.Header().Get("Location")); !strings.Contains(plain(page), "Already done") {
		t.Error("the second click is not told to be one")
	}
	closedBy := fields.Get("operation_id")
	fields.Set("operation_id", "another")
	rec = b.post("/months/2025-08/close", fields)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("a conflict: %d", rec.Code)
	}
	page = plain(b.page(rec.Header().Get("Location")))
	if !strings.Contains(page, "This") && !strings.Contains(page, "The month is closed already.") || strings.Contains(page, "The month is closed. ") {
		t.Errorf("the conflict is not told")
	}
	// Nor does a form that is wrong otherwise come back: there is nothing left to close.
	for name, change := range map[string][2]string{"the same operation with another reason": {"reason", "other"}, "not confirmed": {"confirm", "x"}} {
		stale := maps.Clone(fields)
		if change[0] == "reason" {
			stale.Set("operation_id", closedBy)
		}
		stale.Set(change[0], change[1])
		rec = b.post("/months/2025-08/close", stale)
		if rec.Code != http.StatusSeeOther || !strings.Contains(plain(b.page(rec.Header().Get("Location"))), "books of August") {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Header().Get("Location"))
		}
	}

	// Somebody who owns the tables slips an entry into August: the page says so.
	modeltest.Entries(t, w.G, "slipped", modeltest.Past{At: time.Date(2025, 8, 20, 0, 0, 0, 0, time.UTC), Type: "grant", Amount: 5, Category: "paid"})
	page = plain(b.page("/months/2025-08"))
	for _, want := range []string{"The ledger no longer says what was closed.", "1 / 1,000", "2 / 1,005"} {
		if !strings.Contains(page, want) {
			t.Errorf("after an entry was slipped in the page lacks %q", want)
		}
	}
}
