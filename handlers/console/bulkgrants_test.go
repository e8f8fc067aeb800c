package console_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"recoup/models/bulkgrant"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

const bulkHeader = "reference,account,amount,category,reason\n"

func (w *world) bulkSamples() map[string]sample {
	w.t.Helper()
	content := bulkHeader + "s1,acct_7,1,paid,because\n"
	out, err := w.bulk.Upload(context.Background(), modeltest.Envelope(), "x.csv", []byte(content))
	var up bulkgrant.Uploaded
	if err != nil || out.Decode(&up) != nil {
		w.t.Fatalf("%+v %v", out, err)
	}
	return map[string]sample{
		"console.bulk_grants":      {path: "/grants/import", opens: money()},
		"console.bulk_grants.post": {path: "/grants/import", opens: money(), file: content},
		"console.bulk_grant":       {path: "/grants/import/" + up.ID, opens: money()},
		"console.bulk_grant.lines": {path: "/grants/import/" + up.ID + "/lines.csv", opens: money()},
		"console.bulk_grant.post":  {path: "/grants/import/" + up.ID, opens: money()},
	}
}

// sendFile posts a file of grants as a browser does.
func (b *browser) sendFile(path, operation, name, content string) *httptest.ResponseRecorder {
	b.t.Helper()
	var body bytes.Buffer
	m := multipart.NewWriter(&body)
	if err := m.WriteField("operation_id", operation); err != nil {
		b.t.Fatal(err)
	}
	part, err := m.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, path, &body)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Origin", "http://recoup.test")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

// applied lets the task of a file do its work, as a worker does.
func (w *world) applied(path string) {
	w.t.Helper()
	if err := w.apply(path); err != nil {
		w.t.Fatal(err)
	}
}

// apply is applied for a file that may fail: the task ends with the fault, which is returned.
func (w *world) apply(path string) error {
	w.t.Helper()
	ctx := context.Background()
	f, err := w.bulk.Find(ctx, strings.TrimPrefix(path, "/grants/import/"))
	if err != nil || f.TaskID == nil {
		w.t.Fatalf("%+v %v", f, err)
	}
	task, err := w.tasks.Find(ctx, *f.TaskID)
	if err != nil {
		w.t.Fatal(err)
	}
	run, err := w.tasks.Take(ctx, task.Key, "w")
	if err != nil || run == nil {
		w.t.Fatalf("%v", err)
	}
	result, err := w.bulk.Run(ctx, run)
	if bad := fault.As(err); bad != nil {
		if err := run.Fail(ctx, bad.Code, bad.Error()); err != nil {
			w.t.Fatal(err)
		}
		return err
	}
	if err != nil {
		return err
	}
	return run.Finish(ctx, result)
}

func path(location string) string {
	p, _, _ := strings.Cut(location, "?")
	return p
}

