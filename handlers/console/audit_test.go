package console_test

import (
	"context"
	"encoding/csv"
	"strings"
	"testing"

	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// auditSamples are the samples of the routes about the audit log.
func auditSamples() map[string]sample {
	admin := []staff.Role{staff.Admin}
	return map[string]sample{
		"console.audit":        {path: "/audit", opens: admin},
		"console.audit.export": {path: "/audit/export", opens: admin},
	}
}

// The log says who did what to what, before and after, and what was refused; each filter narrows it, and the file has
// exactly the rows of the page.
func TestAuditLogFromPageToFile(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.Account(t, "acct_7", 10)
	fin, adm := w.as(staff.Finance), w.as(staff.Admin)
	fin.sent("/accounts/acct_7/freeze", fin.form("/accounts/acct_7/freeze", "reason", "=HYPERLINK(\"x\")"))
	if _, err := w.Ledger.Unfreeze(ctx, ledger.FreezeRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: adm.who.Actor()}, AccountID: "acct_7", Reason: "card found"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j1", Action: modeltest.Action, Units: 40}); err == nil {
		t.Fatal("a charge that is not covered was taken")
	}
	page := adm.page("/audit")
	w.says(page, "Pat finance", "frozen: false → becomes true", "card found", "insufficient_credits", "Refused")
	if !strings.Contains(page, `href="/accounts/acct_7"`) {
		t.Error("no link to the account")
	}
	for q, x := range map[string]struct{ says, not string }{
		"actor=pat+finance":              {"HYPERLINK", "card found"},
		"action=unfreeze":                {"card found", "HYPERLINK"},
		"outcome=refused":                {"insufficient_credits", "card found"},
		"object=account:acct_7":          {"card found", "staff.create"},
		"object=account:nobody":          {"No match.", "card found"},
		"period=yesterday":               {"No match.", "card found"},
		"period=today&action=freeze":     {"HYPERLINK", "card found"},
		"actor=nobody+of+that+name":      {"No match.", "card found"},
		"action=no.such&outcome=refused": {"No match.", "card found"},
	} {
		got := adm.page("/audit?" + q)
		w.says(got, x.says)
		list := got[strings.Index(got, `class="sheet"`):]
		if strings.Contains(text(list), x.not) {
			t.Errorf("%s: the rows say %q", q, x.not)
		}
	}
	if rec := adm.get("/audit?outcome=perhaps"); rec.Code != 422 {
		t.Errorf("an unknown outcome: %d", rec.Code)
	}
	rec := adm.get("/audit/export?actor=pat+finance&action=freeze")
	rows, err := csv.NewReader(rec.Body).ReadAll()
	if err != nil || rec.Code != 200 || len(rows) != 2 || !strings.Contains(rec.Header().Get("Content-Disposition"), "audit_filtered_all_UTC_1-rows_at_") {
		t.Fatalf("%d %v %v", rec.Code, rows, err)
	}
	if rows[1][2] != "Pat finance" || rows[1][4] != "account:acct_7" || rows[1][7] != `'=HYPERLINK("x")` {
		t.Errorf("%q", rows[1])
	}
	if n := w.count(`SELECT count(*) FROM audit_log WHERE action = 'audit.export' AND after->>'action' = 'freeze'`); n != 1 {
		t.Errorf("%d rows tell of the file", n)
	}
}
