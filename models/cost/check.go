package cost

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sort"
	"strings"
	"time"

	"golang.org/x/text/currency"

	"recoup/models/decimal"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ids"
)

// Bounds of a record's texts, in characters.
const (
	MaxExternalID     = 200
	MaxDescription    = 500
	MaxDimensions     = 50
	MaxDimensionName  = 100
	MaxDimensionValue = 500
	// MaxDimensionBytes bounds all names and values of a record together.
	MaxDimensionBytes = 8000
)

// NewRecord is a record as a provider's bill or a program gives it.
type NewRecord struct {
	// ExternalID is unique in its source, 1–200 characters.
	ExternalID string
	// Amount may be negative (a credit note) or zero.
	Amount decimal.Decimal
	// Currency is an ISO 4217 code in capitals.
	Currency string
	// Time is when the cost arose, or when the period begins that it was billed for, between 1970 and 9999.
	Time time.Time
	// Until is when that period ends, itself outside of it; zero for a cost of one moment.
	Until time.Time
	// AccountID goes with one of JobID and OperationID (an operation of that account), or all three are empty.
	// They need not exist: a record that names an unknown job is unattributed.
	AccountID   string
	JobID       string
	OperationID string
	// Action is one of ours, or empty.
	Action      string
	Description string
	Dimensions  map[string]string
}

// CheckSource returns why a source's name is none, or nil. Sources are named like accounts.
func CheckSource(source string) error { return ids.CheckCallerID(source) }

// CheckCurrency tells whether code is an ISO 4217 currency code in capitals.
func CheckCurrency(code string) bool {
	if len(code) != 3 || code != strings.ToUpper(code) || code == "XXX" || code == "XTS" {
		return false
	}
	_, err := currency.ParseISO(code)
	return err == nil
}

// Check adds what is wrong with the record to bad, each field's name behind prefix ("records[3]."). Whether the
// action exists only the database knows.
func (n NewRecord) Check(prefix string, bad []fault.Field) []fault.Field {
	wrong := func(name, message string) { bad = append(bad, fault.Field{Name: prefix + name, Message: message}) }
	text := func(name, value string, limit int) {
		if m := textProblem(value, limit); m != "" {
			wrong(name, m)
		}
	}
	if n.ExternalID == "" {
		wrong("external_id", "is required")
	}
	text("external_id", n.ExternalID, MaxExternalID)
	switch {
	case n.Currency == "":
		wrong("currency", "is required")
	case !CheckCurrency(n.Currency):
		wrong("currency", "must be an ISO 4217 code such as USD")
	}
	if y := n.Time.UTC().Year(); n.Time.IsZero() {
		wrong("time", "is required")
	} else if y < 1970 || y > 9999 {
		wrong("time", "must lie between the years 1970 and 9999")
	}
	switch {
	case n.Until.IsZero():
	case n.Until.UTC().Year() > 9999:
		wrong("until", "must lie between the years 1970 and 9999")
	case !n.Until.Truncate(time.Microsecond).After(n.Time.Truncate(time.Microsecond)):
		wrong("until", "must lie after the time")
	}
	switch {
	case n.JobID != "" && n.OperationID != "":
		wrong("operation_id", "must not be given beside job_id: name one of them")
	case n.AccountID == "" && (n.JobID != "" || n.OperationID != ""):
		wrong("account_id", "is required with a job or an operation")
	case n.AccountID != "" && n.JobID == "" && n.OperationID == "":
		wrong("job_id", "or an operation is required with an account")
	}
	caller := func(name, id string) {
		if id != "" {
			if err := ids.CheckCallerID(id); err != nil {
				wrong(name, err.Error())
			}
		}
	}
	caller("account_id", n.AccountID)
	caller("job_id", n.JobID)
	if n.OperationID != "" {
		if err := ids.CheckOperationID(n.OperationID); err != nil {
			wrong("operation_id", err.Error())
		}
	}
	text("action", n.Action, 48)
	text("description", n.Description, MaxDescription)
	if m := dimensionsProblem(n.Dimensions); m != "" {
		wrong("dimensions", m)
	}
	return bad
}

func dimensionsProblem(d map[string]string) string {
	if len(d) > MaxDimensions {
		return fmt.Sprintf("must have at most %d names", MaxDimensions)
	}
	total := 0
	for name, value := range d {
		total += len(name) + len(value)
		if name == "" {
			return "must not have an empty name"
		}
		if m := textProblem(name, MaxDimensionName); m != "" {
			return "has a name that " + m
		}
		if m := textProblem(value, MaxDimensionValue); m != "" {
			return "has a value that " + m
		}
	}
	if total > MaxDimensionBytes {
		return fmt.Sprintf("must have at most %d bytes of names and values", MaxDimensionBytes)
	}
	return ""
}

// textProblem says why a text cannot be stored and shown; "" when it can. Whoever makes a bill is told how long it may be.
func textProblem(s string, limit int) string {
	if p := freetext.Problem(s, limit, false); p != freetext.TooLong {
		return p
	}
	return fmt.Sprintf("must have at most %d characters", limit)
}

// digest tells a repeat from another record under the same id: SHA-256 over every field, each with its length, the
// amount and the times in their one form. That of a record of one moment does not know of periods.
func (n NewRecord) digest() []byte {
	instant := func(t time.Time) string { return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano) }
	h := sha256.New()
	add := func(s string) {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(s))))
		h.Write([]byte(s))
	}
	if n.Until.IsZero() {
		h.Write([]byte{1})
	} else {
		h.Write([]byte{2})
		add(instant(n.Until))
	}
	for _, s := range []string{n.Amount.Canonical(), n.Currency, instant(n.Time),
		n.AccountID, n.JobID, n.OperationID, n.Action, n.Description} {
		add(s)
	}
	names := make([]string, 0, len(n.Dimensions))
	for name := range n.Dimensions {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		add(name)
		add(n.Dimensions[name])
	}
	return h.Sum(nil)
}
