package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/ledger"
	"recoup/models/page"
	"recoup/models/staff"
)

// What a page may cost: in reads of one row by its primary key, and in the same page over the smallest ledger.
const (
	mostReads          = 30.0
	mostReadsOfLetters = 50.0
	mostGrowth         = 1.5
)

// pageLedger is a generated ledger with a server of its own before it, and a person signed in there.
type pageLedger struct {
	entries int64
	g       *gorm.DB
	server  *server
	cookie  string
	client  *http.Client
	// outage is the group with the most open dead letters, letter the page of a dead letter.
	outage, letter string
	// tail is an account of the long tail.
	tail string
}

// openPages starts `recoup serve` on a ledger and signs a person in.
func openPages(ctx context.Context, l *ledgers, n int64, deadEvery int, dir string) (*pageLedger, error) {
	url, err := l.ledger(ctx, n, deadEvery, os.Stderr)
	if err != nil {
		return nil, err
	}
	p := &pageLedger{entries: n}
	if p.g, err = db.Open(ctx, db.Config{URL: url}); err != nil {
		return nil, err
	}
	if _, p.cookie, err = signIn(ctx, p.g); err != nil {
		return nil, err
	}
	b := &bench{g: p.g, url: url, pool: 16, clients: 1}
	if p.server, err = b.startServer(ctx, redisURL(l.services.Redis.Network(), l.services.Redis.Addr()), dir); err != nil {
		return nil, err
	}
	if err := p.findLetters(ctx); err != nil {
		return nil, err
	}
	p.client = &http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return p, nil
}

// signIn makes a person who may see and do all that finance and support do, and returns the content of their cookie.
func signIn(ctx context.Context, g *gorm.DB) (who staff.Person, cookie string, err error) {
	people, by := staff.New(g, staff.Options{}), staff.By{Actor: actor.System()}
	who, err = people.CreateStaff(ctx, by, staff.NewPerson{Email: fmt.Sprintf("bench-%d@example.com", time.Now().UnixNano()), Name: "Bench", Role: staff.Lead})
	if err != nil {
		return who, "", err
	}
	link, err := people.SignInLink(ctx, by, who.ID, time.Hour)
	if err != nil {
		return who, "", err
	}
	in, err := people.ConsumeLink(ctx, link, staff.Client{})
	return who, in.Token, err
}

func (p *pageLedger) close() error {
	err := p.server.stop()
	if pool, poolErr := p.g.DB(); poolErr == nil {
		err = errors.Join(err, pool.Close())
	}
	return err
}

// ask sends a request for a page.
func (p *pageLedger) ask(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.server.target.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.AddCookie(&http.Cookie{Name: "recoup", Value: p.cookie})
	return p.client.Do(req)
}

// get asks for a page once and returns how long it took from the first byte sent to the last one read, and how many there were.
func (p *pageLedger) get(ctx context.Context, path string) (took time.Duration, size int64, status int, err error) {
	started := time.Now()
	res, err := p.ask(ctx, path)
	if err != nil {
		return 0, 0, 0, err
	}
	defer res.Body.Close()
	size, err = io.Copy(io.Discard, res.Body)
	return time.Since(started), size, res.StatusCode, err
}

// isDeep fails where a page that is to be in the middle of a list is its first one: nothing newer lies before it.
func (p *pageLedger) isDeep(ctx context.Context, m measured) error {
	if !strings.HasSuffix(m.name, deep) {
		return nil
	}
	res, err := p.ask(ctx, m.path(p))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && !bytes.Contains(body, []byte(`rel="prev"`)) {
		err = fmt.Errorf("%s (%s) is the first page of its list", m.name, m.path(p))
	}
	return err
}

// read is one read of a row by its primary key, through a pool like the server's.
func (p *pageLedger) read(ctx context.Context, n int) (time.Duration, error) {
	var balance int64
	started := time.Now()
	err := p.g.WithContext(ctx).Raw(`SELECT balance FROM accounts WHERE key = ?`, 1+int64(n)%(p.entries/40)).Scan(&balance).Error
	return time.Since(started), err
}

// measured is a page by name and its address in a ledger.
type measured struct {
	name string
	path func(p *pageLedger) string
}

// deep is how the name of a page in the middle of a list ends.
const deep = ", deep"

