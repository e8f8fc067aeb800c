package views_test

import (
	"time"

	"recoup/views/accounts"
	"recoup/views/inbox"
	"recoup/views/layout"
	"recoup/views/pricing"
	"recoup/views/rollouts"
	"recoup/views/text"
	"recoup/views/ui"
)

// richRollouts are the pages of prices and rollouts with everything that they can show.
func richRollouts(s sample, f layout.Frame) []page {
	f.Pricing = true
	example := s.l.T("price.example_was", "60", "second", "36", "40")
	price := s.l.T("price.unit", "0.667", "second") + ", " + s.l.T("price.off", "10") + ", " + s.l.T("rounding.half_even")
	action := ui.ID{Value: "video_render", URL: "/pricing/actions/video_render"}
	rollout := ui.Link{Text: "ro_2026_discount10", URL: "/rollouts/ro_2026_discount10"}
	list := pricing.Model{Zone: "JST", NewURL: "/pricing/new"}
	for i, name := range []string{"video_render", "transcription", "image_generation_with_a_long_name_of_forty_eight_"} {
		row := pricing.Row{Action: ui.ID{Value: name, URL: "/pricing/actions/" + name}, Rule: rule(name + "@v4"), Price: price, Example: example, Since: s.at(time.Duration(i) * 30 * time.Hour), Retired: i == 1}
		if i == 0 {
			row.Rollout = rollout
		}
		list.Rows = append(list.Rows, row)
	}
	list.Rows = append(list.Rows, pricing.Row{Action: ui.ID{Value: "subtitles", URL: "/pricing/actions/subtitles"}, Price: s.l.T("price.none")})
	one := pricing.Action{ID: "video_render", Say: s.l.T("action.say", "video_render@v4", s.at(40*time.Hour).Full), Zone: "JST", NewURL: "/pricing/new?action=video_render", RetireURL: "/x", Rollout: rollout, Losses: []string{"video_render@v5: " + s.loss()}}
	for i, state := range []string{"not_in_force", "in_force", "retired"} {
		one.Versions = append(one.Versions, pricing.Version{Rule: rule("video_render@v" + string('5'-rune(i))), State: state, Price: price, Example: example, Made: s.at(time.Duration(i) * 50 * time.Hour),
			Who: "Mika Sato", Why: "Ten percent off for the summer, agreed with finance on 3 November", ForceURL: "/x", RetireURL: "/x"})
	}
	for i, who := range []string{"Mika Sato", "Recoup"} {
		p := pricing.Period{Rule: rule("video_render@v4"), Price: price, From: s.at(time.Duration(40+i*90) * time.Hour), Who: who, Why: "Ten percent off for the summer, agreed with finance on 3 November", Rollout: rollout}
		if i > 0 {
			p.Until, p.Rollout = s.at(40*time.Hour), ui.Link{}
		}
		one.Periods = append(one.Periods, p)
	}
	form := pricing.New{Act: s.act(true), Action: ui.Field{Value: "video_render"}, Unit: ui.Field{Value: "second"}, UnitPrice: ui.Field{Value: "667"},
		Minimum: ui.Field{Value: "x", Error: s.l.T("problem.is required")}, Discount: ui.Field{Value: "1000"}, ExampleUnits: ui.Field{Value: "60"},
		Rounding: pricing.RoundingOptions(s.l, "half_even"), Preview: pricing.Preview{Price: price, Example: example, Loss: s.loss()}}
	force := pricing.Force{Act: s.act(false), Rule: "video_render@v5", Expected: "video_render@v4", Before: "video_render@v4: " + price, After: "video_render@v5: " + price, Example: example, Loss: s.loss(), Action: "video_render", ActionURL: action.URL}
	rows := rollouts.Model{Zone: "JST", NewURL: "/new/rollout"}
	for i, state := range []string{"halted", "running", "paused", "draft", "rolled_back", "completed", "archived"} {
		rows.Rows = append(rows.Rows, rollouts.Row{ID: ui.ID{Value: rollout.Text, URL: rollout.URL}, Title: "Video render: 10 % off", State: state, Action: action, Baseline: "video_render@v4",
			Candidate: "video_render@v5", Stage: s.l.T("stage.threshold", "1"), Enrolled: "118", Since: s.at(time.Duration(i) * 29 * time.Hour)})
	}
	return []page{
		{name: "prices", view: pricing.Page(f, list)},
		{name: "price-action", view: pricing.ActionPage(f, one)},
		{name: "price-new", view: pricing.NewPage(f, form)},
		{name: "price-force", view: pricing.ForcePage(f, force)},
		{name: "price-retire", view: pricing.RetirePage(f, pricing.Retire{Act: s.act(false), Rule: "video_render@v3", Action: "video_render", ActionURL: action.URL})},
		{name: "action-retire", view: pricing.RetirePage(f, pricing.Retire{Act: s.act(false), Action: "video_render", ActionURL: action.URL})},
		{name: "rollouts", view: rollouts.Page(f, rows)},
		{name: "rollout", view: rollouts.RolloutPage(f, s.rollout())},
		{name: "rollout-accounts", view: rollouts.EnrolmentsPage(f, s.enrolments())},
		{name: "inbox", view: inbox.Page(f, s.inbox())},
		{name: "rollout-advance", view: rollouts.MovePage(f, rollouts.Move{Act: s.act(false), Name: "advance", ID: rollout.Text, URL: rollout.URL, Version: "3", Blocked: s.l.T("checks.fails", s.l.T("checks.reconciliation")),
			Changes: s.advanceChanges(), Loss: s.loss(), Notes: []string{s.l.N("effect.say", 28, "14,202"), s.l.T("effect.part")}, Made: s.l.T("checks.made_now", s.at(0).Full), Checks: s.rollout().Checks,
			Help: []ui.Link{{Text: s.l.T("help.findings"), URL: "/rollouts/x"}, {Text: s.l.T("help.costs"), URL: "/costs?state=unattributed"}, {Text: s.l.T("help.bills"), URL: "/costs"}, {Text: s.l.T("help.resume")}}})},
		{name: "rollout-second", view: rollouts.MovePage(f, rollouts.Move{Act: s.act(false), Name: "start", ID: rollout.Text, URL: rollout.URL, Version: "1",
			Second: rollouts.Second{Say: s.l.T("second.needed"), Replaces: "cr_x", Version: "1", Digest: "00"}})},
		{name: "rollout-schedule", view: rollouts.SchedulePage(f, rollouts.NewScheduled{Act: s.act(true), ID: rollout.Text, URL: rollout.URL, Steps: []ui.Option{{Value: "advance:2", Label: s.l.T("schedule.step", s.l.T("step.advance"), "25 %")}},
			Local: ui.Field{Value: "2026-12-01T09:00", Error: s.l.T("problem.must be ahead, by a year at most")}, Zone: ui.Field{Value: "Asia/Tokyo"}, Zones: []string{"UTC"}, NeedsSecond: s.l.T("second.terms", s.l.T("second.start"))})},
		{name: "rollout-unschedule", view: rollouts.CancelScheduledPage(f, rollouts.CancelScheduled{Act: s.act(false), ID: rollout.Text, URL: rollout.URL, Row: rollouts.ScheduledRow{Step: s.l.T("step.complete"), At: s.at(-30 * time.Hour)}})},
		{name: "rollout-roll-back", view: rollouts.MovePage(f, rollouts.Move{Act: s.act(true), Name: "roll_back", ID: rollout.Text, URL: rollout.URL, Version: "3", Danger: true})},
		{name: "rollout-new", view: rollouts.NewPage(f, rollouts.New{Act: s.act(false), ID: ui.Field{Value: rollout.Text}, Candidates: []ui.Option{{Value: "video_render@v5", Label: "video_render@v5", Selected: true}},
			Terms:       rollouts.NewTerms{Second: []ui.Option{{Value: "start", Label: s.l.T("second.start"), Selected: true}, {Value: "complete", Label: s.l.T("second.complete")}}, Above: ui.Field{Value: "25000"}},
			StagesError: s.l.T("problem.is required"), Stages: []rollouts.NewStage{{Number: "1", Threshold: ui.Field{Value: "1000"}, DwellH: ui.Field{Value: "24"}},
				{Number: "2", Threshold: ui.Field{Value: "100001", Error: s.l.T("problem.is too long")}, Plans: ui.Field{Value: "pro, team"}}}})},
	}
}

