package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"recoup/models/bell"
	"recoup/models/staff"
	"recoup/models/webhook"
)

// webhookSamples calls the routes of receivers with one that is not there: who may come gets 404.
func webhookSamples() map[string]sample {
	admin := []staff.Role{staff.Admin}
	all := map[string]sample{
		"console.webhooks":         {path: "/webhooks", opens: admin},
		"console.webhook.new":      {path: "/webhooks/new", opens: admin},
		"console.webhook.new.post": {path: "/webhooks/new", form: url.Values{"url": {"https://example.com/"}, "events": {"check.failed"}, "reason": {"x"}}, opens: admin},
		"console.webhook":          {path: "/webhooks/we_1", opens: admin},
		"console.webhook.delivery": {path: "/webhooks/we_1/deliveries/1", opens: admin},
	}
	for _, what := range []string{"edit", "disable", "enable", "rotate", "test", "secret"} {
		all["console.webhook."+what] = sample{path: "/webhooks/we_1/" + what, opens: admin}
		all["console.webhook."+what+".post"] = sample{path: "/webhooks/we_1/" + what, opens: admin}
	}
	all["console.webhook.resend"] = sample{path: "/webhooks/we_1/deliveries/1/resend", opens: admin}
	all["console.webhook.resend.post"] = sample{path: "/webhooks/we_1/deliveries/1/resend", opens: admin}
	return all
}

