package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/page"
	"recoup/models/staff"
)

// follow returns the address of a page's link with this rel, "" when it has none.
func follow(page, rel string) string {
	m := regexp.MustCompile(`<a class="btn" href="([^"]+)" rel="` + rel + `"`).FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], "&amp;", "&")
}

// F50: page two keeps the filter, and the way back leads to page one.
func TestCase_F50_PageTwoKeepsTheFilter(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1_000_000)
	w.Account(t, "other", 1000)
	for i := range 55 {
		w.Charge(t, "acct_7", fmt.Sprintf("job-%03d", i), 3)
		w.grant("acct_7", 1)
	}
	w.Charge(t, "other", "job-other", 3)
	b := w.as(staff.Viewer)
	for _, start := range []string{"/ledger?type=charge&account=acct_7", "/accounts/acct_7?type=charge", "/jobs?account=acct_7", "/ledger?type=charge&type=refund&account=acct_7&period=this_month"} {
		first := b.page(start)
		next := follow(first, "next")
		if next == "" || follow(first, "prev") != "" {
			t.Errorf("%s: next %q, prev %q", start, next, follow(first, "prev"))
			continue
		}
		second := b.page(next)
		seen := map[string]bool{}
		for _, p := range []string{first, second} {
			w.saysNot(p, "job-other")
			for _, m := range regexp.MustCompile(`title="(job-\d{3})"`).FindAllStringSubmatch(p, -1) {
				seen[m[1]] = true
			}
			if strings.Contains(p, `data-type="grant">Grant</span>`) && strings.Contains(start, "type=") && strings.Contains(strings.SplitN(p, "<tbody", 2)[1], `data-type="grant"`) {
				t.Errorf("%s: a page shows grants", start)
			}
		}
		if len(seen) != 55 {
			t.Errorf("%s: %d of 55 jobs on two pages", start, len(seen))
		}
		if follow(second, "next") != "" {
			t.Errorf("%s: a third page", start)
		}
		back := b.page(follow(second, "prev"))
		if rows(back) != rows(first) {
			t.Errorf("%s: the way back leads elsewhere", start)
		}
		if at, err := url.Parse(next); err != nil || at.Query().Get("account") == "" && !strings.HasPrefix(at.Path, "/accounts/") {
			t.Errorf("%s: the next page's URL does not say the filter: %s", start, next)
		}
		// A cursor of this filter under another one leads to that one's first page.
		at, err := url.Parse(next)
		if err != nil {
			t.Fatal(err)
		}
		other := at.Path + "?" + url.Values{"period": {"today"}, "cursor": {at.Query().Get("cursor")}}.Encode()
		if follow(b.page(other), "prev") != "" {
			t.Errorf("%s: the cursor of another filter was followed", start)
		}
	}
}

// rows is the text of a page's table.
func rows(page string) string {
	_, table, _ := strings.Cut(page, "<tbody")
	table, _, _ = strings.Cut(table, "</table>")
	return text("<tbody" + table)
}

// Discarded dead letters come latest discard first, whatever their age, and page by page.
func TestResolvedIsLatestFirst(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1_000_000)
	const all = 7
	for i := range all {
		w.dead("acct_7", fmt.Sprintf("j%d", i), 1, "no")
	}
	order := []int{3, 0, 6, 1, 5, 2, 4}
	for _, i := range order {
		if _, err := w.Jobs.Discard(context.Background(), job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: fmt.Sprintf("j%d", i), Reason: "too_old"}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	var from *job.Position
	for range all {
		p, err := w.Jobs.List(context.Background(), job.Filter{States: []job.State{job.Discarded}}, job.ByResolution, from, page.Older, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range p.Rows {
			got = append(got, j.ID)
		}
		if p.Older == nil {
			// And back again from the last page.
			back, err := w.Jobs.List(context.Background(), job.Filter{States: []job.State{job.Discarded}}, job.ByResolution, p.Newer, page.Newer, 2)
			if err != nil {
				t.Fatal(err)
			}
			if len(back.Rows) != 2 || back.Rows[0].ID != "j6" || back.Rows[1].ID != "j0" {
				t.Errorf("back: %d rows, %s first", len(back.Rows), back.Rows[0].ID)
			}
			break
		}
		from = p.Older
	}
	var want []string
	for i := len(order) - 1; i >= 0; i-- {
		want = append(want, fmt.Sprintf("j%d", order[i]))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v, want %v", got, want)
	}
	b := w.as(staff.Support)
	for tab, says := range map[string]string{"": "Oldest first.", "late": "Newest first.", "resolved": "Newest first."} {
		if tab == "" {
			w.dead("acct_7", "open1", 1, "no")
		}
		if tab == "late" {
			c := w.dead("acct_7", "late1", 1, "no")
			if _, err := w.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken}); err != nil {
				t.Fatal(err)
			}
		}
		w.says(b.page("/dead-letters?tab="+tab), says)
	}
}

