package dependency

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Event is one step of a dependency or of a held action.
type Event struct {
	Key   int64
	Kind  Kind
	Name  string
	Event string
	// State is the breaker's after it; empty for actions.
	State       State
	Actor       string
	Reason      string
	Data        *string
	OperationID string
	At          time.Time
}

// Figures decodes what the event was decided by; the zero value when there is nothing.
func (e Event) Figures() (Figures, error) {
	var f Figures
	if e.Data == nil {
		return f, nil
	}
	if err := json.Unmarshal([]byte(*e.Data), &f); err != nil {
		return f, fmt.Errorf("dependency: event %d: %w", e.Key, err)
	}
	return f, nil
}

// History returns the newest events of a dependency or an action, newest first, at most limit, those before the event of key
// before where that is not 0.
func (s *Service) History(ctx context.Context, kind Kind, name string, before int64, limit int) ([]Event, error) {
	var rows []Event
	err := s.g.WithContext(ctx).Raw(`SELECT * FROM hold_events WHERE kind = ? AND name = ? AND (?::bigint = 0 OR key < ?) ORDER BY key DESC LIMIT ?`,
		string(kind), name, before, before, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("dependency: history: %w", err)
	}
	return rows, nil
}

// Bucket is what became of the attempts that began within a span of time.
type Bucket struct {
	From time.Time
	// Succeeded, Failed and Permanent count results; Running is what has not ended. Permanent errors say that the dependency
	// answered.
	Succeeded, Failed, Permanent, Running int64
}

// Results returns what became of a dependency's attempts of the last count spans, oldest first, spans without any included.
func (s *Service) Results(ctx context.Context, name string, span time.Duration, count int) ([]Bucket, error) {
	var rows []Bucket
	seconds := int64(span / time.Second)
	err := s.g.WithContext(ctx).Raw(`SELECT b.at AS "from", count(a.*) FILTER (WHERE a.outcome = 'succeeded') AS succeeded, count(a.*) FILTER (WHERE `+failed+`) AS failed,
			count(a.*) FILTER (WHERE a.outcome = 'failed' AND a.error_class = 'permanent') AS permanent, count(a.*) FILTER (WHERE a.attempt IS NOT NULL AND a.ended_at IS NULL) AS running
		FROM (SELECT to_timestamp((floor(extract(epoch FROM clock_timestamp()) / ?::bigint) - n) * ?::bigint) AS at FROM generate_series(?::int - 1, 0, -1) n) b
		LEFT JOIN attempts a ON a.dependency <> '' AND a.dependency = ? AND a.claimed_at >= b.at AND a.claimed_at < b.at + ?::bigint * interval '1 second'
		GROUP BY b.at ORDER BY b.at`, seconds, seconds, count, name, seconds).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("dependency: results: %w", err)
	}
	return rows, nil
}

// Gauge is what metrics tell.
type Gauge struct {
	// States are the conditions of all known dependencies.
	States []StateOf
	// Held counts the queued jobs behind each hold.
	Held []HeldCount
}

// HeldCount is how many jobs wait behind a hold; HeldCap+1 for more than HeldCap. Work of a held action that a hold of its
// dependency keeps as well counts there.
type HeldCount struct {
	Kind  Kind
	Name  string
	Count int64
}

// StateOf is a dependency's condition.
type StateOf struct {
	Name   string
	Health Health
}

// Measure reads what metrics tell.
func (s *Service) Measure(ctx context.Context) (Gauge, error) {
	var out Gauge
	g := s.g.WithContext(ctx)
	err := g.Raw(`SELECT d.name, ` + healthOf + ` AS health FROM dependencies d LEFT JOIN holds h ON h.kind = 'dependency' AND h.name = d.name ORDER BY d.name`).Scan(&out.States).Error
	if err != nil {
		return out, fmt.Errorf("dependency: measure: %w", err)
	}
	err = g.Raw(`SELECT h.kind, h.name, w.count FROM holds h CROSS JOIN LATERAL (SELECT count(*) AS count FROM (SELECT 1 FROM waiting_line
			WHERE phase = 'queued' AND dependency <> '' AND dependency = h.name LIMIT ?) x) w WHERE h.kind = 'dependency'
		UNION ALL
		SELECT h.kind, h.name, w.count FROM holds h CROSS JOIN LATERAL (SELECT count(*) AS count FROM (SELECT 1 FROM waiting_line
			WHERE phase = 'queued' AND NOT held AND action = h.name LIMIT ?) x) w WHERE h.kind = 'action'
		ORDER BY kind, name`, HeldCap+1, HeldCap+1).Scan(&out.Held).Error
	if err != nil {
		return out, fmt.Errorf("dependency: measure: %w", err)
	}
	return out, nil
}
