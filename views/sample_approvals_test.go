package views_test

import (
	"strings"
	"time"

	"recoup/views/accounts"
	"recoup/views/approvals"
	"recoup/views/ui"
)

// limited is an account's form where a second person is needed above 100,000 credits.
func limited(who accounts.Subject) accounts.Subject {
	who.Exact, who.Limit = "1284", accounts.Limit{Credits: "100,000", Add: "60,000", Take: "100,000", ExactAdd: "60000", ExactTake: "100000", Used: true}
	return who
}

func (s sample) approval(state string) approvals.Detail {
	d := approvals.Detail{ID: ui.ID{Value: "cr_4k2mfz7q9w1xh3ab", URL: "/approvals/cr_4k2mfz7q9w1xh3ab"}, Title: s.l.T("approval.grant", s.l.Signed(250_000)), State: state,
		Say: s.l.T("approval.say_open", "Mika Sato", s.at(-6*24*time.Hour).Full), Reason: "Annual plan, paid in advance", By: "Mika Sato", Asked: s.at(26 * time.Hour),
		Expires: s.at(-6 * 24 * time.Hour), Operation: operation("7f3c9b02-55e1-4d1c-9f07-c0ffee00a91e"), Digest: strings.Repeat("9af1", 16), Version: "1",
		Before: s.l.Credits(1284), After: s.l.Credits(251_284),
		Lines: []approvals.Line{{Label: s.l.T("approvals.kind"), Value: s.l.T("approval.kind.grant")}, {Label: s.l.T("col.account"), ID: account("acct_7Q2M")},
			{Label: s.l.T("col.credits"), Value: s.l.Signed(250_000)}},
		History: []approvals.Event{{At: s.at(26 * time.Hour), Who: "Mika Sato", What: s.l.T("approval.event.propose"), Reason: "Annual plan, paid in advance"}}}
	if state == "undecided" {
		d.Help = []string{s.l.T("approval.own"), s.l.T("approval.help", "Lena Okafor, Kenji Mori")}
		d.ApproveURL, d.RejectURL, d.WithdrawURL, d.EditURL = d.ID.URL+"/approve", d.ID.URL+"/reject", d.ID.URL+"/withdraw", d.ID.URL+"/edit"
		return d
	}
	d.Before, d.After, d.Decider, d.DecidedAt, d.DecisionReason = "", "", "Lena Okafor", s.at(time.Hour), "Not ours"
	d.Replacement = ui.Link{Text: s.l.T("approval.adjustment", s.l.Signed(-5)), URL: "/approvals/cr_x"}
	d.JSON = `{"amount":` + bigInteger + `}`
	d.History = append(d.History, approvals.Event{At: s.at(2 * time.Hour), Who: "Mika Sato", What: s.l.T("kind.approve"), Reason: s.l.T("fault.own_change_request"), Refused: true})
	return d
}

// stepApproval is the request for a step of a rollout, with what it would do.
func (s sample) stepApproval() approvals.Detail {
	d := s.approval("undecided")
	d.Title, d.Before, d.After = s.l.T("approval.advance_rollout", "ro_2026_discount10", "25 %"), "", ""
	d.ApproveSay = s.l.T("approve.say_step", "Mika Sato")
	d.Lines = []approvals.Line{{Label: s.l.T("col.rollout"), ID: ui.ID{Value: "ro_2026_discount10", URL: "/rollouts/ro_2026_discount10"}},
		{Label: s.l.T("rollout.baseline"), Value: s.l.T("price.unit", "0.667", "second")},
		{Label: s.l.T("rollout.candidate"), Value: s.l.T("rollout.named_off", s.l.T("price.unit", "0.6", "second"), s.l.T("off.percent", "10"))},
		{Label: s.l.T("col.example"), Value: s.l.T("price.example_was", "60", "second", "36", "40")},
		{Label: s.l.T("approval.checks", s.at(40*time.Second).Full), Value: s.l.T("approval.check_is", s.l.T("checks.uniqueness"), s.l.T("state.passed"))}}
	d.Effect = []ui.Change{{Label: s.l.T("step.admitted"), Before: "118", After: s.l.T("effect.about", "2,960", "11,840")},
		{Label: s.l.T("effect.expected"), After: s.l.N("effect.of_paid", 28, s.l.Signed(-4_120), "41,200", s.l.Signed(-115_360))}}
	d.Notes = []string{s.l.N("effect.say", 28, "90,114"), s.l.T("effect.young")}
	return d
}

func (s sample) approvals() approvals.Model {
	row := func(state string, credits int64) approvals.Row {
		return approvals.Row{ID: ui.ID{Value: "cr_4k2mfz7q9w1xh3ab", URL: "/approvals/cr_4k2mfz7q9w1xh3ab"}, Title: s.l.T("approval.grant", s.l.Signed(credits)),
			Account: account("acct_7Q2M"), Credits: s.l.Signed(credits), By: "Mika Sato", Asked: s.at(26 * time.Hour), State: state, Until: s.at(-6 * 24 * time.Hour)}
	}
	decided := row("approved", -9_007_199_254_740_993)
	decided.Decider = "Lena Okafor"
	other := row("expired", 0)
	other.Account, other.Object, other.Credits = ui.ID{}, "rollout:ro_9", ""
	return approvals.Model{Action: "/approvals", Tab: approvals.Mine, Zone: "JST", List: s.list(true),
		Tabs:   []ui.Choice{{Text: approvals.TabName(s.l, approvals.Open), URL: "/approvals", Count: "3"}, {Text: approvals.TabName(s.l, approvals.Mine), URL: "/approvals?tab=mine", Current: true}},
		Kinds:  []ui.Option{{Label: s.l.T("filter.any")}, {Value: "grant", Label: s.l.T("approval.kind.grant")}},
		States: []ui.Option{{Label: s.l.T("filter.any")}, {Value: "expired", Label: s.l.T("state.expired")}},
		Rows:   []approvals.Row{row("undecided", 250_000), decided, other}}
}
