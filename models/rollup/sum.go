package rollup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/calendar"
	"recoup/models/credit"
)

// Filter selects entries. Zero members do not restrict.
type Filter struct {
	// Types are names of entry types, e.g. "charge".
	Types       []string
	RuleVersion string
	RolloutID   string
	// Action selects the entries of all its rule versions.
	Action   string
	Cohort   string
	Category string
	From     *time.Time
	// To is exclusive.
	To *time.Time
}

// Total is the sum of one type's entries.
type Total struct {
	Type   string
	Count  int64
	Amount credit.Sum
}

// Group is the sum of the entries that agree in all of its texts. A text is empty where the entries have no
// such value.
type Group struct {
	// Part is the number of the part of the period, see Store.Parts.
	Part        int
	Type        string
	RuleVersion string
	RolloutID   string
	Cohort      string
	Category    string
	Count       int64
	Amount      credit.Sum
}

// Totals sums the filtered entries by type, at one moment; types without entries are left out. The cost grows
// with the days of the period and, for what the rollup has not taken up yet, with the entries.
func Totals(ctx context.Context, g *gorm.DB, f Filter) ([]Total, error) {
	var rows []Total
	err := period{filter: f}.query("type").scan(ctx, g, &rows)
	if err != nil {
		return nil, fmt.Errorf("rollup: totals: %w", err)
	}
	return rows, nil
}

// Parts sums the filtered entries of the parts that the bounds divide all time into, each by everything that
// a Group names, at one moment. Part 0 is before the first bound, part i from bound i−1 up to bound i, the
// last one from the last bound on. Part 0 is summed by type alone, its other texts are empty: it may be years, and only
// leads to where the first bound finds the ledger. The bounds rise strictly; the filter's From and To are not used.
func (s *Store) Parts(ctx context.Context, f Filter, bounds []time.Time) ([]Group, error) {
	return s.PartsIn(ctx, s.g, f, bounds)
}

// PartsIn is Parts within a transaction.
func (s *Store) PartsIn(ctx context.Context, g *gorm.DB, f Filter, bounds []time.Time) ([]Group, error) {
	var rows []Group
	if err := s.parts(f, bounds).scan(ctx, g, &rows); err != nil {
		return nil, fmt.Errorf("rollup: parts: %w", err)
	}
	return rows, nil
}

func (s *Store) parts(f Filter, bounds []time.Time) statement {
	f.From, f.To = nil, nil
	p := period{filter: f, bounds: bounds, zone: s.zone.String()}
	p.noDays = slices.ContainsFunc(bounds, func(at time.Time) bool { return !s.beginsDay(at) })
	return p.query("part, type, rule_version, rollout_id, cohort, category")
}

// beginsDay reports whether a day of the store's zone begins at a moment.
func (s *Store) beginsDay(at time.Time) bool {
	local := at.In(s.zone)
	return at.Equal(calendar.Day(local.Year(), local.Month(), local.Day(), s.zone))
}

// period is what is added up.
type period struct {
	filter Filter
	// bounds divide it into parts; nil for one.
	bounds []time.Time
	// zone is that of the days that may be used; "" for any, since without parts each day is whole in whatever zone.
	zone string
	// noDays leaves the days aside: a bound lies within one, or the quarters alone are wanted.
	noDays bool
}

// statement is SQL with its named arguments.
type statement struct {
	sql  string
	args map[string]any
}

func (q statement) scan(ctx context.Context, g *gorm.DB, into any) error {
	return g.WithContext(ctx).Raw(q.sql, q.args).Scan(into).Error
}

// end of time, for a period without To.
func never() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }

