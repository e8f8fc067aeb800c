package staff_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/staff"
)

func TestCreateStaff(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p, err := w.CreateStaff(ctx, boss, staff.NewPerson{Email: "Mei.Sato@example.com", Name: "佐藤 芽衣", Role: staff.Finance, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.ByEmail(ctx, "mei.sato@EXAMPLE.com")
	if err != nil {
		t.Fatal(err)
	}
	if got != p || got.Email != "Mei.Sato@example.com" || got.Role != staff.Finance || !got.HasPassword ||
		got.Language != "en" || got.TimeZone != "UTC" || got.Theme != "" || got.DisabledAt != nil || got.CreatedAt.IsZero() {
		t.Errorf("read back %+v, created %+v", got, p)
	}
	row := w.newest("staff:" + p.ID)
	wantAudit(t, row, staff.ActionCreate, "done", "")
	if row.Actor != "staff:st_boss" || row.RequestID != "req-1" || strings.Contains(*row.After, "argon2") {
		t.Errorf("audit row %+v, after %s", row, *row.After)
	}
	var stored string
	w.db.Raw(`SELECT password_hash FROM staff`).Scan(&stored)
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=64,t=1,p=1$") || strings.Contains(stored, password) {
		t.Errorf("the stored hash is %q", stored)
	}

	_, err = w.CreateStaff(ctx, boss, staff.NewPerson{Email: "MEI.sato@example.com", Name: "Other", Role: staff.Viewer})
	wantFault(t, err, fault.Conflict, staff.CodeEmailTaken, "email")
}

func TestCreateStaffRefusesBadInput(t *testing.T) {
	w := newWorld(t, staff.Options{})
	good := staff.NewPerson{Email: "a@example.com", Name: "A", Role: staff.Viewer}
	cases := []struct {
		name   string
		change func(*staff.NewPerson)
		fields string
	}{
		{"no email", func(n *staff.NewPerson) { n.Email = "" }, "email"},
		{"no address", func(n *staff.NewPerson) { n.Email = "example.com" }, "email"},
		{"name and address", func(n *staff.NewPerson) { n.Email = "A<a@example.com>" }, "email"},
		{"space", func(n *staff.NewPerson) { n.Email = " a@example.com" }, "email"},
		{"not ASCII", func(n *staff.NewPerson) { n.Email = "ä@example.com" }, "email"},
		{"long email", func(n *staff.NewPerson) { n.Email = strings.Repeat("a", 250) + "@b.cd" }, "email"},
		{"no name", func(n *staff.NewPerson) { n.Name = "  " }, "name"},
		{"NUL in name", func(n *staff.NewPerson) { n.Name = "A\x00" }, "name"},
		{"bad UTF-8 in name", func(n *staff.NewPerson) { n.Name = "A\xff" }, "name"},
		{"long name", func(n *staff.NewPerson) { n.Name = strings.Repeat("あ", 101) }, "name"},
		{"no role", func(n *staff.NewPerson) { n.Role = "" }, "role"},
		{"unknown role", func(n *staff.NewPerson) { n.Role = "root" }, "role"},
		{"short password", func(n *staff.NewPerson) { n.Password = "elevenchars" }, "password"},
		{"long password", func(n *staff.NewPerson) { n.Password = strings.Repeat("x", 1025) }, "password"},
		{"email as password", func(n *staff.NewPerson) { n.Password = "A@example.com" }, "password"},
		{"language", func(n *staff.NewPerson) { n.Language = "de" }, "language"},
		{"time zone", func(n *staff.NewPerson) { n.TimeZone = "Tokyo" }, "time_zone"},
		{"time zone of the machine", func(n *staff.NewPerson) { n.TimeZone = "Local" }, "time_zone"},
		{"theme", func(n *staff.NewPerson) { n.Theme = "pink" }, "theme"},
		{"several", func(n *staff.NewPerson) { n.Name, n.Role, n.Email = "", "", "" }, "email,name,role"},
	}
	for _, c := range cases {
		n := good
		c.change(&n)
		_, err := w.CreateStaff(context.Background(), boss, n)
		t.Run(c.name, func(t *testing.T) { wantFault(t, err, fault.Invalid, fault.CodeInvalid, c.fields) })
	}
	if n := w.count(`SELECT count(*) FROM staff`); n != 0 {
		t.Errorf("%d people were written", n)
	}
}

func TestUnknownPersonIsNotFound(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	prefs := staff.Preferences{Language: "en", TimeZone: "UTC"}
	for _, id := range []string{"", "st_nobody", "st_\x00", "\xff"} {
		_, err := w.ByID(ctx, id)
		wantFault(t, err, fault.NotFound, fault.CodeNotFound, "")
		_, err = w.ByEmail(ctx, id)
		wantFault(t, err, fault.NotFound, fault.CodeNotFound, "")
		wantFault(t, w.UpdatePreferences(ctx, boss, id, prefs), fault.NotFound, fault.CodeNotFound, "")
		wantFault(t, w.SetRole(ctx, boss, id, staff.Viewer, ""), fault.NotFound, fault.CodeNotFound, "")
		wantFault(t, w.SetPassword(ctx, boss, id, password, ""), fault.NotFound, fault.CodeNotFound, "")
		wantFault(t, w.Disable(ctx, boss, id, ""), fault.NotFound, fault.CodeNotFound, "")
		wantFault(t, w.Enable(ctx, boss, id, ""), fault.NotFound, fault.CodeNotFound, "")
	}
}

func TestPreferences(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Viewer)
	self := staff.By{Actor: p.Actor()}
	want := staff.Preferences{Language: "ja", TimeZone: "Asia/Tokyo", Theme: "dark"}
	if err := w.UpdatePreferences(ctx, self, p.ID, want); err != nil {
		t.Fatal(err)
	}
	got, err := w.ByID(ctx, p.ID)
	if err != nil || got.Preferences != want {
		t.Errorf("got %+v, %v", got.Preferences, err)
	}
	row := w.newest("staff:" + p.ID)
	wantAudit(t, row, staff.ActionPreferences, "done", "")
	if !strings.Contains(*row.Before, `"UTC"`) || !strings.Contains(*row.After, `"Asia/Tokyo"`) {
		t.Errorf("audit before %s after %s", *row.Before, *row.After)
	}
	err = w.UpdatePreferences(ctx, self, p.ID, staff.Preferences{Language: "fr", TimeZone: "", Theme: "x"})
	wantFault(t, err, fault.Invalid, fault.CodeInvalid, "language,time_zone,theme")
}

