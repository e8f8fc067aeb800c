package cmd

import (
	"testing"
	"time"

	"recoup/models/staff"
)

func TestStateOfAKey(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	before, after := now.Add(-time.Second), now.Add(time.Second)
	for want, keys := range map[string][]staff.Key{
		"active":  {{}, {ExpiresAt: &after}},
		"expired": {{ExpiresAt: &before}, {ExpiresAt: &now}},
		"revoked": {{RevokedAt: &before}, {RevokedAt: &before, ExpiresAt: &before}},
	} {
		for _, k := range keys {
			if got := stateOf(k, now); got != want {
				t.Errorf("%+v is %s, want %s", k, got, want)
			}
		}
	}
}
