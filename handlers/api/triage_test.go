package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/deadletter"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// A program gives a dead letter to somebody, puts it out of sight and notes something; each is a replay when it is sent again,
// and none of it moves the job or its money.
func TestDeadLetterIsTriagedByAProgram(t *testing.T) {
	w := newWorld(t)
	w.account("acct_7", 100)
	at := w.charge("acct_7", "j1", 40, `,"mode":"external"`)
	w.post(at+"/assign", `{"assignee":""}`).want(409).has("code", "state_conflict")
	w.post(at+"/signals", `{"type":"failed","attempt":1,"class":"permanent","code":"codec","message":"frame 7 is broken"}`).want(200)
	who, err := w.staff.CreateStaff(context.Background(), staff.By{Actor: actor.System()}, staff.NewPerson{Email: "kenji@recoup.test", Name: "Kenji", Role: staff.Support, Password: "a long enough password"})
	if err != nil {
		t.Fatal(err)
	}
	name := who.Actor().String()
	entries := w.entryTypes("acct_7")
	op := ids.New()
	w.postAs(op, at+"/assign", `{"assignee":"`+name+`"}`).want(200).has("outcome", "applied", "result.before.assignee", "", "result.after.assignee", name)
	w.postAs(op, at+"/assign", `{"assignee":"`+name+`"}`).want(200).has("outcome", "replayed", "result.after.assignee", name)
	w.postAs(op, at+"/assign", `{"assignee":""}`).want(422).has("code", "operation_conflict")
	for _, bad := range []string{`{}`, `{"assignee":"key:x"}`, `{"assignee":"staff:"}`, `{"assignee":"staff:nobody"}`, `{"assignee":"system"}`} {
		if res := w.post(at+"/assign", bad).want(400); !strings.Contains(string(res.body), `"assignee"`) {
			t.Errorf("%s: %s", bad, res.body)
		}
	}
	w.post(at+"/assign", `{"assignee":""}`).want(200).has("result.before.assignee", name, "result.after.assignee", "")
	until := time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)
	w.post(at+"/snooze", `{"until":"`+until+`"}`).want(200)
	if n := w.count(`SELECT count(*) FROM dead_letters WHERE snoozed_until > clock_timestamp()`); n != 1 {
		t.Errorf("%d snoozed", n)
	}
	w.post(at+"/snooze", `{}`).want(200)
	if n := w.count(`SELECT count(*) FROM dead_letters WHERE snoozed_until > clock_timestamp()`); n != 0 {
		t.Errorf("%d snoozed after it was brought back", n)
	}
	w.post(at+"/notes", `{"note":"the customer called"}`).want(200).has("result.note", "the customer called")
	w.post(at+"/notes", `{"note":" "}`).want(400)
	if got := w.entryTypes("acct_7"); got != entries {
		t.Errorf("entries %s, were %s", got, entries)
	}
	w.get(at).want(200).has("job.state", "dead")
}

// A group is found, read and changed by a program; of two that read the same, the second is told.
func TestGroupIsChangedByAProgram(t *testing.T) {
	w := newWorld(t)
	w.account("acct_7", 100)
	for _, id := range []string{"j1", "j2", "other"} {
		message := "frame 7 is broken"
		if id == "other" {
			message = "out of memory"
		}
		w.post(w.charge("acct_7", id, 5, `,"mode":"external"`)+"/signals", `{"type":"failed","attempt":1,"class":"permanent","code":"codec","message":"`+message+`"}`).want(200)
	}
	if _, err := deadletter.New(w.models.Ops).FillFingerprints(context.Background(), 100); err != nil {
		t.Fatal(err)
	}
	first := w.get("/v1/dead-letter-groups?limit=1").want(200).has("groups.0.open", "2", "groups.0.accounts", "1", "groups.0.action", modeltest.Action, "groups.0.revision", "0")
	next, ok := first.at("next_cursor").(string)
	if !ok {
		t.Fatalf("no second page: %s", first.body)
	}
	second := w.get("/v1/dead-letter-groups?limit=1&cursor="+next).want(200).has("groups.0.open", "1")
	if second.at("groups.0.fingerprint") == first.at("groups.0.fingerprint") {
		t.Error("the second page has the first group")
	}
	w.get("/v1/dead-letter-groups?view=snoozed&cursor=" + next).want(400)
	w.get("/v1/dead-letter-groups?view=none").want(400)
	at := "/v1/dead-letter-groups/" + first.at("groups.0.fingerprint").(string)

	w.post(at+"/note", `{"note":"the provider knows","link":"https://status.example/7","revision":0}`).want(200).has("result.note", "the provider knows", "result.revision", "1")
	if res := w.post(at+"/note", `{"note":"nobody knows","revision":0}`).want(409); !strings.Contains(string(res.body), `"by"`) || !strings.Contains(string(res.body), `"at"`) {
		t.Errorf("not told by whom and when: %s", res.body)
	}
	w.post(at+"/note", `{"link":"javascript:alert(1)"}`).want(400)
	w.post(at+"/snooze", `{}`).want(400)
	w.post(at+"/snooze", `{"more":5}`).want(200).has("result.snooze_more", "5")
	w.get("/v1/dead-letter-groups?view=snoozed").want(200).has("groups.0.snoozed", "true", "groups.0.note", "the provider knows")
	w.post(at+"/reopen", `{}`).want(200)
	w.post(at+"/reopen", `{}`).want(409)
	w.post(at+"/resolve", `{}`).want(400)
	op := ids.New()
	w.postAs(op, at+"/resolve", `{"reason":"a new version"}`).want(200).has("outcome", "applied")
	w.postAs(op, at+"/resolve", `{"reason":"a new version"}`).want(200).has("outcome", "replayed")
	if res := w.get(at).want(200).has("open", "2", "returned", "false"); res.at("resolved_at") == nil {
		t.Errorf("not resolved: %s", res.body)
	}
	w.post(at+"/snooze", `{"more":5}`).want(409)
	if res := w.send(request{method: http.MethodGet, path: "/v1/dead-letter-groups/none"}); res.status != http.StatusNotFound {
		t.Errorf("an unknown group: %d", res.status)
	}
}
