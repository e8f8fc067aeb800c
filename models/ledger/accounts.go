package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recoup/models/page"
	"recoup/models/where"
)

// AccountFilter selects accounts. Zero members do not restrict.
type AccountFilter struct {
	// Search matches the beginning of the id (case-sensitive) or of the name (not case-sensitive).
	Search string `json:"q,omitempty"`
	// Plan matches exactly.
	Plan     string `json:"plan,omitempty"`
	Negative bool   `json:"negative,omitempty"`
	Frozen   bool   `json:"frozen,omitempty"`
}

// AccountPosition is an account's place in the list: its id; among those below zero since when and its key.
type AccountPosition struct {
	ID    string    `json:"id,omitempty"`
	Since time.Time `json:"t,omitzero"`
	Key   int64     `json:"k,omitempty"`
}

// Accounts returns a page of accounts in the order of their ids; with Negative, those longest below zero first.
func (s *Service) Accounts(ctx context.Context, f AccountFilter, from *AccountPosition, dir page.Direction, limit int) (page.Page[Account, AccountPosition], error) {
	w := where.Clause{}
	if f.Search != "" {
		like := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
		w.And("id LIKE ? OR lower(name) LIKE ?", like.Replace(f.Search)+"%", like.Replace(strings.ToLower(f.Search))+"%")
	}
	if f.Plan != "" {
		w.And("plan = ?", f.Plan)
	}
	if f.Negative {
		w.And("negative_since IS NOT NULL")
	}
	if f.Frozen {
		w.And("frozen_at IS NOT NULL")
	}
	compare, order := ">", "ASC"
	if dir == page.Newer {
		compare, order = "<", "DESC"
	}
	by := "id " + order
	if f.Negative {
		by = "negative_since " + order + ", key " + order
	}
	switch {
	case from == nil:
	case f.Negative:
		w.And("(negative_since, key) "+compare+" (?, ?)", from.Since, from.Key)
	default:
		w.And("id "+compare+" ?", from.ID)
	}
	var rows []Account
	err := s.g.WithContext(ctx).Raw(selectAccount+w.SQL()+" ORDER BY "+by+" LIMIT ?", w.Args(limit+1)...).Scan(&rows).Error
	if err != nil {
		return page.Page[Account, AccountPosition]{}, fmt.Errorf("ledger: accounts: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(a Account) AccountPosition {
		if f.Negative && a.NegativeSince != nil {
			return AccountPosition{Since: a.NegativeSince.UTC(), Key: a.Key}
		}
		return AccountPosition{ID: a.ID}
	}), nil
}

// Negative counts the accounts below zero and finds the one that has been so for longest; nil when
// there is none.
func (s *Service) Negative(ctx context.Context) (count int64, oldest *Account, err error) {
	if err := s.g.WithContext(ctx).Raw(`SELECT count(*) FROM accounts WHERE negative_since IS NOT NULL`).Scan(&count).Error; err != nil {
		return 0, nil, fmt.Errorf("ledger: negative accounts: %w", err)
	}
	if count == 0 {
		return 0, nil, nil
	}
	var a Account
	res := s.g.WithContext(ctx).Raw(selectAccount + `WHERE negative_since IS NOT NULL ORDER BY negative_since, key LIMIT 1`).Scan(&a)
	if res.Error != nil {
		return 0, nil, fmt.Errorf("ledger: negative accounts: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return 0, nil, nil
	}
	return count, &a, nil
}
