package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ids"
	"recoup/models/operation"
)

// CodeNotFound is the fault of an endpoint or delivery that does not exist.
const CodeNotFound = "webhook_not_found"

// OldSecretFor is how long the secret before a rotation goes on signing.
const OldSecretFor = 24 * time.Hour

// States of an endpoint.
const (
	Active   = "active"
	Disabled = "disabled"
)

// Endpoint is a receiver outside.
type Endpoint struct {
	Key         int64
	ID          string
	URL         string
	Description string
	Events      []Type `gorm:"-"`
	State       string
	// DisabledReason is "gone" when the receiver said so (410), "person" when somebody did; else empty.
	DisabledReason string
	// OldUntil is until when the secret before the last rotation signs too; nil when there is none.
	OldUntil *time.Time
	// FailingSince is since when it takes no calls, nil while it does or is not known to; CallAt is then when it is called next.
	FailingSince *time.Time
	CallAt       *time.Time
	Version      int
	CreatedBy    string
	CreatedAt    time.Time
	UpdatedAt    time.Time
	// UpdatedBy is who changed it last, "" where nobody did since it was made or kept that.
	UpdatedBy string
}

// Service keeps endpoints and deliveries.
type Service struct {
	g      *gorm.DB
	ops    *operation.Store
	sealer sealer
	sender *Sender
	kick   func()
}

// New makes a Service. secret is the installation's, under which endpoints' secrets are sealed; sender makes the
// calls and judges addresses. kick, which may be nil, is called when there is something to send; it must not block.
func New(ops *operation.Store, secret []byte, sender *Sender, kick func()) (*Service, error) {
	s, err := newSealer(secret)
	if err != nil {
		return nil, err
	}
	if kick == nil {
		kick = func() {}
	}
	return &Service{g: ops.DB(), ops: ops, sealer: s, sender: sender, kick: kick}, nil
}

// Envelope is what every change carries beside its own input. Reason is required.
type Envelope struct {
	OperationID string
	Actor       actor.Actor
	RequestID   string
	Reason      string
}

// EndpointInput is what a person may set of an endpoint.
type EndpointInput struct {
	URL         string
	Description string
	Events      []string
}

// EndpointResult is the stored result of every change of an endpoint.
type EndpointResult struct {
	EndpointID string `json:"endpoint_id"`
	Version    int    `json:"version"`
}

func (s *Service) check(in EndpointInput, e Envelope) []fault.Field {
	var bad []fault.Field
	if why := s.sender.Refuses(in.URL); why != "" {
		bad = append(bad, fault.Field{Name: "url", Message: why})
	}
	bad = text(bad, "description", in.Description, 200, false)
	if len(in.Events) == 0 {
		bad = append(bad, fault.Field{Name: "events", Message: "is required"})
	}
	for _, v := range in.Events {
		if !Type(v).Valid() {
			bad = append(bad, fault.Field{Name: "events", Message: "has an unknown event"})
		}
	}
	return text(bad, "reason", e.Reason, 500, true)
}

func text(bad []fault.Field, name, value string, limit int, required bool) []fault.Field {
	if problem := freetext.Problem(value, limit, required); problem != "" {
		return append(bad, fault.Field{Name: name, Message: problem})
	}
	return bad
}

func (s *Service) request(kind, id string, e Envelope, in operation.Input, bad []fault.Field) operation.Request {
	if id != "" {
		in["endpoint"] = id
	}
	in["reason"] = e.Reason
	object := "webhooks"
	if id != "" {
		object = "webhook:" + id
	}
	return operation.Request{Scope: operation.Named("settings"), ID: e.OperationID, Kind: kind, Actor: e.Actor, RequestID: e.RequestID,
		Reason: e.Reason, Object: object, Input: in, Invalid: bad}
}

func array(names []string) string { return "{" + strings.Join(names, ",") + "}" }

