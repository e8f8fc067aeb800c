package present

import (
	"strconv"
	"strings"
	"time"

	"recoup/models/deadletter"
	"recoup/views/groups"
	"recoup/views/text"
	"recoup/views/ui"
)

// groupState is the word for a group's state, "" for an open one.
func groupState(g deadletter.Group) string {
	switch {
	case g.Returned():
		return "returned"
	case g.ResolvedAt != nil:
		return "resolved"
	case g.Quiet:
		return "snoozed"
	}
	return ""
}

// trend is a group's deaths by step of a week; nil counts are steps without any.
func (p Presenter) trend(counts []int64, steps int) groups.Trend {
	if counts == nil {
		counts = make([]int64, steps)
	}
	var sum int64
	for _, n := range counts {
		sum += n
	}
	return groups.Trend{Counts: counts, Label: p.L.N("groups.trend_label", sum)}
}

// GroupRow is one group of the list.
func (p Presenter) GroupRow(g deadletter.Group, counts []int64, steps int) groups.Row {
	note, _, _ := strings.Cut(g.Note, "\n")
	row := groups.Row{Pattern: text.Visible(g.Pattern), Code: g.ErrorCode, Action: g.Action, State: groupState(g), Open: p.L.Credits(g.Open), Accounts: p.L.Credits(g.Accounts),
		Credits: p.L.Sum(g.Refunded.String()), First: p.Stamp(g.FirstAt), Last: p.Stamp(g.LastAt), Trend: p.trend(counts, steps), Note: note}
	if g.Charged.Sign() > 0 {
		row.Charged = p.L.Sum(g.Charged.String())
	}
	return row
}

// GroupPage is everything about one group that its page shows.
type GroupPage struct {
	Group deadletter.Group
	Trend []int64
	// Step is how long one of the Steps of Trend is.
	Step     time.Duration
	Steps    int
	Versions []deadletter.Share
	Accounts []deadletter.Share
	Samples  []deadletter.Letter
}

// GroupView maps a group to its page; the caller adds what may be done with it.
func (p Presenter) GroupView(d GroupPage) groups.Group {
	g := d.Group
	m := groups.Group{ID: g.Fingerprint, Title: text.Visible(g.Pattern), Code: g.ErrorCode, Action: g.Action, Dependency: g.Dependency, State: groupState(g), Zone: p.L.ZoneLabel(p.Now),
		Trend: p.trend(d.Trend, d.Steps), Note: g.Note, Link: g.Link, Revision: strconv.Itoa(g.Revision)}
	if m.Title == "" {
		m.Title = g.ErrorCode
	}
	if m.Title == "" {
		m.Title = p.L.T("groups.no_message")
	}
	switch {
	case g.Returned():
		m.Say = p.L.T("groups.say_returned", p.Stamp(g.ResolvedAt).Full, p.Stamp(g.LastAt).Full)
	case g.ResolvedAt != nil:
		m.Say = p.L.T("groups.say_resolved", p.Stamp(g.ResolvedAt).Full)
	case g.Quiet && g.SnoozedUntil != nil && g.SnoozeMore > 0:
		m.Say = p.L.T("groups.say_both", p.Stamp(g.SnoozedUntil).Full, p.L.Credits(int64(g.SnoozeLeft)))
	case g.Quiet && g.SnoozedUntil != nil:
		m.Say = p.L.T("groups.say_until", p.Stamp(g.SnoozedUntil).Full)
	case g.Quiet:
		m.Say = p.L.T("groups.say_more", p.L.Credits(int64(g.SnoozeLeft)))
	default:
		m.Say = p.L.T("groups.say_open", p.L.N("count.open_letters", g.Open), p.L.N("count.accounts", g.Accounts))
	}
	m.Facts = []ui.Fact{
		{Label: p.L.T("groups.open"), Value: p.L.Credits(g.Open)},
		{Label: p.L.T("groups.accounts"), Value: p.L.Credits(g.Accounts)},
		{Label: p.L.T("groups.refunded"), Value: p.L.Sum(g.Refunded.String())},
		{Label: p.L.T("dead.charged"), Value: p.L.Sum(g.Charged.String()), Note: p.L.T("dead.charged_note")},
		{Label: p.L.T("groups.first"), Value: p.Stamp(g.FirstAt).Relative, Note: p.Stamp(g.FirstAt).Full},
		{Label: p.L.T("groups.last_seen"), Value: p.Stamp(g.LastAt).Relative, Note: p.Stamp(g.LastAt).Full},
	}
	if g.ChangedAt != nil {
		m.Changed = p.L.T("conflict.by", p.actor(g.ChangedBy), p.Stamp(g.ChangedAt).Full)
	}
	for i, n := range m.Trend.Counts {
		from := p.Now.Add(-time.Duration(len(m.Trend.Counts)-i) * d.Step)
		m.Trend.Steps = append(m.Trend.Steps, groups.Step{From: p.L.Stamp(from, p.Now), Count: p.L.Credits(n)})
	}
	for _, s := range d.Versions {
		name := s.Value
		if name == "" {
			name = p.L.T("groups.no_version")
		}
		m.Versions = append(m.Versions, groups.Share{Value: ui.Link{Text: name}, Count: p.L.Credits(s.Count)})
	}
	for _, s := range d.Accounts {
		m.Accounts = append(m.Accounts, groups.Share{Value: ui.Link{Text: s.Value, URL: AccountURL(s.Value)}, Count: p.L.Credits(s.Count)})
	}
	for _, l := range d.Samples {
		m.Samples = append(m.Samples, groups.Sample{Job: Job(l.AccountID, l.JobID), Account: Account(l.AccountID), Message: text.Visible(l.ErrorMessage),
			Died: p.L.Stamp(l.DeadAt, p.Now), Cost: p.L.Credits(l.Cost)})
	}
	return m
}
