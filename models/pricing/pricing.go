// Package pricing holds the actions that can be charged and the immutable rule versions that price
// them, and decides which rule version applies to a charge.
package pricing

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/operation"
)

// Rule is one immutable version of an action's price.
type Rule struct {
	// ID is "<action>@v<version>".
	ID      string
	Action  string
	Version int
	// UnitPrice is in thousandths of a credit a unit.
	UnitPrice int64
	// Minimum is in credits.
	Minimum int64
	// DiscountBps is in hundredths of a percent, 0–10000.
	DiscountBps int64
	Rounding    credit.Rounding
	Author      string
	Reason      string
	CreatedAt   time.Time
	// ExampleUnits is what the worked example counts, at least 1.
	ExampleUnits int64
	// ComparedWith is the rule version that was in force when this one was made; nil for an action's first.
	ComparedWith *string
}

// Cost prices a number of units:
// max(minimum, round(units × unit_price × (10000 − discount_bps) / 10 000 000)), rounded once.
// It returns credit.ErrOverflow when the cost does not fit. units must be at least 1.
func (r Rule) Cost(units int64) (credit.Amount, error) {
	if units < 1 {
		return 0, fmt.Errorf("pricing: units %d below 1", units)
	}
	cost, err := credit.Product(uint64(units), uint64(r.UnitPrice), uint64(10000-r.DiscountBps), 10_000_000, r.Rounding)
	if err != nil {
		return 0, err
	}
	return max(cost, r.Minimum), nil
}

// WouldCost is what Cost returns, also where that does not fit: what something would have cost that could not have been charged.
// units must be at least 1.
func (r Rule) WouldCost(units int64) credit.Sum {
	if units < 1 {
		return credit.Sum{}
	}
	cost, least := credit.ProductSum(uint64(units), uint64(r.UnitPrice), uint64(10000-r.DiscountBps), 10_000_000, r.Rounding), credit.SumOf(r.Minimum)
	if cost.Minus(least).Sign() < 0 {
		return least
	}
	return cost
}

// Service reads and changes actions and rule versions.
type Service struct {
	g   *gorm.DB
	ops *operation.Store
}

// New makes a Service.
func New(ops *operation.Store) *Service { return &Service{g: ops.DB(), ops: ops} }
