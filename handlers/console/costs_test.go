package console_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/decimal"
	"recoup/models/modeltest"
	"recoup/models/staff"
	"recoup/models/task"
)

// billed records costs of source farm; each is "id amount currency description".
func (w *world) billed(lines ...string) {
	w.t.Helper()
	var records []cost.NewRecord
	for _, line := range lines {
		part := strings.SplitN(line, " ", 4)
		d, err := decimal.Parse(part[1])
		if err != nil {
			w.t.Fatal(err)
		}
		records = append(records, cost.NewRecord{ExternalID: part[0], Amount: d, Currency: part[2], Description: part[3], Time: time.Now(), Dimensions: map[string]string{"service": "gpu"}})
	}
	if _, err := cost.New(w.Ops).Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: records}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) costKey(externalID string) int64 {
	w.t.Helper()
	return w.count(`SELECT key FROM cost_records WHERE external_id = ?`, externalID)
}

// From the list to the record, attributed with a reason, seen in its history.
func TestAttributeACost(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.Charge(t, "acct_7", "j1", 40)
	fin := w.as(staff.Finance)
	w.says(fin.page("/costs"), "No costs yet.")
	w.billed("line-1 0.0042 USD Rendering <b>hours</b>", "line-2 -1234567.5 EUR Credit note")
	page := fin.page("/costs?state=unattributed")
	w.says(page, "line-1", "0.0042 USD", "\u22121,234,567.50 EUR", "Rendering <b>hours</b>", "2 currencies, never added up", "Unattributed")
	at := fmt.Sprintf("/costs/records/%d", w.costKey("line-1"))
	w.says(fin.page(at), "Nobody knows yet what it was for, nor of which action it is.", "gpu", "As it was recorded")
	form := at + "/attribution"
	stale := fin.form(form, "account", "acct_7", "job", "j1", "reason", "too late", "seq", "1")
	for field, typed := range map[string][]string{"It does not exist in this account.": {"account", "acct_7", "job", "nothing", "reason", "x", "seq", "1"}, "Please fill this in.": {"account", "acct_7", "job", "j1", "seq", "1"}} {
		rec := fin.post(form, fin.form(form, typed...))
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", field, rec.Code)
		}
		w.says(rec.Body.String(), field)
	}
	sent := fin.form(form, "account", "acct_7", "job", "j1", "reason", "the invoice says so", "seq", "1")
	w.says(fin.sent(form, sent), "Whom the record is put down to was changed.", "Put down to Job acct_7 / j1.", "the invoice says so", "Pat finance", "By hand")
	w.says(fin.sent(form, sent), "Already done.")
	page = fin.sent(form, stale)
	w.says(page, "Too late: somebody put the record down to something else meanwhile.", "Nothing was changed.")
	w.saysNot(page, "too late ")
	w.saysNot(fin.page("/costs?state=unattributed"), "line-1")
	w.says(fin.page("/costs?state=attributed&text=RENDER"), "line-1", "1 currency")
	w.says(fin.page("/costs?currency=eur"), "line-2")
	w.says(fin.page("/costs?source=nobody"), "Clear")
	if rec := fin.get("/costs?state=lost"); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("%d", rec.Code)
	}
	if rec := fin.get("/costs/records/999999"); rec.Code != http.StatusNotFound {
		t.Errorf("%d", rec.Code)
	}
	// A viewer sees no costs; product sees them and may not change them.
	if rec := w.as(staff.Viewer).get("/costs"); rec.Code != http.StatusForbidden {
		t.Errorf("viewer: %d", rec.Code)
	}
	prod := w.as(staff.Product)
	if page := prod.page(at); strings.Contains(page, "/attribution") {
		t.Error("product is offered to attribute")
	}
	if rec := prod.get(form); rec.Code != http.StatusForbidden {
		t.Errorf("product: %d", rec.Code)
	}
}

