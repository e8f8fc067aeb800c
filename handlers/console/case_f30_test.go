package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/rollout"
	"recoup/models/staff"
	words "recoup/views/text"
)

// program sends a request as a program does and decodes the answer, which must have this status.
func (w *world) program(key, method, path, operationID, body string, status int, answer any) {
	w.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	if operationID != "" {
		r.Header.Set("Idempotency-Key", operationID)
	}
	rec := httptest.NewRecorder()
	w.server.ServeHTTP(rec, r)
	if rec.Code != status {
		w.t.Fatalf("%s %s: %d %s", method, path, rec.Code, rec.Body)
	}
	if err := json.Unmarshal(rec.Body.Bytes(), answer); err != nil {
		w.t.Fatal(err)
	}
}

// apiKey is a key with every scope.
func (w *world) apiKey() string {
	w.t.Helper()
	_, key, err := w.staff.CreateKey(context.Background(), staff.By{Actor: actor.System()}, staff.NewKey{Name: "test", Scopes: staff.Scopes()})
	if err != nil {
		w.t.Fatal(err)
	}
	return key
}

// TestCase_F30: what the rollout's page says of an account, what an OpenFeature client is told, and what a quote freezes are one
// value, whatever state the rollout is in and whether the account is in it or not.
func TestCase_F30_ThePageTheFlagAndTheQuoteAreOneValue(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	// acct_7 is named, acct_42 and acct_51 are in the first 10 %, acct_1 is in the second stage, acct_1001 in neither.
	accounts := []string{"acct_7", "acct_42", "acct_1", "acct_1001"}
	for _, a := range accounts {
		w.Account(t, a, 100_000)
	}
	b, key := w.as(staff.Viewer), w.apiKey()
	english := words.Locale{Lang: words.English}

	// same asks all three in this order, because a quote enrols; it returns the rule version that they agree on.
	same := func(state, account string, freeze bool) string {
		t.Helper()
		page := b.page("/rollouts/" + roID + "?account=" + account)
		var flag struct {
			Value, Variant, Reason string
			Metadata               struct {
				Cohort, Reason string
				Price, Units   int64
				RolloutVersion *int64 `json:"rollout_version"`
				Bucket         *int64
			}
		}
		w.program(key, http.MethodPost, "/ofrep/v1/evaluate/flags/pricing."+modeltest.Action, "", `{"context":{"targetingKey":"`+account+`","units":60}}`, 200, &flag)
		w.says(page, fmt.Sprintf("60 seconds = %d credits", flag.Metadata.Price), flag.Value, english.T("why."+flag.Metadata.Reason))
		if bucket := flag.Metadata.Bucket; bucket != nil {
			w.says(page, english.Credits(*bucket))
		}
		if !freeze {
			return flag.Value
		}
		var quote struct {
			Result struct {
				Price                       int64
				RuleVersion                 string `json:"rule_version"`
				FlagReason                  string `json:"flag_reason"`
				Cohort, Reason, Explanation string
			}
		}
		op := ids.New()
		w.program(key, http.MethodPost, "/v1/accounts/"+account+"/quotes", op, `{"action":"`+modeltest.Action+`","units":60}`, 201, &quote)
		q := quote.Result
		if q.Price != flag.Metadata.Price || q.RuleVersion != flag.Value || q.Cohort != flag.Variant || q.Reason != flag.Metadata.Reason || q.FlagReason != flag.Reason {
			t.Errorf("%s, %s: quote %+v, flag %+v", state, account, q, flag)
		}
		// At the same version of the rollout: that which the decision stored.
		if read := w.rolloutVersion(op); fmt.Sprint(deref(read)) != fmt.Sprint(deref(flag.Metadata.RolloutVersion)) {
			t.Errorf("%s, %s: the quote read version %v, the flag %v", state, account, deref(read), deref(flag.Metadata.RolloutVersion))
		}
		return q.RuleVersion
	}
	all := func(state string, want ...string) {
		t.Helper()
		for i, account := range accounts {
			if got := same(state, account, true); got != modeltest.Action+"@"+want[i] {
				t.Errorf("%s: %s gets %s, want %s", state, account, got, want[i])
			}
		}
	}
	version := int64(1)
	step := func(do func(context.Context, rollout.StepRequest) (operation.Outcome, error)) {
		t.Helper()
		if _, err := do(t.Context(), rollout.StepRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("pm")}, RolloutID: roID, Version: version, Reason: "because"}); err != nil {
			t.Fatal(err)
		}
		version++
	}

	all("draft", "v1", "v1", "v1", "v1")
	step(w.Rollouts.Start)
	// Before anybody is enrolled, and after: a look changes nothing, a quote enrols.
	for _, a := range accounts {
		same("running, first look", a, false)
	}
	all("running", "v2", "v2", "v1", "v1")
	all("running, enrolled", "v2", "v2", "v1", "v1")
	step(w.Rollouts.Pause)
	all("paused", "v2", "v2", "v1", "v1")
	step(w.Rollouts.Resume)
	// An account that a running rollout would admit and a halted one does not.
	w.Account(t, "acct_51", 100_000)
	accounts = append(accounts, "acct_51")
	if got := same("running, not enrolled", "acct_51", false); got != modeltest.Action+"@v2" {
		t.Fatalf("acct_51 gets %s while the rollout runs", got)
	}
	w.program(key, http.MethodPost, "/v1/costs", "bill", `{"source":"farm","records":[{"external_id":"line-1","amount":"1","currency":"USD","time":"`+
		time.Now().UTC().Format(time.RFC3339Nano)+`","action":"`+modeltest.Action+`"}]}`, 201, &struct{}{})
	if err := w.Rollouts.CheckLive(t.Context()); err != nil {
		t.Fatal(err)
	}
	version++
	if r, err := w.Rollouts.Find(t.Context(), roID); err != nil || r.State != rollout.Halted {
		t.Fatalf("%s, %v", r.State, err)
	}
	all("halted", "v2", "v2", "v1", "v1", "v1")
	step(w.Rollouts.RollBack)
	all("rolled back", "v1", "v1", "v1", "v1", "v1")
	if _, err := w.Pricing.Preview(t.Context(), "nobody", modeltest.Action, 60); !fault.Is(err, fault.CodeAccountNotFound) {
		t.Errorf("%v", err)
	}
}

// rolloutVersion is the version of the rollout that an operation's decision read; nil outside one.
func (w *world) rolloutVersion(operationID string) *int64 {
	w.t.Helper()
	var v *int64
	if err := w.G.Raw(`SELECT rollout_version FROM decisions WHERE operation_id = ?`, operationID).Row().Scan(&v); err != nil {
		w.t.Fatal(err)
	}
	return v
}

func deref(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}
