package pricing

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"recoup/models/fault"
)

// Buckets is how many buckets there are: thresholds are 0 to Buckets, and Buckets admits everybody.
const Buckets = 100_000

// Bucket is the account's place, 0 to 99999, among all accounts for a rollout of this salt. It never
// changes.
func Bucket(salt, accountID string) int {
	h := sha256.New()
	h.Write([]byte("recoup-bucket-v1\x00"))
	h.Write([]byte(salt))
	h.Write([]byte{0})
	h.Write([]byte(accountID))
	return int(binary.BigEndian.Uint64(h.Sum(nil)[:8]) % Buckets)
}

// Segment says which accounts a stage looks at. Accounts are admitted by name, whatever their bucket; the
// other members narrow down, each where it is set, which accounts the threshold is for. The zero Segment
// names nobody and narrows nothing.
type Segment struct {
	// Accounts are admitted by their id.
	Accounts []string `json:"accounts,omitempty"`
	// Plans and Regions hold the account's plan and region where they are set.
	Plans   []string `json:"plans,omitempty"`
	Regions []string `json:"regions,omitempty"`
	// Attributes all have to be the account's, value for value.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Everybody reports whether the segment narrows nothing.
func (s Segment) Everybody() bool {
	return len(s.Plans) == 0 && len(s.Regions) == 0 && len(s.Attributes) == 0
}

func (s Segment) matches(a Subject) bool {
	if len(s.Plans) > 0 && !slices.Contains(s.Plans, a.Plan) || len(s.Regions) > 0 && !slices.Contains(s.Regions, a.Region) {
		return false
	}
	for name, value := range s.Attributes {
		if has, ok := a.Attributes[name]; !ok || has != value {
			return false
		}
	}
	return true
}

// Stage is one step of a rollout: whom it admits, beside those that the stages before it admit.
type Stage struct {
	// Number counts from 1.
	Number int `json:"stage"`
	// Threshold admits the buckets below it; 0 admits none, Buckets all.
	Threshold int     `json:"threshold"`
	Segment   Segment `json:"segment"`
	// MinDwellS is how long the rollout stays here before it may go on, in seconds.
	MinDwellS int64 `json:"min_dwell_s"`
}

// CheckStages says what is wrong with the stages of a rollout; nil when nothing is. Fields are named
// "stages[n].threshold" and so on, counting from 1.
func CheckStages(stages []Stage) []fault.Field {
	var bad []fault.Field
	refuse := func(n int, name, message string) {
		bad = append(bad, fault.Field{Name: stageField(n, name), Message: message})
	}
	if len(stages) < 1 || len(stages) > 50 {
		bad = append(bad, fault.Field{Name: "stages", Message: "must be 1 to 50"})
	}
	for i, s := range stages {
		n := i + 1
		if s.Number != n {
			refuse(n, "stage", "is out of order")
		}
		if s.Threshold < 0 || s.Threshold > Buckets {
			refuse(n, "threshold", "must be a whole number from 0 to 100000")
		}
		if s.MinDwellS < 0 || s.MinDwellS > 366*24*3600 {
			refuse(n, "min_dwell_s", "must be 0 to 31622400")
		}
		texts := slices.Concat(s.Segment.Accounts, s.Segment.Plans, s.Segment.Regions,
			slices.Collect(maps.Keys(s.Segment.Attributes)))
		if len(texts) > 1000 || slices.ContainsFunc(texts, func(t string) bool { return !validText(t, 100) }) {
			refuse(n, "segment", "must have at most 1000 members of 1 to 100 characters")
		}
		for _, v := range s.Segment.Attributes {
			if v != "" && !validText(v, 500) {
				refuse(n, "segment", "has a value that cannot be compared")
			}
		}
	}
	return bad
}

// Full reports whether the stages up to and including upTo admit every account.
func Full(stages []Stage, upTo int) bool {
	for _, s := range stages {
		if s.Number <= upTo && s.Threshold == Buckets && s.Segment.Everybody() {
			return true
		}
	}
	return false
}

// Subject is what a decision knows of an account.
type Subject struct {
	AccountID  string
	Plan       string
	Region     string
	Attributes map[string]string
}

// Admit returns the first of the stages up to upTo that admits an account in this bucket, and why; stage is 0
// and the reason says why not where none does. Whoever stages 1 to n admit, stages 1 to n+1 admit too.
func Admit(stages []Stage, upTo int, a Subject, bucket int) (stage int, why Reason) {
	why = OutsideSegment
	for _, s := range stages {
		if s.Number > upTo {
			break
		}
		if slices.Contains(s.Segment.Accounts, a.AccountID) {
			return s.Number, Named
		}
		if !s.Segment.matches(a) {
			continue
		}
		if bucket < s.Threshold {
			return s.Number, BelowThreshold
		}
		why = AboveThreshold
	}
	return 0, why
}

func stageField(n int, name string) string { return fmt.Sprintf("stages[%d].%s", n, name) }
