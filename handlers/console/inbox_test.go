package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"recoup/models/actor"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// Whoever makes a draft is told what becomes of it; others follow it by a button, and stop.
func TestTheInbox(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	mei, ken, lena := w.as(staff.Product), w.as(staff.Product), w.as(staff.Finance)
	w.says(mei.sent("/new/rollout", mei.form("/new/rollout", "id", "ro_two", "candidate", modeltest.Action+"@v2", "threshold_1", "100", "cap_per_day", "5", "reason", "x")), "Unfollow", "Inbox")
	const at = "/rollouts/ro_two"
	w.says(lena.page(at), "Follow")
	w.says(lena.sent(at+"/follow", url.Values{"follow": {"1"}}), "Unfollow")
	ken.sent(at+"/start", ken.moveForm(at+"/start"))
	w.says(mei.page("/"), "Inbox 1")
	w.says(mei.page("/inbox"), "ro_two: Started, by Pat product", "because", "Unread 1", "Mark all read")
	w.saysNot(ken.page("/inbox"), "ro_two")
	w.says(ken.page("/inbox"), "Nothing is unread.")

	// The cap: the page has a meter, and Recoup tells why it paused.
	w.Account(t, "acct_7", 1000)
	if _, err := w.Jobs.Charge(context.Background(), chargeOf("acct_7", "j1")); err != nil {
		t.Fatal(err)
	}
	w.says(mei.page(at), "6 of 5 credits given away today")
	if err := w.Rollouts.WatchCaps(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.says(mei.page(at), "Paused", "The cap is reached. Whoever resumes the rollout lifts it until", "By Recoup: 6 credits were given away, the cap is 5 a day")
	w.says(mei.page(at+"/resume"), "Given away today", "lifted until")
	w.says(lena.page("/inbox"), "ro_two: Paused, by System", "By Recoup: 6 credits were given away, the cap is 5 a day")

	// Read, unread, all, and back.
	key := regexp.MustCompile(`/inbox/(\d+)/read`).FindStringSubmatch(lena.page("/inbox"))[1]
	w.says(lena.sent("/inbox/"+key+"/read", url.Values{"next": {"/inbox?all=1"}}), "Unread 1", "Mark unread")
	if rec := ken.post("/inbox/"+key+"/read", url.Values{}); rec.Code != http.StatusNotFound {
		t.Errorf("somebody else's message: %d", rec.Code)
	}
	w.says(lena.sent("/inbox/"+key+"/unread", url.Values{"next": {"/inbox"}}), "Unread 2")
	all := lena.sent("/inbox/read", url.Values{"upto": {key}})
	w.says(all, "All are marked as read.", "Nothing is unread.")
	undo := url.Values{"undoes": {hidden(t, all, "undoes")}, "next": {hidden(t, all, "next")}}
	w.says(lena.sent("/inbox/unread", undo), "Unread 2", "ro_two: Started")
	w.saysNot(lena.page("/inbox?marked=12345"), "All are marked as read.")

	w.says(lena.sent(at+"/follow", url.Values{"follow": {"0"}}), "Follow")
	ken.sent(at+"/roll-back", ken.moveForm(at+"/roll-back"))
	w.saysNot(lena.page("/inbox?all=1"), "Rolled back")
	w.says(mei.page("/inbox"), "ro_two: Rolled back, by Pat product")
}

// A halted rollout counts beside its entry of the rail, and what it cancelled is told in the reader's language.
func TestAHaltIsTold(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_7", 1000)
	mei := w.as(staff.Product)
	ja := w.signedIn(w.person(staff.Product, staff.Preferences{Language: "ja"}))
	const at = "/rollouts/" + roID
	for _, b := range []*browser{mei, ja} {
		b.sent(at+"/follow", url.Values{"follow": {"1"}})
	}
	mei.sent(at+"/start", mei.moveForm(at+"/start"))
	if _, err := w.Jobs.Charge(context.Background(), chargeOf("acct_7", "j1")); err != nil {
		t.Fatal(err)
	}
	w.says(mei.page("/"), "Rollouts Work")
	if err := w.G.Exec(`ALTER TABLE entries DISABLE TRIGGER USER; UPDATE entries SET rule_version = '` + modeltest.Action + `@v1' WHERE type = 'charge'; ALTER TABLE entries ENABLE TRIGGER USER`).Error; err != nil {
		t.Fatal(err)
	}
	if _, err := w.Rollouts.Check(context.Background(), roID); err != nil {
		t.Fatal(err)
	}
	w.says(mei.page("/"), "Rollouts 1", "Halted rollouts 1", "Rollouts that a failed check has halted: 1.", "Unattributed costs 0")
	w.saysNot(w.as(staff.Viewer).page("/"), "Unattributed costs")
	w.says(mei.page("/inbox"), roID+": Halted, by System", "Decision consistency failed.", "scheduled step “Advance: Stage 3”: Cancelled", "The rollout was halted.")
	w.says(ja.page("/inbox"), roID+"：停止（システム）", "「決定の整合性」が失敗しました。", "ロールアウトが停止されました。")
	// Approvals are told to whoever asked.
	mei.sent(at+"/roll-back", mei.moveForm(at+"/roll-back"))
	mei.sent("/new/rollout", mei.form("/new/rollout", "id", "ro_two", "candidate", modeltest.Action+"@v2", "threshold_1", "100", "second", "start", "reason", "x"))
	page := mei.page("/rollouts/ro_two/start")
	request := mei.asks("/rollouts/ro_two/start", url.Values{"operation_id": {operationID(t, page)}, "version": {hidden(t, page, "version")}, "reason": {"because"}})
	ken := w.as(staff.Product)
	ken.sent(request+"/reject", ken.seen(request+"/reject", "no"))
	w.says(mei.page("/inbox"), "Start of a rollout, ro_two: Rejected, by Pat product")
	if _, err := w.Rollouts.Archive(context.Background(), rollout.StepRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.System()}, RolloutID: "ro_two", Version: 1, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
}
