package bulkgrant_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/bulkgrant"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/task"
	"recoup/models/verify"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

type world struct {
	t testing.TB
	*modeltest.Models
	tasks *task.Store
	files *bulkgrant.Store
	desk  *approval.Desk
}

func newWorld(t testing.TB, limit int64) world {
	t.Helper()
	g := modeltest.DB(t)
	w := world{t: t, Models: modeltest.New(t, g, modeltest.Fast(), modeltest.Limit(g, limit)), tasks: task.New(g, nil)}
	w.files = bulkgrant.New(w.Ops, w.Ledger, w.Requests, w.tasks)
	w.desk = approval.NewDesk(w.Ops, w.files.Executors())
	for _, a := range []string{"a", "b", "c"} {
		w.Account(t, a, 10)
	}
	return w
}

const header = "reference,account,amount,category,reason,external_reference\n"

func envelope() ledger.Envelope {
	return ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("st_fiona")}
}

func (w world) upload(content string) bulkgrant.File {
	w.t.Helper()
	out, err := w.files.Upload(context.Background(), envelope(), "march.csv", []byte(content))
	if err != nil {
		w.t.Fatal(err)
	}
	var up bulkgrant.Uploaded
	if err := out.Decode(&up); err != nil {
		w.t.Fatal(err)
	}
	f, err := w.files.Find(context.Background(), up.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

// confirm confirms a file that needs no second person and runs its task.
func (w world) confirm(f bulkgrant.File) (any, error) {
	w.t.Helper()
	out, err := w.files.Confirm(context.Background(), envelope(), f.ID)
	if err != nil {
		return nil, err
	}
	if out.Waiting {
		w.t.Fatalf("it waits: %s", out.Result)
	}
	return w.run(f)
}

func (w world) run(f bulkgrant.File) (any, error) {
	w.t.Helper()
	ctx := context.Background()
	f, err := w.files.Find(ctx, f.ID)
	if err != nil || f.TaskID == nil {
		w.t.Fatalf("no task of %+v, %v", f, err)
	}
	t, err := w.tasks.Find(ctx, *f.TaskID)
	if err != nil {
		w.t.Fatal(err)
	}
	run, err := w.tasks.Take(ctx, t.Key, "w")
	if err != nil || run == nil {
		w.t.Fatalf("task not taken: %v", err)
	}
	return w.files.Run(ctx, run)
}

func (w world) balances() string {
	return fmt.Sprint(w.Balance(w.t, "a"), w.Balance(w.t, "b"), w.Balance(w.t, "c"))
}

func (w world) whole() {
	w.t.Helper()
	report, err := verify.New(w.G).Run(context.Background(), verify.Options{})
	if err != nil || !report.OK() {
		w.t.Errorf("verify: %+v %v", report, err)
	}
}

func TestReading(t *testing.T) {
	const one = "r1,a,5,paid,x,\n"
	for name, x := range map[string]struct {
		content string
		lines   int
		want    string // line column code of each problem
	}{
		"plain":               {header + one + "r2,b,7,goodwill,\"sorry, and \"\"more\"\"\",INV-1\n", 2, ""},
		"byte order mark":     {"\xef\xbb\xbf" + header + one, 1, ""},
		"semicolons, CRLF":    {"Reference;Account;Amount;Category;Reason\r\nr1;a;5;paid;\"x;y\"\r\n", 1, ""},
		"other order":         {"reason,category,amount,account,reference\nx,paid,5,a,r1\n", 1, ""},
		"a reason over lines": {header + "r1,a,5,paid,\"x\ny\",\nr2,a,0,paid,x,\n", 2, "4 amount bad_amount"},
		"empty":               {"", 0, "1  no_header"},
		"header alone":        {header, 0, "0  empty_file"},
		"no text":             {header + "r1,a,5,paid,\xff,\n", 0, "0  not_text"},
		"UTF-16":              {"\xff\xfer\x00e\x00", 0, "0  not_text"},
		"columns":             {"reference,account,amount,amount,price\n", 0, "1 amount double_column, 1 price unknown_column, 1 category missing_column, 1 reason missing_column"},
		"short line":          {header + "r1,a,5\n" + one, 1, "2  broken_line"},
		"open quote":          {header + one + "r2,a,5,paid,\"x\n", 1, "3  broken_line"},
		"open quote first":    {header + "r1,a,5,paid,\"x\nr2,a,0,paid,x,\nr3,a,5,paid,x,\n", 2, "2  broken_line, 3 amount bad_amount"},
		"quote within":        {header + "r1,a,5,paid,x\"y,\nr2,a,5,paid,\"x\"y,\nr3,a,0,paid,x,\n", 1, "2  broken_line, 3  broken_line, 4 amount bad_amount"},
		"blanks around ids":   {header + "r1, a,5,paid,x,\n r2,a,5,paid,x,\nr3,a , 5 , paid ,x,\n", 3, "2 account bad_account, 3 reference bad_reference, 4 account bad_account"},
		"values": {header + ",a,5,paid,x,\nr 2,a,5,paid,x,\nr3,a b,5,paid,x,\nr4,a,1.5,paid,x,\nr5,a,-5,paid,x,\nr6,a,5,gift,x,\nr7,a,5,paid,,\nr8,a,9223372036854775808,paid,x,\n", 8,
			"2 reference required, 3 reference bad_reference, 4 account bad_account, 5 amount bad_amount, 6 amount bad_amount, 7 category bad_category, 8 reason required, 9 amount bad_amount"},
		"long reason":      {header + "r1,a,5,paid," + strings.Repeat("x", 501) + ",\n", 1, "2 reason too_long"},
		"double reference": {header + one + "r1,b,5,paid,x,\n", 2, "3 reference double_reference"},
		"sum":              {header + "r1,a,9223372036854775807,paid,x,\nr2,a,1,paid,x,\nr3,a,0,paid,x,\n", 3, "3 amount too_large, 4 amount bad_amount"},
		"full width":       {header + "r1,a,１０,paid,x,\n", 1, ""},
		"NUL":              {header + one + "r2,a,5,paid,x\x00,\n", 0, "3  control_characters"},
		"nothing to see":   {header + "r1,a,5,paid,\u200b,\n", 1, "2 reason required"},
		"formula":          {header + "=1+1,a,5,paid,=cmd,\n", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			lines, problems := bulkgrant.Read([]byte(x.content))
			var got []string
			for _, p := range problems {
				got = append(got, fmt.Sprintf("%d %s %s", p.Line, p.Column, p.Code))
			}
			if strings.Join(got, ", ") != x.want || len(lines) != x.lines {
				t.Errorf("%d lines, problems %q; want %d, %q", len(lines), strings.Join(got, ", "), x.lines, x.want)
			}
		})
	}
	var b strings.Builder
	b.WriteString(header)
	for i := range bulkgrant.MaxLines + 1 {
		fmt.Fprintf(&b, "r%d,a,1,paid,x,\n", i)
	}
	open := header + strings.Repeat("r,a,1,paid,\"x\n", 300)
	if _, problems := bulkgrant.Read([]byte(open)); problems[len(problems)-1].Code != "not_read_on" {
		t.Errorf("it does not say where reading ended: %v", problems[len(problems)-1])
	}
	if lines, problems := bulkgrant.Read([]byte(b.String())); len(lines) != bulkgrant.MaxLines || len(problems) != 1 || problems[0].Code != "too_many_lines" {
		t.Errorf("%d lines, %v", len(lines), problems)
	}
}

func TestTheSameFileTwiceHasOneEffect(t *testing.T) {
	w := newWorld(t, 1000)
	ctx := context.Background()
	// One line was granted through the API before, under the same reference.
	if _, err := w.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: ledger.Envelope{OperationID: "r2", Actor: actor.Key("k")}, AccountID: "b", Amount: 7, Category: ledger.Goodwill, Reason: "sorry"}); err != nil {
		t.Fatal(err)
	}
	const content = header + "r1,b,5,paid,x,INV-1\nr2,b,7,goodwill,sorry,\nr3,a,1,promotion,y,\nr4,b,2,paid,x,\n"
	f := w.upload(content)
	c, err := w.files.Check(ctx, f)
	if err != nil || c.New != 3 || c.Done != 1 || c.NewCredits != 8 || len(c.Problems) != 0 {
		t.Fatalf("%+v %v", c, err)
	}
	result, err := w.confirm(f)
	if err != nil || result != (bulkgrant.Result{BulkGrant: f.ID, Granted: 3, Done: 1, Credits: 8}) {
		t.Fatalf("%+v %v", result, err)
	}
	if got := w.balances(); got != "11 24 10" {
		t.Errorf("balances %s", got)
	}
	_, err = w.files.Confirm(ctx, envelope(), f.ID)
	if !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("confirmed twice: %v", err)
	}
	again := w.upload(content)
	if c, err := w.files.Check(ctx, again); err != nil || c.New != 0 || c.Done != 4 {
		t.Errorf("%+v %v", c, err)
	}
	if result, err := w.confirm(again); err != nil || result.(bulkgrant.Result).Granted != 0 {
		t.Errorf("%+v %v", result, err)
	}
	if got := w.balances(); got != "11 24 10" {
		t.Errorf("balances %s after the same file again", got)
	}
	// A line sent through the API now is a replay, with the entry of the file and its uploader.
	out, err := w.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: ledger.Envelope{OperationID: "r1", Actor: actor.Key("k")}, AccountID: "b", Amount: 5, Category: ledger.Paid, Reference: "INV-1", Reason: "x"})
	if err != nil || !out.Replayed {
		t.Errorf("%+v %v", out, err)
	}
	w.whole()
}

