// Package rollout moves accounts from one rule version to another in stages, and back.
//
// A rollout is a row whose state and stage move one version a step. Each step is an operation with the version
// that whoever asks has seen, decided by one conditional update, and leaves a row of its history. What a live
// rollout means for a charge is decided by package pricing. Nothing here changes or removes a decision, an
// enrolment or an entry: a rollback only disables the rule for decisions to come.
package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/approval"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/pricing"
)

// State is where a rollout stands.
type State string

// The states. Running, paused and halted rollouts are live.
const (
	Draft      State = "draft"
	Running    State = "running"
	Paused     State = "paused"
	Halted     State = "halted"
	RolledBack State = "rolled_back"
	Completed  State = "completed"
	Archived   State = "archived"
)

// States lists all states in the order screens show them.
func States() []State {
	return []State{Draft, Running, Paused, Halted, RolledBack, Completed, Archived}
}

// Live reports whether the rollout decides about charges.
func (s State) Live() bool { return s == Running || s == Paused || s == Halted }

// Rollout is the planned change of an action's price from a baseline to a candidate.
type Rollout struct {
	ID        string
	Title     string
	Action    string
	Unit      string
	Baseline  string
	Candidate string
	Salt      string
	State     State
	// Version counts the steps, from 1.
	Version int64
	// Stage is the one it stands at, 0 before the start; StageSince since when, nil before the start.
	Stage      int
	StageSince *time.Time
	// MinCharges is how many charges under the candidate the checks need, MinCostsBps the share of delivered jobs whose
	// costs have to be known, in hundredths of a percent.
	MinCharges  int
	MinCostsBps int
	// Second says which steps need a second person.
	Second Second `gorm:"embedded"`
	// CapPerDay is how many credits it may give away a day of the book time zone before it pauses; nil for any number.
	CapPerDay *int64
	CreatedBy string
	CreatedAt time.Time
	StartedAt *time.Time
	EndedAt   *time.Time
	// Stages are all stages in order.
	Stages []pricing.Stage `gorm:"-"`
	// Enrolled is how many accounts have had a decision for its candidate so far.
	Enrolled int64
}

// Full reports whether the stages reached admit every account.
func (r Rollout) Full() bool { return pricing.Full(r.Stages, r.Stage) }

// Current is the stage it stands at, nil before the start.
func (r Rollout) Current() *pricing.Stage { return r.stage(r.Stage) }

// Next is the stage that an advance leads to, nil when there is none.
func (r Rollout) Next() *pricing.Stage { return r.stage(r.Stage + 1) }

func (r Rollout) stage(n int) *pricing.Stage {
	if n < 1 || n > len(r.Stages) {
		return nil
	}
	return &r.Stages[n-1]
}

// DwellUntil is when the rollout may leave its stage; nil before the start.
func (r Rollout) DwellUntil() *time.Time {
	stage := r.Current()
	if stage == nil || r.StageSince == nil {
		return nil
	}
	until := r.StageSince.Add(time.Duration(stage.MinDwellS) * time.Second)
	return &until
}

// Service creates rollouts and moves them.
type Service struct {
	g        *gorm.DB
	ops      *operation.Store
	requests *approval.Store
	second   Second
	zone     *time.Location
	late     time.Duration
	gate     Gate
	checks   checker
}

// DefaultSecond is which steps of a new rollout need a second person where it does not say.
func (s *Service) DefaultSecond() Second { return s.second }

// Gate runs the checks of a rollout within a transaction. It returns what came out; an error says that the checks
// could not be made.
type Gate func(ctx context.Context, g *gorm.DB, r Rollout) (Checks, error)

// Options are what a Service needs beside the store.
type Options struct {
	// Costs tells what is known of a rollout's costs. While it is nil, check 3 has no data and does not pass.
	Costs CostsFunc
	// Requests is where steps wait for a second person; nil for one with the default expiry.
	Requests *approval.Store
	// Second is which steps need a second person where a new rollout does not say.
	Second Second
	// Zone is the book time zone, whose days caps are for; nil for UTC.
	Zone *time.Location
	// Late is how long after its time a scheduled step is still made; 0 for DefaultLate.
	Late time.Duration
	// Gate replaces the checks that advance and resume ask; nil for the real ones.
	Gate Gate
}

// DefaultLate is how long after its time a scheduled step is still made where an installation does not say.
const DefaultLate = time.Hour

// New makes a Service.
func New(ops *operation.Store, o Options) *Service {
	s := &Service{g: ops.DB(), ops: ops, requests: o.Requests, second: o.Second, zone: o.Zone, late: o.Late, gate: o.Gate, checks: checker{costs: o.Costs, rows: againRows, round: roundRows}}
	if s.late == 0 {
		s.late = DefaultLate
	}
	if s.zone == nil {
		s.zone = time.UTC
	}
	if s.requests == nil {
		s.requests = approval.NewStore(s.g, 0)
	}
	if s.gate == nil {
		s.gate = s.checks.run
	}
	return s
}

// ScopeOf is the scope of the steps of one rollout.
func ScopeOf(id string) operation.Scope { return operation.Named("rollout:" + id) }

func object(id string) string { return "rollout:" + id }

const selectRollouts = `SELECT o.id, o.title, o.action, a.unit, o.baseline, o.candidate, o.salt, o.state, o.version, o.stage, o.stage_since,
	o.min_charges, o.min_costs_bps, o.approve_start, o.approve_above, o.approve_complete, o.cap_per_day, o.created_by, o.created_at, o.started_at, o.ended_at,
	(SELECT count(*) FROM enrolments n WHERE n.rollout_id = o.id) AS enrolled
	FROM rollouts o JOIN actions a ON a.id = o.action `

