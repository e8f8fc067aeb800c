package cost

import (
	"context"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/operation"
)

// RecordExport appends the audit row of a file of records that leaves the program, committed when it returns: call it
// before the first byte is sent.
func (s *Service) RecordExport(ctx context.Context, who actor.Actor, requestID string, f Filter, zone string) error {
	return audit.Record(ctx, s.g, audit.Row{Actor: who, Action: "cost.export", Object: "costs", RequestID: requestID, TraceID: operation.TraceID(ctx),
		After: struct {
			Filter Filter `json:"filter"`
			Format string `json:"format"`
			Zone   string `json:"zone"`
		}{f, "csv", zone}})
}
