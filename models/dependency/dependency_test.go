package dependency_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/models/actor"
	"recoup/models/dependency"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

const farm = "render-farm"

// charge charges jobs prefix0 … that depend on something, from several accounts at once.
func charge(t testing.TB, m *modeltest.Models, on, prefix string, count int) {
	t.Helper()
	var g errgroup.Group
	g.SetLimit(8)
	for i := range count {
		g.Go(func() error {
			_, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: fmt.Sprintf("acct_%d", i%8),
				JobID: fmt.Sprint(prefix, i), Action: modeltest.Action, Units: 1, Dependency: on})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

func ready(t testing.TB) *modeltest.Models {
	t.Helper()
	policy := modeltest.Fast()
	policy.Lease = time.Hour
	m := modeltest.Ready(t, policy)
	for i := range 8 {
		m.Account(t, fmt.Sprint("acct_", i), 100_000)
	}
	return m
}

func by(name, reason string) dependency.Request {
	return dependency.Request{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("mori")}, Name: name, Reason: reason}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// finish ends attempts, well or badly.
func finish(t testing.TB, m *modeltest.Models, jobs []job.Claimed, class string) {
	t.Helper()
	for _, j := range jobs {
		r := job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: j.LeaseToken}
		var err error
		if class == "" {
			_, err = m.Jobs.Complete(context.Background(), r)
		} else {
			r.Class, r.Code = class, "E"
			_, err = m.Jobs.Fail(context.Background(), r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// round is one round of the periodic work.
func round(t testing.TB, m *modeltest.Models) {
	t.Helper()
	if err := m.Dependencies.Round(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func status(t testing.TB, m *modeltest.Models, name string) dependency.Status {
	t.Helper()
	return must[dependency.Status](t)(m.Dependencies.Find(context.Background(), name))
}

func healthIs(t testing.TB, m *modeltest.Models, want dependency.Health) {
	t.Helper()
	if s := status(t, m, farm); s.Health() != want {
		t.Fatalf("%s is %s (%d of %d failed), want %s", farm, s.Health(), s.Failures, s.Results, want)
	}
}

// elapse moves everything that a breaker's time depends on into the past.
func elapse(t testing.TB, m *modeltest.Models, d time.Duration) {
	t.Helper()
	ms := d.Milliseconds()
	for _, sql := range []string{
		`UPDATE dependencies SET changed_at = changed_at - ? * interval '1 millisecond'`,
		`UPDATE holds SET paced_at = paced_at - ? * interval '1 millisecond'`,
		`UPDATE attempts SET claimed_at = claimed_at - ? * interval '1 millisecond'`,
	} {
		if err := m.G.Exec(sql, ms).Error; err != nil {
			t.Fatal(err)
		}
	}
}

func codeOf(err error) string {
	if f := fault.As(err); f != nil {
		return f.Code
	}
	return fmt.Sprint(err)
}

func TestBreakerOpensProbesAndCloses(t *testing.T) {
	m := ready(t)
	charge(t, m, farm, "j", 60)
	finish(t, m, m.Claim(t, 19), job.Transient)
	round(t, m)
	healthIs(t, m, dependency.Healthy) // too few to say
	finish(t, m, m.Claim(t, 1), job.Throttled)
	round(t, m)
	healthIs(t, m, dependency.Opened)
	if got := m.Claim(t, 100); len(got) != 0 {
		t.Fatalf("%d jobs handed out while the breaker is open", len(got))
	}
	if found := must[bool](t)(m.Jobs.Waiting(context.Background(), []string{modeltest.Action})); found {
		t.Error("a claim would not wait")
	}

	elapse(t, m, time.Minute)
	round(t, m)
	healthIs(t, m, dependency.Probing)
	probes := m.Claim(t, 100)
	if len(probes) != 3 {
		t.Fatalf("%d probes, want 3", len(probes))
	}
	// One ends in a way that says nothing: another may go.
	_, err := m.Jobs.Cancel(context.Background(), job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: probes[0].AccountID, JobID: probes[0].JobID})
	if err != nil {
		t.Fatal(err)
	}
	round(t, m)
	more := m.Claim(t, 100)
	if len(more) != 1 {
		t.Fatalf("%d further probes, want 1", len(more))
	}
	finish(t, m, probes[1:], "")
	round(t, m)
	healthIs(t, m, dependency.Probing)
	// A permanent error is an answer.
	finish(t, m, more, job.Permanent)
	round(t, m)
	healthIs(t, m, dependency.Releasing)
	got := m.Claim(t, 100)
	if len(got) != 10 {
		t.Fatalf("%d jobs at once, want the 10 of a second at 600 a minute", len(got))
	}
	if found := must[bool](t)(m.Jobs.Waiting(context.Background(), []string{modeltest.Action})); found {
		t.Error("a claim would not wait for the pace")
	}
	finish(t, m, got, "")
	for range 40 {
		elapse(t, m, time.Second)
		finish(t, m, m.Claim(t, 100), "")
	}
	round(t, m)
	healthIs(t, m, dependency.Healthy)
	charge(t, m, farm, "new", 20)
	if got := m.Claim(t, 100); len(got) != 20 {
		t.Fatalf("%d jobs, want 20: nothing is held any more", len(got))
	}

	var events []string
	for _, e := range must[[]dependency.Event](t)(m.Dependencies.History(context.Background(), dependency.OfDependency, farm, 0, 20)) {
		events = append(events, e.Event+" "+string(e.State)+" "+e.Actor)
	}
	want := []string{"drained closed system", "closed closed system", "probing half_open system", "opened open system"}
	if !slices.Equal(events, want) {
		t.Errorf("history is %q, want %q", events, want)
	}
	var audited int64
	if err := m.G.Raw(`SELECT count(*) FROM audit_log WHERE object = ? AND actor = 'system'`, "dependency:"+farm).Scan(&audited).Error; err != nil || audited != 4 {
		t.Errorf("%d audit rows, %v, want 4", audited, err)
	}
}

func TestFailedProbeOpensAgain(t *testing.T) {
	m := ready(t)
	charge(t, m, farm, "j", 30)
	finish(t, m, m.Claim(t, 20), job.TimedOut)
	round(t, m)
	elapse(t, m, time.Minute)
	round(t, m)
	finish(t, m, m.Claim(t, 1), job.Transient)
	round(t, m)
	healthIs(t, m, dependency.Opened)
	if got := m.Claim(t, 100); len(got) != 0 {
		t.Fatalf("%d jobs handed out", len(got))
	}
	// What failed before it opened again says nothing about the next probes.
	elapse(t, m, time.Minute)
	round(t, m)
	finish(t, m, m.Claim(t, 3), "")
	round(t, m)
	healthIs(t, m, dependency.Releasing)
}

func TestOneProcessMovesABreaker(t *testing.T) {
	m := ready(t)
	charge(t, m, farm, "j", 20)
	finish(t, m, m.Claim(t, 20), job.Transient)
	if _, err := m.Dependencies.Discover(context.Background()); err != nil {
		t.Fatal(err)
	}
	other := modeltest.New(t, m.G, modeltest.Fast())
	var wg sync.WaitGroup
	for i := range 16 {
		s := []*dependency.Service{m.Dependencies, other.Dependencies}[i%2]
		wg.Go(func() {
			if err := s.Judge(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if events := must[[]dependency.Event](t)(m.Dependencies.History(context.Background(), dependency.OfDependency, farm, 0, 20)); len(events) != 1 {
		t.Fatalf("%d events, want 1", len(events))
	}
	if s := status(t, m, farm); s.Version != 2 || s.State != dependency.Open {
		t.Errorf("%s at version %d", s.State, s.Version)
	}
}

func TestHoldAndReleaseByHand(t *testing.T) {
	m, ctx := ready(t), context.Background()
	charge(t, m, farm, "j", 5)
	charge(t, m, "", "free", 2)
	if _, err := m.Dependencies.Hold(ctx, by(farm, "")); codeOf(err) != fault.CodeInvalid {
		t.Errorf("without a reason: %v", err)
	}
	first := by(farm, "the vendor called")
	must[any](t)(m.Dependencies.Hold(ctx, first))
	if out, err := m.Dependencies.Hold(ctx, first); err != nil || !out.Replayed {
		t.Errorf("a double click: %v, %v", out, err)
	}
	_, err := m.Dependencies.Hold(ctx, by(farm, "again"))
	if f := fault.As(err); f == nil || f.Code != fault.CodeStateConflict || f.Detail["by"] != "staff:mori" {
		t.Errorf("held twice: %v", err)
	}
	// At once, before anything is marked.
	if got := m.Claim(t, 100); len(got) != 2 {
		t.Fatalf("%d jobs, want the 2 that depend on nothing", len(got))
	}
	round(t, m)
	healthIs(t, m, dependency.Held)
	if s := status(t, m, farm); s.Waiting != 5 || s.Hold.Reason != "the vendor called" {
		t.Errorf("%d wait, %+v", s.Waiting, s.Hold)
	}
	if _, err := m.Dependencies.Release(ctx, by("unknown", "x"), 60); codeOf(err) != dependency.CodeNotFound {
		t.Errorf("release of an unknown one: %v", err)
	}
	if _, err := m.Dependencies.Release(ctx, by(farm, "x"), 0); codeOf(err) != fault.CodeInvalid {
		t.Errorf("release at no rate: %v", err)
	}
	must[any](t)(m.Dependencies.Release(ctx, by(farm, "fixed"), 60))
	healthIs(t, m, dependency.Releasing)
	if _, err := m.Dependencies.Release(ctx, by(farm, "fixed"), 60); codeOf(err) != fault.CodeStateConflict {
		t.Errorf("released twice: %v", err)
	}
	must[any](t)(m.Dependencies.Release(ctx, by(farm, "faster"), 120))
	if got := m.Claim(t, 100); len(got) != 2 {
		t.Fatalf("%d jobs, want 2 of 120 a minute", len(got))
	}
	if got := m.Claim(t, 100); len(got) != 0 {
		t.Fatalf("%d more at once", len(got))
	}
	var attempts int64
	if err := m.G.Raw(`SELECT sum(attempt) FROM jobs WHERE dependency = ?`, farm).Scan(&attempts).Error; err != nil || attempts != 2 {
		t.Errorf("%d attempts used, want those of the 2 that were handed out", attempts)
	}
}

// Work that comes while a hold is being drained is never left with a mark and without a hold.
func TestMarksGoWithTheirHold(t *testing.T) {
	m, ctx := ready(t), context.Background()
	charge(t, m, farm, "j", 3)
	must[any](t)(m.Dependencies.Hold(ctx, by(farm, "x")))
	must[any](t)(m.Dependencies.Release(ctx, by(farm, "y"), dependency.MaxPerMinute))
	var g errgroup.Group
	g.Go(func() error {
		for range 40 {
			if err := m.Dependencies.Round(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	claimed := 0
	for i := range 100 {
		charge(t, m, farm, fmt.Sprint("late", i, "-"), 1)
		claimed += len(m.Claim(t, 100))
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		round(t, m)
		claimed += len(m.Claim(t, 100))
	}
	if claimed != 103 {
		t.Errorf("%d of 103 jobs were handed out", claimed)
	}
}

func TestHeldActionPassesNothingAndThenItsPace(t *testing.T) {
	m, ctx := ready(t), context.Background()
	m.Price(t, "transcribe", 1000)
	charge(t, m, "", "j", 5)
	charge(t, m, farm, "d", 1)
	other := job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_0", JobID: "t1", Action: "transcribe", Units: 1}
	must[any](t)(m.Jobs.Charge(ctx, other))
	if _, err := m.Dependencies.HoldAction(ctx, by("nothing_like_it", "x")); codeOf(err) != fault.CodeActionNotFound {
		t.Errorf("an unknown action: %v", err)
	}
	must[any](t)(m.Dependencies.HoldAction(ctx, by(modeltest.Action, "a bad model")))
	claim := func() []job.Claimed {
		jobs, _, err := m.Jobs.Claim(ctx, job.ClaimRequest{Envelope: modeltest.Envelope(), Actions: []string{modeltest.Action, "transcribe"}, Max: 100})
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	if got := claim(); len(got) != 1 || got[0].JobID != "t1" {
		t.Fatalf("%v, want t1 alone", got)
	}
	// Behind two holds a job needs both to let it through.
	must[any](t)(m.Dependencies.Hold(ctx, by(farm, "x")))
	round(t, m)
	must[any](t)(m.Dependencies.ReleaseAction(ctx, by(modeltest.Action, "y"), 60))
	for range 5 {
		if got := claim(); len(got) != 1 || got[0].Dependency != "" {
			t.Fatalf("%v, want one without a dependency", got)
		}
		if got := claim(); len(got) != 0 {
			t.Fatalf("%v more at once", got)
		}
		elapse(t, m, 2*time.Second)
	}
	round(t, m)
	if holds := must[[]dependency.ActionHold](t)(m.Dependencies.Actions(ctx)); len(holds) != 0 {
		t.Errorf("%v is still held", holds)
	}
	must[any](t)(m.Dependencies.Release(ctx, by(farm, "y"), 60))
	if got := claim(); len(got) != 1 || got[0].JobID != "d0" {
		t.Fatalf("%v, want d0", got)
	}
}

func TestExpiryOfHeldJobs(t *testing.T) {
	m, ctx := ready(t), context.Background()
	charge(t, m, farm, "j", 1)
	must[any](t)(m.Dependencies.Hold(ctx, by(farm, "x")))
	round(t, m)
	for _, sql := range []string{`UPDATE jobs SET expires_at = clock_timestamp()`, `UPDATE waiting_line SET expires_at = clock_timestamp()`} {
		if err := m.G.Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	overdue := must[[]job.Overdue](t)(m.Jobs.Overdue(ctx, 0, 10))
	if len(overdue) != 1 || !overdue[0].Expired {
		t.Fatalf("overdue %+v", overdue)
	}
	if !must[bool](t)(m.Jobs.Settle(ctx, overdue[0])) {
		t.Fatal("it did not expire")
	}
	if got := m.Balance(t, "acct_0"); got != 100_000 {
		t.Errorf("balance %d, want all refunded", got)
	}
	if s := status(t, m, farm); s.Waiting != 0 {
		t.Errorf("%d wait", s.Waiting)
	}
}

func TestDefaultOfAnAction(t *testing.T) {
	m, ctx := ready(t), context.Background()
	must[any](t)(m.Dependencies.Hold(ctx, by(farm, "x")))
	must[any](t)(m.Dependencies.SetDefault(ctx, by(farm, "all of it runs there"), modeltest.Action, true, nil))
	if _, err := m.Dependencies.SetDefault(ctx, by(farm, "again"), modeltest.Action, true, nil); codeOf(err) != fault.CodeStateConflict {
		t.Errorf("set twice: %v", err)
	}
	charge(t, m, "", "j", 1)
	charge(t, m, "elsewhere", "k", 1)
	got := m.Claim(t, 10)
	if len(got) != 1 || got[0].Dependency != "elsewhere" {
		t.Fatalf("%v, want the job that names another dependency", got)
	}
	must[any](t)(m.Dependencies.SetDefault(ctx, by(farm, "no more"), modeltest.Action, false, nil))
	charge(t, m, "", "l", 1)
	if got := m.Claim(t, 10); len(got) != 1 || got[0].Dependency != "" {
		t.Fatalf("%v, want one without a dependency", got)
	}
}

// Who chose by a page that shows another default than there is by now changes nothing and is told who was first; the one that
// the default is taken from has it in its history.
func TestDefaultSeen(t *testing.T) {
	m, ctx := ready(t), context.Background()
	must[any](t)(m.Dependencies.Hold(ctx, by(farm, "x")))
	must[any](t)(m.Dependencies.Hold(ctx, by("other", "x")))
	none, first, wrong := "", farm, "elsewhere"
	must[any](t)(m.Dependencies.SetDefault(ctx, by(farm, "first"), modeltest.Action, true, &none))
	_, err := m.Dependencies.SetDefault(ctx, by("other", "late"), modeltest.Action, true, &none)
	f := fault.As(err)
	if f == nil || f.Code != fault.CodeStateConflict || f.Detail["by"] != by(farm, "").Actor.String() || f.Detail["at"] == nil {
		t.Fatalf("a stale page: %v", err)
	}
	if _, err := m.Dependencies.SetDefault(ctx, by("other", "late"), modeltest.Action, false, &wrong); codeOf(err) != fault.CodeStateConflict {
		t.Errorf("ended by a stale page: %v", err)
	}
	must[any](t)(m.Dependencies.SetDefault(ctx, by("other", "it moved"), modeltest.Action, true, &first))
	for _, name := range []string{farm, "other"} {
		events, err := m.Dependencies.History(ctx, dependency.OfDependency, name, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		got, err := events[0].Figures()
		if err != nil || got.DefaultBefore != farm || got.DefaultAfter == nil || *got.DefaultAfter != "other" || events[0].Reason != "it moved" {
			t.Errorf("the history of %s: %+v %+v %v", name, events[0], got, err)
		}
	}
}

func TestSettings(t *testing.T) {
	m, ctx := ready(t), context.Background()
	charge(t, m, farm, "j", 30)
	finish(t, m, m.Claim(t, 20), job.Transient)
	round(t, m)
	healthIs(t, m, dependency.Opened)
	s := status(t, m, farm)
	to := s.Settings
	to.MinimumResults = to.WindowResults + 1
	if _, err := m.Dependencies.Change(ctx, by(farm, "x"), s.Revision, to); codeOf(err) != fault.CodeInvalid {
		t.Errorf("more results than the window: %v", err)
	}
	to = s.Settings
	to.Breaker, to.ReleasePerMinute = false, 60
	must[any](t)(m.Dependencies.Change(ctx, by(farm, "it is known"), s.Revision, to))
	if _, err := m.Dependencies.Change(ctx, by(farm, "stale"), s.Revision, to); codeOf(err) != fault.CodeStateConflict {
		t.Errorf("a stale page: %v", err)
	}
	healthIs(t, m, dependency.Releasing)
	if got := m.Claim(t, 100); len(got) != 1 {
		t.Errorf("%d at once, want 1 of 60 a minute", len(got))
	}
}

func TestList(t *testing.T) {
	m, ctx := ready(t), context.Background()
	for _, name := range []string{"c", "a", "b", "d"} {
		must[any](t)(m.Dependencies.Hold(ctx, by(name, "x")))
	}
	for _, name := range []string{"c", "a"} {
		must[any](t)(m.Dependencies.Release(ctx, by(name, "x"), 60))
	}
	round(t, m) // nothing waits behind them
	names := func(f dependency.Filter) []string {
		var all []string
		var from *dependency.Position
		for {
			p, err := m.Dependencies.List(ctx, f, from, page.Older, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.Rows {
				all = append(all, s.Name+" "+string(s.Health()))
			}
			if p.Older == nil {
				return all
			}
			from = p.Older
		}
	}
	if got, want := names(dependency.Filter{}), []string{"b held", "d held", "a closed", "c closed"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := names(dependency.Filter{Health: dependency.Healthy, Prefix: "c"}), []string{"c closed"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := names(dependency.Filter{Unhealthy: true}); len(got) != 2 {
		t.Errorf("%q are not healthy", got)
	}
	g, err := m.Dependencies.Measure(ctx)
	if err != nil || len(g.States) != 4 || len(g.Held) != 2 {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestStanding(t *testing.T) {
	m, ctx := ready(t), context.Background()
	standing := func(actions, dependencies []string) []dependency.Standing {
		t.Helper()
		return must[[]dependency.Standing](t)(m.Dependencies.Standing(ctx, actions, dependencies))
	}
	charge(t, m, farm, "j", 30)
	finish(t, m, m.Claim(t, 20), job.Transient)
	if got := standing([]string{modeltest.Action}, []string{farm}); len(got) != 0 {
		t.Fatalf("%+v while nothing is held", got)
	}
	round(t, m)
	open := standing(nil, []string{farm, "unknown"})
	if len(open) != 1 || open[0].Health() != dependency.Opened || open[0].Tries() == nil || open[0].Tries().Sub(*open[0].ChangedAt) != time.Duration(open[0].OpenS)*time.Second || open[0].Probes < 1 || open[0].ReleasePerMinute < 1 {
		t.Fatalf("%+v", open)
	}
	must[any](t)(m.Dependencies.Hold(ctx, by(farm, "x")))
	must[any](t)(m.Dependencies.HoldAction(ctx, by(modeltest.Action, "y")))
	both := standing([]string{modeltest.Action, ""}, []string{farm, ""})
	if len(both) != 2 || both[0].Kind != dependency.OfAction || both[0].Health() != dependency.Held || both[1].Health() != dependency.Held || both[1].Reason != "x" || both[1].Tries() != nil {
		t.Fatalf("%+v", both)
	}
	if got := standing([]string{farm}, []string{modeltest.Action}); len(got) != 0 {
		t.Errorf("%+v: the kind does not count", got)
	}
	must[any](t)(m.Dependencies.ReleaseAction(ctx, by(modeltest.Action, "z"), 30))
	if got := standing([]string{modeltest.Action}, nil); len(got) != 1 || got[0].Health() != dependency.Releasing || got[0].PerMinute != 30 {
		t.Errorf("%+v", got)
	}
}

// A reason that nobody can see is none.
func TestAHoldNeedsAReasonThatIsSeen(t *testing.T) {
	m := ready(t)
	for _, reason := range []string{"", " ", "\u200b", "a\x00"} {
		if _, err := m.Dependencies.Hold(t.Context(), by(farm, reason)); !fault.Is(err, fault.CodeInvalid) {
			t.Errorf("%q: %v", reason, err)
		}
	}
}
