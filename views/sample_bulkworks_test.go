package views_test

import (
	"time"

	"recoup/views/bulkworks"
	"recoup/views/ui"
)

// selectBar is the bar above a list of dead letters.
func (s sample) selectBar() bulkworks.Select {
	m := bulkworks.Select{OperationID: "x", Query: "code=E_STORAGE", All: s.l.N("works.all", 10_000)}
	for _, k := range []string{"requeue", "discard", "assign", "snooze"} {
		m.Kinds = append(m.Kinds, bulkworks.Kind{Value: k, Text: s.l.T("bulkopen." + k), Danger: k == "discard"})
	}
	return m
}

// groupBar is the bar above the list of groups.
func (s sample) groupBar() bulkworks.Select {
	m := s.selectBar()
	m.Query, m.All, m.Groups = "groups=1", "", true
	return m
}

func (s sample) bulkFacts() []ui.Change {
	return []ui.Change{{Label: s.l.T("works.count"), After: "9,814"}, {Label: s.l.T("works.accounts"), After: "312"},
		{Label: s.l.T("col.credits"), After: s.l.Credits(9_007_199_254_740_993)}, {Label: s.l.T("works.pays_now"), After: "0"}}
}

func (s sample) bulkStart(kind string) bulkworks.Start {
	m := bulkworks.Start{Act: s.act(true), Title: s.l.T("worktitle."+kind, "9,814"), URL: "/dead-letters/bulk/bw_1", Say: s.l.T("worksay."+kind, "353,304"), Facts: s.bulkFacts(),
		Excluded: []bulkworks.Left{{Label: s.l.T("excluded.money"), Count: "3"}, {Label: s.l.T("excluded.frozen"), Count: "183"}},
		Second:   s.l.T("works.second", "1,000"), Plain: "9814", Submit: s.l.T("worksubmit."+kind, "9,814"), Danger: kind == "discard"}
	bad := ui.Field{Value: "70,000", Error: s.l.T("problem.must be 1 to 60000")}
	switch kind {
	case "requeue":
		m.Needs = []bulkworks.Left{{Label: "gpu-pool", Count: "9,800"}, {Label: s.l.T("works.no_dependency"), Count: "14"}}
		m.Held = s.heldNotice(s.l.N("works.held", 9_800), s.l.T("works.held_say"))
		m.Reason, m.Pace = &ui.Field{}, &bulkworks.Pace{Probe: &ui.Field{Value: "10"}, PerMinute: bad, Stop: &ui.Field{Value: "20"}}
		m.Expected, m.Count = "9,814", ui.Field{Value: "9,841", Error: s.l.T("problem.is not the number of dead letters")}
	case "discard":
		m.Reasons, m.Pace = []ui.Option{{Label: s.l.T("discard.choose")}}, &bulkworks.Pace{PerMinute: ui.Field{Value: "300"}}
		m.Expected = "9,814"
	case "assign":
		m.Assignees, m.Nothing = []ui.Option{{Value: "st", Label: "Alexandra Papadopoulou"}}, true
	case "snooze":
		m.Until = []ui.Option{{Value: "hour", Label: s.l.T("snooze.hour", "18:20")}}
	}
	return m
}

