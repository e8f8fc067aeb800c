package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric/noop"
	tnoop "go.opentelemetry.io/otel/trace/noop"
	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/operation"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func store(t *testing.T, g *gorm.DB, opts operation.Options) *operation.Store {
	t.Helper()
	s, err := operation.NewStore(g, opts, tnoop.NewTracerProvider(), noop.NewMeterProvider())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tally makes a database with a table of effects, so that a test can count how often a change ran.
func tally(t *testing.T) (url string, g *gorm.DB) {
	t.Helper()
	url = modeltest.URL(t)
	g = modeltest.Open(t, url, nil)
	if err := g.Exec(`CREATE TABLE effects (id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL)`).Error; err != nil {
		t.Fatal(err)
	}
	return url, g
}

func count(t *testing.T, g *gorm.DB, query string, args ...any) (n int) {
	t.Helper()
	if err := g.Raw(query, args...).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

func request(id string, amount int64) operation.Request {
	return operation.Request{Scope: operation.Named("settings"), ID: id, Kind: "test", Actor: actor.Key("k"),
		Input: operation.Input{"amount": amount, "name": "x"}}
}

// effect inserts one row and answers with its id, which no second run could answer with.
func effect(ctx context.Context, tx *operation.Tx) (any, error) {
	var id int64
	if err := tx.DB.WithContext(ctx).Raw(`INSERT INTO effects (name) VALUES ('x') RETURNING id`).Scan(&id).Error; err != nil {
		return nil, err
	}
	return map[string]any{"id": id, "at": time.Now()}, nil
}

// TestSameOperationByMany sends one operation from 32 goroutines through two stores, as two processes
// would: one applies, all others get the very same bytes.
func TestSameOperationByMany(t *testing.T) {
	ctx := context.Background()
	url, g := tally(t)
	stores := []*operation.Store{store(t, g, operation.Options{}), store(t, modeltest.Open(t, url, nil), operation.Options{})}
	for range 10 {
		id := ids.New()
		const n = 32
		outs, errs := make([]operation.Outcome, n), make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { outs[i], errs[i] = stores[i%2].Apply(ctx, request(id, 1), effect) })
		}
		wg.Wait()
		applied := 0
		for i := range n {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			if !outs[i].Replayed {
				applied++
			}
			if string(outs[i].Result) != string(outs[0].Result) || len(outs[i].Result) < 10 {
				t.Fatalf("results differ: %s and %s", outs[i].Result, outs[0].Result)
			}
		}
		if applied != 1 {
			t.Fatalf("%d applied", applied)
		}
		stored, attempts, err := stores[0].Find(ctx, operation.Named("settings"), id)
		if err != nil || stored.Result == nil || *stored.Result != string(outs[0].Result) || len(attempts) != n-1 {
			t.Fatalf("stored %+v with %d attempts, %v", stored, len(attempts), err)
		}
	}
	if got := count(t, g, `SELECT count(*) FROM effects`); got != 10 {
		t.Fatalf("%d effects of 10 operations", got)
	}
}

// TestOtherInputConflicts names the differing fields, writes nothing but the attempt, and leaves the first
// result alone.
func TestOtherInputConflicts(t *testing.T) {
	ctx := context.Background()
	_, g := tally(t)
	s := store(t, g, operation.Options{})
	first, err := s.Apply(ctx, request("op", 1), effect)
	if err != nil {
		t.Fatal(err)
	}
	other := request("op", 2)
	delete(other.Input, "name")
	other.Kind = "another"
	_, err = s.Apply(ctx, other, effect)
	f := fault.As(err)
	if f == nil || f.Code != fault.CodeOperationConflict || f.Kind != fault.Mismatch {
		t.Fatalf("other input: %v", err)
	}
	var names []string
	for _, field := range f.Fields {
		names = append(names, field.Name)
	}
	if !slices.Equal(names, []string{"amount", "kind", "name"}) {
		t.Errorf("fields %v", names)
	}
	again, err := s.Apply(ctx, request("op", 1), effect)
	if err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Fatalf("replay after a conflict: %s, %v", again.Result, err)
	}
	_, attempts, err := s.Find(ctx, operation.Named("settings"), "op")
	if err != nil || len(attempts) != 2 || attempts[0].Outcome != "conflict" || attempts[0].Attempt != 2 ||
		attempts[0].Fields != "amount,kind,name" || attempts[1].Outcome != "replayed" || attempts[1].Attempt != 3 {
		t.Fatalf("attempts %+v, %v", attempts, err)
	}
	if got := count(t, g, `SELECT count(*) FROM effects`); got != 1 {
		t.Fatalf("%d effects", got)
	}
}

