package ledger

import (
	"context"
	"fmt"
	"time"

	"recoup/models/operation"
)

// Freezing is who froze an account, when and why.
type Freezing struct {
	Actor  string
	At     time.Time
	Reason string
}

// Frozen tells of the last time that an account was frozen, nil where it never was. Whoever sees the account may see
// that.
func (s *Service) Frozen(ctx context.Context, accountID string) (*Freezing, error) {
	var f Freezing
	res := s.g.WithContext(ctx).Raw(`SELECT actor, at, reason FROM audit_log WHERE object = ? AND action = 'freeze' AND outcome = 'done'
		ORDER BY at DESC, key DESC LIMIT 1`, operation.Account(accountID).String()).Scan(&f)
	if res.Error != nil {
		return nil, fmt.Errorf("ledger: frozen: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, nil
	}
	return &f, nil
}
