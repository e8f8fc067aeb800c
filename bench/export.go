package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/export"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/task"
)

// mostMemory is what a process that makes or sends a file of a million entries may take, in bytes, with all that it takes when it is idle,
// but without the pages of its own program: those are a file that the system maps, shared by all processes that run it.
const mostMemory = 100_000_000

// A file comes to a person in one of three ways, each the work of a process of its own.
const (
	waySent  = "sent by serve as it is read"
	wayMade  = "made by work"
	wayTaken = "sent by serve once made"
)

// footprint is what one file took.
type footprint struct {
	entries    int64
	format     export.Format
	way        string
	bytes      int64
	took       time.Duration
	idle, peak int64 // bytes of memory of the process, before and at most
	program    int64 // of these those that map its program
	cut        time.Duration
}

// exporter makes files of one ledger.
type exporter struct {
	entries    int64
	url, redis string
	program    string
	dir        string
	g          *gorm.DB
	cookie     string
	files      *export.Service
	by         ledger.Envelope
}

// runExport is `bench export`: what memory a process takes that makes or sends a file of many entries.
func runExport(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("bench export", flag.ExitOnError)
	entries := flags.Int64("entries", 1_000_000, "entries of the ledger that is exported")
	small := flags.Int64("small", 100_000, "entries of a smaller one, to see what grows; 0 for none")
	formats := flags.String("formats", "csv,xlsx,journal", "formats, separated by commas")
	data := flags.String("data", "", "directory of a private PostgreSQL that stays, with the ledgers; a temporary one when empty")
	flags.Parse(args) //nolint:errcheck // ExitOnError
	if _, err := os.Stat("/proc/self/clear_refs"); err != nil {
		return errors.New("export: the memory of another process can be read on Linux only")
	}
	var chosen []export.Format
	for _, name := range strings.Split(*formats, ",") {
		f := export.Format(name)
		if !f.Known() {
			return fmt.Errorf("export: there is no format %q; there are %v", name, export.Formats())
		}
		chosen = append(chosen, f)
	}
	dir, err := os.MkdirTemp("", "recoup-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := buildProgram(ctx, dir)
	if err != nil {
		return err
	}
	l, err := openLedgers(ctx, *data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close(ctx)) }()
	var all []footprint
	for _, n := range []int64{*small, *entries} {
		if n == 0 {
			continue
		}
		x := &exporter{entries: n, redis: redisURL(l.services.Redis.Network(), l.services.Redis.Addr()), program: program, dir: dir}
		if x.url, err = l.ledger(ctx, n, fewDead, os.Stderr); err != nil {
			return err
		}
		prints, err := x.run(ctx, chosen)
		if err != nil {
			return fmt.Errorf("export of %d entries: %w", n, err)
		}
		all = append(all, prints...)
	}
	return printFootprints(os.Stdout, all)
}

func (x *exporter) run(ctx context.Context, formats []export.Format) ([]footprint, error) {
	var err error
	if x.g, err = db.Open(ctx, db.Config{URL: x.url}); err != nil {
		return nil, err
	}
	if pool, err := x.g.DB(); err == nil {
		defer pool.Close()
	}
	who, cookie, err := signIn(ctx, x.g)
	if err != nil {
		return nil, err
	}
	x.cookie, x.by = cookie, ledger.Envelope{Actor: who.Actor()}
	r, err := newReads(x.g)
	if err != nil {
		return nil, err
	}
	x.files = export.NewService(r.ops, task.New(x.g, nil), r.ledger, export.Options{Keep: time.Hour})
	var out []footprint
	for _, f := range formats {
		for _, way := range []func(context.Context, export.Format) ([]footprint, error){x.sent, x.made} {
			prints, err := way(ctx, f)
			if err != nil {
				return nil, err
			}
			out = append(out, prints...)
			fmt.Fprintf(os.Stderr, "%d entries as %s: %s\n", x.entries, f, prints[0].way)
		}
	}
	return out, nil
}

// sent has a file sent as it is read, and then another one, whose reader goes away after a quarter.
func (x *exporter) sent(ctx context.Context, f export.Format) ([]footprint, error) {
	s, err := x.start(ctx, "serve")
	if err != nil {
		return nil, err
	}
	defer s.stop() //nolint:errcheck // the measurement is over
	path := "/ledger/export?" + url.Values{"format": {string(f)}, "now": {"1"}}.Encode()
	p, err := x.download(ctx, s, path)
	if err != nil {
		return nil, err
	}
	p.format, p.way = f, waySent
	if p.cut, err = x.cut(ctx, s, path, p.bytes/4); err != nil {
		return nil, err
	}
	return []footprint{p}, nil
}

