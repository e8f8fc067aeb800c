package job

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// DiscardReasons are the reasons a person may give for discarding a dead letter.
func DiscardReasons() []string {
	return []string{CustomerAsked, "bad_input", "unsupported", "duplicate", "too_old", otherReason}
}

// CustomerAsked is the reason of DiscardReasons that says that the customer no longer wants the job.
const CustomerAsked = "customer_asked"

// otherReason is the reason of DiscardReasons that says to see the note.
const otherReason = "other"

// SeeTheNote finds fault with a discard whose reason refers to a note that is not there.
func SeeTheNote(reason, note string) []fault.Field {
	if reason == otherReason && freetext.Blank(note) {
		return []fault.Field{{Name: "note", Message: "is required"}}
	}
	return nil
}

// PersonRequest is a person's (or a caller's, for Cancel) request about one job.
type PersonRequest struct {
	ledger.Envelope
	AccountID string
	JobID     string
	// Reason says why; required for Requeue, RunNow, Discard and Reopen. Discard takes one of DiscardReasons.
	Reason string
	// Note adds words to a discard; may be empty but for the reason other.
	Note string
	// At is when a requeued job shall be tried; nil for now. It must not be past, but for a minute, nor more than a year ahead.
	At *time.Time
	// Payload replaces the job's payload when it is requeued, JSON of at most 1 MiB; nil keeps it. Values that are Masked keep
	// what they were. The cost stays what it was when the job was charged.
	Payload json.RawMessage
	// Result points to what exists after all; for Recover.
	Result string
	// Generation is the one that the person saw; nil for programs, which ask for whatever the job is in. A
	// job that has gone on to another generation refuses with state_conflict: its new death is not the one
	// that was looked at.
	Generation *int64
	// Seen are the states in one of which the person saw the job, for what can be done in several: a job that is in another
	// one refuses with state_conflict. nil for programs.
	Seen []State
	// Also runs in the transaction of the change, after it, and not for a replay: both are there, or neither. An error
	// takes the change back. nil for most.
	Also func(ctx context.Context, tx *operation.Tx) error
}

// WorkResult is the stored result of Cancel, Requeue, Discard and Reopen.
type WorkResult struct {
	// Outcome is what the refund guard found for Cancel, else empty.
	Outcome string         `json:"outcome,omitempty"`
	Entry   *ledger.Posted `json:"entry"`
	Job     View           `json:"job"`
}

// Cancel ends a job that is not delivered and refunds it if it is not refunded yet. Faults:
// job_not_found, state_conflict, job_inconsistent, and those of operation.Apply.
func (s *Service) Cancel(ctx context.Context, r PersonRequest) (operation.Outcome, error) {
	return s.person(ctx, r, "cancel", nil, func(ctx context.Context, tx *operation.Tx, at ref) (any, error) {
		j, was, err := s.move(ctx, tx, at, "canceled", "state IN ('queued', 'running', 'retrying', 'dead') AND delivered_at IS NULL",
			map[string]any{"state": Canceled, "dead_at": nil, "lease_until": nil, "deadline_at": nil})
		if err != nil {
			return nil, err
		}
		if err := s.mustBeSound(ctx, tx, j); err != nil {
			return nil, err
		}
		result, rec, err := s.refundAfter(ctx, tx, &j)
		if err != nil {
			return nil, err
		}
		rec.kind, rec.before, rec.after, rec.details.Reason = EventCanceled, was, Canceled, r.Reason
		s.leaveLine(tx, j)
		s.endOpenAttempts(tx, j, "canceled", Signal{})
		if err := rec.write(tx); err != nil {
			return nil, err
		}
		return WorkResult{Outcome: result.Outcome, Entry: result.Entry, Job: j.Show(r.AccountID)}, nil
	})
}

