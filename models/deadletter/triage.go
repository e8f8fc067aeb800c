package deadletter

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// Kinds of the operations of this package on one job. They are in the account's scope.
const (
	KindAssign = "assign"
	KindSnooze = "snooze"
	KindNote   = "note"
	KindUndo   = "undo"
)

// maxNote bounds a note, in characters.
const maxNote = 2000

// Request names the job of a change.
type Request struct {
	ledger.Envelope
	AccountID string
	JobID     string
	// Generation is the one whose death was looked at; nil for the present one.
	Generation *int64
	// Also runs in the transaction of the change, after it, and not for a replay: both are there, or neither. An error
	// takes the change back. nil for most.
	Also func(ctx context.Context, tx *operation.Tx) error
}

// AssignRequest says who shall take care of a dead letter.
type AssignRequest struct {
	Request
	// Assignee is a member of the staff who may triage; the zero Actor takes the dead letter from whoever has it.
	Assignee actor.Actor
	// Seen is the assignee that the person saw, "" for nobody: another one refuses. nil for whoever has it.
	Seen *string
}

// SnoozeRequest puts a dead letter out of sight.
type SnoozeRequest struct {
	Request
	// Until is when it is back, at most a year ahead; nil brings it back now.
	Until *time.Time
	// Seen is until when the person saw it snoozed, nil for not at all; Compare makes another one refuse.
	Seen    *time.Time
	Compare bool
}

// NoteRequest adds a note to a job's timeline, where it stays.
type NoteRequest struct {
	Request
	// Text has 1 to 2000 characters.
	Text string
}

// UndoRequest takes back an assign, a snooze or a note, if nobody has changed the same since.
type UndoRequest struct {
	Request
	// Undoes is the id of that operation, in the same account.
	Undoes string
}

// Triage is what people have said of a dead letter.
type Triage struct {
	Assignee     string     `json:"assignee"`
	SnoozedUntil *time.Time `json:"snoozed_until"`
	// Woken is true where somebody has brought it back while its group is snoozed.
	Woken bool `json:"woken,omitempty"`
}

// TriageResult is the stored result of an assign, snooze, note or undo.
type TriageResult struct {
	AccountID  string `json:"account_id"`
	JobID      string `json:"job_id"`
	Generation int    `json:"generation"`
	// Before and After are equal for a note.
	Before Triage `json:"before"`
	After  Triage `json:"after"`
	Note   string `json:"note,omitempty"`
	// Undoes is the operation that was undone, of this kind; empty otherwise.
	Undoes     string `json:"undoes,omitempty"`
	UndoneKind string `json:"undone_kind,omitempty"`
}

// row is a dead letter as the guards read it.
type row struct {
	AccountKey   int64
	JobKey       int64
	Generation   int
	ClosedAt     *time.Time
	Outcome      string
	Assignee     string
	AssignedBy   string
	AssignedAt   *time.Time
	SnoozedUntil *time.Time
	SnoozedBy    string
	SnoozedAt    *time.Time
	// Grouped is true while its group's snooze has been set, Woken where that was before it was brought back.
	Grouped bool
	Woken   bool
}

