package dependency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/where"
)

// Dependency is what jobs can depend on, with its breaker.
type Dependency struct {
	Name  string
	State State
	// ChangedAt is since when it has been in State; nil while it has never left Closed.
	ChangedAt *time.Time
	Settings  `gorm:"embedded"`
	// Version counts changes of state, Revision those of the settings.
	Version, Revision int64
	CreatedAt         time.Time
}

// Health is a dependency's condition in one word.
type Health string

// The conditions, worst first. Held is by a person, whatever the breaker says; Releasing means that work which was held is
// being handed out at a bounded rate.
const (
	Held      Health = "held"
	Opened    Health = "open"
	Probing   Health = "half_open"
	Releasing Health = "releasing"
	Healthy   Health = "closed"
)

// Healths lists the conditions, worst first.
func Healths() []Health { return []Health{Held, Opened, Probing, Releasing, Healthy} }

// HeldCap is the largest number of held jobs that is counted.
const HeldCap = 100_000

// Status is a dependency as it is now.
type Status struct {
	Dependency
	// Hold is nil where its work is handed out freely.
	Hold *Hold
	// Waiting is how many of its jobs are queued, HeldCap+1 for more than HeldCap. They are held where Hold is not nil.
	Waiting int64
	// Results is how many of its newest results since its last change were looked at, Failures how many of them failed.
	Results, Failures int64
}

// Health is the status in one word.
func (s Status) Health() Health {
	switch {
	case s.Hold != nil && s.Hold.HeldBy != "":
		return Held
	case s.State == Open:
		return Opened
	case s.State == HalfOpen:
		return Probing
	case s.Hold != nil:
		return Releasing
	}
	return Healthy
}

// healthOf is Health in SQL, for dependency d and its hold h.
const healthOf = `CASE WHEN h.held_by <> '' THEN 'held' WHEN d.state <> 'closed' THEN d.state WHEN h.name IS NOT NULL THEN 'releasing' ELSE 'closed' END`

// rankOf sorts what is not healthy first.
const rankOf = `array_position('{held,open,half_open,releasing,closed}'::text[], ` + healthOf + `)`

// Filter chooses dependencies. Zero members choose all.
type Filter struct {
	Health Health `json:"health,omitempty"`
	// Prefix is how the name begins.
	Prefix string `json:"prefix,omitempty"`
	// Unhealthy leaves the healthy ones out.
	Unhealthy bool `json:"unhealthy,omitempty"`
}

// Position is a dependency's place in the list.
type Position struct {
	Rank int    `json:"r"`
	Name string `json:"n"`
}

// statusRow is a Status as it is read.
type statusRow struct {
	Dependency `gorm:"embedded"`
	Rank       int
	Passing    *Passing
	HeldBy     string
	HeldAt     *time.Time
	HoldReason string
	ProbesLeft int64
	PerMinute  int64
	Since      time.Time
	Waiting    int64
	Results    int64
	Failures   int64
}

func (r statusRow) status() Status {
	s := Status{Dependency: r.Dependency, Waiting: r.Waiting, Results: r.Results, Failures: r.Failures}
	if r.Passing != nil {
		s.Hold = &Hold{Kind: OfDependency, Name: r.Name, Passing: *r.Passing, HeldBy: r.HeldBy, HeldAt: r.HeldAt, Reason: r.HoldReason,
			ProbesLeft: r.ProbesLeft, PerMinute: r.PerMinute, Since: r.Since}
	}
	return s
}

// selectStatus reads the statuses of the dependencies that the inner statement names, as p (name, rank).
func selectStatus(inner string) string {
	return fmt.Sprintf(`SELECT d.*, p.rank, h.passing, COALESCE(h.held_by, '') AS held_by, h.held_at, COALESCE(h.reason, '') AS hold_reason,
			COALESCE(h.probes_left, 0) AS probes_left, COALESCE(h.per_minute, 0) AS per_minute, COALESCE(h.since, d.created_at) AS since,
			w.waiting, r.results, r.failures
		FROM (%s) p JOIN dependencies d ON d.name = p.name LEFT JOIN holds h ON h.kind = 'dependency' AND h.name = d.name
		CROSS JOIN LATERAL (SELECT count(*) AS waiting FROM (SELECT 1 FROM waiting_line
			WHERE phase = 'queued' AND dependency <> '' AND dependency = d.name LIMIT %d) x) w
		CROSS JOIN LATERAL (SELECT count(*) AS results, count(*) FILTER (WHERE failed) AS failures FROM (
			SELECT `+failed+` AS failed FROM attempts a WHERE a.dependency <> '' AND a.dependency = d.name
				AND a.claimed_at > COALESCE(d.changed_at, '-infinity') AND a.claimed_at > clock_timestamp() - interval '1 day'
				AND a.outcome <> 'canceled' AND a.ended_at IS NOT NULL
			ORDER BY a.claimed_at DESC LIMIT d.window_results) n) r`, inner, HeldCap+1)
}

