package bulk

import (
	"context"
	"fmt"

	"recoup/models/where"
)

// Need is a dependency or an action with how many rows of a work are of it.
type Need struct {
	Name  string
	Count int64
	// Held tells that it is behind a hold: its work is not handed out freely.
	Held bool
}

// Needs is what the rows of a work need to run again.
type Needs struct {
	// Dependencies and Actions are those behind a hold first, then the ones with the most rows. A dependency "" is nothing
	// that is known.
	Dependencies, Actions []Need
	// Held is how many rows are behind a hold, on their dependency, their action or both.
	Held int64
	// External is how many rows are of jobs that their callers run.
	External int64
}

// Needs counts what a work is to do by what it needs, at most limit dependencies and as many actions. It is of now: holds
// come and go.
func (s *Store) Needs(ctx context.Context, w Work, limit int) (Needs, error) {
	var out Needs
	var rows []struct {
		Need `gorm:"embedded"`
		Kind string
	}
	most := ` ORDER BY held DESC, count DESC, name` + where.Limit(limit)
	err := s.g.WithContext(ctx).Raw(`WITH need AS MATERIALIZED (
			SELECT dependency, action, n, EXISTS (SELECT 1 FROM holds h WHERE h.kind = 'dependency' AND h.name = dependency) AS by_dependency,
				EXISTS (SELECT 1 FROM holds h WHERE h.kind = 'action' AND h.name = action) AS by_action
			FROM (SELECT d.dependency, d.action, count(*) AS n FROM bulk_items i JOIN dead_letters d
					ON d.account_key = i.account_key AND d.job_key = i.job_key AND d.generation = i.generation
				WHERE i.bulk_key = ? AND i.outcome <> 'excluded' GROUP BY 1, 2) x)
		SELECT 'held' AS kind, '' AS name, COALESCE(sum(n), 0)::bigint AS count, true AS held FROM need WHERE by_dependency OR by_action
		UNION ALL SELECT 'external', '', count(*), false FROM bulk_items i JOIN jobs j ON j.account_key = i.account_key AND j.key = i.job_key
			WHERE i.bulk_key = ? AND i.outcome <> 'excluded' AND j.mode = 'external'
		UNION ALL (SELECT 'dependency', dependency AS name, sum(n)::bigint AS count, by_dependency AS held FROM need GROUP BY dependency, by_dependency`+most+`)
		UNION ALL (SELECT 'action', action AS name, sum(n)::bigint AS count, by_action AS held FROM need GROUP BY action, by_action`+most+`)`, w.Key, w.Key).Scan(&rows).Error
	if err != nil {
		return out, fmt.Errorf("bulk: needs: %w", err)
	}
	for _, r := range rows {
		switch r.Kind {
		case "held":
			out.Held = r.Count
		case "external":
			out.External = r.Count
		case "dependency":
			out.Dependencies = append(out.Dependencies, r.Need)
		case "action":
			out.Actions = append(out.Actions, r.Need)
		}
	}
	return out, nil
}

// Behind counts what a work has put back and still waits in the line behind a hold, at most limit dependencies and as many
// actions, all of them Held. It is of now.
func (s *Store) Behind(ctx context.Context, w Work, limit int) (Needs, error) {
	var out Needs
	var rows []struct {
		Need `gorm:"embedded"`
		Kind string
	}
	most := ` ORDER BY count DESC, name` + where.Limit(limit)
	err := s.g.WithContext(ctx).Raw(`WITH waits AS MATERIALIZED (
			SELECT dependency, action, n, EXISTS (SELECT 1 FROM holds h WHERE h.kind = 'dependency' AND h.name = dependency) AS by_dependency,
				EXISTS (SELECT 1 FROM holds h WHERE h.kind = 'action' AND h.name = action) AS by_action
			FROM (SELECT l.dependency, l.action, count(*) AS n FROM bulk_items i JOIN waiting_line l ON l.account_key = i.account_key AND l.job_key = i.job_key
				WHERE i.bulk_key = ? AND i.outcome = 'done' AND l.phase = 'queued' AND l.generation = i.generation + 1 GROUP BY 1, 2) x)
		SELECT 'held' AS kind, '' AS name, COALESCE(sum(n), 0)::bigint AS count, true AS held FROM waits WHERE by_dependency OR by_action
		UNION ALL (SELECT 'dependency', dependency AS name, sum(n)::bigint AS count, true FROM waits WHERE by_dependency GROUP BY dependency`+most+`)
		UNION ALL (SELECT 'action', action AS name, sum(n)::bigint AS count, true FROM waits WHERE by_action GROUP BY action`+most+`)`, w.Key).Scan(&rows).Error
	if err != nil {
		return out, fmt.Errorf("bulk: behind holds: %w", err)
	}
	for _, r := range rows {
		switch r.Kind {
		case "held":
			out.Held = r.Count
		case "dependency":
			out.Dependencies = append(out.Dependencies, r.Need)
		case "action":
			out.Actions = append(out.Actions, r.Need)
		}
	}
	return out, nil
}

// Elsewhere counts the rows of a work still to be done that other works are to do as well, which run, rest or wait for a second
// person: whichever comes to a row first does it.
func (s *Store) Elsewhere(ctx context.Context, w Work) (int64, error) {
	var n int64
	err := s.g.WithContext(ctx).Raw(`SELECT count(*) FROM bulk_items i WHERE i.bulk_key = ? AND i.outcome = ''
		AND EXISTS (SELECT 1 FROM bulk_items o JOIN bulk_works w ON w.key = o.bulk_key AND w.state IN ('proposed', 'running', 'paused', 'stopped')
			WHERE (o.account_key, o.job_key, o.generation) = (i.account_key, i.job_key, i.generation) AND o.outcome = '' AND o.bulk_key <> i.bulk_key)`, w.Key).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("bulk: elsewhere: %w", err)
	}
	return n, nil
}
