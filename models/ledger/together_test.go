package ledger_test

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

func limited(t *testing.T, credits int64) *modeltest.Models {
	t.Helper()
	g := modeltest.DB(t)
	m := modeltest.New(t, g, modeltest.Fast(), modeltest.Limit(g, credits))
	for _, a := range []string{"a", "b"} {
		if _, err := m.Ledger.PutAccount(context.Background(), ledger.Profile{Envelope: modeltest.Envelope(), AccountID: a}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func by(who actor.Actor) ledger.Envelope { return ledger.Envelope{OperationID: ids.New(), Actor: who} }

// TestSplittingDoesNotGoAroundTheLimit: three times the limit, one after the other, needs a second person at the second.
func TestSplittingDoesNotGoAroundTheLimit(t *testing.T) {
	m := limited(t, 100)
	ctx := context.Background()
	kim, ana := actor.Staff("kim"), actor.Staff("ana")
	grant := func(who actor.Actor, account string, n int64) bool {
		t.Helper()
		out, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: by(who), AccountID: account, Amount: n, Category: ledger.Paid})
		if err != nil {
			t.Fatal(err)
		}
		return out.Waiting
	}
	give := func(who actor.Actor, n int64) bool {
		t.Helper()
		out, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: by(who), AccountID: "a", Amount: n, Category: ledger.Goodwill})
		if err != nil {
			t.Fatal(err)
		}
		return out.Waiting
	}
	adjust := func(who actor.Actor, n int64) bool {
		t.Helper()
		out, err := m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: by(who), AccountID: "a", Amount: n, Reason: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return out.Waiting
	}
	for i, x := range []struct{ got, want bool }{
		{grant(kim, "a", 60), false}, {adjust(kim, 41), true}, {adjust(kim, 40), false}, {grant(kim, "a", 1), true},
		{grant(kim, "b", 100), false}, {grant(ana, "a", 100), false},
		// The other direction has room of its own: a mistake is put right alone.
		{adjust(kim, -100), false}, {adjust(kim, -1), true}, {adjust(kim, math.MinInt64), true},
		// No key goes around it either, whatever it calls its grants.
		{grant(actor.Key("k"), "a", 60), false}, {grant(actor.Key("k"), "a", 101), true}, {give(actor.Key("k"), 41), true}, {give(actor.Key("k"), 40), false},
		{grant(actor.Key("k"), "a", 1), true},
	} {
		if x.got != x.want {
			t.Errorf("step %d waits: %v", i, x.got)
		}
	}
	// What a second person approved is not counted, and what is older than a day is not.
	desk := approval.NewDesk(m.Ops, m.Ledger.Executors())
	rows, err := m.Requests.List(ctx, approval.Filter{Undecided: true, RequestedBy: kim.String()}, nil, page.Older, 10)
	if err != nil || len(rows.Rows) == 0 {
		t.Fatalf("%+v %v", rows, err)
	}
	for _, r := range rows.Rows {
		if p, err := ledger.ReadProposed(r); err != nil || p.Amount != 41 {
			continue
		}
		if _, err := desk.Approve(ctx, approval.Decision{OperationID: ids.New(), Actor: ana, ID: r.ID, Version: 1, Digest: r.Digest, Reason: "ok"}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := m.Ledger.Account(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	for amount, want := range map[int64]int{1: 1, -1: 1} {
		if over, err := m.Ledger.OverTogether(ctx, m.G, kim, map[int64]int64{a.Key: amount}); err != nil || len(over) != want {
			t.Errorf("%d: %v %v", amount, over, err)
		}
	}
	if over, err := m.Ledger.OverTogether(ctx, m.G, actor.Staff("new"), map[int64]int64{a.Key: 100}); err != nil || len(over) != 0 {
		t.Errorf("%v %v", over, err)
	}
}

// TestSplittingAtOnce: twenty requests for a tenth of the limit each at the same time, ten of which have room.
func TestSplittingAtOnce(t *testing.T) {
	m := limited(t, 100)
	var alone atomic.Int64
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			out, err := m.Ledger.Grant(context.Background(), ledger.GrantRequest{Envelope: by(actor.Staff("kim")), AccountID: "a", Amount: 10, Category: ledger.Paid})
			if err != nil {
				t.Errorf("%v", err)
			} else if !out.Waiting {
				alone.Add(1)
			}
		})
	}
	wait.Wait()
	if alone.Load() != 10 || m.Balance(t, "a") != 100 {
		t.Errorf("%d went alone, balance %d", alone.Load(), m.Balance(t, "a"))
	}
}

// TestPeoplesGrantsAreAudited: every mutation by a person leaves a row; a program's stands in operation and entry.
func TestPeoplesGrantsAreAudited(t *testing.T) {
	m := limited(t, 100)
	ctx := context.Background()
	if _, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: by(actor.Staff("kim")), AccountID: "a", Amount: 5, Category: ledger.Goodwill, Reason: "sorry"}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: by(actor.Staff("kim")), AccountID: "a", Amount: -7, Reason: "typo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: by(actor.Key("k")), AccountID: "a", Amount: 1, Category: ledger.Paid}); err != nil {
		t.Fatal(err)
	}
	var rows []string
	err := m.G.Raw(`SELECT concat_ws(' ', actor, action, object, outcome, reason, before->>'balance', after->>'balance') FROM audit_log ORDER BY key`).Scan(&rows).Error
	want := []string{"staff:kim grant account:a done sorry 0 5", "staff:kim adjustment account:a done typo 5 -2"}
	if err != nil || len(rows) != 2 || rows[0] != want[0] || rows[1] != want[1] {
		t.Errorf("%q %v", rows, err)
	}
}
