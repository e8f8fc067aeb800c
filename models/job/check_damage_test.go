package job_test

import (
	"strings"
	"testing"

	"recoup/models/job"
	"recoup/models/modeltest"
)

// TestChecksSeeDamage damages rows as the owner of the tables can, and expects the checks that the other
// tests rely on to see each damage.
func TestChecksSeeDamage(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	m.Claim(t, 1)
	signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)})
	m.Charge(t, "a", "k", 7)
	consistent(t, m)
	pool, err := m.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	for damage, want := range map[string]string{
		`UPDATE jobs SET is_refunded = false, refunded_at = NULL WHERE id = 'j'`:   "refund flag false",
		`UPDATE jobs SET is_refunded = true, refunded_at = now() WHERE id = 'k'`:   "refund flag true",
		`UPDATE jobs SET cost = 8 WHERE id = 'k'`:                                  "exactly one charge",
		`UPDATE jobs SET state = 'succeeded', delivered_at = now() WHERE id = 'j'`: "delivered and not paid",
		`UPDATE jobs SET state = 'dead', dead_at = now() WHERE id = 'k'`:           "not refunded",
		`UPDATE jobs SET cohort = 'candidate' WHERE id = 'k'`:                      "attribution",
		`UPDATE waiting_line SET phase = 'queued' WHERE phase = 'retrying'`:        "the line says queued",
		`DELETE FROM waiting_line WHERE phase = 'queued'`:                          "the line says nothing",
		`UPDATE waiting_line SET attempt = attempt + 1`:                            "the line says",
		`UPDATE waiting_line SET due_at = due_at + interval '1 second'`:            "another time",
		`UPDATE attempts SET ended_at = NULL, outcome = ''`:                        "is open",
		`DELETE FROM attempts`:                          "attempts and has other rows",
		`DELETE FROM outbox`:                            "no bell",
		`UPDATE jobs SET deliveries = 1 WHERE id = 'j'`: "delivered 1 times",
		`ALTER TABLE job_events DISABLE TRIGGER USER; DELETE FROM job_events WHERE kind = 'failed'`:                        "not exactly one event",
		`ALTER TABLE entries DISABLE TRIGGER USER; UPDATE entries SET amount = amount + 1`:                                 "the sum is",
		`ALTER TABLE entries DISABLE TRIGGER USER; UPDATE entries SET operation_id = 'x'`:                                  "breaks the chain",
		`ALTER TABLE entries DISABLE TRIGGER USER; DELETE FROM entries WHERE seq = 2`:                                      "has seq 3",
		`ALTER TABLE entries DISABLE TRIGGER USER; DELETE FROM entries WHERE type = 'refund'`:                              "refund flag true",
		`ALTER TABLE entries DISABLE TRIGGER USER; UPDATE entries SET created_at = now() - interval '1 day' WHERE seq = 2`: "not later",
		`ALTER TABLE operations DISABLE TRIGGER USER; DELETE FROM operations WHERE kind = 'charge'`:                        "has no operation",
		`UPDATE accounts SET balance = balance + 1`:                                                                        "not its newest entry",
		`UPDATE accounts SET last_hash = sha256('x')`:                                                                      "not its newest entry",
	} {
		tx, err := pool.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(damage); err != nil {
			t.Fatalf("%s: %v", damage, err)
		}
		inside := *m
		if inside.G, err = wrap(tx); err != nil {
			t.Fatal(err)
		}
		problems := inconsistencies(t, &inside)
		if !strings.Contains(strings.Join(problems, "\n"), want) {
			t.Errorf("%s: found %q, want %q", damage, problems, want)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
	consistent(t, m)
}
