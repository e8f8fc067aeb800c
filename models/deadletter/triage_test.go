package deadletter_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

func letter(t testing.TB, m *modeltest.Models, account, id string) deadletter.Letter {
	t.Helper()
	j, err := m.Jobs.Find(context.Background(), account, id)
	if err != nil {
		t.Fatal(err)
	}
	l, err := m.Letters.Find(context.Background(), j.AccountKey, j.Key)
	if err != nil || l == nil {
		t.Fatalf("%v, %v", l, err)
	}
	return *l
}

// TestTwoPeopleAtOnce: of all who take what nobody has, one wins; each other is told by whom and when.
func TestTwoPeopleAtOnce(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	m.Account(t, "a", 10_000)
	die(t, m, "a", "j", 10, "codec", "broken", "1.0")
	const people = 8
	nobody := ""
	var wg sync.WaitGroup
	errs := make([]error, people)
	who := make([]actor.Actor, people)
	for i := range people {
		who[i] = person(t, m, i)
	}
	for i := range people {
		wg.Go(func() {
			_, errs[i] = m.Letters.Assign(context.Background(), deadletter.AssignRequest{Request: of(who[i], "a", "j"), Assignee: who[i], Seen: &nobody})
		})
	}
	wg.Wait()
	now := letter(t, m, "a", "j")
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			if now.Assignee != who[i].String() || now.AssignedBy != who[i].String() {
				t.Errorf("%s won, %+v has it", who[i], now)
			}
			continue
		}
		f := refused(t, err, fault.CodeStateConflict)
		at, ok := f.Detail["at"].(time.Time)
		if f.Detail["state"] != "assigned" || f.Detail["by"] != now.AssignedBy || !ok || !at.Equal(*now.AssignedAt) {
			t.Errorf("%s was told %+v", who[i], f.Detail)
		}
	}
	if won != 1 {
		t.Errorf("%d won", won)
	}
	// The same of the work: one puts it back, the others are told who did.
	for i := range people {
		wg.Go(func() {
			_, errs[i] = m.Jobs.Requeue(context.Background(), job.PersonRequest{Envelope: of(who[i], "a", "j").Envelope, AccountID: "a", JobID: "j", Reason: fmt.Sprint(i)})
		})
	}
	wg.Wait()
	won = 0
	var winner actor.Actor
	for i, err := range errs {
		if err == nil {
			won, winner = won+1, who[i]
		}
	}
	for _, err := range errs {
		if err != nil {
			if f := refused(t, err, fault.CodeStateConflict); f.Detail["by"] != winner.String() || f.Detail["at"] == nil {
				t.Errorf("told %+v, %s won", f.Detail, winner)
			}
		}
	}
	if won != 1 {
		t.Errorf("%d put it back", won)
	}
}

