package staff

import (
	"context"
	"crypto/subtle"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
)

// Key is an API key without its secret.
type Key struct {
	ID     string
	Name   string
	Scopes []Scope
	// CreatedBy is the stored form of the actor who made the key.
	CreatedBy string
	CreatedAt time.Time
	// ExpiresAt is nil for a key that does not expire.
	ExpiresAt *time.Time
	// RevokedAt is nil for a key that was not revoked.
	RevokedAt *time.Time
	// LastUsedAt is nil before the first use, and else up to about a minute behind.
	LastUsedAt *time.Time
}

// Prefix is the part of the token that is no secret: it tells keys apart on screens and in logs.
func (k Key) Prefix() string { return "rk_" + k.ID }

// Actor is the name under which the key's changes are kept.
func (k Key) Actor() actor.Actor { return actor.Key(k.ID) }

// Allows reports whether one of the key's scopes has the permission. It does not look at expiry
// and revocation: KeyByToken returns only keys that are good.
func (k Key) Allows(p Permission) bool {
	return slices.ContainsFunc(k.Scopes, func(s Scope) bool { return ScopeAllows(s, p) })
}

// keyColumns must stay in step with keyRow. The array travels as text: GORM would spread a slice.
const keyColumns = `id, name, array_to_string(scopes, ' ') AS scopes, created_by, created_at, expires_at, revoked_at, last_used_at`

type keyRow struct {
	ID, Name, Scopes, CreatedBy      string
	CreatedAt                        time.Time
	ExpiresAt, RevokedAt, LastUsedAt *time.Time
}

func (r keyRow) key() Key {
	k := Key{ID: r.ID, Name: r.Name, CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt,
		ExpiresAt: r.ExpiresAt, RevokedAt: r.RevokedAt, LastUsedAt: r.LastUsedAt}
	for _, s := range strings.Fields(r.Scopes) {
		k.Scopes = append(k.Scopes, Scope(s))
	}
	return k
}

// NewKey is the input of CreateKey.
type NewKey struct {
	Name string
	// Scopes needs at least one; repeated ones count once.
	Scopes []Scope
	// ExpiresAt is nil for a key that does not expire.
	ExpiresAt *time.Time
}

// CreateKey makes an API key and returns its token, `rk_<id>_<secret>`, which is stored nowhere and
// cannot be shown again. Faults: Invalid (name, scopes, expires_at); Conflict operation_conflict
// when by's operation id has made a key already: its token was in the first answer.
func (s *Service) CreateKey(ctx context.Context, by By, n NewKey) (Key, string, error) {
	var bad []fault.Field
	if msg := checkName(n.Name); msg != "" {
		bad = append(bad, fault.Field{Name: "name", Message: msg})
	}
	var scopes []string
	for _, sc := range Scopes() { // in one order, each once
		if slices.Contains(n.Scopes, sc) {
			scopes = append(scopes, string(sc))
		}
	}
	unknown := slices.ContainsFunc(n.Scopes, func(sc Scope) bool { return !slices.Contains(Scopes(), sc) })
	if unknown || len(scopes) == 0 {
		bad = append(bad, fault.Field{Name: "scopes", Message: "must be one or more of jobs:write, jobs:work, ledger:read, ledger:write, costs:write, flags:read"})
	}
	if len(bad) > 0 {
		return Key{}, "", fault.InvalidFields(bad...)
	}
	id, secret := randomName(), ids.Secret(32)
	var operation *string
	if by.OperationID != "" {
		operation = &by.OperationID
	}
	var row keyRow
	err := db.InTx(ctx, s.db, func(tx *gorm.DB) error {
		err := tx.Raw(`INSERT INTO api_keys (id, name, secret_hash, scopes, operation_id, created_by, expires_at)
			VALUES (?, ?, ?, string_to_array(?, ' '), ?, ?, ?) RETURNING `+keyColumns,
			id, n.Name, digest(secret), strings.Join(scopes, " "), operation, by.Actor.String(), n.ExpiresAt).Scan(&row).Error
		switch db.Constraint(err) {
		case "api_keys_expiry":
			return fault.InvalidField("expires_at", "must be in the future")
		case "api_keys_operation_id_key":
			return fault.New(fault.Conflict, fault.CodeOperationConflict, "This key was made already. Its secret was shown once; revoke the key and make another if it was lost.")
		}
		if err != nil {
			return fmt.Errorf("staff: make key: %w", err)
		}
		return by.record(ctx, tx, audit.Row{Action: ActionKeyCreate, Object: keyObject(id), After: map[string]any{
			"name": row.Name, "scopes": scopes, "expires_at": row.ExpiresAt,
		}})
	})
	if err != nil {
		return Key{}, "", err
	}
	return row.key(), row.key().Prefix() + "_" + secret, nil
}

