package views_test

import (
	"strconv"
	"time"

	"recoup/views/exports"
	"recoup/views/text"
	"recoup/views/ui"
)

const exportName = "recoup_ledger_2026-11-01_2026-11-30_Asia-Tokyo_1204311-entries_at_20261130T182000+0900.xlsx"

func (s sample) exportStart() exports.Start {
	return exports.Start{Act: s.act(false), Limit: "100,000", Format: s.l.T("export.csv"), Zone: "Asia/Tokyo", Keep: s.l.Duration(24 * time.Hour), Filters: s.list(true).Chips,
		Page: ui.Link{Text: s.l.T("ledger.title"), URL: "/ledger"}, NowURL: "/ledger/export?format=csv&now=1"}
}

func (s sample) exports() exports.Model {
	m := exports.Model{Zone: "JST", All: true, Shown: "100", Keep: s.l.Duration(24 * time.Hour), Tabs: []ui.Choice{{Text: s.l.T("exports.mine"), URL: "/exports"}, {Text: s.l.T("exports.all"), URL: "/exports?of=all", Current: true}}}
	for i, state := range []string{"waiting", "running", "done", "expired", "failed", "canceled"} {
		r := exports.Row{Name: exportName, URL: "/exports/" + strconv.Itoa(i), State: state, Format: "XLSX", By: "Mika Sato", At: s.at(time.Duration(i*i) * time.Hour)}
		switch state {
		case "running":
			r.Entries = "480,000 / 1,204,311"
		case "done", "expired":
			r.Entries, r.Size, r.Expires = "1,204,311", "96.4 MB", s.at(time.Duration(i-3)*time.Hour)
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

func (s sample) export(state string) exports.File {
	m := exports.File{URL: "/exports/x", Name: exportName, State: state, Format: "XLSX", Zone: "Asia/Tokyo", By: "Mika Sato", At: s.at(time.Hour), Done: "480000", Total: "1204311",
		Filters: s.list(true).Chips, PageURL: "/ledger?type=refund"}
	switch state {
	case "running":
		m.Running, m.Progress, m.CancelURL = true, "480,000 / 1,204,311", "/exports/x/cancel"
		return m
	case "expired":
		m.AgainURL = "/ledger/export?format=xlsx"
	default:
		m.FileURL = "/exports/x/file"
	}
	m.Expires = s.at(-23 * time.Hour)
	m.Facts = []ui.Fact{{Label: s.l.T("exports.entries"), Value: "1,204,311", Note: s.l.T("exports.as_of", s.at(time.Hour).Full)}, {Label: s.l.T("exports.size"), Value: "96.4 MB"},
		{Label: s.l.T("type.refund"), Type: "refund", Value: "+" + bigInteger, Note: s.l.N("count.entries", 1204311), Change: true}, {Label: s.l.T("type.charge"), Type: "charge", Value: text.Minus + "40", Note: s.l.N("count.entries", 1), Change: true}}
	return m
}
