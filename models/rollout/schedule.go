package rollout

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gorm.io/gorm"

	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/calendar"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
)

// KindSchedule is the kind of the operation that schedules a step, and of its change request.
const KindSchedule = "schedule_rollout_step"

// StepName names a step that can be scheduled.
type StepName string

// The steps that can be scheduled.
const (
	StepStart    StepName = "start"
	StepAdvance  StepName = "advance"
	StepComplete StepName = "complete"
)

// ScheduleState is where a scheduled step stands.
type ScheduleState string

// The states. Whatever is not waiting is over for good.
const (
	Waiting   ScheduleState = "waiting"
	Fired     ScheduleState = "fired"
	Refused   ScheduleState = "refused"
	Cancelled ScheduleState = "cancelled"
)

// Codes of why a scheduled step ended without being made, beside those of the faults that refused it.
const (
	// EndByPerson: a person cancelled it, with a reason.
	EndByPerson = "by_person"
	// EndHalted, EndRolledBack, EndCompleted and EndArchived: the rollout did.
	EndHalted     = "halted"
	EndRolledBack = "rolled_back"
	EndCompleted  = "completed"
	EndArchived   = "archived"
	// EndReached: somebody made the step, or a later one, before its time.
	EndReached = "reached"
	// EndNotReached: at its time the rollout did not stand at the stage before.
	EndNotReached = "not_reached"
	// EndTooLate: nothing made it for so long after its time, say because no process ran, that nobody expects it any more. The
	// detail has allowed_s, how many seconds late it could have been.
	EndTooLate = "too_late"
)

// Limits of what can be scheduled.
const (
	// WallLayout is how a local time is written.
	WallLayout = "2006-01-02T15:04"
	// farthest is how far ahead a step can be scheduled.
	farthest = 366 * 24 * time.Hour
)

// Scheduled is a step that is made at a time.
type Scheduled struct {
	Key       int64
	RolloutID string
	Step      StepName
	// Stage is the one that the step leads to; of a completion the last one.
	Stage int
	// LocalTime is what was asked for, in Zone, with Reading saying how often its clock shows it; At is the moment it is.
	LocalTime time.Time
	Zone      string
	At        time.Time
	Reading   calendar.Reading
	Reason    string
	CreatedBy string
	CreatedAt time.Time
	// Scope and OperationID name the operation that scheduled it.
	OperationID string
	// ChangeRequest is what a second person agreed to; nil where none was needed.
	ChangeRequest *string
	State         ScheduleState
	// What ended it; nil and empty while it waits. EndCode is empty for one that fired.
	EndedAt        *time.Time
	EndedBy        string
	EndCode        string
	EndDetail      *string
	EndReason      string
	EndScope       string
	EndOperationID string
}

// Scope is the scope of the operation that scheduled it.
func (s Scheduled) Scope() operation.Scope { return ScopeOf(s.RolloutID) }

const selectScheduled = `SELECT key, rollout_id, step, stage, local_time, zone, at, reading, reason, created_by, created_at, operation_id, change_request, state,
	ended_at, COALESCE(ended_by, '') AS ended_by, COALESCE(end_code, '') AS end_code, end_detail::text AS end_detail, end_reason,
	COALESCE(end_scope, '') AS end_scope, COALESCE(end_operation_id, '') AS end_operation_id FROM rollout_schedule `

// Schedule returns the scheduled steps of a rollout: those that wait in the order of their time, then the others, the last
// ended first; at most limit.
func (s *Service) Schedule(ctx context.Context, id string, limit int) ([]Scheduled, error) {
	return scheduled(ctx, s.g, `WHERE rollout_id = ? ORDER BY state <> 'waiting', CASE WHEN state = 'waiting' THEN at END, ended_at DESC, key LIMIT ?`, id, limit)
}

func scheduled(ctx context.Context, g *gorm.DB, rest string, args ...any) ([]Scheduled, error) {
	var rows []Scheduled
	if err := g.WithContext(ctx).Raw(selectScheduled+rest, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("rollout: schedule: %w", err)
	}
	return rows, nil
}

