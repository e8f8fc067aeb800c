package staff_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/models/fault"
	"recoup/models/staff"
)

func TestSignInAndOut(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Support)
	in, err := w.SignIn(ctx, " A@Example.com ", password, staff.Client{IP: "::ffff:192.0.2.7", UserAgent: "Agent\x00\xff/1", RequestID: "req-2"})
	if err != nil {
		t.Fatal(err)
	}
	if life := in.ExpiresAt.Sub(in.CreatedAt).Round(time.Second); life != 7*24*time.Hour {
		t.Errorf("the session lives %s", life)
	}
	row := w.newest("staff:" + p.ID)
	wantAudit(t, row, staff.ActionSignIn, "done", "")
	if row.Actor != "staff:"+p.ID || row.RequestID != "req-2" {
		t.Errorf("audit row %+v", row)
	}
	s, err := w.SessionByToken(ctx, in.Token)
	if err != nil {
		t.Fatal(err)
	}
	if s != in.Session || s.Person != p || s.IP != "192.0.2.7" || s.UserAgent != "Agent/1" {
		t.Errorf("session %+v, signed in %+v", s, in.Session)
	}
	if n := w.count(`SELECT count(*) FROM sessions WHERE encode(token_hash, 'escape') LIKE '%' || ? || '%' OR token_hash = convert_to(?, 'UTF8')`, in.Token, in.Token); n != 0 {
		t.Error("the token is stored")
	}

	if err := w.SignOut(ctx, in.Token, "req-3"); err != nil {
		t.Fatal(err)
	}
	wantAudit(t, w.newest("staff:"+p.ID), staff.ActionSignOut, "done", "")
	_, err = w.SessionByToken(ctx, in.Token)
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
	before := w.count(`SELECT count(*) FROM audit_log`)
	if err := w.SignOut(ctx, in.Token, "req-4"); err != nil {
		t.Errorf("signing out twice: %v", err)
	}
	if w.count(`SELECT count(*) FROM audit_log`) != before {
		t.Error("signing out of nothing was recorded")
	}
}

func TestUnknownEmailAndWrongPasswordLookTheSame(t *testing.T) {
	w := newWorld(t, staff.Options{})
	p := w.person("a@example.com", staff.Viewer)
	_, wrong := w.signIn("a@example.com", "not the password")
	wantFault(t, wrong, fault.Unauthenticated, fault.CodeUnauthenticated, "")
	row := w.newest("staff:" + p.ID)
	wantAudit(t, row, staff.ActionSignIn, "refused", "wrong_password")
	if row.Actor != "system" {
		t.Errorf("the failure is put down to %s", row.Actor)
	}
	for _, email := range []string{"b@example.com", "", "x\x00y", "\xff", "my secret password"} {
		_, unknown := w.signIn(email, password)
		if unknown == nil || unknown.Error() != wrong.Error() {
			t.Errorf("%q: got %v, a wrong password gives %v", email, unknown, wrong)
		}
	}
	wantAudit(t, w.newest("staff:unknown"), staff.ActionSignIn, "refused", "unknown_email")
	if n := w.count(`SELECT count(*) FROM audit_log WHERE audit_log::text LIKE '%secret%'`); n != 0 {
		t.Error("what was typed as email is in the audit log")
	}
	_, long := w.signIn("a@example.com", strings.Repeat(password, 100))
	wantFault(t, long, fault.Unauthenticated, fault.CodeUnauthenticated, "")
}

