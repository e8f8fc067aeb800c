package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"recoup/models/export"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// decoded reads the stored result of an operation.
func decoded[T any](t *testing.T, out interface{ Decode(any) error }, err error) T {
	t.Helper()
	var v T
	if err == nil {
		err = out.Decode(&v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// paperPages makes what finance staff leave behind in a day and returns its pages: a note to strike, files that are
// written and that wait to be, and a file of grants that waits for a second person.
func (w *world) paperPages() []string {
	w.t.Helper()
	ctx := context.Background()
	note, err := w.Ledger.AddNote(ctx, ledger.NoteRequest{Envelope: modeltest.Envelope(), AccountID: "aurora-films", Text: "Pays by bank transfer; asks before every renewal."})
	key := decoded[struct {
		Note json.Number `json:"note"`
	}](w.t, &note, err).Note
	ask := func(format export.Format) string {
		id, _, err := w.exports.Start(ctx, modeltest.Envelope(), export.Input{Filter: ledger.Filter{AccountID: "aurora-films"}, Format: format, Zone: "Asia/Tokyo", Of: "account_aurora-films", Page: "/ledger?account=aurora-films"})
		if err != nil {
			w.t.Fatal(err)
		}
		return "/exports/" + id
	}
	written := ask(export.CSV)
	w.work()
	waiting := ask(export.Workbook)
	file := []byte("reference,account,amount,category,reason\n")
	for i := range 3 {
		file = fmt.Appendf(file, "yearly_plan-%d,aurora-films,%d,promotion,Anniversary present of %d\n", i, 4_503_599_627_370, time.Now().Year())
	}
	uploaded, err := w.bulk.Upload(ctx, modeltest.Envelope(), "anniversary.csv", file)
	bulk := decoded[struct {
		ID string `json:"bulk_grant"`
	}](w.t, &uploaded, err).ID
	if out, err := w.bulk.Confirm(ctx, modeltest.Envelope(), bulk); err != nil || !out.Waiting {
		w.t.Fatalf("a file above the limit: %+v, %v", out, err)
	}
	return []string{"/accounts/aurora-films/entries/1", "/accounts/aurora-films/balance", "/accounts/zephyr-audio/balance",
		"/accounts/aurora-films/notes/" + key.String() + "/strike", written, waiting, waiting + "/cancel", "/grants/import/" + bulk}
}
