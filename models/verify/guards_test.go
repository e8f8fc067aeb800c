package verify_test

import (
	"strings"
	"testing"

	"recoup/migrations"
	"recoup/models/modeltest"
	"recoup/models/verify"
)

// Whoever owns the tables can switch a guard off. Each way to do so is found and named.
func TestGuardsThatAreOffAreFound(t *testing.T) {
	for _, x := range []struct{ name, sql, found, message string }{
		{"disabled", `ALTER TABLE entries DISABLE TRIGGER entries_append_only_row`, "entries.entries_append_only_row is disabled", "does not fire always"},
		{"silent for replicas", `ALTER TABLE entries ENABLE TRIGGER entries_chain`, "entries.entries_chain is silent in replica sessions", "does not fire always"},
		{"for replicas only", `ALTER TABLE audit_log ENABLE REPLICA TRIGGER audit_log_append_only`, "audit_log.audit_log_append_only fires in replica sessions only", "does not fire always"},
		{"dropped", `DROP TRIGGER operations_keep_row ON operations`, "no such trigger", "is gone"},
		{"another function", `CREATE FUNCTION idle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
			CREATE OR REPLACE TRIGGER entries_chain BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION idle();
			ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_chain`, "entries.entries_chain calls idle", "calls another function"},
		{"another body", `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$`,
			"refuse_change with another body", "was replaced"},
		{"another event", `CREATE OR REPLACE TRIGGER entries_append_only AFTER TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
			ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only`,
			"entries.entries_append_only fires after truncate for each statement", "does not fire for all of them"},
		{"a condition", `CREATE OR REPLACE TRIGGER entries_append_only_row BEFORE UPDATE OR DELETE ON entries FOR EACH ROW WHEN (false) EXECUTE FUNCTION refuse_change();
			ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only_row`,
			"entries.entries_append_only_row fires before delete, update for each row, under a condition", "does not fire for all of them"},
	} {
		t.Run(x.name, func(t *testing.T) {
			m := modeltest.Ready(t, patient())
			m.Account(t, "acct_7", 10)
			if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
				t.Fatalf("before: %v", problems)
			}
			pool, err := m.G.DB()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(x.sql); err != nil {
				t.Fatal(err)
			}
			report, problems := check(t, m.G, verify.Options{})
			if len(problems) != 1 || problems[0].Check != verify.CheckTriggers || problems[0].Found != x.found || !strings.Contains(problems[0].Message, x.message) {
				t.Errorf("found %v", problems)
			}
			if report.ByCheck[verify.CheckTriggers] != 1 || report.OK() {
				t.Errorf("report %+v", report)
			}
		})
	}
}

// What the program reads from its own files is exactly what a fresh database has: no guard is overlooked.
func TestGuardsAreThoseOfTheSchema(t *testing.T) {
	want, err := migrations.ReadGuards()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, g := range want.Triggers {
		known[g.Table+"."+g.Name+" "+g.Function] = true
		if want.Functions[g.Function] == "" {
			t.Errorf("%s.%s: the body of %q was not found", g.Table, g.Name, g.Function)
		}
	}
	var have []struct{ Trigger, Enabled string }
	err = modeltest.DB(t).Raw(`SELECT c.relname || '.' || t.tgname || ' ' || p.proname AS trigger, t.tgenabled::text AS enabled
		FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
		WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`).Scan(&have).Error
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range have {
		if (h.Enabled == "A") != known[h.Trigger] {
			t.Errorf("%s is %s in the database; the files make it ENABLE ALWAYS: %t", h.Trigger, h.Enabled, known[h.Trigger])
		}
		delete(known, h.Trigger)
	}
	for missing := range known {
		t.Errorf("%s is in the files and not in the database", missing)
	}
}