// TestScopesAreApart uses one id in several scopes: each is an operation of its own.
func TestScopesAreApart(t *testing.T) {
	ctx := context.Background()
	_, g := tally(t)
	s := store(t, g, operation.Options{})
	if err := g.Exec(`INSERT INTO accounts (id) VALUES ('a'), ('b')`).Error; err != nil {
		t.Fatal(err)
	}
	key := int64(count(t, g, `SELECT key FROM accounts WHERE id = 'a'`))
	scopes := []operation.Scope{operation.Named("settings"), operation.Named("worker:k"), operation.Account("a"), operation.Account("b"), operation.System(key)}
	for _, scope := range scopes {
		r := request("op", 1)
		r.Scope = scope
		out, err := s.Apply(ctx, r, effect)
		if err != nil || out.Replayed {
			t.Fatalf("%s: replayed %t, %v", scope, out.Replayed, err)
		}
	}
	if got := count(t, g, `SELECT count(*) FROM effects`); got != len(scopes) {
		t.Fatalf("%d effects", got)
	}
}

// TestUnknownAccount refuses ids of accounts that do not exist or could not.
func TestUnknownAccount(t *testing.T) {
	_, g := tally(t)
	s := store(t, g, operation.Options{})
	for _, id := range []string{"nobody", "", "a b", "a\x00", "\xff", strings.Repeat("x", 65)} {
		r := request("op", 1)
		r.Scope = operation.Account(id)
		if _, err := s.Apply(context.Background(), r, effect); !fault.Is(err, fault.CodeAccountNotFound) {
			t.Errorf("account %q: %v", id, err)
		}
	}
	if got := count(t, g, `SELECT count(*) FROM operations`); got != 0 {
		t.Fatalf("%d operations", got)
	}
}

// TestRefusedMayBeTriedAgain refuses once: nothing is stored but an audit row, and the same id applies
// afterwards.
func TestRefusedMayBeTriedAgain(t *testing.T) {
	ctx := context.Background()
	_, g := tally(t)
	s := store(t, g, operation.Options{})
	refuse := func(ctx context.Context, tx *operation.Tx) (any, error) {
		if _, err := effect(ctx, tx); err != nil {
			return nil, err
		}
		tx.AfterCommit(func() { t.Error("ran after a rollback") })
		return nil, fault.New(fault.Payment, fault.CodeInsufficientCredits, "no")
	}
	if _, err := s.Apply(ctx, request("op", 1), refuse); !fault.Is(err, fault.CodeInsufficientCredits) {
		t.Fatal(err)
	}
	if got := count(t, g, `SELECT (SELECT count(*) FROM effects) + (SELECT count(*) FROM operations)`); got != 0 {
		t.Fatalf("%d rows of a refused operation", got)
	}
	if got := count(t, g, `SELECT count(*) FROM audit_log WHERE outcome = 'refused' AND code = 'insufficient_credits' AND operation_id = 'op'`); got != 1 {
		t.Fatalf("%d audit rows", got)
	}
	// With other input too: what was refused is not remembered.
	if out, err := s.Apply(ctx, request("op", 2), effect); err != nil || out.Replayed {
		t.Fatalf("again: %+v, %v", out, err)
	}
}

