package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"recoup/models/actor"
	"recoup/models/bell"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/webhook"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// receiver is a program outside that takes what is sent to it.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []received
	answer int
}

type received struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{answer: http.StatusNoContent}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, received{req.Header.Clone(), body})
		if r.answer == http.StatusFound {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(r.answer)
		if r.answer != http.StatusNoContent {
			io.WriteString(w, "no\x00 thanks") //nolint:errcheck // in a test's server
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) says(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = status
}

func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

type world struct {
	*modeltest.Models
	*webhook.Service
}

func build(t *testing.T, allowed ...string) *world {
	t.Helper()
	m := modeltest.Ready(t, modeltest.Fast())
	var nets []netip.Prefix
	for _, a := range allowed {
		nets = append(nets, netip.MustParsePrefix(a))
	}
	s, err := webhook.New(m.Ops, []byte(modeltest.Secret), webhook.NewSender(nets), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &world{m, s}
}

func by() webhook.Envelope {
	return webhook.Envelope{OperationID: ids.New(), Actor: actor.Actor{Kind: "staff", ID: "st_1"}, RequestID: "r1", Reason: "test"}
}

// endpoint makes an endpoint for events and returns its id.
func (w *world) endpoint(t *testing.T, url string, events ...webhook.Type) string {
	t.Helper()
	in := webhook.EndpointInput{URL: url}
	for _, e := range events {
		in.Events = append(in.Events, string(e))
	}
	out, err := w.Create(context.Background(), by(), in)
	if err != nil {
		t.Fatal(err)
	}
	var r webhook.EndpointResult
	if err := out.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r.EndpointID
}

// emit makes an event happen as an operation.
func (w *world) emit(t *testing.T, kind webhook.Type, data any) {
	t.Helper()
	_, err := w.Ops.Apply(context.Background(), operation.Request{Scope: operation.Named("settings"), ID: ids.New(), Kind: "test", Actor: actor.System()},
		func(_ context.Context, tx *operation.Tx) (any, error) { return 1, webhook.Emit(tx, kind, "", data) })
	if err != nil {
		t.Fatal(err)
	}
}

// deliver visits every endpoint for which something is due, as bells would, and returns how many calls that were.
func (w *world) deliver(t *testing.T) int {
	t.Helper()
	tries := func() (n int) {
		if err := w.G.Raw(`SELECT count(*) FROM webhook_attempts`).Scan(&n).Error; err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := tries()
	var keys []int64
	_, err := w.Ring(context.Background(), 100, func(_ context.Context, b bell.Bell) error { keys = append(keys, b.Key); return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if err := w.Visit(context.Background(), k); err != nil {
			t.Fatal(err)
		}
	}
	return tries() - before
}

func (w *world) deliveries(t *testing.T, id string) []webhook.Delivery {
	t.Helper()
	e, err := w.Find(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Deliveries(context.Background(), e.Key, "", nil, page.Older, 50)
	if err != nil {
		t.Fatal(err)
	}
	return p.Rows
}

func (w *world) hurry(t *testing.T) {
	t.Helper()
	for _, q := range []string{`UPDATE webhook_deliveries SET due_at = clock_timestamp() WHERE state = 'waiting'`,
		`UPDATE webhook_endpoints SET busy_until = clock_timestamp(), ring_at = clock_timestamp()`} {
		if err := w.G.Exec(q).Error; err != nil {
			t.Fatal(err)
		}
	}
}

// verifies reports whether a receiver that knows the secret takes what it got, by the published library.
func verifies(t *testing.T, secret string, r received) bool {
	t.Helper()
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return w.Verify(r.body, r.header) == nil
}

func (w *world) secret(t *testing.T, id string) string {
	t.Helper()
	s, err := w.Reveal(context.Background(), by(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A receiver built on the published library takes our signatures, also around a rotation.
func TestSignaturesAreTaken(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	id := w.endpoint(t, r.URL, webhook.CheckFailed)
	first := w.secret(t, id)
	w.emit(t, webhook.CheckFailed, map[string]string{"check": "hash", "text": "返金 ✓"})
	if n := w.deliver(t); n != 1 {
		t.Fatalf("%d deliveries", n)
	}
	got := r.all()
	if len(got) != 1 || !verifies(t, first, got[0]) || verifies(t, "whsec_AAAA", got[0]) {
		t.Fatalf("%d calls, or the signature is not taken", len(got))
	}
	if got[0].header.Get("Content-Type") != "application/json" {
		t.Errorf("content type %q", got[0].header.Get("Content-Type"))
	}
	var sent struct {
		Type      string
		Timestamp time.Time
		Data      map[string]string
	}
	if err := json.Unmarshal(got[0].body, &sent); err != nil || sent.Type != "check.failed" || sent.Data["text"] != "返金 ✓" || time.Since(sent.Timestamp) > time.Minute {
		t.Errorf("%s, %v", got[0].body, err)
	}

	if _, err := w.Rotate(context.Background(), by(), id, 1); err != nil {
		t.Fatal(err)
	}
	second := w.secret(t, id)
	w.emit(t, webhook.CheckFailed, nil)
	w.deliver(t)
	last := r.all()[1]
	if second == first || !verifies(t, first, last) || !verifies(t, second, last) {
		t.Error("after a rotation both secrets must be taken")
	}
	if err := w.G.Exec(`UPDATE webhook_endpoints SET old_until = clock_timestamp()`).Error; err != nil {
		t.Fatal(err)
	}
	w.emit(t, webhook.CheckFailed, nil)
	w.deliver(t)
	if last = r.all()[2]; verifies(t, first, last) || !verifies(t, second, last) {
		t.Error("a day after the rotation only the new secret must be taken")
	}
	var stored string
	w.G.Raw(`SELECT encode(secret, 'escape') FROM webhook_endpoints`).Scan(&stored)
	if strings.Contains(stored, strings.TrimPrefix(second, "whsec_")) {
		t.Error("the secret can be read in the database")
	}
}

// What fails is tried again with the same id until it is taken; every try is kept.
func TestTriedUntilTaken(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	id := w.endpoint(t, r.URL, webhook.JobRecovered)
	w.emit(t, webhook.JobRecovered, nil)
	for _, status := range []int{500, 302} {
		r.says(status)
		w.deliver(t)
		if n := w.deliver(t); n != 0 {
			t.Fatal("tried again at once")
		}
		w.hurry(t)
	}
	r.says(200)
	w.deliver(t)
	w.hurry(t)
	if n := w.deliver(t); n != 0 {
		t.Error("tried again after it was taken")
	}
	got := r.all()
	if len(got) != 3 || got[0].header.Get("webhook-id") != got[2].header.Get("webhook-id") {
		t.Fatalf("%d calls", len(got))
	}
	d := w.deliveries(t, id)
	if len(d) != 1 || d[0].State != webhook.Delivered || d[0].Tries != 3 {
		t.Fatalf("%+v", d)
	}
	e, err := w.Find(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	detail, err := w.Delivery(context.Background(), e.Key, d[0].Key)
	if err != nil || len(detail.Attempts) != 3 || detail.Attempts[2].Status != 500 || detail.Attempts[2].Answer != "no\uFFFD thanks" ||
		!strings.Contains(detail.Attempts[1].Error, "redirect") || detail.Body != string(got[0].body) {
		t.Errorf("%+v, %v", detail, err)
	}
}

// A receiver that never answers is given up after the last try, and a person can send it again with the same id.
func TestGivenUpAndResent(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	id := w.endpoint(t, r.URL, webhook.JobRecovered)
	w.emit(t, webhook.JobRecovered, nil)
	r.says(503)
	tries := 0
	for ; tries < 20 && w.deliver(t) > 0; tries++ {
		w.hurry(t)
	}
	d := w.deliveries(t, id)[0]
	if tries != 11 || d.State != webhook.Failed || d.Tries != 11 {
		t.Fatalf("%d tries: %+v", tries, d)
	}
	r.says(200)
	if _, err := w.Resend(context.Background(), by(), id, d.Key); err != nil {
		t.Fatal(err)
	}
	w.deliver(t)
	got := r.all()
	if n := len(got); n != 12 || got[11].header.Get("webhook-id") != d.EventID {
		t.Fatalf("%d calls", n)
	}
	if err := func() error { _, err := w.Resend(context.Background(), by(), id, 999); return err }(); !fault.Is(err, webhook.CodeNotFound) {
		t.Errorf("resent what is not there: %v", err)
	}
}

// Whoever says that it is gone is not called again; what happens meanwhile is not kept for it.
func TestGoneIsDisabled(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	for id, role := range map[string]string{"st_aaaaaaaaaaaaaaaa": "admin", "st_bbbbbbbbbbbbbbbb": "support"} {
		if err := w.G.Exec(`INSERT INTO staff (id, email, name, role) VALUES (?, ? || '@recoup.test', 'Pat', ?)`, id, id, role).Error; err != nil {
			t.Fatal(err)
		}
	}
	id := w.endpoint(t, r.URL, webhook.JobRecovered)
	w.emit(t, webhook.JobRecovered, nil)
	r.says(http.StatusGone)
	w.deliver(t)
	e, err := w.Find(context.Background(), id)
	if err != nil || e.State != webhook.Disabled || e.DisabledReason != "gone" {
		t.Fatalf("%+v, %v", e, err)
	}
	var logged, told int
	w.G.Raw(`SELECT count(*) FROM audit_log WHERE actor = 'system' AND object = ? AND after ->> 'state' = 'disabled' AND after ->> 'disabled_reason' = 'gone'`, "webhook:"+id).Scan(&logged)
	w.G.Raw(`SELECT count(*) FROM inbox_messages m JOIN staff s ON s.id = m.staff_id WHERE s.role = 'admin' AND m.code = 'webhook_gone' AND m.detail ->> 'endpoint_id' = ?`, id).Scan(&told)
	if logged != 1 || told != 1 {
		t.Errorf("%d rows in the log and %d messages of a receiver that was disabled, want 1 and 1", logged, told)
	}
	w.emit(t, webhook.JobRecovered, nil)
	if n := len(w.deliveries(t, id)); n != 1 {
		t.Errorf("%d deliveries", n)
	}
	if _, err := w.SetState(context.Background(), by(), id, e.Version, true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.SetState(context.Background(), by(), id, e.Version, false); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("a stale page was obeyed: %v", err)
	}
}

// Nobody wants it: nothing is written.
func TestNothingIsKeptForNobody(t *testing.T) {
	w := build(t)
	w.endpoint(t, "https://example.com/", webhook.JobRecovered)
	w.emit(t, webhook.CheckFailed, nil)
	var n int64
	w.G.Raw(`SELECT count(*) FROM webhook_events`).Scan(&n)
	if n != 0 {
		t.Errorf("%d events", n)
	}
}

// Private and reserved addresses are not called, by address, by name or by redirect, unless they are allowed.
func TestPrivateAddressesAreRefused(t *testing.T) {
	r := newReceiver(t)
	port := r.URL[strings.LastIndex(r.URL, ":"):]
	s := webhook.NewSender(nil)
	for _, url := range []string{"https://127.0.0.1/", "https://10.1.2.3/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://169.254.169.254/latest",
		"https://100.64.0.1/", "https://[fd00::1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://0.0.0.0/", "https://224.0.0.1/",
		"http://example.com/", "https://user:pw@example.com/", "ftp://example.com/", "https://", "//example.com", "https://example.com/#x", "https://exa mple.com/"} {
		if s.Refuses(url) == "" {
			t.Errorf("%s is taken", url)
		}
	}
	for _, url := range []string{"https://example.com/hook?x=1", "https://93.184.216.34/", "https://[2606:2800:220:1::1]:8443/"} {
		if why := s.Refuses(url); why != "" {
			t.Errorf("%s: %s", url, why)
		}
	}
	// A name that leads to a private address shows where the connection is made.
	w := build(t)
	id := w.endpoint(t, "https://localhost"+port+"/", webhook.CheckFailed)
	w.emit(t, webhook.CheckFailed, nil)
	w.deliver(t)
	if d := w.deliveries(t, id)[0]; d.LastStatus != 0 || !strings.Contains(d.LastError, "private or reserved") {
		t.Errorf("%+v", d)
	}
	if n := len(r.all()); n != 0 {
		t.Errorf("called %d times", n)
	}
	// Plain http goes to what is allowed alone.
	w = build(t, "10.0.0.0/8")
	id = w.endpoint(t, "http://localhost"+port+"/", webhook.CheckFailed)
	w.emit(t, webhook.CheckFailed, nil)
	w.deliver(t)
	if d := w.deliveries(t, id)[0]; !strings.Contains(d.LastError, "private or reserved") || len(r.all()) != 0 {
		t.Errorf("%+v", d)
	}
}

// A job that dies and one that comes back are told, in the transaction of what happened.
func TestJobsAreTold(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	w.endpoint(t, r.URL, webhook.JobDeadLettered, webhook.JobRecovered)
	ctx := context.Background()
	w.Price(t, "render", 1000)
	w.Account(t, "acct_1", 100)
	w.Charge(t, "acct_1", "j1", 40)
	one := int64(1)
	c := w.Claim(t, 1)
	if len(c) != 1 {
		t.Fatal("nothing to claim")
	}
	signal := func(s job.Signal) {
		t.Helper()
		s.Attempt = &one
		if _, err := w.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_1", JobID: "j1", Signal: s}); err != nil {
			t.Fatal(err)
		}
	}
	signal(job.Signal{Type: job.SignalFailed, Class: job.Permanent, Code: "boom", Message: "secret words"})
	signal(job.Signal{Type: job.SignalFailed, Class: job.Permanent, Code: "boom", Message: "again"})
	signal(job.Signal{Type: job.SignalSucceeded, Result: "s3://out"})
	if n := w.deliver(t); n != 2 {
		t.Fatalf("%d deliveries", n)
	}
	got := r.all()
	var dead, back struct {
		Type string
		Data map[string]any
	}
	if json.Unmarshal(got[0].body, &dead) != nil || json.Unmarshal(got[1].body, &back) != nil {
		t.Fatalf("%s %s", got[0].body, got[1].body)
	}
	if dead.Type != "job.dead_lettered" || dead.Data["job_id"] != "j1" || dead.Data["error_code"] != "boom" || dead.Data["is_refunded"] != true ||
		strings.Contains(string(got[0].body), "secret words") {
		t.Errorf("%s", got[0].body)
	}
	if back.Type != "job.recovered" || back.Data["was"] != "dead" || back.Data["reclaimed"] != 40.0 || back.Data["balance_after"] != 60.0 {
		t.Errorf("%s", got[1].body)
	}
}

// A delivery by an attempt that was given up, while another one runs, recovers no job: nobody was told that one was lost.
func TestAnOlderAttemptThatDeliversIsNotTold(t *testing.T) {
	w := build(t)
	w.endpoint(t, "https://example.com/", webhook.JobDeadLettered, webhook.JobRecovered)
	ctx := context.Background()
	w.Price(t, "render", 1000)
	w.Account(t, "acct_1", 100)
	w.Charge(t, "acct_1", "j1", 40)
	attempt := func(n int64) job.Claimed {
		t.Helper()
		c := w.Claim(t, 1)
		if len(c) != 1 || int64(c[0].Attempt) != n {
			t.Fatalf("%+v, want attempt %d", c, n)
		}
		return c[0]
	}
	first := attempt(1)
	if _, err := w.Jobs.Fail(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: first.LeaseToken, Class: job.Transient, Code: "gpu_lost"}); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{`UPDATE jobs SET not_before = clock_timestamp() - interval '1 second'`, `UPDATE waiting_line SET due_at = clock_timestamp() - interval '1 second'`} {
		if err := w.G.Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	var bell job.Bell
	if err := w.G.Raw(`SELECT account_key, key AS job_key, attempt, generation FROM jobs`).Scan(&bell).Error; err != nil {
		t.Fatal(err)
	}
	if _, err := w.Jobs.Wake(ctx, bell); err != nil {
		t.Fatal(err)
	}
	attempt(2)
	one := int64(1)
	if _, err := w.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_1", JobID: "j1",
		Signal: job.Signal{Type: job.SignalSucceeded, Result: "s3://out", Attempt: &one}}); err != nil {
		t.Fatal(err)
	}
	var was string
	if err := w.G.Raw(`SELECT late_success_of FROM jobs`).Scan(&was).Error; err != nil || was != string(job.Running) {
		t.Fatalf("late success of %q, %v", was, err)
	}
	var told []string
	if err := w.G.Raw(`SELECT type FROM webhook_events`).Scan(&told).Error; err != nil || len(told) != 0 {
		t.Errorf("%q, %v", told, err)
	}
}
