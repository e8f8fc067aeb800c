package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"recoup/models/audit"
	"recoup/models/export"
	"recoup/models/staff"
	"recoup/models/task"
)

// many gives an account more entries than a file may hold that is sent at once.
func (w *world) many(account string) {
	w.t.Helper()
	w.Account(w.t, account, 0)
	pool, err := w.G.DB()
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := pool.Exec(fmt.Sprintf(`ALTER TABLE entries DISABLE TRIGGER USER;
		INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, reason, created_at, hash)
		SELECT a.key, n, 'adjustment', 1, n, 'op-' || n, 'key:test', 'r', now() - interval '1 day' + n * interval '1 ms', sha256('x')
		FROM accounts a, generate_series(1, %[1]d) n WHERE a.id = '%[2]s';
		ALTER TABLE entries ENABLE TRIGGER USER;
		UPDATE accounts SET last_seq = %[1]d, balance = %[1]d, last_at = now() WHERE id = '%[2]s'`, directEntries+1, account)); err != nil {
		w.t.Fatal(err)
	}
}

// work does the oldest task that waits, as a worker would.
func (w *world) work() {
	w.t.Helper()
	var key int64
	if err := w.G.Raw(`SELECT COALESCE(min(key), 0) FROM tasks WHERE state = 'waiting'`).Scan(&key).Error; err != nil {
		w.t.Fatal(err)
	}
	run, err := w.tasks.Take(w.t.Context(), key, "test")
	if err != nil || run == nil {
		w.t.Fatalf("task %d: %v %v", key, run, err)
	}
	result, err := w.exports.Run(w.t.Context(), run)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := run.Finish(w.t.Context(), result); err != nil {
		w.t.Fatal(err)
	}
}

// A file that is too large to be sent at once is asked for by a form, made by a worker, taken by anybody who may export, and gone when
// its time is over; each step is on record.
func TestLargeExportGoesThroughTheBackground(t *testing.T) {
	w := newWorld(t)
	w.many("acct_7")
	b := w.signedIn(w.person(staff.Finance, staff.Preferences{TimeZone: "Asia/Tokyo"}))
	if strings.Contains(b.page("/exports"), "<tr data-row>") {
		t.Error("there are exports already")
	}
	w.says(b.page("/exports"), "No exports yet")
	link := exportLink(b.page("/ledger?type=adjustment&account=acct_7"), "csv")
	page := b.page(link)
	w.says(page, "Make this file in the background", "more than 1,000 entries", "kept for 1 d", "Asia/Tokyo", "Type Adjustment", "Account id acct_7", "Send it now")
	w.says(b.page(strings.Replace(link, "csv", "xlsx", 1)), "Send it now")
	form := b.form(link)
	rec := b.post(link, form)
	to := rec.Header().Get("Location")
	if rec.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/exports/") {
		t.Fatalf("%d to %s", rec.Code, to)
	}
	w.says(b.page(to), "The file was asked for.", "Waiting", "Cancel the export", "Type Adjustment")
	at, _, _ := strings.Cut(to, "?")
	// A double click is the same file.
	again := b.post(link, form)
	if got, _, _ := strings.Cut(again.Header().Get("Location"), "?"); got != at {
		t.Errorf("sent twice it is another export: %s", got)
	}
	w.says(b.page(again.Header().Get("Location")), "Already done.")
	if rec := b.get(at + "/file"); rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != at {
		t.Errorf("a file that is not written: %d", rec.Code)
	}
	w.work()
	w.says(b.page(at), "Done", "The file is ready and is kept until", "JST", "Entries 1,001", "Adjustment +1,001", "Download")
	w.says(b.page("/exports"), "Done", "recoup_ledger_acct_7_filtered_all_Asia-Tokyo_1001-entries_at_", "1,001")

	// Another person who may export sees it among everybody's and takes it; a viewer does neither.
	other := w.as(staff.Lead)
	w.says(other.page("/exports"), "No exports yet")
	w.says(other.page("/exports?of=all"), "1,001", "Pat finance")
	name, file := other.exported(at + "/file")
	rows, _ := inFile(t, file)
	screen := b.onScreen("/ledger?type=adjustment&account=acct_7")
	if len(rows) != directEntries+1 || len(screen) != len(rows) || rows[0] != screen[0] || rows[directEntries] != screen[directEntries] {
		t.Errorf("%d rows in the file, %d on screen", len(rows), len(screen))
	}
	if !strings.Contains(name, "1001-entries") || !strings.Contains(name, "Asia-Tokyo") {
		t.Error(name)
	}
	for _, path := range []string{"/exports", at, at + "/file", at + "/cancel"} {
		if rec := w.as(staff.Viewer).get(path); rec.Code != http.StatusForbidden {
			t.Errorf("a viewer at %s: %d", path, rec.Code)
		}
	}
	id := strings.TrimPrefix(at, "/exports/")
	taken, err := audit.Of(t.Context(), w.G, export.Object(id), 10)
	if err != nil || len(taken) != 1 || taken[0].Action != "export.download" || taken[0].Actor != other.who.Actor().String() {
		t.Errorf("audit of the download: %+v %v", taken, err)
	}

	// Its time is over.
	if err := w.G.Exec(`UPDATE tasks SET expires_at = now() - interval '1 second' WHERE id = ?`, id).Error; err != nil {
		t.Fatal(err)
	}
	expired := b.page(at)
	w.says(expired, "Expired", "is gone", "Make it again")
	w.saysNot(expired, "Download")
	if rec := b.get(at + "/file"); rec.Code != http.StatusSeeOther {
		t.Errorf("an expired file: %d", rec.Code)
	}
	w.says(b.page("/exports"), "Expired")
	if !strings.Contains(expired, `href="/ledger/export?account=acct_7&amp;format=csv&amp;type=adjustment"`) {
		t.Error("the page does not lead to the same file anew")
	}
}

