package console_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// moved makes a step of a rollout past the console.
func (w *world) moved(id string, version int64, do func(context.Context, rollout.StepRequest) error) {
	w.t.Helper()
	err := do(context.Background(), rollout.StepRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("pm")}, RolloutID: id, Version: version, Reason: "because"})
	if err != nil {
		w.t.Fatal(err)
	}
}

// A rollout's page says what it changes in words, whether it may be widened now or what keeps it, and once it is over
// nothing of what it would ask for.
func TestARolloutSaysWhatItChangesAndWhetherItMayWiden(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	ctx := context.Background()
	w.Account(t, "acct_7", 1000)
	most, above := int64(50), 25_000
	one, none := int64(1), int64(0)
	const v1, v2 = modeltest.Action + "@v1", modeltest.Action + "@v2"
	_, err := w.Rollouts.Create(ctx, rollout.NewRollout{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("pm")}, ID: "ro_say", Action: modeltest.Action, Candidate: v2,
		MinCharges: &one, MinCostsBps: &none, CapPerDay: &most, Second: &rollout.Second{Above: &above}, Reason: "x",
		Stages: []pricing.Stage{{Segment: pricing.Segment{Accounts: []string{"acct_7"}}, MinDwellS: 3600}, {Threshold: 25_000}}})
	if err != nil {
		t.Fatal(err)
	}
	const at = "/rollouts/ro_say"
	b := w.as(staff.Product)
	w.says(b.page(at), "A draft for "+modeltest.Action+", from "+v1+" to "+v2+" (10 % off)", "1 credit per second, 10 % off", "60 seconds = 54 credits, was 60",
		"need at least 1 charge under the candidate", "pauses once more than 50 credits a day are given away", "A second person is needed for")

	w.moved("ro_say", 1, func(ctx context.Context, r rollout.StepRequest) error { _, err := w.Rollouts.Start(ctx, r); return err })
	if _, err := w.Jobs.Charge(ctx, chargeOf("acct_7", "j1")); err != nil {
		t.Fatal(err)
	}
	b.sent(at+"/check", url.Values{})
	w.says(b.page(at), "pays "+v2+" (10 % off) instead of "+v1, "Safe to widen: no. The stage lasts at least until", "6 of 50 credits given away today")
	w.moved("ro_say", 2, func(ctx context.Context, r rollout.StepRequest) error { _, err := w.Rollouts.Pause(ctx, r); return err })
	w.says(b.page(at), "Safe to widen: no. It is paused: it has to be resumed first. The stage lasts at least until")
	w.moved("ro_say", 3, func(ctx context.Context, r rollout.StepRequest) error {
		_, err := w.Rollouts.RollBack(ctx, r)
		return err
	})
	over := b.page(at)
	w.says(over, "Rolled back", "(10 % off)", "pauses once more than 50 credits")
	w.saysNot(over, "given away today")
	w.saysNot(over, "A second person is needed for")
	w.saysNot(over, "Safe to widen")
}

// At its only stage a rollout has nothing to widen, and says so instead of no; of one that was completed nothing is owed, and
// only what was rolled back is offered for a settlement.
func TestALastStageAndACompletedRollout(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dearerRollout()
	w.rendered("acct_7", "j1", 60)
	const at = "/rollouts/" + dearer
	b := w.as(staff.Lead)
	page := b.page(at)
	w.says(page, "(10 % dearer)", "there is nothing to widen")
	w.saysNot(page, "Safe to widen")
	if strings.Contains(b.page("/settlements/new"), `value="`+dearer+`"`) {
		t.Error("a running rollout is offered for a settlement")
	}
	w.rolloutStep(2, w.Rollouts.Complete)
	page = b.page(at)
	w.says(page, "1 delivered charge was priced by the candidate", "Nothing is owed for them")
	w.saysNot(page, "still to be settled")
	if strings.Contains(page, "/settlements/new") {
		t.Error("a settlement of a completed rollout is offered")
	}
}

