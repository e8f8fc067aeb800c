package console_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"recoup/models/dependency"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/process"
	"recoup/models/staff"
)

// holdSamples calls the routes of the queue and of dependencies; the dependency is not there, so who may come gets 404.
func holdSamples() map[string]sample {
	edit := []staff.Role{staff.Lead, staff.Admin}
	reason := url.Values{"reason": {"because"}}
	rate := url.Values{"reason": {"because"}, "per_minute": {"60"}}
	return map[string]sample{
		"console.dependencies":               {path: "/dependencies", opens: every()},
		"console.dependency":                 {path: "/dependencies/nothing", opens: every()},
		"console.dependency.new":             {path: "/new/hold", opens: support()},
		"console.dependency.new.post":        {path: "/new/hold", form: url.Values{"name": {"render-farm"}, "unnamed": {"render-farm"}, "reason": {"because"}}, opens: support()},
		"console.dependency.hold":            {path: "/dependencies/nothing/hold", opens: support()},
		"console.dependency.hold.post":       {path: "/dependencies/nothing/hold", form: reason, opens: support()},
		"console.dependency.release":         {path: "/dependencies/nothing/release", opens: support()},
		"console.dependency.release.post":    {path: "/dependencies/nothing/release", form: rate, opens: support()},
		"console.dependency.settings":        {path: "/dependencies/nothing/settings", opens: edit},
		"console.dependency.settings.post":   {path: "/dependencies/nothing/settings", form: reason, opens: edit},
		"console.dependency.default":         {path: "/dependencies/nothing/default", opens: edit},
		"console.dependency.default.post":    {path: "/dependencies/nothing/default", form: reason, opens: edit},
		"console.dependency.no_default":      {path: "/dependencies/nothing/no_default", opens: edit},
		"console.dependency.no_default.post": {path: "/dependencies/nothing/no_default", form: reason, opens: edit},
		"console.queue":                      {path: "/queue", opens: every()},
		"console.queue.hold":                 {path: "/queue/hold", opens: support()},
		"console.queue.hold.post":            {path: "/queue/hold", form: url.Values{"action": {modeltest.Action}, "reason": {"because"}}, opens: support()},
		"console.queue.release":              {path: "/queue/actions/" + modeltest.Action + "/release", opens: support()},
		"console.queue.release.post":         {path: "/queue/actions/" + modeltest.Action + "/release", form: rate, opens: support()},
		"console.run_now":                    {path: "/accounts/acct_7/jobs/j1/run", opens: support()},
		"console.run_now.post":               {path: "/accounts/acct_7/jobs/j1/run", form: reason, opens: support()},
	}
}

