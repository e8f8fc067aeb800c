package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recoup/models/modeltest"
)

// Each query behind a page finds its rows by the index made for it and reads no large table from end to end. The plans
// are those for a ledger of millions: the planner is told that what was generated is a few hundredth of it.
func TestHotQueriesUseTheirIndex(t *testing.T) {
	const n, larger = 20_000, 250
	url := modeltest.URL(t)
	if err := generate(t.Context(), url, n, allDead, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := fillLine(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := fillDecisions(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	g := modeltest.Open(t, url, nil)
	for _, sql := range []string{
		// More rows on each page of a table are more rows in all.
		`UPDATE pg_class SET reltuples = reltuples * ? WHERE relnamespace = 'public'::regnamespace AND reltuples > 0`,
		// What there were few of, there are more of as well.
		`UPDATE pg_statistic SET stadistinct = stadistinct * ? WHERE stadistinct > 100
			AND starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)`,
	} {
		if err := g.Exec(sql, larger).Error; err != nil {
			t.Fatal(err)
		}
	}
	x, err := newExplainer(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	// The planner takes a limit that it does not know for a tenth of the table.
	unknown := regexp.MustCompile(`LIMIT \$\d`)
	whole := regexp.MustCompile(`Seq Scan on (entries|jobs|job_events|operations|accounts|dead_letters|change_requests|bulk_grant_references|verify_problems|inbox_messages|decisions|attempts|settlement_payments)\b`)
	for _, q := range slices.Concat(hotQueries(), monthQueries(), supportQueries(), comparisonQueries()) {
		plans, err := x.plans(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range x.last {
			if unknown.MatchString(sql) {
				t.Errorf("%s has a limit that the planner does not know:\n%s", q.name, sql)
			}
		}
		all := strings.Join(plans, "\n\n")
		if found := whole.FindString(all); found != "" {
			t.Errorf("%s: %s:\n%s", q.name, found, all)
		}
		for _, index := range q.want {
			if !regexp.MustCompile(`\b` + index + `\b`).MatchString(all) {
				t.Errorf("%s does not use %s:\n%s", q.name, index, all)
			}
		}
	}
}
