package job

import (
	"context"
	"fmt"
	"slices"

	"recoup/models/operation"
	"recoup/models/where"
)

// freeLine selects of the line what a claim may have at once: queued work of the given actions, oldest first, of which
// neither the action nor the dependency has a row in holds. The names are read as arrays before the scan, so that the index
// of the claim is walked in its order whatever is held; rows marked as held are not in that index at all.
const freeLine = `SELECT w.account_key, w.job_key, w.due_at FROM unnest(?::text[]) AS a (action) CROSS JOIN LATERAL (
		SELECT account_key, job_key, due_at FROM waiting_line
		WHERE phase = 'queued' AND NOT held AND action = a.action AND due_at <= clock_timestamp() AND expires_at > clock_timestamp()
			AND CASE WHEN dependency = ANY (ARRAY(SELECT name FROM holds WHERE kind = 'dependency')) THEN false ELSE true END
		ORDER BY due_at, account_key, job_key LIMIT ? FOR UPDATE SKIP LOCKED) w
	WHERE a.action <> ALL (ARRAY(SELECT name FROM holds WHERE kind = 'action'))
	ORDER BY w.due_at LIMIT ?`

// freeOf is how many jobs a hold lets through now: the probes that are left, or what its pace has room for.
const freeOf = `CASE passing WHEN 'probes' THEN probes_left
	WHEN 'paced' THEN burst - ceil(GREATEST(extract(epoch FROM paced_at - clock_timestamp()) * 1000000, 0) / spacing_us)::int
	ELSE 0 END`

// inLine is one row of the line that a claim has locked.
type inLine struct {
	AccountKey, JobKey int64
	Action, Dependency string
}

// gate is a hold that lets some of its work through, locked by this claim.
type gate struct {
	Kind, Name string
	Free       int
}

// gates are those that a claim has locked. Another claim passes over them and so hands out nothing of theirs: what they
// let through together stays within what each allows.
type gates []gate

// find returns the locked gate, or nil.
func (g gates) find(kind, name string) *gate {
	for i := range g {
		if g[i].Kind == kind && g[i].Name == name {
			return &g[i]
		}
	}
	return nil
}

// names returns the names of the gates of a kind.
func (g gates) names(kind string) []string {
	var names []string
	for _, x := range g {
		if x.Kind == kind {
			names = append(names, x.Name)
		}
	}
	return names
}

// line locks up to r.Max rows of the line for a claim. Where a hold lets some of its work through, that work comes first: it
// has waited for long, and there is little of it. Locks skip what others hold, so nothing waits here.
func (s *Service) line(ctx context.Context, tx *operation.Tx, r ClaimRequest) ([]inLine, gates, error) {
	g := tx.DB.WithContext(ctx)
	var rows []struct {
		AccountKey, JobKey *int64
		Gated              bool
	}
	err := g.Raw(`SELECT w.account_key, w.job_key, EXISTS (SELECT 1 FROM holds WHERE passing <> 'nothing') AS gated
		FROM (SELECT 1) one LEFT JOIN (`+freeLine+`) w ON true ORDER BY w.due_at`, where.ListOf(r.Actions), r.Max, r.Max).Scan(&rows).Error
	if err != nil {
		return nil, nil, fmt.Errorf("job: claim line: %w", err)
	}
	free := make([]inLine, 0, len(rows))
	for _, row := range rows {
		if row.JobKey != nil {
			free = append(free, inLine{AccountKey: *row.AccountKey, JobKey: *row.JobKey})
		}
	}
	if !rows[0].Gated {
		return free, nil, nil
	}
	through, open, err := s.gatedLine(ctx, tx, r)
	if err != nil {
		return nil, nil, err
	}
	free = append(through, free...)
	return free[:min(len(free), int(r.Max))], open, nil
}