func (d row) triage() Triage {
	return Triage{Assignee: d.Assignee, SnoozedUntil: utc(d.SnoozedUntil), Woken: d.Woken}
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// Assign gives a dead letter to somebody. Of two people who assign at once one wins; the other is told by whom and
// when. Faults: invalid_request, account_not_found, job_not_found, state_conflict with the details by and at, and those
// of operation.Apply.
func (s *Service) Assign(ctx context.Context, r AssignRequest) (operation.Outcome, error) {
	input := operation.Input{"assignee": r.Assignee.String(), "seen": r.Seen}
	var bad []fault.Field
	if r.Assignee != (actor.Actor{}) && r.Assignee.Kind != "staff" {
		bad = append(bad, fault.Field{Name: "assignee", Message: "must be a member of the staff"})
	}
	return s.apply(ctx, r.Request, KindAssign, input, bad, func(ctx context.Context, tx *operation.Tx, d row) (any, error) {
		if r.Assignee != (actor.Actor{}) {
			if err := MayTriage(ctx, tx.DB, r.Assignee); err != nil {
				return nil, err
			}
		}
		if r.Seen != nil && d.Assignee != *r.Seen {
			return nil, taken(r.JobID, d)
		}
		return s.set(ctx, tx, r.Request, d, KindAssign, Triage{Assignee: r.Assignee.String(), SnoozedUntil: d.SnoozedUntil, Woken: d.Woken}, nil)
	})
}

// Snooze puts a dead letter out of sight until a time, or back. Back is in sight also where its group is snoozed, which goes
// on for the others. Faults as for Assign.
func (s *Service) Snooze(ctx context.Context, r SnoozeRequest) (operation.Outcome, error) {
	input := operation.Input{}
	if r.Until != nil {
		input["until"] = r.Until.UTC().Format(time.RFC3339Nano)
	}
	if r.Compare {
		input["seen"] = stamp(r.Seen)
	}
	return s.apply(ctx, r.Request, KindSnooze, input, nil, func(ctx context.Context, tx *operation.Tx, d row) (any, error) {
		if err := Ahead(ctx, tx.DB, r.Until); err != nil {
			return nil, err
		}
		if r.Compare && !same(d.SnoozedUntil, r.Seen) {
			return nil, snoozed(r.JobID, d)
		}
		until := r.Until
		if until != nil {
			// What the database keeps, so that an undo finds it again.
			t := until.UTC().Truncate(time.Microsecond)
			until = &t
		}
		return s.set(ctx, tx, r.Request, d, KindSnooze, Triage{Assignee: d.Assignee, SnoozedUntil: until, Woken: d.Woken || until == nil && d.Grouped}, nil)
	})
}

// Ahead refuses the end of a snooze, the field "until", that does not lie ahead by the database's clock or does by more
// than a year; nil passes. It belongs inside the operation: whether a moment lies ahead changes, and a snooze that is sent
// again once its end has passed is a replay all the same.
func Ahead(ctx context.Context, g *gorm.DB, until *time.Time) error {
	if until == nil {
		return nil
	}
	var ok bool
	err := g.WithContext(ctx).Raw(`SELECT ?::timestamptz > clock_timestamp() AND ?::timestamptz <= clock_timestamp() + interval '1 year'`, *until, *until).Scan(&ok).Error
	if err != nil {
		return fmt.Errorf("deadletter: end of a snooze: %w", err)
	}
	if !ok {
		return fault.InvalidField("until", "must be ahead, by a year at most")
	}
	return nil
}

// Note adds a note to a job, whatever its state. Faults: invalid_request, account_not_found, job_not_found, and those of
// operation.Apply.
func (s *Service) Note(ctx context.Context, r NoteRequest) (operation.Outcome, error) {
	var bad []fault.Field
	switch n := utf8.RuneCountInString(r.Text); {
	case freetext.Blank(r.Text):
		bad = append(bad, fault.Field{Name: "note", Message: "is required"})
	case n > maxNote || !utf8.ValidString(r.Text) || strings.ContainsRune(r.Text, 0):
		bad = append(bad, fault.Field{Name: "note", Message: fmt.Sprintf("must be valid text of at most %d characters", maxNote)})
	}
	return s.apply(ctx, r.Request, KindNote, operation.Input{"note": r.Text}, bad, func(ctx context.Context, tx *operation.Tx, d row) (any, error) {
		if err := job.Remark(tx, d.AccountKey, d.JobKey, d.Generation, job.EventNoted, job.Details{Note: r.Text}); err != nil {
			return nil, err
		}
		if err := s.audit(ctx, tx, r.Request, nil, map[string]any{"note": r.Text}); err != nil {
			return nil, err
		}
		return TriageResult{AccountID: r.AccountID, JobID: r.JobID, Generation: d.Generation, Before: d.triage(), After: d.triage(), Note: r.Text}, nil
	})
}

// Undo is an operation of its own. It sets an assign or a snooze back if what it did still stands, and marks a note as
// withdrawn. Faults: those of Assign, operation_not_found.
func (s *Service) Undo(ctx context.Context, r UndoRequest) (operation.Outcome, error) {
	// Never changed once it has its result, so it may be read before: the transaction needs one connection only.
	stored, _, err := s.ops.Find(ctx, operation.Account(r.AccountID), r.Undoes)
	if err != nil {
		return operation.Outcome{}, err
	}
	return s.apply(ctx, r.Request, KindUndo, operation.Input{"undoes": r.Undoes}, nil, func(ctx context.Context, tx *operation.Tx, d row) (any, error) {
		if stored.Result == nil || stored.JobKey == nil || *stored.JobKey != d.JobKey {
			return nil, fault.New(fault.NotFound, fault.CodeOperationNotFound, "There is no operation %q of this job. Nothing was done.", r.Undoes)
		}
		var done TriageResult
		out := operation.Outcome{Result: []byte(*stored.Result)}
		switch stored.Kind {
		case KindAssign, KindSnooze, KindNote:
			if err := out.Decode(&done); err != nil {
				return nil, fmt.Errorf("deadletter: undo: %w", err)
			}
		default:
			return nil, fault.InvalidField("undoes", "cannot be undone")
		}
		undone := &undone{id: r.Undoes, kind: stored.Kind}
		switch {
		case stored.Kind == KindNote:
			return s.withdraw(ctx, tx, r.Request, d, done, undone)
		case done.Generation != d.Generation:
			return nil, moved(r.JobID, d)
		case stored.Kind == KindAssign && (d.Assignee != done.After.Assignee || d.AssignedBy != stored.Actor):
			return nil, taken(r.JobID, d)
		case stored.Kind == KindSnooze && (!same(d.SnoozedUntil, done.After.SnoozedUntil) || d.SnoozedBy != stored.Actor):
			return nil, snoozed(r.JobID, d)
		}
		return s.set(ctx, tx, r.Request, d, stored.Kind, done.Before, undone)
	})
}

// undone names what an undo takes back.
type undone struct{ id, kind string }

// apply reads the job's dead letter and hands it to change. A note may also go to a job that never died.
func (s *Service) apply(ctx context.Context, r Request, kind string, input operation.Input, bad []fault.Field,
	change func(context.Context, *operation.Tx, row) (any, error)) (operation.Outcome, error) {
	if err := ids.CheckCallerID(r.JobID); err != nil {
		bad = append(bad, fault.Field{Name: "job_id", Message: err.Error()})
	}
	input["job_id"] = r.JobID
	input["generation"] = r.Generation
	req := operation.Request{Scope: operation.Account(r.AccountID), ID: r.OperationID, Kind: kind, Actor: r.Actor, RequestID: r.RequestID,
		Object: object(r), Input: input, Invalid: bad}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		d, err := s.letter(ctx, tx, r)
		if err != nil {
			return nil, err
		}
		tx.JobKey = d.JobKey
		out, err := change(ctx, tx, d)
		if err == nil && r.Also != nil {
			err = r.Also(ctx, tx)
		}
		return out, err
	})
}

