package deadletter_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"recoup/models/actor"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// die makes a dead letter: charged, claimed by a worker of a version, failed for good.
func die(t testing.TB, m *modeltest.Models, account, id string, units int64, code, message, version string) {
	t.Helper()
	m.Charge(t, account, id, units)
	fail(t, m, id, code, message, version)
}

// fail lets a worker claim the one job in the line and fail it for good.
func fail(t testing.TB, m *modeltest.Models, id, code, message, version string) {
	t.Helper()
	jobs, _, err := m.Jobs.Claim(context.Background(), job.ClaimRequest{Envelope: modeltest.Envelope(), Actions: []string{modeltest.Action}, Max: 1,
		Worker: "w", WorkerVersion: version})
	if err != nil || len(jobs) != 1 || jobs[0].JobID != id {
		t.Fatalf("claimed %+v, %v", jobs, err)
	}
	_, err = m.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: jobs[0].LeaseToken,
		Class: job.Permanent, Code: code, Message: message})
	if err != nil {
		t.Fatal(err)
	}
}

// person puts a member of the staff into the database and returns the actor.
func person(t testing.TB, m *modeltest.Models, n int) actor.Actor {
	t.Helper()
	id := fmt.Sprintf("st_%016d", n)
	err := m.G.Exec(`INSERT INTO staff (id, email, name, role) VALUES (?, ?, ?, 'support')`, id, fmt.Sprintf("p%d@recoup.test", n), fmt.Sprintf("Pat %d", n)).Error
	if err != nil {
		t.Fatal(err)
	}
	return actor.Staff(id)
}

func of(who actor.Actor, account, id string) deadletter.Request {
	return deadletter.Request{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: who}, AccountID: account, JobID: id}
}

// listed are the job ids of a tab, read in pages of two.
func listed(t testing.TB, m *modeltest.Models, tab deadletter.Tab, f deadletter.Filter) []string {
	t.Helper()
	var out []string
	var from *deadletter.Position
	for {
		p, err := m.Letters.List(context.Background(), tab, f, from, page.Older, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.Rows {
			out = append(out, l.JobID)
		}
		if p.Older == nil {
			return out
		}
		from = p.Older
	}
}

func refused(t testing.TB, err error, code string) *fault.Error {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Code != code {
		t.Fatalf("%v, want %s", err, code)
	}
	return f
}