func TestGrantsFromAFile(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	w.Account(t, "acct_8", 100)
	fiona := w.as(staff.Finance)
	w.says(fiona.page("/accounts"), "Grants from a file")
	id := operationID(t, fiona.page("/grants/import"))

	// Every bad line is named, and nothing is kept of the file.
	rec := fiona.sendFile("/grants/import", id, "bad.csv", bulkHeader+"r1,acct_7,5,paid,x\nr1,acct_7,1.5,paid,x\n,acct_7,5,gift,x\n")
	if rec.Code != http.StatusUnprocessableEntity {
		t.Fatalf("%d", rec.Code)
	}
	w.says(rec.Body.String(), "Nothing was granted", "3 amount", "A whole number of credits above zero", "3 reference", "The same reference stands on line 2", "4 reference", "Please fill this in.")
	if again := operationID(t, rec.Body.String()); again != id {
		t.Error("nothing was written, and yet the form has a new operation id")
	}
	for _, content := range []string{"", "\xff\xfe"} {
		if rec := fiona.sendFile("/grants/import", id, "bad.csv", content); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d", content, rec.Code)
		}
	}
	if rec := fiona.sendFile("/grants/import", id, "huge.csv", strings.Repeat("x", bulkgrant.MaxBytes+1)); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("too large: %d", rec.Code)
	}
	rec = fiona.sendFile("/grants/import", id, "huge.csv", strings.Repeat("x", 2*bulkgrant.MaxBytes))
	if rec.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("far too large: %d", rec.Code)
	}
	w.says(rec.Body.String(), "What was sent is too large", "At most 4 MiB", "Divide the file")
	rec = fiona.sendFile("/grants/import", id, "nul.csv", bulkHeader+"r1,acct_7,5,paid,x\x00\n")
	w.says(rec.Body.String(), "It holds characters that are no text (NUL).")
	// One mistake of writing hides no account that is not there.
	rec = fiona.sendFile("/grants/import", id, "bad.csv", bulkHeader+"r1,acct_7,1.5,paid,x\nr2,nobody,5,paid,x\nr3,noone,5,gift,x\n")
	w.says(rec.Body.String(), "2 amount", "3 account There is no such account. nobody", "4 account There is no such account. noone", "4 category")
	if rec := fiona.post("/grants/import", url.Values{"operation_id": {id}}); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("a form without a file: %d", rec.Code)
	}

	content := bulkHeader + "r1,acct_7,5,paid,\"annual, plan\"\nr2,acct_8,7,goodwill,sorry\n"
	rec = fiona.sendFile("/grants/import", id, "march.csv", content)
	at := path(rec.Header().Get("Location"))
	if rec.Code != http.StatusSeeOther || !strings.HasPrefix(at, "/grants/import/bg_") {
		t.Fatalf("%d %s", rec.Code, text(rec.Body.String()))
	}
	if again := fiona.sendFile("/grants/import", id, "march.csv", content); path(again.Header().Get("Location")) != at {
		t.Errorf("the same upload again led to %q", again.Header().Get("Location"))
	}
	preview := fiona.page(at)
	w.says(preview, "march.csv", "Not confirmed", "2 new grants, together 12 credits", "Grant 12 credits")
	w.saysNot(preview, "a second person has to approve it first")
	w.says(preview, "Lines of the file", "2 acct_7", "annual, plan", "100 → becomes 105", "3 acct_8", "Goodwill", "New")
	if rec := fiona.get(at + "/lines.csv"); rec.Code != http.StatusOK || rec.Body.String() != "reference,account,amount,category,reason,external_reference\r\nr1,acct_7,5,paid,\"annual, plan\",\r\nr2,acct_8,7,goodwill,sorry,\r\n" {
		t.Errorf("%d %q", rec.Code, rec.Body.String())
	}
	var downloads int64
	if err := w.G.Raw(`SELECT count(*) FROM audit_log WHERE action = 'bulk_grant.download' AND object = ?`, "bulk_grant:"+strings.TrimPrefix(at, "/grants/import/")).Scan(&downloads).Error; err != nil || downloads != 1 {
		t.Errorf("%d downloads are audited, %v", downloads, err)
	}
	form := url.Values{"operation_id": {operationID(t, preview)}}
	running := fiona.sent(at, form)
	w.says(running, "The file is being granted.", "0 of 2 lines")
	if !strings.Contains(running, `hx-trigger="every 1s"`) || w.entries("acct_7") != 1 {
		t.Error("the page does not look again, or a line is there already")
	}
	w.says(fiona.sent(at, form), "Already done.")
	w.applied(at)
	done := fiona.page(at)
	w.says(done, "2 lines were granted, 0 had been before.", "Applied")
	if strings.Contains(done, "hx-trigger") {
		t.Error("a page that is done goes on asking")
	}
	w.says(fiona.page("/accounts/acct_7/entries/2"), "annual, plan", "Pat finance")
	w.says(done, "annual, plan", "Entry 2", "+5", "100 → becomes 105")
	w.says(fiona.page("/grants/import"), "march.csv", "Applied", "Pat finance")

	// The same file again: nothing is left to do.
	rec = fiona.sendFile("/grants/import", ids.New(), "again.csv", content)
	again := fiona.page(path(rec.Header().Get("Location")))
	w.says(again, "Every line of this file was granted before.")
	w.saysNot(again, "Grant 12 credits")
	// References used for something else and accounts that are not there are named by line.
	rec = fiona.sendFile("/grants/import", ids.New(), "other.csv", bulkHeader+"r1,acct_7,6,paid,x\nr3,nobody,5,paid,x\n")
	other := path(rec.Header().Get("Location"))
	w.says(fiona.page(other), "2 reference This reference was used before for something else.", "3 account There is no such account. nobody")
	if rec := fiona.post(other, url.Values{"operation_id": {ids.New()}}); rec.Code != http.StatusSeeOther || path(rec.Header().Get("Location")) != other {
		t.Errorf("%d", rec.Code)
	}
	if rec := fiona.get("/grants/import/bg_nothing"); rec.Code != http.StatusNotFound {
		t.Errorf("%d", rec.Code)
	}
}

