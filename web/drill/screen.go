package drill

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// screen prints lines and, on a terminal, one line of progress that is written over.
type screen struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	// width is the length of the progress line on the terminal now.
	width int
	began time.Time
	shown int
}

func newScreen(out io.Writer) *screen {
	s := &screen{out: out, began: time.Now()}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		s.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return s
}

// say prints a line that stays.
func (s *screen) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	fmt.Fprintln(s.out, text)
}

// progress prints where the drill stands.
func (s *screen) progress(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = fmt.Sprintf("%6s  %s", round(time.Since(s.began)), text)
	if !s.terminal {
		fmt.Fprintln(s.out, text)
		return
	}
	s.clear()
	fmt.Fprint(s.out, text)
	s.width = len(text)
}

// clear removes the progress line. The caller holds s.mu.
func (s *screen) clear() {
	if s.width > 0 {
		fmt.Fprint(s.out, "\r"+strings.Repeat(" ", s.width)+"\r")
		s.width = 0
	}
}

// maxShown is how many differences are printed one by one.
const maxShown = 50

// wrong prints a difference as it is found.
func (s *screen) wrong(d Difference) {
	s.mu.Lock()
	s.shown++
	n := s.shown
	s.mu.Unlock()
	switch {
	case n <= maxShown:
		s.say("WRONG  " + d.String())
	case n == maxShown+1:
		s.say("WRONG  … more; they are counted in the table")
	}
}

// announce says what will happen and how long it will take.
func (d *drill) announce() {
	n := d.plan.count()
	where := "a private system"
	if d.system == nil {
		where = d.o.URL
	}
	d.screen.say(fmt.Sprintf("Drill %s against %s: %s jobs of %s accounts, %d workers, seed %d.",
		d.name, where, group(len(d.plan.Jobs)), group(len(d.plan.Accounts)), d.o.Workers, d.o.Seed))
	d.screen.say(fmt.Sprintf("Plan: %s succeed, %s fail, %s fail and succeed late, %s are abandoned by their workers, %s are never run.",
		group(n[FateSucceeds]), group(n[FateFails]), group(n[FateLate]), group(n[FateAbandoned]), group(n[FateUnclaimed])))
	d.screen.say("Faults: " + d.o.Faults.String() + ".")
	d.screen.say(fmt.Sprintf("This will take about %s.", roughly(d.estimate())))
}

// What one change of a job costs, measured with everything on the same two cores.
const (
	changesPerSecond = 250
	looksPerSecond   = 500
)

// estimate is how long the drill will take. It errs on the long side.
func (d *drill) estimate() time.Duration {
	changes, looks, longest := 0.0, float64(2*len(d.plan.Jobs)), 0
	for _, j := range d.plan.Jobs {
		attempts := float64(j.MaxAttempts)
		changes++
		switch j.Fate {
		case FateSucceeds:
			changes += 3
		case FateFails, FateLate:
			changes += 3 * attempts
			looks += 2 * attempts
			longest = max(longest, j.MaxAttempts)
		case FateAbandoned:
			changes += 3 * attempts
			longest = max(longest, j.MaxAttempts)
		case FateUnclaimed:
			changes++
		}
	}
	lease, backoff := privateLease, 2*time.Second
	if d.system == nil { // its policy is not known; this is the usual one
		lease, backoff = 30*time.Second, 40*time.Second
	}
	t := time.Duration(changes/changesPerSecond*float64(time.Second)) + time.Duration(looks/looksPerSecond*float64(time.Second))
	t += time.Duration(longest)*(lease+backoff) + 10*time.Second
	if d.o.Faults.Has(StopRedis) {
		t += d.o.StopRedisFor / 2
	}
	return t
}

// progressLine says where the storm stands.
func (d *drill) progressLine(n counts, wrong int) string {
	total := len(d.plan.Jobs)
	line := fmt.Sprintf("charged %s, ended %s of %s; %s signals, %s replays, %s lost answers, %s kills, wrong %d",
		group(n.charged), group(n.ended), group(total), group(n.signals), group(n.replays), group(n.dropped+n.cut), group(n.kills), wrong)
	if share := float64(n.charged+n.ended) / float64(2*total); share > 0.02 && share < 1 {
		left := time.Duration(float64(time.Since(d.began)) * (1 - share) / share)
		line += fmt.Sprintf("; about %s left", roughly(left))
	}
	return line
}