// deliver makes the calls that are due.
func (w *world) deliver() {
	w.t.Helper()
	var due []int64
	_, err := w.hooks.Ring(context.Background(), 10, func(_ context.Context, b bell.Bell) error { due = append(due, b.Key); return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	for _, key := range due {
		if err := w.hooks.Visit(context.Background(), key); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestReceiverFromMakingToResending(t *testing.T) {
	w := newWorld(t)
	var got []http.Header
	answer := http.StatusBadGateway
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header)
		rw.WriteHeader(answer)
	}))
	t.Cleanup(receiver.Close)
	a := w.as(staff.Admin)
	w.says(a.page("/webhooks"), "No receivers yet.")

	bad := a.post("/webhooks/new", a.form("/webhooks/new", "url", "https://10.0.0.1/", "reason", "try", "events", "check.failed"))
	if bad.Code != http.StatusUnprocessableEntity {
		t.Fatalf("private address: %d", bad.Code)
	}
	w.says(bad.Body.String(), "This address is private or reserved")

	form := a.form("/webhooks/new", "url", receiver.URL, "description", "On-call", "reason", "they asked", "events", string(webhook.JobDeadLettered))
	page := a.sent("/webhooks/new", form)
	w.says(page, "The receiver was added.", "Nothing was sent yet.")
	w.says(a.sent("/webhooks/new", form), "Already done.")
	list, err := w.hooks.Endpoints(context.Background())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d receivers, %v", len(list), err)
	}
	at := "/webhooks/" + list[0].ID

	// The secret is on no page until it is asked for, and nobody asks without a reason.
	if strings.Contains(a.page(at), "whsec_") {
		t.Error("the page shows the secret unasked")
	}
	ask := a.page(at + "/secret")
	shown := a.post(at+"/secret", url.Values{"operation_id": {operationID(t, ask)}, "version": {hidden(t, ask, "version")}, "reason": {"setting it up"}})
	if shown.Code != http.StatusOK || !strings.Contains(shown.Body.String(), "whsec_") {
		t.Errorf("secret: %d", shown.Code)
	}
	if rec := a.post(at+"/secret", url.Values{"operation_id": {"x"}, "version": {"1"}}); rec.Code != http.StatusUnprocessableEntity || strings.Contains(rec.Body.String(), "whsec_") {
		t.Errorf("secret without a reason: %d", rec.Code)
	}

	for _, reason := range []string{"\u200b", strings.Repeat("x", 501), "a\x00b"} {
		rec := a.post(at+"/secret", url.Values{"operation_id": {"x"}, "version": {"1"}, "reason": {reason}})
		if rec.Code != http.StatusUnprocessableEntity || strings.Contains(rec.Body.String(), "whsec_") {
			t.Errorf("secret with the reason %.10q: %d", reason, rec.Code)
		}
	}
	if rec := a.get(at + "?state=zzz"); rec.Code != http.StatusUnprocessableEntity || strings.Contains(rec.Body.String(), "Nothing was sent yet") {
		t.Errorf("a state that there is none of: %d", rec.Code)
	}

	// A dead letter is told; the refusal and the next try are on the page; it can be sent again.
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	w.deliver()
	w.says(a.page(at), "Dead letter", "Waiting", "The receiver answered 502.", "Takes no calls since")
	w.says(a.page("/webhooks"), "Takes no calls")
	ja := w.as(staff.Admin)
	ja.post("/preferences", url.Values{"lang": {"ja"}})
	w.says(ja.page(at), "通知先が502を返しました。")
	w.saysNot(ja.page(at), "The receiver answered")
	w.saysNot(a.page("/"), "Receivers that hear nothing")
	if err := w.G.Exec(`UPDATE webhook_endpoints SET failing_since = failing_since - interval '1 hour'`).Error; err != nil {
		t.Fatal(err)
	}
	w.says(a.page("/"), "Receivers that hear nothing", "1 h ago")
	w.saysNot(w.as(staff.Viewer).page("/"), "Receivers that hear nothing")
	w.says(a.page(at+"?state=failed"), "No match", "Clear")
	w.saysNot(a.page(at+"?state=failed"), "Nothing was sent yet")
	if err := w.G.Exec(`UPDATE webhook_deliveries SET tries = 11`).Error; err != nil {
		t.Fatal(err)
	}
	if err := w.G.Exec(`UPDATE webhook_deliveries SET due_at = clock_timestamp()`).Error; err != nil {
		t.Fatal(err)
	}
	if err := w.G.Exec(`UPDATE webhook_endpoints SET busy_until = clock_timestamp(), ring_at = clock_timestamp()`).Error; err != nil {
		t.Fatal(err)
	}
	w.deliver()
	failed := a.page(at + "?state=failed")
	w.says(failed, "Dead letter", "Failed")
	delivery := regexp.MustCompile(at + `/deliveries/\d+`).FindString(failed)
	w.says(a.page(delivery), "What was sent", `"job_id":"j1"`, "502")
	answer = http.StatusOK
	resend := a.page(delivery + "/resend")
	w.says(a.sent(delivery+"/resend", url.Values{"operation_id": {operationID(t, resend)}, "version": {hidden(t, resend, "version")}, "reason": {"they fixed it"}}), "It is sent again.")
	w.deliver()
	if n := len(got); n != 3 || got[0].Get("webhook-id") != got[2].Get("webhook-id") {
		t.Errorf("%d calls", n)
	}
	w.says(a.page(at+"?state=delivered"), "Dead letter", "Delivered")
	sent := a.page(regexp.MustCompile(at + `/deliveries/\d+`).FindString(a.page(at + "?state=delivered")))
	w.says(sent, "Delivered 200")
	w.saysNot(sent, "Working")
	w.says(a.page(at), "Pat admin")
	w.saysNot(a.page(at), "staff:st_")

	// Two people: one wins, the other is told, and nothing is changed for them.
	b := w.as(staff.Admin)
	stale := b.page(at + "/disable")
	rotate := a.page(at + "/rotate")
	w.says(a.sent(at+"/rotate", url.Values{"operation_id": {operationID(t, rotate)}, "version": {hidden(t, rotate, "version")}, "reason": {"yearly"}}), "A new secret was made.", "The secret before it signs too")
	rec := b.post(at+"/disable", url.Values{"operation_id": {operationID(t, stale)}, "version": {hidden(t, stale, "version")}, "reason": {"noise"}})
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("stale page: %d", rec.Code)
	}
	told := b.page(rec.Header().Get("Location"))
	w.says(told, "Somebody changed this receiver meanwhile. By Pat admin,", "Active")
	w.saysNot(told, "The receiver was changed.")
}
