package cost

import (
	"context"
	"fmt"
	"time"

	"recoup/models/audit"
	"recoup/models/decimal"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// ValueRequest says what one credit is worth in a currency from a moment on.
type ValueRequest struct {
	ledger.Envelope
	Currency string
	// Value is above zero.
	Value     decimal.Decimal
	ValidFrom time.Time
	// Reason is required.
	Reason string
}

// ValueResult is the stored result of SetValue.
type ValueResult struct {
	Currency  string          `json:"currency"`
	Value     decimal.Decimal `json:"value"`
	ValidFrom time.Time       `json:"valid_from"`
}

// SetValue appends a value. A value for the same currency and moment takes the place of an earlier one, which stays in
// the history. Faults: invalid_request and those of operation.Apply.
func (s *Service) SetValue(ctx context.Context, r ValueRequest) (operation.Outcome, error) {
	var bad []fault.Field
	if !CheckCurrency(r.Currency) {
		bad = append(bad, fault.Field{Name: "currency", Message: "must be an ISO 4217 code such as USD"})
	}
	if r.Value.Sign() <= 0 {
		bad = append(bad, fault.Field{Name: "value", Message: "must be above 0"})
	}
	if y := r.ValidFrom.UTC().Year(); r.ValidFrom.IsZero() || y < 1970 || y > 9999 {
		bad = append(bad, fault.Field{Name: "valid_from", Message: "must lie between the years 1970 and 9999"})
	}
	from := r.ValidFrom.UTC().Truncate(time.Microsecond)
	req := operation.Request{Scope: operation.Named("settings"), ID: r.OperationID, Kind: "credit_value", Actor: r.Actor, RequestID: r.RequestID, Reason: r.Reason,
		Object: "credit_value:" + r.Currency, Invalid: checkReason(bad, r.Reason),
		Input: operation.Input{"currency": r.Currency, "value": r.Value.Canonical(), "valid_from": from.Format(time.RFC3339Nano), "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		err := tx.DB.WithContext(ctx).Exec(`INSERT INTO credit_values (currency, value, valid_from, actor, reason, operation_id) VALUES (?, ?, ?, ?, ?, ?)`,
			r.Currency, r.Value, from, r.Actor.String(), r.Reason, r.OperationID).Error
		if err != nil {
			return nil, fmt.Errorf("cost: credit value: %w", err)
		}
		result := ValueResult{Currency: r.Currency, Value: r.Value, ValidFrom: from}
		return result, audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: req.Kind, Object: req.Object, Reason: r.Reason, After: result,
			OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
	})
}

// Value is what a credit is worth from a moment on, as it was set.
type Value struct {
	Currency  string
	Value     decimal.Decimal
	ValidFrom time.Time
	Actor     string
	Reason    string
	CreatedAt time.Time
	// Replaced is true where a later row took its place.
	Replaced bool
}

// Values lists everything that was set, by currency, the latest moment first, at most 500.
func (s *Service) Values(ctx context.Context) ([]Value, error) {
	var rows []Value
	err := s.g.WithContext(ctx).Raw(`SELECT currency, value, valid_from, actor, reason, created_at,
		EXISTS (SELECT 1 FROM credit_values x WHERE x.currency = v.currency AND x.valid_from = v.valid_from AND x.key > v.key) AS replaced
		FROM credit_values v ORDER BY currency, valid_from DESC, key DESC LIMIT 500`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("cost: credit values: %w", err)
	}
	return rows, nil
}