func TestExportOfCosts(t *testing.T) {
	w := newWorld(t)
	w.billed("line-1 0.00000000000000000001 USD =HYPERLINK(1)", "line-2 5 EUR other")
	rec := w.as(staff.Finance).get("/costs/export?currency=USD")
	rows, err := csv.NewReader(rec.Body).ReadAll()
	if err != nil || rec.Code != http.StatusOK || len(rows) != 2 || rows[1][2] != "line-1" || rows[1][3] != "0.00000000000000000001" || rows[1][11] != "'=HYPERLINK(1)" {
		t.Errorf("%d %v %q", rec.Code, err, rows)
	}
	if n := w.count(`SELECT count(*) FROM audit_log WHERE action = 'cost.export'`); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}

func TestOverheadRulePages(t *testing.T) {
	w := newWorld(t)
	w.billed("line-1 1 USD Office rent", "line-2 1 USD Rendering")
	fin := w.as(staff.Finance)
	const add = "/costs/rules/new"
	if rec := fin.post(add, fin.form(add, "reason", "x")); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("%d", rec.Code)
	}
	w.says(fin.page(add), "What the rule would claim at once appears here.")
	for _, at := range []string{"/costs/rules/preview?", add + "?"} {
		w.says(fin.page(at+"description=OFFICE"), "1 unattributed record would become overhead at once.", "It would claim 1 currency USD 1.00")
		w.says(fin.page(at+"source=nobody"), "0 unattributed records would become overhead at once.")
		w.says(fin.page(at+"dimension=x"), "A dimension and its value go together")
	}
	w.says(fin.sent(add, fin.form(add, "description", "office", "reason", "not for customers")), "The rule was made.", "office", "not for customers", "Pat finance")
	w.says(fin.page("/costs?state=overhead"), "line-1")
	id := w.text(`SELECT id FROM cost_rules`)
	w.says(fin.page("/costs?rule="+id), "line-1")
	retire := "/costs/rules/" + id + "/retire"
	stale := fin.form(retire, "reason", "again")
	w.says(fin.sent(retire, fin.form(retire, "reason", "moved out")), "The rule was retired.", "Retired")
	w.says(fin.sent(retire, stale), "Too late: the rule is retired by now.")
}

func (w *world) text(query string, args ...any) string {
	w.t.Helper()
	var s string
	if err := w.G.Raw(query, args...).Scan(&s).Error; err != nil {
		w.t.Fatal(err)
	}
	return s
}