func TestUndo(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	ctx := context.Background()
	one, two := person(t, m, 1), person(t, m, 2)
	m.Account(t, "a", 10_000)
	die(t, m, "a", "j", 10, "codec", "broken", "1.0")
	m.Charge(t, "a", "other", 1)
	undo := func(who actor.Actor, id string) error {
		_, err := m.Letters.Undo(ctx, deadletter.UndoRequest{Request: of(who, "a", "j"), Undoes: id})
		return err
	}

	snooze := of(one, "a", "j")
	soon := time.Now().Add(time.Hour + 123*time.Nanosecond)
	if _, err := m.Letters.Snooze(ctx, deadletter.SnoozeRequest{Request: snooze, Until: &soon, Compare: true}); err != nil {
		t.Fatal(err)
	}
	if l := letter(t, m, "a", "j"); l.SnoozedUntil == nil || l.SnoozedBy != one.String() {
		t.Fatalf("%+v", l)
	}
	if err := undo(one, snooze.OperationID); err != nil {
		t.Fatal(err)
	}
	if l := letter(t, m, "a", "j"); l.SnoozedUntil != nil {
		t.Errorf("still snoozed: %+v", l)
	}
	_ = refused(t, undo(one, snooze.OperationID), fault.CodeStateConflict)

	// What somebody else changed since is theirs.
	take := of(one, "a", "j")
	if _, err := m.Letters.Assign(ctx, deadletter.AssignRequest{Request: take, Assignee: one}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Letters.Assign(ctx, deadletter.AssignRequest{Request: of(two, "a", "j"), Assignee: two}); err != nil {
		t.Fatal(err)
	}
	if f := refused(t, undo(one, take.OperationID), fault.CodeStateConflict); f.Detail["by"] != two.String() || f.Detail["assignee"] != two.String() {
		t.Errorf("told %+v", f.Detail)
	}
	if l := letter(t, m, "a", "j"); l.Assignee != two.String() {
		t.Errorf("%+v", l)
	}

	// A note stays, and is marked as withdrawn once.
	note := of(one, "a", "j")
	if _, err := m.Letters.Note(ctx, deadletter.NoteRequest{Request: note, Text: "asked the provider"}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() { errs[i] = undo(one, note.OperationID) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			_ = refused(t, err, fault.CodeStateConflict)
		}
	}
	events, err := m.Jobs.Timeline(ctx, letter(t, m, "a", "j").AccountKey, letter(t, m, "a", "j").JobKey)
	if err != nil || won != 1 {
		t.Fatalf("%d withdrew it, %v", won, err)
	}
	var kinds []string
	for _, e := range events {
		if e.Actor == one.String() || e.Actor == two.String() {
			kinds = append(kinds, e.Kind)
		}
	}
	if got, want := fmt.Sprint(kinds), "[snoozed undone assigned assigned noted undone]"; got != want {
		t.Errorf("the timeline says %s, want %s", got, want)
	}

	// Only what can be undone, and only of this job.
	_ = refused(t, undo(one, "nothing"), fault.CodeOperationNotFound)
	requeue := of(one, "a", "j").Envelope
	if _, err := m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: requeue, AccountID: "a", JobID: "j", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	_ = refused(t, undo(one, requeue.OperationID), fault.CodeInvalid)
	_, err = m.Letters.Undo(ctx, deadletter.UndoRequest{Request: of(one, "a", "other"), Undoes: take.OperationID})
	_ = refused(t, err, fault.CodeOperationNotFound)
	// Closed: told who put it back.
	_, err = m.Letters.Assign(ctx, deadletter.AssignRequest{Request: of(two, "a", "j"), Assignee: two})
	if f := refused(t, err, fault.CodeStateConflict); f.Detail["state"] != deadletter.Requeued || f.Detail["by"] != one.String() {
		t.Errorf("told %+v", f.Detail)
	}
	_, err = m.Letters.Assign(ctx, deadletter.AssignRequest{Request: of(two, "a", "other"), Assignee: two})
	if f := refused(t, err, fault.CodeStateConflict); f.Detail["state"] != "not_dead" {
		t.Errorf("told %+v", f.Detail)
	}
}

func TestRefusals(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	ctx := context.Background()
	who := person(t, m, 1)
	m.Account(t, "a", 10_000)
	die(t, m, "a", "j", 10, "codec", "broken", "1.0")
	past, far := time.Now().Add(-time.Second), time.Now().AddDate(2, 0, 0)
	seven := int64(7)
	later := of(who, "a", "j")
	later.Generation = &seven
	for name, c := range map[string]struct {
		code string
		do   func() error
	}{
		"a key": {fault.CodeInvalid, func() error {
			_, err := m.Letters.Assign(ctx, deadletter.AssignRequest{Request: of(who, "a", "j"), Assignee: actor.Key("k")})
			return err
		}},
		"a stranger": {fault.CodeInvalid, func() error {
			_, err := m.Letters.Assign(ctx, deadletter.AssignRequest{Request: of(who, "a", "j"), Assignee: actor.Staff("st_none")})
			return err
		}},
		"no such job": {fault.CodeJobNotFound, func() error {
			_, err := m.Letters.Assign(ctx, deadletter.AssignRequest{Request: of(who, "a", "k"), Assignee: who})
			return err
		}},
		"no account": {fault.CodeAccountNotFound, func() error {
			_, err := m.Letters.Note(ctx, deadletter.NoteRequest{Request: of(who, "b", "j"), Text: "x"})
			return err
		}},
		"the past": {fault.CodeInvalid, func() error {
			_, err := m.Letters.Snooze(ctx, deadletter.SnoozeRequest{Request: of(who, "a", "j"), Until: &past})
			return err
		}},
		"too far": {fault.CodeInvalid, func() error {
			_, err := m.Letters.Snooze(ctx, deadletter.SnoozeRequest{Request: of(who, "a", "j"), Until: &far})
			return err
		}},
		"an empty note": {fault.CodeInvalid, func() error {
			_, err := m.Letters.Note(ctx, deadletter.NoteRequest{Request: of(who, "a", "j"), Text: " "})
			return err
		}},
		"a note that nobody sees": {fault.CodeInvalid, func() error {
			_, err := m.Letters.Note(ctx, deadletter.NoteRequest{Request: of(who, "a", "j"), Text: "\u200b"})
			return err
		}},
		"a NUL": {fault.CodeInvalid, func() error {
			_, err := m.Letters.Note(ctx, deadletter.NoteRequest{Request: of(who, "a", "j"), Text: "a\x00"})
			return err
		}},
		"another death": {fault.CodeStateConflict, func() error {
			_, err := m.Letters.Assign(ctx, deadletter.AssignRequest{Request: later, Assignee: who})
			return err
		}},
		"another snooze": {fault.CodeStateConflict, func() error {
			_, err := m.Letters.Snooze(ctx, deadletter.SnoozeRequest{Request: of(who, "a", "j"), Compare: true, Seen: &past})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) { _ = refused(t, c.do(), c.code) })
	}
	var touched int64
	if err := m.G.Raw(`SELECT count(*) FROM dead_letters WHERE assignee <> '' OR snoozed_at IS NOT NULL`).Scan(&touched).Error; err != nil || touched != 0 {
		t.Errorf("%d changed, %v", touched, err)
	}
}

// TestGroupFigures: what a group shows is what the rows say, whatever happens to them.
func TestGroupFigures(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	who := person(t, m, 1)
	for _, a := range []string{"a", "b"} {
		m.Account(t, a, 10_000)
	}
	for i := range 6 {
		die(t, m, []string{"a", "b"}[i%2], fmt.Sprintf("j%d", i), int64(10*(i+1)), "codec", fmt.Sprintf("frame %d is broken", i), fmt.Sprintf("1.%d", i%2))
	}
	die(t, m, "a", "alone", 7, "memory", "out of memory", "")
	groups, err := m.Letters.Groups(ctx, deadletter.OpenGroups, nil, page.Older, 1)
	if err != nil || len(groups.Rows) != 1 || groups.Older == nil {
		t.Fatalf("%+v, %v", groups, err)
	}
	g := groups.Rows[0]
	if g.Open != 6 || g.Accounts != 2 || g.Refunded.String() != "210" || g.Charged.String() != "0" || g.Pattern != "frame <number> is broken" || g.FirstAt == nil || !g.LastAt.After(*g.FirstAt) {
		t.Fatalf("%+v", g)
	}
	next, err := m.Letters.Groups(ctx, deadletter.OpenGroups, groups.Older, page.Older, 1)
	if err != nil || len(next.Rows) != 1 || next.Rows[0].Open != 1 || next.Older != nil {
		t.Fatalf("%+v, %v", next, err)
	}
	if _, err := m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: of(who, "b", "j1").Envelope, AccountID: "b", JobID: "j1", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Jobs.Discard(ctx, job.PersonRequest{Envelope: of(who, "a", "j0").Envelope, AccountID: "a", JobID: "j0", Reason: "too_old"}); err != nil {
		t.Fatal(err)
	}
	if g, err = m.Letters.Group(ctx, g.Fingerprint); err != nil || g.Open != 4 || g.Refunded.String() != "180" || g.Accounts != 2 {
		t.Errorf("%+v, %v", g, err)
	}
	versions, err := m.Letters.WorkerVersions(ctx, g.Fingerprint, 10)
	if err != nil || fmt.Sprint(versions) != "[{1.0 2} {1.1 2}]" {
		t.Errorf("%v, %v", versions, err)
	}
	accounts, err := m.Letters.Accounts(ctx, g.Fingerprint, 10)
	if err != nil || fmt.Sprint(accounts) != "[{a 2} {b 2}]" {
		t.Errorf("%v, %v", accounts, err)
	}
	trend, err := m.Letters.Trend(ctx, []string{g.Fingerprint, "none"}, time.Hour, 24)
	if err != nil || len(trend) != 1 || len(trend[g.Fingerprint]) != 24 || trend[g.Fingerprint][23] != 6 {
		t.Errorf("%v, %v", trend, err)
	}
	samples, err := m.Letters.Latest(ctx, g.Fingerprint, 2)
	if err != nil || len(samples) != 2 || samples[0].JobID != "j5" || samples[1].JobID != "j4" {
		t.Errorf("%+v, %v", samples, err)
	}
	_, err = m.Letters.Group(ctx, "nothing")
	_ = refused(t, err, deadletter.CodeGroupNotFound)
}

func TestGroupsComeAndGo(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	one, two := person(t, m, 1), person(t, m, 2)
	m.Account(t, "a", 10_000)
	n := 0
	again := func() {
		n++
		die(t, m, "a", fmt.Sprintf("j%d", n), 10, "codec", fmt.Sprintf("frame %d is broken", n), "")
	}
	again()
	first, err := m.Letters.Groups(ctx, deadletter.OpenGroups, nil, page.Older, 10)
	if err != nil || len(first.Rows) != 1 {
		t.Fatal(first, err)
	}
	id := first.Rows[0].Fingerprint
	ask := func(who actor.Actor, revision int64) deadletter.GroupRequest {
		return deadletter.GroupRequest{Envelope: ledger.Envelope{OperationID: modeltest.Envelope().OperationID, Actor: who}, Fingerprint: id, Revision: &revision}
	}
	in := func(tab deadletter.GroupTab) int {
		t.Helper()
		p, err := m.Letters.Groups(ctx, tab, nil, page.Older, 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(p.Rows)
	}
	at := func(step string, open, snoozed, resolved int, letters ...string) deadletter.Group {
		t.Helper()
		if o, s, r := in(deadletter.OpenGroups), in(deadletter.SnoozedGroups), in(deadletter.ResolvedGroups); o != open || s != snoozed || r != resolved || in(deadletter.AllGroups) != 1 {
			t.Errorf("%s: %d open, %d snoozed, %d resolved groups", step, o, s, r)
		}
		if got := listed(t, m, deadletter.Review, deadletter.Filter{}); fmt.Sprint(got) != fmt.Sprint(letters) {
			t.Errorf("%s: %v need review, want %v", step, got, letters)
		}
		g, err := m.Letters.Group(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	at("at first", 1, 0, 0, "j1")
	note := ask(one, 0)
	note.Note, note.Link = "The provider knows", "https://status.example/7"
	if _, err := m.Letters.NoteGroup(ctx, note); err != nil {
		t.Fatal(err)
	}
	// The second person saw revision 0.
	late := ask(two, 0)
	late.Note = "Nobody knows"
	_, err = m.Letters.NoteGroup(ctx, late)
	if f := refused(t, err, fault.CodeStateConflict); f.Detail["by"] != one.String() || f.Detail["at"] == nil {
		t.Errorf("told %+v", f.Detail)
	}
	bad := ask(one, 1)
	bad.Link = "javascript:alert(1)"
	_, err = m.Letters.NoteGroup(ctx, bad)
	_ = refused(t, err, fault.CodeInvalid)

	snooze := ask(one, 1)
	_, err = m.Letters.SnoozeGroup(ctx, snooze)
	_ = refused(t, err, fault.CodeInvalid)
	snooze.More = 2
	if _, err := m.Letters.SnoozeGroup(ctx, snooze); err != nil {
		t.Fatal(err)
	}
	at("snoozed until two more", 0, 1, 0)
	again()
	if got := listed(t, m, deadletter.Snoozed, deadletter.Filter{}); fmt.Sprint(got) != "[j1 j2]" {
		t.Errorf("out of sight: %v", got)
	}
	at("one more", 0, 1, 0)
	again()
	at("two more", 1, 0, 0, "j1", "j2", "j3")

	resolve := ask(one, 2)
	_, err = m.Letters.ResolveGroup(ctx, resolve)
	_ = refused(t, err, fault.CodeInvalid)
	resolve.Reason = "new codec"
	if _, err := m.Letters.ResolveGroup(ctx, resolve); err != nil {
		t.Fatal(err)
	}
	if g := at("resolved", 1, 0, 1, "j1", "j2", "j3"); g.Returned() || g.Note != note.Note || g.Link != note.Link {
		t.Errorf("%+v", g)
	}
	_, err = m.Letters.SnoozeGroup(ctx, func() deadletter.GroupRequest { r := ask(one, 3); r.More = 1; return r }())
	_ = refused(t, err, fault.CodeStateConflict)
	again()
	if g := at("back", 1, 0, 1, "j1", "j2", "j3", "j4"); !g.Returned() {
		t.Errorf("%+v", g)
	}
	if _, err := m.Letters.ReopenGroup(ctx, ask(two, 3)); err != nil {
		t.Fatal(err)
	}
	if g := at("reopened", 1, 0, 0, "j1", "j2", "j3", "j4"); g.Returned() || g.ChangedBy != two.String() {
		t.Errorf("%+v", g)
	}
	_, err = m.Letters.ReopenGroup(ctx, ask(two, 4))
	_ = refused(t, err, fault.CodeStateConflict)
}

// TestFingerprintsAreFilled: rows that no program wrote get theirs, in batches, and the same as from the program.
func TestFingerprintsAreFilled(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	ctx := context.Background()
	m.Account(t, "a", 10_000)
	for i := range 3 {
		die(t, m, "a", fmt.Sprintf("j%d", i), 10, "codec", fmt.Sprintf("frame %d is broken", i), "")
	}
	want := letter(t, m, "a", "j0").Fingerprint
	if err := m.G.Exec(`UPDATE dead_letters SET fingerprint = '', fingerprint_version = 0`).Error; err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{2, 1, 0} {
		if got, err := m.Letters.FillFingerprints(ctx, 2); err != nil || got != n {
			t.Fatalf("batch %d: %d, %v", i, got, err)
		}
	}
	for i := range 3 {
		if got := letter(t, m, "a", fmt.Sprintf("j%d", i)).Fingerprint; got != want || want == "" {
			t.Errorf("j%d has %q, want %q", i, got, want)
		}
	}
}