// Create adds an endpoint with a fresh secret. Faults: invalid_request and those of operation.Apply.
func (s *Service) Create(ctx context.Context, e Envelope, in EndpointInput) (operation.Outcome, error) {
	req := s.request("create_webhook", "", e, operation.Input{"url": in.URL, "description": in.Description, "events": in.Events}, s.check(in, e))
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		id := "we_" + ids.New()
		err := tx.DB.WithContext(ctx).Exec(`INSERT INTO webhook_endpoints (id, url, description, events, secret, created_by)
			VALUES (?, ?, ?, ?::text[], ?, ?)`, id, in.URL, in.Description, array(in.Events), s.sealer.seal(id, newSecret()), e.Actor.String()).Error
		if err != nil {
			return nil, fmt.Errorf("webhook: create: %w", err)
		}
		return EndpointResult{EndpointID: id, Version: 1}, s.record(ctx, tx, req, "webhook:"+id, nil, in)
	})
}

// Change sets what an endpoint is. Faults: invalid_request, webhook_not_found, state_conflict when its version
// is no longer the one seen, and those of operation.Apply.
func (s *Service) Change(ctx context.Context, e Envelope, id string, version int, in EndpointInput) (operation.Outcome, error) {
	req := s.request("change_webhook", id, e, operation.Input{"url": in.URL, "description": in.Description, "events": in.Events,
		"version": int64(version)}, s.check(in, e))
	return s.update(ctx, req, id, version, in, `url = ?, description = ?, events = ?::text[]`, in.URL, in.Description, array(in.Events))
}

// SetState disables an endpoint or makes it active again. What waits for a disabled endpoint waits on. Faults as for Change.
func (s *Service) SetState(ctx context.Context, e Envelope, id string, version int, active bool) (operation.Outcome, error) {
	state, reason := Disabled, "person"
	if active {
		state, reason = Active, ""
	}
	req := s.request("set_webhook_state", id, e, operation.Input{"state": state, "version": int64(version)}, text(nil, "reason", e.Reason, 500, true))
	return s.update(ctx, req, id, version, map[string]string{"state": state}, `state = ?, disabled_reason = ?`, state, reason)
}

// Rotate gives an endpoint a fresh secret. The one before signs too for OldSecretFor. Faults as for Change.
func (s *Service) Rotate(ctx context.Context, e Envelope, id string, version int) (operation.Outcome, error) {
	req := s.request("rotate_webhook_secret", id, e, operation.Input{"version": int64(version)}, text(nil, "reason", e.Reason, 500, true))
	return s.update(ctx, req, id, version, map[string]bool{"rotated": true},
		`old_secret = secret, old_until = clock_timestamp() + ?::bigint * interval '1 second', secret = ?`,
		int64(OldSecretFor.Seconds()), s.sealer.seal(id, newSecret()))
}

// update is one conditional update on the version that the person saw.
func (s *Service) update(ctx context.Context, req operation.Request, id string, version int, after any, set string, args ...any) (operation.Outcome, error) {
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		before, err := find(ctx, tx.DB, id)
		if err != nil {
			return nil, err
		}
		res := tx.DB.WithContext(ctx).Exec(`UPDATE webhook_endpoints SET `+set+`, version = version + 1, updated_at = clock_timestamp(), updated_by = ?
			WHERE id = ? AND version = ?`, append(args, req.Actor.String(), id, version)...)
		if res.Error != nil {
			return nil, fmt.Errorf("webhook: %s: %w", req.Kind, res.Error)
		}
		if res.RowsAffected == 0 {
			now, err := find(ctx, tx.DB, id)
			if err != nil {
				return nil, err
			}
			return nil, fault.State("webhook_changed", "Somebody changed this endpoint meanwhile. Nothing was changed.").
				With("by", now.UpdatedBy).With("at", now.UpdatedAt.UTC())
		}
		// What waited for it to become active, or for its address to be right, is tried now.
		err = tx.DB.WithContext(ctx).Exec(`UPDATE webhook_deliveries SET due_at = LEAST(due_at, clock_timestamp())
			WHERE endpoint_key = ? AND state = 'waiting' AND EXISTS (SELECT 1 FROM webhook_endpoints p WHERE p.key = endpoint_key AND p.state = 'active')`, before.Key).Error
		if err != nil {
			return nil, fmt.Errorf("webhook: %s: %w", req.Kind, err)
		}
		if err := callNow(ctx, tx.DB, before.Key, true); err != nil {
			return nil, err
		}
		tx.AfterCommit(s.kick)
		return EndpointResult{EndpointID: id, Version: version + 1}, s.record(ctx, tx, req, "webhook:"+id,
			map[string]any{"url": before.URL, "description": before.Description, "events": before.Events, "state": before.State}, after)
	})
}

