package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"recoup/models/settlement"
)

// Settlements writes the charges of a settlement as CSV, a row a job, with the dimensions of operation and rollout that
// another system needs to bill them.
type Settlements struct {
	w    *csv.Writer
	zone *time.Location
	st   settlement.Settlement
}

// NewSettlements begins a file with its header.
func NewSettlements(out io.Writer, zone *time.Location, st settlement.Settlement) (*Settlements, error) {
	s := &Settlements{w: csv.NewWriter(out), zone: zone, st: st}
	s.w.UseCRLF = true
	return s, s.w.Write([]string{"settlement", "rollout", "rule_version", "baseline_rule_version", "account", "job", "operation", "charged_at (" + zone.String() + ")", "action", "units",
		"charged", "baseline", "difference", "way", "paid_at (" + zone.String() + ")", "payment_operation", "entry", "reference", "left_out"})
}

// Write adds one charge.
func (s *Settlements) Write(x settlement.Item) error {
	stamp := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return t.In(s.zone).Format("2006-01-02T15:04:05.000000Z07:00")
	}
	entry := ""
	if x.EntrySeq != nil {
		entry = strconv.FormatInt(*x.EntrySeq, 10)
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return s.w.Write([]string{s.st.ID, inert(s.st.RolloutID), inert(s.st.Candidate), inert(s.st.Baseline), inert(x.AccountID), inert(x.JobID), inert(x.OperationID), stamp(&x.ChargedAt),
		inert(x.Action), number(x.Units), number(x.Charged), number(x.Baseline), number(x.Amount), string(s.st.Way), stamp(x.PaidAt), inert(text(x.PaymentID)), entry,
		inert(text(x.Reference)), text(x.Why)})
}

// Close writes what is buffered.
func (s *Settlements) Close() error {
	s.w.Flush()
	return s.w.Error()
}
