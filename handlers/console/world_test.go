package console_test

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/handlers/api"
	"recoup/handlers/console"
	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/bulk"
	"recoup/models/bulkgrant"
	"recoup/models/comparison"
	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/export"
	"recoup/models/ids"
	"recoup/models/inbox"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/process"
	"recoup/models/rollup"
	"recoup/models/settlement"
	"recoup/models/staff"
	"recoup/models/task"
	"recoup/models/verify"
	"recoup/models/webhook"
	"recoup/web"
	"recoup/web/session"
	"recoup/web/telemetry"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// world is the whole server as it is run, over a database of its own.
type world struct {
	t testing.TB
	*modeltest.Models
	staff   *staff.Service
	tasks   *task.Store
	exports *export.Service
	bulk    *bulkgrant.Store
	works   *bulk.Store
	desk    *approval.Desk
	// settlements put charges of rollouts right.
	settlements *settlement.Store
	console     *console.Console
	hooks       *webhook.Service
	server      *web.Server
	log         *strings.Builder
}

func newWorld(t testing.TB) *world { return newWorldAt(t, "http://recoup.test") }

func newWorldAt(t testing.TB, base string) *world {
	t.Helper()
	return worldOver(t, modeltest.DB(t), base)
}

// limitedWorld is an installation where amounts above limit need a second person.
func limitedWorld(t testing.TB, limit int64) *world {
	t.Helper()
	g := modeltest.DB(t)
	return worldOver(t, g, "http://recoup.test", modeltest.Limit(g, limit))
}

func worldOver(t testing.TB, g *gorm.DB, base string, options ...ledger.Option) *world {
	t.Helper()
	w := &world{t: t, Models: modeltest.New(t, g, modeltest.Fast(), options...), staff: staff.New(g, staff.Options{Hash: staff.HashParams{MemoryKiB: 64, Passes: 1, Lanes: 1}}), log: &strings.Builder{}}
	w.Price(t, modeltest.Action, 1000)
	log := telemetry.NewLogger(w.log, true, slog.LevelWarn)
	tel, err := telemetry.Setup(context.Background(), "test", log)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	w.tasks = task.New(g, nil)
	w.bulk = bulkgrant.New(w.Ops, w.Ledger, w.Requests, w.tasks)
	w.works = bulk.New(w.Ops, w.Letters, w.Jobs, bulk.Options{Limit: bulkLimit, Requests: w.Requests})
	executors := w.Ledger.Executors()
	maps.Copy(executors, w.bulk.Executors())
	maps.Copy(executors, w.works.Executors())
	maps.Copy(executors, w.Rollouts.Executors())
	w.settlements = settlement.New(w.Ops, w.Ledger, w.Requests, w.tasks)
	maps.Copy(executors, w.settlements.Executors())
	w.desk = approval.NewDesk(w.Ops, executors)
	w.exports = export.NewService(w.Ops, w.tasks, w.Ledger, export.Options{Direct: directEntries})
	sessions := session.New(w.staff, at.Scheme == "https")
	if w.hooks, err = webhook.New(w.Ops, []byte(modeltest.Secret), webhook.NewSender([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}), nil); err != nil {
		t.Fatal(err)
	}
	bookZone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	w.console = console.New(console.Deps{
		Costs:      cost.New(w.Ops),
		Imports:    costimport.New(w.Ops, cost.New(w.Ops), task.New(g, nil)),
		Requests:   w.Requests,
		Desk:       w.desk,
		BulkGrants: w.bulk,
		BulkWorks:  w.works,
		Tasks:      w.tasks,
		Staff:      w.staff,
		Sessions:   sessions,
		Ledger:     w.Ledger,
		Pricing:    w.Pricing,
		Rollouts:   w.Rollouts,
		Inbox:      inbox.New(g),
		Jobs:       w.Jobs,
		Letters:    w.Letters, Dependencies: w.Dependencies,
		Ops:       w.Ops,
		Processes: process.New(g),
		Verifier:  verify.New(g),
		Months:    verify.New(g).Months(w.Ops, rollup.New(g, bookZone), func(verify.Anchor) error { return nil }),
		Integrity: verify.NewDesk(w.Ops, task.New(g, nil)),
		Audit:     audit.NewLog(g),
		Exports:   w.exports,
		Webhooks:  w.hooks,

		Comparisons: comparison.New(w.G, 0),
		Settlements: w.settlements,
		TraceURL:    "https://traces.example/trace/{trace_id}",
	})
	quiet := func(context.Context) error { return nil }
	jsonAPI := api.New(api.Deps{
		Ledger:       w.Ledger,
		Verifier:     verify.New(w.G),
		Pricing:      w.Pricing,
		Jobs:         w.Jobs,
		Ops:          w.Ops,
		Costs:        cost.New(w.Ops),
		Requests:     w.Requests,
		Dependencies: w.Dependencies,
		Letters:      w.Letters,
		Database:     quiet,
		Queue:        quiet,
	})
	w.server, err = web.New(web.Options{Logger: log, Telemetry: tel, Authenticator: sessions, Routes: web.Routes(jsonAPI, w.console),
		ErrorPage: w.console.ErrorPage, BaseURL: at})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// directEntries is how many entries a file may hold here that is sent at once.
const directEntries = 1000

// bulkLimit is how many dead letters one person puts back or discards at once here.
const bulkLimit = 60

const password = "a password of tests"

// person makes a member of the staff.
func (w *world) person(role staff.Role, p staff.Preferences) staff.Person {
	w.t.Helper()
	who, err := w.staff.CreateStaff(context.Background(), staff.By{Actor: actor.System()},
		staff.NewPerson{Email: "p" + ids.New()[24:] + "@recoup.test", Name: "Pat " + string(role), Role: role, Password: password, Preferences: p})
	if err != nil {
		w.t.Fatal(err)
	}
	return who
}

// browser is one person's browser: it keeps cookies and follows nothing.
type browser struct {
	*world
	cookies map[string]*http.Cookie
	who     staff.Person
}

// as signs a new person of a role in through a link, as a browser does.
func (w *world) as(role staff.Role) *browser {
	w.t.Helper()
	return w.signedIn(w.person(role, staff.Preferences{}))
}

func (w *world) signedIn(who staff.Person) *browser {
	w.t.Helper()
	token, err := w.staff.SignInLink(context.Background(), staff.By{Actor: actor.System()}, who.ID, time.Hour)
	if err != nil {
		w.t.Fatal(err)
	}
	b := w.visitor()
	b.who = who
	if page := b.post("/sign-in/link", url.Values{"token": {token}}); page.Code != http.StatusSeeOther || page.Header().Get("Location") != "/" {
		w.t.Fatalf("link: %d %s", page.Code, page.Body)
	}
	return b
}

// visitor is a browser that nobody signed in with.
func (w *world) visitor() *browser { return &browser{world: w, cookies: map[string]*http.Cookie{}} }

func (b *browser) do(r *http.Request) *httptest.ResponseRecorder {
	b.t.Helper()
	for _, c := range b.cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	r.Header.Set("Accept", "text/html")
	rec := httptest.NewRecorder()
	b.server.ServeHTTP(rec, r)
	for _, c := range rec.Result().Cookies() {
		if c.Value == "" || c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c
		}
	}
	return rec
}

