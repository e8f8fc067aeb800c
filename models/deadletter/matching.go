package deadletter

import (
	"context"
	"fmt"

	"recoup/models/where"
)

// CountMatching counts what is in a tab and matches a filter. What groups have in common is added up from their tallies, exactly.
// Anything else is counted row by row, which costs what the rows do, and no further than limit: more is true where it stopped.
func (s *Service) CountMatching(ctx context.Context, tab Tab, f Filter, limit int) (n int64, more bool, err error) {
	if (tab == Review || tab == Open) && f.ofGroups() {
		n, err := s.tallied(ctx, tab, f)
		return n, false, err
	}
	w, err := s.where(ctx, tab, f)
	if err != nil {
		return 0, false, err
	}
	err = s.g.WithContext(ctx).Raw(`SELECT count(*) FROM (SELECT 1 FROM dead_letters d `+w.SQL()+atMost(limit+1)+`) x`, w.Args()...).Scan(&n).Error
	if err != nil {
		return 0, false, fmt.Errorf("deadletter: matching: %w", err)
	}
	return min(n, int64(limit)), n > int64(limit), nil
}

// ofGroups reports whether a filter selects by nothing but what all dead letters of a group have in common.
func (f Filter) ofGroups() bool {
	f.Action, f.ErrorCode, f.Dependency, f.Fingerprints = "", "", "", nil
	return f.everything()
}

// everything reports whether a filter does not restrict.
func (f Filter) everything() bool {
	return f.Account == "" && f.Action == "" && f.ErrorClass == "" && f.ErrorCode == "" && f.Dependency == "" && f.WorkerVersion == "" && f.ErrorText == "" &&
		len(f.Fingerprints) == 0 && f.Outcome == "" && f.Assignee == nil && f.Refunded == nil && f.MinCost == nil && f.MaxCost == nil && f.From == nil && f.Before == nil
}

// tallied adds up the open dead letters of the groups that a filter selects, with those that have no group yet. In Review those
// out of sight are left out: they are few, since people put them there.
func (s *Service) tallied(ctx context.Context, tab Tab, f Filter) (int64, error) {
	var quiet []quietGroup
	if tab == Review {
		var err error
		if quiet, err = s.quietGroups(ctx); err != nil {
			return 0, err
		}
	}
	// The same conditions hold for a group and for each of its dead letters.
	var w where.Clause
	equal := func(column, value string) {
		if value != "" {
			w.And("x."+column+" = ?", value)
		}
	}
	equal("action", f.Action)
	equal("error_code", f.ErrorCode)
	equal("dependency", f.Dependency)
	if len(f.Fingerprints) > 0 {
		w.And("x.fingerprint = ANY (?::text[])", where.ListOf(f.Fingerprints))
	}
	groups, loose, snoozed, back := w.Clone(), w.Clone(), w.Clone(), w.Clone()
	groups.And("x.fingerprint <> ALL (?::text[])", named(quiet))
	loose.And("x.closed_at IS NULL AND x.fingerprint = ''")
	snoozed.And("x.closed_at IS NULL AND x.snoozed_until > statement_timestamp() AND x.fingerprint <> ALL (?::text[])", named(quiet))
	back.And("x.closed_at IS NULL AND x.fingerprint = ANY (?::text[]) AND "+woken("x")+" AND (x.snoozed_until IS NULL OR x.snoozed_until <= statement_timestamp())", named(quiet))
	sql := `SELECT (SELECT COALESCE(sum(t.open), 0) FROM dead_letter_groups x JOIN dead_letter_tallies t ON t.fingerprint = x.fingerprint ` + groups.SQL() + `)
		+ (SELECT count(*) FROM dead_letters x ` + loose.SQL() + `)`
	args := append(groups.Args(), loose.Args()...)
	if tab == Review {
		sql += ` - (SELECT count(*) FROM dead_letters x ` + snoozed.SQL() + `) + (SELECT count(*) FROM dead_letters x ` + back.SQL() + `)`
		args = append(append(args, snoozed.Args()...), back.Args()...)
	}
	var n int64
	if err := s.g.WithContext(ctx).Raw(sql, args...).Scan(&n).Error; err != nil {
		return 0, fmt.Errorf("deadletter: matching: %w", err)
	}
	return n, nil
}