func object(r Request) string { return "account:" + r.AccountID + "/job:" + r.JobID }

// letter reads the job's newest dead letter without a lock: the guard of each update decides. A job that never died has
// none, and the row then says so by its ClosedAt.
func (s *Service) letter(ctx context.Context, tx *operation.Tx, r Request) (row, error) {
	var d row
	res := tx.DB.WithContext(ctx).Raw(`SELECT j.account_key, j.key AS job_key, COALESCE(d.generation, j.generation) AS generation,
			CASE WHEN d.generation IS NULL THEN j.created_at ELSE d.closed_at END AS closed_at, COALESCE(d.outcome, '') AS outcome,
			COALESCE(d.assignee, '') AS assignee, COALESCE(d.assigned_by, '') AS assigned_by, d.assigned_at, d.snoozed_until,
			COALESCE(d.snoozed_by, '') AS snoozed_by, d.snoozed_at, g.snoozed_at IS NOT NULL AS grouped, COALESCE(d.woken_at > g.snoozed_at, false) AS woken
		FROM jobs j LEFT JOIN LATERAL (SELECT * FROM dead_letters d WHERE d.account_key = j.account_key AND d.job_key = j.key
			ORDER BY d.generation DESC LIMIT 1) d ON true
		LEFT JOIN dead_letter_groups g ON g.fingerprint = d.fingerprint
		WHERE j.account_key = ? AND j.id = ?`, tx.AccountKey, r.JobID).Scan(&d)
	if res.Error != nil {
		return d, fmt.Errorf("deadletter: read: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return d, fault.New(fault.NotFound, fault.CodeJobNotFound, "There is no job %q in this account. Nothing was done.", r.JobID)
	}
	return d, nil
}

// set is the one conditional update of an assign, a snooze or the undo of one. It loses when the dead letter was closed
// or the same was changed by somebody else since it was read.
func (s *Service) set(ctx context.Context, tx *operation.Tx, r Request, d row, kind string, to Triage, undo *undone) (any, error) {
	if d.ClosedAt != nil || r.Generation != nil && int64(d.Generation) != *r.Generation {
		return nil, s.gone(ctx, tx, r, d)
	}
	q := tx.DB.WithContext(ctx).Table("dead_letters").Where("account_key = ? AND job_key = ? AND generation = ? AND closed_at IS NULL", d.AccountKey, d.JobKey, d.Generation)
	var res *gorm.DB
	details := job.Details{Assignee: to.Assignee}
	event := job.EventAssigned
	if kind == KindAssign {
		res = q.Where("assignee = ? AND assigned_at IS NOT DISTINCT FROM ?::timestamptz", d.Assignee, d.AssignedAt).
			Updates(map[string]any{"assignee": to.Assignee, "assigned_by": r.Actor.String(), "assigned_at": gorm.Expr("clock_timestamp()")})
	} else {
		event, details = job.EventSnoozed, job.Details{Until: to.SnoozedUntil}
		set := map[string]any{"snoozed_until": to.SnoozedUntil, "snoozed_by": r.Actor.String(), "snoozed_at": gorm.Expr("clock_timestamp()")}
		switch {
		case undo == nil && to.SnoozedUntil == nil:
			set["woken_at"] = gorm.Expr("clock_timestamp()")
		case undo != nil && !to.Woken:
			set["woken_at"] = nil
		}
		res = q.Where("snoozed_until IS NOT DISTINCT FROM ?::timestamptz AND snoozed_at IS NOT DISTINCT FROM ?::timestamptz", d.SnoozedUntil, d.SnoozedAt).Updates(set)
	}
	if res.Error != nil {
		return nil, fmt.Errorf("deadletter: %s: %w", kind, res.Error)
	}
	if res.RowsAffected == 0 {
		now, err := s.letter(ctx, tx, r)
		switch {
		case err != nil:
			return nil, err
		case now.ClosedAt != nil || now.Generation != d.Generation:
			return nil, s.gone(ctx, tx, r, now)
		case kind == KindAssign:
			return nil, taken(r.JobID, now)
		}
		return nil, snoozed(r.JobID, now)
	}
	out := TriageResult{AccountID: r.AccountID, JobID: r.JobID, Generation: d.Generation, Before: d.triage(), After: to}
	if undo != nil {
		event, details.Undoes, details.UndoneID = job.EventUndone, undo.kind, undo.id
		out.Undoes, out.UndoneKind = undo.id, undo.kind
	}
	if err := job.Remark(tx, d.AccountKey, d.JobKey, d.Generation, event, details); err != nil {
		return nil, err
	}
	return out, s.audit(ctx, tx, r, out.Before, out.After)
}

// withdraw marks a note as taken back, once. Its words stay in the timeline.
func (s *Service) withdraw(ctx context.Context, tx *operation.Tx, r Request, d row, done TriageResult, undo *undone) (any, error) {
	// The job's row orders two who withdraw at once; nothing of it is changed.
	var before struct {
		Actor string
		At    time.Time
	}
	err := tx.DB.WithContext(ctx).Exec(`SELECT 1 FROM jobs WHERE account_key = ? AND key = ? FOR NO KEY UPDATE`, d.AccountKey, d.JobKey).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: withdraw: %w", err)
	}
	res := tx.DB.WithContext(ctx).Raw(`SELECT actor, at FROM job_events WHERE account_key = ? AND job_key = ? AND kind = ?
		AND data->>'undone_id' = ? LIMIT 1`, d.AccountKey, d.JobKey, job.EventUndone, undo.id).Scan(&before)
	if res.Error != nil {
		return nil, fmt.Errorf("deadletter: withdraw: %w", res.Error)
	}
	if res.RowsAffected > 0 {
		return nil, told(fault.State("withdrawn", "The note on job %s was withdrawn before. Nothing was changed.", r.JobID), before.Actor, &before.At)
	}
	details := job.Details{Undoes: undo.kind, UndoneID: undo.id, Note: done.Note}
	if err := job.Remark(tx, d.AccountKey, d.JobKey, d.Generation, job.EventUndone, details); err != nil {
		return nil, err
	}
	out := TriageResult{AccountID: r.AccountID, JobID: r.JobID, Generation: d.Generation, Before: d.triage(), After: d.triage(), Undoes: undo.id, UndoneKind: undo.kind}
	return out, s.audit(ctx, tx, r, map[string]any{"note": done.Note}, nil)
}