// An unknown email costs a hash as a known one does. The memory that the hash needs tells so whatever else the machine does;
// TestDecoyIsAsDear holds its passes.
func TestUnknownEmailTakesAsLong(t *testing.T) {
	const memoryKiB = 19 * 1024
	w := newWorld(t, staff.Options{Hash: staff.HashParams{MemoryKiB: memoryKiB, Passes: 1, Lanes: 1}})
	w.person("a@example.com", staff.Viewer)
	for _, email := range []string{"a@example.com", "b@example.com"} {
		// The least of some tries: tests beside this one need memory too.
		least := uint64(math.MaxUint64)
		for range 4 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := w.signIn(email, "not the password"); !fault.Is(err, fault.CodeUnauthenticated) {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if least < memoryKiB<<10 {
			t.Errorf("%s: %d bytes used, the hash alone needs %d", email, least, memoryKiB<<10)
		}
	}
}

func TestPersonWithoutPasswordCannotSignInByPassword(t *testing.T) {
	w := newWorld(t, staff.Options{})
	if _, err := w.CreateStaff(context.Background(), boss, staff.NewPerson{Email: "a@example.com", Name: "A", Role: staff.Admin}); err != nil {
		t.Fatal(err)
	}
	for _, pw := range []string{"", password} {
		_, err := w.signIn("a@example.com", pw)
		wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
	}
}

func TestSessionsEnd(t *testing.T) {
	w := newWorld(t, staff.Options{SessionIdle: time.Hour, SessionLifetime: 10 * time.Hour})
	ctx := context.Background()
	w.person("a@example.com", staff.Viewer)
	cases := []struct {
		name, change string
		alive        bool
	}{
		{"almost idle", `UPDATE sessions SET last_seen_at = clock_timestamp() - interval '59 minutes'`, true},
		{"idle", `UPDATE sessions SET last_seen_at = clock_timestamp() - interval '61 minutes'`, false},
		{"almost too old", `UPDATE sessions SET expires_at = clock_timestamp() + interval '10 seconds'`, true},
		{"disabled by hand in the database", `UPDATE staff SET disabled_at = clock_timestamp()`, false},
		{"too old", `UPDATE sessions SET expires_at = clock_timestamp() - interval '1 second'`, false},
	}
	for _, c := range cases {
		w.exec(`DELETE FROM sessions`)
		w.exec(`UPDATE staff SET disabled_at = NULL`)
		in := w.mustSignIn("a@example.com")
		w.exec(c.change)
		_, err := w.SessionByToken(ctx, in.Token)
		if alive := err == nil; alive != c.alive {
			t.Errorf("%s: alive is %v (%v)", c.name, alive, err)
		}
		gone, err := w.DeleteExpired(ctx)
		if want := !c.alive && strings.HasPrefix(c.change, "UPDATE sessions"); err != nil || (gone == 1) != want {
			t.Errorf("%s: %d rows were deleted (%v)", c.name, gone, err)
		}
	}
	_, err := w.SessionByToken(ctx, "")
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
}

func TestLastSeenMovesOnceAMinute(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	w.person("a@example.com", staff.Viewer)
	in := w.mustSignIn("a@example.com")
	seen := func() string {
		if _, err := w.SessionByToken(ctx, in.Token); err != nil {
			t.Fatal(err)
		}
		var s string
		w.db.Raw(`SELECT last_seen_at::text FROM sessions`).Scan(&s)
		return s
	}
	first := seen()
	if again := seen(); again != first {
		t.Errorf("last seen moved from %s to %s within a minute", first, again)
	}
	w.exec(`UPDATE sessions SET last_seen_at = last_seen_at - interval '2 minutes'`)
	if moved := seen(); moved <= first {
		t.Errorf("last seen stayed at %s", moved)
	}
}

func TestFailuresAreLimited(t *testing.T) {
	w := newWorld(t, staff.Options{FailuresPerEmail: 3, FailuresPerNetwork: 5, FailureWindow: 10 * time.Minute})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Viewer)
	w.person("b@example.com", staff.Viewer)
	from := func(ip, email, pw string) error {
		_, err := w.SignIn(ctx, email, pw, staff.Client{IP: ip})
		return err
	}
	for range 3 {
		wantFault(t, from("192.0.2.1", "a@example.com", "wrong"), fault.Unauthenticated, fault.CodeUnauthenticated, "")
	}
	audited := w.count(`SELECT count(*) FROM audit_log`)
	for range 4 { // the right password too, from anywhere, in any case
		f := wantFault(t, from("192.0.2.99", "A@example.com", password), fault.Busy, staff.CodeSignInThrottled, "")
		if f.RetryAfter < 9*time.Minute || f.RetryAfter > 10*time.Minute {
			t.Errorf("retry after %s", f.RetryAfter)
		}
	}
	wantAudit(t, w.newest("staff:"+p.ID), staff.ActionSignIn, "refused", staff.CodeSignInThrottled)
	if n := w.count(`SELECT count(*) FROM audit_log`) - audited; n != 1 {
		t.Errorf("four refusals by the limit left %d audit rows, want 1", n)
	}
	if err := from("192.0.2.1", "b@example.com", password); err != nil {
		t.Errorf("another email is limited too: %v", err)
	}

	// The network: 3 failures so far from .1; b's success has cleared none of them.
	for range 2 {
		wantFault(t, from("192.0.2.1", "nobody@example.com", "wrong"), fault.Unauthenticated, fault.CodeUnauthenticated, "")
	}
	wantFault(t, from("192.0.2.1", "b@example.com", password), fault.Busy, staff.CodeSignInThrottled, "")
	if err := from("192.0.2.2", "b@example.com", password); err != nil {
		t.Errorf("another address is limited too: %v", err)
	}

	w.exec(`UPDATE sign_in_failures SET at = at - interval '10 minutes'`)
	if err := from("192.0.2.1", "a@example.com", password); err != nil {
		t.Errorf("after the window: %v", err)
	}
	if n := w.count(`SELECT count(*) FROM sign_in_failures f, staff WHERE email_hash = sha256(convert_to(lower(email), 'UTF8')) AND staff.id = ?`, p.ID); n != 0 {
		t.Errorf("a success left %d failures of its email", n)
	}
}