// Whoever decides on a step reads both prices, what the step does and how the checks stand; where a check fails meanwhile
// the request is void and nothing is left to approve.
func TestASecondPersonSeesWhatAStepDoes(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	for _, id := range []string{"acct_7", "acct_8"} {
		w.Account(t, id, 1000)
	}
	mei, ken := w.as(staff.Product), w.as(staff.Product)
	mei.sent("/new/rollout", mei.form("/new/rollout", "id", "ro_two", "candidate", modeltest.Action+"@v2", "accounts_1", "acct_7", "threshold_1", "0", "threshold_2", "100",
		"min_charges", "1", "min_costs", "0", "approve_above", "50", "second", "complete", "reason", "x"))
	const at = "/rollouts/ro_two"
	w.moved("ro_two", 1, func(ctx context.Context, r rollout.StepRequest) error { _, err := w.Rollouts.Start(ctx, r); return err })
	for _, id := range []string{"acct_7", "acct_8"} {
		if _, err := w.Jobs.Charge(context.Background(), chargeOf(id, "j1")); err != nil {
			t.Fatal(err)
		}
	}
	page := mei.page(at + "/advance")
	request := mei.asks(at+"/advance", url.Values{"operation_id": {operationID(t, page)}, "version": {hidden(t, page, "version")}, "reason": {"because"}})
	for _, p := range []string{ken.page(request), ken.page(request + "/approve")} {
		w.says(p, "1 credit per second, 10 % off", "(10 % off)", "60 seconds = 54 credits, was 60", "1 named → becomes 100 %", "1 → becomes 2 of 2", "−6 of 60 credits", "Uniqueness: Passed")
	}
	form := ken.page(request + "/approve")
	w.says(form, "a rollback gives the baseline to new charges again")
	w.saysNot(form, "cannot be taken back")
	// Somebody else cannot ask for the same beside it, so no button says so.
	if page := ken.page(at); strings.Contains(page, `href="`+at+`/advance"`) {
		t.Error("an advance is offered while somebody's request for it waits")
	} else {
		w.says(page, "Advance: A step waits for a second person already")
	}
	if page := mei.page(at); !strings.Contains(page, `href="`+at+`/advance"`) {
		t.Error("whoever asked cannot change what was asked")
	}
	if err := w.G.Exec(`ALTER TABLE entries DISABLE TRIGGER USER; UPDATE entries SET rule_version = '` + modeltest.Action + `@v1' WHERE type = 'charge'; ALTER TABLE entries ENABLE TRIGGER USER`).Error; err != nil {
		t.Fatal(err)
	}
	rec := ken.post(request+"/approve", ken.seen(request+"/approve", "go"))
	said := text(rec.Body.String())
	if rec.Code != http.StatusConflict || !strings.Contains(said, "Decision consistency failed") || !strings.Contains(said, "The request is void") || strings.Contains(said, "Approve and apply") {
		t.Errorf("approved over a red check: %d %s", rec.Code, said)
	}
}

// Scheduled steps and requests to schedule one stand in the order of their times.
func TestScheduledStepsStandInTheOrderOfTheirTimes(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	mei := w.as(staff.Product)
	mei.sent("/new/rollout", mei.form("/new/rollout", "id", "ro_two", "candidate", modeltest.Action+"@v2", "threshold_1", "1", "threshold_2", "2", "threshold_3", "100",
		"approve_above", "5", "reason", "x"))
	const at = "/rollouts/ro_two"
	for _, x := range []struct {
		step string
		day  int
	}{{"advance:2", 9}, {"advance:3", 5}, {"start:1", 2}} {
		step, local := x.step, calendarDay(x.day)
		page := mei.page(at + "/schedule")
		rec := mei.post(at+"/schedule", url.Values{"operation_id": {operationID(t, page)}, "step": {step}, "local": {local}, "zone": {"UTC"}, "reason": {"x"}})
		if rec.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", step, rec.Code, text(rec.Body.String()))
		}
	}
	page := mei.page(at)
	var places []int
	for _, day := range []int{2, 5, 9} {
		places = append(places, strings.Index(page, strings.Replace(calendarDay(day), "T", " ", 1)))
	}
	if places[0] < 0 || places[0] > places[1] || places[1] > places[2] {
		t.Errorf("in the order %v", places)
	}
}

// calendarDay is noon in so many days, as a form takes it.
func calendarDay(days int) string {
	return time.Now().UTC().AddDate(0, 0, days).Format("2006-01-02") + "T12:00"
}

// A list of more rollouts than a page holds can be read to its end.
func TestTheListOfRolloutsHasPages(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	const more = 60
	err := w.G.Exec(`INSERT INTO rollouts (id, title, action, baseline, candidate, salt, min_charges, min_costs_bps, created_by, created_at)
		SELECT 'ro_' || to_char(n, 'FM000'), '', action, baseline, candidate, 's' || n, 1, 0, created_by, created_at - n * interval '1 hour' FROM rollouts, generate_series(1, ?) n`, more).Error
	if err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Viewer)
	seen := map[string]bool{}
	page := b.page("/rollouts")
	for pages := 1; ; pages++ {
		for _, id := range regexp.MustCompile(`href="/rollouts/(ro_[0-9a-z_]+)"`).FindAllStringSubmatch(page, -1) {
			seen[id[1]] = true
		}
		next := regexp.MustCompile(`href="(/rollouts\?[^"]*cursor=[^"]*)" rel="next"`).FindStringSubmatch(page)
		if next == nil || pages > more {
			break
		}
		page = b.page(html.UnescapeString(next[1]))
	}
	if len(seen) != more+1 {
		t.Errorf("%d of %d rollouts can be reached", len(seen), more+1)
	}
}