// chargeOn charges a job that depends on something.
func (w *world) chargeOn(account, id, dependency string) {
	w.t.Helper()
	_, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Action: modeltest.Action, Units: 5, Dependency: dependency})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) round() {
	w.t.Helper()
	if err := w.Dependencies.Round(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

func TestDependencyFromHoldToRelease(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	s, other := w.as(staff.Support), w.as(staff.Lead)
	w.says(s.page("/dependencies"), "No job has named a dependency yet.")
	w.chargeOn("acct_7", "j1", "render-farm")
	w.chargeOn("acct_7", "j2", "")
	w.round()
	const at = "/dependencies/render-farm"
	w.says(s.page(at), "Healthy: its work is handed out freely.", "It has been healthy all along.", "1 job")
	w.saysNot(s.page(at), at+"/settings", at+"/release")

	stale := other.form(at+"/hold", "reason", "me too")
	form := s.form(at+"/hold", "reason", "the vendor called")
	w.says(s.sent(at+"/hold", form), "Held. No worker gets this work until it is released.", "Held by Pat support: the vendor called.", "1 job waiting, none is handed out.")
	w.says(s.sent(at+"/hold", form), "Already done.")
	refused := other.post(at+"/hold", stale)
	if refused.Code != http.StatusSeeOther {
		t.Fatalf("held twice: %d", refused.Code)
	}
	told := other.page(refused.Header().Get("Location"))
	w.says(told, "It is held already. By Pat support,")
	w.saysNot(told, "Held. No worker gets")
	w.says(s.page("/dependencies"), "Held", "the vendor called", "1")
	w.says(s.page("/dependencies?tab=unhealthy"), "render-farm")
	waiting := s.page("/queue")
	w.says(waiting, "j1", "held: render-farm", "j2", "first try of generation 0")
	held := s.page("/queue?held=1")
	w.says(held, "j1", "Held only")
	w.saysNot(held, ">j2<")
	w.says(s.page("/queue?dependency=render-farm"), "j1")
	if got := w.Claim(t, 10); len(got) != 1 || got[0].JobID != "j2" {
		t.Fatalf("%v, want j2 alone", got)
	}
	w.says(s.page("/queue?tab=running"), "j2", "attempt 1 since", "test")
	w.round()

	bad := s.post(at+"/release", s.form(at+"/release", "reason", "fixed", "per_minute", "12.5"))
	if bad.Code != http.StatusUnprocessableEntity || !strings.Contains(bad.Body.String(), "A whole number.") {
		t.Errorf("half a job a minute: %d", bad.Code)
	}
	later := other.form(at+"/release", "seen", hidden(t, other.page(at+"/release"), "seen"), "reason", "fixed, I heard", "per_minute", "6000")
	w.says(s.sent(at+"/release", s.form(at+"/release", "seen", hidden(t, s.page(at+"/release"), "seen"), "reason", "fixed", "per_minute", "30")), "Releasing at 30 a minute", "Released by hand at 30 a minute", "fixed")
	// Who has looked at the same hold comes too late, and sets no other rate.
	told = other.sent(at+"/release", later)
	w.says(told, "Somebody has held or released it meanwhile. By Pat support,", "Releasing at 30 a minute")
	w.saysNot(told, "6,000")
	if got := w.Claim(t, 10); len(got) != 1 || got[0].JobID != "j1" {
		t.Fatalf("%v, want j1", got)
	}
	w.round()
	w.says(s.page(at), "Healthy: its work is handed out freely.", "All that was held is handed out")
}

// A name that nothing depends on is held only by whoever says that it is meant: in an outage a typing error would be believed.
func TestAHoldUnderAWrongName(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.chargeOn("acct_7", "j1", "farm.y")
	w.round()
	s := w.as(staff.Support)
	w.says(s.page("/new/hold"), "Hold a dependency")
	if page := s.page("/new/hold"); !strings.Contains(page, `<option value="farm.y">`) || strings.Contains(page, `name="unnamed"`) {
		t.Error("the form does not offer the names that are known, or asks too early")
	}
	typo := s.form("/new/hold", "name", "famr.y", "reason", "their storage is down")
	rec := s.post("/new/hold", typo)
	page := rec.Body.String()
	if rec.Code != http.StatusUnprocessableEntity || !strings.Contains(page, `name="unnamed" value="famr.y"`) {
		t.Fatalf("%d\n%s", rec.Code, text(page))
	}
	w.says(page, "No job and no action has named it so far.", "Hold famr.y all the same")
	if _, err := w.Dependencies.Find(t.Context(), "famr.y"); !fault.Is(err, dependency.CodeNotFound) {
		t.Errorf("it came to be known: %v", err)
	}
	// What was meant for one name is not meant for another.
	typo.Set("unnamed", "famr.y")
	typo.Set("name", "framy")
	if rec := s.post("/new/hold", typo); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("another name: %d", rec.Code)
	}
	typo.Set("name", "famr.y")
	w.says(s.sent("/new/hold", typo), "Held by Pat support: their storage is down.", "No job and no action has named it so far")
	const at = "/dependencies/famr.y"
	s.sent(at+"/release", s.form(at+"/release", "reason", "wrong name", "per_minute", "600"))
	w.says(s.page(at+"/hold"), "Named by no job and no action so far")
	// What a job depends on needs nothing more, whether it is known by now or not.
	w.chargeOn("acct_7", "j2", "farm.z")
	for _, name := range []string{"farm.y", "farm.z"} {
		page := s.sent("/new/hold", s.form("/new/hold", "name", name, "reason", "down"))
		w.says(page, "Held by Pat support: down.")
		w.saysNot(page, "has named it so far")
	}
}

func TestBreakerSettingsAndDefault(t *testing.T) {
	w := newWorld(t)
	lead := w.as(staff.Lead)
	w.says(lead.sent("/new/hold", lead.form("/new/hold", "name", "speech-api", "unnamed", "speech-api", "reason", "moving house")), "Held by Pat lead: moving house.")
	bad := lead.post("/new/hold", lead.form("/new/hold", "name", "no spaces, please", "reason", "x"))
	if bad.Code != http.StatusUnprocessableEntity {
		t.Errorf("a name that no job can have: %d", bad.Code)
	}
	const at = "/dependencies/speech-api"
	fields := func(percent string) url.Values {
		return lead.form(at+"/settings", "revision", hidden(t, lead.page(at+"/settings"), "revision"), "breaker", "off", "failure_percent", percent, "window_results", "40", "minimum_results", "10", "open_s", "30", "probes", "2",
			"release_per_minute", "90", "reason", "known to be flaky")
	}
	stale := fields("20")
	if rec := lead.post(at+"/settings", fields("0")); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), "1 to 100.") {
		t.Errorf("0 percent: %d", rec.Code)
	}
	w.says(lead.sent(at+"/settings", fields("25")), "The breaker's settings are changed.", "Settings changed", "Opens at failures of (%)", "25")
	rec := lead.post(at+"/settings", stale)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("stale settings: %d", rec.Code)
	}
	w.says(lead.page(rec.Header().Get("Location")), "Somebody changed these settings meanwhile. By Pat lead,", "25")

	w.says(lead.page(at), "Of none.")
	const seen = "seen." + modeltest.Action
	late := lead.form(at+"/default", "action", modeltest.Action, seen, hidden(t, lead.page(at+"/default"), seen), "reason", "late")
	w.says(lead.sent(at+"/default", lead.form(at+"/default", "action", modeltest.Action, seen, "", "reason", "all of it")), "The default is changed.", "Default of video_render: none → speech-api")
	rec = lead.post(at+"/default", late)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("a stale default: %d", rec.Code)
	}
	w.says(lead.page(rec.Header().Get("Location")), "Somebody changed the default of this action meanwhile. By Pat lead,")
	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 5)
	w.says(w.as(staff.Viewer).page("/queue?dependency=speech-api"), "j1", "held: speech-api")
	end := at + "/no_default?action=" + modeltest.Action
	w.says(lead.sent(at+"/no_default", lead.form(end, "action", modeltest.Action, "reason", "no more")), "Of none.")
}