func TestAllOrNothing(t *testing.T) {
	w := newWorld(t, 1000)
	ctx := context.Background()
	f := w.upload(header + "r1,a,5,paid,x,\nr2,b,5,paid,x,\nr3,c,5,paid,x,\n")
	if _, err := w.files.Confirm(ctx, envelope(), f.ID); err != nil {
		t.Fatal(err)
	}
	// Between confirmation and run somebody uses a reference for something else.
	if _, err := w.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: ledger.Envelope{OperationID: "r3", Actor: actor.Key("k")}, AccountID: "c", Amount: 6, Category: ledger.Paid}); err != nil {
		t.Fatal(err)
	}
	_, err := w.run(f)
	if f := fault.As(err); f == nil || f.Code != bulkgrant.CodeBadLines || f.Detail["line"] != 4 {
		t.Errorf("%v", err)
	}
	if got := w.balances(); got != "10 10 16" {
		t.Errorf("balances %s: a part of the file was applied", got)
	}
	// Such files are told before they are confirmed, each line by its number.
	next := w.upload(header + "r1,a,5,paid,x,\nr3,c,5,paid,x,\nr9,nobody,5,paid,x,\n")
	c, err := w.files.Check(ctx, next)
	if err != nil || fmt.Sprint(c.Problems) != "[{3 reference conflict r3} {4 account unknown_account nobody}]" || c.New != 1 {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := w.files.Confirm(ctx, envelope(), next.ID); !fault.Is(err, bulkgrant.CodeBadLines) {
		t.Errorf("%v", err)
	}
	w.whole()
}