func (s sample) bulkWork(state string) bulkworks.Work {
	m := bulkworks.Work{Title: s.l.T("worktitle.requeue", "9,814"), State: state, ID: ui.ID{Value: "bw_q7k2m5x1c9v3b8n4"}, Request: ui.Link{Text: "cr_1", URL: "/approvals/cr_1"}, Zone: "JST",
		Lines: []ui.Change{{Label: s.l.T("works.filter"), After: "Needs review · Reason code E_STORAGE"}, {Label: s.l.T("works.reason"), After: "Storage is back since 17:40."},
			{Label: s.l.T("works.pace"), After: s.l.T("works.pace_requeue", "10", "300", "20")}, {Label: s.l.T("works.digest"), After: "76c1dc59beb785379d1d9d06ca8c7afa0498983d6d1c4894d7b33d5b24f3f77e"}},
		ListURL: "/dead-letters?code=E_STORAGE", Export: ui.Exports{Say: s.l.T("works.export_say", s.l.T("workshow.all"), "JST"), Links: []ui.Link{{Text: s.l.T("export.csv"), URL: "/x"}}}}
	m.Live = bulkworks.Live{URL: "/p", PageURL: "/w", State: state, Say: s.l.T("works.say_running", "300", s.l.Duration(28*time.Minute)), Done: "1412", Total: "9814", Share: s.l.T("works.share", "1,412", "9,814"),
		Facts: []ui.Fact{{Label: s.l.T("works.done"), Value: "1,380", URL: "/d"}, {Label: s.l.T("works.back_well"), Value: "1,204", URL: "/s"},
			{Label: s.l.T("works.back_failed"), Value: "66", Note: s.l.T("works.back_failed_note", "5", "1,270"), URL: "/f"}, {Label: s.l.T("works.out"), Value: "110", URL: "/o"}, {Label: s.l.T("works.with_caller"), Value: "3", Note: s.l.T("works.with_caller_note"), URL: "/c"},
			{Label: s.l.T("works.pending"), Value: "8,402", URL: "/t"}, {Label: s.l.T("works.lost"), Value: "32", URL: "/l"}, {Label: s.l.T("works.rate"), Value: "300", Note: s.l.T("works.rate_note", "300")}}}
	m.Undo, m.Undoes, m.UndoneBy = &ui.Undo{Action: "/undo", OperationID: "x", Undoes: "bw_1", Next: "/w", Text: s.l.T("undo.open")}, ui.Link{Text: "bw_1", URL: "/w"}, ui.Link{Text: "bw_2", URL: "/w"}
	switch state {
	case "running":
		m.PauseURL, m.AbortURL = "/pause", "/abort"
	case "stopped":
		m.ResumeURL, m.AbortURL = "/resume", "/abort"
		m.Live.URL, m.Live.Say = "", s.l.T("works.say_stopped", s.at(time.Minute).Full, "3", "10", "20", "8,402")
	case "prepared":
		m.StartURL, m.Live.Slow = "/start", true
	}
	for i, show := range []string{"all", "pending", "done", "out", "with_caller", "succeeded", "failed", "lost", "excluded", "refused"} {
		m.Shows = append(m.Shows, ui.Choice{Text: s.l.T("workshow." + show), URL: "/w?show=" + show, Current: i == 0})
	}
	for i, o := range []string{"succeeded", "failed_again", "out", "with_caller", "lost", "excluded", "not_possible", "to_do", "canceled", "done"} {
		r := bulkworks.Row{Job: job("transcription:2f1c7a90-63f0-4f0e-8c55-2b1f7a9063f0"), Account: account("acct_7Q2M"), Cost: "36", State: o, Now: "retrying", At: s.at(time.Duration(i) * time.Minute)}
		switch o {
		case "lost":
			r.Why = s.l.T("works.first", "Alexandra Papadopoulou", s.at(time.Hour).Full, s.l.T("state.retrying"))
		case "excluded":
			r.Why = s.l.T("excluded.frozen")
		case "to_do":
			r.At = s.at(0)
		}
		m.Rows = append(m.Rows, r)
	}
	m.List = ui.List{Pager: ui.Pager{OlderURL: "/o"}}
	return m
}

func (s sample) bulkWorks() bulkworks.Model {
	m := bulkworks.Model{Zone: "JST", List: ui.List{Pager: ui.Pager{OlderURL: "/o"}}, Tabs: []ui.Choice{{Text: s.l.T("works.title"), URL: "/w", Current: true}}}
	for i, state := range []string{"running", "paused", "stopped", "aborted", "done", "proposed"} {
		r := bulkworks.Line{URL: "/w", Kind: s.l.T("bulkkind.requeue"), Count: "9,814", Credits: "353,304", State: state, By: "Mika Sato", Reason: "Storage is back since 17:40.", At: s.at(time.Duration(i) * time.Hour)}
		if state == "done" || state == "aborted" {
			r.Ended = s.at(time.Duration(i) * time.Minute)
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

func (s sample) bulkStep(step string) bulkworks.Step {
	m := bulkworks.Step{Act: s.act(false), Title: s.l.T("worksteptitle."+step, s.l.T("worktitle.requeue", "9,814")), URL: "/w", Version: "4", Say: s.l.T("workstepsay." + step), Danger: step == "abort",
		Submit: s.l.T("workstep." + step), Changes: []ui.Change{{Label: s.l.T("works.done"), After: "1,380"}}}
	if step != "pause" {
		m.Reason = &ui.Field{}
	}
	if step == "resume" {
		m.Pace = &bulkworks.Pace{Probe: &ui.Field{Value: "10"}, PerMinute: ui.Field{Value: "300"}, Stop: &ui.Field{Value: "20"}}
	}
	return m
}
