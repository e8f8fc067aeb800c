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

// SetDefault makes jobs of an action that are charged from now on depend on r.Name where their charge names nothing; off ends
// that. seen is the default of the action that the person saw, empty for none; nil for whichever it is. Jobs that have been
// charged keep what they depend on. Faults: invalid_request, action_not_found, state_conflict (it is so already, or somebody
// changed it meanwhile), and those of operation.Apply.
func (s *Service) SetDefault(ctx context.Context, r Request, action string, on bool, seen *string) (operation.Outcome, error) {
	name := ""
	if on {
		name = r.Name
	}
	input := operation.Input{"action": action, "on": on}
	if seen != nil {
		input["seen_default"] = *seen
	}
	return s.ops.Apply(ctx, r.request(OfDependency, "set_default_dependency", input, nil), func(ctx context.Context, tx *operation.Tx) (any, error) {
		if err := actionExists(ctx, tx, action); err != nil {
			return nil, err
		}
		d, err := lock(ctx, tx, r.Name)
		if err != nil {
			return nil, err
		}
		var row struct{ Before string }
		res := tx.DB.WithContext(ctx).Raw(`UPDATE actions a SET dependency = ? FROM (SELECT id, dependency FROM actions WHERE id = ? FOR NO KEY UPDATE) was
			WHERE a.id = was.id AND a.dependency <> ? AND (? OR a.dependency = ?) AND a.dependency = COALESCE(?, a.dependency) RETURNING was.dependency AS before`,
			name, action, name, on, r.Name, seen).Scan(&row)
		if res.Error != nil {
			return nil, fmt.Errorf("dependency: default: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil, defaultRefused(ctx, tx, action, seen)
		}
		figures := Figures{Action: action, DefaultBefore: row.Before, DefaultAfter: &name}
		if on && row.Before != "" { // the one that it depended on until now has it in its history, too
			if err := leave(ctx, tx, row.Before, figures); err != nil {
				return nil, err
			}
		}
		return Result{Name: r.Name, State: d.State}, note(ctx, tx, OfDependency, r.Name, "changed", map[string]any{"action": action, "dependency": row.Before},
			map[string]any{"action": action, "dependency": name}, d.State, figures)
	})
}

// leave writes into the history of a dependency that it is the default of an action no more.
func leave(ctx context.Context, tx *operation.Tx, name string, f Figures) error {
	var states []State
	if err := tx.DB.WithContext(ctx).Raw(`SELECT state FROM dependencies WHERE name = ?`, name).Scan(&states).Error; err != nil {
		return fmt.Errorf("dependency: default: %w", err)
	}
	for _, state := range states {
		if err := remember(tx, OfDependency, name, "changed", state, f); err != nil {
			return err
		}
	}
	return nil
}

// defaultRefused says why an action's default was not changed, and who made it what it is.
func defaultRefused(ctx context.Context, tx *operation.Tx, action string, seen *string) error {
	var is string
	if err := tx.DB.WithContext(ctx).Raw(`SELECT dependency FROM actions WHERE id = ?`, action).Scan(&is).Error; err != nil {
		return fmt.Errorf("dependency: default: %w", err)
	}
	f := fault.State("default_unchanged", "Action %s is so already. Nothing was changed.", action)
	if seen != nil && *seen != is {
		f = fault.State("default_changed", "Somebody has changed the default of action %s meanwhile. Nothing was changed.", action)
	}
	return newest(ctx, tx, f, defaults+` AND data->>'action' = ?`, action)
}
