// Package fault holds the errors that models return on purpose. Everything else that reaches a
// handler is a defect or an outage and is answered without detail.
//
// Each operation of the models documents which of these it returns; a handler maps a fault to a
// status by its Kind and passes Code on unchanged, so that a code means the same in the API, on
// screens and in logs.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind says what a caller can do about a fault.
type Kind int

const (
	// Invalid input: the caller must change the request. Fields says where.
	Invalid Kind = iota + 1
	// NotFound: the named object does not exist.
	NotFound
	// Conflict: the object exists, its present state does not allow the change.
	Conflict
	// Mismatch: the operation id is known for another input.
	Mismatch
	// Payment: the balance does not cover the cost.
	Payment
	// Forbidden: the actor may not do this.
	Forbidden
	// Unauthenticated: nobody knows who the actor is.
	Unauthenticated
	// Busy: nothing is wrong with the request; try again after RetryAfter.
	Busy
)

// Codes are stable: callers program against them.
const (
	CodeInvalid             = "invalid_request"
	CodeAccountNotFound     = "account_not_found"
	CodeJobNotFound         = "job_not_found"
	CodeRolloutNotFound     = "rollout_not_found"
	CodeChecksNotPassed     = "checks_not_passed"
	CodeComparisonTooSlow   = "comparison_too_slow"
	CodeDwellNotOver        = "dwell_not_over"
	CodeOperationNotFound   = "operation_not_found"
	CodeActionNotFound      = "action_not_found"
	CodeRuleNotFound        = "rule_not_found"
	CodeNotFound            = "not_found"
	CodeStateConflict       = "state_conflict"
	CodeAttemptNotMade      = "attempt_not_made"
	CodeJobExists           = "job_exists"
	CodeQuoteExpired        = "quote_expired"
	CodeOperationConflict   = "operation_conflict"
	CodeOperationInProgress = "operation_in_progress"
	CodeInsufficientCredits = "insufficient_credits"
	CodeAccountFrozen       = "account_frozen"
	CodeAccountInconsistent = "account_inconsistent"
	CodeJobInconsistent     = "job_inconsistent"
	CodeAmountOverflow      = "amount_overflow"
	CodeLeaseUnknown        = "lease_unknown"
	CodeForbidden           = "forbidden"
	CodeUnauthenticated     = "unauthenticated"
	CodeBusy                = "busy"
	CodeDatabaseUnavailable = "database_unavailable"
	// CodeTimeout: the request took longer than it may. It may have been applied all the same.
	CodeTimeout       = "timeout"
	CodeFilterTooWide = "filter_too_wide"
)

// Field names one part of the input and what is wrong with it.
type Field struct {
	Name    string `json:"field"`
	Message string `json:"message"`
}

// Error is a refusal with a reason. Nothing was written when an operation returns one.
type Error struct {
	Kind    Kind
	Code    string
	Message string
	// Fields is set for Invalid and for Mismatch (the differing fields), else nil.
	Fields []Field
	// Detail holds exact facts for the caller (balance, cost, current state), or is nil.
	Detail map[string]any
	// RetryAfter is set for Busy, else zero.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return e.Code + ": " + e.Message
	}
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Name + " " + f.Message
	}
	return e.Code + ": " + strings.Join(parts, "; ")
}

// With returns a copy that carries one more fact.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Detail = make(map[string]any, len(e.Detail)+1)
	for k, v := range e.Detail {
		c.Detail[k] = v
	}
	c.Detail[key] = value
	return &c
}

// New makes a fault of a kind with a code and a message for people.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// InvalidField refuses one field.
func InvalidField(name, format string, args ...any) *Error {
	return InvalidFields(Field{Name: name, Message: fmt.Sprintf(format, args...)})
}

// InvalidFields refuses several fields at once. It needs at least one.
func InvalidFields(fields ...Field) *Error {
	return &Error{Kind: Invalid, Code: CodeInvalid, Message: "The request is not valid.", Fields: fields}
}

// State refuses a change that the current state does not allow and tells that state.
func State(current, format string, args ...any) *Error {
	return New(Conflict, CodeStateConflict, format, args...).With("state", current)
}

// DetailWhy is under what Detail holds the code of why a state does not allow a change, where Because set one.
const DetailWhy = "why"

// Because returns a copy that also tells why, by a stable code: screens word it with the facts beside it, in the reader's
// language.
func (e *Error) Because(why string) *Error { return e.With(DetailWhy, why) }

// As returns the fault in err's chain, or nil when err is nil or something else.
func As(err error) *Error {
	var f *Error
	if errors.As(err, &f) {
		return f
	}
	return nil
}

// Is reports whether err is a fault with this code.
func Is(err error, code string) bool {
	f := As(err)
	return f != nil && f.Code == code
}
