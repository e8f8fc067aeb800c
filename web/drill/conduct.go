package drill

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// conductor makes the rollout's steps while jobs are charged.
type conductor struct {
	d *drill
	*trial
	version int64
	// billed are the jobs whose costs were sent.
	billed map[*jobBook]bool
	bills  int
}

// stepPatience is how long a step is asked for again: the database may be down, and an advance waits for what its checks need.
const stepPatience = 2 * time.Minute

// conduct makes every step when it is due. Jobs are handed out a little ahead of a step at most, so that charges meet it.
func (d *drill) conduct(ctx context.Context) error {
	c := &conductor{d: d, trial: d.trial, version: 1, billed: map[*jobBook]bool{}}
	for _, s := range []struct {
		at float64
		do func(context.Context) error
	}{
		{startAt, func(ctx context.Context) error {
			return c.step(ctx, "start", phase{live: true, open: true, stage: 1}, nil)
		}},
		{advanceAt, func(ctx context.Context) error {
			return c.step(ctx, "advance", phase{live: true, open: true, stage: 2}, c.bill)
		}},
		{pauseAt, func(ctx context.Context) error { return c.step(ctx, "pause", phase{live: true, stage: 2}, nil) }},
		{resumeAt, func(ctx context.Context) error {
			return c.step(ctx, "resume", phase{live: true, open: true, stage: 2}, nil)
		}},
		{haltAt, c.halt},
		{rollBackAt, func(ctx context.Context) error { return c.step(ctx, "roll-back", phase{}, nil) }},
	} {
		d.allow(s.at + leeway)
		for float64(d.fed.Load()) < s.at*float64(len(d.plan.Jobs)) {
			if !sleep(ctx, 20*time.Millisecond) {
				return nil
			}
		}
		if err := s.do(ctx); err != nil {
			return err
		}
	}
	d.allow(1)
	return c.afterwards(ctx)
}

// allow lets jobs up to this part of them be handed out.
func (d *drill) allow(part float64) {
	d.allowed.Store(int64(part * float64(len(d.plan.Jobs))))
}

// mayFeed waits until the i-th job may be handed out; false when ctx ends first.
func (d *drill) mayFeed(ctx context.Context, i int) bool {
	for d.trial != nil && int64(i) > d.allowed.Load() {
		if !sleep(ctx, 5*time.Millisecond) {
			return false
		}
	}
	d.fed.Store(int64(i + 1))
	return true
}

// prepareTrial makes candidate and draft.
func (d *drill) prepareTrial(ctx context.Context) error {
	t := d.trial
	price := d.system.Prices()[t.action]
	lower := price * 9 / 10
	out, err := d.system.Command(ctx, "price", "make", t.action, "--unit", "second", "--unit-price", strconv.FormatInt(lower, 10), "--reason", "drill")
	if err != nil {
		return err
	}
	t.baseline = t.action + "@v1"
	t.candidate, _, _ = strings.Cut(out, " ")
	t.prices = map[string]int64{t.baseline: price, t.candidate: lower}
	thresholds := make([]string, len(t.thresholds))
	for i, n := range t.thresholds {
		thresholds[i] = strconv.Itoa(n)
	}
	_, err = d.system.Command(ctx, "rollout", "create", t.id, "--title", "Drill "+d.name, "--candidate", t.candidate,
		"--thresholds", strings.Join(thresholds, ","), "--min-charges", strconv.Itoa(t.minCharges), "--reason", "drill")
	if err != nil {
		return err
	}
	d.screen.say(fmt.Sprintf("Rollout %s tries %s (%d) instead of %s (%d) on buckets below %s.", t.id, t.candidate, lower, t.baseline, price, strings.Join(thresholds, ", then ")))
	d.allow(startAt + leeway)
	return nil
}

// step asks for a step until it is done. before, where it is given, runs before each try.
func (c *conductor) step(ctx context.Context, name string, after phase, before func(context.Context) error) error {
	done := c.begin(name, after)
	began := time.Now()
	for {
		if before != nil {
			if err := before(ctx); err != nil {
				return err
			}
		}
		out, err := c.d.system.Command(ctx, "rollout", name, c.id, "--version", strconv.FormatInt(c.version, 10), "--operation-id", "drill-"+name, "--reason", "drill")
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			done()
			return c.made(name, out)
		case time.Since(began) > stepPatience:
			return fmt.Errorf("drill: rollout %s: %w", name, err)
		}
		if !sleep(ctx, 300*time.Millisecond) {
			return nil
		}
	}
}

