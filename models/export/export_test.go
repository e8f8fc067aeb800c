package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"recoup/models/export"
	"recoup/models/ledger"
)

func p[T any](v T) *T { return &v }

// entries are two accounts' ledgers with everything that makes files difficult.
func entries() []ledger.Entry {
	at := time.Date(2026, 11, 30, 15, 30, 0, 123456000, time.UTC)
	list := []ledger.Entry{
		{AccountID: "acct:7", Seq: 1, Type: ledger.Grant, Amount: 9007199254740993, BalanceAfter: 9007199254740993, OperationID: "=cmd|' /C calc'!A0",
			Actor: "key:k", Category: p("paid"), Reference: p("+49 (0) 1, \"x\"\nnew line; tag: y")},
		{AccountID: "acct:7", Seq: 2, Type: ledger.Charge, Amount: -40, BalanceAfter: 9007199254740953, JobID: p("j1"), JobAction: p("video_render"), JobUnits: p(int64(60)),
			OperationID: "op-2", Actor: "key:k", Attribution: ledger.Attribution{RuleVersion: p("video_render@v1"), Cohort: p("baseline")}},
		{AccountID: "acct:7", Seq: 3, Type: ledger.Refund, Amount: 40, BalanceAfter: 9007199254740993, JobID: p("j1"), JobAction: p("video_render"), OperationID: "op-3", Actor: "system"},
		{AccountID: "acct:7", Seq: 4, Type: ledger.Reclaim, Amount: -40, BalanceAfter: 9007199254740953, JobID: p("j1"), JobAction: p("video_render"), OperationID: "op-4", Actor: "key:k"},
		{AccountID: "b@x", Seq: 1, Type: ledger.Grant, Amount: 5, BalanceAfter: 5, OperationID: "op-5", Actor: "staff:s", Category: p("goodwill")},
		{AccountID: "b@x", Seq: 2, Type: ledger.Adjustment, Amount: -12, BalanceAfter: -7, OperationID: "op-6", Actor: "staff:s", Reason: p("@SUM(A1)")},
	}
	for i := range list {
		list[i].CreatedAt = at.Add(time.Duration(i) * time.Second)
		list[i].Hash = bytes.Repeat([]byte{byte(i)}, 32)
	}
	return list
}

