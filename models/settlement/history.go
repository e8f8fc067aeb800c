package settlement

import (
	"cmp"
	"context"
	"slices"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/operation"
)

// History returns what people did to a settlement and to its change request, newest first, refusals left out, at most
// limit rows.
func (s *Store) History(ctx context.Context, st Settlement, requestObject string, limit int) ([]audit.Stored, error) {
	var all []audit.Stored
	for _, object := range []string{Object(st.ID), requestObject} {
		rows, err := audit.Of(ctx, s.g, object, limit)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r.Outcome == "done" {
				all = append(all, r)
			}
		}
	}
	slices.SortFunc(all, func(a, b audit.Stored) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Key, a.Key)) })
	return all[:min(len(all), limit)], nil
}

// RecordExport appends the audit row of a settlement's file that leaves the program, committed when it returns: call it
// before the first byte is sent.
func (s *Store) RecordExport(ctx context.Context, st Settlement, who actor.Actor, requestID, zone string) error {
	return audit.Record(ctx, s.g, audit.Row{Actor: who, Action: "export", Object: Object(st.ID), RequestID: requestID, TraceID: operation.TraceID(ctx),
		After: map[string]any{"format": "csv", "zone": zone, "jobs": st.Jobs}})
}
