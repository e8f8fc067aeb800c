package jobs

import "recoup/views/text"

// Event is what happened in one lane at one moment.
type Event struct {
	Tone    string // charge, refund, reclaim, ok, bad, wait, person: the colour of its edge
	Type    string // entry type whose mark stands before Credits; empty: Title stands alone
	Title   string
	Credits string // signed; only with Type
	Detail  string
	URL     string // where Title leads; empty: nowhere
}

// Money is an entry in the money lane. credits is signed; seq and balance are of the account's ledger. note
// may add what the guard found, e.g. GuardLost.
func Money(l text.Locale, entryType, credits, seq, balance, note, url string) *Event {
	detail := l.T("event.entry", seq, balance)
	if note != "" {
		detail += " · " + note
	}
	return &Event{Tone: entryType, Type: entryType, Credits: credits, Detail: detail, URL: url}
}

// MoneyUnmoved is a signal that asked for money and found nothing to do. result is already_refunded,
// delivered_before, already_reclaimed or nothing_to_reclaim.
func MoneyUnmoved(l text.Locale, result string) *Event {
	return &Event{Title: l.T("event.unmoved"), Detail: l.Maybe("result."+result, result)}
}

// AttemptStarted is a claim by a worker. lease is formatted; empty for an external job.
func AttemptStarted(l text.Locale, n, worker, lease string) *Event {
	if lease == "" {
		return &Event{Tone: "wait", Title: l.T("event.started", n), Detail: worker}
	}
	return &Event{Tone: "wait", Title: l.T("event.started", n), Detail: l.T("event.lease", worker, lease)}
}

// AttemptFailed is a failure signal. class is transient, throttled, permanent or timed_out.
func AttemptFailed(l text.Locale, n, class, code, message string) *Event {
	if class == "timed_out" {
		return &Event{Tone: "bad", Title: l.T("event.timed_out", n), Detail: joined(code, message)}
	}
	return &Event{Tone: "bad", Title: l.T("event.failed", n, l.Maybe("class."+class, class)), Detail: joined(code, message)}
}

// AttemptSucceeded is a success signal; late when the attempt had been given up before.
func AttemptSucceeded(l text.Locale, n string, late bool) *Event {
	if late {
		return &Event{Tone: "ok", Title: l.T("event.late", n)}
	}
	return &Event{Tone: "ok", Title: l.T("event.succeeded", n)}
}

// Scheduled is the decision to try again; explanation is NextRetry.
func Scheduled(l text.Locale, explanation string) *Event {
	return &Event{Tone: "wait", Title: l.T("event.scheduled"), Detail: explanation}
}

// Woken is a retry whose time has come.
func Woken(l text.Locale) *Event { return &Event{Tone: "wait", Title: l.T("event.woken")} }

// Died is a job past its last attempt. reason is attempts_used_up, permanent_error or expired.
func Died(l text.Locale, reason string) *Event {
	return &Event{Tone: "bad", Title: l.T("event.died"), Detail: l.Maybe("died."+reason, reason)}
}

// ByPerson is something a person did: requeue, discard, reopen, cancel. reason may be empty.
func ByPerson(l text.Locale, action, person, reason string) *Event {
	return &Event{Tone: "person", Title: l.Maybe("did."+action, action), Detail: joined(person, reason)}
}

func joined(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	default:
		return text.Isolate(a) + ": " + text.Isolate(b)
	}
}