func TestListIsSortedAndHasTheDisabled(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	for _, n := range []string{"bob", "Alice", "carol"} {
		if _, err := w.CreateStaff(ctx, boss, staff.NewPerson{Email: n + "@example.com", Name: n, Role: staff.Viewer}); err != nil {
			t.Fatal(err)
		}
	}
	carol, err := w.ByEmail(ctx, "carol@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Disable(ctx, boss, carol.ID, "left"); err != nil {
		t.Fatal(err)
	}
	list, err := w.List(ctx)
	if err != nil || len(list) != 3 || list[0].Name != "Alice" || list[1].Name != "bob" || list[2].Name != "carol" || list[2].DisabledAt == nil {
		t.Errorf("got %+v, %v", list, err)
	}
	if list[0].HasPassword {
		t.Error("Alice has no password, the list says she has")
	}
}

func TestRoleHoldsFromTheNextRequest(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Finance)
	in := w.mustSignIn("a@example.com")
	if err := w.SetRole(ctx, boss, p.ID, staff.Support, "moved"); err != nil {
		t.Fatal(err)
	}
	s, err := w.SessionByToken(ctx, in.Token)
	if err != nil {
		t.Fatal(err)
	}
	if s.Person.Allows(staff.AccountGrant) || !s.Person.Allows(staff.Requeue) {
		t.Errorf("the session still has the rights of %s", s.Person.Role)
	}
	row := w.newest("staff:" + p.ID)
	wantAudit(t, row, staff.ActionRole, "done", "")
	if row.Reason != "moved" {
		t.Errorf("reason %q", row.Reason)
	}
	wantFault(t, w.SetRole(ctx, boss, p.ID, "boss", ""), fault.Invalid, fault.CodeInvalid, "role")
}

func TestDisableAndEnable(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Viewer)
	in := w.mustSignIn("a@example.com")
	link, err := w.SignInLink(ctx, boss, p.ID, 60e9)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Disable(ctx, boss, p.ID, "left"); err != nil {
		t.Fatal(err)
	}
	_, err = w.SessionByToken(ctx, in.Token)
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
	_, err = w.ConsumeLink(ctx, link, staff.Client{})
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
	_, err = w.signIn("a@example.com", password)
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
	wantAudit(t, w.newest("staff:"+p.ID), staff.ActionSignIn, "refused", "disabled")
	_, err = w.SignInLink(ctx, boss, p.ID, 60e9)
	wantFault(t, err, fault.Conflict, fault.CodeStateConflict, "")
	wantFault(t, w.Disable(ctx, boss, p.ID, ""), fault.Conflict, fault.CodeStateConflict, "")
	gone, err := w.ByID(ctx, p.ID)
	if err != nil || gone.Allows(staff.OverviewView) {
		t.Errorf("a disabled person still has rights (%v)", err)
	}

	if err := w.Enable(ctx, boss, p.ID, "back"); err != nil {
		t.Fatal(err)
	}
	wantFault(t, w.Enable(ctx, boss, p.ID, ""), fault.Conflict, fault.CodeStateConflict, "")
	w.mustSignIn("a@example.com")
	_, err = w.SessionByToken(ctx, in.Token) // the old session stays ended
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
}