// upload posts a form with a file.
func (b *browser) upload(path, name, content string, form url.Values) *httptest.ResponseRecorder {
	b.t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	for field, values := range form {
		for _, v := range values {
			if err := m.WriteField(field, v); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	file, err := m.CreateFormFile("file", name)
	if err != nil {
		b.t.Fatal(err)
	}
	file.Write([]byte(content)) //nolint:errcheck // a buffer
	m.Close()
	r := httptest.NewRequest(http.MethodPost, path, &body)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Origin", "http://recoup.test")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

// Upload, look, import in the background, see what came of it; the same file again writes nothing.
func TestImportABill(t *testing.T) {
	w := newWorld(t)
	fin := w.as(staff.Finance)
	const at = "/costs/imports/new"
	focus := "BilledCost,BillingCurrency,ChargePeriodStart,ChargeDescription,Tags\n1.5E-07,USD,2026-11-30 12:00:00,Queue,\n2,USD,2026-11-30 12:00:00,Disk,\n"
	form := fin.form(at, "source", "aws", "format", "focus", "amount", "BilledCost")
	w.says(fin.page("/costs/imports"), "No file was uploaded yet.")
	rec := fin.upload(at, "bad.csv", focus+"x,USD,2026-11-30 12:00:00,Bad,\n", form)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", rec.Code, text(rec.Body.String()))
	}
	bad := fin.page(rec.Header().Get("Location"))
	w.says(bad, "The file is not right", "Line 4, BilledCost: A decimal number such as 0.01.")
	if strings.Contains(bad, "Import all lines") {
		t.Error("a broken file is offered for import")
	}
	// The form names the own columns, and a wrong one leads to the right one.
	w.says(fin.page(at), "external_id The line’s id, unique in its source. Required.", "account_id The account of the job", "job_id That job.", "operation_id", "action", "dimension:…")
	for content, says := range map[string]string{
		"external_id,amount,currency,time,job,account\n":                   "Line 1, job: There is no such column in this format. Name it job_id",
		"external_id;amount;currency;time\na;1;USD;2026-11-30T12:00:00Z\n": "Line 1: The columns are separated by semicolons. Save the file as CSV with commas.",
	} {
		rec := fin.upload(at, "own.csv", content, fin.form(at, "source", "farm", "format", "recoup"))
		w.says(fin.page(rec.Header().Get("Location")), says)
	}
	for _, x := range []struct{ says, source, content string }{{"Please fill this in.", "aws", ""}, {"may hold only letters", "a b", focus}} {
		form := fin.form(at, "source", x.source, "format", "focus", "amount", "BilledCost")
		if rec := fin.upload(at, "f.csv", x.content, form); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", x.says, rec.Code)
		} else {
			w.says(rec.Body.String(), x.says)
		}
	}
	for again := range 2 {
		rec = fin.upload(at, "<b>bill<b>.csv", focus, fin.form(at, "source", "aws", "format", "focus", "amount", "BilledCost"))
		to := regexp.MustCompile(`^/costs/imports/[0-9a-f-]+`).FindString(rec.Header().Get("Location"))
		page := fin.page(to)
		w.says(page, "Every line can be read. Nothing is imported yet.", "2.00000015", "<b>bill<b>.csv", "Queue", "Import all lines")
		start := url.Values{"operation_id": {operationID(t, page)}}
		w.says(fin.sent(to, start), "The import was started.", "0 of 2 lines")
		w.says(fin.sent(to, start), "Already done.")
		w.importAll()
		page = fin.page(to)
		if again == 0 {
			w.says(page, "2 recorded: 0 attributed, 0 overhead, 2 unattributed. 0 were there already.", "Its records")
			w.says(fin.page("/costs?import="+strings.TrimPrefix(to, "/costs/imports/")), "2.00000015", "Queue", "Disk")
		} else {
			w.says(page, "This very file was imported before.")
		}
		w.says(fin.page("/costs/imports"), "<b>bill<b>.csv", "aws", "Done")
	}
	if n := w.count(`SELECT count(*) FROM cost_records`); n != 2 {
		t.Errorf("%d records", n)
	}
	if rec := w.as(staff.Product).get(at); rec.Code != http.StatusForbidden {
		t.Errorf("product: %d", rec.Code)
	}
}

// importAll does the imports that wait, as a worker would.
func (w *world) importAll() {
	w.t.Helper()
	ctx := context.Background()
	tasks := task.New(w.G, nil)
	imports := costimport.New(w.Ops, cost.New(w.Ops), tasks)
	for {
		key := w.count(`SELECT COALESCE(min(key), 0) FROM tasks WHERE state = 'waiting'`)
		if key == 0 {
			return
		}
		run, err := tasks.Take(ctx, key, "test")
		if err != nil || run == nil {
			w.t.Fatal(run, err)
		}
		result, err := imports.Run(ctx, run)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := run.Finish(ctx, result); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestMarginPage(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.Charge(t, "acct_7", "j1", 40)
	d, err := decimal.Parse("0.30")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cost.New(w.Ops).Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: []cost.NewRecord{
		{ExternalID: "a", Amount: d, Currency: "USD", Time: time.Now(), AccountID: "acct_7", JobID: "j1"}}}); err != nil {
		t.Fatal(err)
	}
	fin := w.as(staff.Finance)
	w.says(fin.page("/costs/margin"), "No margin in USD", modeltest.Action, "40", "0.30", "not set")
	const at = "/costs/values"
	for _, bad := range []string{"", "0", "-1", "1e3", "NaN", "1,5"} {
		if rec := fin.post(at, fin.form(at, "currency", "USD", "value", bad, "valid_from", "2026-01-01T00:00", "reason", "x")); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d", bad, rec.Code)
		}
	}
	w.says(fin.sent(at, fin.form(at, "currency", "usd", "value", "0.0125", "valid_from", "2026-01-01T00:00", "reason", "list price")), "The value was set.", "0.50", "0.20", "list price")
	for _, by := range []string{"rule_version", "rollout"} {
		w.says(fin.page("/costs/margin?by="+by+"&period=today"), "0.20")
	}
	if rec := fin.get("/costs/margin?by=moon"); rec.Code != http.StatusBadRequest {
		t.Errorf("%d", rec.Code)
	}
}