// A file that was taken from its own page is the same file, whatever stands in front of its texts for the sake of spreadsheets.
func TestAFileFromItsOwnPageGrantsNothingAgain(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	w.Account(t, "@studio", 100)
	fiona := w.as(staff.Finance)
	rec := fiona.sendFile("/grants/import", ids.New(), "marks.csv", bulkHeader+"-rt-1,acct_7,7,goodwill,=sorry\n+rt-2,@studio,8,goodwill,'plain\n@rt-3,acct_7,9,goodwill,x\n")
	at := path(rec.Header().Get("Location"))
	fiona.sent(at, url.Values{"operation_id": {operationID(t, fiona.page(at))}})
	w.applied(at)
	lines := fiona.get(at + "/lines.csv").Body.String()
	if !strings.Contains(lines, "\n'-rt-1,acct_7,7,goodwill,'=sorry,") || !strings.Contains(lines, "\n'+rt-2,'@studio,8,goodwill,'plain,") {
		t.Errorf("what a spreadsheet would take for a formula: %q", lines)
	}
	rec = fiona.sendFile("/grants/import", ids.New(), "again.csv", lines)
	w.says(fiona.page(path(rec.Header().Get("Location"))), "Every line of this file was granted before.")
}

func TestAFileAboveTheLimitNeedsASecondPerson(t *testing.T) {
	w := limitedWorld(t, 10)
	w.Account(t, "acct_7", 5)
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	rec := fiona.sendFile("/grants/import", operationID(t, fiona.page("/grants/import")), "big.csv", bulkHeader+"r1,acct_7,6,paid,x\nr2,acct_7,5,paid,x\n")
	at := path(rec.Header().Get("Location"))
	preview := fiona.page(at)
	w.says(preview, "The file sums up to 11 credits, above 10: a second person has to approve it first.")
	form := url.Values{"operation_id": {operationID(t, preview)}}
	request := fiona.asks(at, form)
	if again := fiona.asks(at, form); again != request {
		t.Errorf("a double click made %s and %s", request, again)
	}
	w.says(fiona.page(at), "Waits for a second person")
	w.says(fiona.page(request), "Grants of +11 credits from a file", "big.csv", "You asked for this")
	// The second person sees what is to be approved, line by line.
	w.says(lena.page(request), "Lines of the file", "r1", "+6", "5 → becomes 11", "r2", "+5", "11 → becomes 16", "Download all lines")
	w.says(lena.page("/approvals?kind=bulk_grant"), "Grants of +11 credits from a file")
	w.says(lena.sent(request+"/approve", lena.seen(request+"/approve", "fine")), "Approved. It is applied now", "It is being applied.")
	w.applied(at)
	if got := w.Balance(t, "acct_7"); got != 16 {
		t.Errorf("balance %d", got)
	}
	w.says(fiona.page(at), "2 lines were granted")
	w.says(lena.page(request), "It was applied once.")
	// The entry, and its operation, say which file it was a line of, and who approved that.
	cr := strings.TrimPrefix(request, "/approvals/")
	w.says(fiona.page("/accounts/acct_7/entries/2"), "Line of the file", "big.csv", "Approved by", "Pat lead", cr)
	operation := fiona.page("/operations?scope=account:acct_7&id=r1")
	w.says(operation, "Line of the file", "big.csv", "Change request", "Grants of +11 credits from a file")
	if !strings.Contains(operation, `href="`+at+`"`) || !strings.Contains(operation, `href="`+request+`"`) {
		t.Error("the operation does not lead to its file and its change request")
	}

	rec = fiona.sendFile("/grants/import", ids.New(), "big2.csv", bulkHeader+"q1,acct_7,60,paid,x\n")
	at = path(rec.Header().Get("Location"))
	request = fiona.asks(at, url.Values{"operation_id": {operationID(t, fiona.page(at))}})
	lena.sent(request+"/reject", lena.seen(request+"/reject", "not ours"))
	w.says(fiona.page(at), "Its change request was not approved.", "Rejected")
	if got := w.Balance(t, "acct_7"); got != 16 {
		t.Errorf("balance %d", got)
	}
}