// Nothing that stands in an address brings the server down.
func TestHostileAddresses(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Admin)
	long := strings.Repeat("x", 10_000)
	values := []string{"%00", "%ff%fe", "a%00b", long, strings.Repeat("9", 400), "-9223372036854775809", "9223372036854775807", "1e309", "NaN", "%27%3B--", "%25%25", "%5C", "%F0%9F%92%B8",
		"2026-02-30", "0000-00-00", "9999-12-31", "-1", "null", "{}", "%7B%22q%22%3A%22%22%7D", "eyJxIjoiIiwicCI6e30sImQiOiJvbGRlciJ9", "PHNjcmlwdD4", "..%2F..", "%3Cscript%3E", "custom"}
	paths := map[string][]string{
		"/ledger":          {"type", "account", "job", "operation", "rule_version", "rollout", "actor", "min", "max", "period", "from", "to", "cursor"},
		"/accounts":        {"q", "plan", "negative", "frozen", "cursor"},
		"/accounts/acct_7": {"type", "job", "operation", "rule_version", "from", "to", "cursor", "op", "op_scope", "refused", "request"},
		"/audit":           {"actor", "action", "object", "outcome", "period", "from", "to", "cursor"},
		"/jobs":            {"job", "account", "action", "state", "money", "cursor"},
		"/dead-letters":    {"tab", "account", "action", "class", "code", "text", "dependency", "version", "money", "assignee", "min", "max", "age", "within", "outcome", "group", "cursor"},
		"/search":          {"q"},
		"/operations":      {"scope", "id"},
		"/preferences":     {"next"},
		"/sign-in":         {"next", "lang"},
		"/sign-in/link":    {"token"},
	}
	for path, names := range paths {
		for _, name := range names {
			for _, v := range values {
				q := name + "=" + v
				switch name {
				case "from", "to":
					q += "&period=custom"
				case "scope":
					q += "&id=x"
				case "id":
					q += "&scope=account:acct_7"
				case "op":
					q += "&op_scope=account:acct_7"
				case "op_scope":
					q += "&op=x"
				}
				if rec := b.get(path + "?" + q); rec.Code >= 500 {
					t.Errorf("%s?%.60s: %d\n%s", path, q, rec.Code, w.log)
				}
			}
		}
		if rec := b.get(path + "?cursor=" + url.QueryEscape(hostileCursor(path))); rec.Code >= 500 {
			t.Errorf("%s with a forged cursor: %d\n%s", path, rec.Code, w.log)
		}
	}
	for _, v := range values {
		for _, path := range []string{"/accounts/" + v, "/accounts/acct_7/jobs/" + v, "/accounts/" + v + "/grants", "/accounts/acct_7/jobs/" + v + "/requeue"} {
			if rec := b.get(path); rec.Code >= 500 || rec.Code == http.StatusOK {
				t.Errorf("%.60s: %d", path, rec.Code)
			}
		}
	}
	// A filter that matches nothing says so, and one that cannot be read is named at its field.
	w.says(b.page("/ledger?account=nobody"), "No match.", "Clear filters")
	w.says(b.page("/ledger?account=a%00b"), "No match.")
	for query, says := range map[string]string{
		"min=1.5":                       "A whole number of credits, such as 40 or -40.",
		"period=custom&from=2026-02-30": "A day such as 2026-11-30.",
		"period=custom&from=2026-02-02&to=2026-02-01": "The last day lies before the first.",
		"type=bogus":             "There is no entry type bogus.",
		"type=grant&type=REFUND": "There is no entry type REFUND.",
		"period=next_week":       "There is no period next_week.",
	} {
		for _, path := range []string{"/ledger?", "/accounts/acct_7?"} {
			if path != "/ledger?" && strings.HasPrefix(query, "min") {
				continue // a statement has no such field
			}
			for _, header := range [][]string{nil, {"HX-Request", "true", "HX-Target", "list"}} {
				rec := b.get(path+query, header...)
				if rec.Code != http.StatusUnprocessableEntity {
					t.Errorf("%s%s: %d", path, query, rec.Code)
				}
				w.says(rec.Body.String(), says, "A part of the filter is not understood.")
				if list := rec.Body.String(); header != nil && strings.Contains(list, "<tbody") || strings.Contains(list, "/export?") {
					t.Errorf("%s%s shows entries or a file of them", path, query)
				}
			}
		}
	}
}

// hostileCursor is well-formed, of the right filter, and points beyond everything.
func hostileCursor(path string) string {
	c := page.Cursor[string, map[string]any]{Query: path + "?", Position: map[string]any{"t": "9999-12-31T23:59:59Z", "a": 9223372036854775807, "k": 1, "s": 9223372036854775807, "id": "\x00", "At": "0001-01-01T00:00:00Z"}, Direction: page.Newer}
	text, err := c.Encode()
	if err != nil {
		return path
	}
	return text
}