// query sums by columns in one statement, so that how far the rollup is and every sum are of one moment. A
// period falls into at most five pieces:
//
//	from ── entries ── lo ── quarters ── days ── quarters ── hi ── entries ── to
//
// lo is the first quarter that begins in it, hi the last one that ends in it and is in the rollup.
func (p period) query(columns string) statement {
	from, to := time.Unix(0, 0).UTC(), never()
	if p.filter.From != nil && p.filter.From.After(from) {
		from = *p.filter.From
	}
	if p.filter.To != nil && p.filter.To.Before(to) {
		to = *p.filter.To
	}
	lo := from.Truncate(bucket)
	if lo.Before(from) {
		lo = lo.Add(bucket)
	}
	args := map[string]any{"from": from, "to": to, "lo": lo, "last": to.Truncate(bucket), "bounds": moments(p.bounds), "zone": p.zone}
	var conds []string
	if len(p.filter.Types) > 0 {
		conds = append(conds, `type = ANY (CAST(@types AS text[]))`)
		args["types"] = "{" + strings.Join(p.filter.Types, ",") + "}"
	}
	if p.filter.RuleVersion != "" {
		conds = append(conds, `rule_version = @rule`)
		args["rule"] = p.filter.RuleVersion
	}
	if p.filter.RolloutID != "" {
		conds = append(conds, `rollout_id = @rollout`)
		args["rollout"] = p.filter.RolloutID
	}
	if p.filter.Action != "" {
		conds = append(conds, `starts_with(rule_version, @action)`)
		args["action"] = p.filter.Action + "@v"
	}
	if p.filter.Cohort != "" {
		conds = append(conds, `cohort = @cohort`)
		args["cohort"] = p.filter.Cohort
	}
	if p.filter.Category != "" {
		conds = append(conds, `category = @category`)
		args["category"] = p.filter.Category
	}
	branch := func(table, at, sums string, where ...string) string {
		selected, by := []string{"type"}, "1"
		if columns != "type" {
			part := "0"
			optional := func(c string) string { return "COALESCE(" + c + ", '') AS " + c }
			if p.bounds != nil {
				part = "width_bucket(" + at + ", CAST(@bounds AS timestamptz[]))"
				args["first"] = p.bounds[0]
				optional = func(c string) string {
					return "CASE WHEN " + at + " < CAST(@first AS timestamptz) THEN '' ELSE COALESCE(" + c + ", '') END AS " + c
				}
			}
			selected, by = []string{part + " AS part", "type", optional("rule_version"), optional("rollout_id"), optional("cohort"), optional("category")}, "1, 2, 3, 4, 5, 6"
		}
		return "SELECT " + strings.Join(selected, ", ") + ", " + sums + " FROM " + table + ", reach WHERE " +
			strings.Join(append(where, conds...), " AND ") + " GROUP BY " + by
	}
	const plain, derived = "count(*) AS count, sum(amount) AS amount", "sum(count) AS count, sum(amount) AS amount"
	days := "(@zone = '' OR zone = @zone)"
	if p.noDays {
		days = "false"
	}
	wholeDays := []string{branch("rollup_days", "starts", derived, "starts >= days_from", "starts < days_to")}
	if p.bounds != nil && columns != "type" {
		// All days there ever were are added up as they are, without asking of each where it belongs.
		before := "SELECT 0, type, '', '', '', '', " + derived + " FROM rollup_days, reach WHERE " +
			strings.Join(append([]string{"starts >= days_from", "starts < LEAST(days_to, CAST(@first AS timestamptz))"}, conds...), " AND ") + " GROUP BY type"
		wholeDays = []string{before, branch("rollup_days", "starts", derived, "starts >= GREATEST(days_from, CAST(@first AS timestamptz))", "starts < days_to")}
	}
	sql := `WITH state AS (SELECT GREATEST(CAST(@lo AS timestamptz), LEAST(CAST(@last AS timestamptz), through)) AS hi, ` + days + ` AS with_days FROM rollup_state),
		whole AS (SELECT hi,
			CASE WHEN with_days THEN (SELECT starts FROM rollup_days WHERE starts >= CAST(@lo AS timestamptz) AND ends <= hi ORDER BY starts LIMIT 1) END AS days_from,
			CASE WHEN with_days THEN (SELECT ends FROM rollup_days WHERE starts >= CAST(@lo AS timestamptz) AND ends <= hi ORDER BY starts DESC LIMIT 1) END AS days_to
			FROM state),
		reach AS MATERIALIZED (SELECT hi, COALESCE(days_from, hi) AS days_from, COALESCE(days_to, hi) AS days_to, CAST(@to AS timestamptz) AS until FROM whole)
		SELECT ` + columns + `, sum(count)::bigint AS count, sum(amount) AS amount FROM (` + strings.Join(slices.Concat([]string{
		branch("entries", "created_at", plain, "created_at >= CAST(@from AS timestamptz)", "created_at < LEAST(CAST(@lo AS timestamptz), CAST(@to AS timestamptz))"),
		branch("rollup_quarters", "bucket", derived, "bucket >= CAST(@lo AS timestamptz)", "bucket < days_from"),
	}, wholeDays, []string{
		branch("rollup_quarters", "bucket", derived, "bucket >= days_to", "bucket < hi"),
		// Both ends from one place: the planner then sees a range, and one that is short.
		branch("entries", "created_at", plain, "created_at >= hi", "created_at < until"),
	}), " UNION ALL ") + `) pieces GROUP BY ` + columns
	return statement{sql, args}
}
