package views_test

import (
	"fmt"
	"strings"
	"time"

	"recoup/views/months"
	"recoup/views/ui"
)

func (s sample) monthList() months.List {
	m := months.List{Zone: "Asia/Tokyo", Kinds: []string{"grant", "charge", "refund", "reclaim", "adjustment"}, List: s.list(false)}
	m.List.Pager = ui.Pager{OlderURL: "/months?before=2026-10"}
	for _, r := range []struct {
		month time.Month
		state string
	}{{time.November, ""}, {time.October, "open"}, {time.September, "closed"}} {
		m.Rows = append(m.Rows, months.Row{Month: ui.Link{Text: s.l.MonthName(2026, r.month), URL: "/months/2026-10"}, Opening: s.l.Credits(1248000), State: r.state,
			Types: []string{s.l.Signed(900000), s.l.Signed(-712044), s.l.Signed(40120), s.l.Signed(-9000), s.l.Signed(0)}, Closing: s.l.Sum(bigInteger)})
	}
	return m
}

// month is a closed month that the ledger no longer agrees with, with everything that its page can show.
func (s sample) month() months.Model {
	figure := func(n int64) ui.Link { return ui.Link{Text: s.l.Signed(n), URL: "/ledger?type=charge"} }
	line := func(name string, part bool) months.Line {
		return months.Line{Name: ui.Link{Text: name, URL: "/ledger?rule_version=" + name}, Part: part, Entries: "1,284", Charged: figure(-712044), Refunded: figure(40120),
			Reclaimed: figure(-9000), Delivered: ui.Link{Text: s.l.Sum(bigInteger), URL: "/ledger"}, Adjusted: figure(-53)}
	}
	m := months.Model{Title: s.l.MonthName(2026, time.November), State: "closed", Say: []string{s.l.T("month.say", "1–30 Nov 2026", "Asia/Tokyo")},
		Around: []ui.Choice{{Text: s.l.MonthName(2026, time.October), URL: "/months/2026-10"}, {Text: s.l.MonthName(2026, time.November), URL: "/months/2026-11", Current: true}},
		Facts: []ui.Fact{{Label: s.l.T("months.opening"), Value: s.l.Credits(1248000), URL: "/ledger"},
			{Label: s.l.T("type.grant"), Type: "grant", Value: s.l.Signed(900000), Note: s.l.N("count.entries", 12), URL: "/ledger"},
			{Label: s.l.T("type.charge"), Type: "charge", Value: s.l.Signed(-712044), Note: s.l.N("count.entries", 1284), URL: "/ledger"},
			{Label: s.l.T("type.refund"), Type: "refund", Value: s.l.Signed(40120), Note: s.l.N("count.entries", 80)},
			{Label: s.l.T("type.reclaim"), Type: "reclaim", Value: s.l.Signed(-9000), Note: s.l.N("count.entries", 1)},
			{Label: s.l.T("type.adjustment"), Type: "adjustment", Value: s.l.Signed(0), Note: s.l.N("count.entries", 0)},
			{Label: s.l.T("months.closing"), Value: s.l.Sum(bigInteger)}},
		Jobs: []ui.Fact{{Label: s.l.T("month.delivered"), Value: s.l.Credits(680924), Note: s.l.T("month.delivered_note")},
			{Label: s.l.T("month.unsettled"), Value: s.l.Credits(1204), Note: s.l.N("month.unsettled_note", 3)},
			{Label: s.l.T("month.open_refunds"), Value: s.l.Credits(31120), Note: s.l.N("month.open_refunds_note", 79)}},
		Tie: months.Tie{Sum: s.l.T("month.tie_sum", "1,248,000", "+219,076", "1,467,076"), All: s.l.T("month.tie_differs", "30 Nov 2026 18:12:34 JST", "1,467,077", s.l.Signed(-1), "30 Nov 2026 18:12:01 JST"),
			Breaks: []string{s.l.T("month_break.before", "1,248,000", "1,248,001"), s.l.T("month_break.closed", "1,467,076", "1,467,075"), s.l.T("month.tie_problems", "30 Nov 2026 02:00:00 JST", "Derived sums")},
			State:  "failed",
			Found: []months.Found{{Check: s.l.Maybe("check.hash", ""), Entry: ui.Link{Text: "acct_7Q2M #4,110", URL: "/e"}, Finding: ui.Finding{Say: s.l.Maybe("wrong.hash", ""), Message: "The hash is not that of the entry.",
				Expected: strings.Repeat("0198c3f2", 8), Found: strings.Repeat("a91e4427", 8)}}}},
		Closed: &months.Closed{By: s.l.T("month.closed_by", "Mika Sato", "1 Dec 2026 09:00:00 JST", "Books of November"), Digest: ui.ID{Value: strings.Repeat("0198c3f2", 8)},
			Heads: ui.ID{Value: strings.Repeat("a91e4427", 8)}, Differs: []months.Difference{{Figure: s.l.T("type.grant"), Stored: "12 / 900,000", Now: "13 / 900,005"}}},
		Obstacle: s.l.T("month.cannot_close", s.l.T("conflict.month_settling")), CloseURL: "/months/2026-11/close",
		Exports:    ui.Exports{Say: s.l.T("month.export"), Links: []ui.Link{{Text: s.l.T("export.csv"), URL: "/months/2026-11/export"}}},
		Rules:      []months.Line{line("video_render", false), line("video_render@v4", true), line("video_upscale", false), line("video_upscale@v12", true)},
		Rollouts:   []months.Line{line("ro_9", false), line("candidate", true), line(s.l.T("month.no_rollout"), false)},
		Categories: []months.Category{{Name: s.l.Maybe("category.paid", "paid"), Entries: "12", Credits: figure(900000)}},
		Credits: &months.Chart{Width: "300", Zero: "40", Top: s.l.T("month.axis_credits", s.l.SignedSum(bigInteger)), Bottom: s.l.T("month.axis_credits", s.l.Signed(-48000)), Say: s.l.T("month.chart_credits_say", "100,000", "48,000"), Days: []string{"Sun 1 Nov", "Sun 15 Nov", "Mon 30 Nov"},
			Kinds: []string{"grant", "charge", "refund", "reclaim", "adjustment"}},
		Rates: &months.Chart{Width: "300", Top: s.l.T("month.axis_rate", "12.5 %"), Bottom: "0 %", Say: s.l.T("month.chart_rates_say", "12.5 %"), Days: []string{"Sun 1 Nov", "Sun 15 Nov", "Mon 30 Nov"}, Kinds: []string{"refund", "reclaim"},
			Head: []string{s.l.T("month.refund_rate"), s.l.T("month.reclaim_rate")}},
	}
	for _, k := range m.Credits.Kinds {
		m.Credits.Head = append(m.Credits.Head, s.l.Maybe("type."+k, k))
	}
	for i := range 30 {
		day := s.l.ShortDay(time.Date(2026, 11, i+1, 0, 0, 0, 0, tokyo))
		x := fmt.Sprintf("%d", 10*i+1)
		m.Credits.Bars = append(m.Credits.Bars, months.Bar{X: x, Y: fmt.Sprintf("%d", 40-i), Width: "7", Height: fmt.Sprintf("%d", i), Type: "grant", Title: day},
			months.Bar{X: x, Y: "40", Width: "7", Height: fmt.Sprintf("%d", 60-i), Type: "charge", Title: day})
		m.Rates.Bars = append(m.Rates.Bars, months.Bar{X: x, Y: fmt.Sprintf("%d", 100-2*i), Width: "3", Height: fmt.Sprintf("%d", 2*i), Type: "refund", Title: day})
		m.Credits.Rows = append(m.Credits.Rows, months.ChartRow{Day: day, Cells: []ui.Link{figure(30000), figure(-24001), figure(1200), figure(-300), {Text: "0"}}})
		m.Rates.Rows = append(m.Rates.Rows, months.ChartRow{Day: day, Cells: []ui.Link{{Text: "5.0 %"}, {Text: "–"}}})
	}
	return m
}

func (s sample) closeMonth() months.Close {
	return months.Close{Act: s.act(true), Name: s.l.MonthName(2026, time.November), Month: "2026-11", URL: "/months/2026-11", Digest: strings.Repeat("0198c3f2", 8),
		Changes: []ui.Change{{Label: s.l.T("close.state"), Before: s.l.T("state.open"), After: s.l.T("state.closed")}, {Label: s.l.T("months.closing"), After: s.l.Sum(bigInteger)}},
		Confirm: ui.Field{Value: "2026-10", Error: s.l.Maybe("problem.must be the month as it is written above", "")}}
}
