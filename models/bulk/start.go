package bulk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// Pace is how fast a work goes and what stops it.
type Pace struct {
	// Probe rows go first, and the others wait until these have come back; 0 for none. For Requeue.
	Probe int64
	// PerMinute is how many rows are done within any minute at most.
	PerMinute int64
	// StopPercent: the work stops when more than so many percent of what came back failed again; 100 for never. For
	// Requeue.
	StopPercent int64
}

func (p Pace) check() []fault.Field {
	var bad []fault.Field
	within := func(name string, v, low, high int64) {
		if v < low || v > high {
			bad = append(bad, fault.Field{Name: name, Message: fmt.Sprintf("must be %d to %d", low, high)})
		}
	}
	within("probe", p.Probe, 0, 1000)
	within("per_minute", p.PerMinute, 1, MaxPerMinute)
	within("stop_percent", p.StopPercent, 0, 100)
	return bad
}

// StartRequest starts a prepared work.
type StartRequest struct {
	ledger.Envelope
	ID string
	// Count is what the person typed: it has to be the work's own.
	Count int64
	// Reason says why; for Discard one of job.DiscardReasons, with a Note that may be empty. Not for Assign and Snooze.
	Reason string
	Note   string
	Pace   Pace
	// Assignee gets the rows of Assign; the zero Actor takes them from whoever has them.
	Assignee actor.Actor
	// Until is when the rows of Snooze are back.
	Until *time.Time
}

// Plan is what a change request holds for a bulk work.
type Plan struct {
	BulkWork    string `json:"bulk_work"`
	Kind        Kind   `json:"kind"`
	Count       int64  `json:"count"`
	Accounts    int64  `json:"accounts"`
	Credits     string `json:"credits"`
	Digest      string `json:"digest"`
	Reason      string `json:"reason"`
	Note        string `json:"note,omitempty"`
	Probe       int64  `json:"probe"`
	PerMinute   int64  `json:"per_minute"`
	StopPercent int64  `json:"stop_percent"`
}

// ReadPlan reads what a change request of this package's kind proposes.
func ReadPlan(r approval.Request) (Plan, error) {
	var p Plan
	if err := json.Unmarshal([]byte(r.Proposal), &p); err != nil {
		return p, fmt.Errorf("bulk: proposal of %s: %w", r.ID, err)
	}
	return p, nil
}

// Begun is the stored result of a start and of every other step.
type Begun struct {
	ID      string `json:"bulk_work"`
	State   State  `json:"state"`
	Version int    `json:"version"`
}

// Start lets a prepared work run, or proposes it to a second person where it is above the limit, by itself or
// together with what the same person started alone within LimitWindow. Faults:
// invalid_request, bulk_work_not_found, state_conflict when it is not prepared any more, and those of operation.Apply.
func (s *Store) Start(ctx context.Context, r StartRequest) (operation.Outcome, error) {
	input := operation.Input{"bulk_work": r.ID, "count": r.Count, "reason": r.Reason, "note": r.Note, "probe": r.Pace.Probe,
		"per_minute": r.Pace.PerMinute, "stop_percent": r.Pace.StopPercent, "assignee": r.Assignee.String()}
	if r.Until != nil {
		input["until"] = r.Until.UTC().Format(time.RFC3339Nano)
	}
	req := operation.Request{Scope: Scope(), ID: r.OperationID, Kind: KindStart, Actor: r.Actor, RequestID: r.RequestID, Object: Object(r.ID),
		Reason: r.Reason, Input: input, Invalid: append(r.Pace.check(), checkWords(r)...)}
	if s.opts.Requests != nil {
		req.Waiting = s.opts.Requests.Standing
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		w, err := find(ctx, tx.DB, r.ID)
		if err != nil {
			return nil, err
		}
		bad, err := checkKind(ctx, tx.DB, w, r)
		if err != nil {
			return nil, err
		}
		if len(bad) > 0 {
			return nil, fault.InvalidFields(bad...)
		}
		to := Running
		second, err := s.secondPerson(ctx, tx, w)
		if err != nil {
			return nil, err
		}
		if second {
			to = Proposed
		}
		if err := s.setOut(ctx, tx, w, r, to); err != nil {
			return nil, err
		}
		w, err = find(ctx, tx.DB, r.ID)
		if err != nil {
			return nil, err
		}
		if to == Proposed {
			required, err := s.opts.Requests.Propose(ctx, tx, approval.Proposal{Object: Object(w.ID), What: w.plan(), Reason: w.Reason})
			if err != nil {
				return nil, err
			}
			return required, operation.ErrWait
		}
		return Begun{ID: w.ID, State: w.State, Version: w.Version}, s.audit(ctx, tx, Prepared, w, "")
	})
}

