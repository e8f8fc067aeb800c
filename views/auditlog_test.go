package views_test

import (
	"time"

	"recoup/views/auditlog"
	"recoup/views/ledger"
	"recoup/views/ui"
)

func (s sample) auditLog() auditlog.Model {
	return auditlog.Model{
		Filter: auditlog.Filter{Action: "/audit", Actors: []ui.Option{{Value: "Mika Sato"}}, Actions: auditlog.ActionOptions(s.l, []string{"freeze", "put_account"}, "freeze"),
			Outcomes: auditlog.OutcomeOptions(s.l, "refused"), Period: ledger.Filter{Periods: ledger.PeriodOptions(s.l, "")}},
		Zone: "JST", List: s.list(true), Exports: ui.Exports{Say: s.l.T("audit.export_say", "Asia/Tokyo"), Links: []ui.Link{{Text: "CSV", URL: "/audit/export"}}},
		Rows: []auditlog.Row{
			{At: s.at(time.Hour), Who: "Mika Sato", Actor: "staff:st_1", Action: s.l.Maybe("kind.put_account", ""), Object: account("acct_7Q2M"), State: "done", Reason: "Asked by mail",
				Changes:   []ui.Change{{Label: "plan", Before: "studio", After: "enterprise"}, {Label: "attributes.external_number", Before: s.l.T("profile.absent"), After: bigInteger}},
				Operation: operation("0198c3f2-7d3e-7c1a-9a53-1be0a91e4411"), Request: ui.ID{Value: "req-0198c3f27d3e"}},
			{At: s.at(2 * time.Hour), Who: "api:platform", Actor: "key:platform", Action: s.l.Maybe("kind.charge", ""), Object: ui.ID{Value: "account:acct_7Q2M/job:vr-20377", URL: "/j"}, State: "refused",
				Code: "insufficient_credits", Reason: "The balance does not cover the cost.", Request: ui.ID{Value: "req-0198c3f27d3f"}},
		},
	}
}
