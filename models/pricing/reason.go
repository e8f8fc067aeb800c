package pricing

import "fmt"

// Reason is why a decision is as it is. The words are stable: rows, answers and screens use them.
type Reason string

// The reasons.
const (
	// NoRollout: no rollout of the action is live.
	NoRollout Reason = "no_rollout"
	// Named: a stage names the account.
	Named Reason = "named"
	// BelowThreshold: a stage's segment matches and the bucket is below its threshold.
	BelowThreshold Reason = "below_threshold"
	// Enrolled: the rollout has admitted the account before.
	Enrolled Reason = "enrolled"
	// AboveThreshold: a segment matches, and the bucket is not below any threshold reached.
	AboveThreshold Reason = "above_threshold"
	// OutsideSegment: no segment reached matches.
	OutsideSegment Reason = "outside_segment"
	// Paused: the rollout is paused, and the account was not enrolled before.
	Paused Reason = "paused"
	// Halted: the rollout is halted, and the account was not enrolled before.
	Halted Reason = "halted"
)

// Reasons lists all reasons.
func Reasons() []Reason {
	return []Reason{NoRollout, Named, BelowThreshold, Enrolled, AboveThreshold, OutsideSegment, Paused, Halted}
}

// OpenFeature is the reason in the words of the OpenFeature specification.
func (r Reason) OpenFeature() string {
	switch r {
	case NoRollout:
		return "STATIC"
	case Named, Enrolled:
		return "TARGETING_MATCH"
	case BelowThreshold, AboveThreshold:
		return "SPLIT"
	case Paused, Halted:
		return "DISABLED"
	}
	return "DEFAULT"
}

// Words say in a sentence why the decision is as it is.
func (d Decision) Words() string {
	if d.RolloutID == nil {
		return "No rollout of the action is live: the price in force applies."
	}
	at := ""
	if d.Stage != nil {
		at = fmt.Sprintf(" at stage %d", *d.Stage)
	}
	switch d.Reason {
	case Named:
		return fmt.Sprintf("Rollout %s names the account%s: the candidate applies.", *d.RolloutID, at)
	case BelowThreshold:
		return fmt.Sprintf("Bucket %d is below the threshold of rollout %s%s: the candidate applies.", *d.Bucket, *d.RolloutID, at)
	case Enrolled:
		return fmt.Sprintf("Rollout %s admitted the account before%s: the candidate still applies.", *d.RolloutID, at)
	case AboveThreshold:
		return fmt.Sprintf("Bucket %d is not below any threshold that rollout %s has reached: the baseline applies.", *d.Bucket, *d.RolloutID)
	case Paused, Halted:
		return fmt.Sprintf("Rollout %s is %s and had not admitted the account before: the baseline applies.", *d.RolloutID, d.Reason)
	}
	return fmt.Sprintf("No segment that rollout %s has reached matches the account: the baseline applies.", *d.RolloutID)
}
