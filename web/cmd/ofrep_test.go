package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// nodeProject is where the program for Node.js and the versions of its packages are.
const nodeProject = "../../e2e/ofrep"

// unavailable skips a test for want of something that CI has to have.
func unavailable(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// noRegistry are npm's words for a registry that cannot be reached.
var noRegistry = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E40[13]|E5\d\d|ERR_SOCKET_TIMEOUT`)

// installNode puts the program and its packages, exactly those of the lock file, into a directory of the test's.
func installNode(t *testing.T) (dir string) {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			unavailable(t, name+" is not installed: the OpenFeature SDK for Node.js is not tried")
		}
	}
	dir = t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "evaluate.mjs"} {
		content, err := os.ReadFile(filepath.Join(nodeProject, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		if ctx.Err() != nil || noRegistry.Match(out) {
			unavailable(t, "npm cannot install the OpenFeature SDK: its registry does not answer: "+string(out))
		}
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return dir
}

// The published OpenFeature SDK for Node.js with its OFREP provider, unchanged, is told the price of accounts inside and
// outside a rollout, and the errors that the protocol has.
func TestOpenFeatureSDK(t *testing.T) {
	dir := installNode(t)
	s := startStack(t, nil)
	id := s.trial()
	ctx := t.Context()
	_, key, err := s.app.staff.CreateKey(ctx, staff.By{Actor: actor.System()}, staff.NewKey{Name: "flags", Scopes: []staff.Scope{staff.FlagsRead}})
	if err != nil {
		t.Fatal(err)
	}

	type asked struct {
		Flag    string         `json:"flag"`
		Context map[string]any `json:"context"`
	}
	const flag = "pricing." + modeltest.Action
	questions := []asked{
		{flag, map[string]any{"targetingKey": "acct_42", "units": 60, "plan": "pro", "weight": 1.5}},
		{flag, map[string]any{"targetingKey": "acct_1"}},
		{"pricing.no_such", map[string]any{"targetingKey": "acct_1"}},
		{flag, map[string]any{"plan": "pro"}},
		{flag, map[string]any{"targetingKey": "nobody"}},
		{flag, map[string]any{"targetingKey": "acct_1", "units": 1.5}},
	}
	type details struct {
		Value, Variant, Reason  string
		ErrorCode, ErrorMessage string
		FlagMetadata            map[string]any
	}
	evaluate := func(key string) []details {
		t.Helper()
		input, err := json.Marshal(questions)
		if err != nil {
			t.Fatal(err)
		}
		node := exec.CommandContext(ctx, "node", "evaluate.mjs")
		node.Dir = dir
		node.Env = append(os.Environ(), "RECOUP_URL="+s.url, "RECOUP_KEY="+key)
		node.Stdin = bytes.NewReader(input)
		var stderr bytes.Buffer
		node.Stderr = &stderr
		out, err := node.Output()
		if err != nil {
			t.Fatalf("node: %v\n%s", err, stderr.String())
		}
		var got []details
		if err := json.Unmarshal(out, &got); err != nil || len(got) != len(questions) {
			t.Fatalf("%v in %s\n%s", err, out, stderr.String())
		}
		return got
	}

	got := evaluate(key)
	if in := got[0]; in.Value != modeltest.Action+"@v2" || in.Variant != "candidate" || in.Reason != "SPLIT" || in.ErrorCode != "" ||
		in.FlagMetadata["price"] != 54.0 || in.FlagMetadata["rollout_id"] != id || in.FlagMetadata["stage"] != 1.0 || in.FlagMetadata["cohort"] != "candidate" {
		t.Errorf("inside: %+v", in)
	}
	if out := got[1]; out.Value != modeltest.Action+"@v1" || out.Variant != "baseline" || out.Reason != "SPLIT" || out.ErrorCode != "" ||
		out.FlagMetadata["cohort"] != "baseline" || out.FlagMetadata["price"] != nil {
		t.Errorf("outside: %+v", out)
	}
	for i, want := range map[int][2]string{2: {"FLAG_NOT_FOUND", "pricing.no_such"}, 3: {"TARGETING_KEY_MISSING", "targetingKey"}, 4: {"INVALID_CONTEXT", "targetingKey"},
		5: {"INVALID_CONTEXT", "units"}} {
		if got[i].ErrorCode != want[0] || got[i].Value != "the default" || !strings.Contains(got[i].ErrorMessage, want[1]) {
			t.Errorf("%v: %+v, want %s", questions[i], got[i], want)
		}
	}
	for i, d := range evaluate("rk_" + strings.Repeat("a", 16) + "_wrong") {
		if d.ErrorCode != "GENERAL" || d.Value != "the default" {
			t.Errorf("without a key, %v: %+v", questions[i], d)
		}
	}
	if rows := s.column(`SELECT account_key::text FROM enrolments UNION ALL SELECT operation_id FROM decisions`); len(rows) != 0 {
		t.Errorf("asking left %v", rows)
	}
}
