package present

import (
	"encoding/json"
	"net/url"
	"strings"

	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/models/bulkgrant"
	"recoup/models/inbox"
	"recoup/models/rollout"
	"recoup/models/webhook"
	views "recoup/views/inbox"
)

// InboxMessage words one message, but for where its form is posted.
func (p Presenter) InboxMessage(t inbox.Told) views.Message {
	v := views.Message{Title: p.L.Maybe("inbox."+t.Code, t.Code+": "+t.Topic), At: p.L.Stamp(t.PostedAt, p.Now), Unread: t.ReadAt == nil}
	switch t.Code {
	case approval.ToldAsked, approval.ToldDecided:
		var d approval.Told
		if json.Unmarshal([]byte(t.Detail), &d) == nil {
			p.toldOfApproval(&v, t.Code, d)
		}
	case bulkgrant.ToldFailed:
		p.toldOfFile(&v, t.Detail)
	case bulk.ToldStopped:
		var d bulk.ToldOfStop
		if json.Unmarshal([]byte(t.Detail), &d) == nil {
			v.URL, v.Title = BulkURL(d.BulkWork), p.L.T("inbox.bulk_stopped", p.L.T("worktitle."+string(d.Kind), p.L.Credits(d.Count)))
			v.Why = p.L.T("inbox.bulk_stopped_why", p.L.Credits(d.Failed), p.L.Credits(d.Back), p.L.Credits(int64(d.StopPercent)))
		}
	case webhook.ToldGone:
		var d webhook.ToldOfGone
		if json.Unmarshal([]byte(t.Detail), &d) == nil {
			v.URL, v.Title, v.Why = "/webhooks/"+url.PathEscape(d.EndpointID), p.L.T("inbox.webhook_gone", d.URL), p.L.T("inbox.webhook_gone_why")
		}
	case rollout.ToldStep:
		var d struct {
			rollout.ToldOfStep
			Detail json.RawMessage `json:"detail"`
		}
		if json.Unmarshal([]byte(t.Detail), &d) == nil {
			v.Title = p.L.T("inbox.rollout_step", d.RolloutID, p.L.Maybe("rollout_event."+d.Event, d.Event), p.actor(d.By))
			v.URL, v.Why = RolloutURL(d.RolloutID), p.toldWhy(d.ToldOfStep, d.Detail)
		}
	case rollout.ToldScheduled:
		var d struct {
			rollout.ToldOfScheduled
			Detail json.RawMessage `json:"detail"`
		}
		if json.Unmarshal([]byte(t.Detail), &d) == nil {
			p.toldOfScheduled(&v, d.ToldOfScheduled, d.Detail)
		}
	}
	return v
}

func (p Presenter) toldOfApproval(v *views.Message, code string, d approval.Told) {
	about, _, _ := strings.Cut(d.Object, "/")
	_, about, _ = strings.Cut(about, ":")
	v.URL = ApprovalURL(d.ID)
	kind := p.KindOfApproval(d.Kind)
	if code == approval.ToldAsked {
		v.Title = p.L.T("inbox.approval_asked", p.actor(d.By), kind, about)
		return
	}
	v.Title = p.L.T("inbox.approval_decided", kind, about, p.L.T("state."+ApprovalState(d.State)), p.actor(d.By))
	if d.Code != "" {
		v.Why = p.L.Maybe("approval.void."+d.Code, d.Code)
	}
}

// toldWhy is why a step was made: what Recoup found, or a person's own words.
func (p Presenter) toldWhy(d rollout.ToldOfStep, detail json.RawMessage) string {
	if len(d.Failed) > 0 {
		var parts []string
		for _, name := range d.Failed {
			parts = append(parts, p.L.T("checks.fails", p.L.T("checks."+string(name))))
		}
		return strings.Join(parts, " ")
	}
	text := string(detail)
	return p.stepReason(rollout.Event{Code: d.Code, Detail: &text, Reason: d.Reason})
}

func (p Presenter) toldOfScheduled(v *views.Message, d rollout.ToldOfScheduled, detail json.RawMessage) {
	step := p.L.T("step." + string(d.Step))
	if d.Step == rollout.StepAdvance {
		step = p.L.T("schedule.step", step, p.L.T("stage.number", p.L.Credits(int64(d.Stage))))
	}
	v.URL = RolloutURL(d.RolloutID)
	v.Title = p.L.T("inbox.rollout_scheduled", d.RolloutID, step, p.L.Maybe("state."+string(d.State), string(d.State)))
	v.Why = p.L.Maybe("schedule_end."+d.Code, p.L.Maybe("fault."+d.Code, d.Code))
	if d.Code == rollout.EndByPerson {
		v.Why = p.L.T("schedule_end.by", p.actor(d.By), d.Reason)
		return
	}
	v.Why = p.refusedStep(v.Why, detail)
}

// capReached says that the cap of a day was reached, from the detail of the step.
func (p Presenter) capReached(detail string) (string, bool) {
	var d struct {
		Given, Day, Zone string
		Cap              int64
	}
	if json.Unmarshal([]byte(detail), &d) != nil {
		return "", false
	}
	return p.L.T("rollout_cause.cap_reached", p.L.Sum(d.Given), p.L.Credits(d.Cap), d.Day+" "+d.Zone), true
}
