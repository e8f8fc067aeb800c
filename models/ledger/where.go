package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/where"
)

// where turns a filter into conditions on entries e, all but the types; one tells that all rows are of one account.
// Some conditions are said in the words of a partial index, which the planner finds by them.
func (s *Service) where(ctx context.Context, f Filter) (w *where.Clause, one bool, err error) {
	w = &where.Clause{}
	for _, t := range f.Types {
		if !t.Valid() {
			return nil, false, fault.InvalidField("type", "has no entry type %q", t)
		}
	}
	if f.AccountID != "" {
		a, err := s.Account(ctx, f.AccountID)
		if err != nil {
			return nil, false, err
		}
		one = true
		w.And("e.account_key = ?", a.Key)
		// Time rises with seq within an account: a search over seq finds the period's ends by a few
		// primary key reads, however long the account is.
		if f.From != nil {
			seq, err := s.seqBefore(ctx, a.Key, *f.From)
			if err != nil {
				return nil, false, err
			}
			w.And("e.seq > ?", seq)
		}
		if f.To != nil {
			seq, err := s.seqBefore(ctx, a.Key, *f.To)
			if err != nil {
				return nil, false, err
			}
			w.And("e.seq <= ?", seq)
		}
	} else {
		during(w, f)
	}
	if f.JobID != "" {
		w.And("(e.account_key, e.job_key) IN (SELECT account_key, key FROM jobs WHERE id = ?)", f.JobID)
	}
	equal := func(column, value string) {
		if value != "" {
			w.And("e."+column+" = ?", value)
		}
	}
	equal("operation_id", f.OperationID)
	if one {
		equal("rule_version", f.RuleVersion)
	}
	equal("rollout_id", f.RolloutID)
	equal("cohort", f.Cohort)
	equal("category", f.Category)
	if f.Action != "" {
		// A rule version is named after its action.
		w.And("starts_with(e.rule_version, ?)", f.Action+"@v")
	}
	equal("actor", f.Actor)
	if person(f.Actor) {
		w.And("e.actor LIKE 'staff:%'")
	}
	switch {
	case f.MinAmount != nil && f.AnySign:
		w.And("(e.amount >= ? OR e.amount <= ?)", *f.MinAmount, -*f.MinAmount)
	case f.MinAmount != nil:
		w.And("e.amount >= ?", *f.MinAmount)
	}
	switch {
	case f.MaxAmount != nil && f.AnySign:
		w.And("e.amount BETWEEN ? AND ?", -*f.MaxAmount, *f.MaxAmount)
	case f.MaxAmount != nil:
		w.And("e.amount <= ?", *f.MaxAmount)
	}
	return w, one, nil
}

// during restricts entries of all accounts to the filter's period and rule version. The version is said as a range, and
// with the period as one of rows: of two indexes that lead to the newest entries the planner would else take the one by
// time, as if the entries of a version lay evenly in it, and walk through all that came after a price of last year.
func during(w *where.Clause, f Filter) {
	column, of, marks := "e.created_at", []any(nil), "?"
	if f.RuleVersion != "" {
		w.And("e.rule_version BETWEEN ? AND ?", f.RuleVersion, f.RuleVersion)
		column, of, marks = "(e.rule_version, e.created_at)", []any{f.RuleVersion}, "(?, ?)"
	}
	if f.From != nil {
		w.And(column+" >= "+marks, append(of, *f.From)...)
	}
	if f.To != nil {
		w.And(column+" < "+marks, append(of, *f.To)...)
	}
}

// order is the columns by which entries of the filter are listed, a verb standing for ASC or DESC behind each: by seq within
// one account, else by time. The rule version is first where it is asked for, so that only its index has the order.
func (f Filter) order(one bool) string {
	switch {
	case one:
		return "e.seq %[1]s"
	case f.RuleVersion != "":
		return "e.rule_version %[1]s, e.created_at %[1]s, e.account_key %[1]s, e.seq %[1]s"
	}
	return "e.created_at %[1]s, e.account_key %[1]s, e.seq %[1]s"
}

func person(by string) bool { return strings.HasPrefix(by, actor.Staff("").String()+":") }

// ofType is the condition that an entry is of one of the types; types are valid. It is said by constants: the
// planner has to see whether an index that leaves charges out will do.
func ofType(types ...Type) string {
	if len(types) == 1 {
		return "e.type = '" + string(types[0]) + "'"
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = "'" + string(t) + "'"
	}
	return "e.type IN (" + strings.Join(names, ", ") + ")"
}

// byType is the query of the first rows under w in an order. With several types each is looked up by itself, so that
// rare ones are found in their index and not among everything else.
func byType(w *where.Clause, types []Type, by string, limit int) (query string, args []any) {
	first := func(cond string) string {
		return "SELECT * FROM entries e " + cond + " ORDER BY " + by + where.Limit(limit)
	}
	if len(types) == 0 {
		return first(w.SQL()), w.Args()
	}
	parts := make([]string, len(types))
	for i, t := range types {
		cond := "WHERE " + ofType(t)
		if rest := w.SQL(); rest != "" {
			cond = rest + " AND " + ofType(t)
		}
		parts[i] = first(cond)
		args = append(args, w.Args()...)
	}
	if len(parts) == 1 {
		return parts[0], args
	}
	return "SELECT * FROM ((" + strings.Join(parts, ") UNION ALL (") + ")) e ORDER BY " + by + where.Limit(limit), args
}

// lookTime bounds the search for rows that no index leads to.
const lookTime = 8 * time.Second

// indexed reports whether an index leads to the rows of the filter, so that finding a page of them or finding that
// there are none takes no time.
func (f Filter) indexed() bool {
	return f.JobID != "" || f.OperationID != "" || person(f.Actor) || f.Actor == "" && f.Action == "" && f.Cohort == "" && f.Category == "" &&
		f.MinAmount == nil && f.MaxAmount == nil && (f.RuleVersion == "" || f.AccountID == "")
}

// bounded runs a query for entries of f, in a transaction with a time limit of its own where it may have to look
// through many. Fault: filter_too_wide.
func (s *Service) bounded(ctx context.Context, f Filter, run func(g *gorm.DB) error) error {
	g := s.g.WithContext(ctx)
	if f.indexed() {
		return run(g)
	}
	return s.within(ctx, lookTime, run)
}

// within runs a query that may take no longer than limit. Fault: filter_too_wide.
func (s *Service) within(ctx context.Context, limit time.Duration, run func(g *gorm.DB) error) error {
	err := s.snapshot(ctx, func(tx *gorm.DB) error {
		if err := tx.Exec(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, limit.Milliseconds())).Error; err != nil {
			return err
		}
		return run(tx)
	})
	if db.Code(err) == db.CodeCanceled && ctx.Err() == nil {
		return fault.New(fault.Busy, fault.CodeFilterTooWide, "What the filter asks for could not be found in time. Choose an account or a shorter period.")
	}
	return err
}
