// Package costimport reads bills as CSV files, in Recoup's own columns or in the FOCUS 1.0 format, and imports them as
// cost records: the whole file or nothing, and the same file twice with one effect.
package costimport

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"recoup/models/fault"
)

// Format is how a file's columns are to be understood.
type Format string

const (
	// Own has Recoup's own columns: external_id, amount, currency, time, and perhaps until, account_id, job_id, operation_id,
	// action, description and any number of dimension:<name>.
	Own Format = "recoup"
	// Focus is the FinOps Open Cost and Usage Specification, 1.0.
	Focus Format = "focus"
)

// The amounts of a FOCUS line that can be imported.
const (
	BilledCost    = "BilledCost"
	EffectiveCost = "EffectiveCost"
)

// tagPrefix begins the name of a tag where a column may stand: Tags.job is member "job" of the column Tags.
const tagPrefix = "Tags."

// Mapping says where a FOCUS file has what Recoup needs. Of a file with own columns only Format is set.
//
// LineID, Account, Job, Operation and Action each name a column, or a tag as Tags.<key>; empty for none. A value of
// Job or Operation without an account of its own is "account/job".
type Mapping struct {
	Format Format `json:"format"`
	// LineID is the column whose value is the external id. Without one it is the digest of the whole row and how
	// often the row came before in the file.
	LineID string `json:"line_id,omitempty"`
	// Amount is BilledCost or EffectiveCost.
	Amount    string `json:"amount,omitempty"`
	Account   string `json:"account,omitempty"`
	Job       string `json:"job,omitempty"`
	Operation string `json:"operation,omitempty"`
	Action    string `json:"action,omitempty"`
}

// Check returns what is wrong with a mapping.
func (m Mapping) Check() []fault.Field {
	var bad []fault.Field
	wrong := func(name, message string) { bad = append(bad, fault.Field{Name: name, Message: message}) }
	if m.Format != Own && m.Format != Focus {
		wrong("format", "must be recoup or focus")
	}
	if m.Format == Focus && m.Amount != BilledCost && m.Amount != EffectiveCost {
		wrong("amount", "must be BilledCost or EffectiveCost")
	}
	if m.Format == Own && m != (Mapping{Format: Own}) {
		wrong("format", "with own columns takes no mapping")
	}
	for _, c := range []struct{ name, column string }{{"line_id", m.LineID}, {"account", m.Account}, {"job", m.Job}, {"operation", m.Operation}, {"action", m.Action}} {
		if !utf8.ValidString(c.column) || utf8.RuneCountInString(c.column) > 100 || strings.ContainsFunc(c.column, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
			wrong(c.name, "must be the name of a column, or Tags.<key>, of at most 100 characters")
		}
	}
	if m.Job != "" && m.Operation != "" {
		wrong("operation", "must not be given beside job: name one of them")
	}
	if m.Account != "" && m.Job == "" && m.Operation == "" {
		wrong("account", "needs a job or an operation")
	}
	return bad
}

// columnOf is the column of a file that a field of a record comes from; the field itself where no column is named for it.
func (m Mapping) columnOf(field string) string {
	if m.Format == Own {
		return field
	}
	column := map[string]string{"external_id": m.LineID, "amount": m.Amount, "currency": "BillingCurrency", "time": "ChargePeriodStart", "until": "ChargePeriodEnd",
		"account_id": m.Account, "job_id": m.Job, "operation_id": m.Operation, "action": m.Action, "description": "ChargeDescription", "tags": "Tags"}[field]
	if column == "" {
		return field
	}
	return column
}

// Digest names a file under a mapping: the same bytes read the same way are the same import.
func Digest(content []byte, m Mapping) string {
	mapping, err := json.Marshal(m)
	if err != nil {
		panic("costimport: " + err.Error()) // a struct of strings
	}
	h := sha256.New()
	fmt.Fprintf(h, "recoup-cost-import-v1\x00%s\x00", mapping)
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
