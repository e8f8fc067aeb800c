package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/staff"
)

func product() []staff.Role { return []staff.Role{staff.Product, staff.Lead, staff.Admin} }

const roID = "ro_2026_discount10"

// rolloutSamples are the samples of the routes about prices and rollouts, over what furnishRollouts makes.
func rolloutSamples() map[string]sample {
	step := func() url.Values { return url.Values{"reason": {"because"}, "version": {"1"}} }
	reason := url.Values{"reason": {"because"}}
	const at, rule, action = "/rollouts/" + roID, "/pricing/rules/" + modeltest.Action + "@v3", "/pricing/actions/old"
	out := map[string]sample{
		"console.prices":                  {path: "/pricing", opens: every()},
		"console.prices.action":           {path: "/pricing/actions/" + modeltest.Action, opens: every()},
		"console.prices.new":              {path: "/pricing/new", opens: product()},
		"console.prices.new.post":         {path: "/pricing/new", form: url.Values{"action": {"ocr"}, "unit": {"page"}, "unit_price": {"1"}, "rounding": {"up"}, "reason": {"because"}}, opens: product()},
		"console.prices.preview":          {path: "/pricing/preview?unit_price=1", opens: product()},
		"console.prices.retire":           {path: action + "/retire", opens: product()},
		"console.prices.retire.post":      {path: action + "/retire", form: reason, opens: product()},
		"console.prices.force":            {path: rule + "/force", opens: product()},
		"console.prices.force.post":       {path: rule + "/force", form: reason, opens: product()},
		"console.prices.retire_rule":      {path: rule + "/retire", opens: product()},
		"console.prices.retire_rule.post": {path: rule + "/retire", form: reason, opens: product()},
		"console.rollouts":                {path: "/rollouts", opens: every()},
		"console.rollouts.candidate":      {path: "/new/rollout/candidate?candidate=none", opens: product()},
		"console.rollouts.new":            {path: "/new/rollout", opens: product()},
		"console.rollouts.new.post":       {path: "/new/rollout", form: url.Values{"id": {freshID}, "candidate": {modeltest.Action + "@v2"}, "threshold_1": {"1"}, "reason": {"because"}}, opens: product()},
		"console.rollout":                 {path: at + "?account=acct_7", opens: every()},
		"console.rollout.check":           {path: at + "/check", opens: every()},
		"console.rollout.compare":         {path: at + "/compare", opens: every()},
	}
	out["console.rollout.accounts"] = sample{path: at + "/accounts", opens: every()}
	out["console.rollout.follow"] = sample{path: at + "/follow", form: url.Values{"follow": {"1"}}, opens: every()}
	out["console.inbox"] = sample{path: "/inbox", opens: every()}
	out["console.inbox.read_all"] = sample{path: "/inbox/read", form: url.Values{"upto": {"1"}}, opens: every()}
	out["console.inbox.unread_all"] = sample{path: "/inbox/unread", form: url.Values{"undoes": {"1"}}, opens: every()}
	// Nobody has this message: not found, whoever asks.
	out["console.inbox.read"] = sample{path: "/inbox/999999/read", form: url.Values{}, opens: every()}
	out["console.inbox.unread"] = sample{path: "/inbox/999999/unread", form: url.Values{}, opens: every()}
	out["console.rollout.schedule"] = sample{path: at + "/schedule", opens: product()}
	// A step that does not lie ahead: a conflict, whoever asks and however often.
	out["console.rollout.schedule.post"] = sample{path: at + "/schedule", form: url.Values{"step": {"advance:1"}, "local": {soon()}, "zone": {"UTC"}, "reason": {"because"}}, opens: product()}
	out["console.rollout.unschedule"] = sample{path: at + "/schedule/1/cancel", opens: product()}
	out["console.rollout.unschedule.post"] = sample{path: at + "/schedule/1/cancel", form: reason, opens: product()}
	for name, path := range map[string]string{"archive": "archive", "pause": "pause", "roll_back": "roll-back", "start": "start", "resume": "resume", "advance": "advance", "complete": "complete"} {
		out["console.rollout."+name] = sample{path: at + "/" + path, opens: product()}
		out["console.rollout."+name+".post"] = sample{path: at + "/" + path, form: step(), opens: product()}
	}
	return out
}