// setOut is the one conditional update of a start.
func (s *Store) setOut(ctx context.Context, tx *operation.Tx, w Work, r StartRequest, to State) error {
	set := map[string]any{"state": string(to), "version": gorm.Expr("version + 1"), "reason": r.Reason, "note": r.Note, "assignee": r.Assignee.String(),
		"until": r.Until, "probe": r.Pace.Probe, "per_minute": r.Pace.PerMinute, "stop_percent": r.Pace.StopPercent, "operation_id": tx.Request.ID,
		"started_by": tx.Request.Actor.String(), "changed_by": tx.Request.Actor.String(), "changed_at": gorm.Expr("clock_timestamp()")}
	if to == Running {
		set["started_at"], set["next_at"], set["leg"] = gorm.Expr("clock_timestamp()"), gorm.Expr("clock_timestamp()"), 1
	}
	res := tx.DB.WithContext(ctx).Table("bulk_works").Where("key = ? AND state = 'prepared' AND count > 0 AND created_at > clock_timestamp() - ?::bigint * interval '1 millisecond'",
		w.Key, KeepPrepared.Milliseconds()).Updates(set)
	if res.Error != nil {
		return fmt.Errorf("bulk: start: %w", res.Error)
	}
	if res.RowsAffected == 1 {
		return nil
	}
	now, err := find(ctx, tx.DB, r.ID)
	if err != nil {
		return err
	}
	if now.State == Prepared && now.Count == 0 {
		return fault.State("nothing", "The bulk work %s has nothing to do. Nothing was done.", w.ID)
	}
	if now.State == Prepared {
		return fault.State(Expired, "The bulk work %s was prepared too long ago. Nothing was done.", w.ID)
	}
	return tooLate(now)
}

// tooLate refuses a step of a work that is elsewhere by now, and tells who brought it there.
func tooLate(now Work) *fault.Error {
	return fault.State(string(now.State), "The bulk work %s is %s by now. Nothing was changed.", now.ID, now.State).
		With("by", now.ChangedBy).With("at", now.ChangedAt.UTC())
}

// checkWords finds fault with what needs no database.
func checkWords(r StartRequest) []fault.Field {
	var bad []fault.Field
	for name, v := range map[string]string{"reason": r.Reason, "note": r.Note} {
		if !utf8.ValidString(v) || utf8.RuneCountInString(v) > 500 || strings.ContainsRune(v, 0) {
			bad = append(bad, fault.Field{Name: name, Message: "must be valid text of at most 500 characters"})
		}
	}
	if r.Assignee != (actor.Actor{}) && r.Assignee.Kind != "staff" {
		bad = append(bad, fault.Field{Name: "assignee", Message: "must be a member of the staff"})
	}
	return bad
}

