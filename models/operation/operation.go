// Package operation makes a change have one effect however often it is sent.
//
// An operation is one intended change, named by an operation id that stays the same across
// retries and is unique in its scope. Its row, the business change, the entries, the events and
// the stored result commit in one transaction, and the primary key lets only one such transaction
// through. Whoever comes later gets the stored result, byte for byte.
package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
)

// Scope is the space in which an operation id is unique.
type Scope struct {
	// AccountID names the account whose scope it is; empty for scopes of no account.
	AccountID string
	// AccountKey may be set instead of AccountID by callers inside that know the key.
	AccountKey int64
	// Name is empty for an account's callers, "system" for timers on an account, else the scope's
	// full name, e.g. "worker:ak_1" or "deadletters".
	Name string
}

// Account is the scope of everything callers do to one account, its jobs and signals included.
func Account(id string) Scope { return Scope{AccountID: id} }

// System is the scope of what timers do to one account. Callers cannot reach it, so a timer's id
// never meets one of theirs.
func System(accountKey int64) Scope { return Scope{AccountKey: accountKey, Name: "system"} }

// Named is a scope that belongs to no account.
func Named(name string) Scope { return Scope{Name: name} }

// String is the scope as the API and screens write it: "account:<id>", "worker:<key>" …
func (s Scope) String() string {
	switch {
	case s.AccountID != "" && s.Name == "":
		return "account:" + s.AccountID
	case s.AccountID != "":
		return s.Name + ":" + s.AccountID
	case s.AccountKey != 0:
		return fmt.Sprintf("%s:#%d", s.Name, s.AccountKey)
	}
	return s.Name
}

// ParseScope reads what String wrote.
func ParseScope(s string) Scope {
	if id, ok := strings.CutPrefix(s, "account:"); ok {
		return Account(id)
	}
	if id, ok := strings.CutPrefix(s, "system:"); ok {
		return Scope{AccountID: id, Name: "system"}
	}
	return Named(s)
}

// Request names an operation and says what it is to do.
type Request struct {
	Scope Scope
	// ID is the operation id, 1–255 visible ASCII characters.
	ID string
	// Kind names the change, e.g. "charge". It is part of the input.
	Kind  string
	Input Input
	Actor actor.Actor
	// Object names what is changed in audit rows; the scope when empty.
	Object    string
	RequestID string
	// Invalid is what is wrong with the input, nil when nothing is. Such a request is refused without
	// asking the database, and like every refusal it leaves an audit row.
	Invalid []fault.Field
	// Reason is why a person asked, for the audit row; empty for programs.
	Reason string
	// Prepare runs in the transaction before the operation is claimed, also for a replay, so it must
	// change nothing that a replay may not: it exists to create the account whose scope the operation
	// needs. nil for all others.
	Prepare func(ctx context.Context, g *gorm.DB) error
	// Waiting answers a further try of the same operation while it waits for a decision (ErrWait), or after
	// the decision was against it: with what is the result, or with a fault. nil for operations whose
	// change never waits.
	Waiting func(ctx context.Context, g *gorm.DB, stored Stored) (any, error)
}

// Outcome is what came of a request.
type Outcome struct {
	// Replayed is true when the result is the stored one and nothing was written now.
	Replayed bool
	// Waiting is true when the operation is not applied because somebody has to decide on it first. Result
	// then says what it waits for, and may say it otherwise the next time.
	Waiting bool
	// Result is the stored result: the same bytes at the first answer and at every replay.
	Result json.RawMessage
}

// Decode reads the result into v.
func (o Outcome) Decode(v any) error { return json.Unmarshal(o.Result, v) }

// Options tune a Store. Zero values take the defaults.
type Options struct {
	// Wait bounds how long a request waits for the same operation still running; 5 s.
	Wait time.Duration
	// LockTimeout is restored for the rows after the operation is claimed; 10 s.
	LockTimeout time.Duration
	// AccountConns is how many operations on one account may have a connection at a time; 8. It should
	// be less than the pool has, so that one locked account leaves some for the others.
	AccountConns int
}

