package dependency

import (
	"context"
	"fmt"

	"recoup/models/fault"
	"recoup/models/operation"
)

// Hold keeps the queued work of a dependency from workers until somebody releases it. What runs goes on. A dependency that
// is not known yet comes to be known. Faults: invalid_request (for r.OnlyNamed also where nothing depends on it), state_conflict
// (a person holds it already), and those of operation.Apply.
func (s *Service) Hold(ctx context.Context, r Request) (operation.Outcome, error) {
	req := r.request(OfDependency, "hold_dependency", operation.Input{}, nil)
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if err := mustBeNamed(ctx, tx, r); err != nil {
			return nil, err
		}
		if err := tx.DB.WithContext(ctx).Exec(`INSERT INTO dependencies (name) VALUES (?) ON CONFLICT (name) DO NOTHING`, r.Name).Error; err != nil {
			return nil, fmt.Errorf("dependency: hold: %w", err)
		}
		d, err := lock(ctx, tx, r.Name)
		if err != nil {
			return nil, err
		}
		if err := holdByHand(ctx, tx, OfDependency, r, d.ReleasePerMinute); err != nil {
			return nil, err
		}
		return Result{Name: r.Name, State: d.State, Passing: Nothing},
			note(ctx, tx, OfDependency, r.Name, "held", map[string]any{"held": false}, map[string]any{"held": true}, d.State, Figures{})
	})
}

// HoldAction keeps the queued work of an action from workers until somebody releases it. Faults: invalid_request,
// action_not_found, state_conflict (it is held already), and those of operation.Apply.
func (s *Service) HoldAction(ctx context.Context, r Request) (operation.Outcome, error) {
	req := r.request(OfAction, "hold_action", operation.Input{}, nil)
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if err := actionExists(ctx, tx, r.Name); err != nil {
			return nil, err
		}
		if err := holdByHand(ctx, tx, OfAction, r, defaultPerMinute); err != nil {
			return nil, err
		}
		return Result{Name: r.Name, Passing: Nothing},
			note(ctx, tx, OfAction, r.Name, "held", map[string]any{"held": false}, map[string]any{"held": true}, "", Figures{})
	})
}

// defaultPerMinute is the rate at which an action is released unless a person says otherwise.
const defaultPerMinute = 600

// holdByHand is the one conditional statement that makes a hold by a person.
func holdByHand(ctx context.Context, tx *operation.Tx, kind Kind, r Request, perMinute int64) error {
	p := paced(perMinute)
	res := tx.DB.WithContext(ctx).Exec(`INSERT INTO holds (kind, name, passing, held_by, held_at, reason, per_minute, spacing_us, burst)
		VALUES (?, ?, 'nothing', ?, clock_timestamp(), ?, ?, ?, ?)
		ON CONFLICT (kind, name) DO UPDATE SET passing = 'nothing', held_by = EXCLUDED.held_by, held_at = EXCLUDED.held_at,
			reason = EXCLUDED.reason, since = CASE WHEN holds.passing = 'nothing' THEN holds.since ELSE clock_timestamp() END
		WHERE holds.held_by = ''`, string(kind), r.Name, r.Actor.String(), r.Reason, perMinute, p.spacingUS, p.burst)
	if res.Error != nil {
		return fmt.Errorf("dependency: hold: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return held(ctx, tx, kind, r.Name)
	}
	return nil
}

// held refuses and tells who holds it since when.
func held(ctx context.Context, tx *operation.Tx, kind Kind, name string) error {
	h, err := holdOf(ctx, tx.DB, kind, name)
	if err != nil {
		return err
	}
	f := fault.State("held", "%s is held already. Nothing was changed.", name)
	if h != nil && h.HeldAt != nil {
		f = f.With("by", h.HeldBy).With("at", h.HeldAt.UTC())
	}
	return f
}

// Release lets the work of a dependency through again, no more than perMinute jobs a minute until what waited is gone. A
// breaker that was open begins anew, closed: results from now on decide whether it opens again. While work is being
// released, a further release sets another rate. Faults: invalid_request, dependency_not_found, state_conflict (nothing of it
// is held, it is being released at this rate already, or somebody held or released it since r.Seen), and those of operation.Apply.
func (s *Service) Release(ctx context.Context, r Request, perMinute int64) (operation.Outcome, error) {
	req := r.request(OfDependency, "release_dependency", operation.Input{"per_minute": perMinute}, checkRate(perMinute))
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		d, err := lock(ctx, tx, r.Name)
		if err != nil {
			return nil, err
		}
		if err := unmoved(ctx, tx, OfDependency, r); err != nil {
			return nil, err
		}
		if err := release(ctx, tx, OfDependency, r, perMinute); err != nil {
			return nil, err
		}
		if d.State != Closed {
			if _, err := move(ctx, tx, d, Closed); err != nil {
				return nil, err
			}
		}
		return Result{Name: r.Name, State: Closed, Passing: Paced, PerMinute: perMinute},
			note(ctx, tx, OfDependency, r.Name, "released", map[string]any{"state": d.State}, map[string]any{"state": Closed, "per_minute": perMinute},
				Closed, Figures{PerMinute: perMinute})
	})
}