// deepIn is the address of a page in the middle of a list: behind a position. A cursor names the list that it belongs to; another
// one's leads to the first page, which isDeep tells.
func deepIn(path string, filter url.Values, at ledger.Position) string {
	cursor, err := page.Cursor[string, ledger.Position]{Query: path + "?" + filter.Encode(), Position: at, Direction: page.Older}.Encode()
	if err != nil {
		panic(err) // a position always encodes
	}
	v := url.Values{}
	for name := range filter {
		v.Set(name, filter.Get(name))
	}
	v.Set("cursor", cursor)
	return path + "?" + v.Encode()
}

// month is the address of the month so many months from now, in UTC, the book time zone of a server that is told none.
func month(from int) string {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month()+time.Month(from), 1, 0, 0, 0, 0, time.UTC).Format("2006-01")
}

// middleOfLastMonth is a moment half way through the month before this one.
func middleOfLastMonth() time.Time {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month()-1, 15, 0, 0, 0, 0, time.UTC)
}

// measuredPages are those that finance has open all day.
func measuredPages() []measured {
	same := func(path string) func(*pageLedger) string { return func(*pageLedger) string { return path } }
	const hot = "/accounts/acct_1"
	// One of the long tail, of a few dozen entries.
	tail := func(p *pageLedger) string { return "/accounts/" + p.tail }
	before := time.Now().AddDate(0, -7, 0)
	return []measured{
		{"ledger", same("/ledger")},
		{"ledger, deep", same(deepIn("/ledger", nil, ledger.Position{At: before, AccountKey: 1}))},
		{"ledger, refunds", same("/ledger?type=refund")},
		{"ledger, adjustments", same("/ledger?type=adjustment")},
		{"ledger, refunds and reclaims", same("/ledger?type=refund&type=reclaim")},
		{"ledger, last month", same("/ledger?period=last_month")},
		{"ledger, last month, deep", same(deepIn("/ledger", url.Values{"period": {"last_month"}}, ledger.Position{At: middleOfLastMonth(), AccountKey: 1}))},
		{"ledger, hot account", same("/ledger?account=acct_1")},
		{"ledger, tail account", func(p *pageLedger) string { return "/ledger?account=" + p.tail }},
		{"ledger, old rule version", same("/ledger?rule_version=video_render%40v1")},
		{"ledger, a person", same("/ledger?actor=staff%3Ast_generated00001")},
		{"ledger, an operation", same("/ledger?operation=charge-77")},
		{"ledger, a job", same("/ledger?job=job-77")},
		{"statement, hot", same(hot)},
		{"statement, hot, deep", func(p *pageLedger) string { return deepIn(hot, nil, ledger.Position{Seq: p.entries / 20}) }},
		{"statement, hot, last month", same(hot + "?period=last_month")},
		{"statement, hot, adjustments", same(hot + "?type=adjustment")},
		{"statement, tail", tail},
		{"statement, tail, deep", func(p *pageLedger) string { return deepIn(tail(p), nil, ledger.Position{Seq: 12}) }},
		{"statement, tail, last month", func(p *pageLedger) string { return tail(p) + "?period=last_month" }},
		{"balance explained, tail", func(p *pageLedger) string { return tail(p) + "/balance" }},
		{"accounts", same("/accounts")},
		{"accounts, by id", func(p *pageLedger) string { return "/accounts?q=" + p.tail }},
		{"accounts, by the beginning of an id", same("/accounts?q=acct_12")},
		{"accounts, by name", same("/accounts?q=harbour")},
		{"accounts below zero", same("/accounts?negative=1")},
		{"months", same("/months")},
		{"month, this", same("/months/" + month(0))},
		{"month, the last", same("/months/" + month(-1))},
		{"month, half a year ago", same("/months/" + month(-6))},
		{"search, an account", func(p *pageLedger) string { return "/search?q=" + p.tail }},
		{"search, an operation", same("/search?q=charge-77")},
		{"search, a name", same("/search?q=harbour")},
		{"overview", same("/")},
	}
}

// times are what one kind of request took, over all rounds.
type times []time.Duration

func (t times) at(part float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	slices.Sort(t)
	return t[min(int(part*float64(len(t))), len(t)-1)]
}

