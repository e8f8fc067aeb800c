package deadletter_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

func TestFilters(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	ctx := context.Background()
	who := person(t, m, 1)
	for _, a := range []struct{ id, name string }{{"a1", "Aurora Films"}, {"a2", "aurora 100%_Sound"}, {"b", "Zephyr"}} {
		m.Account(t, a.id, 10_000)
		if _, err := m.Ledger.PutAccount(ctx, ledger.Profile{Envelope: modeltest.Envelope(), AccountID: a.id, Name: &a.name}); err != nil {
			t.Fatal(err)
		}
	}
	die(t, m, "a1", "j1", 10, "codec", "frame 17 is broken", "1.0")
	die(t, m, "a1", "j2", 40, "codec", "frame 99 is broken", "1.1")
	die(t, m, "a2", "j3", 200, "memory", "out of memory", "1.1")
	die(t, m, "b", "j4", 40, "memory", "out of memory at 0xFF12AB34", "")
	die(t, m, "b", "j5", 5, "codec", "frame 1 is broken", "1.0")
	if _, err := m.Letters.Assign(ctx, deadletter.AssignRequest{Request: of(who, "b", "j4"), Assignee: who}); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Hour)
	if _, err := m.Letters.Snooze(ctx, deadletter.SnoozeRequest{Request: of(who, "b", "j5"), Until: &soon}); err != nil {
		t.Fatal(err)
	}
	// As an owner of the tables could: a death without its refund. It goes before all others.
	if err := m.G.Exec(`UPDATE jobs SET is_refunded = false, refunded_at = NULL WHERE id = 'j3'`).Error; err != nil {
		t.Fatal(err)
	}
	all, err := m.Letters.List(ctx, deadletter.Open, deadletter.Filter{}, nil, page.Older, 50)
	if err != nil {
		t.Fatal(err)
	}
	group := all.Rows[1].Fingerprint
	text := func(s string) *string { return &s }
	number := func(n int64) *int64 { return &n }
	yes, no := true, false
	third := all.Rows[slices.IndexFunc(all.Rows, func(l deadletter.Letter) bool { return l.JobID == "j4" })].DeadAt
	for name, c := range map[string]struct {
		tab  deadletter.Tab
		f    deadletter.Filter
		want []string
	}{
		"review":            {deadletter.Review, deadletter.Filter{}, []string{"j3", "j1", "j2", "j4"}},
		"open":              {deadletter.Open, deadletter.Filter{}, []string{"j3", "j1", "j2", "j4", "j5"}},
		"snoozed":           {deadletter.Snoozed, deadletter.Filter{}, []string{"j5"}},
		"closed":            {deadletter.Closed, deadletter.Filter{}, nil},
		"account":           {deadletter.Open, deadletter.Filter{Account: "a1"}, []string{"j1", "j2"}},
		"name":              {deadletter.Open, deadletter.Filter{Account: "AURORA"}, []string{"j3", "j1", "j2"}},
		"name as it stands": {deadletter.Open, deadletter.Filter{Account: "aurora 100%_s"}, []string{"j3"}},
		"nobody":            {deadletter.Open, deadletter.Filter{Account: "c"}, nil},
		"action":            {deadletter.Open, deadletter.Filter{Action: "other"}, nil},
		"class":             {deadletter.Open, deadletter.Filter{ErrorClass: job.Permanent}, []string{"j3", "j1", "j2", "j4", "j5"}},
		"code":              {deadletter.Open, deadletter.Filter{ErrorCode: "memory"}, []string{"j3", "j4"}},
		"text":              {deadletter.Open, deadletter.Filter{ErrorText: "0xff12"}, []string{"j4"}},
		"text of several":   {deadletter.Open, deadletter.Filter{ErrorText: "9 IS B"}, []string{"j2"}},
		"text of a group":   {deadletter.Review, deadletter.Filter{ErrorText: "Is broken"}, []string{"j1", "j2"}},
		"text of none":      {deadletter.Open, deadletter.Filter{ErrorText: "nothing like it"}, nil},
		"version":           {deadletter.Open, deadletter.Filter{WorkerVersion: "1.1"}, []string{"j3", "j2"}},
		"group":             {deadletter.Open, deadletter.Filter{Fingerprints: []string{group}}, []string{"j1", "j2", "j5"}},
		"mine":              {deadletter.Open, deadletter.Filter{Assignee: text(who.String())}, []string{"j4"}},
		"nobody's":          {deadletter.Review, deadletter.Filter{Assignee: text("")}, []string{"j3", "j1", "j2"}},
		"money":             {deadletter.Open, deadletter.Filter{Refunded: &no}, []string{"j3"}},
		"refunded":          {deadletter.Review, deadletter.Filter{Refunded: &yes}, []string{"j1", "j2", "j4"}},
		"amount":            {deadletter.Open, deadletter.Filter{MinCost: number(40), MaxCost: number(40)}, []string{"j2", "j4"}},
		"before":            {deadletter.Review, deadletter.Filter{Before: &third}, []string{"j3", "j1", "j2"}},
		"from":              {deadletter.Review, deadletter.Filter{From: &third}, []string{"j4"}},
	} {
		if got := listed(t, m, c.tab, c.f); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	// Back from the end is the same list.
	last, err := m.Letters.List(ctx, deadletter.Open, deadletter.Filter{}, &deadletter.Position{Refunded: true, At: time.Now().Add(time.Hour)}, page.Newer, 3)
	if err != nil || len(last.Rows) != 3 || last.Rows[0].JobID != "j2" || last.Rows[2].JobID != "j5" || last.Newer == nil {
		t.Errorf("backwards: %+v, %v", last, err)
	}
	figures, err := m.Letters.Figures(ctx)
	if err != nil || figures.Open != 5 || figures.Refunded.String() != "95" || figures.Charged.String() != "200" || figures.LastHour != 5 || figures.OldestAt == nil {
		t.Errorf("figures %+v, %v", figures, err)
	}
	if n, err := m.Letters.CountSince(ctx, deadletter.Review, deadletter.Filter{ErrorCode: "memory"}, third.Add(-time.Microsecond), 1000); err != nil || n != 1 {
		t.Errorf("%d since, %v", n, err)
	}
	for i := range 201 {
		m.Account(t, fmt.Sprintf("many%d", i), 0)
	}
	if err := m.G.Exec(`UPDATE accounts SET name = 'Many of them' WHERE id LIKE 'many%'`).Error; err != nil {
		t.Fatal(err)
	}
	_, err = m.Letters.List(ctx, deadletter.Open, deadletter.Filter{Account: "many of"}, nil, page.Older, 50)
	if f := refused(t, err, fault.CodeInvalid); f.Fields[0].Name != "account" {
		t.Errorf("%+v", f)
	}
}

