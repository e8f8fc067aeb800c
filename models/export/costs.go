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
		"overhead_rule", "description", "dimensions", "import", "recorded_by", "period_end (" + zone.String() + ")"})
}

// Write adds one record; the end of its period is empty where it is of one moment.
func (c *Costs) Write(r cost.Record) error {
	const layout = "2006-01-02T15:04:05.000000Z07:00"
	until := ""
	if r.OccurredUntil != nil {
		until = r.OccurredUntil.In(c.zone).Format(layout)
	}
	return c.w.Write([]string{r.OccurredAt.In(c.zone).Format(layout), inert(r.Source), inert(r.ExternalID), r.Amount.String(), r.Currency,
		string(r.State), inert(text(r.ToAccountID)), inert(text(r.ToJobID)), inert(text(r.ToOperationID)), inert(text(r.KnownAction)), inert(text(r.RuleID)),
		inert(r.Description), inert(r.Dimensions), inert(text(r.ImportID)), inert(r.Actor), until})
}

// Close writes what is buffered.
func (c *Costs) Close() error {
	c.w.Flush()
	return c.w.Error()
}
