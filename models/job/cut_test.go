package job_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
)

// mutation is one change that a test sends through a connection that breaks.
type mutation struct {
	name string
	// prepare makes what the change needs under names of this one try and returns the change, which
	// can be sent any number of times and says whether it was new.
	prepare func(t *testing.T, m *modeltest.Models, s scene) func(m *modeltest.Models) (applied bool, err error)
	// balance is what the account (of 100) has afterwards.
	balance int64
}

// scene names what one try works on, so that tries share a database and not their rows.
type scene struct{ account, job, action, operation string }

func (s scene) envelope() ledger.Envelope {
	return ledger.Envelope{OperationID: s.operation, Actor: actor.Key(s.account)}
}

func (s scene) charge(t *testing.T, m *modeltest.Models, mode job.Mode) {
	t.Helper()
	_, err := m.Jobs.Charge(context.Background(), s.chargeRequest(modeltest.Envelope(), mode))
	if err != nil {
		t.Fatal(err)
	}
}

func (s scene) chargeRequest(e ledger.Envelope, mode job.Mode) job.ChargeRequest {
	return job.ChargeRequest{Envelope: e, AccountID: s.account, JobID: s.job, Action: s.action, Units: 40, Mode: mode, Payload: []byte(`{"a":1}`)}
}

func (s scene) claim(t *testing.T, m *modeltest.Models) job.Claimed {
	t.Helper()
	jobs, _, err := m.Jobs.Claim(context.Background(), job.ClaimRequest{Envelope: modeltest.Envelope(), Actions: []string{s.action}, Max: 1})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("claimed %d, %v", len(jobs), err)
	}
	return jobs[0]
}

func (s scene) bell(t *testing.T, m *modeltest.Models) job.Bell {
	t.Helper()
	j := row(t, m, s.job)
	return job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: j.Attempt, Generation: j.Generation}
}

func (s scene) person(e ledger.Envelope) job.PersonRequest {
	return job.PersonRequest{Envelope: e, AccountID: s.account, JobID: s.job, Reason: "too_old"}
}

func (s scene) signal(e ledger.Envelope, sig job.Signal) job.SignalRequest {
	return job.SignalRequest{Envelope: e, AccountID: s.account, JobID: s.job, Signal: sig}
}

// die makes the job a dead letter.
func (s scene) die(t *testing.T, m *modeltest.Models) {
	t.Helper()
	s.charge(t, m, job.Managed)
	s.claim(t, m)
	signal(t, m, s.account, s.job, job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(1)})
}

func applied(out operation.Outcome, err error) (bool, error) { return err == nil && !out.Replayed, err }

