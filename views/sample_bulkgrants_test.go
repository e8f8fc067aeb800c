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

func (s sample) bulkFile(state string) bulkgrants.File {
	m := bulkgrants.File{Act: s.act(false), Name: "grants-2026-11-30.csv", URL: "/grants/import/bg_1", State: state, Say: s.l.T("bulk.say_running", "1,200", "9,999"),
		Facts: []ui.Fact{{Label: s.l.T("bulk.lines"), Value: "9,999"}, {Label: s.l.T("bulk.credits"), Value: s.l.Credits(9_007_199_254_740_993)}}}
	if state == "unconfirmed" {
		m.Say, m.Confirm, m.Problems = s.l.T("bulk.bad"), s.l.T("bulk.confirm", "12"), s.lineProblems()
		m.ConfirmSay = []string{s.l.T("bulk.confirm_say", "9,999", "12"), s.l.T("bulk.confirm_second", "120,000", "100,000")}
		return m
	}
	m.Running, m.Done, m.Total, m.Message = true, "1200", "9999", "Line 4: no."
	m.Request = ui.Link{Text: "cr_1", URL: "/approvals/cr_1"}
	return m
}
