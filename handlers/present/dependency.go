package present

import (
	"cmp"
	"strconv"
	"time"

	"recoup/models/dependency"
	views "recoup/views/dependencies"
	"recoup/views/overview"
	"recoup/views/text"
	"recoup/views/ui"
)

// dependencyState is the word of views for a condition.
func dependencyState(h dependency.Health) string {
	switch h {
	case dependency.Opened:
		return "breaker_open"
	case dependency.Healthy:
		return "healthy"
	case dependency.Held, dependency.Probing, dependency.Releasing:
	}
	return string(h)
}

// JobsWaiting says how many jobs wait: "5,000 jobs".
func (p Presenter) JobsWaiting(n int64) string {
	if n > dependency.HeldCap {
		return p.L.T("deps.many_jobs", p.L.Credits(dependency.HeldCap))
	}
	return p.L.N("deps.jobs", n)
}

// count is how many jobs wait behind a hold; "" for none.
func (p Presenter) count(n int64) string {
	switch {
	case n == 0:
		return ""
	case n > dependency.HeldCap:
		return p.L.Credits(dependency.HeldCap) + "+"
	}
	return p.L.Credits(n)
}

// DependencyRow is a dependency in the list.
func (p Presenter) DependencyRow(s dependency.Status, url string) views.Row {
	r := views.Row{Name: ui.Link{Text: s.Name, URL: url}, State: dependencyState(s.Health()), Changed: p.Stamp(s.ChangedAt)}
	if s.Hold != nil {
		r.Held, r.Why = p.count(s.Waiting), s.Hold.Reason
		r.Changed = p.L.Stamp(s.Hold.Since, p.Now)
	}
	if s.Results > 0 {
		r.Rate = p.L.T("deps.rate_of", p.L.Credits(s.Failures), p.L.Credits(s.Results))
	}
	return r
}

// HeldAction is a hold on an action in its list.
func (p Presenter) HeldAction(x dependency.ActionHold, url, release string) views.Action {
	a := views.Action{Name: ui.Link{Text: x.Name, URL: url}, State: "releasing", Held: p.count(x.Waiting), Since: p.L.Stamp(x.Since, p.Now), ReleaseURL: release}
	if x.HeldBy != "" {
		a.State, a.By, a.Why = "held", p.actor(x.HeldBy), x.Reason
	}
	return a
}

// DependencySay is the sentence of a dependency's condition.
func (p Presenter) DependencySay(s dependency.Status) string {
	waiting := p.JobsWaiting(s.Waiting)
	since := func(t *time.Time) string { return p.Stamp(t).Full }
	switch s.Health() {
	case dependency.Held:
		return p.L.T("deps.say_held", p.actor(s.Hold.HeldBy), s.Hold.Reason, waiting)
	case dependency.Opened:
		var until string
		if s.ChangedAt != nil {
			until = p.L.Stamp(s.ChangedAt.Add(time.Duration(s.OpenS)*time.Second), p.Now).Full
		}
		return p.L.T("deps.say_open", since(s.ChangedAt), waiting, until, p.L.N("deps.jobs", s.Probes))
	case dependency.Probing:
		var left int64
		if s.Hold != nil {
			left = s.Hold.ProbesLeft
		}
		return p.L.T("deps.say_half_open", since(s.ChangedAt), p.L.N("deps.jobs", left), waiting)
	case dependency.Releasing:
		return p.L.T("deps.say_releasing", p.L.Credits(s.Hold.PerMinute), p.L.Stamp(s.Hold.Since, p.Now).Full, waiting)
	case dependency.Healthy:
	}
	return p.L.T("deps.say_healthy")
}

