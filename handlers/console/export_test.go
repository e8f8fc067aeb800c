package console_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"recoup/models/audit"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// mixed makes a random ledger: jobs in every state, grants and adjustments in between.
func (w *world) mixed(account string, steps int, seed uint64) {
	w.t.Helper()
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(seed, 1))
	w.Account(w.t, account, 100_000)
	failed := job.Signal{Type: job.SignalFailed, Class: job.Transient, Code: "upstream_timeout"}
	for i := range steps {
		id := fmt.Sprintf("job-%03d", i)
		var signals []job.Signal
		switch rnd.IntN(7) {
		case 0:
			w.grant(account, rnd.Int64N(500)+1)
			continue
		case 1:
			_, err := w.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: account, Amount: rnd.Int64N(500) - 600, Reason: "=1+1"})
			if err != nil {
				w.t.Fatal(err)
			}
			continue
		case 2:
			signals = []job.Signal{failed}
		case 3, 4:
			signals = []job.Signal{failed, {Type: job.SignalSucceeded}}
		case 5:
			signals = []job.Signal{{Type: job.SignalSucceeded}, failed}
		}
		w.Charge(w.t, account, id, rnd.Int64N(90)+1)
		for _, s := range signals {
			if _, err := w.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: s}); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// exported gets a file that must be whole.
func (b *browser) exported(path string) (string, []byte) {
	b.t.Helper()
	rec := b.get(path)
	if rec.Code != http.StatusOK {
		b.t.Fatalf("GET %s: %d\n%s", path, rec.Code, text(rec.Body.String()))
	}
	return rec.Header().Get("Content-Disposition"), rec.Body.Bytes()
}

// shown is what a page and a file both say of an entry.
type shown struct{ at, kind, credits string }

// onScreen reads the rows of all pages of a list.
func (b *browser) onScreen(path string) []shown {
	b.t.Helper()
	var out []shown
	for path != "" {
		page := b.page(path)
		for _, m := range regexp.MustCompile(`(?s)<tr data-row>\s*<td>.*?</tr>`).FindAllString(page, -1) {
			at := regexp.MustCompile(`datetime="([^"]+)"`).FindStringSubmatch(m)
			kind := regexp.MustCompile(`data-type="([a-z]+)"`).FindStringSubmatch(m)
			credits := regexp.MustCompile(`(?s)class="num end">.*?>([^<]*)</span>`).FindStringSubmatch(m)
			if at == nil || kind == nil || credits == nil {
				continue // a job beside the entries
			}
			n := strings.NewReplacer(",", "", "−", "-", "+", "").Replace(strings.TrimSpace(credits[1]))
			out = append(out, shown{at[1], kind[1], n})
		}
		path = follow(page, "next")
	}
	return out
}

// inFile reads a CSV.
func inFile(t testing.TB, file []byte) (rows []shown, all [][]string) {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all[1:] {
		at, err := time.Parse(time.RFC3339, r[0])
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, shown{at.UTC().Format("2006-01-02T15:04:05.000000Z"), r[3], r[4]})
	}
	return rows, all
}

