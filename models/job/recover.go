package job

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/operation"
)

// Recover is a person saying that the result of a job that was given up exists after all. It delivers and runs the
// reclaim guard like a success signal of a worker: one delivery, at most one reclaim, whoever comes first. The job must
// be dead, discarded or canceled; Result, which points to what was delivered, and Reason are required. The stored
// result is a SignalResult; its entry has the balance after the reclaim. Faults: invalid_request, job_not_found,
// state_conflict, and those of operation.Apply.
func (s *Service) Recover(ctx context.Context, r PersonRequest) (operation.Outcome, error) {
	var bad []fault.Field
	switch {
	case freetext.Blank(r.Result):
		bad = append(bad, fault.Field{Name: "result", Message: "is required"})
	case !utf8.ValidString(r.Result) || utf8.RuneCountInString(r.Result) > 2000 || strings.ContainsRune(r.Result, 0):
		bad = append(bad, fault.Field{Name: "result", Message: "must be valid text of at most 2000 characters"})
	}
	return s.person(ctx, r, "recover", required(bad, r.Reason), func(ctx context.Context, tx *operation.Tx, at ref) (any, error) {
		// Takes the job's lock under the condition that the person still sees it as it is; nothing is changed yet.
		j, was, err := s.move(ctx, tx, at, "recovered by hand", "state IN ('dead', 'discarded', 'canceled') AND delivered_at IS NULL", map[string]any{})
		if err != nil {
			return nil, err
		}
		if err := s.mustBeSound(ctx, tx, j); err != nil {
			return nil, err
		}
		out, err := s.succeed(ctx, tx, r.AccountID, ref{accountKey: j.AccountKey, key: j.Key}, Signal{Type: SignalSucceeded, Result: r.Result, byHand: r.Reason})
		if err != nil {
			return nil, err
		}
		err = audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: tx.Request.Kind, Object: tx.Request.Object, Reason: r.Reason,
			Before: map[string]any{"state": was}, After: map[string]any{"state": out.Job.State, "outcome": out.Outcome, "result": r.Result},
			OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
		if err != nil {
			return nil, fmt.Errorf("job: recover: %w", err)
		}
		return out, nil
	})
}