func (s sample) loss() string {
	return s.l.T("price.below_cost", s.l.N("price.loss", 1214, "812.07", "1,034.20331", "USD"))
}

func (s sample) enrolments() rollouts.Enrolments {
	m := rollouts.Enrolments{ID: "ro_2026_discount10", URL: "/rollouts/ro_2026_discount10", Zone: "JST", List: ui.List{Pager: ui.Pager{OlderURL: "/x"}}}
	for i, id := range []string{"acct_7Q2M", "an-account-with-a-name-of-sixty-four-characters-0123456789-abcd"} {
		m.Rows = append(m.Rows, rollouts.Enrolment{Account: account(id), At: s.at(time.Duration(i) * 9 * time.Hour), Stage: s.l.T("stage.threshold", "1"), Bucket: "8,012", Why: s.l.T("decided.below_threshold")})
	}
	return m
}

func (s sample) accountRollouts() (out []accounts.Rollout) {
	for i, state := range []string{"running", "rolled_back"} {
		x := accounts.Rollout{ID: ui.ID{Value: "ro_2026_discount10", URL: "/rollouts/ro_2026_discount10"}, Title: "Video render: 10 % off", State: state, Action: "video_render",
			Stage: s.l.T("stage.number", "2"), Why: s.l.T("decided.below_threshold"), At: s.at(time.Duration(i) * 90 * time.Hour)}
		if i == 0 {
			x.Pays = rule("video_render@v5")
		}
		out = append(out, x)
	}
	return out
}

