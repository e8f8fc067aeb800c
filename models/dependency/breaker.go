package dependency

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/operation"
)

// failed counts as a failure of the dependency: what another try might not meet. An error that is permanent says something
// about the job, and that the dependency answered.
const failed = `(outcome IN ('failed', 'timed_out') AND error_class IN ('transient', 'throttled', 'timed_out'))`

// judged is a dependency with what its newest results say.
type judged struct {
	Dependency                 `gorm:"embedded"`
	HeldBy                     string
	Over                       bool
	Results, Failures, Running int64
}

// Judge moves breakers: open where results fail, half-open when they were open for long enough, closed or open again by how
// the probes end. Each move happens once, whoever makes it; what cannot be moved is joined into the error, the others are
// moved all the same.
func (s *Service) Judge(ctx context.Context) error {
	var all []judged
	// Closed: the newest results since it closed. Half-open: what was handed out since.
	err := s.g.WithContext(ctx).Raw(`SELECT d.*, COALESCE(h.held_by, '') AS held_by,
			COALESCE(d.changed_at + d.open_s * interval '1 second' <= clock_timestamp(), false) AS over, r.results, r.failures, r.running
		FROM dependencies d LEFT JOIN holds h ON h.kind = 'dependency' AND h.name = d.name
		CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE ended_at IS NOT NULL) AS results, count(*) FILTER (WHERE failed) AS failures,
				count(*) FILTER (WHERE ended_at IS NULL) AS running FROM (
			SELECT ended_at, ` + failed + ` AS failed FROM attempts a WHERE a.dependency <> '' AND a.dependency = d.name
				AND a.claimed_at > COALESCE(d.changed_at, '-infinity') AND a.claimed_at > clock_timestamp() - interval '1 day'
				AND a.outcome <> 'canceled' AND (a.ended_at IS NOT NULL OR d.state = 'half_open' AND a.lease_hash IS NOT NULL)
			ORDER BY a.claimed_at DESC LIMIT CASE WHEN d.state = 'half_open' THEN 1000 ELSE d.window_results END) n) r
		WHERE d.breaker`).Scan(&all).Error
	if err != nil {
		return fmt.Errorf("dependency: judge: %w", err)
	}
	var errs []error
	for _, d := range all {
		errs = append(errs, s.judge(ctx, d))
	}
	return errors.Join(errs...)
}

func (s *Service) judge(ctx context.Context, d judged) error {
	switch d.State {
	case Closed:
		if d.Results >= d.MinimumResults && d.Failures*100 >= d.FailurePercent*d.Results {
			return s.turn(ctx, d.Dependency, "opened", Open, Figures{Results: d.Results, Failures: d.Failures, Percent: d.FailurePercent})
		}
	case Open:
		// While a person holds it, nothing could be tried.
		if d.Over && d.HeldBy == "" {
			return s.turn(ctx, d.Dependency, "probing", HalfOpen, Figures{Probes: d.Probes})
		}
	case HalfOpen:
		switch {
		case d.HeldBy != "":
		case d.Failures > 0:
			return s.turn(ctx, d.Dependency, "opened", Open, Figures{Results: d.Results, Failures: d.Failures, Probes: d.Probes})
		case d.Results >= d.Probes:
			return s.turn(ctx, d.Dependency, "closed", Closed, Figures{Results: d.Results, Probes: d.Probes, PerMinute: d.ReleasePerMinute})
		default:
			return s.refill(ctx, d.Dependency)
		}
	}
	return nil
}

// turn moves a breaker as the system. Whoever comes second finds another version and does nothing.
func (s *Service) turn(ctx context.Context, d Dependency, event string, to State, f Figures) error {
	r := Request{Envelope: system(event, d.Version), Name: d.Name}
	req := r.request(OfDependency, "breaker_"+event, operation.Input{"version": d.Version}, nil)
	req.Invalid = nil // it needs no reason but its figures
	_, err := s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		moved, err := move(ctx, tx, d, to)
		if err != nil {
			return nil, err
		}
		if !moved {
			return nil, operation.ErrNothing
		}
		return Result{Name: d.Name, State: to}, note(ctx, tx, OfDependency, d.Name, event, map[string]any{"state": d.State}, map[string]any{"state": to}, to, f)
	})
	if errors.Is(err, operation.ErrNothing) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("dependency: %s of %s: %w", event, d.Name, err)
	}
	return nil
}

