package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

const (
	flags    = "/ofrep/v1/evaluate/flags"
	testFlag = "pricing." + modeltest.Action
	ruleV1   = modeltest.Action + "@v1"
	ruleV2   = modeltest.Action + "@v2"
	// salt puts acct_42 into the first 10 % and acct_1001 into the last 15 %.
	salt = "ro_2026_discount10"
)

// rolledOut is a world with the three accounts and a candidate that is 10 % cheaper, in a rollout with two stages that is
// not started yet.
type rolledOut struct {
	*world
	rollouts *rollout.Service
	version  int64
}

func newRollout(t *testing.T) *rolledOut {
	t.Helper()
	w := newWorld(t)
	for _, account := range []string{"acct_1", "acct_42", "acct_1001", "named"} {
		w.account(account, 100_000)
	}
	r := &rolledOut{world: w, rollouts: rollout.New(w.models.Ops, rollout.Options{}), version: 1}
	n := pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: modeltest.Action, Unit: "second", UnitPrice: 1000, DiscountBps: 1000,
		Rounding: credit.RoundHalfEven, Reason: "10 % off"}
	if _, err := w.models.Pricing.CreateRule(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	_, err := r.rollouts.Create(t.Context(), rollout.NewRollout{Envelope: modeltest.Envelope(), ID: salt, Action: modeltest.Action, Candidate: ruleV2, Reason: "trial",
		Stages: []pricing.Stage{{Number: 1, Threshold: 10_000, Segment: pricing.Segment{Accounts: []string{"named"}}}, {Number: 2, Threshold: 25_000}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// step makes a step of the rollout from the version that the last one led to.
func (r *rolledOut) step(do func(context.Context, rollout.StepRequest) (operation.Outcome, error)) {
	r.t.Helper()
	if _, err := do(r.t.Context(), rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: salt, Version: r.version, Reason: "test"}); err != nil {
		r.t.Fatal(err)
	}
	r.version++
}

func (w *world) flag(evaluation string) response {
	w.t.Helper()
	return w.send(request{method: http.MethodPost, path: flags + "/" + testFlag, op: "-", body: `{"context":` + evaluation + `}`})
}

// What OpenFeature is told of an account in each state of a rollout, and that asking leaves nothing behind.
func TestFlagInEveryStateOfARollout(t *testing.T) {
	w := newRollout(t)
	ask := func(account, rule, cohort, reason, why string) {
		t.Helper()
		price := map[string]string{ruleV1: "60", ruleV2: "54"}[rule]
		w.flag(`{"targetingKey":"`+account+`","units":60}`).want(200).has("key", testFlag, "value", rule, "variant", cohort, "reason", reason,
			"metadata.cohort", cohort, "metadata.reason", why, "metadata.price", price, "metadata.units", "60", "errorCode", "<nil>")
	}
	ask("acct_42", ruleV1, "baseline", "STATIC", "no_rollout")
	w.step(w.rollouts.Start)
	before := w.contents()
	ask("acct_42", ruleV2, "candidate", "SPLIT", "below_threshold")
	ask("acct_1001", ruleV1, "baseline", "SPLIT", "above_threshold")
	in := w.flag(`{"targetingKey":"acct_42"}`).has("metadata.rollout_id", salt, "metadata.rollout_version", "2", "metadata.stage", "1", "metadata.bucket", "8012",
		"metadata.price", "<nil>", "metadata.units", "<nil>")
	if !strings.Contains(fmt.Sprint(in.at("metadata.explanation")), "8012") {
		t.Errorf("%s", in.body)
	}
	w.unchanged(before)

	w.post("/v1/accounts/acct_42/jobs", chargeOf10).want(201).has("result.job.rule_version", ruleV2)
	ask("acct_42", ruleV2, "candidate", "TARGETING_MATCH", "enrolled")
	w.step(w.rollouts.Pause)
	before = w.contents()
	ask("acct_42", ruleV2, "candidate", "TARGETING_MATCH", "enrolled")
	ask("acct_1", ruleV1, "baseline", "DISABLED", "paused")
	w.unchanged(before)
	w.step(w.rollouts.RollBack)
	ask("acct_42", ruleV1, "baseline", "STATIC", "no_rollout")
}

// What the context says of the account beside its id does not count: only what is stored does.
func TestContextDoesNotOverrideTheAccount(t *testing.T) {
	w := newRollout(t)
	w.models.Price(t, "segmented", 1000)
	n := pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: "segmented", Unit: "second", UnitPrice: 500, Rounding: credit.RoundUp, Reason: "half"}
	if _, err := w.models.Pricing.CreateRule(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	segment := pricing.Segment{Plans: []string{"pro"}, Regions: []string{"eu"}, Attributes: map[string]string{"tier": "gold"}}
	_, err := w.rollouts.Create(t.Context(), rollout.NewRollout{Envelope: modeltest.Envelope(), ID: "segmented", Action: "segmented", Candidate: "segmented@v2", Reason: "trial",
		Stages: []pricing.Stage{{Number: 1, Threshold: pricing.Buckets, Segment: segment}}})
	if err == nil {
		_, err = w.rollouts.Start(t.Context(), rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: "segmented", Version: 1, Reason: "go"})
	}
	if err != nil {
		t.Fatal(err)
	}
	const claims = `{"targetingKey":"acct_1","plan":"pro","region":"eu","tier":"gold","attributes":{"tier":"gold"},"weight":1.5,"list":[1,null]}`
	ask := func() response {
		t.Helper()
		return w.send(request{method: http.MethodPost, path: flags + "/pricing.segmented", op: "-", body: `{"context":` + claims + `}`}).want(200)
	}
	ask().has("value", "segmented@v1", "reason", "DEFAULT", "metadata.reason", "outside_segment")
	w.send(request{method: http.MethodPut, path: "/v1/accounts/acct_1", body: `{"plan":"pro","region":"eu","attributes":{"tier":"gold"}}`}).want(200)
	ask().has("value", "segmented@v2", "reason", "SPLIT")
}

// Every way to ask wrongly, with the error code that OpenFeature has for it.
func TestFlagErrors(t *testing.T) {
	w := newWorld(t)
	w.account("a", 0)
	before := w.contents()
	for body, want := range map[string]struct{ code, field string }{
		`{}`:                                 {"TARGETING_KEY_MISSING", "context.targetingKey"},
		`{"context":null}`:                   {"TARGETING_KEY_MISSING", "context.targetingKey"},
		`{"context":{}}`:                     {"TARGETING_KEY_MISSING", "context.targetingKey"},
		`{"context":{"targetingkey":"a"}}`:   {"TARGETING_KEY_MISSING", "context.targetingKey"},
		`{"context":{"targetingKey":null}}`:  {"TARGETING_KEY_MISSING", "context.targetingKey"},
		`{"context":{"targetingKey":""}}`:    {"TARGETING_KEY_MISSING", "context.targetingKey"},
		`{"context":{"targetingKey":7}}`:     {"INVALID_CONTEXT", "context.targetingKey"},
		`{"context":{"targetingKey":"a/b"}}`: {"INVALID_CONTEXT", "context.targetingKey"},
		`{"context":{"targetingKey":"` + strings.Repeat("x", 65) + `"}}`: {"INVALID_CONTEXT", "context.targetingKey"},
		`{"context":{"targetingKey":"nobody"}}`:                          {"INVALID_CONTEXT", "context.targetingKey"},
		`{"context":{"targetingKey":"a","units":0}}`:                     {"INVALID_CONTEXT", "context.units"},
		`{"context":{"targetingKey":"a","units":-1}}`:                    {"INVALID_CONTEXT", "context.units"},
		`{"context":{"targetingKey":"a","units":1.0}}`:                   {"INVALID_CONTEXT", "context.units"},
		`{"context":{"targetingKey":"a","units":"1"}}`:                   {"INVALID_CONTEXT", "context.units"},
		`{"context":{"targetingKey":"a","units":1e3}}`:                   {"INVALID_CONTEXT", "context.units"},
		`{"context":{"targetingKey":"a","units":9223372036854775808}}`:   {"INVALID_CONTEXT", "context.units"},
		`{"context":{"targetingKey":"a"},"more":1}`:                      {"PARSE_ERROR", "more"},
		`{"context":{"targetingKey":"a","targetingKey":"b"}}`:            {"PARSE_ERROR", "context.targetingKey"},
		`{"context":{"targetingKey":"a","x":{"y":1,"y":2}}}`:             {"PARSE_ERROR", "context.x.y"},
		`{"context":{"targetingKey":"a","x":"\u0000"}}`:                  {"PARSE_ERROR", "context.x"},
		`{"context":"a"}`:                     {"PARSE_ERROR", "context"},
		`{"context":{"targetingKey":"a"}`:     {"PARSE_ERROR", "body"},
		`not JSON`:                            {"PARSE_ERROR", "body"},
		`[]`:                                  {"PARSE_ERROR", "body"},
		`{"context":{"targetingKey":"a"}} {}`: {"PARSE_ERROR", "body"},
		"{\"context\":{\"targetingKey\":\"a\",\"x\":\"\xff\"}}":                   {"PARSE_ERROR", "context.x"},
		`{"context":{"targetingKey":"a","x":` + strings.Repeat("[", 70) + `1}}`:   {"PARSE_ERROR", "context.x"},
		`{"context":{"targetingKey":"a","\u0000":1}}`:                             {"PARSE_ERROR", "context"},
		`{"context":{"targetingKey":"a","units":null},"Context":{"units":"one"}}`: {"PARSE_ERROR", "Context"},
	} {
		for _, path := range []string{flags + "/" + testFlag, flags} {
			res := w.send(request{method: http.MethodPost, path: path, body: body, op: "-"}).want(400).has("errorCode", want.code)
			if !res.names(want.field) || !strings.Contains(fmt.Sprint(res.at("errorDetails")), want.field) {
				t.Errorf("%s to %s: %s", body, path, res.body)
			}
			if key := res.at("key"); path == flags && key != nil || path != flags && key != testFlag {
				t.Errorf("%s to %s: key %v", body, path, key)
			}
		}
	}
	big := request{method: http.MethodPost, path: flags + "/" + testFlag, body: `{"context":{"targetingKey":"a","x":"` + strings.Repeat("x", 1<<20) + `"}}`, op: "-"}
	w.send(big).want(413).has("errorCode", "GENERAL", "code", "body_too_large")
	w.send(request{method: http.MethodPost, path: flags, key: "-", body: `{}`, op: "-"}).want(401).has("errorCode", "GENERAL", "code", "unauthenticated")
	w.unchanged(before)
}

// A key that is none of an action for sale is FLAG_NOT_FOUND, whatever it is.
func TestKeysThatAreNoFlags(t *testing.T) {
	w := newWorld(t)
	w.account("a", 0)
	w.models.Price(t, "gone", 1000)
	if err := w.g.Exec(`UPDATE actions SET retired_at = now() WHERE id = 'gone'`).Error; err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"pricing.no_such", "pricing.gone", "pricing.", "pricing.a%2Fb", "pricing", modeltest.Action, "PRICING." + modeltest.Action, "pricing.%E8%B4%A6",
		"pricing." + strings.Repeat("x", 65), strings.Repeat("x", 3000), "%20", "..", "pricing." + ruleV1} {
		res := w.send(request{method: http.MethodPost, path: flags + "/" + key, op: "-", body: `{"context":{"targetingKey":"a"}}`})
		res.want(404).has("errorCode", "FLAG_NOT_FOUND", "code", "flag_not_found")
		if got, _ := res.at("key").(string); got == "" {
			t.Errorf("%s: %s", key, res.body)
		}
	}
	for _, key := range []string{"a%00", "%FF"} {
		w.send(request{method: http.MethodPost, path: flags + "/" + key, op: "-", body: `{"context":{"targetingKey":"a"}}`}).want(400).has("errorCode", "PARSE_ERROR")
	}
}

// All flags at once, and an ETag that holds as long as neither the answer nor the context changes.
func TestBulkFlagsAndETag(t *testing.T) {
	w := newRollout(t)
	w.models.Price(t, "dear", 1<<40)
	w.step(w.rollouts.Start)
	all := func(evaluation, tag string) response {
		t.Helper()
		header := http.Header{}
		if tag != "" {
			header.Set("If-None-Match", tag)
		}
		return w.send(request{method: http.MethodPost, path: flags, op: "-", body: `{"context":` + evaluation + `}`, header: header})
	}
	const asked = `{"targetingKey":"acct_42","units":60,"z":{"b":1,"a":2}}`
	first := all(asked, "").want(200).has("flags.0.key", "pricing.dear", "flags.0.value", "dear@v1", "flags.1.key", testFlag, "flags.1.value", ruleV2,
		"flags.1.reason", "SPLIT", "flags.1.metadata.price", "54", "flags.2", "<nil>")
	tag := first.header.Get("ETag")
	for _, match := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		if res := all(asked, match).want(304); len(res.body) > 0 || res.header.Get("ETag") != tag {
			t.Errorf("%s: %s, tag %s", match, res.body, res.header.Get("ETag"))
		}
	}
	// The order of the context's members is no difference.
	all(`{"z":{"a":2,"b":1},"units":60,"targetingKey":"acct_42"}`, tag).want(304)
	for _, other := range []string{`{"targetingKey":"acct_1","units":60,"z":{"b":1,"a":2}}`, `{"targetingKey":"acct_42","units":61,"z":{"b":1,"a":2}}`,
		`{"targetingKey":"acct_42","units":60}`} {
		if res := all(other, tag).want(200); res.header.Get("ETag") == tag {
			t.Errorf("%s has the same ETag", other)
		}
	}
	all(asked, `"x"`).want(200)
	w.step(w.rollouts.Pause)
	paused := all(asked, tag).want(200).has("flags.1.value", ruleV1, "flags.1.reason", "DISABLED")
	if paused.header.Get("ETag") == tag {
		t.Error("the same ETag after a pause")
	}
	// A flag that cannot be evaluated does not cost the others.
	all(`{"targetingKey":"acct_42","units":9223372036854775807}`, "").want(200).has("flags.0.key", "pricing.dear", "flags.0.errorCode", "INVALID_CONTEXT",
		"flags.0.value", "<nil>", "flags.1.value", ruleV1)
}
