package dependency

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/ledger"
	"recoup/models/operation"
)

const (
	// markBatch is how many rows of the line are marked by one statement.
	markBatch = 5000
	// mostKnown is how many dependencies come to be known by themselves: names are the callers', and one that puts an id into
	// them must not fill a page and a judge's round.
	mostKnown = 500
)

// Discover makes dependencies known that jobs name and nobody has settings for yet, up to a bound. It returns how many.
func (s *Service) Discover(ctx context.Context) (int64, error) {
	// A step from name to name through the index, however many attempts there are.
	res := s.g.WithContext(ctx).Exec(`WITH RECURSIVE n (name) AS (
			(SELECT dependency FROM attempts WHERE dependency <> '' ORDER BY dependency LIMIT 1)
			UNION ALL
			SELECT (SELECT a.dependency FROM attempts a WHERE a.dependency <> '' AND a.dependency > n.name ORDER BY a.dependency LIMIT 1) FROM n WHERE n.name IS NOT NULL),
		w (name) AS (
			(SELECT dependency FROM waiting_line WHERE phase = 'queued' AND dependency <> '' ORDER BY dependency LIMIT 1)
			UNION ALL
			SELECT (SELECT l.dependency FROM waiting_line l WHERE l.phase = 'queued' AND l.dependency <> '' AND l.dependency > w.name ORDER BY l.dependency LIMIT 1)
				FROM w WHERE w.name IS NOT NULL),
		found AS ((SELECT name FROM w LIMIT ?) UNION (SELECT name FROM n LIMIT ?))
		INSERT INTO dependencies (name) SELECT name FROM found WHERE name IS NOT NULL AND name NOT IN (SELECT name FROM dependencies)
		ORDER BY name LIMIT GREATEST(? - (SELECT count(*) FROM dependencies), 0)
		ON CONFLICT (name) DO NOTHING`, 2*mostKnown, 2*mostKnown, mostKnown)
	if res.Error != nil {
		return 0, fmt.Errorf("dependency: discover: %w", res.Error)
	}
	return res.RowsAffected, nil
}

// Mark marks queued work of held dependencies in the line, so that claims need not step over it. A hold keeps its work from
// workers without that, too: what is not marked yet costs time, never an attempt.
func (s *Service) Mark(ctx context.Context) error {
	for {
		marked := int64(0)
		err := db.InTx(ctx, s.g, func(tx *gorm.DB) error {
			g := tx.WithContext(ctx)
			// The lock keeps a hold from going away behind the marks; see drain.
			var names []string
			if err := g.Raw(`SELECT name FROM holds WHERE kind = 'dependency' ORDER BY name FOR KEY SHARE`).Scan(&names).Error; err != nil {
				return fmt.Errorf("dependency: mark: %w", err)
			}
			if len(names) == 0 {
				return nil
			}
			// What a claim has locked is on its way to a worker, or comes back to be marked the next time.
			res := g.Exec(`UPDATE waiting_line w SET held = true FROM (
					SELECT l.account_key, l.job_key FROM holds h CROSS JOIN LATERAL (
						SELECT account_key, job_key FROM waiting_line WHERE phase = 'queued' AND dependency <> '' AND dependency = h.name AND NOT held
						ORDER BY action, due_at, account_key, job_key LIMIT ? FOR NO KEY UPDATE SKIP LOCKED) l
					WHERE h.kind = 'dependency' LIMIT ?) x
				WHERE w.account_key = x.account_key AND w.job_key = x.job_key`, markBatch, markBatch)
			if res.Error != nil {
				return fmt.Errorf("dependency: mark: %w", res.Error)
			}
			marked = res.RowsAffected
			return nil
		})
		if err != nil || marked < markBatch {
			return err
		}
	}
}

// Drain takes away the holds behind which nothing waits any more after a release, so that new work is handed out at once.
func (s *Service) Drain(ctx context.Context) error {
	var done []Hold
	err := s.g.WithContext(ctx).Raw(`SELECT kind, name, since, per_minute FROM holds h WHERE passing = 'paced' AND NOT ` + waits + ` ORDER BY kind, name`).Scan(&done).Error
	if err != nil {
		return fmt.Errorf("dependency: drain: %w", err)
	}
	for _, h := range done {
		if err := s.drain(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// waits tells whether work that could be handed out stands behind hold h.
const waits = `CASE kind WHEN 'dependency' THEN EXISTS (SELECT 1 FROM waiting_line WHERE phase = 'queued' AND dependency <> '' AND dependency = h.name
		AND expires_at > clock_timestamp())
	ELSE EXISTS (SELECT 1 FROM waiting_line WHERE phase = 'queued' AND NOT held AND action = h.name
		AND expires_at > clock_timestamp()) END`

func (s *Service) drain(ctx context.Context, h Hold) error {
	r := Request{Envelope: ledger.Envelope{OperationID: fmt.Sprintf("drained:%d", h.Since.UnixMicro()), Actor: system("", 0).Actor}, Name: h.Name}
	req := r.request(h.Kind, "hold_drained", operation.Input{"since": h.Since.UnixMicro()}, nil)
	req.Invalid = nil
	_, err := s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		g := tx.DB.WithContext(ctx)
		res := g.Exec(`DELETE FROM holds WHERE kind = ? AND name = ? AND passing = 'paced' AND since = ?`, string(h.Kind), h.Name, h.Since)
		if res.Error != nil {
			return nil, fmt.Errorf("dependency: drain: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil, operation.ErrNothing
		}
		// Marks that came to be since it was looked at go with the hold: without it nobody would hand such work out.
		if h.Kind == OfDependency {
			err := g.Exec(`UPDATE waiting_line SET held = false WHERE phase = 'queued' AND dependency <> '' AND dependency = ? AND held`, h.Name).Error
			if err != nil {
				return nil, fmt.Errorf("dependency: drain: %w", err)
			}
		}
		state := State("")
		if h.Kind == OfDependency {
			state = Closed
		}
		return Result{Name: h.Name, State: state}, note(ctx, tx, h.Kind, h.Name, "drained", map[string]any{"held": true}, map[string]any{"held": false}, state, Figures{PerMinute: h.PerMinute})
	})
	if err != nil && !isNothing(err) {
		return fmt.Errorf("dependency: drain %s: %w", h.Name, err)
	}
	return nil
}
