package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/models/deadletter"
	"recoup/models/fingerprint"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/page"
	"recoup/models/staff"
)

// groupOf is the page of the group of what world.dead makes.
func groupOf(message string) string {
	return "/dead-letters/groups/" + fingerprint.Failure{Action: modeltest.Action, Code: "unsupported_codec", Message: message}.ID()
}

// triageSamples classifies the routes of dead letters.
func triageSamples() map[string]sample {
	const j = "/accounts/acct_7/jobs/j1"
	reason := url.Values{"reason": {"because"}}
	group := groupOf("no")
	return map[string]sample{
		"console.dead_letters.new":   {path: "/dead-letters/new?since=2026-01-01T00:00:00Z", opens: every()},
		"console.groups":             {path: "/dead-letters/groups", opens: every()},
		"console.group":              {path: group, opens: every()},
		"console.group.note.post":    {path: group + "/note", form: url.Values{"note": {"known"}}, opens: support()},
		"console.group.snooze":       {path: group + "/snooze", opens: support()},
		"console.group.snooze.post":  {path: group + "/snooze", form: url.Values{"until": {inAnHour()}}, opens: support()},
		"console.group.resolve":      {path: group + "/resolve", opens: support()},
		"console.group.resolve.post": {path: group + "/resolve", form: reason, opens: support()},
		"console.group.reopen.post":  {path: group + "/reopen", form: url.Values{}, opens: support()},
		"console.assign.post":        {path: j + "/assign", form: url.Values{"assignee": {""}}, opens: support()},
		"console.snooze.post":        {path: j + "/snooze", form: url.Values{"until": {inAnHour()}}, opens: support()},
		"console.job.note":           {path: j + "/note", opens: support()},
		"console.job.note.post":      {path: j + "/note", form: url.Values{"note": {"asked"}}, opens: support()},
		"console.recover":            {path: j + "/recover", opens: support()},
		"console.recover.post":       {path: j + "/recover", form: url.Values{"reason": {"because"}, "result": {"s3://x"}}, opens: support()},
		"console.undo.post":          {path: j + "/undo", form: url.Values{"undoes": {"nothing"}}, opens: support()},
	}
}

// formOf are the hidden fields of the form that is posted to an address.
func formOf(t *testing.T, page, action string) url.Values {
	t.Helper()
	_, form, found := strings.Cut(page, `action="`+action+`?sent"`) // of a page of its own
	if !found {
		_, form, found = strings.Cut(page, `action="`+action+`"`)
	}
	if !found {
		t.Fatalf("no form for %s in\n%s", action, text(page))
	}
	form, _, _ = strings.Cut(form, "</form>")
	v := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		v.Set(m[1], strings.NewReplacer("&amp;", "&", "&#34;", `"`).Replace(m[2]))
	}
	return v
}

