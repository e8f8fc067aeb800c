package present

import (
	"strconv"
	"time"

	"recoup/models/job"
	"recoup/views/chart"
	views "recoup/views/queue"
	"recoup/views/text"
	"recoup/views/ui"
)

// QueueRow is a job of the line but for what leads elsewhere.
func (p Presenter) QueueRow(x job.InQueue) views.Row {
	l := p.L
	r := views.Row{Job: Job(x.AccountID, x.ID), Account: ui.Link{Text: x.AccountID, URL: AccountURL(x.AccountID)}, Action: x.Action, State: string(x.State),
		At: l.Stamp(x.DueAt, p.Now)}
	attempt := strconv.Itoa(x.Attempt)
	if x.ErrorClass != "" && x.State != job.Running {
		r.Error = l.Maybe("class."+x.ErrorClass, x.ErrorClass)
		if x.ErrorCode != "" {
			r.Error += " " + x.ErrorCode
		}
		if x.ErrorMessage != "" {
			r.Error += ": " + text.Visible(x.ErrorMessage)
		}
	}
	switch x.State {
	case job.Queued:
		switch {
		case x.HeldBy == "dependency":
			r.State, r.Why = "held", l.T("queue.why_dependency", x.Dependency)
		case x.HeldBy == "action":
			r.State, r.Why = "held", l.T("queue.why_action", x.Action)
		case x.Attempt == x.GenerationBase:
			r.Why = l.T("queue.why_first", strconv.Itoa(x.Generation))
		default:
			r.Why = l.T("queue.why_attempt", strconv.Itoa(x.Attempt+1))
		}
	case job.Retrying:
		delay, jittered := l.Duration(x.Delay), l.Duration(x.Jittered)
		switch {
		case x.Delay == 0:
			r.Why = l.T("queue.why_put_back")
		case delay == jittered:
			r.Why = l.T("queue.why_failed", attempt, delay)
		default:
			r.Why = l.T("queue.why_jittered", attempt, delay, jittered)
		}
	case job.Running:
		since := x.CreatedAt
		if x.ClaimedAt != nil {
			since = *x.ClaimedAt
		}
		r.Why = l.T("queue.why_running", attempt, l.Stamp(since, p.Now).Short)
		if x.DueAt.Before(p.Now) {
			r.Why = l.T("queue.why_over", attempt)
		}
		r.Worker, r.Beat = x.Worker, p.Stamp(x.HeartbeatAt)
		if x.WorkerVersion != "" {
			r.Worker += " " + x.WorkerVersion
		}
		if x.Mode == job.External {
			r.Worker = l.T("queue.by_caller")
		}
	case job.Dead, job.Succeeded, job.Canceled, job.Discarded:
	}
	return r
}

// QueueCharts are what was handed out and how long it had waited.
func (p Presenter) QueueCharts(rows []job.HandedOut) []chart.Bars {
	l := p.L
	good := Series{Name: l.T("queue.not_failed"), Tone: "ok"}
	bad := Series{Name: l.T("queue.failed"), Tone: "bad"}
	lag := Series{Name: l.T("queue.median"), Tone: "ok"}
	var from []time.Time
	var claimed, failed int64
	var newest time.Duration
	for _, x := range rows {
		from = append(from, x.From)
		claimed, failed = claimed+x.Claimed, failed+x.Failed
		good.Counts, bad.Counts, lag.Counts = append(good.Counts, x.Claimed-x.Failed), append(bad.Counts, x.Failed), append(lag.Counts, x.LagMs)
		if x.Claimed > 0 {
			newest = time.Duration(x.LagMs) * time.Millisecond
		}
	}
	if claimed == 0 {
		return []chart.Bars{p.StackedBars("throughput", l.T("queue.throughput"), l.T("queue.throughput_none"), nil, from, good, bad)}
	}
	return []chart.Bars{
		p.StackedBars("throughput", l.T("queue.throughput"), l.T("queue.throughput_say", l.Credits(claimed), l.Credits(failed)), p.attempts, from, bad, good),
		p.StackedBars("lag", l.T("queue.lag"), l.T("queue.lag_say", l.Duration(newest)), p.milliseconds, from, lag)}
}

// milliseconds is a time in words, for the edge of a chart.
func (p Presenter) milliseconds(n int64) string {
	return p.L.Duration(time.Duration(n) * time.Millisecond)
}
