// Package webhook tells programs outside what happened, by HTTP and signed as Standard Webhooks 1.0 has
// it. An event is a row that is written with the change it tells of; each endpoint that wants it gets a
// delivery, which is tried until the receiver says that it has it. An event keeps its id over all tries
// and to all endpoints, so that a receiver can know what it had before.
package webhook

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"recoup/models/ids"
	"recoup/models/operation"
)

// Type names what happened.
type Type string

// What can be told.
const (
	// JobDeadLettered: a job was parked for a person.
	JobDeadLettered Type = "job.dead_lettered"
	// JobRecovered: a job that had been given up was delivered after all.
	JobRecovered Type = "job.recovered"
	// RolloutHalted: a failed check halted a rollout.
	RolloutHalted Type = "rollout.halted"
	// CheckFailed: a check found something wrong.
	CheckFailed Type = "check.failed"
	// Ping is sent to one endpoint that a person tries out. Nobody subscribes to it.
	Ping Type = "ping"
)

// Types lists what endpoints can subscribe to, in the order screens show it.
func Types() []Type { return []Type{JobDeadLettered, JobRecovered, RolloutHalted, CheckFailed} }

// Valid reports whether endpoints can subscribe to it.
func (t Type) Valid() bool { return slices.Contains(Types(), t) }

// body is what is sent.
type body struct {
	Type Type `json:"type"`
	// Timestamp is when it happened, not when it is sent.
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// Emit adds an event to the transaction of the operation that makes it happen, and a delivery for every
// active endpoint that subscribes to it; nothing is written where there is none. It costs no round trip. data
// is marshalled to JSON and must hold nothing secret. The relay finds the deliveries by itself.
func Emit(tx *operation.Tx, t Type, traceparent string, data any) error {
	payload, err := json.Marshal(body{Type: t, Timestamp: tx.StartedAt.UTC(), Data: data})
	if err != nil {
		return fmt.Errorf("webhook: %s: %w", t, err)
	}
	// Two statements beside each other, for one inside the other may not change data.
	event := tx.Finally(`INSERT INTO webhook_events (id, type, body, traceparent)
		SELECT ?, ?, ?::json, ? WHERE EXISTS (SELECT 1 FROM webhook_endpoints WHERE state = 'active' AND ? = ANY (events))
		RETURNING key, traceparent`, "msg_"+ids.New(), string(t), string(payload), traceparent, string(t))
	tx.Finally(`INSERT INTO webhook_deliveries (event_key, endpoint_key, traceparent)
		SELECT v.key, p.key, v.traceparent FROM `+event+` v JOIN webhook_endpoints p ON p.state = 'active' AND ? = ANY (p.events)`, string(t))
	return nil
}