// gatedLine locks what holds let through now.
func (s *Service) gatedLine(ctx context.Context, tx *operation.Tx, r ClaimRequest) ([]inLine, gates, error) {
	g := tx.DB.WithContext(ctx)
	var open gates
	err := g.Raw(`SELECT kind, name, `+freeOf+` AS free FROM holds WHERE (kind = 'dependency' OR name = ANY (?::text[])) AND `+freeOf+` > 0
		ORDER BY kind, name FOR NO KEY UPDATE SKIP LOCKED`, where.ListOf(r.Actions)).Scan(&open).Error
	if err != nil {
		return nil, nil, fmt.Errorf("job: claim gates: %w", err)
	}
	if len(open) == 0 {
		return nil, nil, nil
	}
	var rows []inLine
	err = g.Raw(`WITH d AS MATERIALIZED (
			SELECT w.* FROM unnest(?::text[]) AS h (name) CROSS JOIN unnest(?::text[]) AS a (action) CROSS JOIN LATERAL (
				SELECT account_key, job_key, action, dependency, due_at FROM waiting_line
				WHERE phase = 'queued' AND dependency <> '' AND dependency = h.name AND held AND action = a.action
					AND due_at <= clock_timestamp() AND expires_at > clock_timestamp()
				ORDER BY due_at, account_key, job_key LIMIT ? FOR UPDATE SKIP LOCKED) w
			WHERE a.action = ANY (?::text[]) OR a.action <> ALL (ARRAY(SELECT name FROM holds WHERE kind = 'action'))),
		p AS MATERIALIZED (
			SELECT w.* FROM unnest(?::text[]) AS a (action) CROSS JOIN LATERAL (
				SELECT account_key, job_key, action, dependency, due_at FROM waiting_line
				WHERE phase = 'queued' AND NOT held AND action = a.action AND due_at <= clock_timestamp() AND expires_at > clock_timestamp()
					AND CASE WHEN dependency = ANY (ARRAY(SELECT name FROM holds WHERE kind = 'dependency')) THEN false ELSE true END
				ORDER BY due_at, account_key, job_key LIMIT ? FOR UPDATE SKIP LOCKED) w)
		SELECT account_key, job_key, action, dependency FROM (SELECT * FROM d UNION ALL SELECT * FROM p) x ORDER BY due_at, account_key, job_key`,
		where.ListOf(open.names("dependency")), where.ListOf(r.Actions), r.Max, where.ListOf(open.names("action")),
		where.ListOf(open.names("action")), r.Max).Scan(&rows).Error
	if err != nil {
		return nil, nil, fmt.Errorf("job: claim gated line: %w", err)
	}
	left := slices.Clone(open)
	through := rows[:0]
	for _, row := range rows {
		if left.pass(row.Action, row.Dependency) {
			through = append(through, row)
		}
	}
	return through, open, nil
}

// pass counts a job through the gates that it stands behind, if all of them have room.
func (g gates) pass(action, dependency string) bool {
	a, d := g.find("action", action), g.find("dependency", dependency)
	if a != nil && a.Free < 1 || d != nil && d.Free < 1 {
		return false
	}
	for _, x := range []*gate{a, d} {
		if x != nil {
			x.Free--
		}
	}
	return true
}

// passed notes with the claim what went through each gate. Work that is handed out freely passes none: a dependency or
// action with a row in holds is never among it.
func (g gates) passed(tx *operation.Tx, jobs []claimedItem) {
	for _, x := range g {
		n := 0
		for _, j := range jobs {
			if x.Kind == "action" && j.Action == x.Name || x.Kind == "dependency" && j.Dependency == x.Name {
				n++
			}
		}
		if n > 0 {
			tx.Finally(`UPDATE holds SET probes_left = GREATEST(probes_left - ?::int, 0),
				paced_at = CASE passing WHEN 'paced' THEN GREATEST(paced_at, clock_timestamp()) + ?::int * spacing_us * interval '1 microsecond' ELSE paced_at END
				WHERE kind = ? AND name = ?`, n, n, x.Kind, x.Name)
		}
	}
}