// Text that customers and workers wrote is shown, not run.
func TestTextOfOthersIsInert(t *testing.T) {
	w := newWorld(t)
	const evil = `<script>alert("x")</script>'"><img src=x onerror=alert(1)>`
	w.Account(t, "acct_7", 1000)
	w.name("acct_7", evil)
	c := w.charged("acct_7", "j1", 40)
	if _, err := w.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Permanent, Code: "bad_input", Message: evil}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j2", Action: modeltest.Action, Units: 1,
		Payload: []byte(`{"<script>alert(1)</script>": "<img src=x onerror=alert(1)>", "n": 9007199254740993, "api_token": "hunter2"}`)}); err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Admin)
	fin := w.as(staff.Finance)
	fin.sent("/accounts/acct_7/adjustments", fin.form("/accounts/acct_7/adjustments", "amount", "1", "reason", evil))
	q := url.QueryEscape(evil)
	for _, path := range []string{"/", "/accounts", "/accounts/acct_7", "/ledger", "/jobs", "/dead-letters", jobAt("acct_7", "j1", ""), jobAt("acct_7", "j2", ""),
		jobAt("acct_7", "j1", "/requeue"), jobAt("acct_7", "j1", "/discard"), "/accounts/acct_7/grants", "/search?q=" + q, "/search?q=" + url.QueryEscape(evil[:8]), "/ledger?operation=" + q,
		"/dead-letters?text=" + q, "/accounts?q=" + q, "/operations?scope=" + q + "&id=" + q, "/preferences?next=" + url.QueryEscape("/"+evil), "/accounts/acct_7?refused=" + q + "&request=" + q,
		"/sign-in?next=" + url.QueryEscape("/"+evil), "/sign-in/link?token=" + q, "/accounts/" + url.PathEscape(evil)} {
		rec := b.get(path)
		body := rec.Body.String()
		for _, bad := range []string{"<script>alert", "<img src=x", `onerror=alert(1)>`} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: %q stands in the page as markup", path, bad)
			}
		}
		if rec.Code >= 500 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
	w.says(b.page(jobAt("acct_7", "j1", "")), evil)
	w.says(b.page("/accounts/acct_7"), evil)
	page := b.page(jobAt("acct_7", "j2", ""))
	w.saysNot(page, "9007199254740993", "hunter2")
}

// A list that the database cannot read says so in its place, with what to report and a way to try again.
func TestUnreadableLists(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Admin)
	for _, x := range []struct{ damage, mend, path string }{
		{"ALTER TABLE entries RENAME TO entries_away", "ALTER TABLE entries_away RENAME TO entries", "/ledger?type=charge"},
		{"ALTER TABLE jobs RENAME COLUMN units TO units_away", "ALTER TABLE jobs RENAME COLUMN units_away TO units", "/accounts/acct_7?type=charge"},
		{"ALTER TABLE jobs RENAME COLUMN units TO units_away", "ALTER TABLE jobs RENAME COLUMN units_away TO units", "/jobs?state=dead"},
		{"ALTER TABLE dead_letters RENAME COLUMN cost TO cost_away", "ALTER TABLE dead_letters RENAME COLUMN cost_away TO cost", "/dead-letters?class=permanent"},
		{"ALTER TABLE accounts RENAME COLUMN plan TO plan_away", "ALTER TABLE accounts RENAME COLUMN plan_away TO plan", "/accounts?q=acct"},
	} {
		if err := w.G.Exec(x.damage).Error; err != nil {
			t.Fatal(err)
		}
		rec := b.get(x.path)
		id := rec.Header().Get("X-Request-Id")
		if rec.Code != http.StatusInternalServerError || id == "" {
			t.Errorf("%s: %d", x.path, rec.Code)
		}
		w.says(rec.Body.String(), "This list cannot be read just now.", "Nothing was changed.", "Try again", id, "Filter")
		w.saysNot(rec.Body.String(), "away", "SQLSTATE", "No match", "none")
		if !strings.Contains(rec.Body.String(), `href="`+x.path+`"`) {
			t.Errorf("%s: no link to try again", x.path)
		}
		if !strings.Contains(w.log.String(), `"request_id":"`+id+`"`) || !strings.Contains(w.log.String(), "does not exist") {
			t.Errorf("%s: the log does not have the error under its request id:\n%s", x.path, w.log)
		}
		part := b.get(x.path, "HX-Request", "true", "HX-Target", "list").Body.String()
		if !strings.Contains(part, `id="list"`) || strings.Contains(part, "<html") {
			t.Errorf("%s: htmx does not get the list alone", x.path)
		}
		if err := w.G.Exec(x.mend).Error; err != nil {
			t.Fatal(err)
		}
		w.saysNot(b.page(x.path), "cannot be read")
	}
}