func TestQueueSaysWhyAndRunsNow(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	s := w.as(staff.Support)
	w.says(s.page("/queue"), "No job waits for a worker.")
	claimed := w.charged("acct_7", "j1", 40)
	if _, err := w.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: claimed.LeaseToken, Class: job.Transient, Code: "gpu_lost"}); err != nil {
		t.Fatal(err)
	}
	if err := w.G.Exec(`UPDATE jobs SET not_before = not_before + interval '1 hour'`).Error; err != nil {
		t.Fatal(err)
	}
	if err := w.G.Exec(`UPDATE waiting_line SET due_at = due_at + interval '1 hour'`).Error; err != nil {
		t.Fatal(err)
	}
	list := s.page("/queue?tab=retrying")
	w.says(list, "j1", "attempt 1 failed: 200 ms", "gpu_lost", "Try now")
	w.saysNot(w.as(staff.Viewer).page("/queue?tab=retrying"), "/run")
	const run = "/accounts/acct_7/jobs/j1/run"
	first, second := s.form(run, "reason", "the customer waits"), w.as(staff.Lead)
	late := second.form(run, "reason", "me too")
	w.saysNot(s.page(run), "would be held")
	s.sent("/queue/hold", s.form("/queue/hold", "action", modeltest.Action, "reason", "a bad model"))
	w.says(s.page(run), "Its next try would be held all the same", "Pat support holds the action video_render since")
	const release = "/queue/actions/" + modeltest.Action + "/release"
	s.sent(release, s.form(release, "reason", "a good one", "per_minute", "60000"))
	w.round()
	w.says(s.sent(run, first), "it is tried as soon as a worker gets it", "Tried now", "the customer waits")
	w.says(s.sent(run, first), "Already done.")
	rec := second.post(run, late)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("run twice: %d", rec.Code)
	}
	told := second.page(rec.Header().Get("Location"))
	w.says(told, "It was brought forward already. By Pat support,")
	w.saysNot(told, "it is tried as soon as", "waiting for a retry by now")
	overdue, err := w.Jobs.Overdue(context.Background(), 0, 10)
	if err != nil || len(overdue) != 1 {
		t.Fatalf("%d overdue, %v", len(overdue), err)
	}
	if moved, err := w.Jobs.Settle(context.Background(), overdue[0]); err != nil || !moved {
		t.Fatalf("not woken: %v", err)
	}
	if got := w.Claim(t, 10); len(got) != 1 || got[0].Attempt != 2 {
		t.Fatalf("%v, want attempt 2", got)
	}
}