// Dependency is the page of a dependency but for its links and its history.
func (p Presenter) Dependency(s dependency.Status, results []dependency.Bucket) views.Page {
	m := views.Page{Name: s.Name, State: dependencyState(s.Health()), Say: p.DependencySay(s), Zone: p.L.ZoneLabel(p.Now)}
	fact := func(label, value, note string) ui.Fact { return ui.Fact{Label: label, Value: value, Note: note} }
	m.Facts = []ui.Fact{fact(p.L.T("holds.waiting"), p.JobsWaiting(s.Waiting), ""),
		p.failures(s)}
	onOff := p.L.T("deps.off")
	if s.Breaker {
		onOff = p.L.T("deps.on")
	}
	m.Settings = []ui.Fact{fact(p.L.T("deps.breaker"), onOff, ""), fact(p.L.T("deps.percent"), p.L.Credits(s.FailurePercent), ""),
		fact(p.L.T("deps.window"), p.L.Credits(s.WindowResults), ""), fact(p.L.T("deps.minimum"), p.L.Credits(s.MinimumResults), ""),
		fact(p.L.T("deps.open_s"), p.L.Credits(s.OpenS), ""), fact(p.L.T("deps.probes"), p.L.Credits(s.Probes), ""),
		fact(p.L.T("deps.per_minute"), p.L.Credits(s.ReleasePerMinute), "")}
	ok := Series{Name: p.L.T("deps.succeeded"), Tone: "ok"}
	bad := Series{Name: p.L.T("deps.failed"), Tone: "bad"}
	permanent := Series{Name: p.L.T("deps.permanent"), Tone: "wait"}
	running := Series{Name: p.L.T("deps.running"), Tone: "off"}
	var from []time.Time
	var sums [4]int64
	for _, b := range results {
		from = append(from, b.From)
		for i, n := range []int64{b.Succeeded, b.Failed, b.Permanent, b.Running} {
			sums[i] += n
		}
		ok.Counts, bad.Counts = append(ok.Counts, b.Succeeded), append(bad.Counts, b.Failed)
		permanent.Counts, running.Counts = append(permanent.Counts, b.Permanent), append(running.Counts, b.Running)
	}
	say := p.L.T("deps.results_say", p.L.Credits(sums[0]), p.L.Credits(sums[1]), p.L.Credits(sums[2]))
	if sums == [4]int64{} {
		say = p.L.T("deps.no_results")
	}
	m.Results = p.StackedBars("results", p.L.T("deps.results"), say, p.attempts, from, bad, permanent, ok, running)
	return m
}

// failures is which part of the newest results failed. Those from before the breaker moved do not count, nor what is older
// than a day.
func (p Presenter) failures(s dependency.Status) ui.Fact {
	f := ui.Fact{Label: p.L.T("deps.failed"), Value: "–", Note: p.L.T("deps.no_rate")}
	switch {
	case s.Results > 0:
		f.Value = strconv.FormatInt(100*s.Failures/s.Results, 10) + " %"
		f.Note = p.L.T("deps.rate_of", p.L.Credits(s.Failures), p.L.Credits(s.Results))
	case s.ChangedAt != nil && p.Now.Sub(*s.ChangedAt) < 24*time.Hour:
		f.Note = p.L.T("deps.no_rate_since", p.Stamp(s.ChangedAt).Full)
	}
	return f
}

// HoldEvents is a history in words.
func (p Presenter) HoldEvents(events []dependency.Event) ([]views.Event, error) {
	var out []views.Event
	for _, e := range events {
		f, err := e.Figures()
		if err != nil {
			return nil, err
		}
		out = append(out, views.Event{At: p.L.Stamp(e.At, p.Now), What: holdEvent(p.L, e.Event, f), By: p.actor(e.Actor), Reason: e.Reason})
	}
	return out, nil
}

func holdEvent(l text.Locale, event string, f dependency.Figures) string {
	switch event {
	case "opened":
		return l.T("holdevent.opened", l.Credits(f.Failures), l.Credits(f.Results))
	case "probing":
		return l.T("holdevent.probing", l.Credits(f.Probes))
	case "closed":
		return l.T("holdevent.closed", l.Credits(f.Results), l.Credits(f.PerMinute))
	case "released":
		return l.T("holdevent.released", l.Credits(f.PerMinute))
	case "changed":
		if f.Action != "" {
			if f.DefaultAfter == nil {
				return l.T("holdevent.default", f.Action)
			}
			none := l.T("holdevent.default_none")
			return l.T("holdevent.default_to", f.Action, cmp.Or(f.DefaultBefore, none), cmp.Or(*f.DefaultAfter, none))
		}
	}
	return l.Maybe("holdevent."+event, event)
}

// DependencyTile is the tile of dependencies that are not healthy, of whom no more than most are counted.
func (p Presenter) DependencyTile(unhealthy []dependency.Status, most int, to string) overview.Tile {
	return overview.Tile{Count: p.some(len(unhealthy), most), Note: firstName(unhealthy), URL: to}
}

// DependencyFact says in a line of figures which dependencies are not healthy.
func (p Presenter) DependencyFact(unhealthy []dependency.Status, most int, to string) ui.Fact {
	f := ui.Fact{Label: p.L.T("overview.dependencies"), Value: p.some(len(unhealthy), most), Note: firstName(unhealthy)}
	if len(unhealthy) > 0 {
		f.URL = to
	}
	return f
}

func (p Presenter) some(n, most int) string {
	if n > most {
		return p.L.Credits(int64(most)) + "+"
	}
	return p.L.Credits(int64(n))
}

// firstName is the worst of some dependencies, and that there are more.
func firstName(all []dependency.Status) string {
	switch len(all) {
	case 0:
		return ""
	case 1:
		return all[0].Name
	}
	return all[0].Name + ", …"
}

// attempts is a number of attempts in words, for the edge of a chart.
func (p Presenter) attempts(n int64) string { return p.L.N("count.attempts", n) }
