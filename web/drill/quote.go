package drill

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// decided is which price applies to a charge, as an answer told it.
type decided struct {
	rule, cohort, rollout string
	price                 int64
	// from and to are when it was asked for first and when it was first told.
	from, to time.Time
}

// same reports whether two answers tell the same decision, whenever they did.
func (a decided) same(b decided) bool {
	return a.rule == b.rule && a.cohort == b.cohort && a.rollout == b.rollout && a.price == b.price
}

func (a decided) String() string {
	return fmt.Sprintf("%d credits by %s, cohort %q, rollout %q", a.price, a.rule, a.cohort, a.rollout)
}

// quote asks for the price of a charge that is to come, under the charge's operation id, twice: it must be the same.
func (d *drill) quote(ctx context.Context, j *jobBook) error {
	o := d.chargeOperation(j)
	body := map[string]any{"action": j.plan.Action, "units": j.plan.Units}
	for range 2 {
		asked := time.Now()
		a, err := d.client.do(ctx, http.MethodPost, accountPath(j.plan.Account)+"/quotes", o.id, body)
		if err != nil {
			return err
		}
		if !a.ok() {
			d.books.note(UnexpectedAnswer, j.plan.Account, j.plan.JobID, "the quote is refused: %d %s", a.status, a.problem)
			return nil
		}
		var q struct {
			Price       int64   `json:"price"`
			RuleVersion string  `json:"rule_version"`
			RolloutID   *string `json:"rollout_id"`
			Cohort      string  `json:"cohort"`
		}
		if err := json.Unmarshal(a.result, &q); err != nil {
			return fmt.Errorf("drill: a quote that cannot be read: %w", err)
		}
		d.books.quoted(j, decided{rule: q.RuleVersion, cohort: q.Cohort, rollout: text(q.RolloutID), price: q.Price, from: asked, to: time.Now()})
	}
	return nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// markQuotes chooses the jobs whose price is asked for before they are charged, and those of them that wait for the rollback.
func (b *books) markQuotes(plan Plan) {
	for i, p := range plan.Jobs {
		j := b.accounts[p.Account].jobs[p.JobID]
		j.quoteFirst, j.held = b.trial.quoted(p, float64(i)/float64(len(plan.Jobs)))
	}
}

// quoted notes a quote. A second one must say what the first did.
func (b *books) quoted(j *jobBook, q decided) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if j.quote == nil {
		j.quote = &q
		b.n.quotes++
		return
	}
	if !j.quote.same(q) {
		b.differ(Difference{AnswerChanged, j.plan.Account, j.plan.JobID, fmt.Sprintf("quoted %s, and asked again %s", *j.quote, q)})
	}
}

// decides takes what the first answer of a charge says of its price. The caller holds b.mu.
func (b *books) decides(j *jobBook, v JobView, asked time.Time, differ func(Kind, string, ...any)) {
	j.decided = decided{rule: v.RuleVersion, cohort: v.Cohort, rollout: text(v.RolloutID), price: v.Cost, from: asked, to: time.Now()}
	if q := j.quote; q != nil {
		if !q.same(j.decided) {
			differ(WrongDecision, "quoted %s, charged %s", *q, j.decided)
		}
		j.decided.from, j.decided.to = q.from, q.to
	}
	if t := b.trial; t != nil && j.plan.Action == t.action {
		price, known := t.prices[v.RuleVersion]
		if cost, fits := costOf(j.plan.Units, price); !known || !fits || cost != v.Cost {
			differ(WrongCost, "%d credits for %d units by %s, which asks %d a thousand", v.Cost, j.plan.Units, v.RuleVersion, price)
		}
	}
}

// judge holds every decision about the rollout's action against the times of its steps.
func (b *books) judge() {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.trial
	for _, id := range b.order {
		var all history
		for _, job := range b.accounts[id].order {
			j := b.accounts[id].jobs[job]
			if !j.charged || j.plan.Action != t.action {
				continue
			}
			x := j.decided
			d := priced{account: id, job: job, bucket: bucketOf(t.id, id), candidate: x.rule == t.candidate, attributed: x.rollout == t.id, from: x.from, to: x.to}
			all = append(all, d)
			if d.candidate {
				b.n.byCandidate++
			} else {
				b.n.byBaseline++
			}
			if cohort := map[bool]string{true: "candidate", false: "baseline"}[d.candidate]; x.cohort != cohort || x.rollout != "" && x.rollout != t.id {
				b.differ(Difference{WrongDecision, id, job, "the decision contradicts itself: " + x.String()})
			}
		}
		for _, d := range all {
			if wrong := t.timeline.judge(d, all); wrong != "" {
				b.differ(Difference{WrongDecision, id, d.job, wrong})
			}
		}
	}
}

// delivered lists the jobs of an action whose success was acknowledged.
func (b *books) delivered(action string) []*jobBook {
	return b.pick(func(j *jobBook) bool { return j.delivered && j.plan.Action == action })
}

// heldBack lists the jobs that are quoted and wait for the rollback.
func (b *books) heldBack() []*jobBook {
	return b.pick(func(j *jobBook) bool { return j.held && !j.charged })
}

// pricedBy lists up to n jobs that a rule version priced.
func (b *books) pricedBy(rule string, n int) []*jobBook {
	found := b.pick(func(j *jobBook) bool { return j.charged && j.decided.rule == rule })
	return found[:min(n, len(found))]
}

func (b *books) pick(which func(*jobBook) bool) []*jobBook {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []*jobBook
	for _, id := range b.order {
		for _, job := range b.accounts[id].order {
			if j := b.accounts[id].jobs[job]; which(j) {
				out = append(out, j)
			}
		}
	}
	return out
}