// made has a file made in the background, and then sent.
func (x *exporter) made(ctx context.Context, f export.Format) ([]footprint, error) {
	w, err := x.start(ctx, "work")
	if err != nil {
		return nil, err
	}
	stopped := false
	defer func() {
		if !stopped {
			w.stop() //nolint:errcheck // it failed for another reason
		}
	}()
	idle, err := steady(ctx, w.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	e := x.by
	e.OperationID = ids.New()
	id, _, err := x.files.Start(ctx, e, export.Input{Format: f, Zone: "UTC", Of: "ledger", Page: "/ledger"})
	if err != nil {
		return nil, err
	}
	file, err := x.finished(ctx, id)
	if err != nil {
		return nil, err
	}
	peak, mapped, err := most(w.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	made := footprint{program: mapped, entries: file.Result.Entries, format: f, way: wayMade, bytes: file.Result.Bytes, took: file.FinishedAt.Sub(*file.StartedAt), idle: idle, peak: peak}
	stopped = true
	if err := w.stop(); err != nil {
		return nil, err
	}
	s, err := x.start(ctx, "serve")
	if err != nil {
		return nil, err
	}
	defer s.stop() //nolint:errcheck // the measurement is over
	taken, err := x.download(ctx, s, "/exports/"+id+"/file")
	taken.format, taken.way, taken.entries = f, wayTaken, made.entries
	return []footprint{made, taken}, err
}

// finished waits for a file that is being made.
func (x *exporter) finished(ctx context.Context, id string) (export.File, error) {
	for {
		file, err := x.files.Find(ctx, id)
		switch {
		case err != nil:
			return file, err
		case file.State == task.Done:
			return file, nil
		case file.State.Over():
			return file, fmt.Errorf("the file was %s: %s", file.State, file.Message)
		}
		select {
		case <-ctx.Done():
			return file, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (x *exporter) start(ctx context.Context, command string) (*server, error) {
	// The nightly run of the verifier, which is due on a ledger that was never verified, would take memory of the same process.
	return startProcess(ctx, x.program, command, x.dir, append(environment(x.url, x.redis), "RECOUP_VERIFY_AT=off"))
}

// ask asks a server for a path.
func (x *exporter) ask(ctx context.Context, s *server, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.target.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.AddCookie(&http.Cookie{Name: "recoup", Value: x.cookie})
	// As a browser would, but for packing: what is counted is the file.
	res, err := (&http.Client{Transport: &http.Transport{DisableCompression: true}}).Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Disposition") == "" {
		res.Body.Close()
		return nil, fmt.Errorf("GET %s: status %d and no file", path, res.StatusCode)
	}
	return res, nil
}

// download reads a file to its end.
func (x *exporter) download(ctx context.Context, s *server, path string) (footprint, error) {
	p := footprint{entries: x.entries}
	var err error
	if p.idle, err = steady(ctx, s.cmd.Process.Pid); err != nil {
		return p, err
	}
	began := time.Now()
	res, err := x.ask(ctx, s, path)
	if err != nil {
		return p, err
	}
	defer res.Body.Close()
	if p.bytes, err = io.Copy(io.Discard, res.Body); err != nil {
		return p, fmt.Errorf("GET %s: %w", path, err)
	}
	p.took = time.Since(began)
	p.peak, p.program, err = most(s.cmd.Process.Pid)
	return p, err
}

// cut goes away after so many bytes of a file, and returns how long its query went on.
func (x *exporter) cut(ctx context.Context, s *server, path string, after int64) (time.Duration, error) {
	res, err := x.ask(ctx, s, path)
	if err != nil {
		return 0, err
	}
	_, err = io.CopyN(io.Discard, res.Body, after)
	res.Body.Close()
	if err != nil {
		return 0, fmt.Errorf("GET %s: %w", path, err)
	}
	began := time.Now()
	for {
		var reading int64
		err := x.g.WithContext(ctx).Raw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND query LIKE '%FROM entries e%' AND state <> 'idle'`).Scan(&reading).Error
		switch took := time.Since(began); {
		case err != nil:
			return 0, err
		case reading == 0:
			return max(took, time.Millisecond), nil
		case took > 30*time.Second:
			return 0, errors.New("the query goes on 30 s after its reader went away")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// steady waits until a process has taken no more memory for a second, and begins to look for its peak anew.
func steady(ctx context.Context, pid int) (int64, error) {
	last, same := int64(0), 0
	for same < 5 {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		now, err := memory(pid, "VmRSS")
		if err != nil {
			return 0, err
		}
		if same++; now > last+last/50 {
			same = 0
		}
		last = max(last, now)
	}
	// 5: the peak is what it is now.
	return last, os.WriteFile(filepath.Join("/proc", strconv.Itoa(pid), "clear_refs"), []byte("5"), 0o200)
}

// most is the most memory that a process took since steady, and what of it maps its program.
func most(pid int) (peak, program int64, err error) {
	if peak, err = memory(pid, "VmHWM"); err != nil {
		return 0, 0, err
	}
	program, err = memory(pid, "RssFile")
	return peak, program, err
}

// memory reads one figure of a process's memory, in bytes: VmRSS is what it takes, VmHWM the most it ever took, RssFile what of it maps
// files.
func memory(pid int, name string) (int64, error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("the status of process %d has no %s", pid, name)
}

// printFootprints shows what the files took; an error where one took too much.
func printFootprints(w io.Writer, all []footprint) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "entries\tformat\tway\tfile MB\tseconds\tidle MB\tpeak MB\tabove idle\tits program\tend of a cut query\t")
	mb := func(n int64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) }
	over := 0
	for _, p := range all {
		cut, note := "", ""
		if p.cut > 0 {
			cut = fmt.Sprintf("%d ms", p.cut.Milliseconds())
		}
		if p.peak-p.program > mostMemory {
			note = "over " + mb(mostMemory) + " MB"
			over++
		}
		fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%.1f\t%s\t%s\t%s\t%s\t%s\t%s\n", p.entries, p.format, p.way, mb(p.bytes), p.took.Seconds(), mb(p.idle), mb(p.peak), mb(p.peak-p.idle), mb(p.program), cut, note)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if over > 0 {
		return fmt.Errorf("export: %d of %d files took more than %s MB", over, len(all), mb(mostMemory))
	}
	return nil
}
