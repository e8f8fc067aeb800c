package dependency

import (
	"context"
	"fmt"

	"recoup/models/fault"
	"recoup/models/operation"
)

// Change sets a dependency's settings. revision is the one that the person saw. Where the breaker is switched off while it
// is open, it closes and what waited is released; a release that is on goes on at the new rate. Faults: invalid_request,
// dependency_not_found, state_conflict (somebody changed them meanwhile), and those of operation.Apply.
func (s *Service) Change(ctx context.Context, r Request, revision int64, to Settings) (operation.Outcome, error) {
	req := r.request(OfDependency, "change_dependency", operation.Input{"revision": revision, "breaker": to.Breaker, "failure_percent": to.FailurePercent,
		"window_results": to.WindowResults, "minimum_results": to.MinimumResults, "open_s": to.OpenS, "probes": to.Probes,
		"release_per_minute": to.ReleasePerMinute}, to.check())
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		d, err := lock(ctx, tx, r.Name)
		if err != nil {
			return nil, err
		}
		res := tx.DB.WithContext(ctx).Exec(`UPDATE dependencies SET breaker = ?, failure_percent = ?, window_results = ?, minimum_results = ?,
				open_s = ?, probes = ?, release_per_minute = ?, revision = revision + 1 WHERE name = ? AND revision = ?`,
			to.Breaker, to.FailurePercent, to.WindowResults, to.MinimumResults, to.OpenS, to.Probes, to.ReleasePerMinute, r.Name, revision)
		if res.Error != nil {
			return nil, fmt.Errorf("dependency: change: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil, told(ctx, tx, OfDependency, r.Name, settings, fault.State("settings_changed", "Somebody changed these settings meanwhile. Nothing was changed."))
		}
		p := paced(to.ReleasePerMinute)
		err = tx.DB.WithContext(ctx).Exec(`UPDATE holds SET per_minute = ?, spacing_us = ?, burst = ? WHERE kind = 'dependency' AND name = ?`,
			to.ReleasePerMinute, p.spacingUS, p.burst, r.Name).Error
		if err != nil {
			return nil, fmt.Errorf("dependency: change: %w", err)
		}
		before := d.Settings
		d.Settings = to
		state := d.State
		if !to.Breaker && state != Closed {
			if _, err := move(ctx, tx, d, Closed); err != nil {
				return nil, err
			}
			state = Closed
		}
		return Result{Name: r.Name, State: state}, note(ctx, tx, OfDependency, r.Name, "changed", before, to, state, Figures{Before: &before, After: &to})
	})
}

// SetDefault makes jobs of an action that are charged from now on depend on r.Name where their charge names nothing; an empty
// name ends that. Jobs that have been charged keep what they depend on. Faults: invalid_request, action_not_found,
// state_conflict (it is so already), and those of operation.Apply.
func (s *Service) SetDefault(ctx context.Context, r Request, action string, on bool) (operation.Outcome, error) {
	name := ""
	if on {
		name = r.Name
	}
	req := r.request(OfDependency, "set_default_dependency", operation.Input{"action": action, "on": on}, nil)
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if err := actionExists(ctx, tx, action); err != nil {
			return nil, err
		}
		d, err := lock(ctx, tx, r.Name)
		if err != nil {
			return nil, err
		}
		var row struct{ Before string }
		res := tx.DB.WithContext(ctx).Raw(`UPDATE actions a SET dependency = ? FROM (SELECT id, dependency FROM actions WHERE id = ? FOR NO KEY UPDATE) was
			WHERE a.id = was.id AND a.dependency <> ? AND (? OR a.dependency = ?) RETURNING was.dependency AS before`, name, action, name, on, r.Name).Scan(&row)
		if res.Error != nil {
			return nil, fmt.Errorf("dependency: default: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil, told(ctx, tx, OfDependency, r.Name, defaults, fault.State("default_unchanged", "Action %s is so already. Nothing was changed.", action))
		}
		return Result{Name: r.Name, State: d.State}, note(ctx, tx, OfDependency, r.Name, "changed", map[string]any{"action": action, "dependency": row.Before},
			map[string]any{"action": action, "dependency": name}, d.State, Figures{Action: action, DefaultBefore: row.Before})
	})
}
