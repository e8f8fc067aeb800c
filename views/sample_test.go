package views_test

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"recoup/static"
	"recoup/views/accounts"
	"recoup/views/approvals"
	"recoup/views/auditlog"
	"recoup/views/bulkgrants"
	"recoup/views/bulkworks"
	"recoup/views/deadletters"
	"recoup/views/exports"
	"recoup/views/groups"
	"recoup/views/integrity"
	"recoup/views/jobs"
	"recoup/views/layout"
	"recoup/views/ledger"
	"recoup/views/message"
	"recoup/views/months"
	"recoup/views/operations"
	"recoup/views/overview"
	"recoup/views/person"
	"recoup/views/search"
	"recoup/views/text"
	"recoup/views/triage"
	"recoup/views/ui"
)

// bigInteger is the first whole number that a JavaScript number cannot hold.
const bigInteger = "9007199254740993"

// page is one rendered page of the gallery. Fragments are the parts that htmx swaps.
type page struct {
	name     string
	view     templ.Component
	fragment bool
}

var (
	tokyo = mustLoad("Asia/Tokyo")
	now   = time.Date(2026, 11, 30, 18, 20, 0, 0, tokyo)
)

func mustLoad(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

func locale(lang text.Lang) text.Locale { return text.Locale{Lang: lang, Zone: tokyo} }

func frame(l text.Locale) layout.Frame {
	return layout.Frame{
		L:           l,
		Assets:      layout.Assets{Styles: static.Styles(), Scripts: static.Scripts(), Icon: static.URL("icon.svg")},
		Person:      "Mika Sato",
		Path:        "/ledger?type=refund&period=this_month",
		DeadLetters: "214", Costs: true,
		Keys:      layout.Keys{Triage: true, Requeue: true, Discard: true, Recover: true},
		Approvals: "3",
	}
}

// sample formats in one locale.
type sample struct {
	l text.Locale
}

func (s sample) at(ago time.Duration) text.Stamp { return s.l.Stamp(now.Add(-ago), now) }

func account(id string) ui.ID { return ui.ID{Value: id, URL: "/accounts/" + id} }
func job(id string) ui.ID     { return ui.ID{Value: id, URL: "/accounts/acct_7Q2M/jobs/" + id} }
func operation(id string) ui.ID {
	return ui.ID{Value: id, URL: "/operations?scope=account:acct_7Q2M&id=" + id}
}
func rule(v string) ui.ID {
	if v == "" {
		return ui.ID{}
	}
	return ui.ID{Value: v, URL: "/ledger?rule_version=" + v}
}

// entries is nine entries that add up from 500 to 1,284, newest first.
func (s sample) entries() []ledger.Entry {
	raw := []struct {
		ago         time.Duration
		typ         string
		what        string
		job, op, rv string
		credits     int64
	}{
		{8 * time.Minute, "reclaim", ledger.WhatReclaim(s.l), "vu-20481", "sig-20481-2", "video_upscale@v2", -40},
		{8*time.Minute + 2*time.Second, "refund", ledger.WhatRefund(s.l, "1", "timed_out", ""), "vu-20481", "sig-20481-1", "video_upscale@v2", 40},
		{8*time.Minute + 33*time.Second, "charge", ledger.WhatCharge(s.l, "video_upscale", "60"), "vu-20481", "7f3c9b02-55e1-4d1c-9f07-c0ffee00a91e", "video_upscale@v2", -40},
		{69 * time.Hour, "adjustment", "Goodwill corrected, approved by K. Mori", "", "adj-77", "", -16},
		{74 * time.Hour, "charge", ledger.WhatCharge(s.l, "transcription", "56"), "tr-88120", "op-88120", "transcription@v2", -112},
		{81 * time.Hour, "grant", ledger.WhatGrant(s.l, "paid", "INV-2026-1107"), "", "grant-1107", "", 1000},
		{81*time.Hour + time.Minute, "refund", ledger.WhatRefund(s.l, "2", "transient", "provider_503"), "vr-20377", "sig-20377-1", "video_render@v4", 36},
		{90 * time.Hour, "charge", ledger.WhatCharge(s.l, "video_render", "60"), "vr-20377", "op-20377", "video_render@v4", -36},
		{100 * time.Hour, "charge", ledger.WhatCharge(s.l, "image_generation", "12"), "image-generation-2026-11-26-0000055102", "op-55102", "image_generation@v1", -48},
	}
	balance := int64(500)
	out := make([]ledger.Entry, len(raw))
	for i := len(raw) - 1; i >= 0; i-- {
		r := raw[i]
		balance += r.credits
		e := ledger.Entry{
			At: s.at(r.ago), Type: r.typ, Account: account("acct_7Q2M"), What: r.what, Operation: operation(r.op),
			RuleVersion: rule(r.rv), Actor: "api:platform", Credits: s.l.Signed(r.credits), Balance: s.l.Credits(balance),
		}
		if r.job != "" {
			e.Job = job(r.job)
		}
		out[i] = e
	}
	return out
}

func (s sample) list(filtered bool) ui.List {
	list := ui.List{ClearURL: "/ledger", Pager: ui.Pager{OlderURL: "/ledger?cursor=abc"}}
	if filtered {
		list.Chips = []ui.Chip{
			{Label: s.l.T("period.label"), Value: ledger.PeriodChip(s.l, s.l.Days(now.AddDate(0, 0, -6), now), "JST"), RemoveURL: "/ledger?type=refund"},
			{Label: s.l.T("col.type"), Value: s.l.T("type.refund"), RemoveURL: "/ledger?period=custom"},
		}
	}
	return list
}

func (s sample) periods(current string) []ui.Choice {
	out := []ui.Choice{{Text: ledger.PeriodName(s.l, ""), URL: "/ledger", Current: current == ""}}
	for _, p := range ledger.Periods() {
		if p != "custom" || current == "custom" {
			out = append(out, ui.Choice{Text: ledger.PeriodName(s.l, p), URL: "/ledger?period=" + p, Current: p == current})
		}
	}
	return out
}

func (s sample) filter() ledger.Filter {
	return ledger.Filter{
		Action: "/ledger", Types: ledger.TypeOptions(s.l, "refund"), Periods: ledger.PeriodOptions(s.l, "custom"),
		From: ui.Field{Value: "2026-11-24"}, To: ui.Field{Value: "2026-11-30"},
	}
}

func (s sample) totals() []ledger.Total {
	return []ledger.Total{
		{Type: "grant", Entries: s.l.N("count.entries", 1), Credits: s.l.Signed(1000)},
		{Type: "charge", Entries: s.l.N("count.entries", 4), Credits: s.l.Signed(-236)},
		{Type: "refund", Entries: s.l.N("count.entries", 2), Credits: s.l.Signed(76)},
		{Type: "reclaim", Entries: s.l.N("count.entries", 1), Credits: s.l.Signed(-40)},
		{Type: "adjustment", Entries: s.l.N("count.entries", 1), Credits: s.l.Signed(-16)},
	}
}

func (s sample) ledger() ledger.Model {
	m := ledger.Model{
		Filter: s.filter(), Periods: s.periods("custom"), Period: s.l.Days(now.AddDate(0, 0, -6), now), Zone: "JST", List: s.list(true),
		Totals: &ledger.Totals{Entries: s.l.N("count.entries", 27), Net: s.l.Signed(2352), ByType: s.totals()},
	}
	for range 3 {
		m.Rows = append(m.Rows, s.entries()...)
	}
	m.Rows[4].Credits = text.Minus + "9,007,199,254,740,993"
	return m
}

func (s sample) statement() accounts.Statement {
	all := s.entries()
	m := accounts.Statement{
		Wrong: accounts.Wrong{Say: s.l.N("account.wrong", 5, "1 Dec 2026 07:43:00 UTC", "Missing entries, Balance after the entry"),
			First: ui.Link{Text: s.l.T("why.break", "7"), URL: "/accounts/acct_1/entries/7"}},
		ID: account("acct_7Q2M"), Name: "Hoshino Studio", Balance: s.l.Credits(1284), Entries: s.l.N("count.entries", 4110), InPeriod: s.l.N("count.entries", 9),
		Filter: s.filter(), Periods: s.periods("custom"), Zone: "JST", List: ui.List{ClearURL: "/accounts/acct_7Q2M", Chips: s.list(true).Chips[:1], Pager: ui.Pager{NewerURL: "/n", OlderURL: "/o"}},
		Period: &accounts.Period{Opening: s.l.Credits(500), OpeningAt: "24 Nov 00:00 JST", Closing: s.l.Credits(1284), ClosingAt: "30 Nov 24:00 JST", Totals: s.totals()},
		Days: []accounts.Day{
			{Name: s.at(0).Day, Entries: s.l.N("count.entries", 3), Opening: s.l.Credits(1324), Net: s.l.Signed(-40), Closing: s.l.Credits(1284), Rows: all[:3]},
			{Name: s.at(72 * time.Hour).Day, Entries: s.l.N("count.entries", 4), Opening: s.l.Credits(416), Net: s.l.Signed(908), Closing: s.l.Credits(1324), Rows: all[3:7]},
			{Name: s.at(96 * time.Hour).Day, Entries: s.l.N("count.entries", 2), Rows: all[7:]},
		},
		Profile: []accounts.Attribute{{Name: s.l.T("col.plan"), Value: "studio"}, {Name: "region", Value: "jp-osaka"}, {Name: "external_number", Value: bigInteger}},
		Jobs: []accounts.JobRow{
			{ID: job("vu-20481"), Action: "video_upscale", State: "succeeded", Cost: "40", Money: "reclaimed", At: s.at(8 * time.Minute)},
			{ID: job("tr-88120"), Action: "transcription", State: "running", Cost: "112", Money: "not_refunded", At: s.at(74 * time.Hour)},
			{ID: job("vr-20377"), Action: "video_render", State: "dead", Cost: "36", Money: "refunded", At: s.at(90 * time.Hour)},
		},
		JobsURL:     "/jobs?account=acct_7Q2M",
		Rollouts:    s.accountRollouts(),
		Reclaimable: []accounts.JobRow{{ID: job("vr-20377"), Action: "video_render", State: "dead", Cost: "36", Money: "refunded", At: s.at(90 * time.Hour)}}, ReclaimableSay: s.l.N("statement.reclaimable_count", 1, "36"), ReclaimableMore: "/jobs?money=refunded",
		Notes: s.notes(), NotesURL: "/accounts/acct_7Q2M/notes", NoteURL: "/accounts/acct_7Q2M/notes/new", ProfileURL: "/accounts/acct_7Q2M/profile",
		GrantURL: "/accounts/acct_7Q2M/grants/new", AdjustURL: "/accounts/acct_7Q2M/adjustments/new", FreezeURL: "/accounts/acct_7Q2M/freeze",
	}
	return m
}

func (s sample) notes() []accounts.Note {
	return []accounts.Note{
		{Text: "Asked for an invoice with the number of their order.\nSent on Friday.", By: "Mika Sato", At: s.at(3 * time.Hour), StrikeURL: "/strike"},
		{Text: "Wants a call before every freeze.", By: "K. Mori", At: s.at(90 * time.Hour), Struck: true, StruckBy: "Mika Sato", StruckAt: s.at(2 * time.Hour), StruckReason: "Was another customer."},
	}
}

func (s sample) negative() accounts.Statement {
	m := s.statement()
	m.Balance, m.NegFor, m.NegSince, m.Frozen = s.l.Credits(-40), s.l.Age(now.Add(-52*time.Hour), now), s.at(52*time.Hour), true
	m.Period.Closing = s.l.Credits(-40)
	m.FreezeURL, m.UnfreezeURL = "", "/accounts/acct_7Q2M/unfreeze"
	m.Totals = &ledger.Totals{Entries: s.l.N("count.entries", 1), Net: s.l.Signed(-40), ByType: s.totals()[3:4]}
	return m
}

func (s sample) accounts() accounts.Model {
	m := accounts.Model{Action: "/accounts", Zone: "JST", OnlyNegative: true, List: ui.List{ClearURL: "/accounts", Chips: []ui.Chip{{Label: s.l.T("filter.only"), Value: s.l.T("accounts.negative"), RemoveURL: "/accounts"}}, Pager: ui.Pager{NewerURL: "/accounts?before=x"}}}
	for i := range 24 {
		r := accounts.Row{ID: account("acct_" + strconv.Itoa(1000+i)), Name: "Studio " + strconv.Itoa(i), Plan: "studio", Balance: s.l.Credits(int64(i*i*977 + 12)), LastEntry: s.at(time.Duration(i) * 7 * time.Hour)}
		switch i {
		case 2:
			r.Name, r.Balance, r.NegFor = "Kita Animation Works and Sons of the Northern Coast Limited", s.l.Credits(-1160), s.l.Age(now.Add(-75*time.Hour), now)
		case 5:
			r.Name, r.Frozen = "ほしの映像制作株式会社", true
		case 7:
			r.ID = account("organisation:2f1c7a90-63f0-4f0e-8c55-2b1f7a9063f0")
		case 9:
			r.Balance = "9,223,372,036,854,775,807"
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

func (s sample) decision() *ui.Decision {
	return &ui.Decision{
		RuleVersion: rule("video_upscale@v2"), Cost: "40", Units: "60", Frozen: s.at(8*time.Minute + 33*time.Second),
		Operation: operation("7f3c9b02-55e1-4d1c-9f07-c0ffee00a91e"), Replays: s.l.N("count.times", 1), Trace: ui.ID{Value: "4bf92f3577b34da6a3ce929d0e0e4736"},
		Rollout: ui.ID{Value: "ro_2026_discount10", URL: "/ledger?rollout=ro_2026_discount10"}, Cohort: s.l.T("cohort.candidate"), Quoted: true,
		Stage: s.l.T("stage.number", "2"), Bucket: "8,012", Why: s.l.T("decided.below_threshold"),
	}
}

func (s sample) job() jobs.Job {
	at := func(sec int) text.Stamp { return s.l.Stamp(time.Date(2026, 11, 30, 18, 12, sec, 0, tokyo), now) }
	return jobs.Job{
		ID: job("vu-20481"), Account: ui.Link{Text: "Hoshino Studio", URL: "/accounts/acct_7Q2M"}, Action: "video_upscale", State: "late_success", Zone: "JST",
		Story: jobs.Story{Account: "Hoshino Studio", Cost: "40", State: "succeeded", Delivered: true, Refunded: true, Reclaimed: true},
		Facts: []ui.Fact{
			{Label: s.l.T("col.cost"), Value: "40"},
			{Label: s.l.T("guard.net"), Value: s.l.Signed(-40), Change: true},
			{Label: s.l.T("col.attempts"), Value: "1 / 5"},
			{Label: s.l.T("col.generation"), Value: "1"},
			{Label: s.l.T("decision.units"), Value: "60"},
		},
		Held: s.heldNotice(s.l.T("held.next"), s.l.T("held.expires_refunded", s.at(-26*time.Hour).Full)),
		Next: jobs.NextRetry(s.l, "3", s.l.Duration(80*time.Second), s.l.Duration(61*time.Second), s.at(-40*time.Second)),
		Days: []jobs.Day{{Name: s.at(0).Day, Moments: []jobs.Moment{
			{At: at(1), Money: jobs.Money(s.l, "charge", s.l.Signed(-40), "4,108", "1,284", "", "/ledger?job=vu-20481")},
			{At: at(2), Attempt: jobs.AttemptStarted(s.l, "1", "gpu-osaka-14", s.l.Duration(30*time.Second))},
			{At: at(32), Attempt: jobs.AttemptFailed(s.l, "1", "timed_out", "", ""), Money: jobs.Money(s.l, "refund", s.l.Signed(40), "4,109", "1,324", "", "")},
			{At: at(33), Attempt: jobs.AttemptFailed(s.l, "1", "transient", "callback_error", "connection reset by peer"), Money: jobs.MoneyUnmoved(s.l, "already_refunded")},
			{At: at(33), Attempt: jobs.Scheduled(s.l, jobs.NextRetry(s.l, "1", s.l.Duration(20*time.Second), "", at(53)))},
			{At: at(34), Attempt: jobs.AttemptSucceeded(s.l, "1", true), Money: jobs.Money(s.l, "reclaim", s.l.Signed(-40), "4,110", "1,284", "", "")},
			{At: at(50), Attempt: jobs.Woken(s.l), Person: jobs.ByPerson(s.l, "requeue", "K. Mori", "provider is back")},
			{At: at(58), Attempt: jobs.Died(s.l, "attempts_used_up")},
		}}},
		Guard:    jobs.Guard{Consistent: true, RefundSignalled: jobs.Signalled(s.l, 3, true), ReclaimSignalled: jobs.Signalled(s.l, 1, true), Net: s.l.Signed(-40), Cost: "40"},
		Decision: s.decision(),
		Attempts: []jobs.Attempt{
			{Number: "1", Generation: "1", Worker: "gpu-osaka-14", Started: at(2), Lease: s.l.Duration(30 * time.Second), Ended: at(32), Outcome: "timed_out", Class: "timed_out", Code: "lease_over", Message: "no heartbeat for 30 s, frame " + bigInteger},
			{Number: "2", Generation: "1", Worker: "gpu-osaka-15", Started: at(40), Lease: s.l.Duration(30 * time.Second), Outcome: "running"},
		},
		Operations: []jobs.Operation{
			{ID: operation("7f3c9b02-55e1-4d1c-9f07-c0ffee00a91e"), Kind: "charge", Actor: "api:platform", At: at(1), Result: "applied", Replays: "1", Conflicts: "0"},
			{ID: operation("sig-20481-1"), Kind: "signal", Actor: "system", At: at(32), Result: "applied", Replays: "0", Conflicts: "2"},
		},
		Payload:   &jobs.Payload{RevealURL: "/reveal", Lines: []jobs.PayloadLine{{Path: "source", Kind: "string", Value: "s3://…/hoshino/cut-7.mov"}, {Path: "frames", Kind: "number", Value: bigInteger}, {Path: "callback_token", Kind: "string", Value: "••••••••", Masked: true}}},
		CancelURL: "/cancel", RequeueURL: "/requeue", DiscardURL: "/discard", Triage: s.triageCard(), RecoverURL: "/recover",
		Reply:       []jobs.Reply{{Lang: "en", Name: "English", Text: "Your video upscale job vu-20481 is complete."}, {Lang: "ja", Name: "日本語", Text: "ご依頼のvideo upscale（vu-20481）は完了しました。"}},
		Deliveries:  []jobs.Delivery{{At: at(34), Result: "s3://renders/hoshino/cut-7-final.mov", By: "render platform", First: true}, {At: at(40), Result: "s3://renders/again.mov", By: "K. Mori"}},
		Edits:       []jobs.Edit{{At: at(50), By: "K. Mori", Generation: "2", Changes: []jobs.PayloadChange{{Path: "source", Before: `"s3://a"`, After: `"s3://b"`}, {Path: "frames", Before: bigInteger, After: ""}}}},
		DeadLetters: ui.Link{Text: deadletters.TabName(s.l, deadletters.LateSuccess), URL: "/dead-letters?tab=late"},
	}
}

func (s sample) jobs() jobs.Model {
	states := []string{"queued", "running", "retrying", "succeeded", "dead", "discarded", "canceled", "held", "late_success"}
	money := []string{"not_refunded", "not_refunded", "refunded", "not_refunded", "refunded", "refunded", "refunded", "not_refunded", "reclaimed"}
	m := jobs.Model{Action: "/jobs", States: jobs.StateOptions(s.l, "dead"), Zone: "JST", List: ui.List{ClearURL: "/jobs", Pager: ui.Pager{NewerURL: "/n", OlderURL: "/o"}}}
	for i := range 27 {
		m.Rows = append(m.Rows, jobs.Row{ID: job(fmt.Sprintf("vr-%d", 20481-i)), Account: account("acct_7Q2M"), Action: "video_render", State: states[i%9], Money: money[i%9], Attempts: "3 / 5", Charged: s.at(time.Duration(i) * 47 * time.Minute), Cost: "36"})
	}
	return m
}

func (s sample) dead(tab deadletters.Tab) deadletters.Model {
	m := deadletters.Model{Action: "/dead-letters", Tab: tab, Zone: "JST",
		Filter: deadletters.Filter{Classes: deadletters.ClassOptions(s.l, ""), Ages: deadletters.AgeOptions(s.l, "24h"), Within: deadletters.WithinOptions(s.l, ""),
			Money: deadletters.MoneyOptions(s.l, ""), Outcomes: deadletters.OutcomeOptions(s.l, ""), Assignees: []ui.Option{{Value: "me", Label: s.l.T("assignee.me")}}},
		Fresh: deadletters.Fresh{PollURL: "/dead-letters/new?since=x", Count: s.l.N("fresh.count", 12), ReloadURL: "/dead-letters"},
		Facts: []ui.Fact{{Label: s.l.T("dead.open"), Value: "10,214", Note: s.l.T("dead.open_note")}, {Label: s.l.T("dead.refunded"), Value: "9,007,199,254,740,993", Note: s.l.T("dead.refunded_note")},
			{Label: s.l.T("dead.charged"), Value: "0", Note: s.l.T("dead.charged_note")}, {Label: s.l.T("dead.oldest"), Value: s.at(50 * time.Hour).Relative, Note: s.at(50 * time.Hour).Full},
			{Label: s.l.T("dead.inflow"), Value: "512", Note: s.l.T("dead.inflow_note")}},
		List: ui.List{ClearURL: "/dead-letters", Pager: ui.Pager{OlderURL: "/dead-letters?cursor=x"}, Chips: []ui.Chip{{Label: s.l.T("dead.age"), Value: s.l.T("age.24h"), RemoveURL: "/dead-letters"}}}}
	for _, t := range deadletters.Tabs() {
		c := ui.Choice{Text: deadletters.TabName(s.l, t), URL: "/dead-letters?tab=" + string(t), Current: t == tab}
		if t == deadletters.NeedsReview {
			c.Count = "214"
		}
		m.Tabs = append(m.Tabs, c)
	}
	errs := [][3]string{
		{"timed_out", "lease_over", "no heartbeat for 30 s at frame " + bigInteger},
		{"transient", "provider_503", "upstream answered 503 Service Unavailable (request 8f1e)"},
		{"permanent", "bad_codec", "unsupported codec: prores_raw in track 2 of cut-7-final-FINAL2.mov"},
		{"throttled", "quota", "429 too many requests"},
	}
	for i := range 25 {
		e := errs[i%4]
		r := deadletters.Row{Job: job(fmt.Sprintf("vr-%d", 20481-i*13)), Account: ui.Link{Text: "Hoshino Studio", URL: "/accounts/acct_7Q2M"}, Action: "video_render", Cost: "36", Money: "refunded", Attempts: "5", Class: e[0], Code: e[1], Message: e[2], Since: s.at(time.Duration(i*i+25) * time.Hour)}
		switch tab {
		case deadletters.NeedsReview, deadletters.Mine, deadletters.Snoozed:
			r.RequeueURL, r.DiscardURL, r.NoteURL, r.GroupURL = "/requeue", "/discard", "/note", "/dead-letters/groups/1-a"
			r.Tick, m.Select = "acct_7Q2M/"+r.Job.Value+"/0", s.selectBar()
			r.Assign = &triage.Post{Action: "/assign", OperationID: "x", Text: s.l.T("assign.take"), Title: s.l.T("assign.take_title", r.Job.Value), Key: "a"}
			r.Snooze = &triage.Post{Action: "/snooze", OperationID: "x", Text: s.l.T("snooze.open"), Title: s.l.T("snooze.title", r.Job.Value, "1 Dec"), Key: "s"}
			if i%5 == 2 {
				r.Assignee, r.Until, r.Mismatch = "Alexandra Papadopoulou", s.at(-15*time.Hour), i == 2
			}
		case deadletters.LateSuccess:
			r.Money = "reclaimed"
			r.Late = &deadletters.Late{TooLateFor: "dead", Reclaimed: s.l.Signed(-36), Balance: s.l.Credits(-1240), Deliveries: s.l.N("late.deliveries", 2), Result: "s3://renders/hoshino/cut-7-final.mov"}
		case deadletters.Resolved:
			r.ReopenURL, r.Outcome, r.Resolution = "/reopen", "discarded", deadletters.ReasonName(s.l, "bad_input")
		}
		if i == 3 {
			r.Job, r.Generation = job("transcription:2f1c7a90-63f0-4f0e-8c55-2b1f7a9063f0"), "2"
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

func (s sample) groupTrend() groups.Trend {
	t := groups.Trend{Label: s.l.N("groups.trend_label", 1204)}
	for i := range 24 {
		n := int64(i*i%7) * 31
		t.Counts = append(t.Counts, n)
		t.Steps = append(t.Steps, groups.Step{From: s.at(time.Duration(24-i) * time.Hour), Count: s.l.Credits(n)})
	}
	return t
}

func (s sample) groups() groups.Model {
	m := groups.Model{Select: s.groupBar(), Zone: "JST", Open: true, List: ui.List{ClearURL: "/dead-letters/groups", Pager: ui.Pager{OlderURL: "/o"}}}
	for _, v := range []string{"open", "snoozed", "resolved", "all"} {
		m.Views = append(m.Views, ui.Choice{Text: s.l.T("groupview." + v), URL: "/dead-letters/groups?view=" + v, Current: v == "open"})
	}
	for _, t := range deadletters.Tabs() {
		m.Tabs = append(m.Tabs, ui.Choice{Text: deadletters.TabName(s.l, t), URL: "/dead-letters"})
	}
	m.Tabs = append(m.Tabs, ui.Choice{Text: s.l.T("groups.title"), URL: "/dead-letters/groups", Current: true})
	patterns := []string{"upstream answered <number> Service Unavailable (request <id>)", "no heartbeat for <number> s at frame <number>", "", "unsupported codec: prores_raw in track <number> of <path>, which is a very long message that has to be cut somewhere"}
	states := []string{"", "returned", "snoozed", "resolved"}
	for i := range 12 {
		m.Rows = append(m.Rows, groups.Row{URL: "/dead-letters/groups/1-a", Tick: "1-a", Pattern: patterns[i%4], Code: []string{"provider_503", "lease_over", "", "bad_codec"}[i%4], Action: "video_render",
			State: states[i%4], Open: s.l.Credits(int64(10_000 / (i + 1))), OpenURL: "/dead-letters?group=1-a", Accounts: "312", Credits: "9,007,199,254,740,993", First: s.at(900 * time.Hour), Last: s.at(time.Duration(i) * time.Hour),
			Trend: s.groupTrend(), Charged: []string{"", "40"}[i%2], Note: []string{"", "Provider knows, see the status page"}[i%2]})
	}
	return m
}

func (s sample) group() groups.Group {
	return groups.Group{ID: "2-7eb1413c31bcb338cc88b8df45237ec4", Title: "upstream answered <number> Service Unavailable (request <id>)", Code: "provider_503", Action: "video_render", Dependency: "gpu-pool",
		State: "returned", Say: s.l.T("groups.say_returned", s.at(30*time.Hour).Full, s.at(time.Hour).Full), Zone: "JST",
		Facts: []ui.Fact{{Label: s.l.T("groups.open"), Value: "10,000"}, {Label: s.l.T("groups.accounts"), Value: "312"}, {Label: s.l.T("groups.refunded"), Value: "360,000"}},
		Trend: s.groupTrend(), Note: "The provider is down.\nWait for them, then requeue.", Link: "https://status.example/incidents/7", Changed: s.l.T("conflict.by", "K. Mori", s.at(time.Hour).Full),
		Versions: []groups.Share{{Value: ui.Link{Text: "worker 4.2.0"}, Count: "9,800"}, {Value: ui.Link{Text: s.l.T("groups.no_version")}, Count: "200"}},
		Accounts: []groups.Share{{Value: ui.Link{Text: "acct_7Q2M", URL: "/accounts/acct_7Q2M"}, Count: "512"}},
		Samples:  []groups.Sample{{Job: job("vr-20481"), Account: account("acct_7Q2M"), Message: "upstream answered 503 Service Unavailable (request 8f1e)", Died: s.at(time.Hour), Cost: "36"}},
		OpenURL:  "/dead-letters?group=1-a", AllURL: "/dead-letters?group=1-a&tab=resolved", NoteForm: &groups.Note{Action: "/note", OperationID: "x", Revision: "3", Note: ui.Field{Value: "The provider is down."}},
		SnoozeURL: "/snooze", ResolveURL: "/resolve", ReopenURL: "/reopen", ReopenID: "x", ReopenText: s.l.T("groups.reopen"), Revision: "3"}
}

func (s sample) triageCard() *triage.Card {
	options := []ui.Option{{Value: "me", Label: s.l.T("assignee.me")}, {Value: "", Label: s.l.T("triage.nobody")}}
	return &triage.Card{Assignee: "K. Mori", Until: s.at(-15 * time.Hour), GroupURL: "/dead-letters/groups/1-a",
		Assign:  &triage.Form{Action: "/assign", OperationID: "x", Label: s.l.T("dead.assignee"), Name: "assignee", Options: options, Submit: s.l.T("assign.submit")},
		Snooze:  &triage.Form{Action: "/snooze", OperationID: "x", Label: s.l.T("snooze.until"), Name: "until", Options: []ui.Option{{Value: "hour", Label: s.l.T("snooze.hour", "30 Nov 19:20:00")}}, Submit: s.l.T("snooze.submit")},
		NoteURL: "/note", NoteID: "x", Next: "/"}
}

func (s sample) operation() operations.Model {
	d := s.decision()
	d.Operation = ui.ID{}
	return operations.Model{
		Scope: "account:acct_7Q2M", ID: "7f3c9b02-55e1-4d1c-9f07-c0ffee00a91e", Kind: "charge", Actor: "api:platform", Path: "POST /v1/accounts/acct_7Q2M/jobs", Asked: s.at(9 * time.Minute), Applied: s.at(8 * time.Minute), File: ui.Link{Text: "march.csv", URL: "/grants/import/bg_0"}, Zone: "JST",
		Account: account("acct_7Q2M"), Job: job("vu-20481"), Entries: []ui.Link{{Text: s.l.T("type.charge") + " " + s.l.Signed(-40), URL: "/ledger?operation=x"}},
		Result:   "{\n  \"job_id\": \"vu-20481\",\n  \"cost\": 40,\n  \"frames\": " + bigInteger + "\n}",
		Decision: d, Replays: s.l.N("count.times", 2), Refusals: s.l.N("count.times", 1), Trace: ui.ID{Value: "4bf92f3577b34da6a3ce929d0e0e4736"},
		Repeats: []operations.Repeat{
			{At: s.at(7 * time.Minute), Outcome: "replayed", Attempt: "2", Price: "40", Trace: ui.ID{Value: "00f067aa0ba902b74bf92f3577b34da6"}},
			{At: s.at(6 * time.Minute), Outcome: "conflict", Attempt: "3", Fields: "units, action"},
			{At: s.at(5 * time.Minute), Outcome: "replayed", Attempt: "4", Price: "40"},
		},
	}
}

func (s sample) overview() overview.Model {
	return overview.Model{
		DeadLetters: overview.Tile{Count: "214", Note: overview.Oldest(s.l, s.l.Ago(now.Add(-26*24*time.Hour), now)), URL: "/dead-letters"},
		Negative:    overview.Tile{Count: "3", Note: overview.Together(s.l, s.l.Credits(-1240)), URL: "/accounts?negative=1"},
		Halted:      overview.Tile{Count: "1", URL: "/rollouts"}, Unattributed: overview.Tile{Count: "1,000+", URL: "/costs?state=unattributed"},
		Settlements: overview.Tile{Count: "2", Note: s.l.T("overview.settlements_note", "1", "1"), URL: "/settlements"},
		Integrity:   &overview.Integrity{Passed: true, Found: "0", Checked: s.l.N("count.entries", 5012345), At: s.at(14 * time.Hour)},
		Today:       "30 Nov", LastWeek: "23 Nov", Until: "18:20 JST",
		Compare: []overview.Compare{
			{Type: "charge", Today: s.l.Signed(-43344), Before: s.l.Signed(-41210), Change: "+5 %", Entries: "1,204", TodayURL: "/ledger?type=charge&period=today"},
			{Type: "refund", Today: s.l.Signed(684), Before: s.l.Signed(702), Change: text.Minus + "3 %", Entries: "19", TodayURL: "/ledger?type=refund&period=today"},
			{Type: "reclaim", Today: s.l.Signed(-360), Before: s.l.Signed(-40), Change: "", Entries: "10", TodayURL: "/ledger?type=reclaim&period=today"},
		},
		Services: []overview.Service{
			{Name: "PostgreSQL", State: "ok", Detail: "1 ms"}, {Name: "Redis", State: "degraded", Detail: "no answer; jobs wait in PostgreSQL"},
			{Name: "Relay", State: "ok", Detail: "0 owed"}, {Name: "gpu-osaka-14", State: "ok", At: s.at(4 * time.Second)}, {Name: "gpu-osaka-15", State: "stale", At: s.at(40 * time.Minute)},
		},
		Late: []overview.Late{
			{Job: job("vu-20481"), Account: ui.Link{Text: "Hoshino Studio", URL: "/accounts/acct_7Q2M"}, Action: "video_upscale", Credits: s.l.Signed(-40), At: s.at(8 * time.Minute)},
			{Job: job("vr-20377"), Account: ui.Link{Text: "Kita Animation Works", URL: "/accounts/acct_9"}, Action: "video_render", Credits: s.l.Signed(-36), At: s.at(3 * time.Hour)},
		},
		LateURL: "/dead-letters?tab=late", Zone: "JST",
	}
}

func (s sample) act(errs bool) ui.Act {
	a := ui.Act{Action: "/post", OperationID: "0198c3f2-7d3e-7c1a-9a53-1be0a91e4411", CancelURL: "/back"}
	if errs {
		a.Error, a.RequestID = s.l.T("error.422"), "req-0198c3f27d3e"
	}
	return a
}

func (s sample) subject() deadletters.Subject {
	return deadletters.Subject{JobID: "vr-20377", JobURL: "/accounts/acct_7Q2M/jobs/vr-20377", Account: "Hoshino Studio", Action: "video_render", Cost: "36", Refunded: true, Generation: "1"}
}

// rich is every page with as much on it as there can be.
func rich(lang text.Lang) []page {
	s := sample{locale(lang)}
	f := frame(s.l)
	out := f
	out.Person = ""
	noticed := f
	noticed.Notices = []ui.Notice{
		ui.NoticeDone(s.l.T("requeue.title", "vr-20377")),
		ui.NoticeReplayed(s.l, "+1,000", s.at(time.Hour)),
		ui.NoticeConflict(s.l, s.l.T("error.409"), "req-0198c3f27d3e"),
		{Kind: ui.Warning, Happened: s.l.T("error.503"), Next: s.l.T("error.503.next")},
	}
	who := accounts.Subject{ID: "acct_7Q2M", Name: "Hoshino Studio", URL: "/accounts/acct_7Q2M", Balance: "1,284"}
	wrong := ui.Field{Value: "1.5", Error: s.l.T("grant.amount_hint")}
	unreadable := s.ledger()
	unreadable.Rows, unreadable.List.Unreadable = nil, &ui.Unreadable{RequestID: "req-0198c3f27d3e", RetryURL: "/ledger"}
	noMatch := s.ledger()
	noMatch.Rows, noMatch.Filter.OpenOnErrors, noMatch.Filter.Min = nil, true, wrong
	return append(slices.Concat(richRollouts(s, f), s.costPages(f), s.settlementPages(f), s.queuePages(f)), []page{
		{name: "overview", view: overview.Page(f, s.overview())},
		{name: "ledger", view: ledger.Page(f, s.ledger())},
		{name: "ledger-no-match", view: ledger.Page(f, noMatch)},
		{name: "ledger-unreadable", view: ledger.Page(f, unreadable)},
		{name: "ledger-list", view: ledger.List(s.l, s.ledger()), fragment: true},
		{name: "accounts", view: accounts.Page(f, s.accounts())},
		{name: "accounts-list", view: accounts.List(s.l, s.accounts()), fragment: true},
		{name: "statement", view: accounts.StatementPage(f, s.statement())},
		{name: "statement-negative", view: accounts.StatementPage(noticed, s.negative())},
		{name: "statement-list", view: accounts.StatementList(s.l, s.statement()), fragment: true},
		{name: "grant", view: accounts.GrantPage(f, accounts.Grant{Act: s.act(false), Account: who, Categories: accounts.CategoryOptions(s.l, "paid")})},
		{name: "grant-errors", view: accounts.GrantPage(f, accounts.Grant{Act: s.act(true), Account: who, Amount: wrong, Categories: accounts.CategoryOptions(s.l, ""), CategoryError: s.l.T("form.reason")})},
		{name: "adjustment", view: accounts.AdjustmentPage(f, accounts.Adjustment{Act: s.act(false), Account: who})},
		{name: "freeze", view: accounts.FreezePage(f, accounts.Freeze{Act: s.act(false), Account: who})},
		{name: "unfreeze", view: accounts.FreezePage(f, accounts.Freeze{Act: s.act(false), Account: who, Thaw: true})},
		{name: "profile", view: accounts.ProfilePage(f, accounts.Profile{Act: s.act(false), Account: who, Name: ui.Field{Value: "Hoshino Studio"}, Attributes: ui.Field{Value: "external_number = " + bigInteger + "\n"}, Seen: "1"})},
		{name: "profile-review", view: accounts.ProfilePage(f, accounts.Profile{Act: s.act(true), Account: who, Attributes: wrong, Reviewed: "a", Changes: []ui.Change{{Label: s.l.T("col.plan"), Before: "studio", After: "enterprise"}}})},
		{name: "notes", view: accounts.NotesPage(f, accounts.Notes{Account: who, Zone: "JST", Rows: s.notes(), AddURL: "/n", List: s.list(false)})},
		{name: "notes-list", view: accounts.NotesList(s.l, accounts.Notes{Rows: s.notes()}), fragment: true},
		{name: "note", view: accounts.AddNotePage(f, accounts.AddNote{Act: s.act(true), Account: who, Text: wrong})},
		{name: "note-strike", view: accounts.StrikeNotePage(f, accounts.StrikeNote{Act: s.act(false), Account: who, Text: s.notes()[0].Text})},
		{name: "months", view: months.ListPage(f, s.monthList())},
		{name: "months-list", view: months.ListPart(s.l, s.monthList()), fragment: true},
		{name: "month", view: months.Page(f, s.month())},
		{name: "month-close", view: months.ClosePage(f, s.closeMonth())},
		{name: "audit", view: auditlog.Page(f, s.auditLog())},
		{name: "audit-list", view: auditlog.List(s.l, s.auditLog()), fragment: true},
		{name: "integrity", view: integrity.Page(f, s.integrity())},
		{name: "integrity-live", view: integrity.Page(f, s.integrityLive())},
		{name: "integrity-list", view: integrity.List(s.l, s.integrity()), fragment: true},
		{name: "integrity-run", view: integrity.RunPage(f, s.integrityRun())},
		{name: "integrity-evidence-list", view: integrity.Evidence(s.l, s.integrityRun()), fragment: true},
		{name: "integrity-start", view: integrity.RunNowPage(f, s.act(false))},
		{name: "integrity-cancel", view: integrity.CancelPage(f, s.act(true))},
		{name: "grant-edit", view: accounts.GrantPage(f, accounts.Grant{Act: s.act(false), Account: limited(who), Categories: accounts.CategoryOptions(s.l, "paid"), Edit: accounts.Edit{ID: "cr_1", Version: "1", Digest: "ab", URL: "/approvals/cr_1"}})},
		{name: "adjustment-limited", view: accounts.AdjustmentPage(f, accounts.Adjustment{Act: s.act(false), Account: limited(who)})},
		{name: "bulk-works", view: bulkworks.Page(f, s.bulkWorks())},
		{name: "bulk-works-list", view: bulkworks.List(s.l, s.bulkWorks()), fragment: true},
		{name: "bulk-work-running", view: bulkworks.WorkPage(f, s.bulkWork("running"))},
		{name: "bulk-work-stopped", view: bulkworks.WorkPage(f, s.bulkWork("stopped"))},
		{name: "bulk-work-prepared", view: bulkworks.WorkPage(f, s.bulkWork("prepared"))},
		{name: "bulk-work-list", view: bulkworks.Rows(s.l, s.bulkWork("running")), fragment: true},
		{name: "bulk-work-requeue", view: bulkworks.StartPage(f, s.bulkStart("requeue"))},
		{name: "bulk-work-discard", view: bulkworks.StartPage(f, s.bulkStart("discard"))},
		{name: "bulk-work-assign", view: bulkworks.StartPage(f, s.bulkStart("assign"))},
		{name: "bulk-work-snooze", view: bulkworks.StartPage(f, s.bulkStart("snooze"))},
		{name: "bulk-work-pause", view: bulkworks.StepPage(f, s.bulkStep("pause"))},
		{name: "bulk-work-resume", view: bulkworks.StepPage(f, s.bulkStep("resume"))},
		{name: "bulk-work-abort", view: bulkworks.StepPage(f, s.bulkStep("abort"))},
		{name: "bulk-work-refused", view: bulkworks.RefusedPage(f, bulkworks.Refused{Say: s.l.T("works.refused_many", "50,000"), BackURL: "/dead-letters"})},
		{name: "bulk-upload", view: bulkgrants.UploadPage(f, s.upload())},
		{name: "bulk-preview", view: bulkgrants.FilePage(f, s.bulkFile("unconfirmed"))},
		{name: "bulk-running", view: bulkgrants.FilePage(noticed, s.bulkFile("running"))},
		{name: "approvals", view: approvals.Page(f, s.approvals())},
		{name: "approvals-list", view: approvals.List(s.l, s.approvals()), fragment: true},
		{name: "approval", view: approvals.RequestPage(f, s.approval("undecided"))},
		{name: "approval-step", view: approvals.RequestPage(f, s.stepApproval())},
		{name: "approval-step-approve", view: approvals.DecidePage(f, approvals.Decide{Act: s.act(false), Request: s.stepApproval(), Verb: "approve"})},
		{name: "approval-decided", view: approvals.RequestPage(noticed, s.approval("rejected"))},
		{name: "approve", view: approvals.DecidePage(f, approvals.Decide{Act: s.act(false), Request: s.approval("undecided"), Verb: "approve"})},
		{name: "reject", view: approvals.DecidePage(f, approvals.Decide{Act: s.act(true), Request: s.approval("undecided"), Verb: "reject", Reason: wrong})},
		{name: "withdraw", view: approvals.DecidePage(f, approvals.Decide{Act: s.act(false), Request: s.approval("undecided"), Verb: "withdraw"})},
		{name: "jobs", view: jobs.Page(f, s.jobs())},
		{name: "jobs-list", view: jobs.List(s.l, s.jobs()), fragment: true},
		{name: "job", view: jobs.JobPage(f, s.job())},
		{name: "reveal", view: jobs.RevealPage(f, jobs.Reveal{Act: s.act(false), JobID: "vr-20377", JobURL: "/j"})},
		{name: "cancel", view: jobs.CancelPage(f, jobs.Cancel{Act: s.act(false), JobID: "vr-20377", JobURL: "/j", Account: "Hoshino Studio", State: "retrying", Cost: "36", Refunded: true})},
		{name: "dead", view: deadletters.Page(f, s.dead(deadletters.NeedsReview))},
		{name: "dead-late", view: deadletters.Page(f, s.dead(deadletters.LateSuccess))},
		{name: "dead-discarded", view: deadletters.Page(f, s.dead(deadletters.Resolved))},
		{name: "dead-snoozed", view: deadletters.Page(f, s.dead(deadletters.Snoozed))},
		{name: "dead-groups", view: groups.Page(f, s.groups())},
		{name: "dead-groups-list", view: groups.List(s.l, s.groups()), fragment: true},
		{name: "dead-group", view: groups.GroupPage(f, s.group())},
		{name: "dead-group-snooze", view: groups.SnoozePage(f, groups.Snooze{Act: s.act(false), Title: "x", URL: "/x", Revision: "1", Until: []ui.Option{{Value: "hour", Label: "1 h"}}})},
		{name: "dead-group-resolve", view: groups.ResolvePage(f, groups.Resolve{Act: s.act(false), Title: "x", URL: "/x", Revision: "1", Open: "10,000"})},
		{name: "job-recover", view: jobs.RecoverPage(f, jobs.Recover{Act: s.act(false), JobID: "vr-20481", JobURL: "/x", Account: "Hoshino Studio", State: "dead", Generation: "0", Cost: "36", Reclaims: true, Before: "20", After: s.l.Credits(-16)})},
		{name: "job-edit", view: jobs.EditPage(f, jobs.EditPayload{Act: s.act(true), JobID: "vr-20481", JobURL: "/x", Generation: "0", Cost: "36", Payload: ui.Field{Value: "{\"frames\": " + bigInteger + "}", Error: "x"}})},
		{name: "dead-note", view: triage.NotePage(f, triage.Note{Act: s.act(false), JobID: "vr-20481", JobURL: "/x", Next: "/dead-letters"})},
		{name: "dead-list", view: deadletters.List(s.l, s.dead(deadletters.NeedsReview)), fragment: true},
		{name: "requeue", view: deadletters.RequeuePage(f, deadletters.Requeue{Act: s.act(false), Subject: s.subject(), NextGeneration: "2", NextAttempt: "6", Dependency: "render-farm", Zone: "JST"})},
		{name: "discard", view: deadletters.DiscardPage(f, deadletters.Discard{Act: s.act(false), Subject: s.subject(), Reasons: deadletters.ReasonOptions(s.l, "")})},
		{name: "reopen", view: deadletters.ReopenPage(f, deadletters.Reopen{Act: s.act(false), Subject: s.subject()})},
		{name: "operation", view: operations.Page(f, s.operation())},
		{name: "search", view: search.Page(f, search.Model{Query: "vu-20481", More: true,
			Accounts:   []search.Account{{ID: account("acct_7Q2M"), Name: "Hoshino Studio", Balance: s.l.Credits(-40)}},
			Jobs:       []search.Job{{ID: job("vu-20481"), Account: account("acct_7Q2M"), Action: "video_upscale", State: "succeeded"}},
			Operations: []search.Operation{{ID: operation("vu-20481"), Scope: "account:acct_7Q2M", Kind: "charge"}}})},
		{name: "export-start", view: exports.StartPage(f, s.exportStart())},
		{name: "exports", view: exports.Page(f, s.exports())},
		{name: "export-running", view: exports.FilePage(f, s.export("running"))},
		{name: "export-done", view: exports.FilePage(f, s.export("done"))},
		{name: "export-expired", view: exports.FilePage(f, s.export("expired"))},
		{name: "export-cancel", view: exports.CancelPage(f, exports.Cancel{Act: s.act(false), Name: "recoup_ledger_all_Asia-Tokyo.csv", URL: "/exports/x", Done: "480,000"})},
		{name: "message-500", view: message.Page(f, message.Error(s.l, 500, "req-0198c3f27d3e"))},
		{name: "message-409", view: message.Page(f, message.Error(s.l, 409, "req-0198c3f27d3e"))},
		{name: "message-403-signed-out", view: message.Page(out, message.Error(s.l, 403, "req-0198c3f27d3e"))},
		{name: "sign-in", view: person.SignInPage(out, person.SignIn{Email: "mika@example.com", Wrong: true, Next: "/ledger", OtherURL: "/sign-in?lang=ja"})},
		{name: "sign-in-use-link", view: person.LinkPage(out, "t0ken")},
		{name: "sign-in-link", view: person.SpentLinkPage(out)},
		{name: "preferences", view: person.PreferencesPage(f, person.Preferences{Languages: []ui.Option{{Value: "en", Label: "English", Selected: lang == text.English}, {Value: "ja", Label: "日本語", Selected: lang == text.Japanese}}, Zone: ui.Field{Value: "Asia/Tokyo"}, Zones: []string{"Asia/Tokyo", "Europe/Berlin", "UTC"}, Theme: "auto"})},
	}...)
}

// bare is every page with nothing on it: zero view models.
func bare(lang text.Lang) []page {
	l := locale(lang)
	f := layout.Frame{L: l, Person: "M"}
	return append(append(bareRollouts(l, f), bareCosts(f)...), []page{
		{name: "overview", view: overview.Page(f, overview.Model{})},
		{name: "ledger", view: ledger.Page(f, ledger.Model{})},
		{name: "ledger-list", view: ledger.List(l, ledger.Model{}), fragment: true},
		{name: "accounts", view: accounts.Page(f, accounts.Model{})},
		{name: "statement", view: accounts.StatementPage(f, accounts.Statement{ID: ui.ID{Value: "acct_1"}})},
		{name: "grant", view: accounts.GrantPage(f, accounts.Grant{})},
		{name: "adjustment", view: accounts.AdjustmentPage(f, accounts.Adjustment{})},
		{name: "freeze", view: accounts.FreezePage(f, accounts.Freeze{})},
		{name: "profile", view: accounts.ProfilePage(f, accounts.Profile{Unchanged: true})},
		{name: "notes", view: accounts.NotesPage(f, accounts.Notes{})},
		{name: "note", view: accounts.AddNotePage(f, accounts.AddNote{})},
		{name: "note-strike", view: accounts.StrikeNotePage(f, accounts.StrikeNote{})},
		{name: "months", view: months.ListPage(f, months.List{})},
		{name: "month", view: months.Page(f, months.Model{Title: "t"})},
		{name: "month-close", view: months.ClosePage(f, months.Close{})},
		{name: "audit", view: auditlog.Page(f, auditlog.Model{})},
		{name: "integrity", view: integrity.Page(f, integrity.Model{})},
		{name: "integrity-run", view: integrity.RunPage(f, integrity.Run{})},
		{name: "bulk-works", view: bulkworks.Page(f, bulkworks.Model{})},
		{name: "bulk-work", view: bulkworks.WorkPage(f, bulkworks.Work{Title: "t"})},
		{name: "bulk-work-start", view: bulkworks.StartPage(f, bulkworks.Start{Title: "t"})},
		{name: "bulk-work-step", view: bulkworks.StepPage(f, bulkworks.Step{Title: "t"})},
		{name: "bulk-upload", view: bulkgrants.UploadPage(f, bulkgrants.Upload{})},
		{name: "bulk-file", view: bulkgrants.FilePage(f, bulkgrants.File{Name: "x"})},
		{name: "approvals", view: approvals.Page(f, approvals.Model{})},
		{name: "approvals-decided", view: approvals.Page(f, approvals.Model{Tab: approvals.Decided})},
		{name: "approvals-mine", view: approvals.Page(f, approvals.Model{Tab: approvals.Mine})},
		{name: "approval", view: approvals.RequestPage(f, approvals.Detail{Title: "t"})},
		{name: "approve", view: approvals.DecidePage(f, approvals.Decide{})},
		{name: "jobs", view: jobs.Page(f, jobs.Model{})},
		{name: "job", view: jobs.JobPage(f, jobs.Job{Action: "video_render"})},
		{name: "reveal", view: jobs.RevealPage(f, jobs.Reveal{})},
		{name: "cancel", view: jobs.CancelPage(f, jobs.Cancel{})},
		{name: "dead", view: deadletters.Page(f, deadletters.Model{})},
		{name: "dead-late", view: deadletters.Page(f, deadletters.Model{Tab: deadletters.LateSuccess})},
		{name: "dead-discarded", view: deadletters.Page(f, deadletters.Model{Tab: deadletters.Resolved})},
		{name: "requeue", view: deadletters.RequeuePage(f, deadletters.Requeue{})},
		{name: "discard", view: deadletters.DiscardPage(f, deadletters.Discard{})},
		{name: "reopen", view: deadletters.ReopenPage(f, deadletters.Reopen{})},
		{name: "operation", view: operations.Page(f, operations.Model{})},
		{name: "search-none", view: search.Page(f, search.Model{Query: "x"})},
		{name: "search-empty", view: search.Page(f, search.Model{})},
		{name: "message", view: message.Page(f, message.Model{Title: "t"})},
		{name: "sign-in", view: person.SignInPage(layout.Frame{L: l}, person.SignIn{Wait: "5 min"})},
		{name: "preferences", view: person.PreferencesPage(f, person.Preferences{})},
	}...)
}