// Of a file that is asked for twice the second request says that there is nothing left to grant, before and after it is approved.
func TestARequestForAFileThatIsGrantedSaysSo(t *testing.T) {
	w := limitedWorld(t, 10)
	w.Account(t, "acct_7", 5)
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	var at, request [2]string
	for i := range at {
		rec := fiona.sendFile("/grants/import", ids.New(), "big.csv", bulkHeader+"r1,acct_7,6,paid,x\nr2,acct_7,5,paid,x\n")
		at[i] = path(rec.Header().Get("Location"))
		request[i] = fiona.asks(at[i], url.Values{"operation_id": {operationID(t, fiona.page(at[i]))}})
	}
	w.says(lena.page(request[1]), "As things stand 2 of 2 lines new, together +11 credits")
	for i, says := range []string{"What came of it 2 lines were granted, 0 had been before.", "What came of it 0 lines were granted, 2 had been before."} {
		if i == 1 {
			w.says(lena.page(request[1]), "As things stand 0 of 2 lines new, together 0 credits")
		}
		lena.sent(request[i]+"/approve", lena.seen(request[i]+"/approve", "fine"))
		w.applied(at[i])
		w.says(lena.page(request[i]), says)
	}
}

// An approval of a file only starts it. Where it then cannot be granted nothing says that it was, and whoever asked and
// whoever approved are told.
func TestAnApprovedFileThatCannotBeGrantedSaysSo(t *testing.T) {
	w := limitedWorld(t, 10)
	w.Account(t, "acct_7", 5)
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	rec := fiona.sendFile("/grants/import", operationID(t, fiona.page("/grants/import")), "big.csv", bulkHeader+"r1,acct_7,10,paid,x\nr2,acct_7,1,paid,x\n")
	at := path(rec.Header().Get("Location"))
	request := fiona.asks(at, url.Values{"operation_id": {operationID(t, fiona.page(at))}})
	lena.sent(request+"/approve", lena.seen(request+"/approve", "fine"))
	w.says(lena.page("/approvals?tab=decided"), "Approved Waiting")
	// Meanwhile the reference is used up by another file.
	rec = fiona.sendFile("/grants/import", ids.New(), "small.csv", bulkHeader+"r1,acct_7,1,paid,x\n")
	other := path(rec.Header().Get("Location"))
	fiona.sent(other, url.Values{"operation_id": {operationID(t, fiona.page(other))}})
	w.applied(other)

	// Of a file that failed no line looks granted or about to be.
	defer func() {
		page := fiona.page(at)
		w.says(page, "Line 2: This reference was used before for something else.", "2 acct_7", "Cannot be granted", "3 acct_7", "Not granted")
		w.saysNot(page, "Entry 2", "becomes")
	}()
	if err := w.apply(at); !fault.Is(err, bulkgrant.CodeBadLines) {
		t.Fatal(err)
	}
	for _, b := range []*browser{fiona, lena} {
		page := b.page(request)
		w.says(page, "It could not be granted, and nothing of it was")
		w.saysNot(page, "It was applied once", "Approved and applied")
		w.says(b.page("/approvals?tab=decided"), "Approved Failed")
		w.says(b.page("/inbox"), "Nothing of the file big.csv was granted", "Line 2: This reference was used before for something else.")
	}
	if got := w.Balance(t, "acct_7"); got != 6 {
		t.Errorf("balance %d", got)
	}
}
