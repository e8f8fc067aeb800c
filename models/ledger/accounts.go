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
	var place, rest where.Clause
	if f.Plan != "" {
		rest.And("plan = ?", f.Plan)
	}
	if f.Negative {
		place.And("negative_since IS NOT NULL")
	}
	if f.Frozen {
		rest.And("frozen_at IS NOT NULL")
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
		place.And("(negative_since, key) "+compare+" (?, ?)", from.Since, from.Key)
	default:
		place.And("id "+compare+" ?", from.ID)
	}
	rows, err := s.searched(ctx, f, place, rest, by, limit+1)
	if err != nil {
		return page.Page[Account, AccountPosition]{}, err
	}
	return page.Cut(rows, limit, from, dir, func(a Account) AccountPosition {
		if f.Negative && a.NegativeSince != nil {
			return AccountPosition{Since: a.NegativeSince.UTC(), Key: a.Key}
		}
		return AccountPosition{ID: a.ID}
	}), nil
}

const (
	// namesFew is how many accounts found by their name are sorted without a look at how common the name is.
	namesFew = 50
	// namesSorted is how many of them are sorted at all. Where more match, they are found often enough on the way through all
	// accounts.
	namesSorted = 500
	// walkedPerRow is how many accounts are looked at for each row of a page, in the hope that they fill it.
	walkedPerRow = 20
)

// searched finds the first accounts under two clauses and the filter's search in an order: place is what an index leads to,
// rest what is left to look at.
func (s *Service) searched(ctx context.Context, f AccountFilter, place, rest where.Clause, by string, limit int) ([]Account, error) {
	find := func(query string, args []any) (rows []Account, err error) {
		if err := s.g.WithContext(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
			return nil, fmt.Errorf("ledger: accounts: %w", err)
		}
		return rows, nil
	}
	both := place.Clone()
	both.Join(rest)
	first := func(w where.Clause, limit int) string {
		return selectAccount + w.SQL() + " ORDER BY " + by + where.Limit(limit)
	}
	if f.Search == "" {
		return find(first(both, limit), both.Args())
	}
	// A beginning is looked up as a range: the planner cannot see that a pattern it does not know has one. No id goes
	// on with a character behind "~", no name with one behind the last.
	const inIDs, inNames = "id >= ? AND id < ?", "fold(name) ~>=~ fold(?) AND fold(name) ~<~ fold(?)"
	id := f.Search
	nameRange := []any{id, id + string(utf8.MaxRune)}
	// In the order of its index, or the planner hopes to meet so few names sooner in the table as it lies.
	named := func(most int) (n int, err error) {
		err = s.g.WithContext(ctx).Raw(`SELECT count(*) FROM (SELECT 1 FROM accounts WHERE `+inNames+` ORDER BY fold(name) USING ~<~`+where.Limit(most+1)+`) x`, nameRange...).Scan(&n).Error
		if err != nil {
			return 0, fmt.Errorf("ledger: accounts: %w", err)
		}
		return n, nil
	}
	like := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	begins, patterns := "id LIKE ? OR fold(name) LIKE (SELECT fold(?))", []any{like.Replace(id) + "%", like.Replace(id) + "%"}
	n, err := named(namesFew)
	if err != nil {
		return nil, err
	}
	if n > namesFew {
		// The name that many accounts have is that of many of the next ones too: they are at hand in their order, where the
		// names that are to be sorted lie all over the table.
		w := rest.Clone()
		w.And(begins, patterns...)
		rows, err := find("SELECT * FROM ("+first(place, walkedPerRow*limit)+") a "+w.SQL()+" ORDER BY "+by+where.Limit(limit), append(place.Args(), w.Args()...))
		if err != nil || len(rows) == limit {
			return rows, err
		}
		if n, err = named(namesSorted); err != nil {
			return nil, err
		}
	}
	switch {
	case n == 0:
		both.And(inIDs, id, id+"~")
		return find(first(both, limit), both.Args())
	case n > namesSorted:
		both.And(begins, patterns...)
		return find(first(both, limit), both.Args())
	}
	byID, byName := both.Clone(), both.Clone()
	byID.And(inIDs, id, id+"~")
	byName.And(inNames, nameRange...)
	byName.And("NOT ("+inIDs+")", id, id+"~")
	return find("SELECT * FROM (("+first(byID, limit)+") UNION ALL ("+first(byName, limit)+")) a ORDER BY "+by+where.Limit(limit),
		append(byID.Args(), byName.Args()...))
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
