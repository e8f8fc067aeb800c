package present

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	views "recoup/views/jobs"
	"recoup/views/text"
	"recoup/views/ui"
)

// State is the state a person sees: a success that came after the job had been given up is its own word.
func State(j job.Job) string {
	if j.State == job.Succeeded && j.LateSuccessOf != nil {
		return "late_success"
	}
	return string(j.State)
}

// JobListRow is one job of the list of jobs.
func (p Presenter) JobListRow(j job.Listed) views.Row {
	return views.Row{ID: Job(j.AccountID, j.ID), Account: Account(j.AccountID), Action: j.Action, State: State(j.Job), Money: Money(j.Job),
		Attempts: p.L.T("job.attempts_of", strconv.Itoa(j.Attempt-j.GenerationBase), strconv.Itoa(j.MaxAttempts)),
		Charged:  p.L.Stamp(j.CreatedAt, p.Now), Cost: p.L.Credits(j.Cost)}
}

// JobPage is everything about one job that its page shows.
type JobPage struct {
	Job     job.Listed
	Account ledger.Account
	Events  []job.Event
	// LeftOut is how many events are not among them.
	LeftOut    int64
	Attempts   []job.Attempt
	Operations []operation.Stored
	// Decision is the one that priced it; nil where none is recorded.
	Decision *pricing.Decision
	// Repeats are those of Operations that were sent more than once.
	Repeats  []operation.Repeats
	Evidence job.Evidence
	// Entries are the job's entries by seq.
	Entries map[int64]ledger.Entry
	Payload json.RawMessage
	// Edits are what the payload was before people edited it, oldest first.
	Edits []job.PayloadEdit
	// Revealed shows the payload's values, but for what is secret of them.
	Revealed bool
}

// JobView maps a job to its page.
func (p Presenter) JobView(d JobPage) (views.Job, error) {
	j := d.Job
	m := views.Job{ID: Job(j.AccountID, j.ID), Account: ui.Link{Text: accountName(d.Account), URL: AccountURL(j.AccountID)}, Action: j.Action,
		State: State(j.Job), Zone: p.L.ZoneLabel(p.Now),
		Story: views.Story{Account: accountName(d.Account), Cost: p.L.Credits(j.Cost), State: string(j.State), Delivered: j.DeliveredAt != nil,
			Refunded: j.IsRefunded, Reclaimed: j.IsReclaimed, RefundedAt: p.Stamp(j.RefundedAt).Full, ReclaimedAt: p.Stamp(j.ReclaimedAt).Full,
			Paid: p.L.Credits(-net(d)), Settled: p.settledStory(d)},
		Guard: views.Guard{Consistent: consistent(d), Net: p.L.Signed(net(d)), Cost: p.L.Credits(j.Cost),
			RefundSignalled:  views.Signalled(p.L, d.Evidence.RefundSignals, d.Evidence.RefundsApplied > 0),
			ReclaimSignalled: views.Signalled(p.L, d.Evidence.ReclaimSignals, d.Evidence.ReclaimsApplied > 0)},
		Decision: p.decision(j, d.Evidence, d.Decision)}
	if m.Guard.Consistent {
		// Nobody is told what the entries do not say.
		m.Reply = p.replies(d)
	}
	if d.LeftOut > 0 {
		m.LeftOut = p.L.N("timeline.left_out", d.LeftOut)
	}
	if len(d.Attempts) == job.MostAttempts {
		m.AttemptsLeftOut = p.L.T("attempts.left_out", p.L.Credits(job.MostAttempts))
	}
	if len(d.Operations) == operation.MostOfJob {
		m.OperationsLeftOut = p.L.T("operations.left_out", p.L.Credits(operation.MostOfJob))
	}
	m.Facts = append(p.jobFacts(d), p.settledFacts(d)...)
	for _, a := range d.Attempts {
		m.Attempts = append(m.Attempts, p.attempt(j, a))
	}
	for _, o := range d.Operations {
		v := views.Operation{ID: ui.ID{Value: o.ID, URL: OperationURL(o.ScopeName(), o.ID)}, Kind: o.Kind,
			Actor: p.actor(o.Actor), At: p.L.Stamp(o.StartedAt, p.Now), Result: "applied"}
		for _, r := range d.Repeats {
			if r.Scope == o.Scope && r.ID == o.ID {
				v.Replays, v.Conflicts = p.L.Credits(r.Replays), p.L.Credits(r.Conflicts)
			}
		}
		m.Operations = append(m.Operations, v)
	}
	var err error
	if m.Deliveries, err = p.deliveries(d); err != nil {
		return m, err
	}
	if m.Edits, err = p.edits(d); err != nil {
		return m, err
	}
	if m.Days, m.Next, err = p.timeline(d); err != nil {
		return m, err
	}
	if len(d.Payload) > 0 {
		lines, more, err := payloadLines(d.Payload, d.Revealed)
		if err != nil {
			return m, err
		}
		m.Payload = &views.Payload{Lines: lines, Revealed: d.Revealed}
		if more > 0 {
			m.Payload.More = p.L.N("payload.more", more)
		}
	}
	return m, nil
}