func TestAboveTheLimitAFileWaitsForASecondPerson(t *testing.T) {
	w := newWorld(t, 10)
	ctx := context.Background()
	f := w.upload(header + "r1,a,6,paid,x,\nr2,b,5,paid,x,\n")
	e := envelope()
	out, err := w.files.Confirm(ctx, e, f.ID)
	var required approval.Required
	if err != nil || !out.Waiting || out.Decode(&required) != nil {
		t.Fatalf("%+v %v", out, err)
	}
	if again, err := w.files.Confirm(ctx, e, f.ID); err != nil || !again.Waiting || string(again.Result) != string(out.Result) {
		t.Errorf("a double click: %+v %v", again, err)
	}
	r, err := w.Requests.Find(ctx, required.ChangeRequest.ID)
	if err != nil {
		t.Fatal(err)
	}
	in := approval.Decision{OperationID: ids.New(), Actor: actor.Staff("st_fiona"), ID: r.ID, Version: 1, Digest: r.Digest, Reason: "ok"}
	if _, err := w.desk.Approve(ctx, in); !fault.Is(err, approval.CodeOwnRequest) {
		t.Errorf("whoever uploaded approved: %v", err)
	}
	in.Actor = actor.Staff("st_lena")
	if _, err := w.desk.Approve(ctx, in); err != nil {
		t.Fatal(err)
	}
	if result, err := w.run(f); err != nil || result.(bulkgrant.Result).Granted != 2 {
		t.Fatalf("%+v %v", result, err)
	}
	if got := w.balances(); got != "16 15 10" {
		t.Errorf("balances %s", got)
	}
	if done, err := w.files.Confirm(ctx, e, f.ID); err != nil || !done.Replayed || done.Waiting {
		t.Errorf("the confirmation again: %+v %v", done, err)
	}
	w.whole()
}