// TestTakeSnoozeAndUndo goes through a support person's morning: take one from the list, put it out of sight, undo
// that, leave a note.
func TestTakeSnoozeAndUndo(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.name("acct_7", "Hoshino Studio")
	w.dead("acct_7", "j1", 40, "frame 7 is broken")
	w.dead("acct_7", "j2", 2, "frame 8 is broken")
	b := w.as(staff.Support)
	list := "/dead-letters?code=unsupported_codec"
	page := b.page(list)
	w.says(page, "Hoshino Studio", "Open 2", "Refunded, credits 42", "Not refunded, credits 0", "Inflow 2")
	take := formOf(t, page, jobAt("acct_7", "j1", "/assign"))
	page = b.sent(jobAt("acct_7", "j1", "/assign"), take)
	w.says(page, "j1 was assigned to Pat support.", "Undo", "Pat support", "Reason code unsupported_codec")
	w.says(rows(b.page("/dead-letters?tab=mine")), "j1")
	w.saysNot(rows(b.page("/dead-letters?tab=mine")), "j2")
	// A double click is a replay.
	w.says(b.sent(jobAt("acct_7", "j1", "/assign"), take), "Already done.")

	snooze := formOf(t, b.page(list), jobAt("acct_7", "j1", "/snooze"))
	page = b.sent(jobAt("acct_7", "j1", "/snooze"), snooze)
	w.says(page, "j1 is snoozed until", "09:00:00")
	w.saysNot(rows(page), "j1")
	w.says(rows(b.page("/dead-letters?tab=snoozed")), "j1", "snoozed until")
	page = b.sent(jobAt("acct_7", "j1", "/undo"), formOf(t, page, jobAt("acct_7", "j1", "/undo")))
	w.says(page, "Undone: j1 is as it was before.")
	w.says(rows(page), "j1")

	form := jobAt("acct_7", "j1", "/note")
	w.says(b.sent(form, b.form(form, "note", "asked the\r\nprovider")), "A note was added to j1.", "asked the provider", "Pat support")
	page = b.page(jobAt("acct_7", "j1", ""))
	w.says(page, "Who takes care", "Assigned", "Snoozed", "Undone", "Note")
	if rec := b.post(form, b.form(form, "note", " ")); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("an empty note: %d", rec.Code)
	}
	// Somebody who may only look sees it and cannot change it.
	viewer := w.as(staff.Viewer)
	w.says(viewer.page("/dead-letters"), "Pat support")
	w.saysNot(viewer.page("/dead-letters"), "Take", "Release")
}

// TestCase_F51: two people take the same dead letter. One wins, the other is told by whom and when, sees the object as it
// is, and gets a new operation id.
func TestCase_F51(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	one, two := w.as(staff.Support), w.as(staff.Lead)
	assign, requeue := jobAt("acct_7", "j1", "/assign"), jobAt("acct_7", "j1", "/requeue")
	mine, theirs := formOf(t, one.page("/dead-letters"), assign), formOf(t, two.page("/dead-letters"), assign)
	one.sent(assign, mine)
	page := two.sent(assign, theirs)
	w.says(page, "Somebody else has taken it meanwhile. By Pat support,", "UTC.", "Nothing was changed.")
	w.saysNot(page, "was assigned to")
	if again := formOf(t, page, assign); again.Get("operation_id") == theirs.Get("operation_id") || again.Get("seen") != one.who.Actor().String() {
		t.Errorf("the page offers %v", again)
	}
	// The same with the work itself.
	first, second := one.form(requeue, "reason", "back again", "generation", "0"), two.form(requeue, "reason", "back again", "generation", "0")
	one.sent(requeue, first)
	page = two.sent(requeue, second)
	w.says(page, "Too late:", "By Pat support,", "Nothing was changed.")
	if j := w.state("acct_7", "j1"); j.Generation != 1 {
		t.Errorf("generation %d", j.Generation)
	}
	w.says(two.sent(assign, url.Values{"operation_id": {"late"}, "assignee": {two.who.ID}, "generation": {"0"}}), "Too late: the job was requeued meanwhile. By Pat support,")
}

// asked counts the statements that a database is sent.
type asked struct{ n atomic.Int64 }

func (a *asked) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	a.n.Add(1)
	return ctx
}

