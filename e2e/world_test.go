package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

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

// world is a server with a database of its own.
type world struct {
	t *testing.T
	*modeltest.Models
	staff   *staff.Service
	tasks   *task.Store
	exports *export.Service
	hooks   *webhook.Service
	// hook is the id of the furnished world's receiver.
	hook  string
	base  string
	bulk  *bulkgrant.Store
	works *bulk.Store
	desk  *approval.Desk
	// settlements put charges of rollouts right.
	settlements *settlement.Store
	// requests are the paths of the change requests that proposed made.
	requests []string
}

// directEntries is how many entries a file may hold here that is sent at once.
const directEntries = 1000

// bulkLimit is how many dead letters one person puts back or discards at once here.
const bulkLimit = 60

// limit is the amount above which a second person is needed.
const limit = 2_000_000

const password = "a password of tests"

func newWorld(t *testing.T) *world {
	t.Helper()
	if _, err := startBrowser(); err != nil {
		open(t, "") // skips or fails before a database is made
	}
	g := modeltest.DB(t)
	w := &world{t: t, Models: modeltest.New(t, g, modeltest.Fast(), modeltest.Limit(g, limit)), staff: staff.New(g, staff.Options{Hash: staff.HashParams{MemoryKiB: 64, Passes: 1, Lanes: 1}})}
	log := slog.New(slog.DiscardHandler)
	tel, err := telemetry.Setup(context.Background(), "test", log)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	w.base = "http://" + server.Listener.Addr().String()
	at, err := url.Parse(w.base)
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
	sessions := session.New(w.staff, false)
	hooks, err := webhook.New(w.Ops, []byte(modeltest.Secret), webhook.NewSender([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.hooks = hooks
	bookZone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	pages := console.New(console.Deps{
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
	handler, err := web.New(web.Options{Logger: log, Telemetry: tel, Authenticator: sessions, Routes: web.Routes(jsonAPI, pages), ErrorPage: pages.ErrorPage, BaseURL: at})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = handler
	server.Start()
	t.Cleanup(server.Close)
	w.Price(t, modeltest.Action, 1000)
	return w
}

func (w *world) person(role staff.Role, p staff.Preferences) staff.Person {
	w.t.Helper()
	who, err := w.staff.CreateStaff(context.Background(), staff.By{Actor: actor.System()},
		staff.NewPerson{Email: "p" + ids.New()[24:] + "@recoup.test", Name: "Pat Lindqvist", Role: role, Password: password, Preferences: p})
	if err != nil {
		w.t.Fatal(err)
	}
	return who
}

// as opens a window for a person who is signed in.
func (w *world) as(role staff.Role, p staff.Preferences) *tab {
	w.t.Helper()
	who := w.person(role, p)
	ctx := context.Background()
	token, err := w.staff.SignInLink(ctx, staff.By{Actor: actor.System()}, who.ID, time.Hour)
	if err != nil {
		w.t.Fatal(err)
	}
	in, err := w.staff.ConsumeLink(ctx, token, staff.Client{IP: "127.0.0.1"})
	if err != nil {
		w.t.Fatal(err)
	}
	b := open(w.t, w.base)
	cookie := network.SetCookieParams{Name: session.CookieName(false), Value: in.Token, URL: w.base, SameSite: network.CookieSameSiteLax}
	if _, err := chromedp.Call(b.ctx, network.SetCookie, cookie); err != nil {
		w.t.Fatal(err)
	}
	return b
}

// failed charges a job, lets a worker claim it and fail for good; it returns the worker's lease.
func (w *world) failed(account, id string, units int64, code, message string) job.Claimed {
	w.t.Helper()
	c := w.claimed(account, id, units)
	if _, err := w.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Permanent, Code: code, Message: message}); err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) claimed(account, id string, units int64) job.Claimed {
	w.t.Helper()
	_, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Action: modeltest.Action, Units: units,
		Payload: []byte(`{"source":"s3://masters/interview-final-cut.mov","frames":9007199254740993,"callback_token":"do not show"}`)})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range w.Claim(w.t, 10) {
		if c.JobID == id {
			return c
		}
	}
	w.t.Fatalf("%s was not claimed", id)
	return job.Claimed{}
}

func (w *world) delivered(c job.Claimed) {
	w.t.Helper()
	if _, err := w.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Result: "s3://out"}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) named(account, name, plan string) {
	w.t.Helper()
	if _, err := w.Ledger.PutAccount(context.Background(), ledger.Profile{Envelope: modeltest.Envelope(), AccountID: account, Name: &name, Plan: &plan}); err != nil {
		w.t.Fatal(err)
	}
}