// checkKind finds fault with what a work of this kind and size needs.
func checkKind(ctx context.Context, g *gorm.DB, w Work, r StartRequest) ([]fault.Field, error) {
	var bad []fault.Field
	if r.Count != w.Count {
		bad = append(bad, fault.Field{Name: "count", Message: "is not the number of dead letters"})
	}
	switch w.Kind {
	case Requeue:
		if freetext.Blank(r.Reason) {
			bad = append(bad, fault.Field{Name: "reason", Message: "is required"})
		}
	case Discard:
		if !slices.Contains(job.DiscardReasons(), r.Reason) {
			bad = append(bad, fault.Field{Name: "reason", Message: "must be one of " + strings.Join(job.DiscardReasons(), ", ")})
		}
		bad = append(bad, job.SeeTheNote(r.Reason, r.Note)...)
	case Assign:
		if r.Assignee.Kind == "staff" {
			err := deadletter.MayTriage(ctx, g, r.Assignee)
			if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
				bad = append(bad, f.Fields...)
			} else if err != nil {
				return nil, err
			}
		}
	case Undo:
	case Snooze:
		if r.Until == nil {
			bad = append(bad, fault.Field{Name: "until", Message: "must be ahead, by a year at most"})
			break
		}
		err := deadletter.Ahead(ctx, g, r.Until)
		if f := fault.As(err); f != nil {
			bad = append(bad, f.Fields...)
		} else if err != nil {
			return nil, err
		}
	}
	return bad, nil
}

func (w Work) plan() Plan {
	return Plan{BulkWork: w.ID, Kind: w.Kind, Count: w.Count, Accounts: w.Accounts, Credits: w.Credits.String(), Digest: w.DigestHex(), Reason: w.Reason,
		Note: w.Note, Probe: int64(w.Probe), PerMinute: int64(w.PerMinute), StopPercent: int64(w.StopPercent)}
}

// Executors let approved works run, for approval.NewDesk.
func (s *Store) Executors() map[approval.Kind]approval.Executor {
	return map[approval.Kind]approval.Executor{KindStart: s.runProposed}
}

// runProposed starts a work exactly as it was proposed: the rows are still those of its digest.
func (s *Store) runProposed(ctx context.Context, tx *operation.Tx, r approval.Request) (any, error) {
	p, err := ReadPlan(r)
	if err != nil {
		return nil, err
	}
	w, err := find(ctx, tx.DB, p.BulkWork)
	if err != nil {
		return nil, err
	}
	var now struct{ Digest []byte }
	err = tx.DB.WithContext(ctx).Raw(`SELECT x.digest FROM (`+sumUp+`) x (count, accounts, credits, excluded, digest)`, w.Key).Scan(&now).Error
	if err != nil {
		return nil, fmt.Errorf("bulk: digest: %w", err)
	}
	if w.plan() != p || (Work{Digest: now.Digest}).DigestHex() != p.Digest {
		return nil, fault.State("changed", "The bulk work %s is not what was proposed. Nothing was done.", w.ID)
	}
	res := tx.DB.WithContext(ctx).Exec(`UPDATE bulk_works SET state = 'running', version = version + 1, started_at = clock_timestamp(), next_at = clock_timestamp(), leg = 1,
		changed_by = ?, changed_at = clock_timestamp() WHERE key = ? AND state = 'proposed'`, tx.Request.Actor.String(), w.Key)
	if res.Error != nil {
		return nil, fmt.Errorf("bulk: start: %w", res.Error)
	}
	before := w.State
	if w, err = find(ctx, tx.DB, p.BulkWork); err != nil {
		return nil, err
	}
	if res.RowsAffected != 1 {
		return nil, tooLate(w)
	}
	return Begun{ID: w.ID, State: w.State, Version: w.Version}, s.audit(ctx, tx, before, w, "")
}

// audit records a person's step.
func (s *Store) audit(ctx context.Context, tx *operation.Tx, before State, w Work, reason string) error {
	if reason == "" {
		reason = w.Reason
	}
	after := map[string]any{"state": w.State, "kind": w.Kind, "count": w.Count, "credits": w.Credits.String(), "digest": w.DigestHex(), "probe": w.Probe,
		"per_minute": w.PerMinute, "stop_percent": w.StopPercent}
	return audit.Record(ctx, tx.DB, audit.Row{Actor: tx.Request.Actor, Action: tx.Request.Kind, Object: Object(w.ID), Reason: reason,
		Before: map[string]any{"state": before}, After: after, OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID})
}
