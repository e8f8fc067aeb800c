package bulkgrant_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/bulkgrant"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
)

// What the page promises: the same reference is granted once, whatever the file and whatever the account.
func TestAReferenceIsGrantedToOneAccount(t *testing.T) {
	w := newWorld(t, 1000)
	ctx := context.Background()
	if _, err := w.confirm(w.upload(header + "g-1,a,10,paid,x,\n")); err != nil {
		t.Fatal(err)
	}
	other := w.upload(header + "g-1,b,10,paid,x,\n")
	c, err := w.files.Check(ctx, other)
	if err != nil || fmt.Sprint(c.Problems) != "[{2 reference reference_taken a}]" || c.New != 0 {
		t.Fatalf("%+v %v", c, err)
	}
	if _, err := w.files.Confirm(ctx, envelope(), other.ID); !fault.Is(err, bulkgrant.CodeBadLines) {
		t.Errorf("%v", err)
	}
	if got := w.balances(); got != "20 10 10" {
		t.Errorf("balances %s", got)
	}
	for _, statement := range []string{`UPDATE bulk_grant_references SET account_key = 1`, `DELETE FROM bulk_grant_references`, `TRUNCATE bulk_grant_references`} {
		if err := w.G.Exec(statement).Error; err == nil {
			t.Errorf("%s: the database let it through", statement)
		}
	}
	w.whole()
}

// Two files that were confirmed before either was applied give one reference to two accounts: one of them wins.
func TestTwoFilesWithOneReferenceAtOnce(t *testing.T) {
	w := newWorld(t, 1_000_000)
	ctx := context.Background()
	for round := range 5 {
		var files []bulkgrant.File
		for _, account := range []string{"a", "b"} {
			f := w.upload(header + fmt.Sprintf("x%d,%s,10,paid,x,\ny%d,%s,10,paid,x,\n", round, account, round, account))
			if _, err := w.files.Confirm(ctx, envelope(), f.ID); err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		errs := make([]error, len(files))
		var wait sync.WaitGroup
		for i, f := range files {
			wait.Go(func() { _, errs[i] = w.run(f) })
		}
		wait.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("round %d: %v, %v", round, errs[0], errs[1])
		}
		lost, account := 0, "b"
		if errs[1] != nil {
			lost, account = 1, "a"
		}
		if !fault.Is(errs[lost], bulkgrant.CodeBadLines) {
			t.Errorf("%v", errs[lost])
		}
		f, err := w.files.Find(ctx, files[lost].ID)
		if err != nil || f.FailedLine == nil || *f.FailedLine != 2 || *f.FailedProblem != "reference_taken" || *f.FailedValue != account {
			t.Errorf("%+v %v", f, err)
		}
	}
	if a, b := w.Balance(t, "a"), w.Balance(t, "b"); a+b != 20+5*20 {
		t.Errorf("balances %d and %d", a, b)
	}
	w.whole()
}

// Everything that is wrong is named at once: what the text shows, what the accounts show, and what the balance would be.
func TestEverythingWrongIsNamedAtOnce(t *testing.T) {
	w := newWorld(t, 1000)
	ctx := context.Background()
	if _, err := w.confirm(w.upload(header + "g-1,a,10,paid,x,\n")); err != nil {
		t.Fatal(err)
	}
	problems, err := w.files.Examine(ctx, []byte(header+"n1,nobody,5,paid,x,\nn2,no one,1.5,paid,x,\nn3,nobody,,paid,x,\ng-1,b,10,paid,x,\n"+
		fmt.Sprintf("n4,c,%d,paid,x,\nn5,c,9,paid,x,\nn6,c,x,paid,x,\nn7,noone,1,paid,x,\n", int64(math.MaxInt64)-12)))
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, p := range problems {
		got += fmt.Sprintf("%d %s %s; ", p.Line, p.Column, p.Code)
	}
	if want := "2 account unknown_account; 3 account bad_account; 3 amount bad_amount; 4 amount required; 4 account unknown_account; " +
		"5 reference reference_taken; 6 amount too_large; 8 amount bad_amount; 9 account unknown_account; "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// A balance that would not fit is known before anybody confirms.
	f := w.upload(header + fmt.Sprintf("n4,c,%d,paid,x,\nn5,c,1,paid,x,\n", int64(math.MaxInt64)-10))
	c, err := w.files.Check(ctx, f)
	if err != nil || fmt.Sprint(c.Problems) != fmt.Sprintf("[{3 amount balance_too_large %d}]", int64(math.MaxInt64)) {
		t.Errorf("%+v %v", c.Problems, err)
	}
}

func TestLinesSayWhatTheyDoToTheBalance(t *testing.T) {
	w := newWorld(t, 1000)
	f := w.upload(header + "r2,a,5,paid,x,\nr1,a,3,paid,x,\nr3,b,1,paid,x,\n")
	c, err := w.files.Check(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for _, s := range c.States {
		got += fmt.Sprintf("%d %s %d→%d; ", s.Number, s.Standing, s.Before, s.After)
	}
	if want := "2 new 13→18; 3 new 10→13; 4 new 10→11; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Files and single grants count together: what one person gives one account within a day needs a second person above
// the limit, however it is divided.
func TestFilesDoNotGoAroundTheLimit(t *testing.T) {
	w := newWorld(t, 100)
	ctx := context.Background()
	grant := func(who string, amount int64) bool {
		out, err := w.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff(who)}, AccountID: "a", Amount: amount, Category: ledger.Paid})
		if err != nil {
			t.Fatal(err)
		}
		return out.Waiting
	}
	if grant("st_fiona", 60) {
		t.Fatal("60 of 100 waits")
	}
	f := w.upload(header + "r1,b,50,paid,x,\nr2,a,41,paid,x,\n")
	out, err := w.files.Confirm(ctx, envelope(), f.ID)
	var required approval.Required
	if err != nil || !out.Waiting || out.Decode(&required) != nil {
		t.Fatalf("60 and 41 by one person: %+v %v", out, err)
	}
	r, err := w.Requests.Find(ctx, required.ChangeRequest.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.Approve(ctx, approval.Decision{OperationID: ids.New(), Actor: actor.Staff("st_lena"), ID: r.ID, Version: 1, Digest: r.Digest, Reason: "ok"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(f); err != nil {
		t.Fatal(err)
	}
	// What a second person approved does not count; what went alone does.
	if grant("st_fiona", 40) || !grant("st_fiona", 1) {
		t.Error("the room of one person is not the limit less what it gave alone")
	}
	// A file that was confirmed while there was room, and is applied when there is none.
	late := w.upload(header + "q1,b,1,paid,x,\nq2,a,1,paid,x,\n")
	e := ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("st_max")}
	if out, err := w.files.Confirm(ctx, e, late.ID); err != nil || out.Waiting {
		t.Fatalf("%+v %v", out, err)
	}
	if grant("st_max", 100) {
		t.Fatal("100 of 100 waits")
	}
	_, err = w.run(late)
	if bad := fault.As(err); bad == nil || bad.Detail["line"] != 3 || bad.Detail["problem"] != "second_person" {
		t.Errorf("%v", err)
	}
	w.whole()
}
