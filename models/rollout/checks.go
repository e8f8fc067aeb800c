package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

// CheckName names one of the three checks.
type CheckName string

// The three checks.
const (
	// Uniqueness: no job and no operation has more than one charge.
	Uniqueness CheckName = "uniqueness"
	// Consistency: entries and served replays have the price and rule version of their decision, and the version of the
	// rollout that the decision read admitted it.
	Consistency CheckName = "consistency"
	// Reconciliation: each charged decision has exactly one charge with its attribution, each charge of the rollout has a
	// decision, and no cost is unattributed.
	Reconciliation CheckName = "reconciliation"
)

// CheckNames are the three, in their order.
func CheckNames() []CheckName { return []CheckName{Uniqueness, Consistency, Reconciliation} }

// Outcome is how a check came out.
type Outcome string

// The outcomes. Missing means that there is not enough data to say: it is not a pass.
const (
	Pass    Outcome = "pass"
	Fail    Outcome = "fail"
	Missing Outcome = "missing"
)

// Check is one check as it came out.
type Check struct {
	Name    CheckName `json:"name"`
	Outcome Outcome   `json:"outcome"`
	// Found counts what is wrong: findings that are open and, for check 3, unattributed costs.
	Found int64 `json:"found"`
	// Unattributed is how many of Found are cost records that are unattributed, Costs names a few of them and CostKeys has
	// their keys in the same order, none where they were not kept; Example is one of the other findings, nil where there are
	// none.
	Unattributed int64    `json:"unattributed,omitempty"`
	Costs        []string `json:"costs,omitempty"`
	CostKeys     []int64  `json:"cost_keys,omitempty"`
	Example      *Example `json:"example,omitempty"`
	// Why says the same, or what is missing, in an English sentence for programs and logs; empty for a pass.
	Why string `json:"why,omitempty"`
}

// Checks are the three checks of one rollout at one time.
type Checks struct {
	At time.Time `json:"at"`
	// Examined is how many decisions have been examined so far, Charges how many charges the candidate has, counted up to
	// what the checks need.
	Examined int64 `json:"examined"`
	Charges  int64 `json:"charges"`
	// Delivered and Known are the delivered jobs of the candidate and those of them whose costs are known; 0 while costs are
	// not connected.
	Delivered int64 `json:"delivered"`
	Known     int64 `json:"known"`
	// All are the three, in the order of their names above.
	All []Check `json:"all"`
}

// Passed reports whether all three pass.
func (c Checks) Passed() bool {
	for _, x := range c.All {
		if x.Outcome != Pass {
			return false
		}
	}
	return len(c.All) == 3
}

// Red reports whether one of them failed.
func (c Checks) Red() bool {
	for _, x := range c.All {
		if x.Outcome == Fail {
			return true
		}
	}
	return false
}

// Why says in words which do not pass, the failed ones first.
func (c Checks) Why() string {
	var failed, missing []string
	for _, x := range c.All {
		switch x.Outcome {
		case Fail:
			failed = append(failed, string(x.Name)+" failed"+bracketed(x.Why))
		case Missing:
			missing = append(missing, string(x.Name)+" has no data"+bracketed(x.Why))
		}
	}
	if len(c.All) == 0 {
		return "they were never made"
	}
	text := strings.Join(append(failed, missing...), "; ")
	if len(text) > 400 {
		text = strings.ToValidUTF8(text[:400], "") + "…"
	}
	return text
}

// bracketed is what a check says of itself behind its outcome; nothing where it says nothing.
func bracketed(why string) string {
	if why == "" {
		return ""
	}
	return " (" + why + ")"
}

// Costs is what is known of a rollout's costs.
type Costs struct {
	// Unattributed counts cost records that concern the rollout and belong to no operation, job or overhead rule; Names are
	// a few of them, Keys theirs in the same order.
	Unattributed int64
	Names        []string
	Keys         []int64
	// Delivered are the delivered jobs under the candidate, Known those of them with a cost.
	Delivered, Known int64
}

// CostsFunc tells what is known of a rollout's costs. It reads through g, which may be a transaction.
type CostsFunc func(ctx context.Context, g *gorm.DB, r Rollout) (Costs, error)

// LastChecks returns the checks of a rollout as they came out last; nil when they were never made.
func (s *Service) LastChecks(ctx context.Context, id string) (*Checks, error) {
	var row struct{ Results *string }
	err := s.g.WithContext(ctx).Raw(`SELECT results::text AS results FROM rollout_checks WHERE rollout_id = ?`, id).Scan(&row).Error
	if err != nil {
		return nil, fmt.Errorf("rollout: checks: %w", err)
	}
	if row.Results == nil {
		return nil, nil
	}
	var c Checks
	if err := json.Unmarshal([]byte(*row.Results), &c); err != nil {
		return nil, fmt.Errorf("rollout: stored checks: %w", err)
	}
	return &c, nil
}

// store keeps the outcome of the checks.
func store(ctx context.Context, g *gorm.DB, id string, c Checks) error {
	b, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("rollout: %w", err)
	}
	err = g.WithContext(ctx).Exec(`INSERT INTO rollout_checks (rollout_id, results, checked_at) VALUES (?, ?::jsonb, ?)
		ON CONFLICT (rollout_id) DO UPDATE SET results = EXCLUDED.results, checked_at = EXCLUDED.checked_at
		WHERE rollout_checks.checked_at IS NULL OR rollout_checks.checked_at <= EXCLUDED.checked_at`, id, string(b), c.At).Error
	if err != nil {
		return fmt.Errorf("rollout: store checks: %w", err)
	}
	return nil
}
