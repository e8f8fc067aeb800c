package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"recoup/models/staff"
)

func TestSignInByPassword(t *testing.T) {
	w := newWorld(t)
	who := w.person(staff.Finance, staff.Preferences{Language: "ja"})
	b := w.visitor()
	w.says(b.page("/sign-in"), "E-mail", "Password")
	rec := b.post("/sign-in", url.Values{"email": {who.Email}, "password": {"wrong"}})
	if rec.Code != http.StatusUnauthorized || len(rec.Result().Cookies()) != 0 {
		t.Errorf("%d, cookies %v", rec.Code, rec.Result().Cookies())
	}
	w.says(rec.Body.String(), "E-mail or password is wrong.", "You are not signed in.")
	if !strings.Contains(rec.Body.String(), `value="`+who.Email+`"`) || strings.Contains(rec.Body.String(), "wrong\"") {
		t.Error("the e-mail is not kept, or the password is")
	}
	unknown := b.post("/sign-in", url.Values{"email": {"nobody@recoup.test"}, "password": {"wrong"}})
	if unknown.Code != rec.Code || !strings.Contains(text(unknown.Body.String()), "E-mail or password is wrong.") {
		t.Error("an unknown e-mail is answered differently from a wrong password")
	}
	rec = b.post("/sign-in", url.Values{"email": {who.Email}, "password": {password}, "next": {"/ledger?type=refund"}})
	if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != "/ledger?type=refund" {
		t.Fatalf("%d to %s", rec.Code, rec.Header().Get("Location"))
	}
	w.says(b.page("/ledger"), "台帳", "Pat finance")
}

func TestNextLeadsNowhereElse(t *testing.T) {
	w := newWorld(t)
	who := w.person(staff.Viewer, staff.Preferences{})
	for next, want := range map[string]string{
		"/ledger": "/ledger", "/accounts?q=a%20b": "/accounts?q=a%20b", "": "/", "https://evil.example/": "/", "//evil.example": "/", `/\evil.example`: "/",
		`\\evil.example`: "/", "javascript:alert(1)": "/", "/a\r\nSet-Cookie: x=y": "/", "evil.example": "/", "/%09/evil.example": "/%09/evil.example",
		"http:/evil": "/", "///evil.example": "/", "/\t/evil.example": "/", " //evil.example": "/", "/ledger#x": "/ledger#x", "%2f%2fevil.example": "/",
	} {
		b := w.visitor()
		rec := b.post("/sign-in", url.Values{"email": {who.Email}, "password": {password}, "next": {next}})
		if got := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || got != want {
			t.Errorf("sign-in with next %q: %d to %q, want %q", next, rec.Code, got, want)
		}
		rec = b.post("/preferences", url.Values{"theme": {"dark"}, "next": {next}})
		if got := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || got != want {
			t.Errorf("preferences with next %q: %d to %q, want %q", next, rec.Code, got, want)
		}
	}
}

// The session starts with the sign-in: a cookie that was there before never becomes one, and what signs in twice gets
// two different sessions.
func TestSessionFixationAndSignOut(t *testing.T) {
	w := newWorld(t)
	who := w.person(staff.Viewer, staff.Preferences{})
	b := w.visitor()
	b.cookies["recoup"] = &http.Cookie{Name: "recoup", Value: "chosen-by-an-attacker"}
	if rec := b.get("/ledger"); rec.Code != http.StatusSeeOther {
		t.Errorf("an invented cookie: %d", rec.Code)
	}
	signIn := url.Values{"email": {who.Email}, "password": {password}}
	b.post("/sign-in", signIn)
	first := b.cookies["recoup"].Value
	if first == "chosen-by-an-attacker" || len(first) < 20 {
		t.Fatalf("the session is %q", first)
	}
	b.page("/ledger")
	other := w.visitor()
	other.post("/sign-in", signIn)
	if other.cookies["recoup"].Value == first {
		t.Error("two sessions share a token")
	}
	rec := b.post("/sign-out", nil)
	if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != "/sign-in" || b.cookies["recoup"] != nil {
		t.Errorf("sign-out: %d to %s, cookie %v", rec.Code, rec.Header().Get("Location"), b.cookies["recoup"])
	}
	// Whoever kept the cookie has nothing.
	b.cookies["recoup"] = &http.Cookie{Name: "recoup", Value: first}
	if rec := b.get("/ledger"); rec.Code != http.StatusSeeOther {
		t.Errorf("the old session after signing out: %d", rec.Code)
	}
	other.page("/ledger")
	if rec := w.visitor().post("/sign-out", nil); rec.Code != http.StatusSeeOther {
		t.Errorf("signing out without a session: %d", rec.Code)
	}
}

