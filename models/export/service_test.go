package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/export"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/task"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// store is a Service over a database with some entries.
type store struct {
	*modeltest.Models
	t     *testing.T
	tasks *task.Store
	*export.Service
}

var who = actor.Actor{Kind: "staff", ID: "st_1"}

func newStore(t *testing.T, o export.Options) *store {
	t.Helper()
	m := modeltest.Ready(t, modeltest.Fast())
	s := &store{Models: m, t: t, tasks: task.New(m.G, nil)}
	s.Service = export.NewService(m.Ops, s.tasks, m.Ledger, o)
	s.Service.SmallPieces(500)
	m.Account(t, "acct_7", 10_000)
	for i := range 40 {
		m.Charge(t, "acct_7", fmt.Sprintf("job-%02d", i), int64(i+1))
	}
	m.Account(t, "other", 7)
	return s
}

func envelope() ledger.Envelope { return ledger.Envelope{OperationID: ids.New(), Actor: who} }

// ask asks for a file of acct_7.
func (s *store) ask(f export.Format) export.File {
	s.t.Helper()
	id, _, err := s.Start(context.Background(), envelope(), export.Input{Filter: ledger.Filter{AccountID: "acct_7"}, Format: f, Zone: "Asia/Tokyo", Of: "acct_7_all", Page: "/accounts/acct_7"})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.find(id)
}

