package dependency_test

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/models/dependency"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// A dependency is down while 5,000 jobs wait for it; then it is back. Many workers ask, through two sets of services as two
// processes would, one of which is begun anew in the middle. However they ask, no minute sees more jobs handed out than the
// rate, and none of them has used an attempt before.
func TestStormIsReleasedAtItsRate(t *testing.T) {
	if testing.Short() {
		t.Skip("it hands out 5,000 jobs")
	}
	const jobs, rate = 5000, 1200
	m, ctx := ready(t), context.Background()
	charge(t, m, farm, "before", 20)
	finish(t, m, m.Claim(t, 20), job.Transient)
	round(t, m)
	healthIs(t, m, dependency.Opened)
	charge(t, m, farm, "j", jobs)
	s := status(t, m, farm)
	to := s.Settings
	to.ReleasePerMinute = rate
	must[any](t)(m.Dependencies.Change(ctx, by(farm, "what it can take"), s.Revision, to))

	processes := []*modeltest.Models{m, modeltest.New(t, m.G, modeltest.Fast())}
	// ask lets eight workers ask twice each. They finish the first of every so many jobs that they get; the others run on.
	every := 1
	ask := func() int {
		var g errgroup.Group
		got := make([]int, 8)
		for i := range got {
			g.Go(func() error {
				for range 2 {
					p := processes[i%2]
					claimed, _, err := p.Jobs.Claim(ctx, job.ClaimRequest{Envelope: modeltest.Envelope(), Actions: []string{modeltest.Action}, Max: 50})
					if err != nil {
						return err
					}
					got[i] += len(claimed)
					for n, c := range claimed {
						if c.Attempt != 1 {
							t.Errorf("%s has used an attempt", c.JobID)
						}
						if n%every > 0 {
							continue
						}
						if _, err := p.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken}); err != nil {
							return err
						}
					}
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, n := range got {
			sum += n
		}
		return sum
	}
	if n := ask(); n != 0 {
		t.Fatalf("%d handed out while it is down", n)
	}
	round(t, m)
	if s := status(t, m, farm); s.Waiting != jobs {
		t.Fatalf("%d wait, want %d", s.Waiting, jobs)
	}
	var marked int64
	if err := m.G.Raw(`SELECT count(*) FROM waiting_line WHERE held`).Scan(&marked).Error; err != nil || marked != jobs {
		t.Fatalf("%d of %d are marked", marked, jobs)
	}
	elapse(t, m, time.Minute)
	round(t, m)
	handedOut := 0
	for range 4 {
		handedOut += ask()
		round(t, m)
	}
	if handedOut < 3 || handedOut > 3+2*20 {
		t.Fatalf("%d handed out to try and just after", handedOut)
	}
	healthIs(t, m, dependency.Releasing)
	every = 4
	for step := 0; handedOut < jobs; step++ {
		if step > 600 {
			t.Fatalf("%d of %d handed out after ten minutes", handedOut, jobs)
		}
		switch step {
		case 40:
			processes[1] = modeltest.New(t, m.G, modeltest.Fast())
		case 60: // nobody asks for two minutes: that saves nothing up
			elapse(t, m, 2*time.Minute)
		}
		elapse(t, m, time.Second)
		handedOut += ask()
		if step%10 == 0 {
			round(t, m)
		}
	}
	round(t, m)
	healthIs(t, m, dependency.Healthy)
	var worst struct{ Most, Seconds int64 }
	err := m.G.Raw(`WITH c AS (SELECT claimed_at FROM attempts JOIN jobs j ON j.account_key = attempts.account_key AND j.key = job_key WHERE j.id LIKE 'j%')
		SELECT (SELECT max(n) FROM (SELECT count(*) OVER (ORDER BY claimed_at RANGE BETWEEN CURRENT ROW AND interval '59.999999 seconds' FOLLOWING) AS n FROM c) w) AS most,
			extract(epoch FROM max(claimed_at) - min(claimed_at))::bigint AS seconds FROM c`).Scan(&worst).Error
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at most %d in a minute at a rate of %d; %d jobs in %d s", worst.Most, rate, jobs, worst.Seconds)
	if worst.Most > rate || worst.Most < rate*9/10 {
		t.Errorf("%d jobs handed out in one minute at a rate of %d", worst.Most, rate)
	}
	var money, attempts int64
	if err := m.G.Raw(`SELECT sum(balance) FROM accounts`).Scan(&money).Error; err != nil || money != 8*100_000-jobs {
		t.Errorf("balances are %d", money)
	}
	if err := m.G.Raw(`SELECT max(attempt) FROM jobs WHERE id LIKE 'j%'`).Scan(&attempts).Error; err != nil || attempts != 1 {
		t.Errorf("an attempt %d", attempts)
	}
}