func TestTheLastAdminStays(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	a := w.person("a@example.com", staff.Admin)
	last := func(err error) {
		t.Helper()
		if f := wantFault(t, err, fault.Conflict, fault.CodeStateConflict, ""); f.Detail["state"] != "last_admin" {
			t.Errorf("detail %v", f.Detail)
		}
	}
	last(w.Disable(ctx, boss, a.ID, ""))
	last(w.SetRole(ctx, boss, a.ID, staff.Lead, ""))
	if err := w.SetRole(ctx, boss, a.ID, staff.Admin, ""); err != nil {
		t.Errorf("the role the person has already: %v", err)
	}
	b := w.person("b@example.com", staff.Admin)
	if err := w.Disable(ctx, boss, b.ID, ""); err != nil {
		t.Fatal(err)
	}
	last(w.SetRole(ctx, boss, a.ID, staff.Lead, "")) // b is an admin who cannot sign in
}

func TestAdminsWhoRemoveEachOtherLeaveOne(t *testing.T) {
	w := newWorld(t, staff.Options{})
	var people []staff.Person
	for _, e := range []string{"a@x.io", "b@x.io", "c@x.io", "d@x.io", "e@x.io", "f@x.io"} {
		people = append(people, w.person(e, staff.Admin))
	}
	var wg sync.WaitGroup
	errs := make([]error, len(people))
	for i, p := range people {
		wg.Go(func() {
			if i%2 == 0 {
				errs[i] = w.Disable(context.Background(), boss, p.ID, "")
			} else {
				errs[i] = w.SetRole(context.Background(), boss, p.ID, staff.Viewer, "")
			}
		})
	}
	wg.Wait()
	refused := 0
	for _, err := range errs {
		if err != nil {
			wantFault(t, err, fault.Conflict, fault.CodeStateConflict, "")
			refused++
		}
	}
	if n := w.count(`SELECT count(*) FROM staff WHERE role = 'admin' AND disabled_at IS NULL`); n != 1 || refused != 1 {
		t.Errorf("%d admins are left, %d removals were refused", n, refused)
	}
}

func TestRequireRecordsTheRefusal(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Viewer)
	if err := w.Require(ctx, p, staff.LedgerView, "ledger", "req-8"); err != nil {
		t.Errorf("a viewer may not view: %v", err)
	}
	err := w.Require(ctx, p, staff.AccountGrant, "account:acct_7", "req-9")
	f := wantFault(t, err, fault.Forbidden, fault.CodeForbidden, "")
	if f.Detail["permission"] != "account.grant" {
		t.Errorf("detail %v", f.Detail)
	}
	row := w.newest("account:acct_7")
	wantAudit(t, row, "account.grant", "refused", fault.CodeForbidden)
	if row.Actor != "staff:"+p.ID || row.RequestID != "req-9" {
		t.Errorf("audit row %+v", row)
	}
	if n := w.count(`SELECT count(*) FROM audit_log WHERE object = 'ledger'`); n != 0 {
		t.Error("what was allowed was recorded as if it was refused")
	}
}

func TestPeopleAndKeysAreNeverDeleted(t *testing.T) {
	w := newWorld(t, staff.Options{})
	w.person("a@example.com", staff.Viewer)
	for _, sql := range []string{`DELETE FROM staff`, `TRUNCATE staff CASCADE`, `DELETE FROM api_keys`, `TRUNCATE api_keys`} {
		if err := w.db.Exec(sql).Error; err == nil {
			t.Errorf("%s was let through", sql)
		}
	}
}

func TestAChangeAndItsAuditRowCommitTogether(t *testing.T) {
	w := newWorld(t, staff.Options{})
	p := w.person("a@example.com", staff.Viewer)
	nobody := staff.By{Actor: actor.Actor{}} // refused by a CHECK of the audit log
	if err := w.SetRole(context.Background(), nobody, p.ID, staff.Lead, ""); err == nil {
		t.Fatal("an actor without a name was let through")
	}
	got, err := w.ByID(context.Background(), p.ID)
	if err != nil || got.Role != staff.Viewer {
		t.Errorf("the role changed to %s without an audit row (%v)", got.Role, err)
	}
}
