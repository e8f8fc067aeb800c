package present

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"recoup/models/calendar"
	"recoup/models/credit"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/views/accounts"
	views "recoup/views/ledger"
)

// AccountRow is one account of the list.
func (p Presenter) AccountRow(a ledger.Account) accounts.Row {
	return accounts.Row{ID: Account(a.ID), Name: a.Name, Plan: a.Plan, Balance: p.L.Credits(a.Balance), NegFor: p.age(a.NegativeSince),
		Frozen: a.FrozenAt != nil, LastEntry: p.Stamp(a.LastAt)}
}

func (p Presenter) age(since *time.Time) string {
	if since == nil {
		return ""
	}
	return p.L.Age(*since, p.Now)
}

// Statement is the part of an account's page that comes from the account alone.
func (p Presenter) Statement(a ledger.Account) accounts.Statement {
	m := accounts.Statement{ID: Account(a.ID), Name: a.Name, Frozen: a.FrozenAt != nil, Balance: p.L.Credits(a.Balance),
		NegFor: p.age(a.NegativeSince), NegSince: p.Stamp(a.NegativeSince), Entries: p.L.N("count.entries", a.LastSeq)}
	for _, x := range []struct{ label, value string }{{"col.plan", a.Plan}, {"profile.region", a.Region}} {
		if x.value != "" {
			m.Profile = append(m.Profile, accounts.Attribute{Name: p.L.T(x.label), Value: x.value})
		}
	}
	var attributes map[string]string
	if json.Unmarshal([]byte(a.Attributes), &attributes) == nil {
		for k, v := range attributes {
			m.Profile = append(m.Profile, accounts.Attribute{Name: k, Value: v})
		}
	}
	fixed := len(m.Profile) - len(attributes)
	slices.SortFunc(m.Profile[fixed:], func(x, y accounts.Attribute) int { return strings.Compare(x.Name, y.Name) })
	created := p.L.Stamp(a.CreatedAt, p.Now)
	m.Profile = append(m.Profile, accounts.Attribute{Name: p.L.T("profile.since"), Value: created.Full})
	return m
}

// FrozenBy says of a frozen account who froze it, when and why; f is nil where nobody is recorded.
func (p Presenter) FrozenBy(a ledger.Account, f *ledger.Freezing) string {
	at := p.L.Stamp(*a.FrozenAt, p.Now).Full
	if f == nil {
		return p.L.T("statement.frozen", at)
	}
	return p.L.T("statement.frozen_by", p.actor(f.Actor), at, f.Reason)
}

// Period sums up a statement's period. first and last are its days, zero for an open end.
func (p Presenter) Period(opening, closing int64, totals []ledger.Total, first, last time.Time) (*accounts.Period, string) {
	m := accounts.Period{Opening: p.L.Credits(opening), Closing: p.L.Credits(closing), OpeningAt: p.L.T("period.beginning"), ClosingAt: p.L.T("period.now")}
	if !first.IsZero() {
		m.OpeningAt = p.L.Days(first, first)
	}
	if !last.IsZero() && last.AddDate(0, 0, 1).Before(p.Now) {
		m.ClosingAt = p.L.Days(last, last)
	}
	var entries int64
	for _, t := range totals {
		entries += t.Count
		m.Totals = append(m.Totals, p.Total(t))
	}
	return &m, p.L.N("count.entries", entries)
}

// Day is the entries of one day of the person's zone that a page holds, newest first.
type Day struct {
	// Begin and End are the day's midnights; End is exclusive.
	Begin, End time.Time
	Entries    []ledger.Entry
	// Opening and Closing are the balances at the day's ends; the caller fills them.
	Opening, Closing int64
}

// Days groups entries, newest first, by day.
func (p Presenter) Days(entries []ledger.Entry) []Day {
	zone := p.L.Zone
	if zone == nil {
		zone = time.UTC
	}
	var days []Day
	for _, e := range entries {
		y, m, d := e.CreatedAt.In(zone).Date()
		begin := calendar.Day(y, m, d, zone)
		if len(days) == 0 || !days[len(days)-1].Begin.Equal(begin) {
			// By the calendar, not by 24 hours: clocks change, at midnight too.
			days = append(days, Day{Begin: begin, End: calendar.Day(y, m, d+1, zone)})
		}
		last := &days[len(days)-1]
		last.Entries = append(last.Entries, e)
	}
	return days
}

// DayViews shows days whose balances are known.
func (p Presenter) DayViews(days []Day) []accounts.Day {
	var out []accounts.Day
	for _, d := range days {
		v := accounts.Day{Name: p.L.LongDay(d.Begin), Entries: p.L.N("count.entries", int64(len(d.Entries))), Opening: p.L.Credits(d.Opening),
			Net: p.L.Signed(d.Closing - d.Opening), Closing: p.L.Credits(d.Closing), Rows: make([]views.Entry, 0, len(d.Entries))}
		var shown credit.Sum
		for _, e := range d.Entries {
			v.Rows = append(v.Rows, p.Entry(e))
			shown = shown.Plus(credit.SumOf(e.Amount))
		}
		// A filter shows some of the day's entries: their count stands with their own sum, not with the day's.
		if shown.Minus(credit.SumOf(d.Closing).Minus(credit.SumOf(d.Opening))).Sign() != 0 {
			v.Shown = p.signed(shown)
		}
		out = append(out, v)
	}
	return out
}

// Money is the word for a job's money.
func Money(j job.Job) string {
	switch {
	case j.IsReclaimed:
		return "reclaimed"
	case j.IsRefunded:
		return "refunded"
	}
	return "not_refunded"
}

// JobRow is a job in a short list.
func (p Presenter) JobRow(j job.Listed) accounts.JobRow {
	return accounts.JobRow{ID: Job(j.AccountID, j.ID), Action: j.Action, State: string(j.State), Cost: p.L.Credits(j.Cost),
		Money: Money(j.Job), At: p.L.Stamp(j.CreatedAt, p.Now)}
}
