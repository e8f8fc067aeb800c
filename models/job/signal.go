package job

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// SignalType is what a signal says of an attempt.
type SignalType string

// The two signals a worker or a callback may send. Timers send timed_out by themselves.
const (
	SignalSucceeded SignalType = "succeeded"
	SignalFailed    SignalType = "failed"
)

// Signal says how an attempt ended.
type Signal struct {
	Type SignalType
	// Attempt is nil where the sender does not know it: such a signal moves money only.
	Attempt *int64
	// Class (Transient, Throttled, Permanent or TimedOut), Code and Message describe a failure.
	Class, Code, Message string
	// Result points to what was delivered; may be empty.
	Result string
	// byHand is why a person said so; empty for workers and callbacks.
	byHand string
}

// SignalRequest sends a signal by the caller's ids.
type SignalRequest struct {
	ledger.Envelope
	AccountID string
	JobID     string
	Signal
}

// SignalResult is the stored result of a signal: what it did to the money and the job after it.
type SignalResult struct {
	// Outcome is Refunded, AlreadyRefunded, DeliveredBefore, Reclaimed, AlreadyReclaimed or NothingToReclaim.
	Outcome string `json:"outcome"`
	// Entry is nil when no money moved.
	Entry *ledger.Posted `json:"entry"`
	Job   View           `json:"job"`
	// Delivery is first or repeated for a success, else empty.
	Delivery string `json:"delivery,omitempty"`
	// OlderAttempt is true when the signal was of an attempt that is no longer the current one.
	OlderAttempt bool `json:"older_attempt"`
}

const (
	firstDelivery    = "first"
	repeatedDelivery = "repeated"
)

// Signal applies a signal. A failure runs the refund guard, a success the deliver and the reclaim
// guard, always: the guard decides what moves. Faults: invalid_request, account_not_found,
// job_not_found, attempt_not_made, and those of operation.Apply.
func (s *Service) Signal(ctx context.Context, r SignalRequest) (operation.Outcome, error) {
	bad := r.Signal.check()
	if err := ids.CheckCallerID(r.JobID); err != nil {
		bad = append(bad, fault.Field{Name: "job_id", Message: err.Error()})
	}
	input := r.Signal.input()
	input["job_id"] = r.JobID
	req := operation.Request{
		Scope: operation.Account(r.AccountID), ID: r.OperationID, Kind: "signal", Actor: r.Actor, RequestID: r.RequestID,
		Object: "account:" + r.AccountID + "/job:" + r.JobID, Input: input, Invalid: bad,
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		return s.apply(ctx, tx, r.AccountID, ref{accountKey: tx.AccountKey, id: r.JobID}, r.Signal)
	})
}

func (sig Signal) input() operation.Input {
	in := operation.Input{"type": string(sig.Type)}
	for name, value := range map[string]string{"class": sig.Class, "code": sig.Code, "message": sig.Message, "result": sig.Result} {
		if value != "" {
			in[name] = value
		}
	}
	return in
}

func (sig Signal) check() []fault.Field {
	var bad []fault.Field
	refuse := func(name, message string) { bad = append(bad, fault.Field{Name: name, Message: message}) }
	switch sig.Type {
	case SignalFailed:
		switch sig.Class {
		case Transient, Throttled, Permanent, TimedOut:
		default:
			refuse("class", "must be transient, throttled, permanent or timed_out")
		}
		if sig.Result != "" {
			refuse("result", "belongs to a success only")
		}
	case SignalSucceeded:
		for name, value := range map[string]string{"class": sig.Class, "code": sig.Code, "message": sig.Message} {
			if value != "" {
				refuse(name, "belongs to a failure only")
			}
		}
	default:
		refuse("type", "must be succeeded or failed")
	}
	if sig.Attempt != nil && (*sig.Attempt < 1 || *sig.Attempt > maxAttempt) {
		refuse("attempt", fmt.Sprintf("must be 1 to %d", maxAttempt))
	}
	for _, f := range []struct {
		name, value string
		limit       int
	}{{"code", sig.Code, 100}, {"message", sig.Message, 2000}, {"result", sig.Result, 2000}} {
		switch {
		case !utf8.ValidString(f.value):
			refuse(f.name, "is not valid UTF-8")
		case utf8.RuneCountInString(f.value) > f.limit:
			refuse(f.name, fmt.Sprintf("has more than %d characters", f.limit))
		case strings.ContainsRune(f.value, 0):
			refuse(f.name, "holds a NUL character")
		}
	}
	return bad
}

const (
	// maxAttempt is the last attempt that there can be: attempts are kept as 32 bits.
	maxAttempt = math.MaxInt32
	// maxAhead is how far the caller of an external job may be ahead of what is known of it. Each attempt that was told of is
	// behind all that follow, so one absurd number would leave none to tell of.
	maxAhead = 1000
)

func (s *Service) apply(ctx context.Context, tx *operation.Tx, accountID string, r ref, sig Signal) (SignalResult, error) {
	if sig.Type == SignalSucceeded {
		return s.succeed(ctx, tx, accountID, r, sig)
	}
	return s.fail(ctx, tx, accountID, r, sig)
}

// attemptOf is the signal's attempt number, 0 when it has none.
func (sig Signal) attemptOf() int {
	if sig.Attempt == nil {
		return 0
	}
	return int(*sig.Attempt)
}

// latest is the highest attempt that a signal may be of.
func (j Job) latest() int {
	if j.Mode == External {
		return min(j.Attempt+maxAhead, maxAttempt)
	}
	return j.Attempt
}

// notMade refuses a signal for an attempt that was never handed out, or that the caller of the job cannot have come to.
func notMade(j Job, attempt int) error {
	if j.Mode == External {
		return fault.New(fault.Conflict, fault.CodeAttemptNotMade,
			"Job %s is at attempt %d; attempt %d is more than %d ahead of it. Nothing was done.", j.ID, j.Attempt, attempt, maxAhead).
			With("attempt", j.Attempt).With("state", string(j.State))
	}
	return fault.New(fault.Conflict, fault.CodeAttemptNotMade,
		"Job %s has made %d attempts; attempt %d is not one of them. Nothing was done.", j.ID, j.Attempt, attempt).
		With("attempt", j.Attempt).With("state", string(j.State))
}
