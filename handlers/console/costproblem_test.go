package console_test

import (
	"context"
	"net/http"
	"regexp"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/decimal"
	"recoup/models/fault"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// A line of a bill that cannot be imported is named with its column, what is wrong and what to do, in the language of who
// reads, before the import and after one that failed.
func TestALineThatCannotBeImportedIsNamed(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	fin := w.as(staff.Finance)
	costs := cost.New(w.Ops)
	const at = "/costs/imports/new"
	upload := func(content string) string {
		t.Helper()
		rec := fin.upload(at, "bill.csv", content, fin.form(at, "source", "farm", "format", "recoup"))
		if rec.Code != http.StatusSeeOther {
			t.Fatalf("%d %s", rec.Code, text(rec.Body.String()))
		}
		return regexp.MustCompile(`^/costs/imports/[0-9a-f-]+`).FindString(rec.Header().Get("Location"))
	}
	const head = "external_id,amount,currency,time\n"
	bill := upload(head + "a,1,USD,2026-11-30T12:00:00Z\nb,2,USD,2026-11-30T12:00:00Z\n")
	fin.sent(bill, fin.form(bill))
	// The record comes in between, by another way and with another amount.
	when := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	if _, err := costs.Record(ctx, cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: []cost.NewRecord{
		{ExternalID: "b", Amount: decimal.FromInt(3), Currency: "USD", Time: when}}}); err != nil {
		t.Fatal(err)
	}
	run, err := w.tasks.Take(ctx, w.count(`SELECT key FROM tasks WHERE state = 'waiting'`), "test")
	if err != nil || run == nil {
		t.Fatal(err)
	}
	_, err = costimport.New(w.Ops, costs, w.tasks).Run(ctx, run)
	f := fault.As(err)
	if f == nil {
		t.Fatal(err)
	}
	if err := run.Fail(ctx, f.Code, f.Error()); err != nil {
		t.Fatal(err)
	}
	broken := upload(head + "c,no,USD,2026-11-30T12:00:00Z\nd,1\n")
	said := func(en bool) {
		t.Helper()
		failed, wrong, list := fin.page(bill), fin.page(broken), fin.page("/costs/imports")
		w.saysNot(failed+list, "cost_conflict")
		if en {
			w.says(failed, "The import failed and nothing of it was recorded. Lines of it were recorded before with other content. Put that right and upload the file again.",
				"Line 3, external_id: b was recorded before with other content, and what is recorded is never changed. Take the line out, or give it an id of its own.")
			w.says(wrong, "nothing can be imported", "Line 2, amount: A decimal number such as 0.01.", "Line 3: It has another number of cells than the header: 2 and not 4.")
			w.says(list, "Lines of it were recorded before with other content.")
			return
		}
		w.says(failed, "取り込みに失敗し、何も登録されませんでした。異なる内容で登録済みの行があります。", "3行目のexternal_id：bは異なる内容で登録済みで")
		w.says(wrong, "2行目のamount：0.01などの小数を入力してください。", "3行目：セルの数が見出し行と異なります（4のところ2）。")
		w.says(list, "異なる内容で登録済みの行があります。")
		w.saysNot(failed+wrong+list, "recorded before", "must be", "line 3")
	}
	said(true)
	fin.japanese()
	said(false)
	if n := w.count(`SELECT count(*) FROM cost_records`); n != 1 {
		t.Errorf("%d records", n)
	}
}