// table prints the result.
func (d *drill) table() {
	n, wrong := d.books.snapshot()
	f := d.found
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	row := func(name, value, note string) { fmt.Fprintf(w, "%s\t%s\t%s\n", name, value, note) }
	row("jobs", group(len(d.plan.Jobs)), fmt.Sprintf("%s charged, in %s accounts", group(n.charged), group(f.accounts)))
	row("signals", group(n.signals), fmt.Sprintf("%s duplicates and %s rivals among them", group(n.duplicates), group(n.races)))
	row("claims", group(n.claims), fmt.Sprintf("%s heartbeats", group(n.heartbeats)))
	row("replays", group(n.replays), "answers repeated from the stored result")
	row("lost answers", group(n.dropped+n.cut), fmt.Sprintf("%s dropped after commit, %s connections cut; %s tries in all were sent again",
		group(n.dropped), group(n.cut), group(int(d.client.retried.Load())+n.dropped+n.cut)))
	if busy, codes := d.client.busy.all(); busy > 0 {
		row("busy answers", group(busy), codes+": not explained by a fault of the drill's, settled when sent again")
	}
	row("refusals wanted", group(n.insufficient+n.conflicts), fmt.Sprintf("%s for want of credits, %s conflicts", group(n.insufficient), group(n.conflicts)))
	row("refunds", group(f.refunds), "")
	row("reclaims", group(f.reclaims), "")
	row("succeeded", group(f.succeeded), fmt.Sprintf("%s of them late", group(f.late)))
	row("dead", group(f.dead), fmt.Sprintf("%s others were requeued and delivered", group(n.requeues)))
	row("workers killed", group(n.kills), "")
	if d.system != nil {
		made := strings.Join(d.made, ", ")
		if made == "" {
			made = "none"
		}
		row("incidents", group(len(d.made)), made)
		if _, peak := d.system.ServeRSS(); peak > 0 {
			row("memory of serve", fmt.Sprintf("%.1f MB", float64(peak)/1e6), "resident, at its highest")
		}
	}
	if d.trial != nil {
		row("rollout", group(len(d.steps)), "steps: "+strings.Join(d.steps, ", "))
		row("by the candidate", group(n.byCandidate), fmt.Sprintf("charges; %s by the baseline, of the same action", group(n.byBaseline)))
		row("quotes", group(n.quotes), fmt.Sprintf("%s of them charged after the rollback", group(len(d.books.pick(func(j *jobBook) bool { return j.held && j.charged })))))
		row("late retries", group(n.lateRetries), "charges of the candidate, sent again after the rollback")
	}
	if other := d.foreign.Load(); other > 0 {
		row("jobs of others", group(int(other)), "handed to the drill's workers and left alone: something else uses these actions")
	}
	row("credits", group64(f.held), fmt.Sprintf("held = %s granted − %s for delivered jobs", group64(f.granted), group64(f.spent)))
	row("recounted", group(f.entries), fmt.Sprintf("entries, and %s acknowledged operations without one", group(f.operations)))
	row("verify", d.verify, "")
	row("duration", round(time.Since(d.began)), "")
	row("wrong", strconv.Itoa(wrong), strings.Join(byKind(d.books.wrong), ", "))
	w.Flush() //nolint:errcheck // a strings.Builder does not fail
	d.screen.say("\n" + strings.TrimRight(text.String(), "\n"))
}

func byKind(wrong []Difference) []string {
	n := map[Kind]int{}
	var order []Kind
	for _, d := range wrong {
		if n[d.Kind] == 0 {
			order = append(order, d.Kind)
		}
		n[d.Kind]++
	}
	lines := make([]string, len(order))
	for i, k := range order {
		lines[i] = fmt.Sprintf("%d %s", n[k], k)
	}
	return lines
}

// group writes a number with separators between thousands.
func group(n int) string { return group64(int64(n)) }

func group64(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

func round(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

// roughly is a duration as people say it.
func roughly(d time.Duration) string {
	switch minutes := int(d.Minutes() + 0.5); {
	case d < 50*time.Second:
		return fmt.Sprintf("%d seconds", max((int(d.Seconds())+9)/10*10, 10))
	case minutes <= 1:
		return "a minute"
	default:
		return fmt.Sprintf("%d minutes", minutes)
	}
}