// List returns a page of dependencies: what is not healthy first, then by name.
func (s *Service) List(ctx context.Context, f Filter, from *Position, dir page.Direction, limit int) (page.Page[Status, Position], error) {
	var w where.Clause
	if f.Health != "" {
		w.And(healthOf+" = ?", string(f.Health))
	}
	if f.Unhealthy {
		w.And(healthOf + " <> 'closed'")
	}
	if f.Prefix != "" {
		w.And("starts_with(d.name, ?)", f.Prefix)
	}
	order := "ASC"
	if from != nil {
		sign := ">"
		if dir == page.Newer {
			sign, order = "<", "DESC"
		}
		w.And("("+rankOf+", d.name) "+sign+" (?, ?)", from.Rank, from.Name)
	}
	inner := `SELECT d.name, ` + rankOf + ` AS rank FROM dependencies d LEFT JOIN holds h ON h.kind = 'dependency' AND h.name = d.name ` +
		w.SQL() + ` ORDER BY rank ` + order + `, d.name ` + order + where.Limit(limit+1)
	var rows []statusRow
	err := s.g.WithContext(ctx).Raw(selectStatus(inner)+` ORDER BY p.rank `+order+`, p.name `+order, w.Args()...).Scan(&rows).Error
	if err != nil {
		return page.Page[Status, Position]{}, fmt.Errorf("dependency: list: %w", err)
	}
	all := make([]Status, len(rows))
	for i, r := range rows {
		all[i] = r.status()
	}
	return page.Cut(all, limit, from, dir, func(s Status) Position {
		return Position{Rank: rank(s.Health()), Name: s.Name}
	}), nil
}

func rank(h Health) int {
	for i, x := range Healths() {
		if x == h {
			return i + 1
		}
	}
	return 0
}

// Find returns one dependency as it is now. Fault: dependency_not_found.
func (s *Service) Find(ctx context.Context, name string) (Status, error) {
	var rows []statusRow
	err := s.g.WithContext(ctx).Raw(selectStatus(`SELECT ?::text COLLATE "C" AS name, 0 AS rank`), name).Scan(&rows).Error
	if err != nil {
		return Status{}, fmt.Errorf("dependency: find: %w", err)
	}
	if len(rows) == 0 {
		return Status{}, notFound(name)
	}
	return rows[0].status(), nil
}

// Unhealthy returns the dependencies that are not healthy, worst first, at most limit.
func (s *Service) Unhealthy(ctx context.Context, limit int) ([]Status, error) {
	p, err := s.List(ctx, Filter{Unhealthy: true}, nil, page.Older, limit)
	return p.Rows, err
}

func notFound(name string) *fault.Error {
	return fault.New(fault.NotFound, CodeNotFound, "No job has named a dependency %q, and nobody has held one. Nothing was done.", name)
}

// lock returns a dependency and keeps others from changing it. Fault: dependency_not_found.
func lock(ctx context.Context, tx *operation.Tx, name string) (Dependency, error) {
	var d Dependency
	res := tx.DB.WithContext(ctx).Raw(`SELECT * FROM dependencies WHERE name = ? FOR NO KEY UPDATE`, name).Scan(&d)
	if res.Error != nil {
		return d, fmt.Errorf("dependency: lock: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return d, notFound(name)
	}
	return d, nil
}

// ActionHold is a held action with what waits behind it.
type ActionHold struct {
	Hold
	// Waiting is how many of its jobs are queued, HeldCap+1 for more than HeldCap.
	Waiting int64
}

// Actions returns the holds on actions, oldest first.
func (s *Service) Actions(ctx context.Context) ([]ActionHold, error) {
	var rows []ActionHold
	err := s.g.WithContext(ctx).Raw(`SELECT h.*, w.waiting FROM holds h CROSS JOIN LATERAL (SELECT count(*) AS waiting FROM (SELECT 1 FROM waiting_line
			WHERE phase = 'queued' AND action = h.name LIMIT ?) x) w
		WHERE h.kind = 'action' ORDER BY h.since, h.name`, HeldCap+1).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("dependency: actions: %w", err)
	}
	return rows, nil
}

// ActionHoldOf returns the hold on an action, or nil.
func (s *Service) ActionHoldOf(ctx context.Context, action string) (*Hold, error) {
	return holdOf(ctx, s.g, OfAction, action)
}

// holdOf returns a hold, or nil.
func holdOf(ctx context.Context, g *gorm.DB, kind Kind, name string) (*Hold, error) {
	var h Hold
	res := g.WithContext(ctx).Raw(`SELECT * FROM holds WHERE kind = ? AND name = ?`, string(kind), name).Scan(&h)
	if res.Error != nil {
		return nil, fmt.Errorf("dependency: hold: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, nil
	}
	return &h, nil
}

// Default is what jobs of an action depend on where their charge names nothing.
type Default struct {
	Action string
	// Dependency is empty for nothing.
	Dependency string
}

// Defaults returns all actions, by name.
func (s *Service) Defaults(ctx context.Context) ([]Default, error) {
	var rows []Default
	if err := s.g.WithContext(ctx).Raw(`SELECT id AS action, dependency FROM actions ORDER BY id`).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("dependency: defaults: %w", err)
	}
	return rows, nil
}

// Names returns the names of all known dependencies in order, at most limit.
func (s *Service) Names(ctx context.Context, limit int) ([]string, error) {
	var names []string
	if err := s.g.WithContext(ctx).Raw(`SELECT name FROM dependencies ORDER BY name` + where.Limit(limit)).Scan(&names).Error; err != nil {
		return nil, fmt.Errorf("dependency: names: %w", err)
	}
	return names, nil
}

func isNothing(err error) bool { return errors.Is(err, operation.ErrNothing) }
