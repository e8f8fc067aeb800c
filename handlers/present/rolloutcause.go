package present

import (
	"encoding/json"
	"strings"

	"recoup/models/rollout"
)

// stepReason is why a step was made: a person's own words, or what Recoup found, worded for who reads.
func (p Presenter) stepReason(e rollout.Event) string {
	if e.Code == rollout.CodeCheckFailed && e.Checks != nil {
		var checks rollout.Checks
		if json.Unmarshal([]byte(*e.Checks), &checks) == nil {
			return p.L.T("rollout_cause.check_failed", p.failed(checks))
		}
	}
	if e.Code == rollout.CodeCapReached && e.Detail != nil {
		if say, ok := p.capReached(*e.Detail); ok {
			return say
		}
	}
	if e.Code == rollout.CodeScheduled && e.Detail != nil {
		var planned struct{ By string }
		if json.Unmarshal([]byte(*e.Detail), &planned) == nil {
			return p.L.T("rollout_cause.scheduled", e.Reason, p.actor(planned.By))
		}
	}
	if e.Code == rollout.CodeAgreed && e.Detail != nil {
		var agreed struct{ By string }
		if json.Unmarshal([]byte(*e.Detail), &agreed) == nil {
			return p.L.T("rollout_cause.agreed", e.Reason, p.actor(agreed.By))
		}
	}
	return e.Reason
}

// failed names the checks that failed, and what they found.
func (p Presenter) failed(checks rollout.Checks) string {
	var parts []string
	for _, c := range checks.All {
		if c.Outcome == rollout.Fail {
			parts = append(parts, p.L.T("checks.fails", p.L.T("checks."+string(c.Name)))+" "+p.foundBy(c))
		}
	}
	return strings.Join(parts, " ")
}
