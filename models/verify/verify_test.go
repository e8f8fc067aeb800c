package verify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/verify"
)

func count(t *testing.T, g *gorm.DB, table string) int64 {
	t.Helper()
	var c int64
	if err := g.Raw("SELECT count(*) FROM " + table).Scan(&c).Error; err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSoundLedgerPasses(t *testing.T) {
	m := seed(t)
	report, problems := check(t, m.G, verify.Options{})
	for _, p := range problems {
		t.Error(p)
	}
	want := verify.Progress{Accounts: count(t, m.G, "accounts"), Entries: count(t, m.G, "entries"), Jobs: count(t, m.G, "jobs")}
	if report.Progress != want {
		t.Errorf("read %+v, the tables hold %+v", report.Progress, want)
	}
	if !report.OK() || report.Partial || len(report.HeadsDigest) != 64 {
		t.Errorf("report %+v", report)
	}
}

const (
	many = "(SELECT key FROM accounts WHERE id = 'many')"
	debt = "(SELECT key FROM accounts WHERE id = 'debt')"
)

func jobKey(id string) string { return "(SELECT key FROM jobs WHERE id = '" + id + "')" }

// ofJob picks one entry of a job of account "many".
func ofJob(id, kind string) string {
	return fmt.Sprintf("account_key = %s AND job_key = %s AND type = '%s'", many, jobKey(id), kind)
}

// reseal recomputes the hashes of account "many" from one entry on and its head, as a thorough forger would.
const reseal = `DO $$
DECLARE e record; prev bytea := decode(repeat('00', 32), 'hex'); bal bigint := 0; s bigint := 0; k bigint; at timestamptz;
BEGIN
	SELECT key INTO k FROM accounts WHERE id = 'many';
	FOR e IN SELECT * FROM entries WHERE account_key = k ORDER BY seq LOOP
		s := s + 1; bal := bal + e.amount; at := e.created_at;
		prev := entry_hash(prev, k, s, e.type, e.amount, bal, e.job_key, e.operation_id, e.rollout_id, e.cohort, e.rule_version, at);
		UPDATE entries SET seq = s, balance_after = bal, hash = prev WHERE account_key = k AND seq = e.seq;
	END LOOP;
	UPDATE accounts SET balance = bal, last_seq = s, last_hash = prev, last_at = at WHERE key = k;
END $$`

func TestEveryDamageIsFoundAndNamed(t *testing.T) {
	type problem struct {
		check   verify.Check
		account string
		job     string
	}
	cases := []struct {
		name   string
		damage []string
		want   []problem
	}{
		{"the amount of a grant", []string{"UPDATE entries SET amount = 2000 WHERE account_key = " + many + " AND seq = 1"},
			[]problem{{verify.CheckBalance, "many", ""}, {verify.CheckHash, "many", ""}}},
		{"the first entry is gone", []string{"DELETE FROM entries WHERE account_key = " + many + " AND seq = 1"},
			[]problem{{verify.CheckSeq, "many", ""}}},
		{"a charge in the middle is gone", []string{"DELETE FROM entries WHERE " + ofJob("delivered", "charge")},
			[]problem{{verify.CheckFlags, "many", "delivered"}, {verify.CheckSeq, "many", ""}}},
		{"the tail is cut off", []string{"DELETE FROM entries WHERE account_key = " + many + " AND seq = (SELECT last_seq FROM accounts WHERE id = 'many')"},
			[]problem{{verify.CheckCut, "many", ""}, {verify.CheckHead, "many", ""}}},
		{"a charge that nothing covered (L4)", []string{"ALTER TABLE entries DROP CONSTRAINT entries_charge_covered",
			"UPDATE entries SET balance_after = -1 WHERE " + ofJob("delivered", "charge")},
			[]problem{{verify.CheckBalance, "many", ""}, {verify.CheckBalance, "many", ""}, {verify.CheckCovered, "many", ""}, {verify.CheckHash, "many", ""}}},
		{"a hash is another's", []string{"UPDATE entries SET hash = sha256('x') WHERE account_key = " + many + " AND seq = 3"},
			[]problem{{verify.CheckHash, "many", ""}}},
		{"the operation of an entry", []string{"UPDATE entries SET operation_id = 'forged' WHERE account_key = " + many + " AND seq = 1"},
			[]problem{{verify.CheckHash, "many", ""}}},
		{"the cohort becomes an empty text", []string{"UPDATE entries SET cohort = '' WHERE account_key = " + many + " AND seq = 1"},
			[]problem{{verify.CheckHash, "many", ""}}},
		{"an entry is moved back in time", []string{"UPDATE entries SET created_at = created_at - interval '1 day' WHERE " + ofJob("delivered", "charge"), reseal},
			[]problem{{verify.CheckTime, "many", ""}}},
		{"the balance on the head (F19)", []string{"UPDATE accounts SET balance = balance + 5 WHERE id = 'many'"},
			[]problem{{verify.CheckHead, "many", ""}}},
		{"a head without entries", []string{"UPDATE accounts SET balance = 50, last_seq = 1 WHERE id = 'empty'"},
			[]problem{{verify.CheckCut, "empty", ""}, {verify.CheckHead, "empty", ""}}},
		{"the age of a debt", []string{"UPDATE accounts SET negative_since = negative_since + interval '1 second' WHERE id = 'debt'"},
			[]problem{{verify.CheckNegativeSince, "debt", ""}}},
		{"a refund flag without its entry (F02)", []string{"UPDATE jobs SET is_refunded = true, refunded_at = now() WHERE id = 'queued'"},
			[]problem{{verify.CheckFlags, "many", "queued"}}},
		{"a refund without its flag", []string{"UPDATE jobs SET is_refunded = false, refunded_at = NULL WHERE id = 'dead'"},
			[]problem{{verify.CheckFlags, "many", "dead"}, {verify.CheckLetter, "many", "dead"}, {verify.CheckSettlement, "many", "dead"}}},
		{"a reclaim flag without its entry", []string{"DELETE FROM entries WHERE " + ofJob("late", "reclaim"), reseal},
			[]problem{{verify.CheckFlags, "many", "late"}}},
		{"a second refund", []string{"DROP INDEX entries_once_a_job",
			"UPDATE entries SET type = 'refund', job_key = " + jobKey("dead") + ", amount = 10 WHERE account_key = " + many + " AND type = 'adjustment'",
			"UPDATE entries SET (rollout_id, cohort, rule_version) = (SELECT rollout_id, cohort, rule_version FROM jobs WHERE id = 'dead') WHERE type = 'refund'", reseal},
			[]problem{{verify.CheckOnce, "many", "dead"}}},
		{"a charge of more than the cost", []string{"UPDATE entries SET amount = -11 WHERE " + ofJob("delivered", "charge"), reseal},
			[]problem{{verify.CheckAmount, "many", "delivered"}}},
		{"the cost of a job", []string{"UPDATE jobs SET cost = 9 WHERE id = 'queued'"},
			[]problem{{verify.CheckAmount, "many", "queued"}, {verify.CheckDecision, "many", "queued"}}},
		{"the price of a decision", []string{"UPDATE decisions SET price = 9 WHERE operation_id = (SELECT operation_id FROM jobs WHERE id = 'queued')"},
			[]problem{{verify.CheckDecision, "many", "queued"}, {verify.CheckPrice, "many", ""}}},
		{"the bucket of a decision", []string{
			`INSERT INTO rollouts (id, action, baseline, candidate, salt, min_charges, min_costs_bps, created_by)
				SELECT 'ro', action, id, 'other', 'salt', 1, 0, 'staff:x' FROM rule_versions LIMIT 1`,
			`INSERT INTO decisions (account_key, operation_id, action, units, rule_version, price, rollout_id, rollout_version, stage, cohort, bucket, reason, tx)
				SELECT account_key, 'quoted', action, units, rule_version, price, 'ro', 1, 1, 'candidate', -1, 'enrolled', pg_current_xact_id()
				FROM decisions WHERE operation_id = (SELECT operation_id FROM jobs WHERE id = 'queued')`},
			[]problem{{verify.CheckBucket, "many", ""}}},
		{"what nobody approved was applied", []string{
			`INSERT INTO change_requests (id, kind, object, account_key, scope, operation_id, proposal, requested_by, expires_at)
				SELECT 'cr_aaaaaaaaaaaaaaaa', 'grant', 'x', account_key, scope, id, '{}', 'staff:x', clock_timestamp() + interval '1 day' FROM operations
				WHERE kind = 'grant' AND account_key = ` + many},
			[]problem{{verify.CheckApproval, "many", ""}}},
		{"the units of a job", []string{"UPDATE jobs SET units = units + 1 WHERE id = 'queued'"},
			[]problem{{verify.CheckDecision, "many", "queued"}}},
		{"a charge of a rollout without its decision", []string{
			"DELETE FROM decisions WHERE operation_id = (SELECT operation_id FROM jobs WHERE id = 'queued')",
			"UPDATE jobs SET rollout_id = 'ro' WHERE id = 'queued'", "UPDATE entries SET rollout_id = 'ro' WHERE " + ofJob("queued", "charge"), reseal},
			[]problem{{verify.CheckDecision, "many", "queued"}}},
		{"a refund under another rule version", []string{"UPDATE entries SET rule_version = 'video_render@v9' WHERE " + ofJob("dead", "refund"), reseal},
			[]problem{{verify.CheckAttribution, "many", "dead"}}},
		{"the rule version of a job", []string{"UPDATE jobs SET rule_version = 'free@v1' WHERE id = 'queued'"},
			[]problem{{verify.CheckAttribution, "many", "queued"}, {verify.CheckDecision, "many", "queued"}}},
		{"a refund before its charge", []string{
			"UPDATE entries SET job_key = 0 WHERE " + ofJob("dead", "charge"),
			"UPDATE entries SET job_key = " + jobKey("dead") + " WHERE " + ofJob("outside", "charge"),
			"UPDATE entries SET job_key = " + jobKey("outside") + " WHERE account_key = " + many + " AND job_key = 0", reseal},
			[]problem{{verify.CheckOperation, "many", "dead"}, {verify.CheckOperation, "many", "outside"}, {verify.CheckOrder, "many", "dead"}}},
		{"a job is gone", []string{"DELETE FROM waiting_line WHERE job_key = " + jobKey("queued"), "DELETE FROM jobs WHERE id = 'queued'"},
			[]problem{{verify.CheckJob, "many", ""}}},
		{"a delivered job keeps its refund", []string{"DELETE FROM entries WHERE " + ofJob("late", "reclaim"), reseal,
			"UPDATE jobs SET is_reclaimed = false, reclaimed_at = NULL WHERE id = 'late'"},
			[]problem{{verify.CheckSettlement, "many", "late"}}},
		{"a failed job was never refunded", []string{"DELETE FROM entries WHERE " + ofJob("requeued", "refund"), reseal,
			"UPDATE jobs SET is_refunded = false, refunded_at = NULL WHERE id = 'requeued'"},
			[]problem{{verify.CheckSettlement, "many", "requeued"}}},
		{"a failure is in the timeline, the refund is not", []string{
			"INSERT INTO job_events (account_key, job_key, kind, generation, actor) VALUES (" + many + ", " + jobKey("running") + ", 'failed', 0, 'system')"},
			[]problem{{verify.CheckSettlement, "many", "running"}}},
		{"a job left the line", []string{"DELETE FROM waiting_line WHERE job_key = " + jobKey("queued")},
			[]problem{{verify.CheckLine, "many", "queued"}}},
		{"a finished job stands in the line", []string{"INSERT INTO waiting_line SELECT account_key, key, 'running', action, '', attempt, generation, now(), expires_at FROM jobs WHERE id = 'delivered'"},
			[]problem{{verify.CheckLine, "many", "delivered"}}},
		{"the line has an older attempt", []string{"UPDATE waiting_line SET attempt = 0 WHERE job_key = " + jobKey("running")},
			[]problem{{verify.CheckLine, "many", "running"}}},
		{"a lease is over and nobody swept", []string{"UPDATE jobs SET lease_until = now() - interval '1 hour' WHERE id = 'running'"},
			[]problem{{verify.CheckStuck, "many", "running"}}},
		{"a wake-up is lost", []string{"UPDATE jobs SET not_before = now() - interval '1 hour' WHERE id = 'retrying'"},
			[]problem{{verify.CheckStuck, "many", "retrying"}}},
		{"a tally counts one too many", []string{"UPDATE dead_letter_tallies SET open = open + 1"}, []problem{{verify.CheckTally, "", ""}}},
		{"a tally has lost credits", []string{"UPDATE dead_letter_tallies SET refunded = refunded - 1"}, []problem{{verify.CheckTally, "", ""}}},
		{"a tally counts another account", []string{"UPDATE dead_letter_tallies SET accounts = accounts + 1"}, []problem{{verify.CheckTally, "", ""}}},
		{"a tally is gone", []string{"DELETE FROM dead_letter_tallies"}, []problem{{verify.CheckTally, "", ""}}},
		{"a dead letter was closed behind its tally", []string{"UPDATE dead_letters SET closed_at = now(), outcome = 'discarded'"},
			[]problem{{verify.CheckLetter, "many", "dead"}, {verify.CheckTally, "", ""}}},
		{"a dead letter is gone", []string{"DELETE FROM dead_letters WHERE closed_at IS NULL", "DELETE FROM dead_letter_tallies"}, []problem{{verify.CheckLetter, "many", "dead"}}},
		{"a dead letter is of another generation", []string{"UPDATE dead_letters SET generation = generation + 1 WHERE closed_at IS NULL"},
			[]problem{{verify.CheckLetter, "many", "dead"}, {verify.CheckLetter, "many", "dead"}}},
		{"a dead letter is open though its job goes on", []string{"UPDATE dead_letters SET closed_at = NULL, outcome = '' WHERE job_key = " + jobKey("requeued")},
			[]problem{{verify.CheckLetter, "many", "requeued"}, {verify.CheckTally, "", ""}}},
		{"a dead letter says that nothing was refunded", []string{"UPDATE dead_letters SET refunded = false WHERE closed_at IS NULL",
			"UPDATE dead_letter_tallies SET charged = refunded, refunded = charged"}, []problem{{verify.CheckLetter, "many", "dead"}}},
		{"the charge is by another operation", []string{"UPDATE jobs SET operation_id = 'another' WHERE id = 'queued'"},
			[]problem{{verify.CheckOperation, "many", "queued"}}},
		{"an operation without a result", []string{"UPDATE operations SET result = NULL, completed_at = NULL WHERE account_key = " + debt + " AND kind = 'grant'"},
			[]problem{{verify.CheckOperation, "debt", ""}}},
		{"a sum of the rollup", []string{"INSERT INTO rollup_quarters VALUES ('2020-01-01', 'grant', '', '', '', '', 1, 5)"},
			[]problem{{verify.CheckRollup, "", ""}}},
		{"a checkpoint of entries that there are not", []string{"INSERT INTO entry_checkpoints VALUES (" + many + ", 1000, 'grant', 1, 1)"},
			[]problem{{verify.CheckCheckpoint, "many", ""}}},
	}
	// The anchor is outside the database, triggers hold no rows, no month is closed and nothing settled here, results have
	// a list of their own: other tests prove them.
	proved := map[verify.Check]bool{verify.CheckAnchor: true, verify.CheckAnchorFile: true, verify.CheckTriggers: true, verify.CheckMonth: true, verify.CheckPayment: true, verify.CheckResult: true,
		verify.CheckKept: true, verify.CheckCost: true, verify.CheckFinding: true}
	for _, c := range cases {
		for _, p := range c.want {
			proved[p.check] = true
		}
		t.Run(c.name, func(t *testing.T) {
			m := seed(t)
			damage(t, m.G, c.damage...)
			report, problems := check(t, m.G, verify.Options{Workers: 1})
			var got []problem
			for _, p := range problems {
				// What operations say against such a row is another matter: TestAnEntryIsHeldAgainstItsOperation.
				// And what had to be taken off to do the damage: TestGuardsThatAreOffOrWeakerAreFound.
				if p.Check != verify.CheckResult && p.Check != verify.CheckKept && !(p.Check == verify.CheckCut && p.Found == "no entry") {
					got = append(got, problem{p.Check, p.AccountID, p.JobID})
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
				for _, p := range problems {
					t.Log(p)
				}
			}
			if report.OK() {
				t.Error("the report is clean")
			}
		})
	}
	for _, check := range verify.Checks() {
		if !proved[check] {
			t.Errorf("no damage proves the check %s", check)
		}
	}
}

func TestOneDamagedEntryIsNamedOnce(t *testing.T) {
	m := seed(t)
	damage(t, m.G, "UPDATE entries SET hash = sha256('x') WHERE account_key = "+many+" AND seq = 5")
	_, problems := check(t, m.G, verify.Options{})
	if len(problems) != 1 || problems[0].Seq != 5 {
		t.Fatalf("problems %v, want entry 5 alone", problems)
	}
}

func TestFilters(t *testing.T) {
	m := seed(t)
	m.Account(t, "many_more", 5)
	damage(t, m.G, "UPDATE accounts SET balance = balance + 5 WHERE id IN ('debt', 'many_more')")
	for _, c := range []struct {
		opts     verify.Options
		accounts int64
		problems int64
	}{
		{verify.Options{AccountID: "many"}, 1, 0},
		{verify.Options{AccountID: "debt"}, 1, 1},
		{verify.Options{Prefix: "many"}, 2, 1},
		{verify.Options{Prefix: "m_ny"}, 0, 0},
		{verify.Options{}, 4, 2},
	} {
		report, _ := check(t, m.G, c.opts)
		if report.Accounts != c.accounts || report.Problems != c.problems {
			t.Errorf("%+v: %d accounts and %d problems, want %d and %d", c.opts, report.Accounts, report.Problems, c.accounts, c.problems)
		}
	}
}

func TestListenerEndsTheRun(t *testing.T) {
	m := seed(t)
	damage(t, m.G, "UPDATE accounts SET balance = balance + 5 WHERE id = 'many'")
	enough := errors.New("enough")
	_, err := verify.New(m.G).Run(context.Background(), verify.Options{OnProblem: func(verify.Problem) error { return enough }})
	if !errors.Is(err, enough) {
		t.Fatalf("error %v, want the listener's", err)
	}
}

// TestVerifyBesideTraffic charges and settles while the verifier runs: each account must be seen at one moment.
func TestVerifyBesideTraffic(t *testing.T) {
	m := modeltest.Ready(t, patient())
	const accounts = 8
	for i := range accounts {
		m.Account(t, fmt.Sprint("a", i), 1_000_000)
	}
	stop, done := make(chan struct{}), make(chan error, 4)
	for w := range 4 {
		go func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				account, id := fmt.Sprint("a", i%accounts), fmt.Sprint("w", w, "-", i)
				_, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Action: modeltest.Action, Units: 3})
				for _, kind := range []job.Signal{{Type: job.SignalFailed, Class: job.Transient}, {Type: job.SignalSucceeded}} {
					if err == nil {
						_, err = m.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: kind})
					}
				}
				if err != nil {
					done <- err
					return
				}
			}
		}()
	}
	var entries int64
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		report, problems := check(t, m.G, verify.Options{Workers: 2})
		for _, p := range problems {
			t.Fatal(p)
		}
		entries = report.Entries
	}
	close(stop)
	for range 4 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if entries < 3*accounts {
		t.Fatalf("only %d entries were seen: there was no traffic", entries)
	}
}

