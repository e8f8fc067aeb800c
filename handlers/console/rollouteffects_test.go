package console_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// started starts the draft of furnishRollouts and charges an account that it names and one that it does not.
func (w *world) started(b *browser) {
	w.t.Helper()
	w.furnishRollouts()
	w.Account(w.t, "acct_7", 1000)
	w.Account(w.t, "acct_1001", 1000)
	const start = "/rollouts/" + roID + "/start"
	page := b.page(start)
	b.sent(start, url.Values{"operation_id": {operationID(w.t, page)}, "version": {hidden(w.t, page, "version")}, "reason": {"because"}})
	for account, id := range map[string]string{"acct_7": "j1", "acct_1001": "j2"} {
		if _, err := w.Jobs.Charge(context.Background(), chargeOf(account, id)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// "Which decision produced this charge?" is answered on the job's page, on the operation's and on the entry's: rule version,
// rollout, cohort, stage, why and price.
func TestADecisionOnOnePage(t *testing.T) {
	w := newWorld(t)
	b := w.as(staff.Product)
	w.started(b)
	for _, path := range []string{"/accounts/acct_7/jobs/j1", "/accounts/acct_7/entries/2"} {
		page := b.page(path)
		w.says(page, "Rule version "+modeltest.Action+"@v2", roID, "Candidate", "Stage Stage 1", "Why The stage named the account", "Cost, credits 54", "Frozen by the charge")
		if !strings.Contains(page, `href="/rollouts/`+roID+`"`) || !strings.Contains(page, `href="/pricing/actions/`+modeltest.Action+`"`) {
			t.Errorf("%s leads nowhere:\n%s", path, page)
		}
	}
	j := w.state("acct_7", "j1")
	query := url.Values{"scope": {"account:acct_7"}, "id": {j.OperationID}}
	w.says(b.page("/operations?"+query.Encode()), modeltest.Action+"@v2", roID, "Stage Stage 1", "The stage named the account", "Cost, credits 54")
	w.says(b.page("/accounts/acct_1001/jobs/j2"), modeltest.Action+"@v1", roID, "Baseline", "Bucket, of 100,000 85,415", "Its bucket was not below any threshold reached", "Cost, credits 60")
	ja := w.signedIn(w.person(staff.Viewer, staff.Preferences{Language: "ja"}))
	w.says(ja.page("/accounts/acct_7/jobs/j1"), "段階がこのアカウントを指名していました", "候補", "段階1")
}

// The dialog that widens says whom it reaches and what it costs, makes the checks when it opens, and says who can help
// where they keep it back; in Japanese, too.
func TestTheDialogSaysWhatAnAdvanceDoes(t *testing.T) {
	w := newWorld(t)
	b := w.as(staff.Product)
	w.started(b)
	const at = "/rollouts/" + roID
	page := b.page(at + "/advance")
	// acct_1 is in the first 25 %: it would gain. acct_1001 is not.
	w.says(page, "1 named + 10 % → becomes 25 %", "Accounts admitted by bucket and segment 1 → becomes 1 of 2", "Accounts that change to the candidate 0", "Accounts that leave 0",
		"Revenue a day, projected 0 of 0 credits", "Revenue on the worst day −6 credits", "Checks made", "Uniqueness Passed", "Cost reconciliation No data",
		"Cost reconciliation has no data", "costs are asked for once jobs of the candidate are delivered")
	if !strings.Contains(page, `data-kind="primary" disabled`) {
		t.Errorf("the button is not disabled:\n%s", page)
	}
	w.Account(t, "acct_1", 1000)
	if _, err := w.Jobs.Charge(context.Background(), chargeOf("acct_1", "j3")); err != nil {
		t.Fatal(err)
	}
	w.says(b.page(at+"/advance"), "Accounts admitted by bucket and segment 1 → becomes 2 of 3", "Accounts that change to the candidate 1, 10 % off", "−6 in 1 day", "in the last 1 day,", "Revenue on the worst day −12 credits")

	// A red check halts the rollout while the dialog opens, and the dialog names what was found.
	w.G.Exec(`ALTER TABLE decisions DISABLE TRIGGER USER`)
	w.G.Exec(`UPDATE decisions SET price = 53 WHERE operation_id = ?`, w.state("acct_7", "j1").OperationID)
	ja := w.signedIn(w.person(staff.Product, staff.Preferences{Language: "ja"}))
	page = ja.page(at + "/advance")
	w.says(page, "「決定の整合性」が失敗しました", "の再送に返す価格：", "@v2で54（期待値", "リードまたは管理者が対応できます")
	w.saysNot(page, "expected", "of operation")
	page = ja.page(at)
	w.says(page, "停止", "記帳2の価格")
	w.saysNot(page, "Check failed", "price of")
}

// The page shows what was given away and the comparison once they were made; whoever may look may ask for them.
func TestTheComparisonOnThePage(t *testing.T) {
	w := newWorld(t)
	b := w.as(staff.Product)
	w.started(b)
	const at = "/rollouts/" + roID
	viewer := w.as(staff.Viewer)
	w.says(viewer.page(at), "Not compared yet", "Nothing is counted yet", "candidate up to 1 a day, baseline up to 1")
	for range 2 { // the horizon passes what the first one marks
		w.says(viewer.sent(at+"/compare", url.Values{"operation_id": {ids.New()}}), "Rule applications Charges priced 1 1 account 1 1 account 0 0 accounts",
			"Charges sent again 0.0 %", "Too little data: 1 of 200 charges (Candidate)", "Made")
	}
	w.says(viewer.page(at), "6 credits, 1 charge under the candidate", "0 of it for 0 delivered jobs")
	w.says(w.signedIn(w.person(staff.Finance, staff.Preferences{Language: "ja"})).page(at), "データ不足：課金 200件中1件（候補）", "値引きしたクレジット")
}

// The ledger's filter suggests rollouts by id and title, and rule versions.
func TestTheLedgerSuggestsRolloutsAndRules(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	b := w.as(staff.Viewer)
	for path, want := range map[string]string{"rollouts?rollout=DISCOUNT10": `<option value="` + roID + `">Video render: 10 % off</option>`, "rollouts?rollout=10+%25": `<option value="` + roID + `">Video render: 10 % off</option>`,
		"rollouts?rollout=nothing": "", "rollouts?rollout=": "", "rules?rule_version=v3": `<option value="` + modeltest.Action + `@v3"></option>`, "rules?rule_version=%25": "", "rules": ""} {
		if got := strings.TrimSpace(b.page("/suggestions/" + path)); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	page := b.page("/ledger")
	for _, list := range []string{`list="rollout-options"`, `id="rollout-options"`, `list="rule-options"`, `id="rule-options"`} {
		if !strings.Contains(page, list) {
			t.Errorf("no %s", list)
		}
	}
}