// Store applies and finds operations.
type Store struct {
	g       *gorm.DB
	opts    Options
	flights flights
	// accounts bounds the operations on one account that hold a connection.
	accounts gate
	seen     *seen
	tracer   trace.Tracer
	counter  metric.Int64Counter
}

// NewStore makes a Store. Meters and tracers come from the given providers.
func NewStore(g *gorm.DB, opts Options, tp trace.TracerProvider, mp metric.MeterProvider) (*Store, error) {
	if opts.Wait <= 0 {
		opts.Wait = 5 * time.Second
	}
	if opts.LockTimeout <= 0 {
		opts.LockTimeout = 10 * time.Second
	}
	if opts.AccountConns <= 0 {
		opts.AccountConns = 8
	}
	counter, err := mp.Meter("recoup").Int64Counter("recoup_operations",
		metric.WithDescription("Operations by kind and outcome: applied, replayed (not applied), waiting, conflict, refused, failed."))
	if err != nil {
		return nil, fmt.Errorf("operation: %w", err)
	}
	return &Store{g: g, opts: opts, accounts: gate{limit: opts.AccountConns}, seen: newSeen(), tracer: tp.Tracer("recoup"), counter: counter}, nil
}

// DB is the handle that reads outside operations use.
func (s *Store) DB() *gorm.DB { return s.g }

// Tracer makes the spans of the models.
func (s *Store) Tracer() trace.Tracer { return s.tracer }

// ErrNothing is returned by a change that found nothing to do. It is rolled back, leaves no row, and is
// counted neither as an operation nor as a failure; the operation id stays free.
var ErrNothing = errors.New("operation: nothing to do")

// Apply runs change once for req and stores what it returns (marshalled to JSON).
//
// It returns:
//   - applied: change ran in a transaction that is committed;
//   - replayed: the operation was applied before with the same input; change did not run;
//   - waiting: change, now or at an earlier try, returned ErrWait, and nobody has decided yet;
//   - fault operation_conflict (Mismatch): the id is known for another input; Fields names the differences;
//   - fault operation_in_progress (Busy): the same operation is still running after Options.Wait;
//   - fault account_not_found: the scope's account does not exist;
//   - ErrNothing, when change returned it: everything is rolled back as if nobody had asked;
//   - any other error of change: everything is rolled back and nothing is stored. A fault leaves an
//     audit row; the same id may be tried again.
func (s *Store) Apply(ctx context.Context, req Request, change func(ctx context.Context, tx *Tx) (any, error)) (Outcome, error) {
	ctx, span := s.tracer.Start(ctx, "operation "+req.Kind, trace.WithLinks(links(ctx)...))
	defer span.End()
	if span.IsRecording() {
		span.SetAttributes(attribute.String(AttrOperationID, req.ID), attribute.String(AttrKind, req.Kind),
			attribute.String(AttrScope, req.Scope.String()))
	}

	out, err := s.apply(ctx, req, change)

	outcome := "applied"
	switch f := fault.As(err); {
	case err == nil && out.Waiting:
		outcome = "waiting"
	case err == nil && out.Replayed:
		outcome = "replayed"
	case err == nil:
	case errors.Is(err, ErrNothing):
		span.SetAttributes(attribute.String(AttrOutcome, "nothing_to_do"))
		NoteOutcome(ctx, "nothing_to_do")
		return out, err
	case f == nil:
		outcome = "failed"
		span.RecordError(err)
		span.SetStatus(codes.Error, "")
	case f.Kind == fault.Busy:
		// Not refused by a rule: nobody is to read of it in the audit log, and the database may be away.
		outcome = "failed"
		span.RecordError(err)
	case f.Code == fault.CodeOperationConflict:
		outcome = "conflict"
	default:
		outcome = "refused"
		s.auditRefusal(ctx, req, f)
	}
	span.SetAttributes(attribute.String(AttrOutcome, outcome))
	NoteOutcome(ctx, outcome)
	if err == nil && !out.Replayed {
		span.SetAttributes(attribute.Int(AttrSend, 1))
	}
	s.counter.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", req.Kind), attribute.String("outcome", outcome)))
	return out, err
}