// TestNobodyKnowsWhatAFailedPostDid: an error of ours does not say of what a form asked for that it was not done; it may have
// been, and the same form sent again says so. What was only read changed nothing.
func TestNobodyKnowsWhatAFailedPostDid(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Admin)
	at := jobAt("acct_7", "j1", "/requeue")
	form := b.form(at, "reason", "storage is back", "when", "now")
	for _, sql := range []string{"ALTER TABLE jobs RENAME COLUMN generation TO generation_away", "ALTER TABLE jobs RENAME COLUMN generation_away TO generation"} {
		if err := w.G.Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
		posted, read := b.post(at, form), b.get(at)
		if strings.HasSuffix(sql, "away") {
			if posted.Code != http.StatusInternalServerError || read.Code != http.StatusInternalServerError {
				t.Fatalf("%d, %d", posted.Code, read.Code)
			}
			w.says(posted.Body.String(), "Something failed on our side", "It may have been done all the same", "Go back and send the same form again", posted.Header().Get("X-Request-Id"))
			w.saysNot(posted.Body.String(), "Nothing was changed")
			w.says(read.Body.String(), "Nothing was changed.")
			continue
		}
		if posted.Code != http.StatusSeeOther {
			t.Errorf("sent again: %d", posted.Code)
		}
	}
}

// Days are those of the person's zone, the last one included, also where a day has 23 or 25 hours.
func TestPeriodsInThePersonsZone(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	type grant struct {
		at  string
		sum int64
	}
	// Two entries in the account; the times are moved by the owner of the tables, as no operation can.
	move := func(grants ...grant) {
		w.t.Helper()
		for i, g := range grants {
			w.grant("acct_7", g.sum)
			at, err := time.Parse(time.RFC3339, g.at)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range []string{"ALTER TABLE entries DISABLE TRIGGER ALL", "UPDATE entries SET created_at = ? WHERE seq = (SELECT max(seq) FROM entries)", "ALTER TABLE entries ENABLE TRIGGER ALL"} {
				var args []any
				if strings.Contains(q, "?") {
					args = append(args, at)
				}
				if err := w.G.Exec(q, args...).Error; err != nil {
					t.Fatal(i, err)
				}
			}
		}
	}
	move(
		grant{"2026-03-08T04:59:59Z", 1},   // New York: 7 March 23:59:59
		grant{"2026-03-08T05:00:00Z", 10},  // 8 March 00:00, a day of 23 hours
		grant{"2026-03-09T03:59:59Z", 100}, // 8 March 23:59:59
		grant{"2026-03-09T04:00:00Z", 1000},
		grant{"2026-11-01T04:00:00Z", 10_000},         // New York: 1 November 00:00, a day of 25 hours
		grant{"2026-11-02T04:59:59Z", 100_000},        // 1 November 23:59:59
		grant{"2026-11-02T05:00:00Z", 1_000_000},      // 2 November
		grant{"2026-11-09T18:14:59Z", 10_000_000},     // Kathmandu: 9 November 23:59:59
		grant{"2026-11-09T18:15:00Z", 100_000_000},    // 10 November 00:00
		grant{"2026-11-10T18:14:59Z", 1_000_000_000},  // 10 November 23:59:59
		grant{"2026-11-10T18:15:00Z", 10_000_000_000}, // 11 November
	)
	for _, x := range []struct {
		zone, from, to string
		says           []string
	}{
		{"America/New_York", "2026-03-08", "2026-03-08", []string{"2 entries", "+110", "8 Mar 2026, America/New_York, last day included", "Sunday 8 March 2026 · 2 entries opening 1 · net +110 · closing 111"}},
		{"America/New_York", "2026-11-01", "2026-11-01", []string{"2 entries", "+110,000", "opening 1,111 · net +110,000 · closing 111,111"}},
		{"Asia/Kathmandu", "2026-11-10", "2026-11-10", []string{"2 entries", "+1,100,000,000", "opening 11,111,111 · net +1,100,000,000 · closing 1,111,111,111"}},
		{"Asia/Kathmandu", "2026-11-09", "2026-11-10", []string{"3 entries", "9–10 Nov 2026, Asia/Kathmandu, last day included"}},
	} {
		b := w.signedIn(w.person(staff.Finance, staff.Preferences{TimeZone: x.zone}))
		q := "?" + url.Values{"period": {"custom"}, "from": {x.from}, "to": {x.to}}.Encode()
		w.says(b.page("/accounts/acct_7"+q), x.says...)
		w.says(b.page("/ledger?account=acct_7&"+q[1:]), x.says[0], x.says[1])
		w.says(b.page("/ledger"+q), x.says[0], x.says[1])
	}
}
