package console

import (
	"testing"

	"recoup/models/fault"
)

// TestMaybeDone: what a request that was cut off did is not known; what was refused was not done.
func TestMaybeDone(t *testing.T) {
	for _, x := range []struct {
		status int
		code   string
		want   bool
	}{{500, "internal_error", true}, {503, fault.CodeDatabaseUnavailable, true}, {503, fault.CodeTimeout, true}, {503, fault.CodeBusy, false}, {409, fault.CodeStateConflict, false}} {
		if got := maybeDone(x.status, fault.New(0, x.code, "")); got != x.want {
			t.Errorf("%d %s: %t", x.status, x.code, got)
		}
	}
}