// costSamples classifies the routes of the pages of costs.
func costSamples() map[string]sample {
	see := append(money(), staff.Product)
	return map[string]sample{
		"console.costs":                 {path: "/costs", opens: see},
		"console.costs.export":          {path: "/costs/export", opens: money()},
		"console.cost":                  {path: "/costs/records/1", opens: see},
		"console.cost_attribute":        {path: "/costs/records/1/attribution", opens: money()},
		"console.cost_attribute.post":   {path: "/costs/records/1/attribution", form: url.Values{}, opens: money()},
		"console.cost_rules":            {path: "/costs/rules", opens: see},
		"console.cost_rule":             {path: "/costs/rules/new", opens: money()},
		"console.cost_rule.post":        {path: "/costs/rules/new", form: url.Values{"source": {"farm"}, "reason": {"because"}}, opens: money()},
		"console.cost_rule.preview":     {path: "/costs/rules/preview?source=farm", opens: money()},
		"console.cost_rule_retire":      {path: "/costs/rules/none/retire", opens: money()},
		"console.cost_rule_retire.post": {path: "/costs/rules/none/retire", form: url.Values{"reason": {"because"}}, opens: money()},
		"console.cost_imports":          {path: "/costs/imports", opens: see},
		"console.cost_upload":           {path: "/costs/imports/new", opens: money()},
		"console.cost_upload.post":      {path: "/costs/imports/new", form: url.Values{"source": {"farm"}, "format": {"recoup"}}, file: "external_id,amount,currency,time\n", opens: money()},
		"console.cost_import":           {path: "/costs/imports/none", opens: see},
		"console.cost_import.post":      {path: "/costs/imports/none", form: url.Values{}, opens: money()},
		"console.cost_margin":           {path: "/costs/margin", opens: see},
		"console.credit_value":          {path: "/costs/values", opens: money()},
		"console.credit_value.post":     {path: "/costs/values", form: url.Values{"currency": {"USD"}, "value": {"1"}, "valid_from": {"2026-01-01T00:00"}, "reason": {"because"}}, opens: money()},
	}
}

// The margin of a rollout has a row for what its candidate priced and one for what its baseline did meanwhile; where the cost of too
// few deliveries is known the row says so instead of a margin.
func TestTheMarginOfARolloutTellsItsCohorts(t *testing.T) {
	w := newWorld(t)
	w.started(w.as(staff.Product))
	fin, key := w.as(staff.Finance), w.apiKey()
	w.program(key, http.MethodPost, "/v1/costs", "b1", `{"source":"farm","records":[{"external_id":"line-1","amount":"0.25","currency":"USD","time":"`+
		time.Now().UTC().Format(time.RFC3339Nano)+`","account_id":"acct_7","job_id":"j1"}]}`, 201, &struct{}{})
	page := fin.page("/costs/margin?by=rollout&period=today")
	w.says(page, "Baseline USD 60", "Candidate USD 54", "what is not billed yet is not free")
}