// soon is a time of the clock that is surely ahead.
func soon() string { return time.Now().UTC().AddDate(0, 0, 2).Format(rollout.WallLayout) }

// furnishRollouts makes a candidate that is 10 % cheaper (v2), a retired version (v3), an action of its own, and a
// draft whose last advance is scheduled.
func (w *world) furnishRollouts() {
	w.t.Helper()
	ctx := context.Background()
	pm := actor.Staff("pm")
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	for _, bps := range []int64{1000, 9000} {
		_, err := w.Pricing.CreateRule(ctx, pricing.NewRule{OperationID: ids.New(), Actor: pm, Action: modeltest.Action, Unit: "second", UnitPrice: 1000,
			DiscountBps: bps, Rounding: credit.RoundHalfEven, Reason: "cheaper"})
		must(err)
	}
	_, err := w.Pricing.RetireRule(ctx, pricing.RetireRequest{OperationID: ids.New(), Actor: pm, ID: modeltest.Action + "@v3", Reason: "too cheap"})
	must(err)
	w.Price(w.t, "old", 1000)
	w.Account(w.t, "acct_7", 0) // whom the first stage names
	one := int64(1)
	_, err = w.Rollouts.Create(ctx, rollout.NewRollout{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: pm}, ID: roID, Title: "Video render: 10 % off",
		Action: modeltest.Action, Candidate: modeltest.Action + "@v2", MinCharges: &one, Reason: "try it",
		Stages: []pricing.Stage{{Threshold: 10_000, Segment: pricing.Segment{Accounts: []string{"acct_7"}}}, {Threshold: 25_000, MinDwellS: 3600}, {Threshold: 100_000}}})
	must(err)
	_, err = w.Rollouts.AtTime(ctx, rollout.ScheduleRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: pm}, RolloutID: roID, Step: rollout.StepAdvance, Stage: 3,
		Local: soon(), Zone: "Asia/Tokyo", Reason: "in the quiet hours"})
	must(err)
}

// A product manager makes a rule version with its worked example in sight, and puts it in force from the price that
// the form showed.
func TestARuleVersionThroughTheConsole(t *testing.T) {
	w := newWorld(t)
	b := w.as(staff.Product)
	typed := []string{"action", modeltest.Action, "unit", "second", "unit_price", "0.667", "discount", "10", "rounding", "half_even", "example_units", "60"}
	query := url.Values{}
	for i := 0; i < len(typed); i += 2 {
		query.Set(typed[i], typed[i+1])
	}
	w.says(b.page("/pricing/preview?"+query.Encode()), "60 seconds = 36 credits, was 60", "0.667 credits per second, 10 % off")
	w.says(b.page("/pricing/new?"+query.Encode()), "60 seconds = 36 credits, was 60")
	for name, bad := range map[string]string{"unit_price": "0.6671", "discount": "100.01", "minimum": "NaN", "example_units": "0"} {
		form := b.form("/pricing/new", append(typed, "reason", "x", name, bad)...)
		if rec := b.post("/pricing/new", form); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s %s: %d", name, bad, rec.Code)
		}
	}
	page := b.sent("/pricing/new", b.form("/pricing/new", append(typed, "reason", "summer")...))
	w.says(page, "The rule version is made", "60 seconds = 36 credits, was 60", "summer", "Not in force")
	force := "/pricing/rules/" + modeltest.Action + "@v2/force"
	form := b.form(force, "reason", "summer", "expected", modeltest.Action+"@v1")
	w.says(b.sent(force, form), "The rule version is in force", modeltest.Action+"@v2 is in force since")
	w.says(b.sent(force, form), "Already done")
	stale := b.form(force, "reason", "again", "expected", modeltest.Action+"@v1")
	rec := b.post(force, stale)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("stale: %d", rec.Code)
	}
	w.says(b.page(rec.Header().Get("Location")), "The prices of this action are not as the form showed them")
}

