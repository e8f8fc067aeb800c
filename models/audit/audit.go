// Package audit keeps the append-only record of what people did and of everything that was refused.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
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
	// Detail is what a refusal told beside its code, by name; nil for nothing. Never put a secret into it.
	Detail      map[string]any
	OperationID string
	RequestID   string
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
	var detail *string
	if len(r.Detail) > 0 {
		if detail, err = optionalJSON(r.Detail); err != nil {
			return err
		}
	}
	outcome := "done"
	if r.Refused {
		outcome = "refused"
	}
	err = tx.WithContext(ctx).Exec(`INSERT INTO audit_log
		(actor, action, object, outcome, code, reason, before, after, detail, operation_id, request_id, trace_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Actor.String(), r.Action, r.Object, outcome, r.Code, r.Reason, before, after, detail,
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

// Refused returns what a refusal of this actor's request about an object told beside its code; found is false where there
// is no row of one with this code, and detail nil where it told nothing. It reads the rows of the object.
func Refused(ctx context.Context, g *gorm.DB, object string, who actor.Actor, requestID, code string) (detail map[string]any, found bool, err error) {
	var rows []struct{ Detail *string }
	err = g.WithContext(ctx).Raw(`SELECT detail::text AS detail FROM audit_log
		WHERE object = ? AND actor = ? AND request_id = ? AND outcome = 'refused' AND code = ? ORDER BY at DESC, key DESC LIMIT 1`,
		object, who.String(), requestID, code).Scan(&rows).Error
	if err != nil {
		return nil, false, fmt.Errorf("audit: %w", err)
	}
	if len(rows) == 0 || rows[0].Detail == nil {
		return nil, len(rows) > 0, nil
	}
	numbers := json.NewDecoder(strings.NewReader(*rows[0].Detail))
	numbers.UseNumber()
	if err := numbers.Decode(&detail); err != nil {
		return nil, true, fmt.Errorf("audit: detail: %w", err)
	}
	return detail, true, nil
}
