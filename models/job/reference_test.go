package job_test

// A second implementation of a job's money and work, in memory and from the rules alone. It shares no
// code with the first: no SQL, no guards, no clock. The property test compares the two after every step.

type refEntry struct {
	Type   string
	Amount int64
	Job    string
}

type refAccount struct {
	balance int64
	entries []refEntry
	frozen  bool
}

func (a *refAccount) post(typ string, amount int64, job string) {
	a.balance += amount
	a.entries = append(a.entries, refEntry{typ, amount, job})
}

type refJob struct {
	account          string
	external         bool
	hasDeadline      bool
	cost             int64
	refunded         bool
	reclaimed        bool
	delivered        bool
	deliveries       int
	state            string
	attempt          int
	generation, base int
	budget           int
	expired          bool // its expires_at has passed
	ended            map[int]bool
	deadReason       string
	late             string // the state it was delivered from, when nobody waited any more
}

func (j *refJob) waits() bool {
	return j.state == "queued" || j.state == "running" || j.state == "retrying"
}

// refusals by their code, "" for none.
const (
	okay          = ""
	stateConflict = "state_conflict"
	notMadeYet    = "attempt_not_made"
	tooPoor       = "insufficient_credits"
	isFrozen      = "account_frozen"
	jobExists     = "job_exists"
)

func refCharge(a *refAccount, id string, exists bool, j *refJob) (refusal string) {
	switch {
	case exists:
		return jobExists
	case a.frozen:
		return isFrozen
	case a.balance < 0, a.balance < j.cost:
		return tooPoor
	}
	a.post("charge", -j.cost, id)
	j.state, j.ended = "queued", map[int]bool{}
	if j.external {
		j.state, j.attempt = "running", 1
	}
	return okay
}

// refund is what every failure tries.
func (j *refJob) refund(a *refAccount, id string) (outcome string) {
	switch {
	case j.delivered:
		return "delivered_before"
	case j.refunded:
		return "already_refunded"
	}
	j.refunded = true
	a.post("refund", j.cost, id)
	return "refunded"
}

// fail takes a failure of an attempt, 0 for none.
func (j *refJob) fail(a *refAccount, id, class string, attempt int) (outcome, refusal string) {
	if !j.external && attempt > j.attempt {
		return "", notMadeYet
	}
	outcome = j.refund(a, id)
	if attempt == 0 {
		return outcome, okay
	}
	current := j.state == "running" && attempt == j.attempt
	if j.external {
		current = !j.ended[attempt] && (j.state == "running" && attempt >= j.attempt || j.state == "retrying" && attempt > j.attempt)
	}
	j.ended[attempt] = true
	if !current {
		return outcome, okay
	}
	j.attempt = attempt
	switch {
	case class == "permanent":
		j.die("permanent_error")
	case attempt-j.base >= j.budget:
		j.die("attempts_used_up")
	case j.expired:
		j.die("expired")
	default:
		j.state = "retrying"
	}
	return outcome, okay
}

func (j *refJob) die(reason string) { j.state, j.deadReason = "dead", reason }

// succeed takes a success of an attempt, 0 for none.
func (j *refJob) succeed(a *refAccount, id string, attempt int) (outcome string, first bool, refusal string) {
	if !j.external && attempt > j.attempt {
		return "", false, notMadeYet
	}
	first = !j.delivered
	outcome = "nothing_to_reclaim"
	if j.reclaimed {
		outcome = "already_reclaimed"
	}
	if first {
		waitedFor := j.state == "running" && (attempt == 0 || attempt >= j.attempt) || j.external && j.state == "retrying" && attempt > j.attempt
		if !j.waits() || j.refunded && !waitedFor {
			j.late = j.state
		}
		if j.external {
			j.attempt = max(j.attempt, attempt)
		}
		j.state, j.delivered = "succeeded", true
		for n := range j.attempt + 1 {
			j.ended[n] = true
		}
	}
	j.deliveries++
	if j.refunded && !j.reclaimed {
		j.reclaimed = true
		a.post("reclaim", -j.cost, id)
		outcome = "reclaimed"
	}
	return outcome, first, okay
}

func (j *refJob) cancel(a *refAccount, id string) (outcome, refusal string) {
	if !j.waits() && j.state != "dead" {
		return "", stateConflict
	}
	outcome = j.refund(a, id)
	j.state = "canceled"
	j.endAll()
	return outcome, okay
}

func (j *refJob) expire(a *refAccount, id string) (moved bool) {
	if !j.waits() || !j.expired {
		return false
	}
	j.refund(a, id)
	j.die("expired")
	j.endAll()
	return true
}

// endAll ends the current attempt; attempts before it have ended.
func (j *refJob) endAll() {
	for n := range j.attempt + 1 {
		j.ended[n] = true
	}
}

func (j *refJob) wake() (moved bool) {
	if j.state != "retrying" {
		return false
	}
	j.state = "queued"
	if j.external {
		j.state = "running"
		j.attempt++
	}
	return true
}

func (j *refJob) move(from, to string) (refusal string) {
	if j.state != from {
		return stateConflict
	}
	j.state = to
	if from == "dead" && to == "retrying" {
		j.generation++
		// What was told of later attempts is over: the next one is none of them.
		for told := range j.ended {
			j.attempt = max(j.attempt, told)
		}
		j.base, j.expired = j.attempt, false
		j.deadReason = ""
	}
	return okay
}