// KeyByToken returns the API key of a token and notes, about once a minute, that it was used. A key
// that was found is trusted for Options.KeyCacheTTL without asking the database: a revocation takes
// effect at once in the process that did it and within that time in others. An expiry is exact.
// Fault: Unauthenticated when the token is none, or the key is revoked or expired (the message
// tells these apart only to who has the secret).
func (s *Service) KeyByToken(ctx context.Context, token string) (Key, error) {
	if k, ok := s.keys.get(token); ok {
		return k, nil
	}
	mark := s.keys.mark()
	refuse := func(message string) (Key, error) {
		return Key{}, fault.New(fault.Unauthenticated, fault.CodeUnauthenticated, "%s", message)
	}
	id, secret, ok := splitToken(token)
	if !ok {
		return refuse("The API key is not known.")
	}
	var row struct {
		Row        keyRow `gorm:"embedded"`
		SecretHash []byte
		// Left is how many seconds are left until the expiry, nil without one.
		Left  *float64
		Stale bool
	}
	g := s.db.WithContext(ctx)
	r := g.Raw(`SELECT `+keyColumns+`, secret_hash, extract(epoch FROM expires_at - clock_timestamp())::float8 AS left,
			COALESCE(last_used_at <= clock_timestamp() - interval '1 minute', true) AS stale
		FROM api_keys WHERE id = ?`, id).Scan(&row)
	if r.Error != nil {
		return Key{}, fmt.Errorf("staff: read key: %w", r.Error)
	}
	switch {
	case subtle.ConstantTimeCompare(row.SecretHash, digest(secret)) != 1: // also when there is no row
		return refuse("The API key is not known.")
	case row.Row.RevokedAt != nil:
		return refuse("The API key was revoked.")
	case row.Left != nil && *row.Left <= 0:
		return refuse("The API key has expired.")
	}
	if row.Stale {
		err := g.Exec(`UPDATE api_keys SET last_used_at = clock_timestamp()
			WHERE id = ? AND COALESCE(last_used_at <= clock_timestamp() - interval '1 minute', true)`, id).Error
		if err != nil {
			return Key{}, fmt.Errorf("staff: touch key: %w", err)
		}
	}
	ttl := s.opts.KeyCacheTTL
	if row.Left != nil && *row.Left < ttl.Seconds() {
		ttl = time.Duration(*row.Left * float64(time.Second))
	}
	k := row.Row.key()
	s.keys.put(token, k, ttl, mark)
	return k, nil
}

// splitToken takes `rk_<id>_<secret>` apart. Ids have no underscore, secrets may.
func splitToken(token string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(token, "rk_")
	if !ok || len(token) > 128 {
		return "", "", false
	}
	id, secret, ok = strings.Cut(rest, "_")
	return id, secret, ok && secret != "" && storable(id)
}

// RevokeKey ends a key for good. Faults: NotFound, Conflict when it was revoked before.
func (s *Service) RevokeKey(ctx context.Context, by By, id, reason string) error {
	if !storable(id) {
		return keyNotFound()
	}
	err := db.InTx(ctx, s.db, func(tx *gorm.DB) error {
		r := tx.Exec(`UPDATE api_keys SET revoked_at = clock_timestamp() WHERE id = ? AND revoked_at IS NULL`, id)
		if r.Error != nil {
			return fmt.Errorf("staff: revoke key: %w", r.Error)
		}
		if r.RowsAffected == 0 {
			var exists bool
			if err := tx.Raw(`SELECT EXISTS (SELECT FROM api_keys WHERE id = ?)`, id).Scan(&exists).Error; err != nil {
				return fmt.Errorf("staff: revoke key: %w", err)
			}
			if !exists {
				return keyNotFound()
			}
			return fault.State("revoked", "This API key was revoked before.")
		}
		return by.record(ctx, tx, audit.Row{Action: ActionKeyRevoke, Object: keyObject(id), Reason: reason})
	})
	if err != nil {
		return err
	}
	s.keys.drop(id)
	return nil
}

// ListKeys returns all keys, the revoked and expired included, newest first. They are few: there
// are no pages.
func (s *Service) ListKeys(ctx context.Context) ([]Key, error) {
	var rows []keyRow
	err := s.db.WithContext(ctx).Raw(`SELECT ` + keyColumns + ` FROM api_keys ORDER BY created_at DESC, id`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("staff: list keys: %w", err)
	}
	keys := make([]Key, len(rows))
	for i, r := range rows {
		keys[i] = r.key()
	}
	return keys, nil
}

func keyObject(id string) string { return "key:" + id }

func keyNotFound() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "There is no such API key.")
}