// exportLink is the link that a page offers for a format.
func exportLink(page, format string) string {
	m := regexp.MustCompile(`href="([^"]+/export\?[^"]*format=` + format + `[^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], "&amp;", "&")
}

func TestExportEqualsTheScreen(t *testing.T) {
	w := newWorld(t)
	w.mixed("acct_7", 110, 7)
	w.mixed("b@x:1", 20, 8)
	b := w.signedIn(w.person(staff.Finance, staff.Preferences{TimeZone: "Asia/Tokyo"}))
	for _, path := range []string{"/ledger", "/ledger?type=refund&type=reclaim", "/ledger?account=acct_7&min=-40&max=40", "/ledger?job=job-003", "/ledger?period=today",
		"/ledger?account=nobody&type=charge", "/accounts/acct_7", "/accounts/acct_7?type=charge&rule_version=video_render%40v1", "/accounts/b@x:1?period=this_month", "/ledger?type=grant&actor=key%3Atest"} {
		page := b.page(path)
		screen := b.onScreen(path)
		link := exportLink(page, "csv")
		if len(screen) == 0 {
			if link != "" {
				t.Errorf("%s: nothing to export, and %s is offered", path, link)
			}
			link = strings.Replace(path, "?", "/export?format=csv&", 1)
		}
		name, file := b.exported(link)
		rows, all := inFile(t, file)
		if !slices.Equal(rows, screen) {
			t.Errorf("%s: %d rows on screen, %d in the file; first %v, %v", path, len(screen), len(rows), screen[:min(1, len(screen))], rows[:min(1, len(rows))])
		}
		if all[0][0] != "time (Asia/Tokyo)" || !strings.Contains(name, fmt.Sprintf("Asia-Tokyo_%d-entries_at_", len(screen))) || !strings.Contains(name, ".csv") {
			t.Errorf("%s: %s, %s", path, name, all[0][0])
		}
		if strings.Contains(path, "account=acct_7") || path == "/accounts/acct_7" {
			w.says(page, fmt.Sprintf("Export the %d entries of this filter, times in Asia/Tokyo", len(screen)))
		}
	}
	if n := len(b.onScreen("/ledger")); n < 150 {
		t.Errorf("only %d rows to compare", n)
	}
	// The workbook holds the same rows.
	_, file := b.exported("/ledger/export?format=xlsx&type=refund")
	book, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	cells, err := book.GetRows("Ledger")
	if err != nil || len(cells) != 1+len(b.onScreen("/ledger?type=refund")) {
		t.Errorf("%d rows in the workbook, %v", len(cells), err)
	}
	// A viewer sees the rows and no way to take them along.
	if page := w.as(staff.Viewer).page("/ledger"); exportLink(page, "csv") != "" {
		t.Error("a viewer is offered an export")
	}
}

func TestExportIsReadByHledger(t *testing.T) {
	bin, err := exec.LookPath("hledger")
	if err != nil {
		if os.Getenv("RECOUP_REQUIRE_BROWSER") != "" {
			t.Fatal("hledger is not installed")
		}
		t.Skip("hledger is not installed: apt-get install hledger")
	}
	w := newWorld(t)
	accounts := []string{"acct_7", "b@x:1", "c"}
	for i, a := range accounts {
		w.mixed(a, 30, uint64(i))
	}
	b := w.as(staff.Lead)
	name, journal := b.exported("/ledger/export?format=journal")
	if !strings.Contains(name, "recoup_ledger_all_UTC_") || !strings.Contains(name, "-entries_at_") || !strings.Contains(name, ".journal") {
		t.Error(name)
	}
	file := filepath.Join(t.TempDir(), "l.journal")
	if err := os.WriteFile(file, journal, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bin, "-f", file, "balance", "liabilities:customers", "--flat", "-N", "-O", "csv", "--layout=bare").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, a := range accounts {
		want := fmt.Sprintf(`"liabilities:customers:%s","credits","%d"`, strings.ReplaceAll(a, ":", "%3A"), -w.Balance(t, a))
		if !strings.Contains(string(out), want) {
			t.Errorf("hledger lacks %s:\n%s", want, out)
		}
	}
}

func TestExportIsRefusedBeforeTheFirstByte(t *testing.T) {
	w := newWorld(t)
	w.mixed("acct_7", 10, 1)
	b := w.as(staff.Finance)
	for path, code := range map[string]int{"/ledger/export": 400, "/ledger/export?format=pdf": 400, "/ledger/export?format=csv&min=1.5": 400, "/ledger/export?format=csv&type=bogus": 400,
		"/ledger/export?format=journal&period=next_week": 400, "/accounts/acct_7/export?format=csv&type=grant&type=bogus": 400,
		"/accounts/acct_7/export?format=csv&period=custom&from=2026-02-30": 400, "/accounts/nobody/export?format=csv": 404} {
		if rec := b.get(path); rec.Code != code || rec.Header().Get("Content-Disposition") != "" {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Header().Get("Content-Disposition"))
		}
	}
	release := w.console.OccupyExports()
	if rec := b.get("/ledger/export?format=csv"); rec.Code != http.StatusServiceUnavailable {
		t.Errorf("with all places taken: %d", rec.Code)
	}
	release()
	b.exported("/ledger/export?format=csv")
	// A file that fails before its first byte is an error page and no file.
	if err := w.G.Exec("ALTER TABLE jobs RENAME COLUMN units TO units_away").Error; err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"csv", "xlsx", "journal"} {
		rec := b.get("/ledger/export?format=" + format)
		if rec.Code != http.StatusInternalServerError || rec.Header().Get("Content-Disposition") != "" || !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %v", format, rec.Code, rec.Header())
		}
	}
}

func TestExportIsAudited(t *testing.T) {
	w := newWorld(t)
	w.mixed("acct_7", 5, 1)
	b := w.signedIn(w.person(staff.Finance, staff.Preferences{TimeZone: "Asia/Tokyo"}))
	b.exported("/ledger/export?format=journal&type=charge")
	b.exported("/accounts/acct_7/export?format=csv")
	for object, want := range map[string]string{"ledger": `{"zone": "Asia/Tokyo", "filter": {"types": ["charge"]}, "format": "journal"}`,
		"account:acct_7": `{"zone": "Asia/Tokyo", "filter": {"account": "acct_7"}, "format": "csv"}`} {
		rows, err := audit.Of(context.Background(), w.G, object, 10)
		if err != nil {
			t.Fatal(err)
		}
		rows = slices.DeleteFunc(rows, func(r audit.Stored) bool { return r.Action != "ledger.export" })
		if len(rows) != 1 || rows[0].Actor != b.who.Actor().String() || rows[0].After == nil || !sameJSON(t, *rows[0].After, want) || rows[0].RequestID == "" {
			t.Errorf("%s: %+v", object, rows)
		}
	}
	w.as(staff.Support).get("/ledger/export?format=csv")
	var n int64
	if err := w.G.Raw(`SELECT count(*) FROM audit_log WHERE action = 'ledger.export' AND outcome = 'done'`).Scan(&n).Error; err != nil || n != 2 {
		t.Errorf("%d exports are audited, %v", n, err)
	}
}

func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

// long gives an account far more entries than fit the buffers between the server and a reader that does not read.
func (w *world) long(account string) {
	w.t.Helper()
	w.Account(w.t, account, 0)
	pool, err := w.G.DB()
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := pool.Exec(`ALTER TABLE entries DISABLE TRIGGER USER;
		INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, reason, created_at, hash)
		SELECT a.key, n, 'adjustment', 1, n, 'op-' || n, 'key:test', repeat('reason ', 60), now() - interval '1 day' + n * interval '1 ms', sha256('x')
		FROM accounts a, generate_series(1, 60000) n WHERE a.id = '` + account + `';
		UPDATE accounts SET last_seq = 60000, balance = 60000, last_at = now() WHERE id = '` + account + `'`); err != nil {
		w.t.Fatal(err)
	}
}

// begun asks a listening server for a file and reads only its first bytes.
func (b *browser) begun(path string) (*http.Response, func() int) {
	b.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.server.Serve(ctx, ln) }()
	b.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.t.Logf("the server ended: %v", err)
		}
	})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+ln.Addr().String()+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.cookies {
		r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableCompression: true}}).Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := io.ReadFull(res.Body, make([]byte, 4096)); err != nil || res.StatusCode != http.StatusOK {
		b.t.Fatalf("%d %v", res.StatusCode, err)
	}
	reading := func() (n int) {
		if err := b.G.Raw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND backend_type = 'client backend' AND query LIKE '%FROM entries e%' AND pid <> pg_backend_pid()`).Scan(&n).Error; err != nil {
			b.t.Fatal(err)
		}
		return n
	}
	if n := reading(); n != 1 {
		b.t.Fatalf("%d queries read entries while the file is sent", n)
	}
	return res, reading
}

func TestClosingTheConnectionEndsTheExport(t *testing.T) {
	w := newWorld(t)
	w.long("acct_7")
	for _, path := range []string{"/ledger/export?format=csv&now=1", "/accounts/acct_7/export?format=journal&now=1"} {
		res, reading := w.as(staff.Finance).begun(path)
		res.Body.Close()
		for end := time.Now().Add(5 * time.Second); reading() != 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the query still runs", path)
			}
		}
	}
}

func TestLateFailureCutsTheExport(t *testing.T) {
	w := newWorld(t)
	w.long("acct_7")
	res, _ := w.as(staff.Finance).begun("/accounts/acct_7/export?format=csv&now=1")
	defer res.Body.Close()
	if err := w.G.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%FROM entries e%' AND pid <> pg_backend_pid()`).Error; err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(res.Body)
	if err == nil {
		t.Errorf("a file that was cut off after %d bytes looks whole", len(rest))
	}
}
