package ledger_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

func byPerson() ledger.Envelope {
	return ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("st_0123456789abcdef")}
}

func addNote(t *testing.T, m *modeltest.Models, account, text string) int64 {
	t.Helper()
	out, err := m.Ledger.AddNote(context.Background(), ledger.NoteRequest{Envelope: byPerson(), AccountID: account, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	var r ledger.NoteResult
	if err := out.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r.Note
}

// A note is struck out once, by a row of its own, and only in its account; both rows stay as they are.
func TestANoteIsStruckOutOnceAndStays(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_7", 0)
	m.Account(t, "other", 0)
	key := addNote(t, m, "acct_7", "wants a call")
	strike := ledger.StrikeRequest{Envelope: byPerson(), AccountID: "acct_7", Note: key, Reason: "was another customer"}
	elsewhere := strike
	elsewhere.Envelope, elsewhere.AccountID = byPerson(), "other"
	if _, err := m.Ledger.StrikeNote(ctx, elsewhere); !fault.Is(err, fault.CodeNotFound) {
		t.Errorf("struck through another account: %v", err)
	}
	for i, want := range []bool{false, true} {
		out, err := m.Ledger.StrikeNote(ctx, strike)
		if err != nil || out.Replayed != want {
			t.Errorf("send %d: replayed %t, %v", i, out.Replayed, err)
		}
	}
	again := strike
	again.Envelope = byPerson()
	if _, err := m.Ledger.StrikeNote(ctx, again); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("struck twice: %v", err)
	}
	a, err := m.Ledger.Account(ctx, "acct_7")
	if err != nil {
		t.Fatal(err)
	}
	n, err := m.Ledger.Note(ctx, a.Key, key)
	if err != nil || n.Text != "wants a call" || n.StruckAt == nil || n.StruckReason != "was another customer" || n.StruckBy != "staff:st_0123456789abcdef" {
		t.Errorf("%+v, %v", n, err)
	}
	// The row that strikes is no note: it cannot be struck out itself.
	if _, err := m.Ledger.StrikeNote(ctx, ledger.StrikeRequest{Envelope: byPerson(), AccountID: "acct_7", Note: key + 1, Reason: "x"}); !fault.Is(err, fault.CodeNotFound) {
		t.Errorf("a strike was struck out: %v", err)
	}
	for _, sql := range []string{`UPDATE account_notes SET text = 'x'`, `DELETE FROM account_notes`, `TRUNCATE account_notes`} {
		if err := m.G.Exec(sql).Error; err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if got := audits(t, m, "account:acct_7", "done"); got != 2 {
		t.Errorf("%d audit rows of what was done, want 2", got)
	}
}

func audits(t *testing.T, m *modeltest.Models, object, outcome string) int64 {
	t.Helper()
	var n int64
	if err := m.G.Raw(`SELECT count(*) FROM audit_log WHERE object = ? AND outcome = ?`, object, outcome).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNotesComeNewestFirstByPages(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_7", 0)
	for i := range 5 {
		addNote(t, m, "acct_7", fmt.Sprint("note ", i))
	}
	a, err := m.Ledger.Account(ctx, "acct_7")
	if err != nil {
		t.Fatal(err)
	}
	texts := func(p page.Page[ledger.Note, ledger.NotePosition]) string {
		var out []string
		for _, n := range p.Rows {
			out = append(out, n.Text)
		}
		return strings.Join(out, ", ")
	}
	first, err := m.Ledger.Notes(ctx, a.Key, nil, page.Older, 2)
	if err != nil || texts(first) != "note 4, note 3" || first.Newer != nil {
		t.Fatalf("%s %v", texts(first), err)
	}
	second, err := m.Ledger.Notes(ctx, a.Key, first.Older, page.Older, 2)
	if err != nil || texts(second) != "note 2, note 1" {
		t.Fatalf("%s %v", texts(second), err)
	}
	back, err := m.Ledger.Notes(ctx, a.Key, second.Newer, page.Newer, 2)
	if err != nil || texts(back) != "note 4, note 3" {
		t.Errorf("%s %v", texts(back), err)
	}
	for _, text := range []string{"", "  ", strings.Repeat("x", 2001), "a\x00b"} {
		_, err := m.Ledger.AddNote(ctx, ledger.NoteRequest{Envelope: byPerson(), AccountID: "acct_7", Text: text})
		if !fault.Is(err, fault.CodeInvalid) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}

// A person's change of a profile leaves what was and what is, member by member; one made from a stale page does
// nothing.
func TestPersonChangesAProfile(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_7", 0)
	name, plan, empty := "Acme", "studio", ""
	put := func(e ledger.Envelope, p ledger.Profile) error {
		p.Envelope, p.AccountID = e, "acct_7"
		_, err := m.Ledger.PutAccount(ctx, p)
		return err
	}
	if err := put(modeltest.Envelope(), ledger.Profile{Name: &name, Attributes: map[string]string{"tier": "1", "old": "x"}}); err != nil {
		t.Fatal(err)
	}
	if got := audits(t, m, "account:acct_7", "done"); got != 0 {
		t.Errorf("a program's change left %d audit rows", got)
	}
	a, err := m.Ledger.Account(ctx, "acct_7")
	if err != nil {
		t.Fatal(err)
	}
	change := ledger.Profile{Name: &name, Plan: &plan, Region: &empty, Attributes: map[string]string{"tier": "2", "new": ""}, Reason: "asked by mail", Seen: &a.UpdatedAt}
	if err := put(byPerson(), change); err != nil {
		t.Fatal(err)
	}
	var row struct{ Before, After, Reason string }
	if err := m.G.Raw(`SELECT before::text AS before, after::text AS after, reason FROM audit_log WHERE object = 'account:acct_7' AND action = 'put_account'`).Scan(&row).Error; err != nil {
		t.Fatal(err)
	}
	if row.Before != `{"plan": "", "attributes.old": "x", "attributes.tier": "1"}` || row.After != `{"plan": "studio", "attributes.new": "", "attributes.tier": "2"}` || row.Reason != "asked by mail" {
		t.Errorf("audit row %+v", row)
	}
	other := "Other"
	if err := put(byPerson(), ledger.Profile{Name: &other, Seen: &a.UpdatedAt}); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("from a stale page: %v", err)
	}
	if now, err := m.Ledger.Account(ctx, "acct_7"); err != nil || now.Name != "Acme" {
		t.Errorf("%q, %v", now.Name, err)
	}
}

// Negative accounts are listed by age, over pages and back.
func TestNegativeAccountsByAge(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	for _, id := range []string{"c", "a", "b"} {
		m.Account(t, id, 0)
		if _, err := m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: id, Amount: -1, Reason: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	m.Account(t, "fine", 5)
	var got []string
	var from *ledger.AccountPosition
	for {
		p, err := m.Ledger.Accounts(ctx, ledger.AccountFilter{Negative: true}, from, page.Older, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.Rows {
			got = append(got, a.ID)
		}
		if from = p.Older; from == nil {
			back, err := m.Ledger.Accounts(ctx, ledger.AccountFilter{Negative: true}, p.Newer, page.Newer, 1)
			if err != nil || len(back.Rows) != 1 || back.Rows[0].ID != "a" {
				t.Errorf("back: %+v, %v", back.Rows, err)
			}
			break
		}
	}
	if strings.Join(got, "") != "cab" {
		t.Errorf("order %v", got)
	}
}