// FindScheduled returns one scheduled step of a rollout, or fault rollout_not_found.
func (s *Service) FindScheduled(ctx context.Context, id string, key int64) (Scheduled, error) {
	rows, err := scheduled(ctx, s.g, `WHERE rollout_id = ? AND key = ?`, id, key)
	if err != nil {
		return Scheduled{}, err
	}
	if len(rows) == 0 {
		return Scheduled{}, fault.New(fault.NotFound, fault.CodeRolloutNotFound, "Rollout %q has no scheduled step %d.", id, key)
	}
	return rows[0], nil
}

// ScheduleRequest asks for a step at a time.
type ScheduleRequest struct {
	ledger.Envelope
	RolloutID string
	Step      StepName
	// Stage is the one that an advance leads to; for other steps it is filled in.
	Stage int
	// Local is the time on the clocks of Zone, as WallLayout says; Zone an IANA name.
	Local, Zone string
	// Reason is required.
	Reason string
	// Replaces names the proposal of the same step that this one takes the place of; nil where none waits.
	Replaces *approval.Replaced
}

// ProposedTime is the time of a scheduled step as a second person agrees to it.
type ProposedTime struct {
	Step    StepName         `json:"step"`
	Local   string           `json:"local"`
	Zone    string           `json:"zone"`
	At      time.Time        `json:"at"`
	Reading calendar.Reading `json:"reading"`
}

// check says what is wrong with the request, and reads its time.
func (r ScheduleRequest) check() (t ProposedTime, wall time.Time, bad []fault.Field) {
	refuse := func(name, message string) { bad = append(bad, fault.Field{Name: name, Message: message}) }
	t = ProposedTime{Step: r.Step, Local: r.Local, Zone: r.Zone}
	if r.Step != StepStart && r.Step != StepAdvance && r.Step != StepComplete {
		refuse("step", "is no step that can be scheduled")
	}
	zone, err := time.LoadLocation(r.Zone)
	if r.Zone == "" || r.Zone == "Local" || err != nil {
		refuse("zone", "must be the IANA name of a time zone, such as Asia/Tokyo")
	}
	wall, err = time.Parse(WallLayout, r.Local)
	if err != nil || wall.Year() < 2000 || wall.Year() > 9990 {
		refuse("local", "must be a date and a time")
	}
	bad = append(bad, checkReason(r.Reason)...)
	if bad == nil {
		var at time.Time
		at, t.Reading = calendar.At(wall, zone)
		t.At = at.UTC()
	}
	return t, wall, bad
}

// AtTime schedules a step. Faults: invalid_request (also for a time that is past), rollout_not_found, state_conflict (the
// step does not lie ahead of the rollout, is scheduled already, or waits for a second person, or the action or the candidate
// of a draft is retired), those of
// approval.Store.Replace, and those of operation.Apply. Where the step needs a second person, scheduling it does: the
// outcome is then Waiting, and when the time comes nobody is asked again.
func (s *Service) AtTime(ctx context.Context, r ScheduleRequest) (operation.Outcome, error) {
	t, wall, bad := r.check()
	req := operation.Request{Scope: ScopeOf(r.RolloutID), ID: r.OperationID, Kind: KindSchedule, Actor: r.Actor, RequestID: r.RequestID, Reason: r.Reason,
		Object: object(r.RolloutID), Invalid: bad, Waiting: s.requests.Standing,
		Input: operation.Input{"step": string(r.Step), "stage": int64(r.Stage), "local": r.Local, "zone": r.Zone, "reason": r.Reason}}
	if !idPattern.MatchString(r.RolloutID) {
		return operation.Outcome{}, notFound(r.RolloutID)
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		o, err := find(ctx, tx.DB, r.RolloutID)
		if err != nil {
			return nil, err
		}
		stage := r.Stage
		switch r.Step {
		case StepStart:
			stage = 1
		case StepComplete:
			stage = len(o.Stages)
		}
		if err := s.ahead(o, r.Step, stage); err != nil {
			return nil, err
		}
		if err := retired(ctx, tx.DB, o); err != nil {
			return nil, err
		}
		if o.needsSecond(r.Step, stage) {
			if err := inTime(ctx, tx, t.At); err != nil {
				return nil, err
			}
			return s.proposeAt(ctx, tx, r, o, stage, t)
		}
		return s.put(ctx, tx, o, stage, t, wall, r.Reason, nil)
	})
}