// move is the one conditional update of a breaker's state, from the version that was read, and what workers get then. A
// person's hold stands above the breaker's.
func move(ctx context.Context, tx *operation.Tx, d Dependency, to State) (bool, error) {
	g := tx.DB.WithContext(ctx)
	res := g.Exec(`UPDATE dependencies SET state = ?, changed_at = clock_timestamp(), version = version + 1 WHERE name = ? AND version = ? AND state = ?`,
		string(to), d.Name, d.Version, string(d.State))
	if res.Error != nil {
		return false, fmt.Errorf("dependency: move: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return false, nil
	}
	passing := map[State]Passing{Closed: Paced, Open: Nothing, HalfOpen: Probes}[to]
	probes := int64(0)
	if to == HalfOpen {
		probes = d.Probes
	}
	p := paced(d.ReleasePerMinute)
	// A release by hand has set its own pace before; the breaker's own pace is that of the settings.
	err := g.Exec(`INSERT INTO holds (kind, name, passing, probes_left, per_minute, spacing_us, burst) VALUES ('dependency', ?, ?, ?, ?, ?, ?)
		ON CONFLICT (kind, name) DO UPDATE SET passing = CASE WHEN holds.held_by = '' THEN EXCLUDED.passing ELSE 'nothing' END,
			probes_left = EXCLUDED.probes_left, paced_at = GREATEST(holds.paced_at, clock_timestamp()), since = clock_timestamp(),
			per_minute = CASE WHEN holds.passing = 'paced' AND EXCLUDED.passing = 'paced' THEN holds.per_minute ELSE EXCLUDED.per_minute END,
			spacing_us = CASE WHEN holds.passing = 'paced' AND EXCLUDED.passing = 'paced' THEN holds.spacing_us ELSE EXCLUDED.spacing_us END,
			burst = CASE WHEN holds.passing = 'paced' AND EXCLUDED.passing = 'paced' THEN holds.burst ELSE EXCLUDED.burst END`,
		d.Name, string(passing), probes, d.ReleasePerMinute, p.spacingUS, p.burst).Error
	if err != nil {
		return false, fmt.Errorf("dependency: move: %w", err)
	}
	return true, nil
}

// refill lets further probes through where one was canceled and so said nothing. The hold is locked before they are counted: a
// claim that hands one out holds it until the attempt can be seen.
func (s *Service) refill(ctx context.Context, d Dependency) error {
	return db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		g := tx.WithContext(ctx)
		var left []int64
		err := g.Raw(`SELECT probes_left FROM holds WHERE kind = 'dependency' AND name = ? AND passing = 'probes' FOR NO KEY UPDATE`, d.Name).Scan(&left).Error
		if err != nil {
			return fmt.Errorf("dependency: refill: %w", err)
		}
		if len(left) == 0 || left[0] == d.Probes {
			return nil
		}
		err = g.Exec(`UPDATE holds h SET probes_left = GREATEST(d.probes - n.out, 0) FROM dependencies d, LATERAL (
				SELECT count(*)::int AS out FROM attempts a WHERE a.dependency <> '' AND a.dependency = d.name AND a.claimed_at > d.changed_at
					AND a.outcome <> 'canceled' AND (a.ended_at IS NOT NULL OR a.lease_hash IS NOT NULL)) n
			WHERE h.kind = 'dependency' AND h.name = ? AND d.name = h.name AND d.state = 'half_open' AND d.version = ?
				AND h.probes_left <> GREATEST(d.probes - n.out, 0)`, d.Name, d.Version).Error
		if err != nil {
			return fmt.Errorf("dependency: refill: %w", err)
		}
		return nil
	})
}