// Two files with the same lines and single grants of the same references at once: each reference once, no deadlock.
func TestFilesAtOnce(t *testing.T) {
	w := newWorld(t, 1_000_000)
	ctx := context.Background()
	var forth, back strings.Builder
	forth.WriteString(header)
	back.WriteString(header)
	const n = 120
	line := func(i int) string { return fmt.Sprintf("r%03d,%c,1,paid,x,\n", i, 'a'+rune(i%3)) }
	for i := range n {
		forth.WriteString(line(i))
		back.WriteString(line(n - 1 - i))
	}
	files := []bulkgrant.File{w.upload(forth.String()), w.upload(back.String())}
	for _, f := range files {
		if _, err := w.files.Confirm(ctx, envelope(), f.ID); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	for _, f := range files {
		wait.Go(func() {
			if _, err := w.run(f); err != nil {
				t.Errorf("%v", err)
			}
		})
	}
	for i := n - 1; i >= 0; i -= 7 {
		wait.Go(func() {
			_, err := w.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: ledger.Envelope{OperationID: fmt.Sprintf("r%03d", i), Actor: actor.Key("k")},
				AccountID: string('a' + rune(i%3)), Amount: 1, Category: ledger.Paid, Reason: "x"})
			if err != nil && !fault.Is(err, fault.CodeOperationInProgress) {
				t.Errorf("grant %d: %v", i, err)
			}
		})
	}
	wait.Wait()
	if got := w.balances(); got != "50 50 50" {
		t.Errorf("balances %s", got)
	}
	w.whole()
}

func TestUploads(t *testing.T) {
	w := newWorld(t, 1000)
	ctx := context.Background()
	if _, err := w.files.Upload(ctx, envelope(), "x.csv", []byte(header)); !fault.Is(err, fault.CodeInvalid) {
		t.Errorf("an empty file: %v", err)
	}
	e := envelope()
	content := []byte(header + "r1,a,5,paid,x,\n")
	first, err := w.files.Upload(ctx, e, "x.csv", content)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.files.Upload(ctx, e, "x.csv", content); err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("%+v %v", again, err)
	}
	for _, id := range []string{"", "bg_", "bg_aaaaaaaaaaaaaaaa", "\x00"} {
		if _, err := w.files.Find(ctx, id); !fault.Is(err, bulkgrant.CodeNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if list, err := w.files.List(ctx, 10); err != nil || len(list) != 1 || list[0].Name != "x.csv" || list[0].Credits != 5 {
		t.Errorf("%+v %v", list, err)
	}
	for _, statement := range []string{`UPDATE bulk_grants SET lines = '[]'`, `DELETE FROM bulk_grants`, `TRUNCATE bulk_grants`} {
		if err := w.G.Exec(statement).Error; err == nil {
			t.Errorf("%s: the database let it through", statement)
		}
	}
}
