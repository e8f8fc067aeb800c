package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
	"recoup/models/page"
)

// States of a delivery.
const (
	Waiting   = "waiting"
	Delivered = "delivered"
	Failed    = "failed"
)

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	Key int64
	// EventID is the same for every endpoint and every try: webhook-id.
	EventID string
	Type    Type
	State   string
	// Tries is how often it was tried.
	Tries     int
	CreatedAt time.Time
	// DueAt is when it may be tried next, a pause of its endpoint included; only of a delivery that waits.
	DueAt      time.Time
	FinishedAt *time.Time
	// LastStatus, LastError, LastCode and LastAbout are of the newest try, as in Attempt: 0 and "" before the first.
	LastStatus int
	LastError  string
	LastCode   string
	LastAbout  string
}

// Position is a delivery's place in the list.
type Position struct {
	Key int64 `json:"k"`
}

// dueAt is when a delivery may be tried: not before its endpoint's pause is over.
const dueAt = `GREATEST(d.due_at, CASE WHEN p.failures > 0 THEN p.busy_until END)`

// Deliveries returns a page of an endpoint's deliveries, newest first. state is "" for all.
func (s *Service) Deliveries(ctx context.Context, endpointKey int64, state string, from *Position, dir page.Direction, limit int) (page.Page[Delivery, Position], error) {
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	where, args := "d.endpoint_key = ?", []any{endpointKey}
	if state != "" {
		where, args = where+" AND d.state = ?", append(args, state)
	}
	if from != nil {
		where, args = where+" AND d.key "+compare+" ?", append(args, from.Key)
	}
	var rows []Delivery
	err := s.g.WithContext(ctx).Raw(`SELECT d.key, v.id AS event_id, v.type, d.state, d.tries, d.created_at, `+dueAt+` AS due_at, d.finished_at,
			COALESCE(a.status, 0) AS last_status, COALESCE(a.error, '') AS last_error, COALESCE(a.code, '') AS last_code, COALESCE(a.about, '') AS last_about
		FROM webhook_deliveries d JOIN webhook_events v ON v.key = d.event_key JOIN webhook_endpoints p ON p.key = d.endpoint_key
		LEFT JOIN LATERAL (SELECT status, error, code, about FROM webhook_attempts a WHERE a.delivery_key = d.key ORDER BY try DESC LIMIT 1) a ON true
		WHERE `+where+` ORDER BY d.key `+order+` LIMIT ?`, append(args, limit+1)...).Scan(&rows).Error
	if err != nil {
		return page.Page[Delivery, Position]{}, fmt.Errorf("webhook: deliveries: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(d Delivery) Position { return Position{Key: d.Key} }), nil
}

// Attempt is one try at a delivery.
type Attempt struct {
	Try        int
	At         time.Time
	DurationMs int64
	// Status is the HTTP status, 0 where none came; Error then says why.
	Status int
	Error  string
	// Code is why it failed, one of the Failed codes, with what it names in About; "" where it did not, and for tries of before
	// there were codes.
	Code  string
	About string
	// Answer is the beginning of what the receiver said.
	Answer string
}

// Detail is a delivery with everything known of it.
type Detail struct {
	Delivery
	// Body is what was sent, byte for byte.
	Body     string
	Attempts []Attempt
}

// Delivery returns one delivery of an endpoint. Fault: webhook_not_found.
func (s *Service) Delivery(ctx context.Context, endpointKey, key int64) (Detail, error) {
	var d Detail
	var row struct {
		Delivery `gorm:"embedded"`
		Body     string
	}
	res := s.g.WithContext(ctx).Raw(`SELECT d.key, v.id AS event_id, v.type, d.state, d.tries, d.created_at, `+dueAt+` AS due_at, d.finished_at, v.body::text AS body
		FROM webhook_deliveries d JOIN webhook_events v ON v.key = d.event_key JOIN webhook_endpoints p ON p.key = d.endpoint_key
		WHERE d.key = ? AND d.endpoint_key = ?`, key, endpointKey).Scan(&row)
	if res.Error != nil {
		return d, fmt.Errorf("webhook: delivery: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return d, notFound(fmt.Sprint(key))
	}
	d.Delivery, d.Body = row.Delivery, row.Body
	err := s.g.WithContext(ctx).Raw(`SELECT try, at, duration_ms, status, error, code, about, answer FROM webhook_attempts WHERE delivery_key = ? ORDER BY try DESC`, key).
		Scan(&d.Attempts).Error
	if err != nil {
		return d, fmt.Errorf("webhook: attempts: %w", err)
	}
	if len(d.Attempts) > 0 {
		d.LastStatus, d.LastError, d.LastCode, d.LastAbout = d.Attempts[0].Status, d.Attempts[0].Error, d.Attempts[0].Code, d.Attempts[0].About
	}
	return d, nil
}

// SentResult is the stored result of Resend and Test.
type SentResult struct {
	EndpointID string `json:"endpoint_id"`
	EventID    string `json:"event_id"`
	Delivery   int64  `json:"delivery"`
}

// Resend sends an event once more, with the id it had. Faults: webhook_not_found, state_conflict while it still
// waits or its endpoint is disabled, invalid_request without a reason, and those of operation.Apply.
func (s *Service) Resend(ctx context.Context, e Envelope, id string, delivery int64) (operation.Outcome, error) {
	req := s.request("resend_webhook", id, e, operation.Input{"delivery": delivery}, text(nil, "reason", e.Reason, 500, true))
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		endpoint, err := activeEndpoint(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		var old struct {
			State    string
			EventKey int64
			EventID  string
		}
		res := tx.DB.WithContext(ctx).Raw(`SELECT d.state, d.event_key, v.id AS event_id FROM webhook_deliveries d JOIN webhook_events v ON v.key = d.event_key
			WHERE d.key = ? AND d.endpoint_key = ?`, delivery, endpoint.Key).Scan(&old)
		if res.Error != nil {
			return nil, fmt.Errorf("webhook: resend: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil, notFound(fmt.Sprint(delivery))
		}
		if old.State == Waiting {
			return nil, fault.State("webhook_waiting", "It still waits for its next try. Nothing was sent.")
		}
		return s.send(ctx, tx, req, endpoint, old.EventKey, old.EventID)
	})
}

// Test sends a ping to one endpoint. Faults: webhook_not_found, state_conflict when it is disabled,
// invalid_request without a reason, and those of operation.Apply.
func (s *Service) Test(ctx context.Context, e Envelope, id string) (operation.Outcome, error) {
	req := s.request("test_webhook", id, e, operation.Input{}, text(nil, "reason", e.Reason, 500, true))
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		endpoint, err := activeEndpoint(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		payload, err := json.Marshal(body{Type: Ping, Timestamp: tx.StartedAt.UTC(), Data: map[string]string{"endpoint_id": id}})
		if err != nil {
			return nil, fmt.Errorf("webhook: test: %w", err)
		}
		event := "msg_" + ids.New()
		var key int64
		err = tx.DB.WithContext(ctx).Raw(`INSERT INTO webhook_events (id, type, body, traceparent) VALUES (?, ?, ?::json, ?) RETURNING key`,
			event, string(Ping), string(payload), operation.Traceparent(ctx)).Scan(&key).Error
		if err != nil {
			return nil, fmt.Errorf("webhook: test: %w", err)
		}
		return s.send(ctx, tx, req, endpoint, key, event)
	})
}

func (s *Service) send(ctx context.Context, tx *operation.Tx, req operation.Request, to Endpoint, eventKey int64, eventID string) (any, error) {
	out := SentResult{EndpointID: to.ID, EventID: eventID}
	err := tx.DB.WithContext(ctx).Raw(`INSERT INTO webhook_deliveries (event_key, endpoint_key, traceparent, asked) VALUES (?, ?, ?, true) RETURNING key`,
		eventKey, to.Key, operation.Traceparent(ctx)).Scan(&out.Delivery).Error
	if err != nil {
		return nil, fmt.Errorf("webhook: send: %w", err)
	}
	if err := callNow(ctx, tx.DB, to.Key, false); err != nil {
		return nil, err
	}
	tx.AfterCommit(s.kick)
	return out, s.record(ctx, tx, req, "webhook:"+to.ID, nil, map[string]string{"event": eventID})
}

// activeEndpoint returns an endpoint that can be sent to.
func activeEndpoint(ctx context.Context, tx *operation.Tx, id string) (Endpoint, error) {
	e, err := find(ctx, tx.DB, id)
	if err != nil {
		return e, err
	}
	if e.State != Active {
		return e, fault.State("webhook_disabled", "The endpoint is disabled. Nothing was sent.")
	}
	return e, nil
}

// Counts is how many deliveries of an endpoint wait and failed, each counted up to CountCap.
type Counts struct {
	EndpointKey     int64
	Waiting, Failed int64
}

// CountCap is where Counts stop.
const CountCap = 1000

// Counts returns what waits and failed within the last week for every endpoint.
func (s *Service) Counts(ctx context.Context) (map[int64]Counts, error) {
	var rows []Counts
	err := s.g.WithContext(ctx).Raw(`SELECT p.key AS endpoint_key,
			(SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_key = p.key AND d.state = 'waiting' LIMIT ?) x) AS waiting,
			(SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries d WHERE d.endpoint_key = p.key AND d.state = 'failed'
				AND d.finished_at > clock_timestamp() - interval '7 days' LIMIT ?) x) AS failed
		FROM webhook_endpoints p`, CountCap, CountCap).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("webhook: counts: %w", err)
	}
	out := make(map[int64]Counts, len(rows))
	for _, r := range rows {
		out[r.EndpointKey] = r
	}
	return out, nil
}

// DeleteOld removes deliveries and events that ended more than keep ago, in small steps, and returns how many
// deliveries went. What waits is kept.
func (s *Service) DeleteOld(ctx context.Context, keep time.Duration) (int64, error) {
	var total int64
	for {
		res := s.g.WithContext(ctx).Exec(`WITH old AS (
				SELECT key FROM webhook_deliveries WHERE state <> 'waiting' AND finished_at < clock_timestamp() - ?::bigint * interval '1 second'
				ORDER BY key LIMIT 1000)
			DELETE FROM webhook_deliveries d USING old WHERE d.key = old.key`, int64(keep.Seconds()))
		if res.Error != nil {
			return total, fmt.Errorf("webhook: delete old: %w", res.Error)
		}
		total += res.RowsAffected
		if res.RowsAffected < 1000 {
			break
		}
	}
	err := s.g.WithContext(ctx).Exec(`DELETE FROM webhook_events v WHERE v.created_at < clock_timestamp() - ?::bigint * interval '1 second'
		AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_key = v.key)`, int64(keep.Seconds())).Error
	if err != nil {
		return total, fmt.Errorf("webhook: delete old events: %w", err)
	}
	return total, nil
}