func (s *Store) apply(ctx context.Context, req Request, change func(ctx context.Context, tx *Tx) (any, error)) (Outcome, error) {
	if err := ids.CheckOperationID(req.ID); err != nil {
		return Outcome{}, fault.InvalidField("operation_id", "%s", err)
	}
	if sc := req.Scope; sc == (Scope{}) || sc.AccountID != "" && ids.CheckCallerID(sc.AccountID) != nil {
		// No account can have such an id; the database would not even take some of them as text.
		return Outcome{}, accountNotFound(sc.AccountID)
	}
	if len(req.Invalid) > 0 {
		return Outcome{}, fault.InvalidFields(req.Invalid...)
	}
	digests, err := req.Input.digests(req.Kind)
	if err != nil {
		return Outcome{}, err
	}
	input, err := json.Marshal(digests) // sorts the names
	if err != nil {
		return Outcome{}, fmt.Errorf("operation: %w", err)
	}
	leave, ok := s.flights.enter(ctx, req.Scope.String()+"\x00"+req.ID, s.opts.Wait)
	if !ok {
		if err := ctx.Err(); err != nil {
			return Outcome{}, err
		}
		return Outcome{}, inProgress()
	}
	defer leave()

	name := s.seen.hash(req.Scope.String(), req.ID)
	if s.seen.has(name) {
		if out, ok, err := s.replay(ctx, req, string(input)); ok || err != nil {
			return out, err
		}
	}
	if key := accountOf(req.Scope); key != "" {
		leaveAccount, ok := s.accounts.enter(ctx, key, s.opts.LockTimeout)
		if !ok {
			if err := ctx.Err(); err != nil {
				return Outcome{}, err
			}
			return Outcome{}, accountBusy()
		}
		defer leaveAccount()
	}
	var out Outcome
	var tx *Tx
	var conflict *fault.Error
	err = db.InTx(ctx, s.g, func(g *gorm.DB) error {
		out, conflict = Outcome{}, nil
		tx = &Tx{DB: g, Request: req, TraceID: TraceID(ctx)}
		if req.Prepare != nil {
			if err := req.Prepare(ctx, g); err != nil {
				return err
			}
		}
		how, replay, err := s.claim(ctx, tx, string(input))
		if err != nil {
			return err
		}
		switch how {
		case claimReplayed:
			out = replay
			return nil
		case claimLost:
			out, conflict, err = s.known(ctx, tx, digests)
			return err
		}
		result, err := change(ctx, tx)
		wait := errors.Is(err, ErrWait)
		if err != nil && !wait {
			return err
		}
		stored, err := json.Marshal(result)
		if err != nil {
			return fmt.Errorf("operation: result of %s: %w", req.Kind, err)
		}
		out.Result, out.Waiting = stored, wait
		if wait {
			return nil
		}
		return tx.finish(ctx, stored)
	})
	if err != nil {
		return Outcome{}, err
	}
	if conflict != nil {
		return Outcome{}, conflict
	}
	s.seen.add(name)
	if !out.Replayed {
		for _, after := range tx.afterCommit {
			after()
		}
	}
	return out, nil
}

func accountNotFound(id string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeAccountNotFound, "There is no account %q. Nothing was done.", id)
}

// accountOf is the account whose row the scope's operations queue for, "" for scopes of no account.
func accountOf(s Scope) string {
	switch {
	case s.AccountID != "":
		return s.AccountID
	case s.AccountKey != 0:
		return fmt.Sprintf("#%d", s.AccountKey)
	}
	return ""
}

func accountBusy() *fault.Error {
	f := fault.New(fault.Busy, fault.CodeBusy, "Others are changing the same account. Nothing was written; try again.")
	f.RetryAfter = time.Second
	return f
}

func inProgress() *fault.Error {
	f := fault.New(fault.Busy, fault.CodeOperationInProgress,
		"The same operation is still running. Send it again with the same operation id to get its result.")
	f.RetryAfter = time.Second
	return f
}