// mutations are all the changes that the models make to money and work.
func mutations() []mutation {
	ctx := context.Background()
	type change = func(m *modeltest.Models) (bool, error)
	failed := job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)}
	return []mutation{
		{"put account", func(t *testing.T, m *modeltest.Models, s scene) change {
			name := "Name"
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Ledger.PutAccount(ctx, ledger.Profile{Envelope: s.envelope(), AccountID: s.account + "-new", Name: &name}))
			}
		}, 100},
		{"freeze", func(t *testing.T, m *modeltest.Models, s scene) change {
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Ledger.Freeze(ctx, ledger.FreezeRequest{Envelope: s.envelope(), AccountID: s.account, Reason: "x"}))
			}
		}, 100},
		{"grant", func(t *testing.T, m *modeltest.Models, s scene) change {
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: s.envelope(), AccountID: s.account, Amount: 11, Category: ledger.Paid}))
			}
		}, 111},
		{"adjustment", func(t *testing.T, m *modeltest.Models, s scene) change {
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: s.envelope(), AccountID: s.account, Amount: -111, Reason: "x"}))
			}
		}, -11},
		{"set price", func(t *testing.T, m *modeltest.Models, s scene) change {
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Pricing.SetPrice(ctx, pricing.NewRule{OperationID: s.operation, Actor: actor.Staff("pm"), Action: s.action,
					Unit: "second", UnitPrice: 2000, Rounding: credit.RoundUp, Reason: "x"}))
			}
		}, 100},
		{"charge managed", func(t *testing.T, m *modeltest.Models, s scene) change {
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Jobs.Charge(ctx, s.chargeRequest(s.envelope(), job.Managed)))
			}
		}, 60},
		{"charge external", func(t *testing.T, m *modeltest.Models, s scene) change {
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Jobs.Charge(ctx, s.chargeRequest(s.envelope(), job.External)))
			}
		}, 60},
		{"claim", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.Managed)
			return func(m *modeltest.Models) (bool, error) {
				jobs, replayed, err := m.Jobs.Claim(ctx, job.ClaimRequest{Envelope: s.envelope(), Actions: []string{s.action}, Max: 3})
				if err == nil && (len(jobs) != 1 || string(jobs[0].Payload) != `{"a":1}`) {
					err = fmt.Errorf("claimed %+v", jobs)
				}
				return err == nil && !replayed, err
			}
		}, 60},
		{"complete", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.Managed)
			token := s.claim(t, m).LeaseToken
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Jobs.Complete(ctx, job.FinishRequest{Envelope: s.envelope(), LeaseToken: token}))
			}
		}, 60},
		{"complete after the failure", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.Managed)
			token := s.claim(t, m).LeaseToken
			signal(t, m, s.account, s.job, failed)
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Jobs.Complete(ctx, job.FinishRequest{Envelope: s.envelope(), LeaseToken: token}))
			}
		}, 60},
		{"fail", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.Managed)
			token := s.claim(t, m).LeaseToken
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Jobs.Fail(ctx, job.FinishRequest{Envelope: s.envelope(), LeaseToken: token, Class: job.Transient}))
			}
		}, 100},
		{"signal failed", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.External)
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Jobs.Signal(ctx, s.signal(s.envelope(), failed)))
			}
		}, 100},
		{"signal succeeded late", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.External)
			signal(t, m, s.account, s.job, failed)
			return func(m *modeltest.Models) (bool, error) {
				return applied(m.Jobs.Signal(ctx, s.signal(s.envelope(), job.Signal{Type: job.SignalSucceeded, Attempt: n(1)})))
			}
		}, 60},
		{"cancel", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.Managed)
			s.claim(t, m)
			return func(m *modeltest.Models) (bool, error) { return applied(m.Jobs.Cancel(ctx, s.person(s.envelope()))) }
		}, 100},
		{"wake", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.External)
			signal(t, m, s.account, s.job, failed)
			due(t, m, s.job, "not_before")
			bell := s.bell(t, m)
			return func(m *modeltest.Models) (bool, error) { return m.Jobs.Wake(ctx, bell) }
		}, 100},
		{"time out", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.Managed)
			s.claim(t, m)
			due(t, m, s.job, "lease_until")
			bell := s.bell(t, m)
			return func(m *modeltest.Models) (bool, error) { return m.Jobs.TimeOut(ctx, bell) }
		}, 100},
		{"expire", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.charge(t, m, job.Managed)
			due(t, m, s.job, "expires_at")
			bell := s.bell(t, m)
			return func(m *modeltest.Models) (bool, error) { return m.Jobs.Expire(ctx, bell) }
		}, 100},
		{"requeue", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.die(t, m)
			return func(m *modeltest.Models) (bool, error) { return applied(m.Jobs.Requeue(ctx, s.person(s.envelope()))) }
		}, 100},
		{"discard", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.die(t, m)
			return func(m *modeltest.Models) (bool, error) { return applied(m.Jobs.Discard(ctx, s.person(s.envelope()))) }
		}, 100},
		{"reopen", func(t *testing.T, m *modeltest.Models, s scene) change {
			s.die(t, m)
			if _, err := m.Jobs.Discard(ctx, s.person(modeltest.Envelope())); err != nil {
				t.Fatal(err)
			}
			return func(m *modeltest.Models) (bool, error) { return applied(m.Jobs.Reopen(ctx, s.person(s.envelope()))) }
		}, 100},
	}
}

// rows is everything that a try may have written, audit rows of changes included.
func (s scene) rows(t *testing.T, m *modeltest.Models) string {
	t.Helper()
	var text sql.NullString
	const own = `account_key IN (SELECT key FROM accounts WHERE id IN (@a, @b))`
	err := m.G.Raw(`SELECT string_agg(r, E'\n' ORDER BY r) FROM (
		SELECT 'account ' || x::text AS r FROM accounts x WHERE id IN (@a, @b)
		UNION ALL SELECT 'entry ' || x::text FROM entries x WHERE `+own+`
		UNION ALL SELECT 'operation ' || x::text FROM operations x WHERE `+own+` OR (account_key = 0 AND id = @op)
		UNION ALL SELECT 'job ' || x::text FROM jobs x WHERE `+own+`
		UNION ALL SELECT 'decision ' || x::text FROM decisions x WHERE `+own+`
		UNION ALL SELECT 'enrolment ' || x::text FROM enrolments x WHERE `+own+`
		UNION ALL SELECT 'attempt ' || x::text FROM attempts x WHERE `+own+`
		UNION ALL SELECT 'event ' || x::text FROM job_events x WHERE `+own+`
		UNION ALL SELECT 'line ' || x::text FROM waiting_line x WHERE `+own+`
		UNION ALL SELECT 'outbox ' || x::text FROM outbox x WHERE `+own+`
		UNION ALL SELECT 'audit ' || x::text FROM audit_log x WHERE operation_id = @op
		UNION ALL SELECT 'action ' || x::text FROM actions x WHERE id = @act
		UNION ALL SELECT 'rule ' || x::text FROM rule_versions x WHERE action = @act) all_rows`,
		map[string]any{"a": s.account, "b": s.account + "-new", "op": s.operation, "act": s.action}).Row().Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	return text.String
}