// ahead refuses a step that does not lie ahead of the rollout.
func (s *Service) ahead(o Rollout, step StepName, stage int) error {
	ok := o.State == Draft || o.State == Running || o.State == Paused
	switch step {
	case StepStart:
		ok = o.State == Draft
	case StepAdvance:
		ok = ok && stage > o.Stage && stage > 1 && stage <= len(o.Stages)
	case StepComplete:
		last := o
		last.Stage = len(o.Stages)
		ok = ok && last.Full()
	}
	if !ok {
		return fault.State(string(o.State), "Rollout %s is %s, stage %d: this step does not lie ahead of it. Nothing was changed.", o.ID, o.State, o.Stage).
			Because(WhyNotAhead).With("version", o.Version).With("stage", o.Stage)
	}
	return nil
}

func (r Rollout) needsSecond(step StepName, stage int) bool {
	switch step {
	case StepStart:
		return r.startNeedsSecond()
	case StepAdvance:
		return r.above(stage)
	}
	return r.completeNeedsSecond()
}

// inTime refuses a time that is past, or too far ahead, by the database's clock.
func inTime(ctx context.Context, tx *operation.Tx, at time.Time) error {
	var past, far bool
	err := tx.DB.WithContext(ctx).Raw(`SELECT ?::timestamptz <= clock_timestamp(), ?::timestamptz > clock_timestamp() + ?::bigint * interval '1 second'`,
		at, at, int64(farthest.Seconds())).Row().Scan(&past, &far)
	switch {
	case err != nil:
		return fmt.Errorf("rollout: schedule: %w", err)
	case past || far:
		return fault.InvalidField("local", "must be ahead, by a year at most")
	}
	return nil
}

// ScheduledResult is the stored result of scheduling a step.
type ScheduledResult struct {
	RolloutID string `json:"rollout_id"`
	Scheduled int64  `json:"scheduled"`
	Step      string `json:"step"`
	Stage     int    `json:"stage"`
	ProposedTime
}

// put writes a scheduled step, while the rollout cannot move.
func (s *Service) put(ctx context.Context, tx *operation.Tx, o Rollout, stage int, t ProposedTime, wall time.Time, reason string, agreed *approval.Request) (any, error) {
	if err := inTime(ctx, tx, t.At); err != nil {
		return nil, err
	}
	g := tx.DB.WithContext(ctx)
	if err := g.Exec(`SELECT 1 FROM rollouts WHERE id = ? FOR NO KEY UPDATE`, o.ID).Error; err != nil {
		return nil, fmt.Errorf("rollout: schedule: %w", err)
	}
	now, err := find(ctx, tx.DB, o.ID)
	if err != nil {
		return nil, err
	}
	if err := s.ahead(now, t.Step, stage); err != nil {
		return nil, err
	}
	var change *string
	if agreed != nil {
		change = &agreed.ID
	}
	var key int64
	res := g.Raw(`INSERT INTO rollout_schedule (rollout_id, step, stage, local_time, zone, at, reading, reason, created_by, operation_id, change_request)
		VALUES (?, ?, ?, ?::timestamp, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (rollout_id, step, stage) WHERE state IN ('waiting', 'fired') DO NOTHING RETURNING key`,
		o.ID, string(t.Step), stage, wall.Format("2006-01-02 15:04:05"), t.Zone, t.At, string(t.Reading), reason, tx.Request.Actor.String(), tx.Request.ID, change).Scan(&key)
	if res.Error != nil {
		return nil, fmt.Errorf("rollout: schedule: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, fault.State(string(now.State), "This step of rollout %s is scheduled already. Cancel that first. Nothing was changed.", o.ID).Because(WhyScheduled)
	}
	made := ScheduledResult{RolloutID: o.ID, Scheduled: key, Step: string(t.Step), Stage: stage, ProposedTime: t}
	return made, audit.Record(ctx, tx.DB, audit.Row{Actor: tx.Request.Actor, Action: KindSchedule, Object: object(o.ID), Reason: reason, After: made,
		OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID})
}

// scheduleObject is what a proposal to schedule a step is about.
func scheduleObject(id string, step StepName, stage int) string {
	return object(id) + "/" + string(step) + ":" + strconv.Itoa(stage)
}

// proposeAt lets the scheduling of a step wait for a second person, until its time and no longer: then nobody can agree to it any more,
// and the step can be proposed anew.
func (s *Service) proposeAt(ctx context.Context, tx *operation.Tx, r ScheduleRequest, o Rollout, stage int, t ProposedTime) (any, error) {
	about := scheduleObject(o.ID, r.Step, stage)
	if r.Replaces != nil {
		if err := s.requests.Replace(ctx, tx, *r.Replaces, about, r.Reason); err != nil {
			return nil, err
		}
	}
	if err := s.alone(ctx, tx, o, about); err != nil {
		return nil, err
	}
	required, err := s.requests.Propose(ctx, tx, approval.Proposal{Object: about, Reason: r.Reason, What: proposed(o, stage, &t), Until: &t.At})
	if err != nil {
		return nil, err
	}
	return required, operation.ErrWait
}

// putAgreed schedules what a second person agreed to.
func (s *Service) putAgreed(ctx context.Context, tx *operation.Tx, cr approval.Request) (any, error) {
	p, err := ReadProposed(cr)
	if err != nil {
		return nil, err
	}
	if p.Time == nil {
		return nil, fmt.Errorf("rollout: proposal of %s has no time", cr.ID)
	}
	wall, err := time.Parse(WallLayout, p.Time.Local)
	if err != nil {
		return nil, fmt.Errorf("rollout: proposal of %s: %w", cr.ID, err)
	}
	o, err := find(ctx, tx.DB, p.RolloutID)
	if err != nil {
		return nil, err
	}
	out, err := s.put(ctx, tx, o, p.To, *p.Time, wall, cr.Reason, &cr)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		return nil, fault.State(string(o.State), "The time of this step is past. Nothing was changed.").Because(WhyTimePast)
	}
	return out, err
}