// ReleaseAction lets the work of an action through again as Release does. Faults: invalid_request, state_conflict, and those
// of operation.Apply.
func (s *Service) ReleaseAction(ctx context.Context, r Request, perMinute int64) (operation.Outcome, error) {
	req := r.request(OfAction, "release_action", operation.Input{"per_minute": perMinute}, checkRate(perMinute))
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if err := unmoved(ctx, tx, OfAction, r); err != nil {
			return nil, err
		}
		if err := release(ctx, tx, OfAction, r, perMinute); err != nil {
			return nil, err
		}
		return Result{Name: r.Name, Passing: Paced, PerMinute: perMinute},
			note(ctx, tx, OfAction, r.Name, "released", map[string]any{"held": true}, map[string]any{"held": false, "per_minute": perMinute},
				"", Figures{PerMinute: perMinute})
	})
}

func checkRate(perMinute int64) []fault.Field {
	if perMinute < 1 || perMinute > MaxPerMinute {
		return []fault.Field{{Name: "per_minute", Message: fmt.Sprintf("must be 1 to %d", MaxPerMinute)}}
	}
	return nil
}

// release is the one conditional update that ends a hold. paced_at begins anew where nothing has passed: time that went by
// while it was held saves nothing up.
func release(ctx context.Context, tx *operation.Tx, kind Kind, r Request, perMinute int64) error {
	p := paced(perMinute)
	res := tx.DB.WithContext(ctx).Exec(`UPDATE holds SET passing = 'paced', held_by = '', held_at = NULL, reason = '', probes_left = 0,
			per_minute = ?, spacing_us = ?, burst = ?, paced_at = GREATEST(paced_at, clock_timestamp()), since = clock_timestamp()
		WHERE kind = ? AND name = ? AND (passing <> 'paced' OR per_minute <> ?)`, perMinute, p.spacingUS, p.burst, string(kind), r.Name, perMinute)
	if res.Error != nil {
		return fmt.Errorf("dependency: release: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return told(ctx, tx, kind, r.Name, byHand,
			fault.State("not_held", "Nothing of %s is held, or it is being released at this rate already. Nothing was changed.", r.Name))
	}
	return nil
}

func actionExists(ctx context.Context, tx *operation.Tx, id string) error {
	var found bool
	if err := tx.DB.WithContext(ctx).Raw(`SELECT EXISTS (SELECT 1 FROM actions WHERE id = ?)`, id).Scan(&found).Error; err != nil {
		return fmt.Errorf("dependency: action: %w", err)
	}
	if !found {
		return fault.New(fault.NotFound, fault.CodeActionNotFound, "There is no action %q. Nothing was done.", id)
	}
	return nil
}