// Ids and texts of the furnished world.
const (
	longJob     = "render-2026-11-30-7f3c9b02-55e1-4d1c-9f07-c0ffee00a91e"
	longMessage = "The render farm answered 502 for 31 s while frame 1,204 of 9,312 was encoded; ffmpeg[h264_nvenc@0x5581]: OpenEncodeSessionEx failed: out of memory (10): (no details)"
)

// furnished is a world with something of everything that pages show.
func furnished(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	ctx := context.Background()
	w.Account(t, "aurora-films", 1_234_567)
	w.named("aurora-films", "Aurora Films", "studio")
	w.Account(t, "hoshino-works", 9_600)
	w.named("hoshino-works", "星野映像製作所", "enterprise")
	w.Account(t, "zephyr-audio", 40)
	w.named("zephyr-audio", "Zephyr Audio", "creator")
	w.Account(t, "cold", 0)
	w.books("old-books")
	w.failed("aurora-films", longJob, 12_040, "unsupported_codec", longMessage)
	w.failed("hoshino-works", "job-4471", 40, "gpu_lost", "GPU fell off the bus (Xid 79) on host render-17.")
	// Delivered after it was given up; the reclaim takes the balance below zero.
	late := w.failed("zephyr-audio", "late-1", 40, "storage_timeout", "Upload to storage did not answer within 30 s.")
	w.Charge(t, "zephyr-audio", "spent-1", 40)
	w.delivered(late)
	w.delivered(w.claimed("aurora-films", "fine-1", 80))
	gone := w.failed("hoshino-works", "gone-1", 12, "bad_input", "The file is empty.")
	if _, err := w.Jobs.Discard(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: gone.AccountID, JobID: gone.JobID, Reason: "bad_input", Note: "asked for a new file"}); err != nil {
		t.Fatal(err)
	}
	w.Charge(t, "aurora-films", "waiting-1", 7)
	w.holds()
	w.receiver()
	if err := w.G.Exec(`UPDATE accounts SET balance = balance + 5 WHERE id = 'cold'`).Error; err != nil {
		t.Fatal(err)
	}
	w.verified()
	if err := w.G.Exec(`UPDATE accounts SET balance = balance - 5 WHERE id = 'cold'`).Error; err != nil {
		t.Fatal(err)
	}
	if _, err := w.Ledger.Freeze(ctx, ledger.FreezeRequest{Envelope: modeltest.Envelope(), AccountID: "cold", Reason: "card stolen"}); err != nil {
		t.Fatal(err)
	}
	furnishCosts(t, w)
	w.proposed("hoshino-works", 9_007_199_254_740_993)
	return w
}

// books gives an account a past of three months in the book time zone, and lets the oldest of them be closed.
func (w *world) books(account string) {
	w.t.Helper()
	first := time.Date(2025, 8, 20, 7, 30, 0, 0, time.UTC)
	list := []modeltest.Past{{At: first, Type: "grant", Amount: 1_234_567_890, Category: "paid"}}
	for day := range 45 {
		at := first.AddDate(0, 0, day)
		list = append(list, modeltest.Past{At: at.Add(time.Hour), Type: "charge", Amount: -int64(900_000 + 40_000*(day%7)), RuleVersion: "video_render@v1"},
			modeltest.Past{At: at.Add(2 * time.Hour), Type: "refund", Amount: int64(50_000 + 9_000*(day%5)), RuleVersion: "video_render@v1"},
			modeltest.Past{At: at.Add(3 * time.Hour), Type: "charge", Amount: -int64(300_000 * (day % 3)), RuleVersion: "video_upscale@v2", RolloutID: "ro_2025_upscale_half_price", Cohort: "candidate"},
			modeltest.Past{At: at.Add(4 * time.Hour), Type: "reclaim", Amount: -20_000, RuleVersion: "video_render@v1"})
	}
	modeltest.Entries(w.t, w.G, account, list...)
	now := time.Now()
	if err := verify.New(w.G).Record(context.Background(), verify.Report{Started: now, Finished: now, ByCheck: map[verify.Check]int64{}}); err != nil {
		w.t.Fatal(err)
	}
}

func jobPath(account, id, tail string) string {
	return fmt.Sprintf("/accounts/%s/jobs/%s%s", account, id, tail)
}