func TestHeldActionOnTheQueue(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 5)
	s := w.as(staff.Support)
	page := s.sent("/queue/hold", s.form("/queue/hold", "action", modeltest.Action, "reason", "a bad model"))
	w.says(page, "Held. No worker gets this work", "Held actions", "Pat support: a bad model", "held: the action video_render")
	rec := s.post("/queue/hold", s.form("/queue/hold", "action", modeltest.Action, "reason", "again"))
	w.says(s.page(rec.Header().Get("Location")), "It is held already.")
	if got := w.Claim(t, 10); len(got) != 0 {
		t.Fatalf("%v handed out", got)
	}
	const release = "/queue/actions/" + modeltest.Action + "/release"
	w.says(s.page(release), "Held by Pat support", "Waiting")
	w.says(s.sent(release, s.form(release, "reason", "a good one", "per_minute", "60")), "Released.", "Releasing")
	if got := w.Claim(t, 10); len(got) != 1 {
		t.Fatalf("%v, want j1", got)
	}
}

// "Cannot read Redis" is not "empty".
func TestQueueWithoutRedis(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 5)
	v := w.as(staff.Viewer)
	beat := process.Beat{ID: "p1", Kind: process.Dev, Host: "h", RedisOK: false}
	if err := process.New(w.G).Beat(context.Background(), beat); err != nil {
		t.Fatal(err)
	}
	w.says(v.page("/queue"), "Redis cannot be reached.", "The queue is not empty because of that", "j1")
	beat.RedisOK = true
	if err := process.New(w.G).Beat(context.Background(), beat); err != nil {
		t.Fatal(err)
	}
	w.saysNot(v.page("/queue"), "Redis cannot be reached.")
}

func TestQueuePagesKeepTheirFilter(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.Account(t, "acct_8", 1000)
	for i := range 60 {
		w.Charge(t, "acct_7", "j"+string(rune('a'+i/26))+string(rune('a'+i%26)), 1)
		if i < 10 {
			w.Charge(t, "acct_8", "k"+string(rune('a'+i)), 1)
		}
	}
	v := w.as(staff.Viewer)
	first := v.page("/queue?account=acct_7")
	w.saysNot(first, ">ka<")
	next := regexp.MustCompile(`href="(/queue\?[^"]*cursor=[^"]*)" rel="next"`).FindStringSubmatch(first)
	if next == nil {
		t.Fatal("no second page")
	}
	second := v.page(html.UnescapeString(next[1]))
	w.says(second, "jch", "acct_7")
	w.saysNot(second, ">jaa<", ">ka<")
}
