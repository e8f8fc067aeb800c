package console_test

import (
	"net/http"
	"net/url"
	"testing"

	"recoup/handlers/console"
	"recoup/models/staff"
)

func TestAmountsAsPeopleTypeThem(t *testing.T) {
	for typed, want := range map[string]int64{
		"0": 0, "7": 7, " 40 ": 40, "+40": 40, "-40": -40, "−40": -40, "－40": -40, "＋40": 40, "0040": 40, "1234567": 1234567,
		"１２": 12, "－１，２３４": -1234, "1,234": 1234, "1 234": 1234, "12\u00a0345": 12345, "−1\u202f234\u202f567": -1234567, "123,456": 123456, "+1,000": 1000,
		"9,223,372,036,854,775,807": 9223372036854775807, "-9223372036854775808": -9223372036854775808,
	} {
		if got, err := console.Amount(typed); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", typed, got, err, want)
		}
	}
	for _, typed := range []string{
		"10,50", "1,5", "5,", ",5", ",500", "1,00,0", "1 2 3", "1.234", "1.5", "10.", "1,234 567", "1 234,567", "1,,000", "1234,567",
		"0,123", "1,2345", "--5", "+-5", "- 5", "-", "+", "-,", "1e3", "0x10", "1_000", "½", "１２．５", "十", "five", "1,234.00", "$5", "5-", "1,\u00a0234",
	} {
		if got, err := console.Amount(typed); err == nil || err.Error() != "must be a whole number of credits" {
			t.Errorf("%q is %d, %v; want it refused", typed, got, err)
		}
	}
	for _, typed := range []string{"9223372036854775808", "-9,223,372,036,854,775,809"} {
		if got, err := console.Amount(typed); err == nil || err.Error() != "does not fit a signed 64-bit number of credits" {
			t.Errorf("%q is %d, %v", typed, got, err)
		}
	}
	if _, err := console.Amount(" "); err == nil || err.Error() != "is required" {
		t.Error(err)
	}
}

// An amount that may mean another one books nothing and filters nothing.
func TestDoubtfulAmountsMoveNothing(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	b := w.as(staff.Finance)
	before := w.entries("acct_7")
	for _, typed := range []string{"10,50", "1 2 3", "1.234"} {
		for path, form := range map[string]url.Values{
			"/accounts/acct_7/grants":      b.form("/accounts/acct_7/grants", "amount", typed, "category", "goodwill", "reason", "because"),
			"/accounts/acct_7/adjustments": b.form("/accounts/acct_7/adjustments", "amount", typed, "reason", "because"),
		} {
			rec := b.post(path, form)
			if rec.Code != http.StatusUnprocessableEntity {
				t.Errorf("%s with %q: %d", path, typed, rec.Code)
			}
			w.says(rec.Body.String(), "whole number")
		}
		w.says(b.get("/ledger?"+url.Values{"min": {typed}}.Encode()).Body.String(), "whole number")
	}
	if got := w.entries("acct_7"); got != before {
		t.Errorf("%d entries became %d", before, got)
	}
	b.sent("/accounts/acct_7/grants", b.form("/accounts/acct_7/grants", "amount", "1,234", "category", "goodwill", "reason", "because"))
	if got := w.entries("acct_7"); got != before+1 {
		t.Errorf("%d entries became %d", before, got)
	}
}