// made notes a step from the line that the command printed.
func (c *conductor) made(name, out string) error {
	state, version, ok := rolloutLine(out, c.id)
	if !ok {
		return fmt.Errorf("drill: rollout %s: nothing about %s in %q", name, c.id, out)
	}
	c.version = version
	c.d.steps = append(c.d.steps, name)
	n, _ := c.d.books.snapshot()
	c.d.screen.say(fmt.Sprintf("Rollout %s after %s of %s charges.", state, group(n.charged), group(len(c.d.plan.Jobs))))
	return nil
}

// rolloutLine reads "<id> <state> stage <n> of <m> version <v>" among the lines of an output.
func rolloutLine(out, id string) (state string, version int64, ok bool) {
	for line := range strings.Lines(out) {
		var name string
		var stage, stages int
		if n, err := fmt.Sscanf(line, "%s %s stage %d of %d version %d", &name, &state, &stage, &stages, &version); err == nil && n == 5 && name == id {
			return state, version, true
		}
	}
	return "", 0, false
}

// halt bills something that nobody can place, and waits until Recoup has halted the rollout by itself.
func (c *conductor) halt(ctx context.Context) error {
	done := c.begin("halt", phase{live: true, stage: 2})
	err := c.record(ctx, "stray", []map[string]any{{"external_id": "stray", "amount": "0.25", "currency": "USD", "time": time.Now().UTC(), "action": c.action}})
	if err != nil {
		return err
	}
	for began := time.Now(); ; {
		// The minute's own check may be first. Its status is 1 as long as a check is red.
		out, err := c.d.system.Command(ctx, "rollout", "check", c.id)
		if ctx.Err() != nil {
			return nil
		}
		if state, _, ok := rolloutLine(out, c.id); ok && state == "halted" {
			done()
			return c.made("halt", out)
		}
		if time.Since(began) > stepPatience {
			return fmt.Errorf("drill: a cost that nobody can place did not halt the rollout: %s %w", out, err)
		}
		if !sleep(ctx, 300*time.Millisecond) {
			return nil
		}
	}
}

// bill sends the costs of what was delivered since the last time.
func (c *conductor) bill(ctx context.Context) error {
	var records []map[string]any
	for _, j := range c.d.books.delivered(c.action) {
		if !c.billed[j] && len(records) < 1000 {
			c.billed[j] = true
			records = append(records, map[string]any{"external_id": j.plan.Account + "/" + j.plan.JobID, "amount": "0.01", "currency": "USD",
				"time": time.Now().UTC(), "account_id": j.plan.Account, "job_id": j.plan.JobID})
		}
	}
	if records == nil {
		return nil
	}
	c.bills++
	return c.record(ctx, fmt.Sprintf("costs-%d", c.bills), records)
}

func (c *conductor) record(ctx context.Context, operationID string, records []map[string]any) error {
	a, err := c.d.client.do(ctx, http.MethodPost, "/v1/costs", operationID, map[string]any{"source": "drill-" + c.d.name, "records": records})
	if err == nil && !a.ok() {
		err = fmt.Errorf("drill: costs are refused: %d %s", a.status, a.problem)
	}
	return err
}

// afterwards is what the rollback must not change: what was quoted before is charged at its price now, and charges that the candidate
// priced are sent again.
func (c *conductor) afterwards(ctx context.Context) error {
	d := c.d
	held, late := d.books.heldBack(), d.books.pricedBy(c.candidate, lateRetries)
	err := each(ctx, 4, len(held), func(ctx context.Context, i int) error { return d.charge(ctx, held[i]) })
	if err != nil {
		return err
	}
	err = each(ctx, 4, len(late), func(ctx context.Context, i int) error {
		o := d.chargeOperation(late[i])
		a, err := d.client.do(ctx, o.method, o.path, o.id, o.body)
		switch {
		case err != nil:
			return err
		case !a.ok():
			d.refusedOddly(o, a)
		default:
			d.books.answered(o, a, true)
		}
		return nil
	})
	d.books.count(func(n *counts) { n.lateRetries += len(late) })
	return err
}

// lateRetries is how many charges that the candidate priced are sent again after the rollback, at most.
const lateRetries = 300