func TestARefusalByTheLimitIsNoFailure(t *testing.T) {
	w := newWorld(t, staff.Options{FailuresPerEmail: 2})
	w.person("a@example.com", staff.Viewer)
	fail := func() error { _, err := w.signIn("a@example.com", "wrong"); return err }
	for range 2 {
		wantFault(t, fail(), fault.Unauthenticated, fault.CodeUnauthenticated, "")
	}
	for range 3 {
		wantFault(t, fail(), fault.Busy, staff.CodeSignInThrottled, "")
	}
	// The failures grow too old, the mark of the refusal does not.
	w.exec(`UPDATE sign_in_failures SET at = at - interval '15 minutes' WHERE NOT throttled`)
	for range 2 {
		wantFault(t, fail(), fault.Unauthenticated, fault.CodeUnauthenticated, "")
	}
}

func TestOneIPv6CustomerIsOneNetwork(t *testing.T) {
	w := newWorld(t, staff.Options{FailuresPerNetwork: 2})
	w.person("a@example.com", staff.Viewer)
	try := func(ip, email string) error {
		_, err := w.SignIn(context.Background(), email, password, staff.Client{IP: ip})
		return err
	}
	for _, ip := range []string{"2001:db8:1:2::1", "2001:db8:1:2:ffff::2"} {
		wantFault(t, try(ip, ip+"@example.com"), fault.Unauthenticated, fault.CodeUnauthenticated, "")
	}
	wantFault(t, try("2001:db8:1:2:3::3", "a@example.com"), fault.Busy, staff.CodeSignInThrottled, "")
	if err := try("2001:db8:1:3::1", "a@example.com"); err != nil {
		t.Errorf("the neighbour is limited too: %v", err)
	}
}

