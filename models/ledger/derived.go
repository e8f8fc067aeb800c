package ledger

import (
	"context"
	"fmt"
	"reflect"

	"recoup/models/fault"
	"recoup/models/rollup"
)

// Derived reports whether Totals adds a filter up from the rollup, so that its cost does not grow with the
// entries: it names what the rollup is grouped by, and a period, only.
func (f Filter) Derived() bool {
	// Compared as a whole: a member that is added to Filter restricts in a way that the rollup does not know.
	f.Types, f.RuleVersion, f.RolloutID, f.From, f.To = nil, "", "", nil, nil
	f.Action, f.Cohort, f.Category = "", "", ""
	return reflect.DeepEqual(f, Filter{})
}

func (s *Service) derivedTotals(ctx context.Context, f Filter) ([]Total, error) {
	sums := rollup.Filter{RuleVersion: f.RuleVersion, RolloutID: f.RolloutID, Action: f.Action, Cohort: f.Cohort, Category: f.Category, From: f.From, To: f.To}
	for _, t := range f.Types {
		if !t.Valid() {
			return nil, fault.InvalidField("type", "has no entry type %q", t)
		}
		sums.Types = append(sums.Types, string(t))
	}
	rows, err := rollup.Totals(ctx, s.g, sums)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	totals := make([]Total, len(rows))
	for i, r := range rows {
		totals[i] = Total{Type: Type(r.Type), Count: r.Count, Amount: r.Amount}
	}
	return inOrder(totals), nil
}

// inOrder sorts totals as Types are listed.
func inOrder(rows []Total) []Total {
	var out []Total
	for _, t := range Types() {
		for _, r := range rows {
			if r.Type == t {
				out = append(out, r)
			}
		}
	}
	return out
}