func (s *Service) record(ctx context.Context, tx *operation.Tx, req operation.Request, object string, before, after any) error {
	return audit.Record(ctx, tx.DB, audit.Row{Actor: req.Actor, Action: req.Kind, Object: object, Reason: req.Reason, Before: before, After: after,
		OperationID: req.ID, RequestID: req.RequestID, TraceID: tx.TraceID})
}

// Reveal returns an endpoint's secret to a person, and leaves an audit row. Faults: invalid_request without a reason or
// with one that is not as reasons are, webhook_not_found.
func (s *Service) Reveal(ctx context.Context, e Envelope, id string) (string, error) {
	if bad := text(nil, "reason", e.Reason, 500, true); len(bad) > 0 {
		return "", fault.InvalidFields(bad...)
	}
	var row struct{ Secret []byte }
	res := s.g.WithContext(ctx).Raw(`SELECT secret FROM webhook_endpoints WHERE id = ?`, id).Scan(&row)
	if res.Error != nil {
		return "", fmt.Errorf("webhook: reveal: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return "", notFound(id)
	}
	// First the row, then the secret: who cannot be recorded is not told.
	err := audit.Record(ctx, s.g, audit.Row{Actor: e.Actor, Action: "reveal_webhook_secret", Object: "webhook:" + id, Reason: e.Reason, RequestID: e.RequestID})
	if err != nil {
		return "", err
	}
	return s.sealer.open(id, row.Secret)
}

const selectEndpoint = `SELECT key, id, url, description, array_to_json(events)::text AS event_list, state, disabled_reason, CASE WHEN old_until > clock_timestamp() THEN old_until END AS old_until,
	failing_since, CASE WHEN failures > 0 THEN busy_until END AS call_at, version, created_by, created_at, updated_at, updated_by FROM webhook_endpoints `

// endpointRow is an endpoint as it is stored.
type endpointRow struct {
	Endpoint  `gorm:"embedded"`
	EventList string
}

func (r endpointRow) endpoint() (Endpoint, error) {
	e := r.Endpoint
	if err := json.Unmarshal([]byte(r.EventList), &e.Events); err != nil {
		return e, fmt.Errorf("webhook: events of %s: %w", e.ID, err)
	}
	return e, nil
}

func notFound(id string) *fault.Error {
	return fault.New(fault.NotFound, CodeNotFound, "There is no webhook %q.", id)
}

func find(ctx context.Context, g *gorm.DB, id string) (Endpoint, error) {
	var r endpointRow
	res := g.WithContext(ctx).Raw(selectEndpoint+`WHERE id = ?`, id).Scan(&r)
	if res.Error != nil {
		return Endpoint{}, fmt.Errorf("webhook: find: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return Endpoint{}, notFound(id)
	}
	return r.endpoint()
}

// Find returns one endpoint. Fault: webhook_not_found.
func (s *Service) Find(ctx context.Context, id string) (Endpoint, error) { return find(ctx, s.g, id) }

// Endpoints returns all endpoints, oldest first. People make them by hand: there are few.
func (s *Service) Endpoints(ctx context.Context) ([]Endpoint, error) {
	var rows []endpointRow
	if err := s.g.WithContext(ctx).Raw(selectEndpoint + `ORDER BY key`).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("webhook: endpoints: %w", err)
	}
	out := make([]Endpoint, len(rows))
	for i, r := range rows {
		var err error
		if out[i], err = r.endpoint(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