func (s *store) find(id string) export.File {
	s.t.Helper()
	f, err := s.Find(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

func (s *store) take(f export.File, worker string) *task.Run {
	s.t.Helper()
	run, err := s.tasks.Take(context.Background(), f.Key, worker)
	if err != nil || run == nil {
		s.t.Fatalf("take: %v %v", run, err)
	}
	return run
}

// made writes a file as a worker does.
func (s *store) made(f export.File) export.File {
	s.t.Helper()
	run := s.take(f, "w")
	result, err := s.Run(context.Background(), run)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := run.Finish(context.Background(), result); err != nil {
		s.t.Fatal(err)
	}
	return s.find(f.ID)
}

func (s *store) read(f export.File) []byte {
	s.t.Helper()
	var b bytes.Buffer
	if err := s.Send(context.Background(), f, &b); err != nil {
		s.t.Fatal(err)
	}
	return b.Bytes()
}

func (s *store) count(query string, args ...any) (n int64) {
	s.t.Helper()
	if err := s.G.Raw(query, args...).Scan(&n).Error; err != nil {
		s.t.Fatal(err)
	}
	return n
}

// direct is the same file written straight to a buffer.
func (s *store) direct(f export.Format) []byte {
	s.t.Helper()
	zone, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		s.t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := export.New(f, &b, zone)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.Ledger.Each(context.Background(), ledger.Filter{AccountID: "acct_7"}, f.OldestFirst(), w.Write); err != nil {
		s.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		s.t.Fatal(err)
	}
	return b.Bytes()
}

func TestFileOfTheBackgroundIsTheDirectOne(t *testing.T) {
	s := newStore(t, export.Options{})
	for _, format := range []export.Format{export.CSV, export.Journal} {
		f := s.made(s.ask(format))
		got := s.read(f)
		if !bytes.Equal(got, s.direct(format)) {
			t.Errorf("%s: the file of the background is another one", format)
		}
		r := f.Result
		if r.Entries != 41 || r.Bytes != int64(len(got)) || r.Pieces < 3 || r.Packed > int64(r.Pieces)*500 {
			t.Errorf("%s: %+v for %d bytes", format, r, len(got))
		}
		if want := []export.Total{{Type: ledger.Grant, Entries: 1, Credits: "10000"}, {Type: ledger.Charge, Entries: 40, Credits: "-820"}}; !slices.Equal(r.Totals, want) {
			t.Errorf("%s: totals %v", format, r.Totals)
		}
		if !f.Ready(time.Now()) || !strings.HasPrefix(f.Name(), "recoup_acct_7_all_Asia-Tokyo_41-entries_at_") || !strings.HasSuffix(f.Name(), "+0900."+string(format)) {
			t.Errorf("ready %t, %s", f.Ready(time.Now()), f.Name())
		}
	}
	f := s.made(s.ask(export.Workbook))
	book, err := excelize.OpenReader(bytes.NewReader(s.read(f)))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if rows, err := book.GetRows("Ledger"); err != nil || len(rows) != 42 {
		t.Errorf("%d rows in the workbook, %v", len(rows), err)
	}
}

// A worker that was killed in the middle is followed by another, which begins anew and replaces what the first one left, and whatever the
// first still does afterwards ends up in no file.
func TestKilledWorkerIsReplaced(t *testing.T) {
	s := newStore(t, export.Options{})
	f := s.ask(export.CSV)
	first := s.take(f, "w1")
	// It dies while it stores its third piece.
	ctx, kill := context.WithCancel(context.Background())
	s.AfterPiece(func(n int) {
		if n == 2 {
			kill()
		}
	})
	if _, err := s.Run(ctx, first); err == nil {
		t.Fatal("the first run was to be killed")
	}
	s.AfterPiece(nil)
	// What a kill leaves, which cannot tidy up.
	if err := s.G.Exec(`INSERT INTO export_chunks SELECT ?, 1, n, 'left' FROM generate_series(0, 2) n`, f.Key).Error; err != nil {
		t.Fatal(err)
	}
	if err := s.G.Exec(`UPDATE tasks SET due_at = now() - interval '1 second' WHERE key = ?`, f.Key).Error; err != nil {
		t.Fatal(err)
	}
	done := s.made(f)
	if done.Result.Try != 2 || !bytes.Equal(s.read(done), s.direct(export.CSV)) {
		t.Errorf("try %d, or another file", done.Result.Try)
	}
	if n := s.count(`SELECT count(*) FROM export_chunks WHERE try = 1`); n != 0 {
		t.Errorf("%d pieces of the first try are left", n)
	}
	// The first worker was only slow: it finds out at its next piece and leaves nothing.
	if _, err := s.Run(context.Background(), first); !errors.Is(err, task.ErrStopped) {
		t.Errorf("the superseded run: %v", err)
	}
	if !bytes.Equal(s.read(s.find(f.ID)), s.direct(export.CSV)) {
		t.Error("the superseded run changed the file")
	}
}

func TestCanceledExportLeavesNothing(t *testing.T) {
	s := newStore(t, export.Options{})
	f := s.ask(export.CSV)
	run := s.take(f, "w")
	s.AfterPiece(func(n int) {
		if n == 2 {
			if _, err := s.Cancel(context.Background(), envelope(), f.ID); err != nil {
				t.Error(err)
			}
		}
	})
	if _, err := s.Run(context.Background(), run); !errors.Is(err, task.ErrStopped) {
		t.Errorf("a canceled run: %v", err)
	}
	if n := s.count(`SELECT count(*) FROM export_chunks`); n != 0 {
		t.Errorf("%d pieces are left", n)
	}
	if got := s.find(f.ID); got.State != task.Canceled || got.Ready(time.Now()) {
		t.Errorf("%s", got.State)
	}
	_, err := s.Cancel(context.Background(), envelope(), f.ID)
	if !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("canceled twice: %v", err)
	}
}

func TestStorageIsBounded(t *testing.T) {
	s := newStore(t, export.Options{})
	first := s.made(s.ask(export.CSV))
	// Room for one and a half such files.
	s.Service = export.NewService(s.Ops, s.tasks, s.Ledger, export.Options{Storage: first.Result.Packed * 3 / 2})
	s.Service.SmallPieces(500)
	_, err := s.Run(context.Background(), s.take(s.ask(export.CSV), "w"))
	if !fault.Is(err, export.CodeStorageFull) {
		t.Errorf("a second file: %v", err)
	}
	if n := s.count(`SELECT count(DISTINCT task_key) FROM export_chunks`); n != 1 {
		t.Errorf("pieces of %d files are kept", n)
	}
	// The first one is as it was, and its end makes room.
	s.read(first)
	if err := s.G.Exec(`UPDATE tasks SET expires_at = now() - interval '1 second' WHERE key = ?`, first.Key).Error; err != nil {
		t.Fatal(err)
	}
	if n, err := s.DeleteExpired(context.Background()); err != nil || n != int64(first.Result.Pieces) {
		t.Errorf("%d pieces removed, %v", n, err)
	}
	gone := s.find(first.ID)
	if !gone.Gone(time.Now()) || gone.Ready(time.Now()) || s.Send(context.Background(), gone, &bytes.Buffer{}) == nil {
		t.Error("an expired file can be read")
	}
	s.read(s.made(s.ask(export.CSV)))
}

// Expiry removes nothing but what is to go.
func TestExpiryKeepsTheRest(t *testing.T) {
	s := newStore(t, export.Options{Keep: time.Hour})
	kept := s.made(s.ask(export.CSV))
	running := s.ask(export.CSV)
	s.take(running, "w")
	if err := s.G.Exec(`INSERT INTO export_chunks VALUES (?, 1, 0, 'x')`, running.Key).Error; err != nil {
		t.Fatal(err)
	}
	if n, err := s.DeleteExpired(context.Background()); err != nil || n != 0 {
		t.Errorf("%d pieces removed, %v", n, err)
	}
	s.read(kept)
	if left := kept.Expires(time.Now()); left < 59*time.Minute || left > time.Hour {
		t.Errorf("expires in %v", left)
	}
}

func TestExportIsAnOperation(t *testing.T) {
	s := newStore(t, export.Options{})
	e := envelope()
	in := export.Input{Filter: ledger.Filter{AccountID: "acct_7"}, Format: export.CSV, Zone: "UTC", Of: "acct_7_all", Page: "/accounts/acct_7"}
	first, _, err := s.Start(context.Background(), e, in)
	if err != nil {
		t.Fatal(err)
	}
	second, out, err := s.Start(context.Background(), e, in)
	if err != nil || second != first || !out.Replayed {
		t.Errorf("sent twice: %s and %s, %+v, %v", first, second, out, err)
	}
	in.Format = export.Journal
	if _, _, err := s.Start(context.Background(), e, in); !fault.Is(err, fault.CodeOperationConflict) {
		t.Errorf("another format under the same id: %v", err)
	}
	if n := s.count(`SELECT count(*) FROM tasks`); n != 1 {
		t.Errorf("%d tasks", n)
	}
	rows, err := audit.Of(context.Background(), s.G, "account:acct_7", 10)
	if err != nil {
		t.Fatal(err)
	}
	rows = slices.DeleteFunc(rows, func(r audit.Stored) bool { return r.Action != ledger.ActionExport || r.Outcome != "done" })
	if len(rows) != 1 || rows[0].After == nil || !strings.Contains(*rows[0].After, first) || rows[0].OperationID != e.OperationID {
		t.Errorf("audit: %+v", rows)
	}
	mine, err := s.List(context.Background(), who.String(), 10)
	if err != nil || len(mine) != 1 || mine[0].ID != first {
		t.Errorf("mine: %v %v", mine, err)
	}
	if theirs, err := s.List(context.Background(), "staff:st_2", 10); err != nil || len(theirs) != 0 {
		t.Errorf("theirs: %v %v", theirs, err)
	}
}

// More entries than a sheet holds go on on the next one, under the same frozen header.
func TestWorkbookGoesOnOnTheNextSheet(t *testing.T) {
	var out bytes.Buffer
	w, err := export.NewSmallWorkbook(&out, time.UTC, 4)
	if err != nil {
		t.Fatal(err)
	}
	list := entries()
	for range 3 {
		for _, e := range list {
			if err := w.Write(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// Sheets that are selected together would be changed together.
	for number := 1; number <= 5; number++ {
		selected := bytes.Contains(part(t, out.Bytes(), fmt.Sprintf("xl/worksheets/sheet%d.xml", number)), []byte(`tabSelected="1"`)) ||
			bytes.Contains(part(t, out.Bytes(), fmt.Sprintf("xl/worksheets/sheet%d.xml", number)), []byte(`tabSelected="true"`))
		if selected != (number == 1) {
			t.Errorf("sheet %d is selected: %v", number, selected)
		}
	}
	book, err := excelize.OpenReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if got, want := book.GetSheetList(), []string{"Ledger", "Ledger 2", "Ledger 3", "Ledger 4", "Ledger 5"}; !slices.Equal(got, want) {
		t.Fatalf("sheets %v", got)
	}
	total := 0
	for _, name := range book.GetSheetList() {
		rows, err := book.GetRows(name)
		if err != nil || len(rows) > 5 || rows[0][1] != "account" {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		if panes, err := book.GetPanes(name); err != nil || !panes.Freeze || panes.YSplit != 1 {
			t.Errorf("%s: panes %+v %v", name, panes, err)
		}
		total += len(rows) - 1
	}
	if total != 18 {
		t.Errorf("%d entries on all sheets, want 18", total)
	}
}

// What is written must be one row a line whatever stands in it, or a file cut in pieces could hide a lost one.
func TestPiecesJoinWithoutALoss(t *testing.T) {
	s := newStore(t, export.Options{})
	f := s.made(s.ask(export.CSV))
	rows, err := csv.NewReader(bytes.NewReader(s.read(f))).ReadAll()
	if err != nil || len(rows) != 42 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range rows[1:] {
		if want := fmt.Sprint(41 - i); r[2] != want {
			t.Fatalf("row %d has seq %s, want %s", i, r[2], want)
		}
	}
	if err := s.G.Exec(`DELETE FROM export_chunks WHERE task_key = ? AND number = 1`, f.Key).Error; err != nil {
		t.Fatal(err)
	}
	if err := s.Send(context.Background(), f, &bytes.Buffer{}); err == nil {
		t.Error("a file with a gap was sent as whole")
	}
}