// cutBefore returns a hook that closes the connection just before the nth statement, and how many
// statements it saw.
func cutBefore(nth int) (hook func(*pgx.Conn, string), seen *int) {
	seen = new(int)
	return func(conn *pgx.Conn, _ string) {
		if *seen++; *seen == nth {
			conn.PgConn().Conn().Close()
		}
	}, seen
}

// loseAnswer returns a hook that lets the first COMMIT happen and closes the connection before its answer
// is read.
func loseAnswer() (hook func(*pgx.Conn, string), lost *bool) {
	lost = new(bool)
	return func(conn *pgx.Conn, sql string) {
		if *lost || !strings.EqualFold(sql, "commit") {
			return
		}
		*lost = true
		if _, err := conn.PgConn().Exec(context.Background(), "commit").ReadAll(); err != nil {
			panic(err)
		}
		conn.PgConn().Conn().Close()
	}, lost
}

// TestConnectionCut cuts the connection before every statement of every mutation, and after its commit. In
// each case both flag and entry are there or neither, nothing is half-written, and sending the same operation
// again succeeds with exactly one effect.
func TestConnectionCut(t *testing.T) {
	m, watched, tr := traced(t, modeltest.Fast())
	for _, mu := range mutations() {
		t.Run(mu.name, func(t *testing.T) {
			const lostAnswer = 0
			cuts, halves := 0, 0
			for nth := lostAnswer; ; nth++ {
				tag := strings.ReplaceAll(fmt.Sprintf("%s_%d", mu.name, nth), " ", "_")
				s := scene{account: "a_" + tag, job: "j_" + tag, action: "x_" + tag, operation: "op_" + tag}
				m.Price(t, s.action, 1000)
				m.Account(t, s.account, 100)
				change := mu.prepare(t, m, s)
				before := s.rows(t, m)

				hook, seen := cutBefore(nth)
				lost := new(bool)
				if nth == lostAnswer {
					hook, lost = loseAnswer()
				}
				tr.set(hook, nil)
				done, err := change(watched)
				tr.set(nil, nil)
				if nth > lostAnswer && *seen < nth {
					if err != nil || !done {
						t.Fatalf("whole: applied %t, %v", done, err)
					}
					break
				}
				cuts++

				after := s.rows(t, m)
				switch {
				case nth == lostAnswer && (!*lost || err == nil || after == before):
					t.Fatalf("the answer to COMMIT was lost (%t): %v, changed %t", *lost, err, after != before)
				case err == nil && (!done || after == before):
					t.Fatalf("cut %d: no error and nothing done", nth)
				case after == before:
					halves++
				}
				consistent(t, m, keysOf(t, m, s)...)

				again, err := change(m)
				if err != nil {
					t.Fatalf("cut %d: sent again: %v", nth, err)
				}
				if again != (after == before) {
					t.Fatalf("cut %d: sent again it was applied: %t; rows had changed: %t", nth, again, after != before)
				}
				effect := s.rows(t, m)
				if after != before && effect != after {
					t.Fatalf("cut %d: the repetition changed rows\nfrom:\n%s\nto:\n%s", nth, after, effect)
				}
				if effect == before {
					t.Fatalf("cut %d: no effect at all", nth)
				}
				if third, err := change(m); err != nil || third || s.rows(t, m) != effect {
					t.Fatalf("cut %d: a third time: applied %t, %v", nth, third, err)
				}
				consistent(t, m, keysOf(t, m, s)...)
				if got := m.Balance(t, s.account); got != mu.balance {
					t.Fatalf("cut %d: balance %d, want %d", nth, got, mu.balance)
				}
			}
			if cuts < 4 || halves < 3 {
				t.Errorf("only %d cuts, %d of them without effect", cuts, halves)
			}
		})
	}
}

func keysOf(t *testing.T, m *modeltest.Models, s scene) (keys []int64) {
	t.Helper()
	if err := m.G.Raw(`SELECT key FROM accounts WHERE id IN (?, ?)`, s.account, s.account+"-new").Scan(&keys).Error; err != nil {
		t.Fatal(err)
	}
	return keys
}
