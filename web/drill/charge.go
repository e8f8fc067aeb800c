package drill

import (
	"context"

	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"
)

// priceBounds is what the drill knows of prices before it charges.
type priceBounds struct {
	// known are prices the drill put in force itself, in thousandths of a credit a unit.
	known map[string]int64
	// asked are the costs of one unit and of manyUnits, as a running system names them.
	asked map[string][2]int64
}

const manyUnits = 1_000_000

// exact is the cost of a job where the drill can compute it.
func (p priceBounds) exact(action string, units int64) (int64, bool) {
	price, known := p.known[action]
	if !known {
		return 0, false
	}
	return costOf(units, price)
}

// bound is a number of credits that certainly covers the job.
func (p priceBounds) bound(action string, units int64) int64 {
	if cost, known := p.exact(action, units); known {
		return cost
	}
	asked := p.asked[action]
	b := float64(asked[0]) + 1 + float64(units)*float64(asked[1]+1)/manyUnits
	return int64(min(math.Ceil(b), 1<<60))
}

// askPrices asks a running system what each action costs, by charges that an empty account cannot
// pay. It reports whether unclaimedAction has a price as well.
func (d *drill) askPrices(ctx context.Context, p Prefixes, jobs []TraceJob) (unclaimed bool, err error) {
	account := p.Account + "prices"
	d.books = newBooks(Plan{}) // nothing to keep yet
	if err := d.putAccount(ctx, account); err != nil {
		return false, err
	}
	d.prices.asked = map[string][2]int64{}
	names := map[string]bool{unclaimedAction: true}
	for _, j := range jobs {
		names[p.Action+j.Action] = true
		unclaimed = unclaimed || p.Action+j.Action == unclaimedAction
	}
	var missing []string
	for name := range names {
		var costs [2]int64
		for i, units := range []int64{1, manyUnits} {
			cost, priced, err := d.askPrice(ctx, account, name, units)
			if err != nil {
				return false, err
			}
			if !priced && name != unclaimedAction {
				missing = append(missing, name)
			}
			if !priced {
				delete(names, name)
				break
			}
			costs[i] = cost
		}
		d.prices.asked[name] = costs
	}
	if missing != nil {
		sort.Strings(missing)
		var b strings.Builder
		for _, name := range missing {
			fmt.Fprintf(&b, "\n  recoup price set %s --unit second --unit-price 667 --reason \"drill\"", name)
		}
		return false, fmt.Errorf("%s has no price for the drill's actions. Put one in force for each of them:%s", d.o.URL, b.String())
	}
	// An action of the trace that bears this name is claimed.
	return names[unclaimedAction] && !unclaimed, nil
}

// askPrice returns what units of an action cost; false when the action has no price.
func (d *drill) askPrice(ctx context.Context, account, action string, units int64) (int64, bool, error) {
	id := fmt.Sprintf("price-%s-%d", action, units)
	a, err := d.client.do(ctx, http.MethodPost, accountPath(account)+"/jobs", id,
		map[string]any{"job_id": id, "action": action, "units": units, "mode": "external"})
	switch {
	case err != nil:
		return 0, false, err
	case a.refused("insufficient_credits") && a.problem.Cost != nil:
		return *a.problem.Cost, true, nil
	case a.refused("action_not_found"):
		return 0, false, nil
	case a.ok():
		// It costs nothing: the job is there and nobody will run it.
		cancel, err := d.client.do(ctx, http.MethodPost, jobPath(account, id)+"/cancel", "cancel-"+id, map[string]any{"reason": "asked for the price only"})
		if err == nil && !cancel.ok() {
			err = fmt.Errorf("drill: cancel %s: %s", id, cancel.problem)
		}
		return 0, true, err
	}
	return 0, false, fmt.Errorf("drill: ask for the price of %s: %d %s", action, a.status, a.problem)
}

func (d *drill) putAccount(ctx context.Context, account string) error {
	o := operation{scope: scopeOf(account), id: "account", kind: kindAccount, account: account,
		method: http.MethodPut, path: accountPath(account), body: map[string]any{"name": "Drill " + d.name, "plan": "drill"}}
	a, err := d.send(ctx, o, keepAnswer)
	if err != nil {
		return err
	}
	switch {
	case a.ok():
		return nil
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		return fmt.Errorf("the API key is refused (%s): the drill needs one with the scopes jobs:write, jobs:work, ledger:read and ledger:write", a.problem)
	}
	return fmt.Errorf("create account %s: %d %s", account, a.status, a.problem)
}

// purse gives one account credits as charges ask for them.
type purse struct {
	mu     sync.Mutex
	grants int
}