// known answers from the stored row: a replay or a conflict, each counted in a row of its own.
func (s *Store) known(ctx context.Context, tx *Tx, digests map[string]string) (Outcome, *fault.Error, error) {
	r := tx.Request
	stored, err := find(ctx, tx.DB, r.Scope, r.ID)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		if r.Scope.AccountID != "" {
			return Outcome{}, nil, accountNotFound(r.Scope.AccountID)
		}
		// The twin rolled back between our two statements.
		return Outcome{}, nil, inProgress()
	}
	if err != nil {
		return Outcome{}, nil, err
	}
	var before map[string]string
	if err := json.Unmarshal([]byte(stored.Input), &before); err != nil {
		return Outcome{}, nil, fmt.Errorf("operation: stored input: %w", err)
	}
	fields := differing(before, digests)
	outcome := "replayed"
	if len(fields) > 0 {
		outcome = "conflict"
	} else if stored.Result == nil {
		return s.waiting(ctx, tx, stored)
	}
	describe(ctx, stored)
	var attempt int
	err = tx.DB.WithContext(ctx).Raw(`INSERT INTO operation_attempts
		(account_key, scope, operation_id, attempt, outcome, fields, price, rule_version, actor, request_id, trace_id)
		SELECT o.account_key, o.scope, o.id,
			2 + (SELECT count(*) FROM operation_attempts p WHERE (p.account_key, p.scope, p.operation_id) = (o.account_key, o.scope, o.id)),
			?, ?::text[], served_price, served_rule, ?, ?, ?::bytea
		FROM (SELECT o.account_key, o.scope, o.id, `+servedPrice+` FROM operations o WHERE o.account_key = ? AND o.scope = ? AND o.id = ?) o RETURNING attempt`,
		outcome, textArray(fields), r.Actor.String(), r.RequestID, tx.TraceID,
		stored.AccountKey, stored.Scope, stored.ID).Scan(&attempt).Error
	if err != nil {
		return Outcome{}, nil, fmt.Errorf("operation: count attempt: %w", err)
	}
	trace.SpanFromContext(ctx).SetAttributes(attribute.Int(AttrSend, attempt))
	if outcome == "replayed" {
		return Outcome{Replayed: true, Result: json.RawMessage(*stored.Result)}, nil, nil
	}
	f := fault.New(fault.Mismatch, fault.CodeOperationConflict,
		"The operation id %q was used before for another input. Nothing was done. Use a new operation id for a new change.", r.ID)
	for _, name := range fields {
		f.Fields = append(f.Fields, fault.Field{Name: name, Message: "differs from the first request"})
	}
	return Outcome{}, f, nil
}

// auditRefusal leaves the only trace of a refused operation. Losing it must not turn a clear refusal
// into an internal error, so its own failure only shows on the span.
func (s *Store) auditRefusal(ctx context.Context, req Request, f *fault.Error) {
	object := req.Object
	if object == "" {
		object = req.Scope.String()
	}
	// What was refused may be text that the database could not keep.
	object = storable(object)
	reason := f.Message
	if len(f.Fields) > 0 {
		reason = f.Error()
	}
	var detail map[string]any
	if f.Code == fault.CodeStateConflict {
		// The page that the person is led to words it; of no other refusal there is more to say than its code.
		detail = f.Detail
	}
	err := audit.Record(ctx, s.g, audit.Row{Actor: req.Actor, Action: req.Kind, Object: object, Refused: true, Detail: detail,
		Code: f.Code, Reason: storable(reason), OperationID: req.ID, RequestID: req.RequestID, TraceID: TraceID(ctx)})
	if err != nil {
		trace.SpanFromContext(ctx).RecordError(err)
	}
}

func msText(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

// textArray is names as a PostgreSQL array literal. Field names are ours and hold no quotes.
func textArray(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(n) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

// storable is text that PostgreSQL can keep: valid UTF-8 without NUL characters.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