func accountName(a ledger.Account) string {
	if a.Name == "" {
		return a.ID
	}
	return a.Name
}

// consistent tells whether flags and cost are what the entries say. Verify checks the same of all jobs.
func consistent(d JobPage) bool {
	var charge, refund, reclaim int
	for _, e := range d.Entries {
		moves := map[ledger.Type]int64{ledger.Charge: -d.Job.Cost, ledger.Refund: d.Job.Cost, ledger.Reclaim: -d.Job.Cost}
		if want, is := moves[e.Type]; is && e.Amount != want {
			return false
		}
		switch e.Type {
		case ledger.Charge:
			charge++
		case ledger.Refund:
			refund++
		case ledger.Reclaim:
			reclaim++
		}
	}
	ended := d.Job.State == job.Dead || d.Job.State == job.Discarded || d.Job.State == job.Canceled
	if ended && d.Job.DeliveredAt == nil && !d.Job.IsRefunded {
		return false
	}
	return charge == 1 && (refund == 1) == d.Job.IsRefunded && (reclaim == 1) == d.Job.IsReclaimed
}

// net is what the job's own entries come to, whatever its flags say; payments of settlements are beside it.
func net(d JobPage) int64 {
	var sum int64
	for _, e := range d.Entries {
		switch e.Type {
		case ledger.Charge, ledger.Refund, ledger.Reclaim:
			sum += e.Amount
		}
	}
	return sum
}

func (p Presenter) jobFacts(d JobPage) []ui.Fact {
	j := d.Job
	facts := []ui.Fact{
		{Label: p.L.T("job.net"), Value: p.L.Signed(net(d)), Change: true},
		{Label: p.L.T("job.cost"), Value: p.L.Credits(j.Cost), Note: p.L.T("job.units", p.L.Credits(j.Units))},
		{Label: p.L.T("col.attempts"), Value: strconv.Itoa(j.Attempt), Note: p.L.T("job.budget", strconv.Itoa(j.Attempt-j.GenerationBase), strconv.Itoa(j.MaxAttempts))},
	}
	if j.Generation > 0 {
		facts = append(facts, ui.Fact{Label: p.L.T("job.generation"), Value: strconv.Itoa(j.Generation), Note: p.L.T("job.generation_note")})
	}
	return facts
}

func (p Presenter) attempt(j job.Listed, a job.Attempt) views.Attempt {
	v := views.Attempt{Number: strconv.Itoa(a.Attempt), Generation: strconv.Itoa(a.Generation), Worker: a.By(), Started: p.L.Stamp(a.ClaimedAt, p.Now),
		Ended: p.Stamp(a.EndedAt), Outcome: a.Outcome, Class: a.ErrorClass, Code: a.ErrorCode, Message: text.Visible(a.ErrorMessage)}
	if j.Mode == job.Managed {
		v.Lease = p.L.Duration(time.Duration(j.LeaseMs) * time.Millisecond)
	} else if v.Worker == "" {
		v.Worker = p.L.T("job.external")
	}
	switch {
	case a.EndedAt == nil:
		v.Outcome = "running"
	case a.Outcome == "canceled" && j.DeliveredAt != nil:
		// Another attempt delivered. Without a delivery it was a person who ended it.
		v.Outcome = "superseded"
	}
	return v
}

// timeline sorts events into three lanes and says what is due next.
func (p Presenter) timeline(d JobPage) (days []views.Day, next string, err error) {
	zone := p.L.Zone
	if zone == nil {
		zone = time.UTC
	}
	var day string
	for _, e := range d.Events {
		details, err := e.Details()
		if err != nil {
			return nil, "", err
		}
		moments, due := p.moments(d, e, details)
		if due != "" {
			next = due
		}
		if name := p.L.LongDay(e.At.In(zone)); name != day {
			days, day = append(days, views.Day{Name: name}), name
		}
		last := &days[len(days)-1]
		for i, m := range moments {
			if i == 0 {
				m.At = p.L.Stamp(e.At, p.Now)
			}
			last.Moments = append(last.Moments, m)
		}
	}
	if d.Job.State != job.Retrying {
		next = ""
	}
	return days, next, nil
}