func TestSignInLinkWorksOnce(t *testing.T) {
	w := newWorld(t)
	b := w.as(staff.Viewer)
	b.page("/")
	who := w.person(staff.Viewer, staff.Preferences{})
	token, err := w.staff.SignInLink(t.Context(), staff.By{Actor: who.Actor()}, who.ID, 60_000_000_000)
	if err != nil {
		t.Fatal(err)
	}
	v := w.visitor()
	// Looking at the page, as mail programs do, uses nothing up.
	for range 2 {
		w.says(v.page("/sign-in/link?token="+url.QueryEscape(token)), "Nothing has happened yet.")
	}
	if rec := v.post("/sign-in/link", url.Values{"token": {token}}); rec.Code != http.StatusSeeOther {
		t.Fatalf("%d", rec.Code)
	}
	for _, spent := range []string{token, "", "made-up", "\x00", strings.Repeat("x", 10_000)} {
		rec := w.visitor().post("/sign-in/link", url.Values{"token": {spent}})
		if rec.Code != http.StatusUnauthorized || len(rec.Result().Cookies()) != 0 {
			t.Errorf("%.10q: %d", spent, rec.Code)
		}
		w.says(rec.Body.String(), "This link no longer works")
	}
}

func TestCookieFlags(t *testing.T) {
	for base, want := range map[string]string{"http://recoup.test": "recoup", "https://recoup.test": "__Host-recoup"} {
		w := newWorldAt(t, base)
		who := w.person(staff.Viewer, staff.Preferences{})
		r := httptest.NewRequest(http.MethodPost, base+"/sign-in", strings.NewReader(url.Values{"email": {who.Email}, "password": {password}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		rec := httptest.NewRecorder()
		w.server.ServeHTTP(rec, r)
		cookies := rec.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: %d, cookies %v", base, rec.Code, cookies)
		}
		c, secure := cookies[0], strings.HasPrefix(base, "https")
		if c.Name != want || !c.HttpOnly || c.Secure != secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("%s: %+v", base, c)
		}
		if hsts := rec.Header().Get("Strict-Transport-Security") != ""; hsts != secure {
			t.Errorf("%s: Strict-Transport-Security %t", base, hsts)
		}
	}
}

// Pages may run and style nothing inline, and contain nothing that would.
func TestPagesObeyTheContentSecurityPolicy(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Admin)
	for _, path := range []string{"/", "/ledger", "/accounts", "/accounts/acct_7", "/accounts/acct_7/grants", "/jobs", jobAt("acct_7", "j1", ""), "/dead-letters", jobAt("acct_7", "j1", "/requeue"), "/preferences", "/search?q=x", "/sign-in", "/nowhere"} {
		rec := b.get(path)
		csp := rec.Header().Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "script-src 'self'") || strings.Contains(csp, "unsafe") || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%s: %q", path, csp)
		}
		// A form is kept for the back button, where its operation id makes a second sending a replay.
		cache := "no-store"
		if strings.HasSuffix(path, "/grants") || strings.HasSuffix(path, "/requeue") {
			cache = "private, no-cache"
		}
		if rec.Header().Get("Cache-Control") != cache || rec.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, rec.Header())
		}
		body := rec.Body.String()
		if m := regexp.MustCompile(`(?i)<script(?:\s[^>]*)?>[^<]|<style|\sstyle=|\son[a-z]+=|javascript:`).FindString(body); m != "" {
			t.Errorf("%s: %q stands in the page", path, m)
		}
		if m := regexp.MustCompile(`(?:src|href|action)="(?:https?:)?//[^"]*"`).FindString(body); m != "" {
			t.Errorf("%s leads to another host: %s", path, m)
		}
	}
}

// What another site makes a browser send changes nothing.
func TestOtherSitesCannotPost(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	form := fin.form("/accounts/acct_7/grants", "amount", "5", "category", "goodwill", "reason", "x")
	for name, header := range map[string][2]string{"origin": {"Origin", "https://evil.example"}, "fetch metadata": {"Sec-Fetch-Site", "cross-site"}, "null": {"Origin", "null"}} {
		r := httptest.NewRequest(http.MethodPost, "http://recoup.test/accounts/acct_7/grants", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(header[0], header[1])
		if rec := fin.do(r); rec.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, rec.Code)
		}
	}
	if w.entries("acct_7") != 1 {
		t.Error("an entry was written")
	}
}

func TestPreferences(t *testing.T) {
	w := newWorld(t)
	b := w.as(staff.Viewer)
	b.sent("/preferences", url.Values{"lang": {"ja"}, "next": {"/"}})
	w.says(b.page("/ledger"), "台帳")
	b.sent("/preferences", url.Values{"zone": {"Asia/Kathmandu"}})
	w.says(b.page("/ledger"), "Asia/Kathmandu")
	if b.sent("/preferences", url.Values{"theme": {"dark"}}); !strings.Contains(b.page("/"), `data-theme="dark"`) {
		t.Error("the theme was not kept")
	}
	for _, zone := range []string{"", "Mars/Olympus", "../../etc/passwd", "\x00", "Local", strings.Repeat("x", 5000)} {
		rec := b.post("/preferences", url.Values{"zone": {zone}})
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("zone %.20q: %d", zone, rec.Code)
		}
	}
	for _, bad := range []url.Values{{"lang": {"xx"}}, {"theme": {"pink"}}} {
		if rec := b.post("/preferences", bad); rec.Code < 400 || rec.Code >= 500 {
			t.Errorf("%v: %d", bad, rec.Code)
		}
	}
	page := b.page("/ledger")
	w.says(page, "Asia/Kathmandu", "台帳")
	if !strings.Contains(page, `data-theme="dark"`) {
		t.Error("a refused preference changed another")
	}
}
