package present

import (
	"encoding/json"
	"strings"
	"time"

	"recoup/models/job"
	"recoup/views/jobs"
	"recoup/views/text"
	"recoup/views/ui"
)

// settled is what a settlement paid for a job.
type settled struct {
	at time.Time
	// amount is what the account got, below zero what it paid; nil where it was settled outside by the document reference.
	amount    *int64
	seq       int64
	reference string
}

// settlements are the payments of a job, oldest first, by its timeline.
func settlements(d JobPage) []settled {
	var out []settled
	for _, e := range d.Events {
		if e.Kind != job.EventSettled {
			continue
		}
		s := settled{at: e.At}
		if e.EntrySeq == nil {
			var x job.Details
			if e.Data != nil && json.Unmarshal([]byte(*e.Data), &x) == nil {
				// The timeline names the settlement before the document; a customer knows the document alone.
				_, s.reference, _ = strings.Cut(x.Note, ", ")
			}
		} else if entry, known := d.Entries[*e.EntrySeq]; known {
			s.amount, s.seq = &entry.Amount, entry.Seq
		} else {
			continue
		}
		out = append(out, s)
	}
	return out
}

// settledFacts is what settlements paid for the job, beside its own net; none where nothing was.
func (p Presenter) settledFacts(d JobPage) []ui.Fact {
	var facts []ui.Fact
	for _, s := range settlements(d) {
		if s.amount != nil {
			facts = append(facts, ui.Fact{Label: p.L.T("did.settle"), Value: p.L.Signed(*s.amount), Note: p.L.T("settlement.entry", p.L.Credits(s.seq)), Change: true})
		}
	}
	return facts
}

// settledStory are the payments as the job's plain sentence goes on with them.
func (p Presenter) settledStory(d JobPage) []jobs.Settled {
	var out []jobs.Settled
	paid := -net(d)
	for _, s := range settlements(d) {
		x := jobs.Settled{At: p.L.Stamp(s.at, p.Now).Full, Reference: s.reference}
		if s.amount != nil {
			paid -= *s.amount
			x.Amount, x.Paid = p.L.Signed(*s.amount), p.L.Credits(paid)
		}
		out = append(out, x)
	}
	return out
}

// settledReply is what the customer can be told of the payments, to follow what is told of the job; empty for none.
func (p Presenter) settledReply(l text.Locale, d JobPage) string {
	said := ""
	paid := -net(d)
	for _, s := range settlements(d) {
		at := l.Stamp(s.at, p.Now).Full
		switch {
		case s.amount == nil:
			said += l.T("reply.settled_outside", at, s.reference)
		case *s.amount >= 0:
			paid -= *s.amount
			said += l.T("reply.settled_back", at, l.Credits(*s.amount), l.Credits(paid))
		default:
			paid -= *s.amount
			said += l.T("reply.settled_more", at, l.Credits(-*s.amount), l.Credits(paid))
		}
	}
	return said
}