func (b *browser) get(path string, header ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return b.do(r)
}

// page gets a page that must be there.
func (b *browser) page(path string) string {
	b.t.Helper()
	rec := b.get(path)
	if rec.Code != http.StatusOK {
		b.t.Fatalf("GET %s: %d\n%s", path, rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func (b *browser) post(path string, form url.Values) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://recoup.test")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

// form opens a form and returns the values that its page carries, with those given over them.
func (b *browser) form(path string, typed ...string) url.Values {
	b.t.Helper()
	v := url.Values{"operation_id": {operationID(b.t, b.page(path))}}
	for i := 0; i+1 < len(typed); i += 2 {
		v.Set(typed[i], typed[i+1])
	}
	return v
}

// sent posts a form that must be taken and returns the page it leads to.
func (b *browser) sent(path string, form url.Values) string {
	b.t.Helper()
	rec := b.post(path, form)
	if rec.Code != http.StatusSeeOther {
		b.t.Fatalf("POST %s: %d\n%s", path, rec.Code, text(rec.Body.String()))
	}
	page, _, _ := strings.Cut(rec.Header().Get("Location"), "#") // a place on the page is the browser's business
	return b.page(page)
}

func operationID(t testing.TB, page string) string {
	t.Helper()
	m := regexp.MustCompile(`name="operation_id" value="([^"]+)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no operation id in\n%s", text(page))
	}
	return m[1]
}

// text is what a page says, without its markup.
func text(page string) string {
	page = regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(script|style)>`).ReplaceAllString(page, " ")
	page = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")
	return html.UnescapeString(strings.Join(strings.Fields(page), " "))
}

func (w *world) says(page string, parts ...string) {
	w.t.Helper()
	got := text(page)
	for _, p := range parts {
		if !strings.Contains(got, p) {
			w.t.Errorf("the page does not say %q:\n%s", p, got)
		}
	}
}

func (w *world) saysNot(page string, parts ...string) {
	w.t.Helper()
	got := text(page)
	for _, p := range parts {
		if strings.Contains(got, p) {
			w.t.Errorf("the page says %q:\n%s", p, got)
		}
	}
}

// entries counts an account's entries.
func (w *world) entries(account string) int64 {
	w.t.Helper()
	a, err := w.Ledger.Account(context.Background(), account)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.LastSeq
}

// charged charges a job and lets a worker claim it.
func (w *world) charged(account, id string, units int64) job.Claimed {
	w.t.Helper()
	w.Charge(w.t, account, id, units)
	for _, c := range w.Claim(w.t, 1) {
		if c.JobID == id {
			return c
		}
	}
	w.t.Fatalf("%s was not claimed", id)
	return job.Claimed{}
}

// dead makes a dead letter: charged, claimed, failed for good.
func (w *world) dead(account, id string, units int64, message string) job.Claimed {
	w.t.Helper()
	c := w.charged(account, id, units)
	_, err := w.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken,
		Class: job.Permanent, Code: "unsupported_codec", Message: message})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) state(account, id string) job.Listed {
	w.t.Helper()
	j, err := w.Jobs.Find(context.Background(), account, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

func (w *world) grant(account string, amount int64) ledger.Envelope {
	w.t.Helper()
	e := modeltest.Envelope()
	if _, err := w.Ledger.Grant(context.Background(), ledger.GrantRequest{Envelope: e, AccountID: account, Amount: amount, Category: ledger.Paid}); err != nil {
		w.t.Fatal(err)
	}
	return e
}

// name puts a name on an account.
func (w *world) name(account, name string) {
	w.t.Helper()
	if _, err := w.Ledger.PutAccount(context.Background(), ledger.Profile{Envelope: modeltest.Envelope(), AccountID: account, Name: &name}); err != nil {
		w.t.Fatal(err)
	}
}

func jobAt(account, id, tail string) string {
	return fmt.Sprintf("/accounts/%s/jobs/%s%s", account, id, tail)
}
