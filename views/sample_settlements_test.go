package views_test

import (
	"time"

	"recoup/views/layout"
	"recoup/views/settlements"
	"recoup/views/ui"
)

const settlementID = "stl_7f3c9b0255e14d1c"

func (s sample) settlementLines() []settlements.Line {
	big := s.l.Credits(9_007_199_254_740_993)
	return []settlements.Line{
		{Account: account("hoshino-works-of-another-installation-altogether"), URL: "/settlements/x?account=h", Jobs: "1,204", Charged: big, Baseline: big, Amount: s.l.Signed(9_007_199_254_740_993), Balance: big, After: big},
		{Account: account("acct_7Q2M"), Jobs: "12", Charged: "1,200", Baseline: "1,000", Amount: s.l.Signed(200), Balance: s.l.Credits(-40), State: "left_out", Why: s.l.Maybe("why.account_inconsistent", "")},
		{Account: account("acct_8"), Jobs: "1", Charged: "90", Baseline: "100", Amount: s.l.Signed(-10), Balance: "5", After: s.l.Credits(-5), State: "frozen"},
	}
}

func (s sample) settlementTotals() []ui.Fact {
	return []ui.Fact{{Label: s.l.T("settlement.accounts"), Value: "3"}, {Label: s.l.T("settlement.jobs"), Value: "1,217"},
		{Label: s.l.T("settlement.charged"), Value: s.l.Credits(9_007_199_254_740_993)}, {Label: s.l.T("settlement.credits"), Value: s.l.Signed(9_007_199_254_740_993), Change: true},
		{Label: s.l.T("settlement.debits"), Value: s.l.Signed(-10), Change: true}}
}

func (s sample) settlements() settlements.Model {
	return settlements.Model{Zone: "JST", NewURL: "/settlements/new", List: s.list(true), Rows: []settlements.Row{
		{ID: ui.ID{Value: settlementID, URL: "/settlements/" + settlementID}, Rollout: ui.ID{Value: "ro_2026_video_render_twenty_percent_up", URL: "/rollouts/x"}, State: "waits",
			Way: s.l.T("settle_way.outside"), Supplement: true, At: s.at(time.Hour), By: "Mika Sato", Jobs: "200,000", Accounts: "11,840", Amount: s.l.Signed(9_007_199_254_740_993)},
		{ID: ui.ID{Value: "stl_1", URL: "/settlements/stl_1"}, Rollout: ui.ID{Value: "ro_1", URL: "/rollouts/ro_1"}, State: "done", Way: s.l.T("settle_way.ledger"), At: s.at(40 * time.Hour), By: "Mika Sato",
			Jobs: "1", Accounts: "1", Amount: s.l.Signed(-10)}}}
}

func (s sample) settlementForm(edit bool) settlements.New {
	m := settlements.New{Act: s.act(true), Zone: "Asia/Tokyo", Rollouts: []ui.Option{{Value: "ro_1", Label: "ro_1 · " + s.l.T("state.rolled_back"), Selected: true}},
		RolloutError: s.l.Maybe("fault.state_conflict", ""), From: ui.Field{Value: "2026-11-01", Error: s.l.T("problem.day")}, Accounts: ui.Field{Value: "nobody", Error: s.l.T("problem.day")}, Minimum: ui.Field{Value: "x", Error: s.l.T("problem.amount")},
		Reason: ui.Field{Error: s.l.Maybe("problem.is required", "")}}
	for _, sign := range []string{"credits", "debits", "both"} {
		m.Signs = append(m.Signs, ui.Option{Value: sign, Label: s.l.Maybe("settle_sign."+sign, sign), Selected: sign == "credits"})
	}
	for _, way := range []string{"ledger", "outside"} {
		m.Ways = append(m.Ways, ui.Option{Value: way, Label: s.l.Maybe("settle_way."+way, way), Selected: way == "ledger"})
	}
	m.Preview = settlements.Preview{Say: s.l.T("settlement.preview_say", "1,217", "3", "1", "2"), Notes: []string{s.l.T("settlement.preview_frozen", "1")},
		Totals: s.settlementTotals(), Lines: s.settlementLines(), More: s.l.T("settlement.preview_more", "20", "11,840")}
	if edit {
		m.Rollout, m.RolloutURL, m.Replaces, m.ReplacesURL, m.Version, m.Digest = "ro_1", "/rollouts/ro_1", settlementID, "/settlements/"+settlementID, "1", "aa"
		m.Preview = settlements.Preview{Problem: s.l.T("settlement.minimum") + ": " + s.l.T("problem.amount")}
	}
	return m
}

