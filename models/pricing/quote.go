package pricing

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
)

// quoteSeconds is how long a quote holds.
const quoteSeconds = 15 * 60

// QuoteRequest asks which price a charge of this operation id would have, and to keep it.
type QuoteRequest struct {
	// OperationID is the one that the charge will have.
	OperationID string
	AccountID   string
	Action      string
	// Units is at least 1.
	Units int64
}

// QuoteResult is a decision as answers show it.
type QuoteResult struct {
	AccountID   string  `json:"account_id"`
	Action      string  `json:"action"`
	Units       int64   `json:"units"`
	Price       int64   `json:"price"`
	RuleVersion string  `json:"rule_version"`
	RolloutID   *string `json:"rollout_id"`
	Stage       *int    `json:"stage"`
	Cohort      string  `json:"cohort"`
	Reason      Reason  `json:"reason"`
	// FlagReason is the reason in OpenFeature's words, Explanation the same in a sentence.
	FlagReason  string `json:"flag_reason"`
	Explanation string `json:"explanation"`
	// ExpiresAt is nil where the operation was charged without a quote.
	ExpiresAt *time.Time `json:"expires_at"`
}

// Quote freezes the decision that a charge under the same operation id adopts within 15 minutes, whatever
// happens to the rollout meanwhile, and enrols the account where the decision is for a candidate. It is a
// decision and no operation: the id stays free for the charge. Asked again it answers the same, also after
// the charge. Faults: invalid_request, account_not_found, action_not_found, operation_conflict (the id is
// known for another input), quote_expired.
func (s *Service) Quote(ctx context.Context, r QuoteRequest) (operation.Outcome, error) {
	if err := r.check(); err != nil {
		return operation.Outcome{}, err
	}
	var out operation.Outcome
	err := db.InTx(ctx, s.g, func(g *gorm.DB) error {
		at, err := look(ctx, g, decideByID, r.AccountID, r.Action, r.OperationID)
		if err != nil {
			return err
		}
		if at.recorded == nil && !at.applied {
			d, err := at.decide(r.Action, r.Units)
			if err != nil {
				return err
			}
			if err := d.enrolIn(ctx, g, at.accountKey, r.OperationID); err != nil {
				return err
			}
			res := g.WithContext(ctx).Exec(insertDecision+` ON CONFLICT DO NOTHING`,
				d.row(at.accountKey, r.OperationID, operation.TraceID(ctx), quoteSeconds)...)
			if res.Error != nil {
				return fmt.Errorf("pricing: quote: %w", res.Error)
			}
			out.Replayed = res.RowsAffected == 0
			// The row as it is: ours with its times, or that of whoever was faster.
			if at, err = look(ctx, g, decideByID, r.AccountID, r.Action, r.OperationID); err != nil {
				return err
			}
		} else {
			out.Replayed = true
		}
		if at.recorded == nil {
			f := fault.New(fault.Mismatch, fault.CodeOperationConflict,
				"The operation id %q was used before for another change. Nothing was done. Use a new operation id.", r.OperationID)
			f.Fields = []fault.Field{{Name: "kind", Message: "differs from the first request"}}
			return f
		}
		d, err := at.adopt(r.Action, r.Units)
		if err != nil {
			return err
		}
		out.Result, err = json.Marshal(d.result(r.AccountID))
		return err
	})
	if err != nil {
		return operation.Outcome{}, err
	}
	return out, nil
}

func (r QuoteRequest) check() error {
	var bad []fault.Field
	refuse := func(name string, err error) {
		if err != nil {
			bad = append(bad, fault.Field{Name: name, Message: err.Error()})
		}
	}
	refuse("operation_id", ids.CheckOperationID(r.OperationID))
	refuse("account_id", ids.CheckCallerID(r.AccountID))
	refuse("action", ids.CheckCallerID(r.Action))
	if r.Units < 1 {
		bad = append(bad, fault.Field{Name: "units", Message: "must be at least 1"})
	}
	if bad != nil {
		return fault.InvalidFields(bad...)
	}
	return nil
}

func (d Decision) result(accountID string) QuoteResult {
	r := QuoteResult{AccountID: accountID, Action: d.Action, Units: d.Units, Price: d.Price, RuleVersion: d.RuleVersion,
		RolloutID: d.RolloutID, Stage: d.Stage, Cohort: d.Cohort, Reason: d.Reason, FlagReason: d.Reason.OpenFeature(), Explanation: d.Words()}
	if d.ExpiresAt != nil {
		at := d.ExpiresAt.UTC()
		r.ExpiresAt = &at
	}
	return r
}
