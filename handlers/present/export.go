package present

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"recoup/models/export"
	"recoup/models/ledger"
	"recoup/models/task"
	views "recoup/views/exports"
	entries "recoup/views/ledger"
	"recoup/views/ui"
)

// exportState is the word for how far a file is.
func (p Presenter) exportState(f export.File) string {
	if f.Gone(p.Now) {
		return "expired"
	}
	return string(f.State)
}

// ExportRow is a file in the list of them.
func (p Presenter) ExportRow(f export.File) views.Row {
	r := views.Row{Name: f.Name(), URL: "/exports/" + url.PathEscape(f.ID), State: p.exportState(f), Format: p.L.T("export." + string(f.Input.Format)),
		By: p.actor(f.RequestedBy), At: p.L.Stamp(f.CreatedAt, p.Now), Entries: p.progress(f)}
	if f.Result != nil {
		r.Entries, r.Size = p.L.Credits(f.Result.Entries), p.size(f.Result.Bytes)
		r.Expires = p.Stamp(f.ExpiresAt)
	}
	return r
}

// progress is "12,000 / 1,204,311", as far as it is known.
func (p Presenter) progress(f export.File) string {
	switch {
	case f.State != task.Running:
		return ""
	case f.Total == 0:
		return p.L.Credits(f.Done)
	}
	return p.L.Credits(f.Done) + " / " + p.L.Credits(f.Total)
}

// ExportView is the page of one file.
func (p Presenter) ExportView(f export.File) views.File {
	m := views.File{URL: "/exports/" + url.PathEscape(f.ID), Name: f.Name(), State: p.exportState(f), Running: !f.State.Over(), Progress: p.progress(f),
		Done: strconv.FormatInt(f.Done, 10), Total: strconv.FormatInt(f.Total, 10), Format: p.L.T("export." + string(f.Input.Format)), Zone: f.Input.Zone,
		By: p.actor(f.RequestedBy), At: p.L.Stamp(f.CreatedAt, p.Now), Filters: p.filterWords(f.Input), PageURL: f.Input.Page, Expires: p.Stamp(f.ExpiresAt)}
	if f.State == task.Failed {
		m.Problem = p.L.Maybe("fault."+f.Error, p.L.T("exports.failed"))
	}
	if f.Result == nil {
		return m
	}
	moment := p.L.Stamp(f.Result.At, p.Now)
	m.Facts = []ui.Fact{{Label: p.L.T("exports.entries"), Value: p.L.Credits(f.Result.Entries), Note: p.L.T("exports.as_of", moment.Full)}, {Label: p.L.T("exports.size"), Value: p.size(f.Result.Bytes)}}
	for _, t := range f.Result.Totals {
		m.Facts = append(m.Facts, ui.Fact{Label: p.L.Maybe("type."+string(t.Type), string(t.Type)), Type: string(t.Type), Value: p.L.SignedSum(t.Credits),
			Note: p.L.N("count.entries", t.Entries), Change: true})
	}
	return m
}

// filterWords are the conditions of a file in the words of the filters' chips.
func (p Presenter) filterWords(in export.Input) (out []ui.Chip) {
	f := in.Filter
	add := func(label, value string) {
		if value != "" {
			out = append(out, ui.Chip{Label: label, Value: value})
		}
	}
	for _, t := range f.Types {
		add(p.L.T("col.type"), p.L.Maybe("type."+string(t), string(t)))
	}
	add(p.L.T("filter.account"), f.AccountID)
	add(p.L.T("filter.job"), f.JobID)
	add(p.L.T("filter.operation"), f.OperationID)
	add(p.L.T("col.rule_version"), f.RuleVersion)
	add(p.L.T("filter.rollout"), f.RolloutID)
	add(p.L.T("filter.action"), f.Action)
	add(p.L.T("filter.cohort"), p.L.Maybe("cohort."+f.Cohort, f.Cohort))
	add(p.L.T("filter.category"), p.L.Maybe("category."+f.Category, f.Category))
	if f.Actor != "" {
		add(p.L.T("filter.actor"), p.actor(f.Actor))
	}
	low, high := p.L.T("filter.min"), p.L.T("filter.max")
	if f.AnySign {
		low, high = p.L.T("filter.min_any_sign"), p.L.T("filter.max_any_sign")
	}
	if f.MinAmount != nil {
		add(low, p.L.Credits(*f.MinAmount))
	}
	if f.MaxAmount != nil {
		add(high, p.L.Credits(*f.MaxAmount))
	}
	add(p.L.T("period.label"), p.periodWords(f, in.Zone))
	return out
}

// periodWords names the days of a filter in the zone that they were chosen in, the last one included.
func (p Presenter) periodWords(f ledger.Filter, name string) string {
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = time.UTC
	}
	l := p.L
	l.Zone = zone
	var first, last time.Time
	if f.From != nil {
		first = f.From.In(zone)
	}
	if f.To != nil {
		last = f.To.In(zone).Add(-time.Nanosecond)
	}
	days := ""
	switch {
	case f.From == nil && f.To == nil:
		return ""
	case f.From == nil:
		days = l.T("period.until", l.Days(last, last))
	case f.To == nil:
		days = l.T("period.since", l.Days(first, first))
	default:
		days = l.Days(first, last)
	}
	return entries.PeriodChip(l, days, name)
}

// size is a number of bytes as people read it: "840 B", "1.4 MB".
func (p Presenter) size(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	v, units := float64(n)/1000, []string{"kB", "MB", "GB", "TB"}
	for len(units) > 1 && v >= 999.95 {
		v, units = v/1000, units[1:]
	}
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") + " " + units[0]
}
