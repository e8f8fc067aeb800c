package export

import (
	"encoding/csv"
	"io"
	"time"

	"recoup/models/cost"
)

// Costs writes cost records as CSV, a row each, amounts digit for digit.
type Costs struct {
	w    *csv.Writer
	zone *time.Location
}

// NewCosts begins a file with its header.
func NewCosts(out io.Writer, zone *time.Location) (*Costs, error) {
	c := &Costs{w: csv.NewWriter(out), zone: zone}
	c.w.UseCRLF = true
	return c, c.w.Write([]string{"time (" + zone.String() + ")", "source", "external_id", "amount", "currency", "state", "account", "job", "operation", "action",
		"overhead_rule", "description", "dimensions", "import", "recorded_by"})
}

// Write adds one record.
func (c *Costs) Write(r cost.Record) error {
	return c.w.Write([]string{r.OccurredAt.In(c.zone).Format("2006-01-02T15:04:05.000000Z07:00"), inert(r.Source), inert(r.ExternalID), r.Amount.String(), r.Currency,
		string(r.State), inert(text(r.ToAccountID)), inert(text(r.ToJobID)), inert(text(r.ToOperationID)), inert(text(r.KnownAction)), inert(text(r.RuleID)),
		inert(r.Description), inert(r.Dimensions), inert(text(r.ImportID)), inert(r.Actor)})
}

// Close writes what is buffered.
func (c *Costs) Close() error {
	c.w.Flush()
	return c.w.Error()
}
