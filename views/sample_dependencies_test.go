package views_test

import (
	"fmt"
	"time"

	"recoup/views/chart"
	"recoup/views/dependencies"
	"recoup/views/layout"
	"recoup/views/overview"
	"recoup/views/queue"
	"recoup/views/ui"
)

func (s sample) bars(id, title string) chart.Bars {
	c := chart.Bars{ID: id, Title: title, Say: s.l.T("queue.throughput_say", "12,345,678", "1,204"), Width: "600", Top: s.l.N("count.attempts", 12_345_678), Head: s.l.T("chart.from", "JST"),
		Axis: []string{"30 Nov 17:20", "30 Nov 17:50", "30 Nov 18:20"}, Columns: []string{s.l.T("queue.failed"), s.l.T("queue.not_failed")}}
	for i, tone := range []string{"bad", "ok", "wait", "off"} {
		c.Legend = append(c.Legend, chart.Key{Tone: tone, Text: c.Columns[i%2]})
	}
	for i := range 60 {
		c.Bars = append(c.Bars, chart.Bar{X: fmt.Sprint(10*i + 1), Y: "40", Width: "8", Height: "60", Tone: []string{"ok", "bad"}[i%2], Title: "30 Nov 17:20"})
		c.Rows = append(c.Rows, chart.Row{Label: "30 Nov 17:20", Values: []string{"1,204", "12,345,678"}})
	}
	return c
}

func (s sample) heldActions() []dependencies.Action {
	return []dependencies.Action{
		{Name: ui.Link{Text: "video_render", URL: "/queue?action=video_render"}, State: "held", Held: "100,000+", Since: s.at(time.Hour), By: "Mika Sato", Why: "The new model renders green faces since 17:00", ReleaseURL: "/r"},
		{Name: ui.Link{Text: "image_generation", URL: "/queue?action=image_generation"}, State: "releasing", Held: "4,120", Since: s.at(time.Minute), ReleaseURL: "/r"}}
}

func (s sample) dependencyList() dependencies.Model {
	m := dependencies.Model{Zone: "JST", NewURL: "/new/hold", Actions: s.heldActions(), List: ui.List{ClearURL: "/dependencies", Pager: ui.Pager{OlderURL: "/o"}},
		Tabs: []ui.Choice{{Text: s.l.T("deps.all"), URL: "/dependencies", Current: true}, {Text: s.l.T("deps.unhealthy"), URL: "/dependencies?tab=unhealthy"}}}
	for i, state := range []string{"held", "breaker_open", "half_open", "releasing", "healthy"} {
		m.Rows = append(m.Rows, dependencies.Row{Name: ui.Link{Text: []string{"render-farm", "a-name-of-sixty-four-characters:as-long-as-a-caller-may-make-it.ok"}[i%2], URL: "/d"}, State: state,
			Held: "100,000+", Rate: s.l.T("deps.rate_of", "1,000", "1,000"), Changed: s.at(time.Hour), Why: "The vendor called: their storage is down until the evening"})
	}
	return m
}

func (s sample) dependency() dependencies.Page {
	m := dependencies.Page{Name: "render-farm", State: "breaker_open", Say: s.l.T("deps.say_open", "30 Nov 18:19:01 JST", s.l.N("deps.jobs", 5000), "30 Nov 18:20:01 JST", s.l.N("deps.jobs", 3)), Zone: "JST",
		Facts:   []ui.Fact{{Label: s.l.T("holds.waiting"), Value: s.l.N("deps.jobs", 5000)}, {Label: s.l.T("deps.failed"), Value: "56 %", Note: s.l.T("deps.rate_of", "28", "50")}},
		Results: s.bars("results", s.l.T("deps.results")), SettingsURL: "/s", DefaultURL: "/d", HoldURL: "/h", ReleaseURL: "/r", QueueURL: "/q", OlderURL: "/o",
		Settings: []ui.Fact{{Label: s.l.T("deps.breaker"), Value: s.l.T("deps.on")}, {Label: s.l.T("deps.per_minute"), Value: "60,000"}},
		Defaults: []dependencies.Default{{Action: "video_render", URL: "/n"}, {Action: "image_generation"}}}
	for _, what := range []string{s.l.T("holdevent.opened", "28", "50"), s.l.T("holdevent.closed", "3", "600"), s.l.T("holdevent.held")} {
		m.Events = append(m.Events, dependencies.Event{At: s.at(time.Hour), What: what, By: "Mika Sato", Reason: "The vendor called: their storage is down until the evening"})
	}
	return m
}