// What is asked for again are the days that were asked for, not those of the same name.
func TestExportKeepsItsDays(t *testing.T) {
	w := newWorld(t)
	w.many("acct_7")
	b := w.signedIn(w.person(staff.Finance, staff.Preferences{TimeZone: "Asia/Tokyo"}))
	q := url.Values{"period": {"custom"}, "from": {"2020-01-01"}}
	link := "/accounts/acct_7/export?format=xlsx&" + q.Encode()
	rec := b.post(link, b.form(link))
	f, err := w.exports.List(t.Context(), b.who.Actor().String(), 1)
	if err != nil || len(f) != 1 {
		t.Fatalf("%d %v %v", rec.Code, f, err)
	}
	if f[0].Input.Page != "/accounts/acct_7?from=2020-01-01&period=custom" || f[0].Input.Of != "acct_7_since_2020-01-01" {
		t.Errorf("%+v", f[0].Input)
	}
	w.says(b.page("/exports/"+f[0].ID), "Account id acct_7", "since 1 Jan 2020, Asia/Tokyo")
	// And "this month" is written down as its days.
	link = "/ledger/export?format=csv&account=acct_7&period=yesterday"
	form := url.Values{"operation_id": {"start-yesterday"}}
	if rec := b.post(link, form); rec.Code != http.StatusSeeOther {
		t.Fatalf("%d", rec.Code)
	}
	if f, err = w.exports.List(t.Context(), "", 1); err != nil || strings.Contains(f[0].Input.Page, "yesterday") || !strings.Contains(f[0].Input.Page, "period=custom") {
		t.Errorf("%v %v", f[0].Input.Page, err)
	}
	// A link from a month's page means the days of the book time zone, whatever the person's own is.
	link = "/ledger/export?format=csv&zone=book&" + q.Encode()
	if rec := b.post(link, b.form(link)); rec.Code != http.StatusSeeOther {
		t.Fatalf("%d", rec.Code)
	}
	if f, err = w.exports.List(t.Context(), "", 1); err != nil {
		t.Fatal(err)
	}
	if in := f[0].Input; in.Zone != "Asia/Kathmandu" || in.Filter.From == nil || !in.Filter.From.Equal(moment(t, "2019-12-31T18:15:00Z")) || !strings.Contains(in.Page, "zone=book") {
		t.Errorf("%+v", in)
	}
	w.says(b.page("/exports/"+f[0].ID), "since 1 Jan 2020, Asia/Kathmandu")
}

// F51 and F47 for exports: canceling asks first, and when it is over already nothing says that it was canceled.
func TestCase_F51_CancelAnExportThatIsOver(t *testing.T) {
	w := newWorld(t)
	w.many("acct_7")
	b := w.as(staff.Finance)
	link := "/accounts/acct_7/export?format=csv"
	at, _, _ := strings.Cut(b.post(link, b.form(link)).Header().Get("Location"), "?")
	stale := b.form(at + "/cancel")
	w.says(b.page(at+"/cancel"), "are written so far; they are thrown away")
	w.work()
	for range 2 {
		page := b.sent(at+"/cancel", stale)
		w.says(page, "Too late: the export is over already.", "Nothing was changed.", "Done", "Download")
		w.saysNot(page, "was canceled", "Already done")
	}
	second, _, _ := strings.Cut(b.post(link, b.form(link)).Header().Get("Location"), "?")
	page := b.sent(second+"/cancel", b.form(second+"/cancel"))
	w.says(page, "The export was canceled.", "Canceled", "Make it again")
	f, err := w.exports.Find(t.Context(), strings.TrimPrefix(second, "/exports/"))
	if err != nil || f.State != task.Canceled {
		t.Errorf("%s %v", f.State, err)
	}
	if rec := b.get("/exports/none"); rec.Code != http.StatusNotFound {
		t.Errorf("an unknown export: %d", rec.Code)
	}
}

// A file that cannot be made says why, and what to do.
func TestFailedExportSaysWhy(t *testing.T) {
	w := newWorld(t)
	w.many("acct_7")
	b := w.as(staff.Finance)
	link := "/accounts/acct_7/export?format=csv"
	at, _, _ := strings.Cut(b.post(link, b.form(link)).Header().Get("Location"), "?")
	var key int64
	if err := w.G.Raw(`SELECT max(key) FROM tasks`).Scan(&key).Error; err != nil {
		t.Fatal(err)
	}
	run, err := w.tasks.Take(t.Context(), key, "test")
	if err != nil {
		t.Fatal(err)
	}
	w.says(b.page(at), "Running")
	if err := run.Fail(t.Context(), export.CodeStorageFull, "internal words"); err != nil {
		t.Fatal(err)
	}
	page := b.page(at)
	w.says(page, "Failed", "There is no room for this file", "Make it again")
	w.saysNot(page, "internal words", "Download")
}
