package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/where"
)

// selectRequest reads change requests with the state that the clock gives them.
const selectRequest = `SELECT c.key, c.id, c.kind, c.object, c.account_key, COALESCE(a.id, '') AS account_id, c.scope, c.operation_id,
	c.proposal, c.digest, c.reason, c.requested_by, c.requested_at, c.expires_at,
	CASE WHEN c.state = 'open' AND c.expires_at <= clock_timestamp() THEN 'expired' ELSE c.state END AS state,
	c.version, c.decided_by, c.decided_at, c.decision_reason, c.replaced_by, COALESCE(k.created_by, '') AS behind
	FROM change_requests c LEFT JOIN accounts a ON a.key = c.account_key LEFT JOIN api_keys k ON c.requested_by = 'key:' || k.id `

func find(ctx context.Context, g *gorm.DB, where string, args ...any) (Request, error) {
	var r Request
	res := g.WithContext(ctx).Raw(selectRequest+`WHERE `+where, args...).Scan(&r)
	if res.Error != nil {
		return r, fmt.Errorf("approval: find: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return r, gorm.ErrRecordNotFound
	}
	return r, nil
}

func notFound(id string) *fault.Error {
	return fault.New(fault.NotFound, CodeRequestNotFound, "There is no change request %q.", id)
}

// validID tells whether a change request can have this id: some texts the database would not even compare.
func validID(id string) bool {
	rest, ok := strings.CutPrefix(id, "cr_")
	return ok && len(rest) == 16 && !strings.ContainsFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// Find returns one change request, or fault change_request_not_found.
func (s *Store) Find(ctx context.Context, id string) (Request, error) {
	if !validID(id) {
		return Request{}, notFound(id)
	}
	r, err := find(ctx, s.g, `c.id = ?`, id)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return r, notFound(id)
	}
	return r, err
}

// OfOperation returns the change request of one operation, nil when it never needed one. scope may name its
// account by id or by key.
func (s *Store) OfOperation(ctx context.Context, scope operation.Scope, id string) (*Request, error) {
	where, account := `c.account_key = ?`, any(scope.AccountKey)
	if scope.AccountID != "" {
		where, account = `c.account_key = (SELECT key FROM accounts WHERE id = ?)`, scope.AccountID
	}
	r, err := find(ctx, s.g, where+` AND c.scope = ? AND c.operation_id = ?`, account, scope.Name, id)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// CountOpen counts those that can be decided and that the filter keeps, up to most.
func (s *Store) CountOpen(ctx context.Context, f Filter, most int) (int64, error) {
	n, err := db.Counts(ctx, s.g, Undecided(f, most))
	if err != nil {
		return 0, fmt.Errorf("approval: count: %w", err)
	}
	return n[0], nil
}

// Undecided is what CountOpen counts, for whoever counts other things as well.
func Undecided(f Filter, most int) db.Count {
	f.Undecided = true
	conditions, args := f.where()
	return db.Count{SQL: `SELECT count(*) FROM (SELECT 1 FROM change_requests c WHERE ` + strings.Join(conditions, ` AND `) + where.Limit(most) + `) o`, Args: args}
}

// Filter narrows a list. Zero values do not.
type Filter struct {
	// Undecided keeps the open ones, Closed all others. Both at once find nothing.
	Undecided, Closed bool
	State             State
	Kind              Kind
	// Object is exact, e.g. "account:acct_7".
	Object string
	// RequestedBy and DecidedBy are actors as they are stored.
	RequestedBy, DecidedBy string
	// Kinds keeps those of any of these kinds, NotKinds all others; nil keeps all.
	Kinds, NotKinds []Kind
	// NotRequestedBy leaves out what this actor asked for, also by an API key of its making.
	NotRequestedBy string
}

// where is the filter as conditions on change_requests c, with their values.
func (f Filter) where() (where []string, args []any) {
	and := func(cond string, values ...any) {
		where, args = append(where, cond), append(args, values...)
	}
	const open = `c.state = 'open' AND c.expires_at > clock_timestamp()`
	if f.Undecided {
		and(open)
	}
	if f.Closed {
		and(`NOT (` + open + `)`)
	}
	switch f.State {
	case "":
	case Open:
		and(open)
	case Expired:
		and(`c.state = 'open' AND c.expires_at <= clock_timestamp()`)
	default:
		and(`c.state = ?`, string(f.State))
	}
	for _, x := range []struct{ column, value string }{{"kind", string(f.Kind)}, {"object", f.Object},
		{"requested_by", f.RequestedBy}, {"decided_by", f.DecidedBy}} {
		if x.value != "" {
			and(`c.`+x.column+` = ?`, x.value)
		}
	}
	if len(f.Kinds) > 0 {
		and(`c.kind IN ?`, texts(f.Kinds))
	}
	if len(f.NotKinds) > 0 {
		and(`c.kind NOT IN ?`, texts(f.NotKinds))
	}
	if f.NotRequestedBy != "" {
		and(`c.requested_by <> ?`, f.NotRequestedBy)
		and(`NOT EXISTS (SELECT 1 FROM api_keys k WHERE c.requested_by = 'key:' || k.id AND k.created_by = ?)`, f.NotRequestedBy)
	}
	return where, args
}

func texts(kinds []Kind) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = string(k)
	}
	return out
}

// Position is a place in the list.
type Position struct{ Key int64 }

// List returns a page of change requests, newest first.
func (s *Store) List(ctx context.Context, f Filter, from *Position, dir page.Direction, limit int) (page.Page[Request, Position], error) {
	where, args := f.where()
	and := func(cond string, values ...any) {
		where, args = append(where, cond), append(args, values...)
	}
	order := `DESC`
	if dir == page.Newer {
		order = `ASC`
	}
	if from != nil {
		if dir == page.Newer {
			and(`c.key > ?`, from.Key)
		} else {
			and(`c.key < ?`, from.Key)
		}
	}
	query := selectRequest
	if len(where) > 0 {
		query += `WHERE ` + strings.Join(where, ` AND `)
	}
	var rows []Request
	err := s.g.WithContext(ctx).Raw(query+` ORDER BY c.key `+order+` LIMIT ?`, append(args, limit+1)...).Scan(&rows).Error
	if err != nil {
		return page.Page[Request, Position]{}, fmt.Errorf("approval: list: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(r Request) Position { return Position{Key: r.Key} }), nil
}

// History returns what people did to a change request, newest first, refusals included, at most limit rows.
func (s *Store) History(ctx context.Context, id string, limit int) ([]audit.Stored, error) {
	return audit.Of(ctx, s.g, ObjectOf(id), limit)
}