func TestTriesAtOnceDoNotPassTheLimit(t *testing.T) {
	w := newWorld(t, staff.Options{FailuresPerEmail: 4, FailuresPerNetwork: 1000})
	w.person("a@example.com", staff.Viewer)
	var looked atomic.Int32
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			if _, err := w.signIn("a@example.com", "wrong"); fault.Is(err, fault.CodeUnauthenticated) {
				looked.Add(1)
			} else if !fault.Is(err, staff.CodeSignInThrottled) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := looked.Load(); n > 4 {
		t.Errorf("%d passwords were looked at, the limit is 4", n)
	}
	if n := w.count(`SELECT count(*) FROM sign_in_failures WHERE NOT throttled`); n != int(looked.Load()) {
		t.Errorf("%d failures are counted, %d happened", n, looked.Load())
	}
}

func TestHashIsRenewedWhenParametersChange(t *testing.T) {
	w := newWorld(t, staff.Options{})
	w.person("a@example.com", staff.Viewer)
	hash := func() (s string) {
		w.db.Raw(`SELECT password_hash FROM staff`).Scan(&s)
		return s
	}
	old := hash()
	w.mustSignIn("a@example.com")
	if hash() != old {
		t.Error("the hash changed though the parameters did not")
	}
	w.Service = staff.New(w.db, staff.Options{Hash: staff.HashParams{MemoryKiB: 128, Passes: 2, Lanes: 1}})
	if _, err := w.signIn("a@example.com", "not the password"); err == nil || hash() != old {
		t.Error("a wrong password changed the hash")
	}
	w.mustSignIn("a@example.com")
	if !strings.HasPrefix(hash(), "$argon2id$v=19$m=128,t=2,p=1$") {
		t.Errorf("the hash is still %q", hash())
	}
	w.mustSignIn("a@example.com")
}

func TestSetPassword(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Viewer)
	other := w.person("b@example.com", staff.Viewer)
	mine, elsewhere, theirs := w.mustSignIn("a@example.com"), w.mustSignIn("a@example.com"), w.mustSignIn("b@example.com")
	link, err := w.SignInLink(ctx, boss, p.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, w.SetPassword(ctx, boss, p.ID, "short", ""), fault.Invalid, fault.CodeInvalid, "password")
	const next = "another long password"
	if err := w.SetPassword(ctx, staff.By{Actor: p.Actor()}, p.ID, next, mine.Token); err != nil {
		t.Fatal(err)
	}
	wantAudit(t, w.newest("staff:"+p.ID), staff.ActionPassword, "done", "")
	for token, alive := range map[string]bool{mine.Token: true, elsewhere.Token: false, theirs.Token: true} {
		if _, err := w.SessionByToken(ctx, token); (err == nil) != alive {
			t.Errorf("a session is alive: %v, want %v", err == nil, alive)
		}
	}
	if _, err := w.ConsumeLink(ctx, link, staff.Client{}); err == nil {
		t.Error("an older link still signs in")
	}
	if _, err := w.signIn("a@example.com", password); err == nil {
		t.Error("the old password still signs in")
	}
	if _, err := w.signIn("a@example.com", next); err != nil {
		t.Error(err)
	}
	if _, err := w.signIn(other.Email, password); err != nil {
		t.Error(err)
	}
}

func TestChangePasswordAsksForTheCurrentOne(t *testing.T) {
	w := newWorld(t, staff.Options{FailuresPerEmail: 2})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Viewer)
	self := staff.By{Actor: p.Actor()}
	const next = "another long password"
	if err := w.ChangePassword(ctx, self, p.ID, password, next, "", staff.Client{}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := w.ChangePassword(ctx, self, p.ID, password, "a third long password", "", staff.Client{})
		wantFault(t, err, fault.Invalid, fault.CodeInvalid, "current_password")
		wantAudit(t, w.newest("staff:"+p.ID), staff.ActionPassword, "refused", "wrong_password")
	}
	err := w.ChangePassword(ctx, self, p.ID, next, "a third long password", "", staff.Client{})
	wantFault(t, err, fault.Busy, staff.CodeSignInThrottled, "")
}

