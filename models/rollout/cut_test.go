package rollout_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
)

// tracer counts the statements of one caller and cuts its connection before one of them.
type tracer struct {
	mu    sync.Mutex
	cutAt int
	seen  []string
}

func (t *tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = append(t.seen, data.SQL)
	if len(t.seen) == t.cutAt {
		conn.PgConn().Conn().Close()
	}
	return ctx
}

func (t *tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// begin forgets what was seen; cutAt 0 cuts nothing.
func (t *tracer) begin(cutAt int) {
	t.mu.Lock()
	t.cutAt, t.seen = cutAt, nil
	t.mu.Unlock()
}

func (t *tracer) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.seen)
}

// watched are two sets of services over one database: w's own, and one whose statements the tracer sees.
func watched(t *testing.T) (*world, *modeltest.Models, *tracer) {
	t.Helper()
	url := modeltest.URL(t)
	plain := modeltest.New(t, modeltest.Open(t, url, nil), modeltest.Fast())
	plain.Price(t, modeltest.Action, 1000)
	tr := &tracer{}
	return over(t, plain), modeltest.New(t, modeltest.Open(t, url, tr), modeltest.Fast()), tr
}

// A decision costs a charge no statement: what is read, is read where the price was read, and the record goes with the
// operation's result. The first one for a candidate adds one insert.
func TestStatementsOfACharge(t *testing.T) {
	w, m, tr := watched(t)
	statements := func(account string) int {
		t.Helper()
		tr.begin(0)
		if _, _, err := chargeBy(m, account, ids.New()); err != nil {
			t.Fatal(err)
		}
		return tr.count()
	}
	statements("acct_42") // prepares what the connection keeps
	without := statements("acct_42")
	w.draft(discount, shares(10_000)...)
	w.must(w.rollouts.Start, discount)
	if got := statements("acct_42"); got != without+1 {
		t.Errorf("at the enrolment: %d statements, %d without a rollout", got, without)
	}
	for account, name := range map[string]string{"acct_42": "enrolled", "acct_1001": "outside the stage"} {
		if got := statements(account); got != without {
			t.Errorf("%s: %d statements, %d without a rollout", name, got, without)
		}
	}
	// BEGIN, claim, decide, job, head, the last one, COMMIT.
	if without > 7 {
		t.Errorf("%d statements a charge", without)
	}
}

// The connection is cut before every statement of a charge and of a quote that enrol: decision, enrolment and charge are
// all there or none of them, and sent again there is one of each.
func TestConnectionCutBeforeEveryStatement(t *testing.T) {
	w, m, tr := watched(t)
	w.draft(discount, shares(100_000)...)
	w.must(w.rollouts.Start, discount)
	ctx := context.Background()
	quote := func(m *modeltest.Models, account, op string) error {
		_, err := m.Pricing.Quote(ctx, pricing.QuoteRequest{OperationID: op, AccountID: account, Action: modeltest.Action, Units: 60})
		return err
	}
	charge := func(m *modeltest.Models, account, op string) error { _, _, err := chargeBy(m, account, op); return err }
	for name, do := range map[string]func(*modeltest.Models, string, string) error{"charge": charge, "quote": quote} {
		cuts := 0
		for nth := 1; ; nth++ {
			account := strings.ReplaceAll(name+"_"+ids.New(), "-", "_")
			w.Account(t, account, 1000)
			key := w.count(`SELECT key FROM accounts WHERE id = ?`, account)
			rows := func() [4]int64 {
				return [4]int64{w.count(`SELECT count(*) FROM enrolments WHERE account_key = ?`, key), w.count(`SELECT count(*) FROM decisions WHERE account_key = ?`, key),
					w.count(`SELECT count(*) FROM jobs WHERE account_key = ?`, key), w.count(`SELECT count(*) FROM entries WHERE account_key = ? AND type = 'charge'`, key)}
			}
			whole := [4]int64{1, 1, 1, 1}
			if name == "quote" {
				whole = [4]int64{1, 1, 0, 0}
			}
			tr.begin(nth)
			err := do(m, account, "c1")
			seen := tr.count()
			tr.begin(0)
			if seen < nth {
				if err != nil || rows() != whole {
					t.Fatalf("%s, uncut: %v, %v", name, rows(), err)
				}
				break
			}
			cuts++
			if got := rows(); got != whole && got != [4]int64{} {
				t.Errorf("%s cut before statement %d: %v", name, nth, got)
			}
			if err := do(w.Models, account, "c1"); err != nil || rows() != whole {
				t.Errorf("%s cut before statement %d, sent again: %v, %v", name, nth, rows(), err)
			}
			if err := charge(w.Models, account, "c1"); err != nil {
				t.Errorf("%s cut before statement %d, charged: %v", name, nth, err)
			}
			if got := rows(); got != [4]int64{1, 1, 1, 1} {
				t.Errorf("%s cut before statement %d, charged: %v", name, nth, got)
			}
		}
		if cuts < 4 {
			t.Errorf("%s: only %d cuts", name, cuts)
		}
	}
	if checks, err := w.rollouts.Check(ctx, discount); err != nil || !checks.Passed() {
		t.Errorf("checks: %s, %v", checks.Why(), err)
	}
	w.sound()
}
