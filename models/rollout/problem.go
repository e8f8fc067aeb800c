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
	// EntryPrice, AnswerPrice, ReplayPrice: price|rule version of the entry of that number, of what is stored to be told to
	// whoever sends the operation again, of the replay of that attempt.
	EntryPrice  Problem = "entry_price"
	AnswerPrice Problem = "answer_price"
	ReplayPrice Problem = "replay_price"
	// Admission: the rollout at that version, state|stage or empty where there is no such version, does not admit what the
	// decision says, reason|stage.
	Admission Problem = "admission"
	// BucketOfAccount: the bucket that the account has, that the decision says.
	BucketOfAccount Problem = "bucket"
	// EnrolmentOfAccount: the stage of the decision, the stage at which the account is enrolled; empty where it is not.
	EnrolmentOfAccount Problem = "enrolment"
	// Threshold: of the stage of that number, empty where there is no such stage; the bucket, which is not below it.
	Threshold Problem = "threshold"
	// NameOfStage: the account that the stage of that number should name, and does not.
	NameOfStage Problem = "name"
	// LeftOut: the stage of that number admits the account, "named" or bucket|threshold; the reason why it got the baseline.
	LeftOut Problem = "left_out"
	// EnrolledBefore: the stage at which the account was enrolled before the decision; the reason why it got the baseline.
	EnrolledBefore Problem = "enrolled_before"
	// ChargeOfDecision: amount|rule version|rollout|cohort of the decision's charge; several are separated by ;.
	ChargeOfDecision Problem = "charge"
	// OperationOfCharge: an operation that has its result, and none. JobOfCharge: the job of the operation, that of its charge.
	OperationOfCharge Problem = "operation"
	JobOfCharge       Problem = "job_of_charge"
	// JobOfDecision: units|action|price|rule version|rollout|cohort of the job.
	JobOfDecision Problem = "job"
	// DecisionOfCharge: a charge has so many decisions.
	DecisionOfCharge Problem = "decision"
)

// Problems lists all problems.
func Problems() []Problem {
	return []Problem{OperationCharges, JobCharges, EntryPrice, AnswerPrice, ReplayPrice, Admission, BucketOfAccount, EnrolmentOfAccount, Threshold, NameOfStage, LeftOut, EnrolledBefore,
		ChargeOfDecision, OperationOfCharge, JobOfCharge, JobOfDecision, DecisionOfCharge}
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
