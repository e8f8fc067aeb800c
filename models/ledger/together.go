package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/operation"
)

// LimitWindow is how far back, in words of PostgreSQL, what one requester moved alone counts towards the limit.
const LimitWindow = "24 hours"

// movedAlone are the entries by which a requester moved credits alone within LimitWindow; the account is the caller's to
// add. Payments of settlements are attributed to a rollout, and a second person approved them.
const movedAlone = `FROM entries e WHERE e.actor = ? AND e.created_at > clock_timestamp() - interval '` + LimitWindow + `'
	AND e.type IN ('grant', 'adjustment') AND e.rollout_id IS NULL
	AND NOT EXISTS (SELECT 1 FROM change_requests c
		WHERE c.account_key = e.account_key AND c.scope = '' AND c.operation_id = e.operation_id AND c.state = 'approved')
	AND NOT EXISTS (SELECT 1 FROM bulk_grant_references r JOIN bulk_grants b ON b.key = r.bulk_key
			JOIN change_requests c ON c.account_key = 0 AND c.scope = 'bulk_grants' AND c.operation_id = b.operation_id
		WHERE r.reference = e.operation_id AND r.account_key = e.account_key AND b.uploaded_by = e.actor AND c.state = 'approved')`

// Room is how many credits a requester may still add to an account, and take from it, without a second person.
type Room struct{ Add, Take int64 }

// RoomOf reads what is left of the limit for a requester on an account, by the rule of OverTogether. ok is false when there
// is no limit. It is of one moment: what is asked for later is judged anew.
func (s *Service) RoomOf(ctx context.Context, who actor.Actor, account string) (room Room, ok bool, err error) {
	if s.limit == nil {
		return Room{}, false, nil
	}
	err = db.Row(ctx, s.g, `SELECT GREATEST($3 - added, 0)::bigint, GREATEST($3 - taken, 0)::bigint FROM (
			SELECT COALESCE(sum(e.amount) FILTER (WHERE e.amount > 0), 0) AS added, COALESCE(-sum(e.amount) FILTER (WHERE e.amount < 0), 0) AS taken `+
		strings.Replace(movedAlone, "?", "$1", 1)+` AND e.account_key = (SELECT key FROM accounts WHERE id = $2)) m`,
		who.String(), account, s.limit.Credits).Scan(&room.Add, &room.Take)
	if err != nil {
		return room, true, fmt.Errorf("ledger: room: %w", db.Fault(err))
	}
	return room, true, nil
}

// OverTogether tells on which of the accounts, by their keys, the amounts would take the requester above the limit
// together with what the same requester moved there alone, in the same direction, within LimitWindow: grants and
// adjustments that no second person approved. Who asks inside a transaction holds the locks of the accounts
// (LockAccounts), so that two of one's own requests cannot both find room. Without a limit it is none of them. The answer is in the order of the keys.
func (s *Service) OverTogether(ctx context.Context, g *gorm.DB, who actor.Actor, amounts map[int64]int64) ([]int64, error) {
	if s.limit == nil || len(amounts) == 0 {
		return nil, nil
	}
	type line struct {
		Key    int64 `json:"key"`
		Amount int64 `json:"amount"`
	}
	lines := make([]line, 0, len(amounts))
	for key, amount := range amounts {
		lines = append(lines, line{key, amount})
	}
	asked, err := json.Marshal(lines)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	var over []int64
	// The sum is of numerics, so it cannot overflow.
	err = g.WithContext(ctx).Raw(`SELECT w.key FROM json_to_recordset(?::json) AS w (key bigint, amount bigint)
		LEFT JOIN LATERAL (SELECT sum(e.amount) AS moved `+movedAlone+`
				AND e.account_key = w.key AND (e.amount > 0) = (w.amount > 0)) m ON true
		WHERE abs(w.amount::numeric + COALESCE(m.moved, 0)) > ?`, string(asked), who.String(), s.limit.Credits).Scan(&over).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: moved together: %w", err)
	}
	slices.Sort(over)
	return over, nil
}

// LockAccounts takes the locks of accounts for the rest of the transaction, in the order of their keys.
func (s *Service) LockAccounts(ctx context.Context, tx *operation.Tx, keys []int64) error {
	if len(keys) == 0 {
		return nil
	}
	asked, err := json.Marshal(keys)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	err = tx.DB.WithContext(ctx).Exec(`SELECT a.key FROM accounts a WHERE a.key IN (SELECT value::bigint FROM json_array_elements_text(?::json))
		ORDER BY a.key FOR NO KEY UPDATE OF a`, string(asked)).Error
	if err != nil {
		return fmt.Errorf("ledger: lock accounts: %w", err)
	}
	return nil
}

// needsSecond reports whether a posting of the operation's account needs a second person: by itself, or together with
// what the same requester moved there before. It takes the account's lock where the amount alone does not tell.
func (s *Service) needsSecond(ctx context.Context, tx *operation.Tx, p Posting) (bool, error) {
	if s.limit == nil || s.exceeds(p.Amount) {
		return s.exceeds(p.Amount), nil
	}
	if err := s.LockAccounts(ctx, tx, []int64{tx.AccountKey}); err != nil {
		return false, err
	}
	over, err := s.OverTogether(ctx, tx.DB, tx.Request.Actor, map[int64]int64{tx.AccountKey: p.Amount})
	return len(over) > 0, err
}
