package bulk

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"

	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// StepRequest is a person's step of a work that was started.
type StepRequest struct {
	ledger.Envelope
	ID string
	// Version is the one that the person saw: another one refuses. nil for whichever it is.
	Version *int64
	// Reason says why; required for Abort and for Resume of a work that stopped by itself.
	Reason string
	// Pace takes the place of the one before; for Resume.
	Pace Pace
}

// Pause lets a work rest. Once it is answered no further row is done. Faults: invalid_request, bulk_work_not_found,
// state_conflict with the details by and at, and those of operation.Apply.
func (s *Store) Pause(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, KindPause, nil, []State{Running}, map[string]any{"state": string(Paused)})
}

// Abort ends a work for good. What was done stays done, and once it is answered no further row is. Faults as for Pause.
func (s *Store) Abort(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, KindAbort, required(r.Reason), []State{Running, Paused, Stopped},
		map[string]any{"state": string(Aborted), "ended_at": gorm.Expr("clock_timestamp()")})
}

// Resume lets a work that rests go on at a pace that is given anew: with its first few before the rest, and only what
// is done from now on counts for the stop. What a second person approved goes on at most as fast as they approved, with no
// fewer rows first and no later stop; anything else is a new work. Faults as for Pause.
func (s *Store) Resume(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	bad := append(r.Pace.check(), required(r.Reason)...)
	// An approved request is never changed, so it may be read before: the transaction needs one connection only.
	beyond, err := s.beyondApproved(ctx, r)
	if err != nil {
		return operation.Outcome{}, err
	}
	return s.step(ctx, r, KindResume, append(bad, beyond...), []State{Paused, Stopped}, map[string]any{"state": string(Running),
		"leg": gorm.Expr("leg + 1"), "probe": r.Pace.Probe, "per_minute": r.Pace.PerMinute, "stop_percent": r.Pace.StopPercent,
		"next_at": gorm.Expr("GREATEST(next_at, clock_timestamp())"), "stop_failed": nil, "stop_back": nil, "judged_at": gorm.Expr("'-infinity'::timestamptz")})
}

// beyondApproved finds fault with a pace that is looser than the one that a second person approved.
func (s *Store) beyondApproved(ctx context.Context, r StepRequest) ([]fault.Field, error) {
	p, err := s.Approved(ctx, r.ID)
	if p == nil || err != nil {
		return nil, err
	}
	var bad []fault.Field
	if r.Pace.PerMinute > p.PerMinute {
		bad = append(bad, fault.Field{Name: "per_minute", Message: "is more than was approved"})
	}
	if p.Kind == Requeue && r.Pace.Probe < p.Probe {
		bad = append(bad, fault.Field{Name: "probe", Message: "is less than was approved"})
	}
	if p.Kind == Requeue && r.Pace.StopPercent > p.StopPercent {
		bad = append(bad, fault.Field{Name: "stop_percent", Message: "is more than was approved"})
	}
	return bad, nil
}

// Approved is what a second person approved of a work; nil where nobody had to, or nobody has, and for a work that is not
// there.
func (s *Store) Approved(ctx context.Context, id string) (*Plan, error) {
	if s.opts.Requests == nil {
		return nil, nil
	}
	w, err := find(ctx, s.g, id)
	if fault.Is(err, CodeNotFound) || err == nil && w.OperationID == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	request, err := s.opts.Requests.OfOperation(ctx, Scope(), *w.OperationID)
	if err != nil || request == nil || request.State != approval.Approved || request.Kind != KindStart {
		return nil, err
	}
	p, err := ReadPlan(*request)
	return &p, err
}

func required(reason string) []fault.Field {
	if freetext.Blank(reason) {
		return []fault.Field{{Name: "reason", Message: "is required"}}
	}
	return nil
}

// step is one conditional update of the state, with its audit row.
func (s *Store) step(ctx context.Context, r StepRequest, kind string, bad []fault.Field, from []State, set map[string]any) (operation.Outcome, error) {
	if !utf8.ValidString(r.Reason) || utf8.RuneCountInString(r.Reason) > 500 || strings.ContainsRune(r.Reason, 0) {
		bad = append(bad, fault.Field{Name: "reason", Message: "must be valid text of at most 500 characters"})
	}
	input := operation.Input{"bulk_work": r.ID, "version": r.Version}
	if r.Reason != "" {
		input["reason"] = r.Reason
	}
	if kind == KindResume {
		input["probe"], input["per_minute"], input["stop_percent"] = r.Pace.Probe, r.Pace.PerMinute, r.Pace.StopPercent
	}
	req := operation.Request{Scope: Scope(), ID: r.OperationID, Kind: kind, Actor: r.Actor, RequestID: r.RequestID, Object: Object(r.ID), Reason: r.Reason,
		Input: input, Invalid: bad}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		before, err := find(ctx, tx.DB, r.ID)
		if err != nil {
			return nil, err
		}
		// The strong lock waits for the rows that are just being done, each of which holds a weak one, and keeps others out.
		if err := tx.DB.WithContext(ctx).Exec(`SELECT 1 FROM bulk_works WHERE key = ? FOR UPDATE`, before.Key).Error; err != nil {
			return nil, fmt.Errorf("bulk: %s: %w", kind, err)
		}
		set["version"], set["changed_by"], set["changed_at"] = gorm.Expr("version + 1"), r.Actor.String(), gorm.Expr("clock_timestamp()")
		q := tx.DB.WithContext(ctx).Table("bulk_works").Where("key = ? AND state IN ?", before.Key, from)
		if r.Version != nil {
			q = q.Where("version = ?", *r.Version)
		}
		res := q.Updates(set)
		if res.Error != nil {
			return nil, fmt.Errorf("bulk: %s: %w", kind, res.Error)
		}
		now, err := find(ctx, tx.DB, r.ID)
		if err != nil {
			return nil, err
		}
		if res.RowsAffected != 1 {
			return nil, tooLate(now)
		}
		return Begun{ID: now.ID, State: now.State, Version: now.Version}, s.audit(ctx, tx, before.State, now, r.Reason)
	})
}
