package console_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/models/staff"
	words "recoup/views/text"
)

// What the last verification found of an account is said wherever its balance is explained or its entries are added up, not on
// the rows alone: two adjustments that were changed against each other leave every sum as it was.
func TestWhatVerifyFoundOfAnAccountIsSaidWithItsBalance(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	w.grant("acct_7", 3)
	w.grant("acct_7", 6)
	w.grant("acct_7", 1)
	w.Account(t, "acct_8", 5)
	fin := w.as(staff.Finance)
	w.damaged(`UPDATE entries SET amount = 4, balance_after = 4 WHERE seq = 1 AND amount = 3`,
		`UPDATE entries SET amount = 5 WHERE seq = 2 AND amount = 6`)
	w.says(fin.page("/accounts/acct_7/balance"), "checked now")
	fin.sent("/integrity/run", fin.form("/integrity/run"))
	w.verifies()

	why := fin.page("/accounts/acct_7/balance")
	w.says(why, "The last verification", "found 4 problems with this account", "Do not explain this balance to the customer yet", "Inconsistent", "First at entry 1")
	w.saysNot(why, "Passed", "For the customer")
	if len(answers(why)) != 0 || strings.Count(text(why), "Inconsistent") != 3 {
		t.Errorf("the entries concerned are not marked:\n%s", text(why))
	}
	// Before the first of them there is nothing wrong to explain.
	w.says(fin.page("/accounts/acct_7/balance?at=2020-01-01T00:00"), "Passed")
	statement := fin.page("/accounts/acct_7")
	w.says(statement, "The last verification", "found 4 problems with this account", "First at entry 1")
	w.saysNot(fin.page("/accounts/acct_8"), "The last verification")
	w.says(fin.page("/accounts/acct_8/balance"), "Passed")

	ja := w.signedIn(w.person(staff.Finance, staff.Preferences{Language: string(words.Japanese)}))
	w.says(ja.page("/accounts/acct_7/balance"), "このアカウントに問題が4件見つかりました", "最初の不一致：記帳1")
	w.says(ja.page("/accounts/acct_7"), "このアカウントに問題が4件見つかりました")
}

// With an entry missing in the middle there is no telling by halves how many there were at a moment: the page says what is
// missing, as it does for now.
func TestABalanceAtAMomentWithAnEntryMissingIsExplained(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	for range 7 {
		w.grant("acct_7", 3)
	}
	fin := w.as(staff.Viewer)
	w.damaged(`DELETE FROM entries WHERE seq = 4`)
	for _, at := range []string{"", "?at=" + url.QueryEscape(time.Now().UTC().Format(time.RFC3339Nano))} {
		page := fin.page("/accounts/acct_7/balance" + at)
		w.says(page, "The sum of 6 entries is 18, but the balance says 21.", "First at entry 5", "Do not explain this balance to the customer yet")
		w.saysNot(page, "faster", "Open the object again", "For the customer")
	}
}

// damaged changes entries as the owner of the tables can.
func (w *world) damaged(statements ...string) {
	w.t.Helper()
	for _, s := range append([]string{`ALTER TABLE entries DISABLE TRIGGER USER`}, statements...) {
		if err := w.G.Exec(s).Error; err != nil {
			w.t.Fatal(err)
		}
	}
}