func (a *asked) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestCase_F49: twelve failures are found among many by account, error, code and time, and by what else is known, each page by as many
// statements as a page of few rows: none is sent for a group or a row. That each goes by an index is bench's to hold, among millions.
func TestCase_F49(t *testing.T) {
	statements := &asked{}
	w := worldOver(t, modeltest.Open(t, modeltest.URL(t), statements), "http://recoup.test")
	w.Account(t, "acct_7", 1000)
	w.Account(t, "acct_8", 0)
	w.name("acct_8", "Zephyr Audio")
	pool, err := w.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	_, err = pool.Exec(`INSERT INTO jobs (account_key, id, action, units, mode, cost, rule_version, operation_id, is_refunded, refunded_at, state, attempt, not_before, expires_at,
			dead_at, error_class, error_code, error_message, dependency, max_attempts, lease_ms, deadline_ms, expires_ms, backoff_base_ms, backoff_max_ms, jitter)
		SELECT a.key, a.id || '-' || n, 'video_render', n, 'managed', n, 'video_render@v1', 'op', true, now(), 'dead', 1, now(), now(), now() - n * interval '1 minute',
			CASE WHEN n % 2 = 0 THEN 'transient' ELSE 'permanent' END, 'code_' || n % 40, 'frame ' || n || ' of clip ' || n % 7 || ' is broken', 'dep-' || n % 3, 3, 1, 1, 1, 1, 1, false
		FROM accounts a, generate_series(1, 20000) n;
		ANALYZE`)
	if err != nil {
		t.Fatal(err)
	}
	for {
		n, err := w.Letters.FillFingerprints(context.Background(), 10_000)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	b := w.as(staff.Support)
	sent := func(path string) (page string, n int64) {
		before := statements.n.Load()
		page = b.page(path)
		return page, statements.n.Load() - before
	}
	b.page("/dead-letters?account=nobody") // what is asked once a session
	for name, x := range map[string]struct {
		query string
		want  int
	}{
		"account and code":       {"account=acct_8&code=code_7&min=19000&max=19480", 12},
		"name, error and amount": {"account=zephyr&text=CLIP+3+is&min=100&max=183", 12},
		"class and time":         {"account=acct_7&within=24h&code=code_20&class=transient&min=41&max=520", 12},
		"dependency":             {"account=acct_7&dependency=dep-1&max=34", 12},
		"age and text":           {"account=acct_8&age=7d&text=frame+1999", 10},
		"nothing":                {"account=acct_8&code=code_7&class=transient", 0},
		"a name of nobody":       {"account=nobody", 0},
	} {
		page, n := sent("/dead-letters?" + x.query)
		if got := strings.Count(page, "<tr data-row"); got != x.want {
			t.Errorf("%s: %d rows, want %d", name, got, x.want)
		}
		if n > 15 {
			t.Errorf("%s: %d statements", name, n)
		}
		if x.want > 0 {
			w.says(page, "Open 40,000", "Clear all")
		}
	}
	// Every group shows what the database holds.
	groups, err := w.Letters.Groups(context.Background(), deadletter.OpenGroups, nil, page.Older, 200)
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, g := range groups.Rows {
		sum += g.Open
	}
	if sum != 40_000 || len(groups.Rows) != 120 {
		t.Errorf("%d groups hold %d", len(groups.Rows), sum)
	}
	g := groups.Rows[0]
	w.says(b.page("/dead-letters/groups"), g.Pattern, fmt.Sprint(g.Open), "2")
}

// TestFreshLetters: what comes in is offered, and the rows stay where they are.
func TestFreshLetters(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Support)
	page := b.page("/dead-letters?code=unsupported_codec")
	m := regexp.MustCompile(`hx-get="([^"]+)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("nothing asks for news in\n%s", page)
	}
	poll := strings.ReplaceAll(m[1], "&amp;", "&")
	w.saysNot(b.page(poll), "new")
	w.dead("acct_7", "j2", 40, "no")
	w.says(b.page(poll), "1 new: show")
	w.dead("acct_7", "j3", 40, "no")
	news := b.page(poll)
	w.says(news, "2 new: show")
	if !strings.Contains(news, `href="/dead-letters?code=unsupported_codec"`) || !strings.Contains(news, "hx-get") {
		t.Errorf("the line does not lead back or does not ask again: %s", news)
	}
	w.saysNot(b.page(strings.Replace(poll, "unsupported_codec", "other", 1)), "new")
	for _, bad := range []string{"/dead-letters/new", "/dead-letters/new?since=x", poll + "&tab=late", poll + "&min=x"} {
		if rec := b.get(bad); rec.Code != http.StatusUnprocessableEntity && rec.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, rec.Code)
		}
	}
}

// TestGroupPages: the shared note, out of sight, resolved, and back.
func TestGroupPages(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "frame 7 is broken")
	w.dead("acct_7", "j2", 2, "frame 8 is broken")
	one, two := w.as(staff.Support), w.as(staff.Lead)
	at := groupOf("frame 7 is broken")
	page := one.page(at)
	w.says(page, "2 open dead letters of 1 account. What", "frame <number> is broken", "Open dead letters 2", "Accounts 1", "Refunded, credits 42", "j1", "j2")
	if !strings.Contains(page, `aria-label="2 deaths in the last 7 days"`) {
		t.Error("the trend has no words")
	}
	stale := formOf(t, two.page(at), at+"/note")
	note := formOf(t, page, at+"/note")
	note.Set("note", "The provider knows")
	note.Set("link", "https://status.example/7")
	page = one.sent(at+"/note", note)
	w.says(page, "The note was saved.", "The provider knows", "https://status.example/7", "By Pat support,")
	stale.Set("note", "Nobody knows")
	rec := two.post(at+"/note", stale)
	if rec.Code != http.StatusConflict {
		t.Fatalf("a note that came too late: %d", rec.Code)
	}
	w.says(rec.Body.String(), "The group was changed meanwhile.", "By Pat support,", "The note that stands there now", "The provider knows")
	if again := rec.Body.String(); !strings.Contains(again, "Nobody knows</textarea>") || operationID(t, again) == stale.Get("operation_id") {
		t.Error("what was typed is gone, or would be sent as it was")
	}
	bad := formOf(t, page, at+"/note")
	bad.Set("link", "javascript:alert(1)")
	if rec := one.post(at+"/note", bad); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), "begins with https://") {
		t.Errorf("a bad link: %d", rec.Code)
	}
	w.says(one.sent(at+"/snooze", one.form(at+"/snooze", "until", "never", "more", "1")), "Snoozed until 1 more job dies of it.")
	w.saysNot(rows(one.page("/dead-letters")), "j1")
	w.says(rows(one.page("/dead-letters?tab=snoozed")), "j1")
	w.says(one.page("/dead-letters/groups?view=snoozed"), "frame <number> is broken", "The provider knows")
	w.dead("acct_7", "j3", 2, "frame 9 is broken")
	w.says(rows(one.page("/dead-letters")), "j1", "j3")
	w.says(one.sent(at+"/resolve", one.form(at+"/resolve", "reason", "new codec")), "The group is resolved.", "No job has died of it since.")
	if rec := one.post(at+"/resolve", one.form(at+"/resolve", "reason", "")); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %d", rec.Code)
	}
	w.dead("acct_7", "j4", 2, "frame 10 is broken")
	w.says(one.page(at), "Returned", "and back")
	w.says(rows(one.page("/dead-letters/groups")), "Returned")
	w.says(one.page("/dead-letters?group="+strings.TrimPrefix(at, "/dead-letters/groups/")), "j4", "Group "+strings.TrimPrefix(at, "/dead-letters/groups/"))
	if rec := one.get("/dead-letters/groups/nothing"); rec.Code != http.StatusNotFound {
		t.Errorf("no group: %d", rec.Code)
	}
}

// TestLateSuccessTab: what it came too late for, what was taken back, and the balance after it; duplicates stay.
func TestLateSuccessTab(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 40)
	c := w.dead("acct_7", "j1", 40, "no")
	if _, err := w.Jobs.Discard(context.Background(), job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j1", Reason: "too_old"}); err != nil {
		t.Fatal(err)
	}
	for _, result := range []string{"s3://first", "s3://second"} {
		if _, err := w.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Result: result}); err != nil {
			t.Fatal(err)
		}
	}
	w.name("acct_7", "Hoshino Studio")
	w.says(rows(w.as(staff.Support).page("/dead-letters?tab=late")), "j1", "Hoshino Studio", "Discarded", "\u221240", "0", "s3://first", "delivered 2 times")
}

// TestRecoveredByHand: the dialog says the balance before and after, and the notice what it came to.
func TestRecoveredByHand(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Support)
	at := jobAt("acct_7", "j1", "/recover")
	w.says(b.page(at), "Only if the result exists", "Balance, credits 100 → becomes 60", "Dead → becomes Succeeded")
	if rec := b.post(at, b.form(at, "result", "", "reason", "found")); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("without a result: %d", rec.Code)
	}
	page := b.sent(at, b.form(at, "result", "s3://found", "reason", "it is in the store", "generation", "0"))
	w.says(page, "The job was recovered by hand. 40 credits were taken back; the balance after that: 60.", "Recovered by hand", "it is in the store",
		"Late success", "taken back 40 on", "In total you paid 40 credits, once.")
	if w.Balance(t, "acct_7") != 60 {
		t.Errorf("balance %d", w.Balance(t, "acct_7"))
	}
	if strings.Contains(page, "/requeue") || strings.Contains(page, "/recover") {
		t.Error("what is delivered can be put back")
	}
}

// TestEditedPayload: the difference is shown and secrets stay hidden, also in the form and to those who reveal.
func TestEditedPayload(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	_, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j1", Action: modeltest.Action, Units: 40,
		Payload: []byte(`{"source":"s3://a.mov","frames":9007199254740993,"callback_token":"top-secret"}`)})
	if err != nil {
		t.Fatal(err)
	}
	c := w.Claim(t, 1)[0]
	if _, err := w.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Permanent, Code: "codec"}); err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Support)
	w.saysNot(b.page(jobAt("acct_7", "j1", "")), "9007199254740993", "edited payload")
	reveal := jobAt("acct_7", "j1", "/payload")
	shown := b.post(reveal, b.form(reveal, "reason", "the source is wrong")).Body.String()
	w.says(shown, "9007199254740993", "Requeue with an edited payload")
	w.saysNot(shown, "top-secret")
	requeue := jobAt("acct_7", "j1", "/requeue")
	form := formOf(t, shown, requeue)
	m := regexp.MustCompile(`(?s)<textarea[^>]*name="payload"[^>]*>(.*?)</textarea>`).FindStringSubmatch(shown)
	if m == nil {
		t.Fatal("no payload to edit")
	}
	typed := strings.ReplaceAll(m[1], "&#34;", `"`)
	form.Set("payload", strings.Replace(typed, "a.mov", "b.mov", 1)+"}")
	form.Set("reason", "the customer sent another source")
	if rec := b.post(requeue, form); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), "This is not valid JSON.") || !strings.Contains(rec.Body.String(), "b.mov") {
		t.Errorf("broken JSON: %d", rec.Code)
	}
	form.Set("payload", strings.Replace(typed, "a.mov", "b.mov", 1))
	page := b.sent(requeue, form)
	w.says(page, "The job was requeued.", "payload changed: source", "Payload edited for generation 1", "source")
	w.saysNot(page, "a.mov", "b.mov", "top-secret")
	shown = b.post(reveal, b.form(reveal, "reason", "to compare")).Body.String()
	w.says(shown, `"s3://a.mov" → becomes "s3://b.mov"`)
	w.saysNot(shown, "top-secret", "Requeue with an edited payload")
	j := w.state("acct_7", "j1")
	payload, err := w.Jobs.Payload(context.Background(), j.AccountKey, j.Key)
	if err != nil || string(payload) != `{"source":"s3://b.mov","frames":9007199254740993,"callback_token":"top-secret"}` || j.Cost != 40 {
		t.Errorf("%s, cost %d, %v", payload, j.Cost, err)
	}
}

// TestPlainSentences: what a job cost and what the customer can be told, without words of the inside.
func TestPlainSentences(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.name("acct_7", "Hoshino Studio")
	w.dead("acct_7", "j1", 40, "no")
	page := w.as(staff.Support).page(jobAt("acct_7", "j1", ""))
	w.says(page, "Charged 40, refunded 40 on", "UTC. Hoshino Studio is 0 credits out of pocket. Nothing was delivered,", "Your video render job j1 could not be completed.",
		"We returned the 40 credits", "完了できませんでした")
	_, reply, _ := strings.Cut(page, "What you can tell the customer")
	reply, _, _ = strings.Cut(reply, "</section>")
	for _, inside := range []string{"dead", "reclaim", "generation", "デッドレター", "世代", "回収", "attempt"} {
		if strings.Contains(strings.ToLower(text(reply)), inside) {
			t.Errorf("the reply says %q: %s", inside, text(reply))
		}
	}
}
