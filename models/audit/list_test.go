package audit_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/modeltest"
	"recoup/models/page"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func TestListFiltersAndPages(t *testing.T) {
	ctx := context.Background()
	g := modeltest.DB(t)
	for i := range 6 {
		r := audit.Row{Actor: actor.Staff("st_a"), Action: "freeze", Object: "account:a", OperationID: fmt.Sprint(i)}
		if i%2 == 1 {
			r.Actor, r.Action, r.Object, r.Refused, r.Code = actor.Key("k"), "charge", "account:b", true, "insufficient_credits"
		}
		if err := audit.Record(ctx, g, r); err != nil {
			t.Fatal(err)
		}
	}
	log := audit.NewLog(g)
	ids := func(f audit.Filter) string {
		p, err := log.List(ctx, f, nil, page.Older, 10)
		if err != nil {
			t.Fatal(err)
		}
		var out, streamed []string
		for _, r := range p.Rows {
			out = append(out, r.OperationID)
		}
		if err := log.Each(ctx, f, func(s audit.Stored) error { streamed = append(streamed, s.OperationID); return nil }); err != nil {
			t.Fatal(err)
		}
		if strings.Join(out, "") != strings.Join(streamed, "") {
			t.Errorf("%+v: the list has %v, the file %v", f, out, streamed)
		}
		return strings.Join(out, "")
	}
	future, past := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	for want, f := range map[string]audit.Filter{
		"543210": {}, "420": {Actor: "staff:st_a"}, "531": {Action: "charge"}, "42 0": {Object: "account:a", From: &past, To: &future},
		"5 3 1": {Outcome: "refused"}, "4 2 0": {Outcome: "done"}, "": {From: &future}, " ": {To: &past}, "  ": {Object: "account:nobody"},
	} {
		if got := ids(f); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
	}
	first, err := log.List(ctx, audit.Filter{}, nil, page.Older, 2)
	if err != nil {
		t.Fatal(err)
	}
	second, err := log.List(ctx, audit.Filter{}, first.Older, page.Older, 2)
	if err != nil || len(second.Rows) != 2 || second.Rows[0].OperationID != "3" {
		t.Fatalf("%+v, %v", second.Rows, err)
	}
	back, err := log.List(ctx, audit.Filter{}, second.Newer, page.Newer, 2)
	if err != nil || len(back.Rows) != 2 || back.Rows[0].OperationID != "5" {
		t.Errorf("%+v, %v", back.Rows, err)
	}
	if actions, err := log.Actions(ctx); err != nil || strings.Join(actions, " ") != "charge freeze" {
		t.Errorf("%v, %v", actions, err)
	}
}

// Each filter alone has an index that gives its rows in the log's order: no sort, no scan of the table.
func TestEachFilterHasItsIndex(t *testing.T) {
	g := modeltest.DB(t)
	err := g.Exec(`INSERT INTO audit_log (at, actor, action, object, outcome)
		SELECT now() - n * interval '1 second', 'staff:st_' || n % 50, 'action' || n % 40, 'account:' || n % 20, CASE WHEN n % 100 = 0 THEN 'refused' ELSE 'done' END
		FROM generate_series(1, 60000) n`).Error
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Exec(`ANALYZE audit_log`).Error; err != nil {
		t.Fatal(err)
	}
	for index, cond := range map[string]string{
		"audit_log_by_actor": "actor = 'staff:st_7'", "audit_log_by_action": "action = 'action7'", "audit_log_by_object": "object = 'account:7'",
		"audit_log_refused": "outcome = 'refused'", "audit_log_by_time": "at >= now() - interval '1 hour' AND at < now()",
	} {
		var plan []string
		if err := g.Raw(`EXPLAIN SELECT * FROM audit_log WHERE ` + cond + ` ORDER BY at DESC, key DESC LIMIT 51`).Scan(&plan).Error; err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, index) || strings.Contains(text, "Sort") || strings.Contains(text, "Seq Scan") {
			t.Errorf("%s:\n%s", cond, text)
		}
	}
}