// setUp creates the accounts and gives them their first credits.
func (d *drill) setUp(ctx context.Context) error {
	if d.system != nil {
		d.prices.known = d.system.Prices()
	}
	need := map[string]int64{}
	for _, j := range d.plan.Jobs {
		need[j.Account] = min(need[j.Account]+d.prices.bound(j.Action, j.Units), 1<<61)
	}
	d.purses = map[string]*purse{}
	for _, a := range d.plan.Accounts {
		d.purses[a] = &purse{}
	}
	began := time.Now()
	err := each(ctx, 8, len(d.plan.Accounts), func(ctx context.Context, i int) error {
		account := d.plan.Accounts[i]
		if err := d.putAccount(ctx, account); err != nil {
			return err
		}
		first := need[account]
		if d.plan.Short[account] {
			first /= 3
		}
		return d.grant(ctx, account, max(first, 1), d.purses[account])
	})
	if err != nil {
		return err
	}
	d.screen.say(fmt.Sprintf("%s accounts are ready after %s.", group(len(d.plan.Accounts)), time.Since(began).Round(100*time.Millisecond)))
	return nil
}

// grant gives credits. The caller holds the purse's lock or is alone.
func (d *drill) grant(ctx context.Context, account string, amount int64, p *purse) error {
	p.grants++
	o := operation{scope: scopeOf(account), id: fmt.Sprintf("grant:%d", p.grants), kind: kindGrant, account: account,
		method: http.MethodPost, path: accountPath(account) + "/grants",
		body: map[string]any{"amount": amount, "category": "promotion", "reference": "drill " + d.name, "reason": "drill"}}
	a, err := d.send(ctx, o, d.lose(rand.New(rand.NewPCG(rand.Uint64(), 1))))
	if err != nil {
		return err
	}
	if !a.ok() {
		return fmt.Errorf("grant %d credits to %s: %d %s", amount, account, a.status, a.problem)
	}
	if d.o.Faults.Has(Duplicate) {
		_, err = d.send(ctx, o, keepAnswer)
	}
	return err
}

// charger charges jobs in order of arrival until there are no more.
func (d *drill) charger(ctx context.Context, next <-chan *jobBook) error {
	for j := range next {
		if j.quoteFirst {
			if err := d.quote(ctx, j); err != nil {
				return err
			}
		}
		if j.held {
			continue // it is charged after the rollback
		}
		if err := d.charge(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

func (d *drill) charge(ctx context.Context, j *jobBook) error {
	o, r := d.chargeOperation(j), seeded(j.plan.Seed, "charge")
	p := d.purses[j.plan.Account]
	for l := d.lose(r); ; l = keepAnswer {
		p.mu.Lock()
		before := p.grants
		p.mu.Unlock()
		a, err := d.send(ctx, o, l)
		if err != nil {
			return err
		}
		if a.ok() {
			break
		}
		if !a.refused("insufficient_credits") || a.problem.Balance == nil || a.problem.Cost == nil {
			d.refusedOddly(o, a)
			return nil
		}
		if err := d.topUp(ctx, o, p, before, *a.problem.Balance, *a.problem.Cost); err != nil {
			return err
		}
	}
	if err := d.chargeAgain(ctx, o, r); err != nil {
		return err
	}
	d.begin(j, r)
	return nil
}

// topUp answers a refusal for want of credits with a grant, unless another charge did so meanwhile.
func (d *drill) topUp(ctx context.Context, o operation, p *purse, before int, balance, cost int64) error {
	d.books.count(func(n *counts) { n.insufficient++ })
	if balance >= 0 && balance >= cost {
		d.books.note(UnexpectedAnswer, o.account, o.job, "%s is refused for want of credits with %d for a cost of %d", o.id, balance, cost)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.grants != before {
		return nil
	}
	// Some more than is missing, so that it takes a few refusals and not one for every job.
	missing := cost - balance
	return d.grant(ctx, o.account, missing+min(20*max(cost, 1), 1<<40), p)
}

// chargeAgain sends a charge that is committed again: as it was, under another id, and with another
// input. None of them may move anything.
func (d *drill) chargeAgain(ctx context.Context, o operation, r *rand.Rand) error {
	if !d.o.Faults.Has(Duplicate) {
		return nil
	}
	switch r.IntN(12) {
	case 0, 1:
		d.books.count(func(n *counts) { n.duplicates += 2 })
		return each(ctx, 2, 2, func(ctx context.Context, _ int) error {
			a, err := d.send(ctx, o, keepAnswer)
			if err == nil && !a.ok() {
				d.refusedOddly(o, a)
			}
			return err
		})
	case 2:
		other := o
		other.id += ":again"
		return d.mustConflict(ctx, other, "job_exists", func(p *problem) bool { return p.Existing == o.id })
	case 3:
		other := o
		body := map[string]any{}
		for k, v := range o.body.(map[string]any) {
			body[k] = v
		}
		body["max_attempts"] = 999
		other.body = body
		return d.mustConflict(ctx, other, "operation_conflict", func(*problem) bool { return true })
	}
	return nil
}

// mustConflict sends what has to be refused.
func (d *drill) mustConflict(ctx context.Context, o operation, code string, right func(*problem) bool) error {
	d.books.count(func(n *counts) { n.conflicts++ })
	d.books.sent(o)
	a, err := d.client.do(ctx, o.method, o.path, o.id, o.body)
	if err != nil {
		return err
	}
	if !a.refused(code) || !right(a.problem) {
		d.books.note(UnexpectedAnswer, o.account, o.job, "%s must be refused as %s and is answered %d %s", o.id, code, a.status, cut(string(a.body), 200))
	}
	return nil
}