// runPages is `bench pages`: how long pages take over a small and a large ledger.
func runPages(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("bench pages", flag.ExitOnError)
	small := flags.Int64("small", 100_000, "entries of the small ledger")
	large := flags.Int64("large", 5_000_000, "entries of the large ledger")
	dead := flags.Bool("dead", false, "the pages of dead letters, over ledgers with one of forty entries; with -large 2000000 there are 50,000 of 1.7 million jobs")
	only := flags.String("only", "", "pages whose name holds this text")
	rounds := flags.Int("rounds", 100, "how often each page is asked for")
	data := flags.String("data", "", "directory of a private PostgreSQL that stays, with the ledgers; a temporary one when empty")
	flags.Parse(args) //nolint:errcheck // ExitOnError
	deadEvery, pages, limit := fewDead, measuredPages(), mostReads
	if *dead {
		deadEvery, pages, limit = allDead, measuredLetters(), mostReadsOfLetters
	}
	pages = slices.DeleteFunc(pages, func(m measured) bool { return !strings.Contains(m.name, *only) })
	if len(pages) == 0 {
		return fmt.Errorf("there is no page whose name holds %q", *only)
	}
	l, err := openLedgers(ctx, *data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close(ctx)) }()
	var both []*pageLedger
	for _, n := range []int64{*small, *large} {
		dir, err := os.MkdirTemp("", "recoup-pages-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		p, err := openPages(ctx, l, n, deadEvery, dir)
		if err != nil {
			return err
		}
		defer p.close() //nolint:errcheck // the measurement is over
		both = append(both, p)
	}
	if err := findTails(ctx, both); err != nil {
		return err
	}
	return measurePages(ctx, both, pages, limit, *rounds, os.Stdout)
}

// same reports whether two pages hold about as much.
func same(a, b int64) bool { return a < b+b/5 && b < a+a/5 }

// measurePages asks both servers for every page in turn, round after round, with reads of a row in between, so that what
// else the machine does falls on all alike.
func measurePages(ctx context.Context, both []*pageLedger, pages []measured, limit float64, rounds int, w io.Writer) error {
	took := make([][]times, len(both))
	reads := make([]times, len(both))
	sizes := make([][]int64, len(both))
	there := make([]bool, len(pages))
	for i := range both {
		took[i], sizes[i] = make([]times, len(pages)), make([]int64, len(pages))
	}
	for _, m := range pages {
		for _, p := range both {
			if err := p.isDeep(ctx, m); err != nil {
				return err
			}
		}
	}
	const warm = 3
	for round := range rounds + warm {
		for j, m := range pages {
			for i, p := range both {
				d, size, status, err := p.get(ctx, m.path(p))
				if err != nil {
					return fmt.Errorf("%s: %w", m.name, err)
				}
				if status >= 500 {
					return fmt.Errorf("%s (%s): status %d", m.name, m.path(p), status)
				}
				read, err := p.read(ctx, round*len(pages)+j)
				if err != nil {
					return err
				}
				sizes[i][j] = size
				if there[j] = status < 400; there[j] && round >= warm {
					took[i][j], reads[i] = append(took[i][j], d), append(reads[i], read)
				}
			}
		}
	}
	small, large := 0, len(both)-1
	base := reads[large]
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }
	fmt.Fprintf(w, "one row by its primary key: p50 %s ms, p95 %s ms; %d rounds, %d and %d entries\n\n", ms(base.at(.5)), ms(base.at(.95)), rounds,
		both[small].entries, both[large].entries)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "page\tp50 ms\tp95 ms\tp50 in reads\tp95 in reads\tp50 to small\tp95 to small\tbytes to small\t")
	for j, m := range pages {
		if !there[j] {
			fmt.Fprintf(out, "%s\tnot there\t\t\t\t\t\t\t\n", m.name)
			continue
		}
		here, less := took[large][j], took[small][j]
		ratio := func(part float64, of times) float64 { return float64(here.at(part)) / float64(max(of.at(part), 1)) }
		note := ""
		if ratio(.95, base) > limit {
			note += " over in reads"
		}
		// A page that shows three rows of the small ledger and fifty of the large one is not the same page.
		if ratio(.5, less) > mostGrowth && same(sizes[large][j], sizes[small][j]) {
			note += " grows"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%s\n", m.name, ms(here.at(.5)), ms(here.at(.95)), ratio(.5, base), ratio(.95, base),
			ratio(.5, less), ratio(.95, less), float64(sizes[large][j])/float64(max(sizes[small][j], 1)), note)
	}
	return out.Flush()
}
