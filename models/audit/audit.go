// Package audit keeps the append-only record of what people did and of everything that was refused.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
)

// Row is one line of the audit log.
type Row struct {
	Actor actor.Actor
	// Action is the permission or operation kind that was used, e.g. "job.requeue".
	Action string
	// Object names what was touched, e.g. "account:acct_7/job:j1".
	Object string
	// Refused is true when nothing was changed; Code then says why.
	Refused bool
	Code    string
	Reason  string
	// Before and After are marshalled to JSON; nil where there is nothing to compare. Never put a
	// secret into them.
	Before, After any
	OperationID   string
	RequestID     string
	// TraceID is the 16 bytes of the W3C trace id, or nil.
	TraceID []byte
}

// Record appends a row within tx, so that a change and its audit row commit together.
func Record(ctx context.Context, tx *gorm.DB, r Row) error {
	before, err := optionalJSON(r.Before)
	if err != nil {
		return err
	}
	after, err := optionalJSON(r.After)
	if err != nil {
		return err
	}
	outcome := "done"
	if r.Refused {
		outcome = "refused"
	}
	err = tx.WithContext(ctx).Exec(`INSERT INTO audit_log
		(actor, action, object, outcome, code, reason, before, after, operation_id, request_id, trace_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Actor.String(), r.Action, r.Object, outcome, r.Code, r.Reason, before, after,
		r.OperationID, r.RequestID, r.TraceID).Error
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

func optionalJSON(v any) (*string, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	s := string(b)
	return &s, nil
}

// Stored is a row as it was read back.
type Stored struct {
	Key         int64
	At          time.Time
	Actor       string
	Action      string
	Object      string
	Outcome     string
	Code        string
	Reason      string
	Before      *string
	After       *string
	OperationID string
	RequestID   string
}

// Of returns the newest rows about one object, newest first, at most limit.
func Of(ctx context.Context, g *gorm.DB, object string, limit int) ([]Stored, error) {
	var rows []Stored
	err := g.WithContext(ctx).Raw(`SELECT key, at, actor, action, object, outcome, code, reason,
		before::text AS before, after::text AS after, operation_id, request_id
		FROM audit_log WHERE object = ? ORDER BY at DESC, key DESC LIMIT ?`, object, limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return rows, nil
}

// Refused tells whether there is a row that says that a request of this actor about an object was refused with a
// code. It reads the rows of the object.
func Refused(ctx context.Context, g *gorm.DB, object string, who actor.Actor, requestID, code string) (bool, error) {
	var found bool
	err := g.WithContext(ctx).Raw(`SELECT EXISTS (SELECT 1 FROM audit_log
		WHERE object = ? AND actor = ? AND request_id = ? AND outcome = 'refused' AND code = ?)`, object, who.String(), requestID, code).Scan(&found).Error
	if err != nil {
		return false, fmt.Errorf("audit: %w", err)
	}
	return found, nil
}
