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
	err := period{filter: f}.query(byType).scan(ctx, g, &rows)
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

// TypesOfParts is Parts by type alone, of all entries: the other texts are empty. Its cost does not grow with the days of a part.
func (s *Store) TypesOfParts(ctx context.Context, bounds []time.Time) ([]Group, error) {
	var rows []Group
	if err := s.divided(Filter{}, bounds).query(byPartAndType).scan(ctx, s.g, &rows); err != nil {
		return nil, fmt.Errorf("rollup: parts: %w", err)
	}
	return rows, nil
}

func (s *Store) parts(f Filter, bounds []time.Time) statement {
	return s.divided(f, bounds).query(byGroup)
}

func (s *Store) divided(f Filter, bounds []time.Time) period {
	f.From, f.To = nil, nil
	return period{filter: f, bounds: bounds, zone: s.zone.String(), noDays: slices.ContainsFunc(bounds, func(at time.Time) bool { return !s.beginsDay(at) })}
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

// What is summed up for itself. By part asks for bounds.
const (
	byType        = "type"
	byPartAndType = "part, type"
	byGroup       = "part, type, rule_version, rollout_id, cohort, category"
)

// query sums by columns in one statement, so that how far the rollup is and every sum are of one moment. A
// period falls into at most five pieces:
//
//	from ── entries ── lo ── quarters ── days ── quarters ── hi ── entries ── to
//
// lo is the first quarter that begins in it, hi the last one that ends in it and is in the rollup. Where days are summed by type alone, what
// was reached at their end less what was reached where they begin takes their place, see kept.
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
		if columns != byType {
			selected, by = []string{"width_bucket(" + at + ", CAST(@bounds AS timestamptz[])) AS part", "type"}, "1, 2"
		}
		if columns == byGroup {
			for _, c := range []string{"rule_version", "rollout_id", "cohort", "category"} {
				selected = append(selected, "CASE WHEN "+at+" < CAST(@first AS timestamptz) THEN '' ELSE COALESCE("+c+", '') END AS "+c)
			}
			by = "1, 2, 3, 4, 5, 6"
		}
		return "SELECT " + strings.Join(selected, ", ") + ", " + sums + " FROM " + table + ", reach WHERE " +
			strings.Join(append(where, conds...), " AND ") + " GROUP BY " + by
	}
	const plain, derived = "count(*) AS count, sum(amount) AS amount", "sum(count) AS count, sum(amount) AS amount"
	days := "(@zone = '' OR zone = @zone)"
	if p.noDays {
		days = "false"
	}
	if p.bounds != nil {
		args["first"] = p.bounds[0]
	}
	var wholeDays []string
	switch {
	case columns == byType && p.filter.byTypeAlone():
		wholeDays = []string{kept("", "", "days_to", "", conds), kept("", "", "days_from", "-", conds)}
	case columns == byPartAndType && p.filter.byTypeAlone():
		// Each bound ends one part and begins the next.
		bounds := keptAtBounds(conds)
		wholeDays = []string{kept(fmt.Sprint(len(p.bounds), ","), "", "days_to", "", conds), kept("0,", "", "days_from", "-", conds), bounds("n - 1", ""), bounds("n", "-")}
	case columns == byGroup && p.filter.byTypeAlone():
		const none = ", '', '', '', ''"
		first := "GREATEST(days_from, LEAST(days_to, CAST(@first AS timestamptz)))"
		wholeDays = []string{kept("0,", none, first, "", conds), kept("0,", none, "days_from", "-", conds),
			branch("rollup_days", "starts", derived, "starts >= GREATEST(days_from, CAST(@first AS timestamptz))", "starts < days_to")}
	case columns == byGroup:
		// All days there ever were are added up as they are, without asking of each where it belongs.
		before := "SELECT 0, type, '', '', '', '', " + derived + " FROM rollup_days, reach WHERE " +
			strings.Join(append([]string{"starts >= days_from", "starts < LEAST(days_to, CAST(@first AS timestamptz))"}, conds...), " AND ") + " GROUP BY type"
		wholeDays = []string{before, branch("rollup_days", "starts", derived, "starts >= GREATEST(days_from, CAST(@first AS timestamptz))", "starts < days_to")}
	default:
		wholeDays = []string{branch("rollup_days", "starts", derived, "starts >= days_from", "starts < days_to")}
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
	}), " UNION ALL ") + `) pieces GROUP BY ` + columns + ` HAVING sum(count) <> 0`
	return statement{sql, args}
}

// byTypeAlone reports whether the filter asks for no more of an entry than its type and its time.
func (f Filter) byTypeAlone() bool {
	return f.RuleVersion == "" && f.RolloutID == "" && f.Action == "" && f.Cohort == "" && f.Category == ""
}

// kept selects what all days up to a moment came to, by type, with a sign and beside other columns. Where no days are used, days_from and days_to are one
// moment, and what is added there is taken away again.
func kept(before, after, at, sign string, conds []string) string {
	return "SELECT " + before + " type" + after + ", " + sign + "count AS count, " + sign + "amount AS amount FROM reach, LATERAL (" +
		keptUpTo(at, conds) + ") k"
}

func keptUpTo(at string, conds []string) string {
	return "SELECT type, count, amount FROM rollup_through WHERE " + strings.Join(append([]string{
		"ends = (SELECT t.ends FROM rollup_through t WHERE t.ends <= " + at + " ORDER BY t.ends DESC LIMIT 1)"}, conds...), " AND ")
}

// keptAtBounds is kept at each of the bounds, as far as days reach, with a part that may be told by the bound's number n.
func keptAtBounds(conds []string) func(part, sign string) string {
	return func(part, sign string) string {
		return "SELECT " + part + ", type, " + sign + "count AS count, " + sign + "amount AS amount FROM reach, unnest(CAST(@bounds AS timestamptz[])) WITH ORDINALITY b (bound, n), LATERAL (" +
			keptUpTo("GREATEST(days_from, LEAST(days_to, bound))", conds) + ") k"
	}
}
