package console_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
	"recoup/models/staff"
)

// The page of an entry says everything that caused it, whatever type it has.
func TestEntryPage(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.Account(t, "acct_7", 1000)
	c := w.charged("acct_7", "j1", 40)
	if _, err := w.Jobs.Fail(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Transient, Code: "upstream_timeout", Message: "no answer"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken}); err != nil {
		t.Fatal(err)
	}
	fin := w.as(staff.Finance)
	fin.sent("/accounts/acct_7/adjustments", fin.form("/accounts/acct_7/adjustments", "amount", "-7", "reason", "counted twice", "reference", "T-9"))
	list, err := w.Ledger.List(ctx, ledger.Filter{AccountID: "acct_7"}, nil, page.Older, 10)
	if err != nil || len(list.Rows) != 5 {
		t.Fatal(len(list.Rows), err)
	}
	b := w.as(staff.Viewer)
	statement, all := b.page("/accounts/acct_7"), b.page("/ledger")
	before := map[int64][]string{
		1: {"Entry 1: Grant +1,000", "0 → becomes 1,000", "Category Paid", "This operation was not priced", strings.Repeat("0", 64)},
		2: {"Entry 2: Charge −40", "1,000 → becomes 960", "The job was charged", "video_render@v1", "Frozen"},
		3: {"Entry 3: Refund +40", "960 → becomes 1,000", "Attempt 1 failed", "upstream_timeout", "All entries of this job Net, credits −40 2 Charge"},
		4: {"Entry 4: Reclaim −40", "1,000 → becomes 960", "2 Charge", "3 Refund", "4 Reclaim"},
		5: {"Entry 5: Adjustment −7", "960 → becomes 953", "counted twice", "T-9", "Pat finance"},
	}
	for i, e := range list.Rows {
		path := fmt.Sprintf("/accounts/acct_7/entries/%d", e.Seq)
		for _, list := range []string{statement, all} {
			if !strings.Contains(list, `href="`+path+`" data-dialog`) {
				t.Errorf("no row leads to %s", path)
			}
		}
		page := b.page(path)
		w.says(page, before[e.Seq]...)
		w.says(page, hex.EncodeToString(e.Hash), "Consistent")
		if i+1 < len(list.Rows) {
			w.says(page, hex.EncodeToString(list.Rows[i+1].Hash))
		}
		if e.Type != ledger.Grant && e.Type != ledger.Adjustment {
			w.says(page, "j1", "What wrote it")
		}
		for _, part := range []string{`id="panel"`, "op", `title="` + e.OperationID + `"`} {
			if !strings.Contains(page, part) {
				t.Errorf("%s lacks %s", path, part)
			}
		}
		if (follow(page, "prev") != "") != (e.Seq > 1) || (follow(page, "next") != "") != (e.Seq < 5) {
			t.Errorf("%s: neighbours %q %q", path, follow(page, "prev"), follow(page, "next"))
		}
		w.saysNot(page, "⟦", "Inconsistent")
	}
	for _, seq := range []string{"0", "6", "-1", "x", "9223372036854775807", "99999999999999999999", "1e1", "%00"} {
		if rec := b.get("/accounts/acct_7/entries/" + seq); rec.Code != http.StatusNotFound && rec.Code != http.StatusBadRequest {
			t.Errorf("entry %s: %d", seq, rec.Code)
		}
	}
	// The owner of the table changes one field: the hash no longer fits.
	pool, err := w.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(`ALTER TABLE entries DISABLE TRIGGER USER; UPDATE entries SET operation_id = 'other' WHERE seq = 3`); err != nil {
		t.Fatal(err)
	}
	w.says(b.page("/accounts/acct_7/entries/3"), "Inconsistent", "a row was changed from outside")
	w.says(b.page("/accounts/acct_7/entries/2"), "Consistent")
}

// What the hash does not cover is held against the operation: a reason that was rewritten is no longer shown as sound.
func TestEntryPageHoldsTheEntryAgainstItsOperation(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	fin := w.as(staff.Finance)
	fin.sent("/accounts/acct_7/adjustments", fin.form("/accounts/acct_7/adjustments", "amount", "-7", "reason", "counted twice", "reference", "T-9"))
	b := w.as(staff.Viewer)
	page := b.page("/accounts/acct_7/entries/2")
	w.says(page, "not actor, category, reference and reason", "Its operation, and what was asked for with it, say the same", "Consistent")
	for _, s := range []string{`ALTER TABLE entries DISABLE TRIGGER USER`, `UPDATE entries SET reason = 'a gift' WHERE seq = 2`} {
		if err := w.G.Exec(s).Error; err != nil {
			t.Fatal(err)
		}
	}
	page = b.page("/accounts/acct_7/entries/2")
	w.says(page, "a gift", "Its operation says otherwise", "another reason", "Inconsistent")
	w.saysNot(page, "say the same")
}

// Where a filter leaves entries of a day out, what is shown is added up beside the day's own change.
func TestDaysOfAFilteredStatement(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 40)
	w.Charge(t, "acct_7", "j2", 60)
	b := w.as(staff.Viewer)
	w.says(b.page("/accounts/acct_7?type=charge"), "2 entries", "those shown −100", "whole day: opening 0 · net +900", "closing 900")
	w.saysNot(b.page("/accounts/acct_7"), "those shown")
}