func (s sample) settlement(state string) settlements.Detail {
	m := settlements.Detail{ID: settlementID, URL: "/settlements/" + settlementID, Rollout: ui.ID{Value: "ro_2026_video_render_twenty_percent_up", URL: "/rollouts/x"}, State: state,
		Say: s.l.T("settlement.say_paying", "1,200", "200,000"), Facts: s.settlementTotals(), Totals: s.settlementTotals(),
		Lines: s.settlementLines(), List: s.list(state == "done"), Outcomes: []ui.Option{{Label: s.l.T("filter.any")}}, Zone: "JST",
		Exports: ui.Exports{Say: s.l.T("settlement.export_say", "Asia/Tokyo"), Links: []ui.Link{{Text: "CSV", URL: "/x"}}},
		About: []settlements.About{{Label: s.l.T("settlement.rules"), Value: "video_render@v2 − video_render@v1"}, {Label: s.l.T("settlement.digest"),
			ID: ui.ID{Value: "6a1f0c1c7d3f4f2b8a5b9d0e6a1f0c1c7d3f4f2b8a5b9d0e6a1f0c1c7d3f4f2b"}}},
		History: []settlements.Event{{At: s.at(time.Hour), What: s.l.Maybe("settled.approve", ""), Who: "K. Mori", Reason: "Checked against the sheet of finance, line by line, for all of the accounts"}}}
	switch state {
	case "running":
		m.Running, m.Done, m.Total = true, "1200", "200000"
	case "failed":
		m.Say, m.Problem, m.ResumeURL = s.l.T("settlement.say_stopped", "1,200", "200,000"), s.l.T("settlement.failed"), "/resume"
	case "waits":
		m.Say, m.EditURL, m.ApproveURL = s.l.T("settlement.say_proposed", "Mika Sato", "7 Dec 2026 18:20 JST"), "/edit", "/approve"
	case "done":
		m.Say, m.Hint, m.HintURL = s.l.T("settlement.say_outside", "1,200", "CN-2026-7", "17", "7 Dec 2026 18:20 JST"), s.l.T("settlement.hint", "4"), "/settlements/new"
		m.Account.Value, m.MoreURL = "acct_7Q2M", "/x"
		m.Items = []settlements.Item{
			{Job: job("vr-20377"), Operation: operation("op-20377"), At: s.at(90 * time.Hour), Units: "60", Charged: "48", Baseline: "40", Amount: s.l.Signed(8), State: "paid",
				Result: ui.Link{Text: s.l.T("settlement.entry", "4,110"), URL: "/e"}},
			{Job: job("image-generation-2026-11-26-0000055102"), Operation: operation("op-55102"), At: s.at(90 * time.Hour), Units: bigInteger, Charged: "48", Baseline: "40", Amount: s.l.Signed(8), State: "left_out",
				Why: s.l.Maybe("why.paid_before", "")},
			{Job: job("vr-1"), Operation: operation("op-1"), At: s.at(90 * time.Hour), Units: "60", Charged: "48", Baseline: "40", Amount: s.l.Signed(8), State: "paid", Result: ui.Link{Text: "CN-2026-7"}}}
	}
	return m
}

// settlementPages are the pages of settlements for the gallery.
func (s sample) settlementPages(f layout.Frame) []page {
	changes := []ui.Change{{Label: s.l.T("settlement.jobs"), After: "1,217"}}
	return []page{
		{name: "settlements", view: settlements.Page(f, s.settlements())},
		{name: "settlements-list", view: settlements.ListPart(s.l, s.settlements()), fragment: true},
		{name: "settlements-none", view: settlements.Page(f, settlements.Model{})},
		{name: "settlement-new", view: settlements.NewPage(f, s.settlementForm(false))},
		{name: "settlement-edit", view: settlements.NewPage(f, s.settlementForm(true))},
		{name: "settlement-nothing", view: settlements.NewPage(f, settlements.New{})},
		{name: "settlement-waits", view: settlements.DetailPage(f, s.settlement("waits"))},
		{name: "settlement-running", view: settlements.DetailPage(f, s.settlement("running"))},
		{name: "settlement-failed", view: settlements.DetailPage(f, s.settlement("failed"))},
		{name: "settlement-done", view: settlements.DetailPage(f, s.settlement("done"))},
		{name: "settlement-lines-list", view: settlements.ListOfLines(s.l, s.settlement("done")), fragment: true},
		{name: "settlement-outside", view: settlements.OutsidePage(f, settlements.Outside{Act: s.act(true), ID: settlementID, URL: "/settlements/x", Changes: changes,
			Reference: ui.Field{Error: s.l.Maybe("problem.is required", "")}})},
		{name: "settlement-resume", view: settlements.ResumePage(f, settlements.Resume{Act: s.act(false), ID: settlementID, URL: "/settlements/x", Changes: changes})},
	}
}