// workerOf is the worker that a claim names, with the version that the attempt keeps.
func (p Presenter) workerOf(d JobPage, e job.Event, name string) string {
	for _, a := range d.Attempts {
		if e.Attempt != nil && a.Attempt == *e.Attempt && a.Worker == name {
			return a.By()
		}
	}
	return name
}

func (p Presenter) moments(d JobPage, e job.Event, x job.Details) (out []views.Moment, due string) {
	l := p.L
	n := ""
	if e.Attempt != nil {
		n = strconv.Itoa(*e.Attempt)
	}
	money := p.moneyEvent(d, e)
	switch e.Kind {
	case job.EventCharged:
		return []views.Moment{{Money: money}}, ""
	case job.EventClaimed:
		return []views.Moment{{Attempt: views.AttemptStarted(l, n, p.workerOf(d, e, x.Worker), l.Duration(time.Duration(d.Job.LeaseMs)*time.Millisecond))}}, ""
	case job.EventFailed, job.EventTimedOut:
		out = []views.Moment{{Attempt: views.AttemptFailed(l, n, x.Class, x.Code, text.Visible(x.Message)), Money: money}}
		if x.NotBefore != nil {
			due = views.NextRetry(l, n, l.Duration(time.Duration(x.DelayMs)*time.Millisecond),
				l.Duration(time.Duration(x.JitteredMs)*time.Millisecond), l.Stamp(*x.NotBefore, p.Now))
			out = append(out, views.Moment{Attempt: views.Scheduled(l, due)})
		}
		if x.DeadReason != "" {
			out = append(out, views.Moment{Attempt: views.Died(l, x.DeadReason)})
		}
		return out, due
	case job.EventExpired:
		return []views.Moment{{Attempt: views.Died(l, x.DeadReason), Money: money}}, ""
	case job.EventWoken:
		return []views.Moment{{Attempt: views.Woken(l)}}, ""
	case job.EventSucceeded:
		if e.Outcome == job.NothingToReclaim && e.StateBefore != job.Succeeded {
			money = nil // the ordinary case: nothing was refunded
		}
		// The job says whether its first delivery was late; those that follow begin from succeeded.
		late := d.Job.LateSuccessOf != nil && e.StateBefore != job.Succeeded
		return []views.Moment{{Attempt: views.AttemptSucceeded(l, n, late), Money: money}}, ""
	case job.EventCanceled:
		return []views.Moment{{Person: views.ByPerson(l, "cancel", p.actor(e.Actor), x.Reason), Money: money}}, ""
	case job.EventRequeued:
		if x.NotBefore != nil {
			due = views.NextRequeued(l, l.Stamp(*x.NotBefore, p.Now))
		}
		reason := x.Reason
		if len(x.Payload) > 0 {
			reason += "; " + l.T("edit.changed", strings.Join(x.Payload, ", "))
		}
		return []views.Moment{{Person: views.ByPerson(l, "requeue", p.actor(e.Actor), reason)}}, due
	case job.EventRunNow:
		if x.NotBefore != nil {
			due = views.NextRequeued(l, l.Stamp(*x.NotBefore, p.Now))
		}
		return []views.Moment{{Person: views.ByPerson(l, "run_now", p.actor(e.Actor), x.Reason)}}, due
	case job.EventRecovered:
		return []views.Moment{{Person: views.ByPerson(l, "recover", p.actor(e.Actor), x.Reason), Money: money}}, ""
	case job.EventSettled:
		return []views.Moment{{Person: views.ByPerson(l, "settle", p.actor(e.Actor), noted(x.Reason, x.Note)), Money: money}}, ""
	case job.EventDiscarded:
		return []views.Moment{{Person: views.ByPerson(l, "discard", p.actor(e.Actor), noted(l.Maybe("reason."+x.Reason, x.Reason), x.Note))}}, ""
	case job.EventReopened:
		return []views.Moment{{Person: views.ByPerson(l, "reopen", p.actor(e.Actor), x.Reason)}}, ""
	case job.EventAssigned:
		if x.Assignee == "" {
			return []views.Moment{{Person: views.ByPerson(l, "release", p.actor(e.Actor), "")}}, ""
		}
		return []views.Moment{{Person: views.ByPerson(l, "assign", p.actor(e.Actor), p.actor(x.Assignee))}}, ""
	case job.EventSnoozed:
		if x.Until == nil {
			return []views.Moment{{Person: views.ByPerson(l, "wake", p.actor(e.Actor), "")}}, ""
		}
		return []views.Moment{{Person: views.ByPerson(l, "snooze", p.actor(e.Actor), l.Stamp(*x.Until, p.Now).Full)}}, ""
	case job.EventNoted:
		return []views.Moment{{Person: views.ByPerson(l, "note", p.actor(e.Actor), x.Note)}}, ""
	case job.EventUndone:
		return []views.Moment{{Person: views.ByPerson(l, "undo", p.actor(e.Actor), noted(l.Maybe("kind."+x.Undoes, x.Undoes), x.Note))}}, ""
	}
	return []views.Moment{{Person: views.ByPerson(l, e.Kind, p.actor(e.Actor), x.Reason)}}, ""
}

