package console_test

import (
	"testing"

	"recoup/models/staff"
)

// The id of an operation leads to its page also while it waits for a second person, and when nothing came of its request: a
// program that was told to wait knows nothing else to ask by.
func TestAnOperationThatWaitsIsFoundByItsID(t *testing.T) {
	w := limitedWorld(t, 100)
	w.Account(t, "acct_7", 0)
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	const form = "/accounts/acct_7/grants"
	filled := fiona.form(form, "amount", "101", "category", "paid", "reference", "INV-1")
	request := fiona.asks(form, filled)
	id := filled.Get("operation_id")
	leads := func() string {
		t.Helper()
		found := fiona.get("/search?q=" + id)
		at := found.Header().Get("Location")
		if at == "" {
			t.Fatalf("the search answers %d and leads nowhere", found.Code)
		}
		return fiona.page(at)
	}
	w.says(leads(), "Waits for a second person", id)
	if rec := lena.post(request+"/reject", lena.seen(request+"/reject", "no such invoice")); rec.Code >= 400 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	w.says(leads(), "It was never applied", id)
}
