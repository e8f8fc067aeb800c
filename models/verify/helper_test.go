package verify_test

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/verify"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// patient is a policy under which no test's job runs out of time by itself.
func patient() job.Policy {
	return job.Policy{MaxAttempts: 3, Lease: time.Hour, Deadline: 2 * time.Hour, Expires: 24 * time.Hour,
		BackoffBase: time.Hour, BackoffMax: time.Hour}
}

func n(i int64) *int64 { return &i }

func failed(class string) job.Signal {
	return job.Signal{Type: job.SignalFailed, Attempt: n(1), Class: class, Code: "render_crashed"}
}

func succeeded() job.Signal {
	return job.Signal{Type: job.SignalSucceeded, Attempt: n(1), Result: "s3://out"}
}

func signal(t testing.TB, m *modeltest.Models, account, id string, sig job.Signal) {
	t.Helper()
	_, err := m.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: sig})
	if err != nil {
		t.Fatal(err)
	}
}

// seed makes a ledger with jobs in every state: account "many" has one of each, "debt" is below zero,
// "empty" has no entry.
func seed(t *testing.T) *modeltest.Models {
	t.Helper()
	return modeltest.New(t, modeltest.CopyOf(t, "jobs in every state", fill), patient())
}

func fill(t testing.TB, g *gorm.DB) {
	t.Helper()
	ctx := context.Background()
	m := modeltest.New(t, g, patient())
	m.Price(t, modeltest.Action, 1000)
	m.Price(t, "free", 0)
	m.Account(t, "empty", 0)
	m.Account(t, "many", 1000)
	states := []string{"running", "delivered", "repeated", "retrying", "late", "dead", "discarded", "requeued", "canceled"}
	for _, id := range states {
		m.Charge(t, "many", id, 10)
	}
	if got := m.Claim(t, 100); len(got) != len(states) {
		t.Fatalf("claimed %d jobs, want %d", len(got), len(states))
	}
	m.Charge(t, "many", "queued", 10)
	signal(t, m, "many", "delivered", succeeded())
	signal(t, m, "many", "repeated", succeeded())
	signal(t, m, "many", "repeated", succeeded())
	signal(t, m, "many", "repeated", failed(job.Transient))
	signal(t, m, "many", "retrying", failed(job.Transient))
	for _, id := range []string{"late", "dead", "discarded", "requeued"} {
		signal(t, m, "many", id, failed(job.Permanent))
	}
	signal(t, m, "many", "late", succeeded())
	person := func(id, reason string) job.PersonRequest {
		return job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "many", JobID: id, Reason: reason}
	}
	must(t)(m.Jobs.Discard(ctx, person("discarded", "too_old")))
	must(t)(m.Jobs.Requeue(ctx, person("requeued", "try again")))
	must(t)(m.Jobs.Cancel(ctx, person("canceled", "")))
	for _, c := range []job.ChargeRequest{
		{JobID: "free", Action: "free", Units: 5},
		{JobID: "outside", Action: modeltest.Action, Units: 10, Mode: job.External},
		{JobID: "outside_late", Action: modeltest.Action, Units: 10, Mode: job.External},
	} {
		c.Envelope, c.AccountID = modeltest.Envelope(), "many"
		must(t)(m.Jobs.Charge(ctx, c))
	}
	signal(t, m, "many", "outside_late", failed(job.Throttled))
	signal(t, m, "many", "outside_late", succeeded())
	must(t)(m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: "many", Amount: -7, Reason: "put right"}))

	m.Account(t, "debt", 100)
	m.Charge(t, "debt", "first", 100)
	signal(t, m, "debt", "first", job.Signal{Type: job.SignalFailed, Class: job.TimedOut})
	m.Charge(t, "debt", "second", 60)
	signal(t, m, "debt", "first", job.Signal{Type: job.SignalSucceeded})
	if got := m.Balance(t, "debt"); got != -60 {
		t.Fatalf("balance of debt %d, want -60", got)
	}
}

func must(t testing.TB) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// damage changes rows as the owner of the tables can: with every trigger off, the foreign keys' too.
func damage(t *testing.T, g *gorm.DB, statements ...string) {
	t.Helper()
	err := g.Transaction(func(tx *gorm.DB) error {
		var triggers []struct {
			Table, Name string
			Always      bool
		}
		err := tx.Raw(`SELECT c.relname AS "table", t.tgname AS name, t.tgenabled = 'A' AS always FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
			WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`).Scan(&triggers).Error
		if err != nil {
			return err
		}
		for _, t := range triggers {
			if err := tx.Exec("ALTER TABLE " + t.Table + " DISABLE TRIGGER " + t.Name).Error; err != nil {
				return err
			}
		}
		if err := tx.Exec("SET LOCAL session_replication_role = replica").Error; err != nil {
			return err
		}
		for _, s := range statements {
			if err := tx.Exec(s).Error; err != nil {
				return err
			}
		}
		// A damage that takes a trigger away stays.
		for _, t := range triggers {
			enable := " ENABLE TRIGGER "
			if t.Always {
				enable = " ENABLE ALWAYS TRIGGER "
			}
			if err := tx.Exec("ALTER TABLE " + t.Table + enable + t.Name).Error; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// check runs the verifier and returns its report and problems.
func check(t *testing.T, g *gorm.DB, opts verify.Options) (verify.Report, []verify.Problem) {
	t.Helper()
	var problems []verify.Problem
	opts.OnProblem = func(p verify.Problem) error {
		problems = append(problems, p)
		return nil
	}
	report, err := verify.New(g).Run(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if int(report.Problems) != len(problems) {
		t.Fatalf("the report counts %d problems, %d were told", report.Problems, len(problems))
	}
	slices.SortFunc(problems, func(a, b verify.Problem) int {
		return slices.Compare([]string{string(a.Check), a.AccountID, a.JobID}, []string{string(b.Check), b.AccountID, b.JobID})
	})
	return report, problems
}