// Requeue puts a dead letter back for a new generation with a budget of its own, now or at a time. It
// charges nothing: a success will, through reclaim. A job that would expire before gets its full time
// again. Faults: invalid_request, job_not_found, state_conflict, and those of operation.Apply.
func (s *Service) Requeue(ctx context.Context, r PersonRequest) (operation.Outcome, error) {
	var bad []fault.Field
	if r.At != nil && r.At.After(time.Now().AddDate(1, 0, 0)) {
		bad = append(bad, fault.Field{Name: "at", Message: "is more than a year ahead"})
	}
	bad = append(bad, checkPayload(r.Payload)...)
	return s.person(ctx, r, "requeue", required(bad, r.Reason), func(ctx context.Context, tx *operation.Tx, at ref) (any, error) {
		if err := notPast(ctx, tx, r.At); err != nil {
			return nil, err
		}
		var payload json.RawMessage
		var paths []string
		if r.Payload != nil {
			var err error
			if payload, paths, err = replacePayload(ctx, tx, r, at); err != nil {
				return nil, err
			}
		}
		when := gorm.Expr("date_trunc('second', clock_timestamp() + interval '999999 microseconds')")
		expires := gorm.Expr("GREATEST(expires_at, clock_timestamp() + expires_ms * interval '1 millisecond')")
		if r.At != nil {
			when = gorm.Expr("GREATEST(date_trunc('second', ?::timestamptz + interval '999999 microseconds'), date_trunc('second', clock_timestamp() + interval '999999 microseconds'))", *r.At)
			expires = gorm.Expr("GREATEST(expires_at, clock_timestamp() + expires_ms * interval '1 millisecond', ?::timestamptz + expires_ms * interval '1 millisecond')", *r.At)
		}
		// The caller of an external job may have told of attempts beyond the one that died. They are over, so the next one is none of them.
		made := gorm.Expr(`(SELECT GREATEST(jobs.attempt, max(t.attempt)) FROM attempts t WHERE t.account_key = jobs.account_key AND t.job_key = jobs.key)`)
		set := map[string]any{
			"state": Retrying, "generation": gorm.Expr("generation + 1"), "attempt": made, "generation_base": made,
			"dead_at": nil, "dead_reason": "", "not_before": when, "expires_at": expires}
		setPayload(set, payload)
		j, was, err := s.move(ctx, tx, at, "put back", "state = 'dead'", set)
		if err != nil {
			return nil, err
		}
		s.awaitRetry(ctx, tx, j)
		return s.noted(ctx, tx, r, j, EventRequeued, was, paths...)
	})
}

// notPast refuses a time that is past by the database's clock. People name minutes, so the one that is on is not past. It
// belongs inside the operation: a requeue that is sent again after its time is a replay.
func notPast(ctx context.Context, tx *operation.Tx, at *time.Time) error {
	if at == nil {
		return nil
	}
	var past bool
	err := tx.DB.WithContext(ctx).Raw(`SELECT ?::timestamptz < clock_timestamp() - interval '1 minute'`, *at).Scan(&past).Error
	if err != nil {
		return fmt.Errorf("job: time of a requeue: %w", err)
	}
	if past {
		return fault.InvalidField("at", "is past")
	}
	return nil
}

// Discard ends a dead letter for good; the refund stands. Faults as for Requeue.
func (s *Service) Discard(ctx context.Context, r PersonRequest) (operation.Outcome, error) {
	var bad []fault.Field
	if !slices.Contains(DiscardReasons(), r.Reason) {
		bad = append(bad, fault.Field{Name: "reason", Message: "must be one of " + strings.Join(DiscardReasons(), ", ")})
	}
	bad = append(bad, SeeTheNote(r.Reason, r.Note)...)
	return s.person(ctx, r, "discard", bad, func(ctx context.Context, tx *operation.Tx, at ref) (any, error) {
		j, was, err := s.move(ctx, tx, at, "discarded", "state = 'dead'", map[string]any{"state": Discarded, "resolution": r.Reason, "resolved_at": gorm.Expr("clock_timestamp()")})
		if err != nil {
			return nil, err
		}
		return s.noted(ctx, tx, r, j, EventDiscarded, was)
	})
}

// Reopen makes a discarded job a dead letter again. Faults as for Requeue.
func (s *Service) Reopen(ctx context.Context, r PersonRequest) (operation.Outcome, error) {
	return s.person(ctx, r, "reopen", required(nil, r.Reason), func(ctx context.Context, tx *operation.Tx, at ref) (any, error) {
		j, was, err := s.move(ctx, tx, at, "reopened", "state = 'discarded'", map[string]any{"state": Dead, "resolution": "", "resolved_at": nil})
		if err != nil {
			return nil, err
		}
		return s.noted(ctx, tx, r, j, EventReopened, was)
	})
}

// required refuses a missing reason.
func required(bad []fault.Field, reason string) []fault.Field {
	if freetext.Blank(reason) {
		bad = append(bad, fault.Field{Name: "reason", Message: "is required"})
	}
	return bad
}

