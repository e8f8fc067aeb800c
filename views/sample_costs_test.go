package views_test

import (
	"fmt"
	"time"

	"recoup/views/costs"
	"recoup/views/layout"
	"recoup/views/ledger"
	"recoup/views/ui"
)

func (s sample) costTabs(here string) []ui.Choice {
	var out []ui.Choice
	for _, t := range [][2]string{{"costs.records", "/costs"}, {"state.unattributed", "/costs?state=unattributed"}, {"costs.imports", "/costs/imports"}, {"costs.rules", "/costs/rules"}, {"costs.margin", "/costs/margin"}} {
		out = append(out, ui.Choice{Text: s.l.Maybe(t[0], t[0]), URL: t[1], Current: t[1] == here})
	}
	return out
}

func (s sample) costTotals() []costs.Total {
	return []costs.Total{{Currency: "EUR", Amount: s.l.Decimal("-1234567.5"), Count: s.l.N("costs.count", 1)}, {Currency: "USD", Amount: s.l.Decimal("2.7253408097"), Count: s.l.N("costs.count", 200)}}
}

func (s sample) costList() costs.List {
	m := costs.List{Action: "/costs", Tabs: s.costTabs("/costs"), Periods: s.periods("this_month"), States: costs.StateOptions(s.l, "unattributed"), Period: ledger.PeriodOptions(s.l, "this_month"),
		Zone: "JST", Totals: s.costTotals(), Import: "i", Rule: "r",
		Exports: ui.Exports{Say: s.l.T("costs.export_say", "Asia/Tokyo"), Links: []ui.Link{{Text: "CSV", URL: "/costs/export"}}},
		List:    ui.List{ClearURL: "/costs", Chips: []ui.Chip{{Label: s.l.T("costs.source"), Value: "aws", RemoveURL: "/costs"}}, Pager: ui.Pager{NewerURL: "/n", OlderURL: "/o"}}}
	states := []string{"unattributed", "attributed", "overhead"}
	for i := range 24 {
		r := costs.Row{ID: ui.ID{Value: fmt.Sprintf("row:2b9fa1c04d1d13e7aa91e:%d", i), URL: "/costs/records/1"}, At: s.at(time.Duration(i) * time.Hour), Source: "render-farm",
			Description: "$0.008 per used Application load balancer capacity unit-hour (or partial hour)", State: states[i%3], Action: "video_render", Amount: s.l.Decimal("0.00001605990"), Currency: "USD", AttributeURL: "/a"}
		if i%3 == 1 {
			r.Job = job("vr-20377")
		}
		if i == 3 {
			r.Amount, r.Currency = s.l.Decimal("-99999999999999999999.000000000000000000000000000001"), "JPY"
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

func (s sample) costRecord() costs.Record {
	return costs.Record{ID: ui.ID{Value: "row:2b9fa1c04d1d13e7aa91e:1"}, State: "unattributed", Say: s.l.T("costs.record_of_period", "2026-12-01 00:00 JST"), Amount: "0.0000160599 USD", Zone: "JST", AttributeURL: "/a", RuleURL: "/r",
		Facts:      []costs.Fact{{Label: s.l.T("costs.source"), Value: "aws"}, {Label: s.l.T("costs.external_id"), ID: ui.ID{Value: "row:2b9fa1c04d1d13e7aa91e:1"}}},
		Dimensions: []costs.Fact{{Label: "ServiceName", Value: "Amazon Simple Queue Service"}, {Label: "Tags.business_unit", Value: "ViennaAI"}},
		History: []costs.Change{{At: s.at(time.Hour), State: "unattributed", To: s.l.T("costs.nobody"), Why: s.l.T("cost_cause.recorded"), By: "api:platform"},
			{At: s.at(2 * time.Hour), State: "attributed", To: "acct_7Q2M / vr-20377", Why: s.l.T("cost_cause.person"), By: "Mika Sato", Reason: "The invoice names the customer and the render"}}}
}

func (s sample) costPages(f layout.Frame) []page {
	imports := costs.Imports{Tabs: s.costTabs("/costs/imports"), NewURL: "/new", Zone: "JST"}
	for _, state := range []string{"uploaded", "waiting", "running", "done", "failed", "canceled"} {
		imports.Rows = append(imports.Rows, costs.Import{File: ui.Link{Text: "cur-2026-11.csv", URL: "/i"}, Source: "aws", At: s.at(time.Hour), By: "Mika Sato", State: state, Say: s.l.T("costs.preview_again")})
	}
	preview := costs.Preview{Act: s.act(false), Foreseen: s.l.T("costs.foreseen", "180", "12", "8", "0"), Caution: s.l.N("costs.foreseen_nobody", 8) + " " + s.l.N("costs.foreseen_halts", 2, "ro_2026_discount10, ro_2026_upscale"), Title: "cur-2026-11.csv", State: "running", Say: s.l.T("costs.preview_going"), Facts: s.costRecord().Facts, Totals: s.costTotals(), Going: true, Done: "1000",
		Total: "2500", Progress: s.l.T("costs.progress", "1,000", "2,500"), URL: "/i", RecordsURL: "/costs?import=i", More: s.l.T("costs.and_more", "180"),
		Lines: []costs.Line{{Number: "2", ID: ui.ID{Value: "row:2b9fa1c04d1d13e7aa91e:1"}, At: "2026-11-30 12:00:00", Amount: s.l.Decimal("0.0000008"), Currency: "USD", Job: "acct_7 / j1", Text: "$0.40 per million Amazon SQS standard requests"}}}
	broken := costs.Preview{Act: s.act(false), Title: "broken.csv", State: "uploaded", Say: s.l.T("costs.preview_bad"), Problems: []string{s.l.T("costline.at_column", "57", "BilledCost", s.l.Maybe("problem.must be a decimal number such as 12.5 or -0.004", "")),
		s.l.T("costline.at_column", "58", "x_LineId", s.l.T("costline.recorded", "line-0058"))}, MoreBad: true}
	upload := costs.Upload{Act: s.act(false), Sources: []string{"aws"}, Limit: "16 MiB", Columns: []costs.Fact{{Label: "external_id", Value: s.l.T("costs.column_needed", s.l.Maybe("own_column.external_id", ""))}, {Label: "job_id", Value: s.l.Maybe("own_column.job_id", "")}}, Formats: []ui.Option{{Value: "focus", Label: s.l.T("cost_format.focus"), Selected: true}, {Value: "recoup", Label: s.l.T("cost_format.recoup")}},
		Amounts: []ui.Option{{Value: "BilledCost", Label: "BilledCost"}}}
	rules := costs.Rules{Tabs: s.costTabs("/costs/rules"), NewURL: "/new", Zone: "JST", Rows: []costs.Rule{
		{Match: "aws · ServiceName = Amazon Simple Queue Service", Author: "Mika Sato", Made: s.at(time.Hour), Reason: "No job uses it alone", Records: "1,204", ListURL: "/l", RetireURL: "/r"},
		{Match: "office", Author: "Mika Sato", Made: s.at(time.Hour), Reason: "Rent", Records: "3", ListURL: "/l", Retired: s.at(time.Minute), RetiredBy: "Mika Sato"}}}
	margin := costs.Margin{Tabs: s.costTabs("/costs/margin"), Bys: []ui.Choice{{Text: s.l.T("cost_by.action"), URL: "/b", Current: true}}, Periods: s.periods("this_month"), Period: "1–30 Nov 2026", Zone: "Asia/Tokyo",
		Group: s.l.T("cost_by.action"), Unset: "EUR", Coverage: s.l.T("costs.coverage", "1,001", "1,204"), Overhead: s.costTotals(), Unattributed: s.costTotals(), ValueURL: "/v",
		Rows: []costs.MarginRow{{Group: ui.ID{Value: "video_render"}, Currency: "USD", Charged: "43,344", Revenue: "433.44", Cost: "120.000004", Margin: "313.439996", Records: s.l.N("costs.count", 12), Cohort: s.l.T("cohort.candidate"), Coverage: s.l.T("costs.coverage_of", "1,001", "1,204")},
			{Name: s.l.T("costs.no_group"), Currency: "EUR", Charged: "0", Cost: "7.00", Records: s.l.N("costs.count", 1)}},
		Values: []costs.Value{{Currency: "USD", Value: "0.01", From: s.at(time.Hour), By: "Mika Sato", Reason: "List price"}, {Currency: "USD", Value: "0.1", From: s.at(time.Hour), By: "Mika Sato", Reason: "List price", Replaced: true}}}
	return []page{
		{name: "costs", view: costs.ListPage(f, s.costList())},
		{name: "costs-list", view: costs.ListPart(s.l, s.costList()), fragment: true},
		{name: "cost", view: costs.RecordPage(f, s.costRecord())},
		{name: "cost-attribute", view: costs.AttributePage(f, costs.Attribute{Act: s.act(true), ID: "row:2b9fa1c04d1d13e7aa91e:1", URL: "/c", Amount: "0.0000160599 USD", Seq: "1", Before: s.l.T("costs.nobody")})},
		{name: "cost-rules", view: costs.RulesPage(f, rules)},
		{name: "cost-rule", view: costs.NewRulePage(f, costs.NewRule{Act: s.act(false)})},
		{name: "cost-rule-retire", view: costs.RetirePage(f, costs.Retire{Act: s.act(false), Match: "office"})},
		{name: "cost-imports", view: costs.ImportsPage(f, imports)},
		{name: "cost-upload", view: costs.UploadPage(f, upload)},
		{name: "cost-preview", view: costs.PreviewPage(f, preview)},
		{name: "cost-preview-broken", view: costs.PreviewPage(f, broken)},
		{name: "cost-margin", view: costs.MarginPage(f, margin)},
		{name: "cost-value", view: costs.NewValuePage(f, costs.NewValue{Act: s.act(false), Zone: "Asia/Tokyo"})},
	}
}

// bareCosts are the pages with nothing on them.
func bareCosts(f layout.Frame) []page {
	return []page{
		{name: "costs", view: costs.ListPage(f, costs.List{})},
		{name: "cost", view: costs.RecordPage(f, costs.Record{})},
		{name: "cost-rules", view: costs.RulesPage(f, costs.Rules{})},
		{name: "cost-imports", view: costs.ImportsPage(f, costs.Imports{})},
		{name: "cost-upload", view: costs.UploadPage(f, costs.Upload{})},
		{name: "cost-preview", view: costs.PreviewPage(f, costs.Preview{Title: "f"})},
		{name: "cost-margin", view: costs.MarginPage(f, costs.Margin{})},
	}
}
