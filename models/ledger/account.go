package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
)

// Account is a paying customer.
type Account struct {
	Key        int64
	ID         string
	Name       string
	Plan       string
	Region     string
	Attributes string
	// FrozenAt is set while the account takes no charges.
	FrozenAt *time.Time
	// Balance and LastSeq repeat the newest entry.
	Balance int64
	LastSeq int64
	// LastAt is the time of the newest entry, nil when there is none.
	LastAt *time.Time
	// NegativeSince is set while the balance is below zero.
	NegativeSince *time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// newestEntry joins an account a with its newest entry n, and headIsWhole tells whether the head repeats it.
const (
	newestEntry = `LEFT JOIN LATERAL (SELECT seq, balance_after, hash FROM entries
		WHERE account_key = a.key ORDER BY seq DESC LIMIT 1) n ON true`
	headIsWhole = `(a.last_seq = COALESCE(n.seq, 0) AND a.balance = COALESCE(n.balance_after, 0) AND (n.hash IS NULL OR a.last_hash = n.hash))`
)

const selectAccount = `SELECT key, id, name, plan, region, attributes::text AS attributes, frozen_at, balance, last_seq,
	last_at, negative_since, created_at, updated_at FROM accounts `

// Profile is what a caller may set of an account. nil fields are left as they are.
type Profile struct {
	Envelope
	AccountID  string
	Name       *string
	Plan       *string
	Region     *string
	Attributes map[string]string
	// Reason is why a person asked, up to 500 characters; programs leave it empty.
	Reason string
	// Seen is Account.UpdatedAt as the caller saw it: if the account was changed since, nothing is done
	// (fault state_conflict, state "changed"). nil changes it whatever it is.
	Seen *time.Time
}

// ProfileResult is the stored result of PutAccount, Freeze and Unfreeze.
type ProfileResult struct {
	AccountID  string            `json:"account_id"`
	Name       string            `json:"name"`
	Plan       string            `json:"plan"`
	Region     string            `json:"region"`
	Attributes map[string]string `json:"attributes"`
	Frozen     bool              `json:"frozen"`
	// Created is true when PutAccount made the account; left out otherwise.
	Created bool `json:"created,omitempty"`
}

// PutAccount creates an account or changes its profile. Where a person does so it leaves an audit row with what
// was changed. Faults: invalid_request, state_conflict (see Profile.Seen) and those of operation.Apply.
func (s *Service) PutAccount(ctx context.Context, p Profile) (operation.Outcome, error) {
	if err := ids.CheckCallerID(p.AccountID); err != nil {
		return operation.Outcome{}, fault.InvalidField("account_id", "%s", err)
	}
	var bad []fault.Field
	for _, f := range []struct {
		name  string
		value *string
		limit int
	}{{"name", p.Name, 200}, {"plan", p.Plan, 100}, {"region", p.Region, 100}} {
		if f.value != nil {
			bad = checkText(bad, f.name, *f.value, f.limit, false)
		}
	}
	bad = checkText(bad, "reason", p.Reason, 500, false)
	if len(p.Attributes) > 50 {
		bad = append(bad, fault.Field{Name: "attributes", Message: "has more than 50 members"})
	}
	for k, v := range p.Attributes {
		if k == "" {
			bad = append(bad, fault.Field{Name: "attributes", Message: "has an empty name"})
		}
		bad = checkText(bad, "attributes", k, 100, false)
		bad = checkText(bad, "attributes."+k, v, 500, false)
	}
	var attributes *string
	if p.Attributes != nil {
		b, err := json.Marshal(p.Attributes)
		if err != nil {
			return operation.Outcome{}, fmt.Errorf("ledger: %w", err)
		}
		text := string(b)
		attributes = &text
	}
	var created bool
	req := operation.Request{
		Scope: operation.Account(p.AccountID), ID: p.OperationID, Kind: "put_account", Actor: p.Actor, RequestID: p.RequestID,
		Reason: p.Reason, Invalid: bad,
		Input: operation.Input{"name": p.Name, "plan": p.Plan, "region": p.Region, "attributes": p.Attributes, "reason": optional(p.Reason)},
		// The scope is the account's own, so a new account has to be there before its first operation.
		Prepare: func(ctx context.Context, g *gorm.DB) error {
			res := g.WithContext(ctx).Exec(`INSERT INTO accounts (id) VALUES (?) ON CONFLICT DO NOTHING`, p.AccountID)
			created = res.RowsAffected == 1
			return res.Error
		},
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		person := p.Actor.Kind == actor.Staff("").Kind
		var before ProfileResult
		if person {
			var err error
			if before, err = s.lockProfile(ctx, tx); err != nil {
				return nil, err
			}
		}
		result, err := s.change(ctx, tx, changedMeanwhile, `UPDATE accounts SET name = COALESCE(?, name), plan = COALESCE(?, plan),
			region = COALESCE(?, region), attributes = COALESCE(?::jsonb, attributes), updated_at = clock_timestamp()
			WHERE key = ? AND (?::timestamptz IS NULL OR updated_at = ?)`, p.Name, p.Plan, p.Region, attributes, tx.AccountKey, p.Seen, p.Seen)
		if err != nil {
			return nil, err
		}
		result.Created = created
		if person {
			err = auditProfile(ctx, tx, before, result)
		}
		return result, err
	})
}