func write(t *testing.T, f export.Format, zone *time.Location) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := export.New(f, &out, zone)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries() {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tokyo(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(write(t, export.CSV, tokyo(t)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 7 || rows[0][0] != "time (Asia/Tokyo)" {
		t.Fatalf("%d rows, header %v", len(rows), rows[0])
	}
	if got := rows[1][0]; got != "2026-12-01T00:30:00.123456+09:00" {
		t.Errorf("time %s", got)
	}
	for _, c := range []struct {
		row, column int
		want        string
	}{
		{1, 4, "9007199254740993"}, {2, 4, "-40"}, {2, 5, "9007199254740953"}, {1, 9, "'=cmd|' /C calc'!A0"},
		{1, 15, "'+49 (0) 1, \"x\"\nnew line; tag: y"}, {6, 16, "'@SUM(A1)"}, {6, 5, "-7"},
	} {
		if got := rows[c.row][c.column]; got != c.want {
			t.Errorf("row %d column %d: %q, want %q", c.row, c.column, got, c.want)
		}
	}
}

func TestWorkbook(t *testing.T) {
	f, err := excelize.OpenReader(bytes.NewReader(write(t, export.Workbook, tokyo(t))))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	raw := func(cell string) string {
		v, err := f.GetCellValue("Ledger", cell, excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	kind := func(cell string) excelize.CellType {
		k, err := f.GetCellType("Ledger", cell)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if raw("E2") != "9007199254740993" || kind("E2") != excelize.CellTypeInlineString {
		t.Errorf("a number of 16 digits: %q as %v, want exact text", raw("E2"), kind("E2"))
	}
	if raw("E3") != "-40" || kind("E3") == excelize.CellTypeInlineString {
		t.Errorf("an amount: %q as %v, want a number", raw("E3"), kind("E3"))
	}
	if formula, err := f.GetCellFormula("Ledger", "J2"); err != nil || formula != "" || raw("J2") != "=cmd|' /C calc'!A0" {
		t.Errorf("an id that looks like a formula: %q, formula %q", raw("J2"), formula)
	}
	shown, err := f.GetCellValue("Ledger", "A2")
	if err != nil || shown != "2026-12-01 00:30:00" {
		t.Errorf("date %q %v", shown, err)
	}
	rows, err := f.GetRows("Ledger")
	if err != nil || rows[0][len(rows[0])-1] != "utc_offset" || rows[1][len(rows[0])-1] != "+09:00" {
		t.Errorf("what tells equal times apart: %q %q %v", rows[0], rows[1], err)
	}
	panes, err := f.GetPanes("Ledger")
	if err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("panes %+v %v", panes, err)
	}
}

// TestJournalIsReadByHledger lets the real program add up what we wrote.
func TestJournalIsReadByHledger(t *testing.T) {
	bin, err := exec.LookPath("hledger")
	if err != nil {
		if os.Getenv("RECOUP_REQUIRE_BROWSER") != "" {
			t.Fatal("hledger is not installed")
		}
		t.Skip("hledger is not installed: apt-get install hledger")
	}
	file := filepath.Join(t.TempDir(), "ledger.journal")
	if err := os.WriteFile(file, write(t, export.Journal, tokyo(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(bin, append([]string{"-f", file}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("hledger %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("check")
	balances := run("balance", "liabilities:customers", "--flat", "-N", "-O", "csv", "--layout=bare")
	for _, want := range []string{`"liabilities:customers:acct%3A7","credits","-9007199254740953"`, `"liabilities:customers:b@x","credits","7"`} {
		if !strings.Contains(balances, want) {
			t.Errorf("balances lack %s:\n%s", want, balances)
		}
	}
	if tagged := run("register", "tag:job=j1", "-O", "csv"); strings.Count(tagged, "revenue:") != 3 {
		t.Errorf("entries of the job:\n%s", tagged)
	}
}

// Columns stand in their order: readers that stop at the first that is not would lose the widths of the others.
func TestColumnsOfTheWorkbookAreInOrder(t *testing.T) {
	xml := part(t, write(t, export.Workbook, tokyo(t)), "xl/worksheets/sheet1.xml")
	columns := regexp.MustCompile(`<col min="(\d+)"`).FindAllSubmatch(xml, -1)
	if len(columns) < 10 {
		t.Fatalf("%d columns have a width", len(columns))
	}
	for i, m := range columns {
		if string(m[1]) != strconv.Itoa(i+1) {
			t.Errorf("column %s stands at place %d", m[1], i+1)
		}
	}
}

// part is a part of a workbook, which must hold each part once.
func part(t *testing.T, book []byte, name string) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range z.File {
		if seen[f.Name] {
			t.Errorf("two parts are %s", f.Name)
		}
		seen[f.Name] = true
	}
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Any text comes out of a workbook as it went in: what is markup, what spreadsheets would cut off, and what they take for a character's code.
func TestTextsOfTheWorkbook(t *testing.T) {
	texts := []string{"<a href=\"x\">&amp;</a>", "  blanks around\t", "a line\nand another", "_x0041_", "_x0041_x0042_", "a_x005F_b", "_x005F_x0041_", "_x00g1_", "__x0041__",
		"Ünïcode-账户", "レンダー 😀", "=1+1", "'quoted'", "]]>", strings.Repeat("long ", 400)}
	var out bytes.Buffer
	w, err := export.New(export.Workbook, &out, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range texts {
		if err := w.Write(ledger.Entry{AccountID: "a", Type: ledger.Adjustment, CreatedAt: time.Date(2026, 3, 1, 23, 59, 59, 999_999_000, time.UTC), Reason: &s}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	for i, want := range texts {
		if got, err := book.GetCellValue("Ledger", "Q"+strconv.Itoa(i+2)); err != nil || got != want {
			t.Errorf("%q came out as %q, %v", want, got, err)
		}
		if formula, err := book.GetCellFormula("Ledger", "Q"+strconv.Itoa(i+2)); err != nil || formula != "" {
			t.Errorf("%q is the formula %q, %v", want, formula, err)
		}
	}
	if shown, err := book.GetCellValue("Ledger", "A2"); err != nil || shown != "2026-03-01 23:59:59" {
		t.Errorf("the last moment of a day is shown as %q, %v", shown, err)
	}
}