// person applies a person's change unless something is wrong with the request: bad, or what concerns all.
func (s *Service) person(ctx context.Context, r PersonRequest, kind string, bad []fault.Field,
	change func(context.Context, *operation.Tx, ref) (any, error)) (operation.Outcome, error) {
	if err := ids.CheckCallerID(r.JobID); err != nil {
		bad = append(bad, fault.Field{Name: "job_id", Message: err.Error()})
	}
	for name, v := range map[string]string{"reason": r.Reason, "note": r.Note} {
		if !utf8.ValidString(v) || utf8.RuneCountInString(v) > 500 || strings.ContainsRune(v, 0) {
			bad = append(bad, fault.Field{Name: name, Message: "must be valid text of at most 500 characters"})
		}
	}
	input := operation.Input{"job_id": r.JobID}
	for name, v := range map[string]string{"reason": r.Reason, "note": r.Note, "result": r.Result} {
		if v != "" {
			input[name] = v
		}
	}
	if r.Payload != nil {
		input["payload"] = r.Payload
	}
	if r.At != nil {
		input["at"] = r.At.UTC().Format(time.RFC3339Nano)
	}
	if r.Generation != nil {
		input["generation"] = *r.Generation
	}
	if r.Seen != nil {
		input["seen"] = fmt.Sprint(r.Seen)
	}
	req := operation.Request{Scope: operation.Account(r.AccountID), ID: r.OperationID, Kind: kind, Actor: r.Actor, RequestID: r.RequestID,
		Reason: r.Reason, Object: "account:" + r.AccountID + "/job:" + r.JobID, Input: input, Invalid: bad}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		out, err := change(ctx, tx, ref{accountKey: tx.AccountKey, id: r.JobID, generation: r.Generation, seen: r.Seen})
		if err == nil && r.Also != nil {
			err = r.Also(ctx, tx)
		}
		return out, err
	})
}

// move is one conditional update of the state. It returns the job after it and the state before, or
// state_conflict with the current state. doing completes the sentence "It cannot be …".
func (s *Service) move(ctx context.Context, tx *operation.Tx, at ref, doing, guard string, set map[string]any) (Job, State, error) {
	was, err := read(ctx, tx.DB, at)
	if err != nil {
		return was, "", err
	}
	set["updated_at"] = gorm.Expr("clock_timestamp()")
	guarded, span := s.guardSpan(ctx, tx.Request.Kind)
	var j Job
	q := at.where(tx.DB.WithContext(guarded).Model(&j).Clauses(clause.Returning{Columns: jobColumns()})).Where(guard)
	if at.generation != nil {
		q = q.Where("generation = ?", *at.generation)
	}
	if at.seen != nil {
		q = q.Where("state IN ?", at.seen)
	}
	res := q.Updates(set)
	if res.Error != nil {
		span.End()
		return j, "", fmt.Errorf("job: %s: %w", tx.Request.Kind, res.Error)
	}
	if !s.noteGuard(ctx, tx, span, tx.Request.Kind, res.RowsAffected == 1) {
		now, err := read(ctx, tx.DB, at)
		if err != nil {
			return now, "", err
		}
		if at.generation != nil && int64(now.Generation) != *at.generation {
			return now, "", s.toldBy(ctx, tx, now, fault.State(string(now.State), "Job %s is in generation %d now, not in the %d that was looked at. Nothing was changed.",
				now.ID, now.Generation, *at.generation).With("generation", now.Generation))
		}
		return now, "", s.toldBy(ctx, tx, now, fault.State(string(now.State), "Job %s is %s: it cannot be %s. Nothing was changed.", now.ID, now.State, doing))
	}
	tx.JobKey = j.Key
	j.describe(ctx, j.Attempt)
	return j, was.State, nil
}

// toldBy adds to a refusal who moved the job before, and when.
func (s *Service) toldBy(ctx context.Context, tx *operation.Tx, j Job, f *fault.Error) error {
	by, err := LastChange(ctx, tx.DB, j.AccountKey, j.Key)
	if err != nil {
		return err
	}
	if by.Actor == "" {
		return f
	}
	return f.With("by", by.Actor).With("at", by.At.UTC())
}

// noted writes the event and the audit row of a person's decision.
func (s *Service) noted(ctx context.Context, tx *operation.Tx, r PersonRequest, j Job, kind string, was State, paths ...string) (any, error) {
	rec := record{job: j, kind: kind, before: was, after: j.State, details: Details{Reason: r.Reason, Note: r.Note, Payload: paths}}
	if kind == EventRequeued || kind == EventRunNow {
		at := j.NotBefore.UTC()
		rec.details.NotBefore = &at
	}
	if err := rec.write(tx); err != nil {
		return nil, err
	}
	err := audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: tx.Request.Kind, Object: tx.Request.Object, Reason: r.Reason,
		Before: map[string]any{"state": was}, After: map[string]any{"state": j.State, "generation": j.Generation},
		OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
	if err != nil {
		return nil, err
	}
	return WorkResult{Job: j.Show(r.AccountID)}, nil
}