func (s *Service) audit(ctx context.Context, tx *operation.Tx, r Request, before, after any) error {
	return audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: tx.Request.Kind, Object: object(r), Before: before, After: after,
		OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
}

// gone refuses a change of a dead letter that is closed, and tells who closed it.
func (s *Service) gone(ctx context.Context, tx *operation.Tx, r Request, d row) error {
	by, err := job.LastChange(ctx, tx.DB, d.AccountKey, d.JobKey)
	if err != nil {
		return err
	}
	return told(moved(r.JobID, d), by.Actor, &by.At)
}

func moved(jobID string, d row) *fault.Error {
	state := d.Outcome
	if state == "" {
		state = "not_dead"
	}
	return fault.State(state, "Job %s is no open dead letter of this generation any more. Nothing was changed.", jobID)
}

func taken(jobID string, d row) *fault.Error {
	if d.Assignee == "" {
		return told(fault.State("unassigned", "Job %s was released by somebody else. Nothing was changed.", jobID), d.AssignedBy, d.AssignedAt)
	}
	return told(fault.State("assigned", "Job %s was assigned by somebody else. Nothing was changed.", jobID).With("assignee", d.Assignee), d.AssignedBy, d.AssignedAt)
}

func snoozed(jobID string, d row) *fault.Error {
	state := "snoozed"
	if d.SnoozedUntil == nil {
		state = "woken"
	}
	return told(fault.State(state, "Whether job %s is snoozed was changed by somebody else. Nothing was changed now.", jobID), d.SnoozedBy, d.SnoozedAt)
}

// told adds by whom and when something was changed before.
func told(f *fault.Error, by string, at *time.Time) *fault.Error {
	if by == "" || at == nil {
		return f
	}
	return f.With("by", by).With("at", at.UTC())
}

func same(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

func stamp(t *time.Time) string {
	if t == nil {
		return "none"
	}
	return t.UTC().Format(time.RFC3339Nano)
}