func (s sample) inbox() inbox.Model {
	m := inbox.Model{Zone: "JST", Unread: true, Upto: "9", Next: "/inbox", Tabs: []ui.Choice{{Text: s.l.T("inbox.unread"), URL: "/inbox", Count: "2", Current: true}, {Text: s.l.T("inbox.all"), URL: "/inbox?all=1"}}}
	for i, title := range []string{s.l.T("inbox.rollout_step", "ro_2026_discount10", s.l.T("rollout_event.halted"), "Recoup"), s.l.T("inbox.approval_asked", "Mika Sato", s.l.T("approval.kind.advance_rollout"), "ro_2026_discount10"),
		s.l.T("inbox.rollout_scheduled", "ro_2026_discount10", s.l.T("step.complete"), s.l.T("state.cancelled"))} {
		m.Rows = append(m.Rows, inbox.Message{Title: title, URL: "/rollouts/ro_2026_discount10", Why: s.l.T("rollout_cause.cap_reached", "12,400", "12,000", "2026-11-30 Asia/Tokyo"), At: s.at(time.Duration(i) * 9 * time.Hour), Unread: i < 2, MarkURL: "/inbox/1/read"})
	}
	return m
}

func (s sample) rollout() rollouts.Rollout {
	m := rollouts.Rollout{ID: "ro_2026_discount10", Title: "Video render: 10 % off", State: "halted", Zone: "JST", CheckURL: "/rollouts/ro_2026_discount10/check",
		Say:      s.l.T("rollout.say_live", "118", "11,840", s.l.T("rollout.named_off", "video_render@v5", s.l.T("off.percent", "10")), "video_render@v4", s.at(90*time.Hour).Full) + " " + s.l.T("rollout.say_paused"),
		Warning:  s.l.T("rollout.say_unsafe", s.l.T("rollout.is_halted")+" "+s.l.T("checks.fails", s.l.T("checks.reconciliation"))),
		Examined: s.l.T("checks.examined", "1,204", s.at(40*time.Second).Full),
		Stages: []rollouts.Stage{{Label: s.l.T("stage.named", "12"), Note: s.l.T("stage.past"), Past: true}, {Label: s.l.T("stage.threshold", "1"), Note: s.l.T("stage.since", s.at(90*time.Hour).Short), Now: true},
			{Label: s.l.T("stage.of_segment", "25", "pro, beta=yes"), Note: s.l.T("stage.admits_about", "2,960", "11,840")}, {Label: s.l.T("stage.threshold", "100"), Note: s.l.T("stage.admits_about", "11,840", "11,840")}},
		Prices: rollouts.Prices{Baseline: ui.ID{Value: "video_render@v4", URL: "/x"}, Candidate: ui.ID{Value: "video_render@v5", URL: "/x"}, BaselinePrice: s.l.T("price.unit", "0.667", "second"),
			CandidatePrice: s.l.T("price.unit", "0.667", "second") + ", " + s.l.T("price.off", "10"), Off: s.l.T("off.percent", "10"), Example: s.l.T("price.example_was", "60", "second", "36", "40"),
			Needs: s.l.T("rollout.needs", "20", "95"), Cap: s.l.T("rollout.cap_is", "10,000")},
		Terms: rollouts.Terms{Second: s.l.T("second.terms", s.l.T("second.above_is", "25")), Waiting: rollouts.Waiting{What: s.l.T("approval.advance_rollout", "ro_2026_discount10", "25 %"),
			Say: s.l.T("second.waits", "Mika Sato", s.at(-90*time.Hour).Full), URL: "/approvals/cr_x"},
			Cap: rollouts.Cap{Share: "8200", Say: s.l.T("cap.say", "8,200", "10,000", "2026-11-30 Asia/Tokyo"), Note: s.l.T("cap.reached", s.at(-9*time.Hour).Full)}},
		Follow: rollouts.Follow{Action: "/rollouts/ro_2026_discount10/follow", Follows: true},
		Schedule: rollouts.Schedule{Zone: "JST", NewURL: "/x", Rows: []rollouts.ScheduledRow{
			{Step: s.l.T("schedule.step", s.l.T("step.advance"), "25 %"), At: s.at(-30 * time.Hour), Local: "2026-11-01 01:30 America/New_York", Note: s.l.T("schedule.twice"), State: "waits", By: "Mika Sato",
				Request: ui.Link{Text: s.l.T("approval.request"), URL: "/approvals/cr_x"}},
			{Step: s.l.T("step.complete"), At: s.at(-60 * time.Hour), Local: "2026-11-03 09:00 Asia/Tokyo", State: "waiting", Why: s.l.T("schedule.waits_paused"), By: "Mika Sato", CancelURL: "/x",
				Request: ui.Link{Text: s.l.T("schedule.agreed"), URL: "/approvals/cr_x"}},
			{Step: s.l.T("schedule.step", s.l.T("step.advance"), "1 %"), At: s.at(50 * time.Hour), Local: "2026-03-08 02:30 America/Argentina/ComodRivadavia", Note: s.l.T("schedule.left_out"), State: "refused",
				Why: s.l.T("schedule_end.at", s.l.T("checks.lacks", s.l.T("checks.reconciliation")), s.at(50*time.Hour).Full), By: "Mika Sato", Operation: ui.ID{Value: "op", URL: "/operations?x=1"}},
			{Step: s.l.T("schedule.step", s.l.T("step.start"), "1 %"), At: s.at(80 * time.Hour), Local: "2026-03-08 09:00 UTC", State: "fired", Why: s.at(80 * time.Hour).Full, By: "Mika Sato", Operation: ui.ID{Value: "op", URL: "/operations?x=1"}}}},
		Steps: []rollouts.Step{{Name: "start", URL: "/x", Blocked: s.l.T("refusal.rollout_live", "ro_2026_other")}, {Name: "roll_back", URL: "/x", Danger: true}, {Name: "resume", URL: "/x", Main: true}},
		Try:   rollouts.Try{Action: "/rollouts/ro_2026_discount10", Account: ui.Field{Value: "acct_7Q2M"}, Cohort: "candidate", Rule: "video_render@v5", Bucket: "8,012", Why: s.l.T("why.below_threshold"), Price: s.l.T("price.example", "60", "second", "36")},
	}
	for i, c := range []rollouts.Check{{Name: "uniqueness", State: "passed"}, {Name: "consistency", State: "missing", Why: s.l.T("checks.few_charges", "12", "20")},
		{Name: "reconciliation", State: "failed", Why: s.l.T("finding.unattributed.other", "2", "gpu-cloud/line-2026-11-24-000017, gpu-cloud/line-2026-11-24-000018")}} {
		c.Found, c.At = string('0'+rune(i)), s.at(40*time.Second)
		m.Checks = append(m.Checks, c)
	}
	m.Findings.Tabs = []ui.Choice{{Text: s.l.T("checks.all"), URL: "/rollouts/ro_1", Current: true}, {Text: s.l.T("checks.reconciliation"), URL: "/rollouts/ro_1?check=reconciliation"}}
	m.Findings.Pager = ui.Pager{OlderURL: "/rollouts/ro_1?cursor=x"}
	for i := range 2 {
		m.Findings.Rows = append(m.Findings.Rows, rollouts.Finding{Check: "consistency", Account: account("acct_7Q2M"), Operation: operation("charge-0198c3f2-7d3e-7bbd-9d3a-000000000001"), What: s.l.T("finding.entry_price", "12"),
			Expected: s.l.T("finding.price_by", "54", "video_render@v5"), Found: s.l.T("finding.price_by", "60", "video_render@v4"), At: s.at(time.Duration(i) * time.Hour), Gone: i == 1})
	}
	for i, kind := range []string{"halted", "advanced", "started", "created"} {
		m.Events = append(m.Events, rollouts.Event{At: s.at(time.Duration(i*31) * time.Hour), Kind: kind, Stage: s.l.T("stage.threshold", "1"), Who: "Mika Sato", Enrolled: "118",
			Reason: "Everything was quiet for three days, agreed with finance", Operation: ui.ID{Value: "op", URL: "/operations?scope=rollout:x&id=op"}})
	}
	m.Effects, m.Loss = s.effects(), s.loss()
	m.Accounts = rollouts.Accounts{Admitted: s.l.N("count.admitted", 2960), Enrolled: ui.Link{Text: s.l.N("count.enrolled", 118), URL: "/rollouts/ro_2026_discount10/accounts"}, Paid: s.l.N("count.paid", 97)}
	m.Help = s.l.T("help.costs")
	return m
}