func (s sample) queue(tab string) queue.Model {
	m := queue.Model{Action: "/queue", Tab: tab, Zone: "JST", RedisAway: true, HoldURL: "/h", Held: s.heldActions(), Charts: []chart.Bars{s.bars("throughput", s.l.T("queue.throughput")), s.bars("lag", s.l.T("queue.lag"))},
		Services: []overview.Service{{Name: "PostgreSQL", State: "ok", At: s.at(0)}, {Name: "Redis", State: "down", Detail: s.l.T("health.redis_down"), At: s.at(time.Minute)}},
		List:     ui.List{ClearURL: "/queue", Chips: []ui.Chip{{Label: s.l.T("col.action"), Value: "video_render", RemoveURL: "/queue"}}, Pager: ui.Pager{NewerURL: "/n", OlderURL: "/o"}}}
	for _, t := range []string{"waiting", "retrying", "running"} {
		m.Tabs = append(m.Tabs, ui.Choice{Text: s.l.Maybe("queue."+t, t), URL: "/queue?tab=" + t, Count: "10,000+", Current: t == tab})
	}
	for i := range 12 {
		r := queue.Row{Job: job("image-generation-2026-11-26-0000055102"), Account: ui.Link{Text: "acct_7Q2M", URL: "/a"}, Action: "video_render", Dependency: ui.Link{Text: "render-farm", URL: "/d"}, State: "queued", At: s.at(time.Minute),
			Why: s.l.T("queue.why_first", "0")}
		switch {
		case tab == "retrying":
			r.State, r.RunNowURL, r.Why = "retrying", "/r", s.l.T("queue.why_jittered", "3", "80 s", "61 s")
			r.Error = "Transient provider_503: the provider answered with 503 and a long page of HTML that nobody reads"
		case tab == "running":
			r.State, r.Worker, r.Beat, r.Why = "running", "gpu-17.render.example v2026.11.3", s.at(5*time.Second), s.l.T("queue.why_running", "2", "18:12")
		case i%3 == 1:
			r.State, r.Why = "held", s.l.T("queue.why_dependency", "render-farm")
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

// queuePages are those of the queue and of dependencies.
func (s sample) queuePages(f layout.Frame) []page {
	perMinute, name := ui.Field{Value: "600"}, ui.Field{Value: "render farm", Error: s.l.T("problem.must be a whole number")}
	ask := func(what string) dependencies.Ask {
		return dependencies.Ask{Act: s.act(false), What: what, Section: dependencies.Section(layout.Dependencies), Changes: []ui.Change{{Label: s.l.T("holds.object"), After: "render-farm"}}}
	}
	release, fresh, choose := ask("release"), ask("new"), ask("default")
	release.PerMinute, fresh.NameField, fresh.Danger = &perMinute, &name, true
	choose.Actions = []ui.Option{{Value: "video_render", Label: "video_render"}}
	settings := dependencies.Settings{Act: s.act(true), Name: "render-farm", PageURL: "/d", Revision: "3", Breaker: []ui.Option{{Value: "on", Label: s.l.T("deps.on")}},
		Percent: ui.Field{Value: "0", Error: s.l.T("problem.must be 1 to 100")}, Window: perMinute, Minimum: perMinute, OpenS: perMinute, Probes: perMinute, PerMinute: perMinute}
	unreadable := s.queue("waiting")
	unreadable.Rows, unreadable.List.Unreadable = nil, &ui.Unreadable{RequestID: "req-0198c3f27d3e", RetryURL: "/queue"}
	return []page{
		{name: "dependencies", view: dependencies.ListPage(f, s.dependencyList())},
		{name: "dependency", view: dependencies.Detail(f, s.dependency())},
		{name: "dependency-release", view: dependencies.AskPage(f, release)},
		{name: "dependency-new", view: dependencies.AskPage(f, fresh)},
		{name: "dependency-default", view: dependencies.AskPage(f, choose)},
		{name: "dependency-settings", view: dependencies.SettingsPage(f, settings)},
		{name: "queue", view: queue.Page(f, s.queue("waiting"))},
		{name: "queue-retrying", view: queue.Page(f, s.queue("retrying"))},
		{name: "queue-running", view: queue.Page(f, s.queue("running"))},
		{name: "queue-list", view: queue.List(s.l, s.queue("waiting")), fragment: true},
		{name: "queue-unreadable", view: queue.Page(f, unreadable)},
		{name: "run-now", view: queue.RunNowPage(f, queue.RunNow{Act: s.act(false), JobID: "vr-20377", JobURL: "/j", Account: "acct_7Q2M", Generation: "0", At: s.at(-time.Minute)})},
	}
}
