package console_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/models/staff"
	"recoup/models/task"
	"recoup/models/verify"
	"recoup/tasks"
	words "recoup/views/text"
)

// integritySamples are the samples of the routes about the ledger's invariants.
func integritySamples() map[string]sample {
	const at = "/integrity"
	return map[string]sample{
		"console.integrity":             {path: at, opens: money()},
		"console.integrity.progress":    {path: at + "/progress?task=x", opens: money()},
		"console.integrity.found":       {path: at + "/runs/1", opens: money()},
		"console.integrity.run":         {path: at + "/run", opens: money()},
		"console.integrity.run.post":    {path: at + "/run", opens: money()},
		"console.integrity.cancel":      {path: at + "/tasks/x/cancel", opens: money()},
		"console.integrity.cancel.post": {path: at + "/tasks/x/cancel", opens: money()},
	}
}

// verifies does the run that was asked for, as a worker process would that finds these anchors.
func (w *world) verifies(anchors ...verify.AnchorList) {
	w.t.Helper()
	ctx := context.Background()
	store := task.New(w.G, nil)
	asked, err := verify.NewDesk(w.Ops, store).Asked(ctx)
	if err != nil || asked == nil {
		w.t.Fatal(asked, err)
	}
	run, err := store.Take(ctx, asked.Key, "w1")
	if err != nil || run == nil {
		w.t.Fatal(run, err)
	}
	kept := func(context.Context) ([]verify.AnchorList, error) { return anchors, nil }
	result, err := tasks.Verify(verify.New(w.G), kept)(ctx, run)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := run.Finish(ctx, result); err != nil {
		w.t.Fatal(err)
	}
}

// Run now → progress → result; damage turns the page and the overview red and names the row.
func TestIntegrityFromRunToEvidence(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.Charge(t, "acct_7", "j1", 40)
	fin := w.as(staff.Finance)
	w.says(fin.page("/integrity"), "The ledger has not been verified yet.", "not checked", "No run yet.")
	form := fin.form("/integrity/run")
	page := fin.sent("/integrity/run", form)
	w.says(page, "The run was started.", "The ledger is being verified", "Waits for a worker process.", "End the run")
	w.saysNot(page, "Run now")
	w.says(fin.sent("/integrity/run", form), "Already done.")
	w.says(fin.sent("/integrity/run", fin.form("/integrity/run")), "The ledger is being verified already.", "Nothing was changed.")
	progress := regexp.MustCompile(`hx-get="([^"]+)"`).FindStringSubmatch(page)
	if progress == nil {
		t.Fatal("nothing asks how far the run is")
	}
	at := strings.ReplaceAll(progress[1], "&amp;", "&")
	w.says(fin.get(at, "HX-Request", "true").Body.String(), "Waits for a worker process.")
	w.verifies()
	if rec := fin.get(at, "HX-Request", "true"); rec.Header().Get("HX-Refresh") != "true" {
		t.Errorf("after the run: %d %v", rec.Code, rec.Header())
	}
	page = fin.page("/integrity")
	w.says(page, "Every rule that was checked held at", "2 entries, accounts: 1, jobs: 1", "Pat finance", "Run now")
	w.saysNot(page, "Inconsistent")
	if err := w.G.Exec(`UPDATE accounts SET balance = balance + 5`).Error; err != nil {
		t.Fatal(err)
	}
	fin.sent("/integrity/run", fin.form("/integrity/run"))
	w.verifies()
	page = fin.page("/integrity")
	w.says(page, "are not what they must be: 1.", "Balance shown: 1 problem", "recoup verify --rebuild-heads")
	evidence := regexp.MustCompile(`/integrity/runs/\d+\?check=head`).FindString(page)
	if evidence == "" {
		t.Fatal("no link to the evidence")
	}
	found := fin.page(evidence)
	w.says(found, "Balance shown", "acct_7", "Expected: balance 60", "Found: balance 65")
	for _, check := range verify.Checks() {
		for _, lang := range []words.Lang{words.English, words.Japanese} {
			if l := (words.Locale{Lang: lang}); l.Maybe("wrong."+string(check), "") == "" || l.Maybe("check."+string(check), "") == "" {
				t.Errorf("%s does not say what fails %s", lang, check)
			}
		}
	}
	// Every rule is there, in words, also those that no run can look at.
	for _, in := range verify.Invariants() {
		for _, lang := range []words.Lang{words.English, words.Japanese} {
			if (words.Locale{Lang: lang}).Maybe("rule."+in.Rule, "") == "" {
				t.Errorf("%s does not say what %s means", lang, in.Rule)
			}
		}
		if !strings.Contains(page, ">"+in.Rule+"</td>") {
			t.Errorf("the page does not show %s", in.Rule)
		}
	}
	w.says(page, "P1 The price of every decision", "Read back: Prices of decisions. ", "J6 Work on one account at the same time", "Kept by how the program works", "Not read back")
	if !strings.Contains(found, `href="/accounts/acct_7"`) {
		t.Error("no link to the account")
	}
	overview := fin.page("/")
	if !strings.Contains(overview, `href="/integrity"`) {
		t.Error("the overview does not lead to the page")
	}
	w.says(overview, "Inconsistent")
	if rec := fin.get("/integrity/runs/99"); rec.Code != 404 {
		t.Errorf("no such run: %d", rec.Code)
	}
}

func TestARunCanBeEnded(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	page := fin.sent("/integrity/run", fin.form("/integrity/run"))
	cancel := regexp.MustCompile(`/integrity/tasks/[^/"]+/cancel`).FindString(page)
	stale := fin.form(cancel)
	w.says(fin.sent(cancel, fin.form(cancel)), "The run was ended.", "Run now")
	w.says(fin.sent(cancel, stale), "Too late: somebody ended the run already.")
}

// What the anchors of the file found, a run that sees no file does not hide: neither from the page nor from the overview.
func TestARunWithoutTheAnchorFileHidesNothing(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	run := func(anchors ...verify.AnchorList) string {
		t.Helper()
		fin.sent("/integrity/run", fin.form("/integrity/run"))
		w.verifies(anchors...)
		return fin.page("/integrity")
	}
	sound, err := verify.New(w.G).HeadsDigest(t.Context(), time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	list := func(c verify.Check, digest string) verify.AnchorList {
		return verify.AnchorList{Check: c, Anchors: []verify.Anchor{{Moment: time.Unix(1, 0), Digest: digest}}}
	}
	database := list(verify.CheckAnchor, sound)
	// Whoever keeps no file is told so, and lacks nothing.
	w.says(run(database), "Every rule that was checked held at", "Nothing is kept here for: Anchors in the file.")
	w.says(run(database, list(verify.CheckAnchorFile, strings.Repeat("0", 64))), "Anchors in the file: 1 problem", "are not what they must be: 1.")
	page := run(database)
	w.says(page, "by checks that this one did not make still stands: 1 problem.", "Not made in this run: Anchors in the file.", "Anchors in the file: 1 problem", "Inconsistent")
	evidence := regexp.MustCompile(`/integrity/runs/\d+\?check=anchor_file`).FindString(page)
	w.says(fin.page(evidence), "The newest entries of a past moment are no longer the same.")
	w.says(fin.page("/"), "The last verification found differences in the ledger.", "Findings in the ledger 1")
	page = run(database, list(verify.CheckAnchorFile, sound))
	w.says(page, "Every rule that was checked held at")
	w.saysNot(page, "Nothing is kept here", "Anchors in the file: 1 problem")
	w.says(run(database), "Every rule that was checked held at", "Not made in this run: Anchors in the file.")
}
