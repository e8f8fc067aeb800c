package verify_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"recoup/migrations"
	"recoup/models/modeltest"
	"recoup/models/verify"
)

// Whoever owns the tables can take a guard off or put a weaker one of the same name in its place. Each way to do so is found, with
// what the guard has to say and what it says.
func TestGuardsThatAreOffOrWeakerAreFound(t *testing.T) {
	m := modeltest.Ready(t, patient())
	m.Account(t, "acct_7", 10)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
		t.Fatalf("before: %v", problems)
	}
	pool, err := m.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	damages := []struct {
		name, sql       string
		check           verify.Check
		expected, found string
	}{
		{"disabled", `ALTER TABLE entries DISABLE TRIGGER entries_append_only_row`,
			verify.CheckTriggers, "entries.entries_append_only_row always: CREATE TRIGGER", "disabled: CREATE TRIGGER"},
		{"silent for replicas", `ALTER TABLE entries ENABLE TRIGGER entries_chain`,
			verify.CheckTriggers, "entries.entries_chain always: ", "not in replica sessions: "},
		{"for replicas only", `ALTER TABLE audit_log ENABLE REPLICA TRIGGER audit_log_append_only`,
			verify.CheckTriggers, "audit_log.audit_log_append_only always: ", "in replica sessions only: "},
		{"dropped", `DROP TRIGGER operations_keep_row ON operations`,
			verify.CheckTriggers, "operations.operations_keep_row always: ", "not in force"},
		{"another function", `CREATE FUNCTION idle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
			CREATE OR REPLACE TRIGGER settlement_items_append_only_row BEFORE DELETE OR UPDATE ON settlement_items FOR EACH ROW EXECUTE FUNCTION idle();
			ALTER TABLE settlement_items ENABLE ALWAYS TRIGGER settlement_items_append_only_row`,
			verify.CheckTriggers, "settlement_items.settlement_items_append_only_row always: ", "EXECUTE FUNCTION idle()"},
		{"another body", `CREATE OR REPLACE FUNCTION rollouts_terms_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEW;
END $$`, verify.CheckTriggers, "rollouts_terms_stay() line 3: IF", "line 3: RETURN NEW;"},
		{"another kind of function", `ALTER FUNCTION entry_field(bytea) STABLE`,
			verify.CheckTriggers, "entry_field(value bytea) RETURNS bytea LANGUAGE sql IMMUTABLE", "RETURNS bytea LANGUAGE sql STABLE"},
		{"another event", `CREATE OR REPLACE TRIGGER entries_append_only AFTER TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
			ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only`,
			verify.CheckTriggers, "entries.entries_append_only always: CREATE TRIGGER entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE", "AFTER TRUNCATE ON entries"},
		{"a condition", `CREATE OR REPLACE TRIGGER decisions_append_only_row BEFORE UPDATE OR DELETE ON decisions FOR EACH ROW WHEN (OLD.units > 9) EXECUTE FUNCTION refuse_change();
			ALTER TABLE decisions ENABLE ALWAYS TRIGGER decisions_append_only_row`,
			verify.CheckTriggers, "decisions.decisions_append_only_row always: ", "WHEN (old.units > 9)"},
		{"one that swallows", `CREATE TRIGGER a_first BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION idle()`,
			verify.CheckTriggers, "audit_log.a_first no such trigger", "BEFORE INSERT ON audit_log"},
		{"a weaker condition over the same columns", `ALTER TABLE entries DROP CONSTRAINT entries_charge_covered;
			ALTER TABLE entries ADD CONSTRAINT entries_charge_covered CHECK (type <> 'charge' OR balance_after >= -1000000)`,
			verify.CheckKept, "entries.entries_charge_covered CHECK (type <> 'charge'::text OR balance_after >= 0)", "balance_after >= '-1000000'::integer)"},
		{"a condition that says nothing", `ALTER TABLE entries DROP CONSTRAINT entries_sign; ALTER TABLE entries ADD CONSTRAINT entries_sign CHECK (true)`,
			verify.CheckKept, "entries.entries_sign CHECK ( CASE type", "CHECK (true)"},
		{"not validated", `ALTER TABLE closed_months DROP CONSTRAINT closed_months_tie;
			ALTER TABLE closed_months ADD CONSTRAINT closed_months_tie CHECK (balances = closing) NOT VALID`,
			verify.CheckKept, "closed_months.closed_months_tie CHECK (", "NOT VALID"},
		{"a constraint that is gone", `ALTER TABLE change_requests DROP CONSTRAINT change_requests_second_person`,
			verify.CheckKept, "change_requests.change_requests_second_person CHECK (", "not in force"},
		{"an index over more columns", `DROP INDEX entries_once_a_job; CREATE UNIQUE INDEX entries_once_a_job ON entries (account_key, seq, job_key, type) WHERE job_key IS NOT NULL`,
			verify.CheckKept, "entries.entries_once_a_job CREATE UNIQUE INDEX", "(account_key, seq, job_key, type)"},
		{"an index of fewer rows", `DROP INDEX rollouts_one_live; CREATE UNIQUE INDEX rollouts_one_live ON rollouts (action) WHERE state = 'running'`,
			verify.CheckKept, "rollouts.rollouts_one_live CREATE UNIQUE INDEX", "WHERE state = 'running'::text"},
		{"an index that is not unique", `DROP INDEX settlement_payments_one_entry; CREATE INDEX settlement_payments_one_entry ON settlement_payments (account_key, entry_seq)`,
			verify.CheckKept, "settlement_payments.settlement_payments_one_entry CREATE UNIQUE INDEX", "not in force"},
		{"a column without a value", `ALTER TABLE jobs ALTER COLUMN cost DROP NOT NULL`, verify.CheckKept, "jobs.cost bigint NOT NULL", "bigint"},
		{"a foreign key that is silent", `ALTER TABLE enrolments DISABLE TRIGGER ALL; ALTER TABLE enrolments ENABLE TRIGGER USER;
			DO $$ DECLARE t record; BEGIN FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = 'enrolments'::regclass AND NOT tgisinternal LOOP
				EXECUTE 'ALTER TABLE enrolments ENABLE ALWAYS TRIGGER ' || t.tgname; END LOOP; END $$`,
			verify.CheckKept, "enrolments.enrolments_", "with its triggers off"},
		{"a table that a crash empties", `ALTER TABLE credit_values SET UNLOGGED`, verify.CheckKept, "credit_values logged", "unlogged"},
		{"a rule in place of rows", `CREATE RULE nothing AS ON INSERT TO job_events DO INSTEAD NOTHING`, verify.CheckKept, "job_events logged", "DO INSTEAD NOTHING"},
	}
	for _, x := range damages {
		if _, err := pool.Exec(x.sql); err != nil {
			t.Fatalf("%s: %v", x.name, err)
		}
	}
	report, problems := check(t, m.G, verify.Options{})
	for _, x := range damages {
		if !slices.ContainsFunc(problems, func(p verify.Problem) bool {
			return p.Check == x.check && strings.HasPrefix(p.Expected, x.expected) && strings.Contains(p.Found, x.found)
		}) {
			t.Errorf("%s was not found", x.name)
		}
	}
	// Each of them, and nothing else: that table has two foreign keys.
	if want := len(damages) + 1; len(problems) != want || report.OK() {
		t.Errorf("%d problems, want %d:", len(problems), want)
		for _, p := range problems {
			t.Log(p)
		}
	}
	id, err := verify.New(m.G).Keep(context.Background(), verify.Record{Report: report, Evidence: evidenceOf(problems)})
	if err != nil {
		t.Fatal(err)
	}
	run, err := verify.New(m.G).FindRun(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	missing, err := verify.New(m.G).NotInForce(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	// With a function the triggers that call it are not in force.
	for _, name := range []string{"entries.entries_charge_covered", "entries.entries_chain", "operations.operations_keep_row", "rollouts.rollouts_terms"} {
		if !missing[name] {
			t.Errorf("%s is said to be in force: %v", name, missing)
		}
	}
}

// What the rules of Invariants are said to be kept by is in the schema.
func TestRulesAreKeptByWhatThereIs(t *testing.T) {
	schema, err := migrations.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range verify.Invariants() {
		for _, name := range in.Kept {
			if !slices.ContainsFunc(schema, func(d migrations.Definition) bool {
				return d.Name == name && (d.Kind == "constraint" || d.Kind == "index" || d.Kind == "trigger")
			}) {
				t.Errorf("%s is said to be kept by %s, which is not in the schema", in.Rule, name)
			}
		}
	}
}

func evidenceOf(problems []verify.Problem) *verify.Evidence {
	var e verify.Evidence
	for _, p := range problems {
		_ = e.Add(p) // never fails
	}
	return &e
}
