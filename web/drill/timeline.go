package drill

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
	"time"
)

// phase is how a rollout stands between two of its steps.
type phase struct {
	// live is false before the start and after the rollback.
	live bool
	// open is true while it runs: then its stages admit.
	open bool
	// stage counts from 1.
	stage int
}

// taken is a step with the time in which it took effect, somewhere between asking for it and hearing that it was done.
type taken struct {
	name     string
	from, to time.Time
	after    phase
}

// timeline is the drill's own record of a rollout. It knows what a decision may and must have been from the times of requests and
// answers alone.
type timeline struct {
	// thresholds are those of the stages; each admits the buckets below it.
	thresholds []int

	mu    sync.Mutex
	steps []taken
}

// begin notes that a step is asked for; the function it returns notes that it was done.
func (t *timeline) begin(name string, after phase) (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := len(t.steps)
	t.steps = append(t.steps, taken{name: name, from: time.Now(), after: after})
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.steps[i].to = time.Now()
	}
}

// possible are the phases in which something decided between two times may have found the rollout.
func (t *timeline) possible(from, to time.Time) []phase {
	t.mu.Lock()
	defer t.mu.Unlock()
	phases := []phase{{}}
	for _, s := range t.steps {
		if s.from.After(to) {
			break
		}
		if !s.to.IsZero() && s.to.Before(from) {
			phases = phases[:0] // whatever was before is over
		}
		phases = append(phases, s.after)
	}
	return phases
}

// admits reports whether a phase lets an account of this bucket in that was never in before.
func (t *timeline) admits(p phase, bucket int) bool {
	widest := 0
	for _, threshold := range t.thresholds[:p.stage] {
		widest = max(widest, threshold)
	}
	return p.live && p.open && bucket < widest
}

// priced is a decision as an answer told it.
type priced struct {
	account, job string
	bucket       int
	// candidate is true where the candidate's price applied, attributed where the decision names the rollout.
	candidate, attributed bool
	// from and to are when it was asked for first and when it was first told.
	from, to time.Time
}

// history is what is known of one account's decisions.
type history []priced

// enrolled reports whether an account was surely, and whether it was possibly, let in when something was decided between two times.
func (t *timeline) enrolled(h history, from, to time.Time) (surely, possibly bool) {
	for _, d := range h {
		if !d.candidate {
			continue
		}
		surely = surely || d.to.Before(from)
		if !d.from.After(to) {
			for _, p := range t.possible(d.from, d.to) {
				possibly = possibly || t.admits(p, d.bucket)
			}
		}
	}
	return surely, possibly
}

// judge says what is wrong with a decision, given all of its account's; "" when nothing is.
func (t *timeline) judge(d priced, all history) string {
	phases := t.possible(d.from, d.to)
	surely, possibly := t.enrolled(all, d.from, d.to)
	right := func(p phase) bool {
		in := t.admits(p, d.bucket)
		if d.candidate {
			return d.attributed && p.live && (in || possibly)
		}
		return d.attributed == p.live && !in && (!p.live || !surely)
	}
	for _, p := range phases {
		if right(p) {
			return ""
		}
	}
	name := "the baseline"
	if d.candidate {
		name = "the candidate"
	}
	if d.attributed {
		name += " with the rollout's attribution"
	}
	return fmt.Sprintf("bucket %d was priced by %s when the rollout was %s; enrolled before: surely %t, possibly %t", d.bucket, name, describe(phases), surely, possibly)
}

func describe(phases []phase) string {
	text := ""
	for i, p := range phases {
		if i > 0 {
			text += " or "
		}
		switch {
		case !p.live:
			text += "not live"
		case p.open:
			text += fmt.Sprintf("running at stage %d", p.stage)
		default:
			text += fmt.Sprintf("held at stage %d", p.stage)
		}
	}
	return text
}

// bucketOf is the drill's own arithmetic for an account's place among all.
func bucketOf(salt, account string) int {
	sum := sha256.Sum256([]byte("recoup-bucket-v1\x00" + salt + "\x00" + account))
	return int(binary.BigEndian.Uint64(sum[:]) % buckets)
}

const buckets = 100_000