// TestCase_F23: a threshold that is no share is refused at the border with 422, and nothing is made.
func TestCase_F23_ThresholdsAtTheBorder(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	b := w.as(staff.Product)
	for _, bad := range []string{"100.001", "-1", "12.5555", "NaN"} {
		form := b.form("/new/rollout", "id", "ro_bad", "candidate", modeltest.Action+"@v2", "threshold_2", bad, "reason", "x")
		rec := b.post("/new/rollout", form)
		if rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), `id="f-threshold_2-error"`) {
			t.Errorf("threshold %s: %d\n%s", bad, rec.Code, text(rec.Body.String()))
		}
	}
	if list, err := w.Rollouts.List(context.Background(), 10); err != nil || len(list) != 1 {
		t.Errorf("%d rollouts, %v", len(list), err)
	}
	w.Account(t, "acct_7", 100)
	w.Account(t, "acct_8", 100)
	page := b.sent("/new/rollout", b.form("/new/rollout", "id", "ro_good", "candidate", modeltest.Action+"@v2", "threshold_1", "10", "dwell_1", "24",
		"accounts_2", "acct_7, acct_8", "min_costs", "12.5", "approve_above", "25", "plans_3", "pro", "attributes_3", "beta=yes", "threshold_3", "100", "reason", "x"))
	w.says(page, "The draft is made", "10 %", "2 named", "100 % of pro, beta=yes", "at least 1 d")
}

// The whole way: start, an advance that the checks keep back, a stale page, try an account, roll back.
func TestARolloutThroughTheConsole(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_7", 1000)
	w.Account(t, "acct_1001", 1000)
	b := w.as(staff.Product)
	const at = "/rollouts/" + roID
	step := func(path string) url.Values {
		t.Helper()
		page := b.page(at + "/" + path)
		return url.Values{"operation_id": {operationID(t, page)}, "version": {hidden(t, page, "version")}, "reason": {"because"}}
	}
	start := step("start")
	page := b.sent(at+"/start", start)
	w.says(page, "The rollout is running", "0 of 2 accounts are enrolled and pay "+modeltest.Action+"@v2 (10 % off) instead of "+modeltest.Action+"@v1", "The checks were not made yet")
	w.says(b.sent(at+"/start", start), "Already done")

	if _, err := w.Jobs.Charge(context.Background(), chargeOf("acct_7", "j1")); err != nil {
		t.Fatal(err)
	}
	w.says(b.page(at+"?account=acct_7"), "Candidate", "It is enrolled and stays", "60 seconds = 54 credits")
	w.says(b.page(at+"?account=acct_1001"), "Baseline", "85,415", "Its bucket is not below any threshold reached", "60 seconds = 60 credits")
	w.says(b.page(at+"?account=nobody"), "There is no account")

	w.says(b.sent(at+"/check", url.Values{"operation_id": {ids.New()}}), "Uniqueness 0", "Passed", "Cost reconciliation", "No data", "Safe to widen: no", "1 of 2 accounts is enrolled and pays")
	w.says(b.page(at+"/advance"), "Cost reconciliation has no data", "1 named + 10 % → becomes 25 %")
	if rec := b.post(at+"/advance", step("advance")); rec.Code != http.StatusConflict {
		t.Errorf("advance without known costs: %d", rec.Code)
	}
	stale := step("roll-back")
	w.says(b.sent(at+"/pause", step("pause")), "The rollout is paused", "nobody new enters")
	rec := b.post(at+"/roll-back", stale)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("stale: %d", rec.Code)
	}
	w.says(b.page(rec.Header().Get("Location")), "The rollout is not as the form showed it", "Paused")
	page = b.sent(at+"/roll-back", step("roll-back"))
	w.says(page, "The rollout is rolled back", "nothing was erased", "Rolled back", "Started", "Created", "because")
	w.says(w.as(staff.Viewer).page("/rollouts"), roID, "Rolled back")
	w.saysNot(w.as(staff.Finance).page(at), "Roll back ")
}

func chargeOf(account, id string) job.ChargeRequest {
	return job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Action: modeltest.Action, Units: 60}
}
