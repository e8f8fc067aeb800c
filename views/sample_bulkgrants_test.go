package views_test

import (
	"time"

	"recoup/views/bulkgrants"
	"recoup/views/ui"
)

func (s sample) lineProblems() []bulkgrants.Problem {
	return []bulkgrants.Problem{{Line: "4,110", Column: "amount", What: s.l.T("bulkline.bad_amount"), Value: "1.5"},
		{Line: "9,999", Column: "account", What: s.l.T("bulkline.unknown_account"), Value: "hoshino-works-of-another-installation-altogether"},
		{What: s.l.T("bulkline.not_text")}}
}

func (s sample) upload() bulkgrants.Upload {
	return bulkgrants.Upload{Act: s.act(true), File: ui.Field{Error: s.l.T("bulk.no_file")}, MaxLines: "10,000", MaxMiB: "4", Columns: "reference, account, amount",
		Problems: s.lineProblems(), Zone: "JST", Rows: []bulkgrants.Row{{Name: "grants-2026-11-30-aurora-films-and-all-the-others.csv", URL: "/grants/import/bg_1", At: s.at(time.Hour),
			By: "Mika Sato", Lines: "9,999", Credits: s.l.Credits(9_007_199_254_740_993), State: "waits"}}}
}

func (s sample) bulkLines() *bulkgrants.Lines {
	return &bulkgrants.Lines{Say: s.l.T("bulk.lines_say", "51", "53", "9,999"), CSVURL: "/grants/import/bg_1/lines.csv",
		Pager: ui.Pager{NewerURL: "/grants/import/bg_1?line=2", OlderURL: "/grants/import/bg_1?line=54"},
		Rows: []bulkgrants.LineRow{
			{Number: "51", Account: account("acct_7Q2M"), Reference: "march-2026-annual-plan-aurora-films-0051", External: "INV-2026-0051", Category: s.l.T("category.paid"),
				Reason: "Annual plan, paid in advance by bank transfer on the last day of the month", Standing: s.l.T("bulkstanding.new"),
				Before: s.l.Credits(-12), After: s.l.Credits(9_007_199_254_740_981), Amount: s.l.Signed(9_007_199_254_740_993)},
			{Number: "52", Account: account("acct_7Q2M"), Reference: "r52", Category: s.l.T("category.goodwill"), Reason: "Sorry", Standing: s.l.T("bulkstanding.bad"), Amount: s.l.Signed(1)},
			{Number: "53", Account: account("acct_7Q2M"), Reference: "r53", Category: s.l.T("category.promotion"), Reason: "Spring",
				Entry: ui.Link{Text: s.l.T("bulk.line_entry", "1,204"), URL: "/accounts/acct_7Q2M/entries/1204"}, Before: "1", After: "2", Amount: s.l.Signed(1)},
		}}
}

func (s sample) bulkFile(state string) bulkgrants.File {
	m := bulkgrants.File{Act: s.act(false), Name: "grants-2026-11-30.csv", URL: "/grants/import/bg_1", State: state, Say: s.l.T("bulk.say_running", "1,200", "9,999"),
		Facts: []ui.Fact{{Label: s.l.T("bulk.lines"), Value: "9,999"}, {Label: s.l.T("bulk.credits"), Value: s.l.Credits(9_007_199_254_740_993)}}}
	m.Lines = s.bulkLines()
	if state == "unconfirmed" {
		m.Say, m.Confirm, m.Problems = s.l.T("bulk.bad"), s.l.N("bulk.confirm", 12), s.lineProblems()
		m.ConfirmSay = []string{s.l.N("bulk.confirm_say", 9999, s.l.N("bulk.of_credits", 12)), s.l.T("bulk.confirm_second", "120,000", "100,000")}
		return m
	}
	m.Running, m.Done, m.Total, m.Message = true, "1200", "9999", "Line 4: no."
	m.Request = ui.Link{Text: "cr_1", URL: "/approvals/cr_1"}
	return m
}