func noted(reason, note string) string {
	if note == "" {
		return reason
	}
	return reason + ": " + text.Isolate(note)
}

// moneyEvent is what an event did to the money: an entry, or the guard that found nothing to do.
func (p Presenter) moneyEvent(d JobPage, e job.Event) *views.Event {
	if e.EntrySeq != nil {
		entry, known := d.Entries[*e.EntrySeq]
		if !known {
			return nil
		}
		return views.Money(p.L, string(entry.Type), p.L.Signed(entry.Amount), p.L.Credits(entry.Seq), p.L.Credits(entry.BalanceAfter), "",
			entryOperation(entry).URL)
	}
	if e.Outcome == "" {
		return nil
	}
	return views.MoneyUnmoved(p.L, e.Outcome)
}

// Scope is the scope of an operation that wrote an entry or event of an account.
func Scope(account, actor string) string {
	s := operation.Account(account)
	if actor == "system" {
		s.Name = "system"
	}
	return s.String()
}

const masked = job.Masked

// payloadLines flattens a payload to paths, kinds and, where it is revealed, values. Numbers keep their digits;
// what is secret of it is masked even then. Of many values it returns the first, and how many more there are.
func payloadLines(payload json.RawMessage, revealed bool) (lines []views.PayloadLine, more int64, err error) {
	const most = 500
	hidden, err := secrets().In(payload)
	if err != nil {
		return nil, 0, fmt.Errorf("present: payload: %w", err)
	}
	var walk func(path string, at jsontext.Pointer, v jsontext.Value) error
	walk = func(path string, at jsontext.Pointer, v jsontext.Value) error {
		dec := json.NewDecoder(bytes.NewReader(v))
		dec.UseNumber()
		switch v.Kind() {
		case '{':
			var members map[string]json.RawMessage
			if err := dec.Decode(&members); err != nil {
				return err
			}
			names := make([]string, 0, len(members))
			for name := range members {
				names = append(names, name)
			}
			sort.Strings(names)
			for _, name := range names {
				if err := walk(join(path, name), at.AppendToken(name), jsontext.Value(bytes.TrimSpace(members[name]))); err != nil {
					return err
				}
			}
			return nil
		case '[':
			var items []json.RawMessage
			if err := dec.Decode(&items); err != nil {
				return err
			}
			for i, item := range items {
				if err := walk(fmt.Sprintf("%s[%d]", path, i), at.AppendToken(strconv.Itoa(i)), jsontext.Value(bytes.TrimSpace(item))); err != nil {
					return err
				}
			}
			return nil
		}
		if len(lines) == most {
			more++
			return nil
		}
		hide := !revealed || hidden[string(at)]
		line := views.PayloadLine{Path: text.Visible(path), Kind: kindOf(v.Kind()), Value: string(v), Masked: hide}
		if v.Kind() == '"' {
			var s string
			if err := json.Unmarshal(v, &s); err != nil {
				return err
			}
			line.Value = text.Visible(s)
		}
		if hide {
			line.Value = masked
		}
		lines = append(lines, line)
		return nil
	}
	if err := walk("", "", jsontext.Value(bytes.TrimSpace(payload))); err != nil {
		return nil, 0, fmt.Errorf("present: payload: %w", err)
	}
	return lines, more, nil
}

// kindOf names the kind of a value that holds no others.
func kindOf(k jsontext.Kind) string {
	switch k {
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	}
	return "null"
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