// TestTwinStillRunning waits a bounded time for the same operation, in this process and in another, and
// replays it when it ends in time. When the twin is refused, the waiter applies afresh.
func TestTwinStillRunning(t *testing.T) {
	ctx := context.Background()
	url, g := tally(t)
	other := modeltest.Open(t, url, nil)
	for _, where := range []string{"same process", "other process"} {
		for _, end := range []string{"in time", "too late", "refused"} {
			t.Run(where+", "+end, func(t *testing.T) {
				a := store(t, g, operation.Options{Wait: 400 * time.Millisecond})
				b := a
				if where == "other process" {
					b = store(t, other, operation.Options{Wait: 400 * time.Millisecond})
				}
				id := ids.New()
				running, release := make(chan struct{}), make(chan struct{})
				first := make(chan error, 1)
				go func() {
					_, err := a.Apply(ctx, request(id, 1), func(ctx context.Context, tx *operation.Tx) (any, error) {
						close(running)
						<-release
						if end == "refused" {
							return nil, fault.New(fault.Conflict, fault.CodeStateConflict, "no")
						}
						return effect(ctx, tx)
					})
					first <- err
				}()
				<-running
				wait := 100 * time.Millisecond
				if end == "too late" {
					wait = time.Second
				}
				time.AfterFunc(wait, func() { close(release) })
				out, err := b.Apply(ctx, request(id, 1), effect)
				switch end {
				case "in time":
					if err != nil || !out.Replayed {
						t.Errorf("replayed %t, %v", out.Replayed, err)
					}
				case "too late":
					if f := fault.As(err); f == nil || f.Code != fault.CodeOperationInProgress || f.RetryAfter <= 0 {
						t.Errorf("%v", err)
					}
				case "refused":
					if err != nil || out.Replayed {
						t.Errorf("replayed %t, %v", out.Replayed, err)
					}
				}
				if err := <-first; (end == "refused") != fault.Is(err, fault.CodeStateConflict) {
					t.Error(err)
				}
				if out, err := b.Apply(ctx, request(id, 1), effect); err != nil || !out.Replayed {
					t.Errorf("afterwards: replayed %t, %v", out.Replayed, err)
				}
			})
		}
	}
	if got, ops := count(t, g, `SELECT count(*) FROM effects`), count(t, g, `SELECT count(*) FROM operations`); got != 6 || ops != 6 {
		t.Fatalf("%d effects of %d operations", got, ops)
	}
}

// TestWaitersHoldNoConnections lets far more requests wait for one operation than the pool has
// connections: others still get through.
func TestWaitersHoldNoConnections(t *testing.T) {
	ctx := context.Background()
	_, g := tally(t)
	s := store(t, g, operation.Options{})
	running, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := s.Apply(ctx, request("slow", 1), func(ctx context.Context, tx *operation.Tx) (any, error) {
			close(running)
			<-release
			return effect(ctx, tx)
		}); err != nil {
			t.Error(err)
		}
	})
	<-running
	var replayed atomic.Int32
	for range 100 {
		wg.Go(func() {
			out, err := s.Apply(ctx, request("slow", 1), effect)
			if err != nil {
				t.Error(err)
			} else if out.Replayed {
				replayed.Add(1)
			}
		})
	}
	quick, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	for range 5 {
		if _, err := s.Apply(quick, request(ids.New(), 1), effect); err != nil {
			t.Errorf("another operation meanwhile: %v", err)
		}
	}
	close(release)
	wg.Wait()
	if replayed.Load() != 100 {
		t.Errorf("%d of 100 waiters replayed", replayed.Load())
	}
}

// TestAfterCommitRunsOnce runs what follows a commit for the first answer only.
func TestAfterCommitRunsOnce(t *testing.T) {
	_, g := tally(t)
	s := store(t, g, operation.Options{})
	ran := 0
	for range 3 {
		_, err := s.Apply(context.Background(), request("op", 1), func(ctx context.Context, tx *operation.Tx) (any, error) {
			tx.AfterCommit(func() { ran++ })
			return effect(ctx, tx)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if ran != 1 {
		t.Fatalf("ran %d times", ran)
	}
}

// TestPanicLeavesNothing lets a change panic: its claim is gone and the id is free again.
func TestPanicLeavesNothing(t *testing.T) {
	ctx := context.Background()
	_, g := tally(t)
	s := store(t, g, operation.Options{})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, err := s.Apply(ctx, request("op", 1), func(ctx context.Context, tx *operation.Tx) (any, error) { panic(errors.New("stop")) })
		t.Error(err)
	}()
	if out, err := s.Apply(ctx, request("op", 1), effect); err != nil || out.Replayed {
		t.Fatalf("replayed %t, %v", out.Replayed, err)
	}
}

// TestBrokenPayload is the caller's fault, not ours.
func TestBrokenPayload(t *testing.T) {
	_, g := tally(t)
	s := store(t, g, operation.Options{})
	for _, payload := range []string{`{"a":`, `{"a":1,"a":2}`, "\"\xff\""} {
		r := request("op", 1)
		r.Input["payload"] = json.RawMessage(payload)
		_, err := s.Apply(context.Background(), r, effect)
		if f := fault.As(err); f == nil || f.Kind != fault.Invalid || f.Fields[0].Name != "payload" {
			t.Errorf("%s: %v", payload, err)
		}
	}
}

func TestScopeNames(t *testing.T) {
	for _, s := range []operation.Scope{operation.Account("acct_7"), operation.Named("worker:ak_1"), operation.Named("deadletters"), {AccountID: "a:b", Name: "system"}} {
		if got := operation.ParseScope(s.String()); got != s {
			t.Errorf("%+v became %q became %+v", s, s.String(), got)
		}
	}
}
