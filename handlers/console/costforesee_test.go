package console_test

import (
	"context"
	"net/http"
	"regexp"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/modeltest"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// Before a bill is imported its page says what would come of it, and which rollouts that halts.
func TestAnImportThatHaltsSaysSoBefore(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 40)
	fin := w.as(staff.Finance)
	const at = "/costs/imports/new"
	upload := func(lines string) string {
		t.Helper()
		rec := fin.upload(at, "bill.csv", "external_id,amount,currency,time,account_id,job_id\n"+lines, fin.form(at, "source", "farm", "format", "recoup"))
		if rec.Code != http.StatusSeeOther {
			t.Fatalf("%d %s", rec.Code, text(rec.Body.String()))
		}
		return fin.page(regexp.MustCompile(`^/costs/imports/[0-9a-f-]+`).FindString(rec.Header().Get("Location")))
	}
	now := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	stray := "a,1,USD," + now + ",acct_7,j1\nb,2,USD," + now + ",,\nc,3,USD," + now + ",acct_7,nobody\n"
	page := upload(stray)
	w.says(page, "Importing it now: 1 attributed, 0 overhead, 2 attributed to nobody, 0 recorded before.", "2 lines would be attributed to nobody")
	w.saysNot(page, "That halts")
	if _, err := w.Rollouts.Start(context.Background(), rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: roID, Version: 1, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	w.says(upload(stray), "That halts the rollout "+roID+" within a minute.")
	w.saysNot(upload("a,1,USD,"+now+",acct_7,j1\n"), "attributed to nobody:", "That halts")
	// Of before the rollout: it is nobody's, and halts nothing.
	w.saysNot(upload("d,1,USD,2026-01-01T00:00:00Z,,\n"), "That halts")
	w.says(upload(""), "The file is not right", "The file holds no lines below its header.")
}

// A group without any known cost has no cost of nothing, and no margin.
func TestAnUnknownCostIsNoCostOfNothing(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 40)
	if _, err := cost.New(w.Ops).SetValue(context.Background(), cost.ValueRequest{Envelope: modeltest.Envelope(), Currency: "USD", Value: decimal.FromInt(2), ValidFrom: time.Now().Add(-time.Hour), Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	page := w.as(staff.Finance).page("/costs/margin")
	w.says(page, "40 80.00 unknown unknown")
}