func TestHeadsDigestFindsACutTail(t *testing.T) {
	m := seed(t)
	v, ctx := verify.New(m.G), context.Background()
	var at time.Time
	if err := m.G.Raw("SELECT clock_timestamp()").Scan(&at).Error; err != nil {
		t.Fatal(err)
	}
	digest := func() string {
		t.Helper()
		d, err := v.HeadsDigest(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	before := digest()
	m.Charge(t, "many", "afterwards", 10)
	if got := digest(); got != before {
		t.Fatal("a later entry changed the digest of an earlier moment")
	}
	damage(t, m.G, "DELETE FROM entries WHERE account_key = "+debt+" AND seq = (SELECT last_seq FROM accounts WHERE id = 'debt')")
	if got := digest(); got == before {
		t.Fatal("a cut tail left the digest as it was")
	}
}

func TestRunsAreRecorded(t *testing.T) {
	m := seed(t)
	v, ctx := verify.New(m.G), context.Background()
	if last, err := v.Last(ctx); err != nil || last != nil {
		t.Fatalf("last %v, error %v before any run", last, err)
	}
	damage(t, m.G, "UPDATE accounts SET balance = balance + 5 WHERE id = 'many'")
	for _, opts := range []verify.Options{{}, {AccountID: "empty"}} {
		report, _ := check(t, m.G, opts)
		if err := v.Record(ctx, report); err != nil {
			t.Fatal(err)
		}
	}
	last, err := v.Last(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if last.Problems != 1 || last.ByCheck[verify.CheckHead] != 1 || last.Accounts != 3 || len(last.HeadsDigest) != 64 || last.Finished.Before(last.Started) {
		t.Fatalf("last %+v", last)
	}
	var b bytes.Buffer
	if err := verify.WriteText(&b, last.Report); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "1 problems:\n  head            1\n") || !strings.Contains(text, last.HeadsDigest) {
		t.Fatalf("text %q", text)
	}
}