// WaitingTimes returns the change requests about scheduled steps of a rollout that wait for a decision.
func (s *Service) WaitingTimes(ctx context.Context, o Rollout) ([]approval.Request, error) {
	var out []approval.Request
	for _, about := range scheduleObjects(o) {
		open, err := s.requests.List(ctx, approval.Filter{Undecided: true, Object: about}, nil, page.Older, 1)
		if err != nil {
			return nil, err
		}
		out = append(out, open.Rows...)
	}
	return out, nil
}

// scheduleObjects are what proposals about scheduled steps of a rollout can be about.
func scheduleObjects(o Rollout) []string {
	out := []string{scheduleObject(o.ID, StepStart, 1)}
	for _, s := range o.Stages {
		if s.Number > 1 {
			out = append(out, scheduleObject(o.ID, StepAdvance, s.Number))
		}
	}
	return append(out, scheduleObject(o.ID, StepComplete, len(o.Stages)))
}

// CancelRequest takes a scheduled step back.
type CancelRequest struct {
	ledger.Envelope
	RolloutID string
	Key       int64
	// Reason is required.
	Reason string
}

// CancelScheduled takes a scheduled step back that waits. Faults: invalid_request, rollout_not_found, state_conflict (it
// was made, refused or cancelled), and those of operation.Apply.
func (s *Service) CancelScheduled(ctx context.Context, r CancelRequest) (operation.Outcome, error) {
	req := operation.Request{Scope: ScopeOf(r.RolloutID), ID: r.OperationID, Kind: "cancel_scheduled_step", Actor: r.Actor, RequestID: r.RequestID, Reason: r.Reason,
		Object: object(r.RolloutID), Invalid: checkReason(r.Reason), Input: operation.Input{"scheduled": r.Key, "reason": r.Reason}}
	if !idPattern.MatchString(r.RolloutID) {
		return operation.Outcome{}, notFound(r.RolloutID)
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if _, err := s.FindScheduled(ctx, r.RolloutID, r.Key); err != nil {
			return nil, err
		}
		return s.end(ctx, tx, r.RolloutID, r.Key, Cancelled, EndByPerson, nil)
	})
}
