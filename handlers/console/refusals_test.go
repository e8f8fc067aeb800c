package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// refused posts a form whose object does not allow it, and returns the page that it leads to.
func (b *browser) refused(path string, form url.Values) string {
	b.t.Helper()
	rec := b.post(path, form)
	if rec.Code != http.StatusSeeOther || !strings.Contains(rec.Header().Get("Location"), "refused=") {
		b.t.Fatalf("%s: %d %s", path, rec.Code, rec.Header().Get("Location"))
	}
	return b.page(rec.Header().Get("Location"))
}

// japanese lets the browser's person read Japanese.
func (b *browser) japanese() *browser {
	b.t.Helper()
	b.post("/preferences", url.Values{"lang": {"ja"}})
	return b
}

// A refused step of a price says what stands in the way, in the language of who reads, and a page offers no button that
// cannot work.
func TestARefusalSaysWhatStandsInTheWay(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	ctx := context.Background()
	pm := func() ledger.Envelope {
		return ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("pm")}
	}
	const action, v1, v2 = "/pricing/actions/" + modeltest.Action, modeltest.Action + "@v1", modeltest.Action + "@v2"
	b := w.as(staff.Product)

	// A draft names v1 and v2.
	price := b.page(action)
	if strings.Contains(price, v2+"/retire") || !strings.Contains(price, `href="/rollouts/`+roID+`"`) {
		t.Errorf("the candidate of a draft can be retired: %s", text(price))
	}
	retire := func(rule string) string {
		at := "/pricing/rules/" + url.PathEscape(rule) + "/retire"
		return b.refused(at, b.form(at, "reason", "old"))
	}
	w.says(retire(v2), v2+" is named by the rollout "+roID+", which has not ended")
	w.says(retire(v1), v1+" is in force: put another rule version in force first")
	if page := retire(v2); !strings.Contains(page, `href="/rollouts/`+roID+`">`+roID) {
		t.Errorf("the notice does not lead to the rollout: %s", text(page))
	}

	// Another rollout of the action is live.
	one, none := int64(1), int64(0)
	other := rollout.NewRollout{Envelope: pm(), ID: "ro_other", Action: modeltest.Action, Candidate: v2, Reason: "x", Stages: []pricing.Stage{{Threshold: 100_000}},
		MinCharges: &one, MinCostsBps: &none}
	if _, err := w.Rollouts.Create(ctx, other); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Rollouts.Start(ctx, rollout.StepRequest{Envelope: pm(), RolloutID: "ro_other", Version: 1, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	const at = "/rollouts/" + roID
	blocked := func(say string) {
		t.Helper()
		page := b.page(at)
		w.says(page, "Start: "+say)
		if strings.Contains(page, `href="`+at+`/start"`) {
			t.Error("the start of a draft that cannot start is offered")
		}
		form := b.page(at + "/start")
		w.says(form, say)
		w.saysNot(form, "credits a day")
		w.says(b.refused(at+"/start", url.Values{"operation_id": {ids.New()}, "version": {"1"}, "reason": {"x"}}), say)
	}
	blocked("The rollout ro_other of this action is live: it has to end first")
	// Where its start needs a second person, a form that is blocked says what is in the way alone.
	second := func(needed bool) {
		t.Helper()
		if err := w.G.Exec(`ALTER TABLE rollouts DISABLE TRIGGER USER; UPDATE rollouts SET approve_start = ` + strconv.FormatBool(needed) + ` WHERE id = '` + roID + `'; ALTER TABLE rollouts ENABLE ALWAYS TRIGGER rollouts_step`).Error; err != nil {
			t.Fatal(err)
		}
	}
	second(true)
	form := b.page(at + "/start")
	w.says(form, "The rollout ro_other of this action is live")
	w.saysNot(form, "second person")
	second(false)
	force := func() url.Values {
		return url.Values{"operation_id": {ids.New()}, "expected": {v1}, "reason": {"x"}}
	}
	w.says(b.refused("/pricing/rules/"+url.PathEscape(v2)+"/force", force()), "The rollout ro_other of this action is live")

	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 10)
	// Its price became that of all: the draft begins from a price that is past.
	if _, err := w.Rollouts.Complete(ctx, rollout.StepRequest{Envelope: pm(), RolloutID: "ro_other", Version: 2, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	blocked("Its baseline " + v1 + " is not in force any more: " + v2 + " is")
	w.says(b.refused("/pricing/rules/"+url.PathEscape(v1)+"/force", force()), "by now "+v2+" is in force")

	// A retired candidate has no rollout whose page could tell.
	draft := b.form("/new/rollout", "id", "ro_gone", "candidate", modeltest.Action+"@v3", "threshold_1", "1", "reason", "x")
	if rec := b.post("/new/rollout", draft); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(text(rec.Body.String()), "The rule version "+modeltest.Action+"@v3 is retired") {
		t.Errorf("a retired candidate: %d %s", rec.Code, text(rec.Body.String()))
	}

	b.japanese()
	w.says(b.page(at), "開始：ベースライン "+v1+" はもう適用中ではなく、"+v2+" が適用中です")
	w.says(b.refused(at+"/start", url.Values{"operation_id": {ids.New()}, "version": {"1"}, "reason": {"x"}}), "はもう適用中ではなく")
	w.says(b.refused(at+"/pause", url.Values{"operation_id": {ids.New()}, "version": {"1"}, "reason": {"x"}}), "現在は「下書き」（未開始）です")
}