func TestPasswordsAreComposedBeforeHashing(t *testing.T) {
	w := newWorld(t, staff.Options{})
	p := w.person("a@example.com", staff.Viewer)
	if err := w.SetPassword(context.Background(), boss, p.ID, "caf\u00e9 \u304c caf\u00e9 au lait", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := w.signIn("a@example.com", "cafe\u0301 \u304b\u3099 cafe\u0301 au lait"); err != nil {
		t.Errorf("the same text typed on another keyboard: %v", err)
	}
}

func TestSignInLinkWorksOnce(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Viewer)
	token, err := w.SignInLink(ctx, boss, p.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	wantAudit(t, w.newest("staff:"+p.ID), staff.ActionLink, "done", "")
	var wg sync.WaitGroup
	var won atomic.Int32
	for range 12 {
		wg.Go(func() {
			in, err := w.ConsumeLink(ctx, token, staff.Client{IP: "192.0.2.7"})
			switch {
			case err == nil && in.Person.ID == p.ID:
				won.Add(1)
				if _, err := w.SessionByToken(ctx, in.Token); err != nil {
					t.Error(err)
				}
			case !fault.Is(err, fault.CodeUnauthenticated):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || w.count(`SELECT count(*) FROM sessions`) != 1 {
		t.Errorf("the link signed in %d times", won.Load())
	}
	if n := w.count(`SELECT count(*) FROM audit_log WHERE outcome = 'refused' AND code = 'link_not_valid'`); n != 11 {
		t.Errorf("%d of 11 refusals are in the audit log", n)
	}
}

func TestSignInLinkIsRefused(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	p := w.person("a@example.com", staff.Viewer)
	for _, ttl := range []time.Duration{0, -1, 25 * time.Hour} {
		_, err := w.SignInLink(ctx, boss, p.ID, ttl)
		wantFault(t, err, fault.Invalid, fault.CodeInvalid, "ttl")
	}
	token, err := w.SignInLink(ctx, boss, p.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE sign_in_links SET expires_at = clock_timestamp()`)
	for _, tok := range []string{token, "", "unknown"} {
		_, err := w.ConsumeLink(ctx, tok, staff.Client{})
		wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
	}
	if n := w.count(`SELECT count(*) FROM sessions`) + w.count(`SELECT count(*) FROM sign_in_links WHERE used_at IS NOT NULL`); n != 0 {
		t.Error("a refused link left something")
	}
}

func TestDisablingRacesSigningIn(t *testing.T) {
	w := newWorld(t, staff.Options{HashesAtOnce: 8, FailuresPerEmail: 1000, FailuresPerNetwork: 1000})
	ctx := context.Background()
	for range 15 {
		w.exec(`UPDATE staff SET email = 'old.' || id || '@example.com'`)
		p := w.person("a@example.com", staff.Viewer)
		link, err := w.SignInLink(ctx, boss, p.ID, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		unexpected := func(err error) {
			if err != nil && !fault.Is(err, fault.CodeUnauthenticated) {
				t.Error(err)
			}
		}
		wg.Go(func() { _, err := w.signIn("a@example.com", password); unexpected(err) })
		wg.Go(func() { _, err := w.ConsumeLink(ctx, link, staff.Client{}); unexpected(err) })
		wg.Go(func() { unexpected(w.Disable(ctx, boss, p.ID, "")) })
		wg.Wait()
		if n := w.count(`SELECT count(*) FROM sessions WHERE staff_id = ?`, p.ID); n != 0 {
			t.Fatalf("a disabled person has %d sessions", n)
		}
	}
}

func TestACanceledSignInIsNoFailure(t *testing.T) {
	w := newWorld(t, staff.Options{})
	w.person("a@example.com", staff.Viewer)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.SignIn(ctx, "a@example.com", password, staff.Client{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := w.count(`SELECT count(*) FROM sign_in_failures`); n != 0 {
		t.Errorf("%d failures are counted", n)
	}
}