// lockProfile takes the account's lock and reads its profile in one: a row that was waited for comes as it is then.
func (s *Service) lockProfile(ctx context.Context, tx *operation.Tx) (ProfileResult, error) {
	var a Account
	if err := tx.DB.WithContext(ctx).Raw(selectAccount+`WHERE key = ? FOR NO KEY UPDATE`, tx.AccountKey).Scan(&a).Error; err != nil {
		return ProfileResult{}, fmt.Errorf("ledger: lock account: %w", err)
	}
	return profileOf(a)
}

// auditProfile tells what of a profile a person changed, member by member; nothing, where nothing was.
func auditProfile(ctx context.Context, tx *operation.Tx, before, after ProfileResult) error {
	was, is := map[string]string{}, map[string]string{}
	differ := func(name, x, y string, inX, inY bool) {
		if inX == inY && x == y {
			return
		}
		if inX {
			was[name] = x
		}
		if inY {
			is[name] = y
		}
	}
	differ("name", before.Name, after.Name, true, true)
	differ("plan", before.Plan, after.Plan, true, true)
	differ("region", before.Region, after.Region, true, true)
	for k, v := range before.Attributes {
		w, there := after.Attributes[k]
		differ("attributes."+k, v, w, true, there)
	}
	for k, w := range after.Attributes {
		if _, there := before.Attributes[k]; !there {
			differ("attributes."+k, "", w, false, true)
		}
	}
	if len(was)+len(is) == 0 {
		return nil
	}
	r := tx.Request
	return audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: r.Kind, Object: r.Scope.String(), Reason: r.Reason, Before: was, After: is,
		OperationID: r.ID, RequestID: r.RequestID, TraceID: tx.TraceID})
}

// changedMeanwhile refuses a change of a profile that is not any more what the caller saw.
func changedMeanwhile(Account) error {
	return fault.State("changed", "The account was changed meanwhile. Nothing was changed now.")
}

// frozenAlready refuses to freeze a frozen account or to unfreeze one that is not.
func frozenAlready(a Account) error {
	state := "active"
	if a.FrozenAt != nil {
		state = "frozen"
	}
	return fault.State(state, "The account is %s already. Nothing was changed.", state)
}

// FreezeRequest asks to freeze or unfreeze an account.
type FreezeRequest struct {
	Envelope
	AccountID string
	// Reason is required.
	Reason string
}

// Freeze makes an account refuse charges; refunds, reclaims, grants and adjustments go on. Faults:
// invalid_request, account_not_found, state_conflict when it is frozen already, and those of
// operation.Apply. It leaves an audit row.
func (s *Service) Freeze(ctx context.Context, r FreezeRequest) (operation.Outcome, error) {
	return s.setFrozen(ctx, r, "freeze", `UPDATE accounts SET frozen_at = clock_timestamp(), updated_at = clock_timestamp()
		WHERE key = ? AND frozen_at IS NULL`)
}

// Unfreeze makes a frozen account take charges again. Faults as for Freeze.
func (s *Service) Unfreeze(ctx context.Context, r FreezeRequest) (operation.Outcome, error) {
	return s.setFrozen(ctx, r, "unfreeze", `UPDATE accounts SET frozen_at = NULL, updated_at = clock_timestamp()
		WHERE key = ? AND frozen_at IS NOT NULL`)
}

