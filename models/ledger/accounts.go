package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

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
	query, args, err := s.searched(ctx, f, w, by, limit+1)
	if err != nil {
		return page.Page[Account, AccountPosition]{}, err
	}
	var rows []Account
	if err := s.g.WithContext(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return page.Page[Account, AccountPosition]{}, fmt.Errorf("ledger: accounts: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(a Account) AccountPosition {
		if f.Negative && a.NegativeSince != nil {
			return AccountPosition{Since: a.NegativeSince.UTC(), Key: a.Key}
		}
		return AccountPosition{ID: a.ID}
	}), nil
}

// namesSorted is how many accounts found by their name are sorted by id. Where more match, they are found often enough
// on the way through all accounts.
const namesSorted = 500

// searched is the query of the first accounts under w and the filter's search in an order.
func (s *Service) searched(ctx context.Context, f AccountFilter, w where.Clause, by string, limit int) (query string, args []any, err error) {
	first := func(w where.Clause) string { return selectAccount + w.SQL() + " ORDER BY " + by + where.Limit(limit) }
	if f.Search == "" {
		return first(w), w.Args(), nil
	}
	// A beginning is looked up as a range: the planner cannot see that a pattern it does not know has one. No id goes
	// on with a character behind "~", no name with one behind the last.
	const inIDs, inNames = "id >= ? AND id < ?", "lower(name) ~>=~ ? AND lower(name) ~<~ ?"
	id, name := f.Search, strings.ToLower(f.Search)
	nameRange := []any{name, name + string(utf8.MaxRune)}
	var named int
	err = s.g.WithContext(ctx).Raw(`SELECT count(*) FROM (SELECT 1 FROM accounts WHERE `+inNames+where.Limit(namesSorted+1)+`) x`, nameRange...).Scan(&named).Error
	if err != nil {
		return "", nil, fmt.Errorf("ledger: accounts: %w", err)
	}
	if named > namesSorted {
		like := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
		w.And("id LIKE ? OR lower(name) LIKE ?", like.Replace(id)+"%", like.Replace(name)+"%")
		return first(w), w.Args(), nil
	}
	byID, byName := w.Clone(), w.Clone()
	byID.And(inIDs, id, id+"~")
	byName.And(inNames, nameRange...)
	byName.And("NOT ("+inIDs+")", id, id+"~")
	return "SELECT * FROM ((" + first(byID) + ") UNION ALL (" + first(byName) + ")) a ORDER BY " + by + where.Limit(limit),
		append(byID.Args(), byName.Args()...), nil
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
