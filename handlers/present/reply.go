package present

import (
	"strings"

	"recoup/models/job"
	"recoup/views/jobs"
	"recoup/views/text"
)

// replies are what the customer can be told of a job, in both languages, without words of the inside: no dead letter, no
// reclaim, no generation. Times are in the zone of the person who answers, and say so.
func (p Presenter) replies(d JobPage) []jobs.Reply {
	var out []jobs.Reply
	j := d.Job
	for _, lang := range []text.Lang{text.English, text.Japanese} {
		l := text.Locale{Lang: lang, Zone: p.L.Zone}
		key, args := "working", []string{strings.ReplaceAll(j.Action, "_", " "), j.ID, l.Credits(j.Cost)}
		if j.RefundedAt != nil {
			args = append(args, l.Stamp(*j.RefundedAt, p.Now).Full)
		}
		switch {
		case j.IsReclaimed && j.ReclaimedAt != nil && j.Cost > 0:
			key = "late"
			if j.LateSuccessOf != nil && (*j.LateSuccessOf == job.Canceled || *j.LateSuccessOf == job.Discarded) {
				key = "given_up" // a person's decision, not time
			}
			args = append(args, l.Stamp(*j.ReclaimedAt, p.Now).Full)
		case j.DeliveredAt != nil:
			key = "done"
		case j.IsRefunded && (j.State == job.Queued || j.State == job.Running || j.State == job.Retrying):
			key = "again"
		case j.IsRefunded && notWanted(j.Job):
			key = "canceled"
		case j.IsRefunded:
			key = "failed"
		}
		if j.Cost == 0 {
			key += "_free" // no money moved that a customer would know of
		}
		name := "English"
		if lang == text.Japanese {
			name = "日本語"
		}
		out = append(out, jobs.Reply{Lang: l.Code(), Name: name, Text: l.T("reply."+key, args...) + p.settledReply(l, d)})
	}
	return out
}

// notWanted tells whether a job was given up because nobody wanted it any more, rather than because it failed.
func notWanted(j job.Job) bool {
	return j.State == job.Canceled || j.State == job.Discarded && j.Resolution == job.CustomerAsked
}
