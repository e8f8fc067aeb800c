package ledger

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/fault"
)

// Total is the sum of one type's entries.
type Total struct {
	Type  Type
	Count int64
	// Amount is exact, however many entries there are.
	Amount credit.Sum
}

// atOnceTime bounds the sums that a page adds up by itself where no index leads to the entries.
const atOnceTime = time.Second

// sumTime bounds the sums of a filter that somebody asked for and nothing makes quick.
const sumTime = 20 * time.Second

// ofAccount reports whether checkpoints give the totals of the filter: all of one account in a period, by type.
func (f Filter) ofAccount() bool {
	one := f.AccountID != ""
	// Compared as a whole: a member that is added to Filter restricts in a way that checkpoints do not know.
	f.AccountID, f.Types, f.From, f.To, f.AnySign = "", nil, nil, nil, false
	return one && reflect.DeepEqual(f, Filter{})
}

// Quick reports whether Totals adds a filter up from derived sums, so that its cost does not grow with the entries: an
// account's in a period, or by what the rollup is grouped by and a period of all accounts.
func (f Filter) Quick() bool { return f.ofAccount() || f.Derived() }

// Totals sums the filtered entries by type, in the order of Types; types without entries are left out. Unless the
// filter is Quick it reads every entry that is selected, which may take 20 seconds. Faults: account_not_found;
// filter_too_wide when that was not enough.
func (s *Service) Totals(ctx context.Context, f Filter) ([]Total, error) {
	switch {
	case f.Derived():
		return s.derivedTotals(ctx, f)
	case f.ofAccount():
		return s.accountTotals(ctx, f)
	}
	w, _, err := s.where(ctx, f)
	if err != nil {
		return nil, err
	}
	if len(f.Types) > 0 {
		w.And(ofType(f.Types...))
	}
	var totals []Total
	err = s.within(ctx, sumTime, func(g *gorm.DB) (err error) {
		totals, err = sumByType(g, `SELECT e.type, count(*) AS count, sum(e.amount) AS amount FROM entries e `+w.SQL()+` GROUP BY e.type`, w.Args()...)
		return err
	})
	return totals, err
}

// TotalsUpTo is Totals for a page that must be there at once: where nothing makes the sums quick, it gives up beyond
// limit entries, or when these cannot be found in time. Whole is false then, and totals are nil. Fault:
// account_not_found.
func (s *Service) TotalsUpTo(ctx context.Context, f Filter, limit int) (totals []Total, whole bool, err error) {
	if f.Quick() {
		totals, err = s.Totals(ctx, f)
		return totals, err == nil, err
	}
	w, one, err := s.where(ctx, f)
	if err != nil {
		return nil, false, err
	}
	// The rows are looked for as the page looks for them, so that they are not found in another and longer way.
	inner, args := byType(w, f.Types, fmt.Sprintf(f.order(one), "DESC"), limit+1)
	sum := func(g *gorm.DB) (err error) {
		totals, err = sumByType(g, `SELECT e.type, count(*) AS count, sum(e.amount) AS amount FROM (`+inner+`) e GROUP BY e.type`, args...)
		return err
	}
	if f.indexed() {
		err = sum(s.g.WithContext(ctx))
	} else {
		err = s.within(ctx, atOnceTime, sum)
	}
	if fault.Is(err, fault.CodeFilterTooWide) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var n int64
	for _, t := range totals {
		n += t.Count
	}
	if n > int64(limit) {
		return nil, false, nil
	}
	return totals, true, nil
}

// TotalsOf sums entries by type that were read already, in the order of Types.
func TotalsOf(entries []Entry) []Total {
	var out []Total
	for _, t := range Types() {
		total := Total{Type: t}
		for _, e := range entries {
			if e.Type == t {
				total.Count++
				total.Amount = total.Amount.Plus(credit.SumOf(e.Amount))
			}
		}
		if total.Count > 0 {
			out = append(out, total)
		}
	}
	return out
}

// accountTotals are the totals of an account in a period, from checkpoints.
func (s *Service) accountTotals(ctx context.Context, f Filter) ([]Total, error) {
	a, err := s.Account(ctx, f.AccountID)
	if err != nil {
		return nil, err
	}
	if _, _, err := s.where(ctx, Filter{Types: f.Types}); err != nil {
		return nil, err
	}
	p, err := s.spanOf(ctx, a.Key, f)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(f.Types))
	for i, t := range f.Types {
		names[i] = string(t)
	}
	list := ""
	if len(names) > 0 {
		list = "{" + strings.Join(names, ",") + "}"
	}
	return s.totals(ctx, p, list)
}

// sumByType reads totals in the order of Types.
func sumByType(g *gorm.DB, query string, args ...any) ([]Total, error) {
	var rows []Total
	if err := g.Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("ledger: totals: %w", db.Fault(err))
	}
	return inOrder(rows), nil
}