// bareRollouts are the same pages with nothing on them.
func bareRollouts(l text.Locale, f layout.Frame) []page {
	return []page{
		{name: "prices", view: pricing.Page(f, pricing.Model{})},
		{name: "price-action", view: pricing.ActionPage(f, pricing.Action{ID: "x"})},
		{name: "price-new", view: pricing.NewPage(f, pricing.New{})},
		{name: "price-force", view: pricing.ForcePage(f, pricing.Force{})},
		{name: "price-retire", view: pricing.RetirePage(f, pricing.Retire{})},
		{name: "rollouts", view: rollouts.Page(f, rollouts.Model{})},
		{name: "rollout-accounts", view: rollouts.EnrolmentsPage(f, rollouts.Enrolments{ID: "x"})},
		{name: "inbox", view: inbox.Page(f, inbox.Model{})},
		{name: "rollout", view: rollouts.RolloutPage(f, rollouts.Rollout{ID: "x", Effects: &rollouts.Effects{}})},
		{name: "rollout-move", view: rollouts.MovePage(f, rollouts.Move{Name: "start"})},
		{name: "rollout-new", view: rollouts.NewPage(f, rollouts.New{})},
		{name: "rollout-schedule", view: rollouts.SchedulePage(f, rollouts.NewScheduled{})},
		{name: "rollout-unschedule", view: rollouts.CancelScheduledPage(f, rollouts.CancelScheduled{})},
	}
}