// Find returns one rollout, or fault rollout_not_found.
func (s *Service) Find(ctx context.Context, id string) (Rollout, error) { return find(ctx, s.g, id) }

func find(ctx context.Context, g *gorm.DB, id string) (Rollout, error) {
	rows, err := list(ctx, g, `WHERE o.id = ?`, id)
	if err != nil {
		return Rollout{}, err
	}
	if len(rows) == 0 {
		return Rollout{}, notFound(id)
	}
	return rows[0], nil
}

func notFound(id string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeRolloutNotFound, "There is no rollout %q. Nothing was done.", id)
}

// List returns the newest rollouts, the live ones first, at most limit.
func (s *Service) List(ctx context.Context, limit int) ([]Rollout, error) {
	return list(ctx, s.g, `ORDER BY (o.state IN ('running', 'paused', 'halted')) DESC, o.created_at DESC, o.id LIMIT ?`, limit)
}

// Position is a rollout's place among all of them: the live ones first, then the newest.
type Position struct {
	Live bool      `json:"l"`
	At   time.Time `json:"t"`
	ID   string    `json:"i"`
}

// Page returns rollouts from a position on, nil for the first page: the live ones first, then the newest.
func (s *Service) Page(ctx context.Context, from *Position, dir page.Direction, limit int) (page.Page[Rollout, Position], error) {
	const live = `(o.state IN ('running', 'paused', 'halted'))`
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	var where string
	var args []any
	if from != nil {
		where, args = `WHERE (`+live+`, o.created_at, o.id) `+compare+` (?, ?, ?)`, []any{from.Live, from.At, from.ID}
	}
	rows, err := list(ctx, s.g, where+` ORDER BY `+live+` `+order+`, o.created_at `+order+`, o.id `+order+` LIMIT ?`, append(args, limit+1)...)
	if err != nil {
		return page.Page[Rollout, Position]{}, err
	}
	return page.Cut(rows, limit, from, dir, func(r Rollout) Position { return Position{Live: r.State.Live(), At: r.CreatedAt, ID: r.ID} }), nil
}

// CountHalted counts the rollouts that are halted: at most one an action.
func (s *Service) CountHalted(ctx context.Context) (int64, error) {
	n, err := db.Counts(ctx, s.g, HaltedOnes())
	if err != nil {
		return 0, fmt.Errorf("rollout: halted: %w", err)
	}
	return n[0], nil
}

// HaltedOnes is what CountHalted counts, for whoever counts other things as well.
func HaltedOnes() db.Count {
	// The condition is that of the index of live rollouts, and more.
	return db.Count{SQL: `SELECT count(*) FROM rollouts WHERE state IN ('running', 'paused', 'halted') AND state = 'halted'`}
}

// Live returns the rollouts that are live.
func (s *Service) Live(ctx context.Context) ([]Rollout, error) {
	return list(ctx, s.g, `WHERE o.state IN ('running', 'paused', 'halted') ORDER BY o.id`)
}

func list(ctx context.Context, g *gorm.DB, rest string, args ...any) ([]Rollout, error) {
	var rows []Rollout
	if err := g.WithContext(ctx).Raw(selectRollouts+rest, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("rollout: read: %w", err)
	}
	of := make(map[string]*Rollout, len(rows))
	ids := make([]string, len(rows))
	for i := range rows {
		of[rows[i].ID], ids[i] = &rows[i], rows[i].ID
	}
	if len(ids) == 0 {
		return rows, nil
	}
	var stages []struct {
		RolloutID string
		Stage     int
		Threshold int
		Segment   string
		MinDwellS int64
	}
	err := g.WithContext(ctx).Raw(`SELECT rollout_id, stage, threshold, segment::text AS segment, min_dwell_s FROM rollout_stages
		WHERE rollout_id IN ? ORDER BY rollout_id, stage`, ids).Scan(&stages).Error
	if err != nil {
		return nil, fmt.Errorf("rollout: stages: %w", err)
	}
	for _, x := range stages {
		stage := pricing.Stage{Number: x.Stage, Threshold: x.Threshold, MinDwellS: x.MinDwellS}
		if err := json.Unmarshal([]byte(x.Segment), &stage.Segment); err != nil {
			return nil, fmt.Errorf("rollout: segment: %w", err)
		}
		of[x.RolloutID].Stages = append(of[x.RolloutID].Stages, stage)
	}
	return rows, nil
}

// Event is one step in a rollout's history.
type Event struct {
	Version     int64
	Kind        string
	StateBefore State
	StateAfter  State
	StageBefore int
	StageAfter  int
	// Enrolled is how many accounts were enrolled at the step.
	Enrolled int64
	// Checks is what the checks said, as JSON; nil where they were not asked.
	Checks *string
	Actor  string
	Reason string
	// Code is what there is to say beside the reason, with Detail, a JSON object, holding its figures; empty and nil for
	// nothing.
	Code   string
	Detail *string
	// Scope and OperationID name the operation.
	Scope       string
	OperationID string
	At          time.Time
}

// History returns the steps of a rollout, newest first.
func (s *Service) History(ctx context.Context, id string) ([]Event, error) {
	var rows []Event
	err := s.g.WithContext(ctx).Raw(`SELECT version, kind, state_before, state_after, stage_before, stage_after, enrolled, checks::text AS checks,
		actor, reason, COALESCE(code, '') AS code, detail::text AS detail,
		COALESCE(scope, CASE WHEN kind = 'created' THEN 'rollouts' ELSE 'rollout:' || rollout_id END) AS scope, operation_id, at FROM rollout_events WHERE rollout_id = ? ORDER BY version DESC`, id).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("rollout: history: %w", err)
	}
	return rows, nil
}
