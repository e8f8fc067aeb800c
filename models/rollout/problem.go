package rollout

import (
	"fmt"
	"strings"
)

// Problem is a kind of finding. Pages word it; the codes are stable, rows hold them.
type Problem string

// The problems, with what Expected and Found of an Example hold. Members of a value are separated by |, and empty where
// there is none.
const (
	// OperationCharges, JobCharges: an operation, a job has so many charges.
	OperationCharges Problem = "operation_charges"
	JobCharges       Problem = "job_charges"
	// EntryPrice, ReplayPrice: price|rule version of the entry of that number, of the replay of that attempt.
	EntryPrice  Problem = "entry_price"
	ReplayPrice Problem = "replay_price"
	// Admission: the rollout at that version, state|stage or empty where there is no such version, does not admit what the
	// decision says, reason|stage.
	Admission Problem = "admission"
	// ChargeOfDecision: amount|rule version|rollout|cohort of the decision's charge; several are separated by ;.
	ChargeOfDecision Problem = "charge"
	// JobOfDecision: units|action|price|rule version|rollout|cohort of the job.
	JobOfDecision Problem = "job"
	// DecisionOfCharge: a charge has so many decisions.
	DecisionOfCharge Problem = "decision"
)

// Problems lists all problems.
func Problems() []Problem {
	return []Problem{OperationCharges, JobCharges, EntryPrice, ReplayPrice, Admission, ChargeOfDecision, JobOfDecision, DecisionOfCharge}
}

// Example is one thing that is wrong.
type Example struct {
	// What is a Problem, with a number behind a colon where it has one.
	What        string `json:"what"`
	OperationID string `json:"operation_id"`
	Expected    string `json:"expected"`
	Found       string `json:"found"`
}

// Problem is the kind, with its number; the number is empty where the kind has none.
func (e Example) Problem() (kind Problem, number string) {
	what, number, _ := strings.Cut(e.What, ":")
	return Problem(what), number
}

// String says it in English, for programs and logs.
func (e Example) String() string {
	plain := strings.NewReplacer("|", " ", ";", ", ", "_", " ", ":", " ")
	value := func(s string) string {
		if s = strings.TrimSpace(plain.Replace(s)); s == "" {
			return "none"
		}
		return s
	}
	return fmt.Sprintf("%s of operation %s: %s, expected %s", plain.Replace(e.What), e.OperationID, value(e.Found), value(e.Expected))
}
