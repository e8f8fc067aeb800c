package costimport

import (
	"golang.org/x/text/currency"

	"recoup/models/decimal"
)

// Billing exports write every cost with the digits of their column's type, eleven of them where the bill needs ten. Zeros
// that no cost of the file needs are padding and are dropped; all others are part of the bill and are kept, so that the
// amounts of a file have one scale and its sums the same one.

// focusCosts are the costs that a FOCUS line states, all in the billing currency.
func focusCosts() []string { return []string{BilledCost, EffectiveCost, "ListCost", "ContractedCost"} }

// measure notes how many digits behind the point the costs of a row need.
func (r *reader) measure(column func(string) string) {
	code := column("BillingCurrency")
	if _, known := r.finest[code]; !known {
		unit, err := currency.ParseISO(code)
		if err != nil {
			return // the row is refused
		}
		r.finest[code], _ = currency.Standard.Rounding(unit)
	}
	for _, name := range focusCosts() {
		if d, err := decimal.ParseScientific(column(name)); err == nil {
			r.finest[code] = max(r.finest[code], d.Trimmed(0).Scale())
		}
	}
}

// trim drops the padding of a FOCUS file's amounts. A file with own columns is as its author wrote it.
func (r *reader) trim() {
	if r.mapping.Format != Focus {
		return
	}
	for i, n := range r.Records {
		r.Records[i].Amount = n.Amount.Trimmed(r.finest[n.Currency])
	}
	for code, sum := range r.sums {
		sum.Amount = sum.Amount.Trimmed(r.finest[code])
	}
}
