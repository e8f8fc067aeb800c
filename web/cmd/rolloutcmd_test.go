package cmd

import (
	"bytes"
	"strings"
	"testing"

	"recoup/models/modeltest"
)

// A script makes a candidate, a draft and its steps; a repeat has no further effect, a stale version does nothing, and an advance without
// data is refused as everywhere.
func TestRolloutFromTheCommandLine(t *testing.T) {
	t.Setenv("DATABASE_URL", modeltest.URL(t))
	run := func(status int, want string, args ...string) {
		t.Helper()
		var out, errOut bytes.Buffer
		got := Run(args, &out, &errOut)
		if text := out.String() + errOut.String(); got != status || !strings.Contains(text, want) {
			t.Fatalf("recoup %s: %d, want %d, %q in\n%s", strings.Join(args, " "), got, status, want, text)
		}
	}
	run(0, "video_render@v1 is in force", "price", "set", "video_render", "--unit", "second", "--unit-price", "1000", "--reason", "first")
	run(0, "video_render@v2 is made and not in force", "price", "make", "video_render", "--unit", "second", "--unit-price", "900", "--reason", "cheaper")
	create := []string{"rollout", "create", "ro_cli", "--candidate", "video_render@v2", "--thresholds", "10000,100000", "--reason", "trial", "--operation-id", "make"}
	run(0, "ro_cli draft stage 0 of 2 version 1", create...)
	run(0, "replayed: it was done under this operation id before\nro_cli draft stage 0 of 2 version 1", create...)
	start := []string{"rollout", "start", "ro_cli", "--version", "1", "--reason", "go", "--operation-id", "start"}
	run(0, "ro_cli running stage 1 of 2 version 2", start...)
	run(0, "ro_cli running stage 1 of 2 version 2", start...)
	// A script that lost the answer sends the same again, whatever has become of the rollout: it is told so, and nothing is done.
	run(0, "ro_cli paused stage 1 of 2 version 3", "rollout", "pause", "ro_cli", "--reason", "a moment", "--operation-id", "hold")
	run(0, "ro_cli running stage 1 of 2 version 4", "rollout", "resume", "ro_cli", "--reason", "go on")
	run(0, "replayed: it was done under this operation id before\nro_cli running stage 1 of 2 version 4", "rollout", "pause", "ro_cli", "--reason", "a moment", "--operation-id", "hold")
	run(0, "replayed: it was done under this operation id before\nro_cli running stage 1 of 2 version 4", "rollout", "start", "ro_cli", "--reason", "go", "--operation-id", "start")
	run(1, "operation_conflict", "rollout", "start", "ro_cli", "--reason", "another reason", "--operation-id", "start")
	run(1, "operation_conflict", "rollout", "pause", "ro_cli", "--version", "1", "--reason", "a moment", "--operation-id", "hold")
	run(0, "ro_cli running stage 1 of 2 version 4", "rollout", "show", "ro_cli")
	run(1, "state_conflict", "rollout", "pause", "ro_cli", "--version", "1", "--reason", "late")
	run(1, "checks_not_passed", "rollout", "advance", "ro_cli", "--reason", "wider")
	run(1, "uniqueness: missing", "rollout", "check", "ro_cli")
	run(0, "ro_cli paused stage 1 of 2 version 5", "rollout", "pause", "ro_cli", "--reason", "wait")
	run(0, "ro_cli running stage 1 of 2 version 6", "rollout", "resume", "ro_cli", "--reason", "go on")
	run(0, "ro_cli rolled_back stage 1 of 2 version 7", "rollout", "roll-back", "ro_cli", "--reason", "enough")
	run(0, "ro_cli rolled_back stage 1 of 2 version 7", "rollout", "show", "ro_cli")
	run(1, "rollout_not_found", "rollout", "show", "ro_no")
	run(1, "rule_not_found", "rollout", "create", "ro_x", "--candidate", "video_render@v9", "--thresholds", "1", "--reason", "x")
}
