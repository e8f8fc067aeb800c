package cmd

import (
	"context"
	"encoding/csv"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/web/local"
	"recoup/web/sample"
)

// ledgerOfSample opens what a `recoup dev` that has ended left in its data directory, so that nothing moves any more: the
// database under a `recoup serve` alone, which neither charges nor wakes nor sweeps, with the sample's administrator signed in.
func ledgerOfSample(t *testing.T, data string) (base string, browser *http.Client) {
	t.Helper()
	services, err := local.Start(context.Background(), local.Options{Dir: data, NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := services.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	secret, err := os.ReadFile(filepath.Join(data, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	listen := freeAddress(t)
	base = "http://" + listen
	env := []string{"RECOUP_LISTEN=" + listen, "DATABASE_URL=" + services.Postgres.URL(local.DatabaseName), "REDIS_URL=" + redisURL(services.Redis),
		"RECOUP_SECRET=" + strings.TrimSpace(string(secret)), "RECOUP_LOG_LEVEL=warn", "RECOUP_SHUTDOWN_GRACE=3s"}
	serve := run(t, command{args: []string{"serve"}, env: env})
	t.Cleanup(func() { serve.terminate() })
	eventually(t, 30*time.Second, "the server answers", newCaller(base, "").healthy)
	status, link := result(t, command{args: []string{"staff", "link", sample.You}, env: env})
	at, err := url.Parse(strings.TrimSpace(link))
	if err != nil || status != 0 {
		t.Fatalf("staff link: %d %s %v", status, link, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser = &http.Client{Jar: jar}
	res, err := browser.PostForm(base+at.Path, url.Values{"token": {at.Query().Get("token")}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return base, browser
}

// body gets a page or file that must be there.
func body(t *testing.T, browser *http.Client, address string) string {
	t.Helper()
	res, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d %v", address, res.StatusCode, err)
	}
	return string(text)
}

// plain is an amount of a page without its separators and its typographic sign.
func plain(amount string) string {
	return strings.NewReplacer(",", "", "−", "-", "+", "").Replace(strings.TrimSpace(html.UnescapeString(amount)))
}

// exportIsReadByHledger lets the real hledger add up the accounting export of the sample and holds all that it says against the
// console: of each customer against the list of accounts and the account's own page, of each other account against the
// ledger's totals of the entries that it stands for.
func exportIsReadByHledger(t *testing.T, data string) {
	t.Helper()
	bin, err := exec.LookPath("hledger")
	if err != nil {
		if os.Getenv("RECOUP_REQUIRE_BROWSER") != "" {
			t.Fatal("hledger is not installed")
		}
		t.Skip("hledger is not installed: apt-get install hledger")
	}
	base, browser := ledgerOfSample(t, data)

	file := filepath.Join(t.TempDir(), "sample.journal")
	if err := os.WriteFile(file, []byte(body(t, browser, base+"/ledger/export?format=journal")), 0o600); err != nil {
		t.Fatal(err)
	}
	hledger := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(bin, append([]string{"-f", file}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("hledger %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	hledger("check")
	rows, err := csv.NewReader(strings.NewReader(hledger("balance", "--flat", "--empty", "-N", "-O", "csv", "--layout=bare"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]string{}
	for _, r := range rows[1:] {
		if r[1] != "" && r[1] != "credits" {
			t.Fatalf("%v is not in credits", r)
		}
		read[r[0]] = r[2]
	}

	// The customers: those of the list, each with its balance there and on its own page.
	const customers = "liabilities:customers:"
	list := body(t, browser, base+"/accounts")
	shown := regexp.MustCompile(`(?s)<td class="lead">.*?href="/accounts/([^"]+)".*?<td class="num end">\s*<span class="amount[^"]*">([^<]*)</span>`).FindAllStringSubmatch(list, -1)
	if len(shown) < 12 || strings.Contains(list, `rel="next"`) {
		t.Fatalf("%d accounts on the page of the sample's", len(shown))
	}
	closing := regexp.MustCompile(`(?s)<dt>\s*Closing, credits\s*</dt>\s*<dd>\s*<span class="figure[^"]*">([^<]*)</span>`)
	for _, a := range shown {
		id, err := url.PathUnescape(a[1])
		if err != nil {
			t.Fatal(err)
		}
		account := customers + strings.ReplaceAll(id, ":", "%3A")
		// What a customer holds is owed: a liability, so below zero.
		owed, there := read[account]
		delete(read, account)
		if owed = opposite(owed); !there || owed != plain(a[2]) {
			t.Errorf("%s: hledger says %q, the list %q", id, owed, plain(a[2]))
		}
		page := closing.FindStringSubmatch(body(t, browser, base+"/accounts/"+a[1]))
		if page == nil || plain(page[1]) != owed {
			t.Errorf("%s: hledger says %q, the account's page %q", id, owed, page)
		}
	}

	// The other sides: by type and action, and grants by category.
	kinds := map[string]int{}
	net := regexp.MustCompile(`(?s)<dd>\s*<b class="[^"]*">([^<]*)</b>`)
	for account, amount := range read {
		parts := strings.Split(account, ":")
		filter := url.Values{"totals": {"1"}}
		switch {
		case len(parts) == 3 && parts[0] == "revenue":
			filter["type"], filter["action"] = []string{parts[1]}, []string{parts[2]}
		case len(parts) == 3 && parts[1] == "granted":
			filter["type"], filter["category"] = []string{"grant"}, []string{parts[2]}
		default:
			t.Errorf("hledger knows %s, which is nothing of the sample", account)
			continue
		}
		kinds[filter.Get("type")]++
		said := net.FindStringSubmatch(body(t, browser, base+"/ledger?"+filter.Encode()))
		if said == nil || plain(said[1]) != amount {
			t.Errorf("%s: hledger says %s, the ledger's page %q", account, amount, said)
		}
	}
	// The sample shows all that a job can come to, so the file must as well.
	if kinds["grant"] != 2 || kinds["charge"] < 2 || kinds["refund"] < 1 || kinds["reclaim"] < 1 {
		t.Errorf("of the sample hledger has read only %v", kinds)
	}
}

// opposite is the number with the other sign, as text.
func opposite(n string) string {
	if n == "0" || n == "" {
		return n
	}
	if bare, negative := strings.CutPrefix(n, "-"); negative {
		return bare
	}
	return "-" + n
}