// TestLetterFollowsItsJob: opened by each death, closed by whatever ends it, one row a death.
func TestLetterFollowsItsJob(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	who := person(t, m, 1)
	m.Account(t, "a", 10_000)
	die(t, m, "a", "j", 10, "codec", "broken", "1.0")
	if _, err := m.Letters.Assign(ctx, deadletter.AssignRequest{Request: of(who, "a", "j"), Assignee: who}); err != nil {
		t.Fatal(err)
	}
	ask := func() job.PersonRequest {
		return job.PersonRequest{Envelope: ledger.Envelope{OperationID: modeltest.Envelope().OperationID, Actor: who}, AccountID: "a", JobID: "j", Reason: "too_old"}
	}
	is := func(step, outcome string, generation int, open ...string) {
		t.Helper()
		j, err := m.Jobs.Find(ctx, "a", "j")
		if err != nil {
			t.Fatal(err)
		}
		l, err := m.Letters.Find(ctx, j.AccountKey, j.Key)
		if err != nil || l == nil || l.Outcome != outcome || l.Generation != generation || l.Assignee != who.String() || (l.ClosedAt == nil) != (outcome == "") {
			t.Fatalf("%s: %+v, %v", step, l, err)
		}
		if got := listed(t, m, deadletter.Open, deadletter.Filter{}); !slices.Equal(got, open) {
			t.Fatalf("%s: open are %v", step, got)
		}
	}
	is("died", "", 0, "j")
	if _, err := m.Jobs.Discard(ctx, ask()); err != nil {
		t.Fatal(err)
	}
	is("discarded", deadletter.Discarded, 0)
	if _, err := m.Jobs.Reopen(ctx, ask()); err != nil {
		t.Fatal(err)
	}
	is("reopened", "", 0, "j")
	if _, err := m.Jobs.Requeue(ctx, ask()); err != nil {
		t.Fatal(err)
	}
	is("requeued", deadletter.Requeued, 0)
	if err := m.G.Exec(`UPDATE jobs SET state = 'queued', not_before = clock_timestamp() WHERE id = 'j'`).Error; err != nil {
		t.Fatal(err)
	}
	if err := m.G.Exec(`UPDATE waiting_line SET phase = 'queued', due_at = clock_timestamp()`).Error; err != nil {
		t.Fatal(err)
	}
	fail(t, m, "j", "memory", "gone", "1.1")
	is("died again, and is still of the same person", "", 1, "j")
	if got := listed(t, m, deadletter.Closed, deadletter.Filter{}); !slices.Equal(got, []string{"j"}) {
		t.Errorf("closed: %v", got)
	}
	_, err := m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Signal: job.Signal{Type: job.SignalSucceeded, Result: "s3://x"}})
	if err != nil {
		t.Fatal(err)
	}
	is("delivered after all", deadletter.Succeeded, 1)
	if got := listed(t, m, deadletter.Closed, deadletter.Filter{Outcome: deadletter.Succeeded}); !slices.Equal(got, []string{"j"}) {
		t.Errorf("delivered: %v", got)
	}
}