func (s *Service) setFrozen(ctx context.Context, r FreezeRequest, kind, guard string) (operation.Outcome, error) {
	req := operation.Request{
		Scope: operation.Account(r.AccountID), ID: r.OperationID, Kind: kind, Actor: r.Actor, RequestID: r.RequestID,
		Reason: r.Reason, Input: operation.Input{"reason": r.Reason}, Invalid: checkText(nil, "reason", r.Reason, 500, true),
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		result, err := s.change(ctx, tx, frozenAlready, guard, tx.AccountKey)
		if err != nil {
			return nil, err
		}
		frozen := kind == "freeze"
		return result, audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: kind, Object: "account:" + r.AccountID,
			Reason: r.Reason, Before: map[string]bool{"frozen": !frozen}, After: map[string]bool{"frozen": frozen},
			OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
	})
}

// change runs one conditional update of the account row and returns the profile after it; zero rows
// mean that the state did not allow it, and refused words that.
func (s *Service) change(ctx context.Context, tx *operation.Tx, refused func(Account) error, update string, args ...any) (ProfileResult, error) {
	res := tx.DB.WithContext(ctx).Exec(update, args...)
	if res.Error != nil {
		return ProfileResult{}, fmt.Errorf("ledger: change account: %w", res.Error)
	}
	var a Account
	if err := tx.DB.WithContext(ctx).Raw(selectAccount+`WHERE key = ?`, tx.AccountKey).Scan(&a).Error; err != nil {
		return ProfileResult{}, fmt.Errorf("ledger: read account: %w", err)
	}
	if res.RowsAffected == 0 {
		return ProfileResult{}, refused(a)
	}
	return profileOf(a)
}

func profileOf(a Account) (ProfileResult, error) {
	out := ProfileResult{AccountID: a.ID, Name: a.Name, Plan: a.Plan, Region: a.Region, Frozen: a.FrozenAt != nil}
	if err := json.Unmarshal([]byte(a.Attributes), &out.Attributes); err != nil {
		return ProfileResult{}, fmt.Errorf("ledger: attributes: %w", err)
	}
	return out, nil
}

// Account returns one account by the caller's id, or fault account_not_found.
func (s *Service) Account(ctx context.Context, id string) (Account, error) {
	if s.known != nil {
		if a, ok := s.known.accounts[id]; ok {
			return a, nil
		}
	}
	var a Account
	res := s.g.WithContext(ctx).Raw(selectAccount+`WHERE id = ?`, id).Scan(&a)
	if res.Error != nil {
		return a, fmt.Errorf("ledger: account: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return a, fault.New(fault.NotFound, fault.CodeAccountNotFound, "There is no account %q.", id)
	}
	if s.known != nil {
		s.known.accounts[id] = a
	}
	return a, nil
}

// HeadDiffers reports whether an account's head differs from its newest entry: charges are refused then,
// until the head is rebuilt.
func (s *Service) HeadDiffers(ctx context.Context, accountKey int64) (bool, error) {
	var differs bool
	err := s.g.WithContext(ctx).Raw(`SELECT NOT `+headIsWhole+` FROM accounts a `+newestEntry+` WHERE a.key = ?`, accountKey).Scan(&differs).Error
	if err != nil {
		return false, fmt.Errorf("ledger: head: %w", err)
	}
	return differs, nil
}

// LockFrozen takes an account's lock for the rest of the transaction and tells whether the account is frozen, for
// whoever posts to many accounts and leaves the frozen ones out. Fault: account_not_found.
func (s *Service) LockFrozen(ctx context.Context, tx *gorm.DB, accountKey int64) (frozen bool, err error) {
	res := tx.WithContext(ctx).Raw(`SELECT frozen_at IS NOT NULL FROM accounts WHERE key = ? FOR NO KEY UPDATE`, accountKey).Scan(&frozen)
	if res.Error != nil {
		return false, fmt.Errorf("ledger: lock: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return false, fault.New(fault.NotFound, fault.CodeAccountNotFound, "The account does not exist. Nothing was written.")
	}
	return frozen, nil
}
