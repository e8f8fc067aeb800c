package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"recoup/models/audit"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// Nobody reads a payload on the way: it takes a permission and a reason, and leaves a row in the audit log.
func TestPayloadIsRevealedForAReason(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.Account(t, "acct_7", 1000)
	_, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j1", Action: modeltest.Action, Units: 1,
		Payload: []byte(`{"source":"s3://masters/cut.mov","frames":9007199254740993,"callback_token":"hunter2"}`)})
	if err != nil {
		t.Fatal(err)
	}
	at := jobAt("acct_7", "j1", "")
	rows := func() []audit.Stored {
		t.Helper()
		all, err := audit.Of(ctx, w.G, "account:acct_7/job:j1", 100)
		if err != nil {
			t.Fatal(err)
		}
		var reveals []audit.Stored
		for _, r := range all {
			if r.Action == "job.reveal" && r.Outcome == "done" {
				reveals = append(reveals, r)
			}
		}
		return reveals
	}
	values := []string{"s3://masters/cut.mov", "9007199254740993", "hunter2"}
	for _, role := range staff.Roles() {
		page := w.as(role).page(at)
		w.says(page, "source", "frames", "callback_token")
		w.saysNot(page, values...)
		if got, want := strings.Contains(page, `href="`+at+`/payload"`), staff.Allows(role, staff.JobReveal); got != want {
			t.Errorf("%s is offered to reveal: %t", role, got)
		}
	}
	b := w.as(staff.Support)
	for _, reason := range []string{"", "  ", strings.Repeat("x", 501), "a\x00b"} {
		rec := b.post(at+"/payload", url.Values{"reason": {reason}})
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("reason %q: %d", reason, rec.Code)
		}
		w.saysNot(rec.Body.String(), values...)
	}
	if rec := w.as(staff.Viewer).post(at+"/payload", url.Values{"reason": {"curious"}}); rec.Code != http.StatusForbidden {
		t.Errorf("a viewer: %d", rec.Code)
	}
	if got := rows(); len(got) != 0 {
		t.Errorf("%d rows before anybody saw it", len(got))
	}
	rec := b.post(at+"/payload", b.form(at+"/payload", "reason", "customer asks which file"))
	if rec.Code != http.StatusOK || rec.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d, %q", rec.Code, rec.Header().Get("Cache-Control"))
	}
	w.says(rec.Body.String(), values[:2]...)
	w.saysNot(rec.Body.String(), values[2])
	got := rows()
	if len(got) != 1 || got[0].Reason != "customer asks which file" || !strings.HasPrefix(got[0].Actor, "staff:") || got[0].RequestID != rec.Header().Get("X-Request-Id") {
		t.Errorf("%+v", got)
	}
	w.saysNot(b.page(at), values...)
}

// What a link says is not a conflict unless this person had it.
func TestConflictsCannotBeMadeUp(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	c := w.charged("acct_7", "j1", 40)
	b := w.as(staff.Lead)
	form := b.form(jobAt("acct_7", "j1", "/cancel"), "reason", "because")
	if _, err := w.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken}); err != nil {
		t.Fatal(err)
	}
	rec := b.post(jobAt("acct_7", "j1", "/cancel"), form)
	to := rec.Header().Get("Location")
	u, err := url.Parse(to)
	if err != nil || rec.Code != http.StatusSeeOther {
		t.Fatal(rec.Code, err)
	}
	id := u.Query().Get("request")
	w.says(b.page(to), "Nothing was changed", id)
	const said = "Nothing was changed"
	w.saysNot(w.as(staff.Support).page(to), said, id)
	for _, made := range []string{"/accounts/acct_7?refused=succeeded&request=CALL-555-0100", "/accounts/acct_7?refused=x", "/accounts/acct_7?refused=x&request=" + id,
		jobAt("acct_7", "j1", "?refused=succeeded&request=CALL-555-0100"), "/?refused=x&request=" + id, "/jobs?refused=x&request=CALL-555-0100"} {
		w.saysNot(b.page(made), said, "CALL-555")
	}
}
