package job

import (
	"context"
	"fmt"
)

// History is what happened to a job, oldest first.
type History struct {
	Events []Event
	// LeftOut is how many events are not among them: signals sent again that moved nothing, in the midst of many.
	LeftOut int64
}

const (
	// firstEvents and lastEvents of a job are always told.
	firstEvents, lastEvents = 100, 900
	// mostTelling bounds the events between those that are told because they changed something.
	mostTelling = 1000
)

// telling is true of an event that moved the work or the money, or that a person made.
const telling = `(entry_seq IS NOT NULL OR state_before IS DISTINCT FROM state_after OR kind NOT IN ('failed', 'timed_out', 'succeeded'))`

// History returns a job's events: all of them, up to a thousand. Of more it returns the first and the newest, and of those
// between what changed something, the newest thousand of that.
func (s *Service) History(ctx context.Context, accountKey, jobKey int64) (History, error) {
	var rows []struct {
		Event `gorm:"embedded"`
		Total int64
	}
	const of = `FROM job_events WHERE account_key = ? AND job_key = ?`
	err := s.g.WithContext(ctx).Raw(fmt.Sprintf(`SELECT key, kind, attempt, generation, outcome, state_before, state_after, entry_seq, actor,
			operation_id, trace_id, data::text AS data, at, (SELECT count(*) `+of+`) AS total
		`+of+` AND key IN ((SELECT key `+of+` ORDER BY key LIMIT %d) UNION (SELECT key `+of+` ORDER BY key DESC LIMIT %d)
			UNION (SELECT key `+of+` AND `+telling+` ORDER BY key DESC LIMIT %d)) ORDER BY key`, firstEvents, lastEvents, mostTelling),
		accountKey, jobKey, accountKey, jobKey, accountKey, jobKey, accountKey, jobKey, accountKey, jobKey).Scan(&rows).Error
	if err != nil {
		return History{}, fmt.Errorf("job: history: %w", err)
	}
	h := History{Events: make([]Event, len(rows))}
	for i, r := range rows {
		h.Events[i], h.LeftOut = r.Event, r.Total-int64(len(rows))
	}
	return h, nil
}

// Timeline returns the events of History.
func (s *Service) Timeline(ctx context.Context, accountKey, jobKey int64) ([]Event, error) {
	h, err := s.History(ctx, accountKey, jobKey)
	return h.Events, err
}
