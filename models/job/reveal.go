package job

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/operation"
)

// Reveal returns a job's payload to a person who said why, nil when the job has none. The audit row job.reveal is
// there before the payload is read, so nobody sees one without a trace; each reveal leaves its own. It changes
// nothing and needs no operation id. Faults: invalid_request, job_not_found.
func (s *Service) Reveal(ctx context.Context, r PersonRequest) (json.RawMessage, error) {
	switch {
	case freetext.Blank(r.Reason):
		return nil, fault.InvalidField("reason", "is required")
	case !utf8.ValidString(r.Reason) || utf8.RuneCountInString(r.Reason) > 500 || strings.ContainsRune(r.Reason, 0):
		return nil, fault.InvalidField("reason", "must be valid text of at most 500 characters")
	}
	j, err := s.Find(ctx, r.AccountID, r.JobID)
	if err != nil {
		return nil, err
	}
	err = audit.Record(ctx, s.g, audit.Row{Actor: r.Actor, Action: "job.reveal", Object: "account:" + r.AccountID + "/job:" + r.JobID,
		Reason: r.Reason, RequestID: r.RequestID, TraceID: operation.TraceID(ctx)})
	if err != nil {
		return nil, err
	}
	return s.Payload(ctx, j.AccountKey, j.Key)
}
