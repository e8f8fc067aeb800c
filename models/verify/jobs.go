package verify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The types of entry that name a job.
const (
	charge  = "charge"
	refund  = "refund"
	reclaim = "reclaim"
)

// jobRow is what a job's row, its place in the line and its timeline claim.
type jobRow struct {
	account, key int64
	id           string
	cost         int64
	attribution
	operation  string
	refunded   bool
	reclaimed  bool
	delivered  bool
	state      string
	attempt    int32
	generation int32
	// due is when the sweeper should have moved the job on, unset while it waits for nothing.
	due     optional
	expires int64
	// failed is looked up only for jobs that are neither refunded nor delivered.
	failed bool
	line   lineRow
	// decision is the recorded one where it differs from the job, and decided what it would have to be; both empty
	// where it does not.
	decision, decided string
}

// lineRow is a job's row in the waiting line.
type lineRow struct {
	there      bool
	phase      string
	attempt    int32
	generation int32
	expires    int64
}

// selectJobs reads the jobs of a batch. The range of accounts is said again for the line and for the
// timeline: a plan that hashes one of them must not hash the whole table for each batch.
func selectJobs(in func(column string) string) string {
	return `SELECT j.account_key, j.key, j.id, j.cost, j.rollout_id, j.cohort, j.rule_version, j.operation_id,
		j.is_refunded, j.is_reclaimed, j.delivered_at IS NOT NULL, j.state, j.attempt, j.generation,
		CASE j.state WHEN 'running' THEN LEAST(j.lease_until, j.deadline_at, j.expires_at)
			WHEN 'retrying' THEN LEAST(j.not_before, j.expires_at) WHEN 'queued' THEN j.expires_at END,
		j.expires_at,
		CASE WHEN NOT j.is_refunded AND j.delivered_at IS NULL THEN EXISTS (SELECT 1 FROM job_events v
			WHERE v.account_key = j.account_key AND v.job_key = j.key AND v.kind IN ('failed', 'timed_out', 'expired')
				AND ` + in("v.account_key") + `) ELSE false END,
		w.phase, w.attempt, w.generation, w.expires_at,
		CASE WHEN d.operation_id IS NULL THEN CASE WHEN j.rollout_id IS NOT NULL THEN 'none' END
			WHEN (d.action, d.units, d.price, d.rule_version, d.cohort, d.rollout_id)
				IS DISTINCT FROM (j.action, j.units, j.cost, j.rule_version, j.cohort, j.rollout_id)
			THEN concat_ws(' ', d.units, d.action, 'for', d.price, 'by', d.rule_version, 'cohort', d.cohort, 'rollout', COALESCE(d.rollout_id, 'none')) END,
		j.units, j.action
		FROM jobs j LEFT JOIN waiting_line w ON w.account_key = j.account_key AND w.job_key = j.key AND ` + in("w.account_key") + `
		LEFT JOIN decisions d ON d.account_key = j.account_key AND d.operation_id = j.operation_id AND ` + in("d.account_key") + `
		WHERE ` + in("j.account_key")
}

func (w *worker) decodeJob(row [][]byte, j *jobRow) {
	*j = jobRow{account: int64Of(row[0]), key: int64Of(row[1]), id: string(row[2]), cost: int64Of(row[3]),
		attribution: attribution{w.word(row[4]), w.word(row[5]), w.word(row[6])}, operation: string(row[7]),
		refunded: boolOf(row[8]), reclaimed: boolOf(row[9]), delivered: boolOf(row[10]), state: w.word(row[11]),
		attempt: int32Of(row[12]), generation: int32Of(row[13]), due: optionalMicros(row[14]), expires: microsOf(row[15]),
		failed: boolOf(row[16])}
	if row[21] != nil {
		j.decision = string(row[21])
		j.decided = fmt.Sprintf("%d %s for %d by %s cohort %s rollout %s", int64Of(row[22]), row[23], j.cost, j.rule, j.cohort, orNone(j.rollout))
	}
	if row[17] != nil {
		j.line = lineRow{there: true, phase: w.word(row[17]), attempt: int32Of(row[18]), generation: int32Of(row[19]), expires: microsOf(row[20])}
	}
}

// readJobs merges the jobs of the batch with the entries kept, both in order of account and job.
func (w *worker) readJobs(ctx context.Context, tx pgx.Tx, b batch, now time.Time) error {
	args, except := b.args(), ""
	if len(w.large) > 0 {
		except = fmt.Sprintf(" AND j.account_key <> ALL ($%d::bigint[])", len(args)+1)
		args = append(args, w.large)
	}
	rest := w.kept
	var j jobRow
	err := each(ctx, tx, func(row [][]byte) error {
		w.decodeJob(row, &j)
		n := 0
		for n < len(rest) && before(rest[n], j) {
			n++
		}
		if err := w.orphans(rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
		for n = 0; n < len(rest) && rest[n].account == j.account && rest[n].job == j.key; n++ {
		}
		own := rest[:n]
		rest = rest[n:]
		return w.checkJob(&j, own, now)
	}, selectJobs(b.in)+except+` ORDER BY j.account_key, j.key`, args...)
	if err != nil {
		return err
	}
	if err := w.orphans(rest); err != nil {
		return err
	}
	for _, key := range w.large {
		if err := w.mergeLarge(ctx, tx, key, now); err != nil {
			return err
		}
	}
	return nil
}

func before(m moved, j jobRow) bool {
	return m.account < j.account || m.account == j.account && m.job < j.key
}

// orphans are entries whose job does not exist.
func (w *worker) orphans(entries []moved) error {
	for _, m := range entries {
		p := Problem{Check: CheckJob, Seq: m.seq, Expected: fmt.Sprintf("job key %d", m.job), Found: "no such job",
			Message: "The " + m.kind + " names a job that does not exist."}
		if h := w.head(m.account); h != nil {
			p.AccountID = h.id
		}
		if err := w.run.problem(p); err != nil {
			return err
		}
	}
	return nil
}

// checkJob holds a job against its entries, which come in order of seq, and against the line.
func (w *worker) checkJob(j *jobRow, own []moved, now time.Time) error {
	w.jobs++
	c := jobCheck{j: j, emit: w.run.problem}
	if h := w.head(j.account); h != nil {
		c.account = h.id
	}
	c.money(own)
	if j.decision != "" {
		c.wrong(CheckDecision, 0, j.decided, j.decision, "The job is not what was decided for its operation.")
	}
	c.settlement()
	c.waiting(now.UnixMicro(), w.run.opts.Grace)
	return c.err
}

// jobCheck gathers what is wrong with one job; after the first error it stays silent.
type jobCheck struct {
	j       *jobRow
	account string
	emit    func(Problem) error
	err     error
}

func (c *jobCheck) wrong(check Check, seq int64, expected, found, message string) {
	if c.err == nil {
		c.err = c.emit(Problem{Check: check, AccountID: c.account, JobID: c.j.id, Seq: seq, Expected: expected, Found: found, Message: message})
	}
}

func (c *jobCheck) money(own []moved) {
	j := c.j
	var first [3]*moved
	for i := range own {
		m := &own[i]
		slot, want := 0, -j.cost
		switch m.kind {
		case refund:
			slot, want = 1, j.cost
		case reclaim:
			slot = 2
		}
		if first[slot] != nil {
			c.wrong(CheckOnce, m.seq, "one "+m.kind, "a further one beside entry "+number(first[slot].seq), "The job has more than one "+m.kind+".")
			continue
		}
		first[slot] = m
		if m.amount != want {
			c.wrong(CheckAmount, m.seq, number(want), number(m.amount), "The "+m.kind+" does not move exactly the job's cost.")
		}
		if m.attribution != j.attribution {
			c.wrong(CheckAttribution, m.seq, j.attribution.String(), m.attribution.String(),
				"The "+m.kind+" is not attributed to the decision that priced the job.")
		}
	}
	charged, refunded, reclaimed := first[0], first[1], first[2]
	if charged == nil {
		c.wrong(CheckFlags, 0, "a charge", "none", "The job has no charge.")
	} else if charged.operation != j.operation {
		c.wrong(CheckOperation, charged.seq, j.operation, charged.operation, "The charge is by another operation than the one the job names.")
	}
	c.flag("is_refunded", refund, j.refunded, refunded)
	c.flag("is_reclaimed", reclaim, j.reclaimed, reclaimed)
	if charged != nil && refunded != nil && refunded.seq < charged.seq {
		c.wrong(CheckOrder, refunded.seq, "after the charge, entry "+number(charged.seq), "before it", "The refund comes before the charge.")
	}
	if refunded != nil && reclaimed != nil && reclaimed.seq < refunded.seq {
		c.wrong(CheckOrder, reclaimed.seq, "after the refund, entry "+number(refunded.seq), "before it", "The reclaim comes before the refund.")
	}
}

func (c *jobCheck) flag(name, kind string, set bool, m *moved) {
	switch {
	case set && m == nil:
		c.wrong(CheckFlags, 0, "a "+kind, "none", "The job is marked "+name+", the "+kind+" is missing.")
	case !set && m != nil:
		c.wrong(CheckFlags, m.seq, "no "+kind, number(m.amount), "There is a "+kind+", the job is not marked "+name+".")
	}
}

// settlement checks what the flags must come to: −cost once delivered, 0 once failed and not delivered.
func (c *jobCheck) settlement() {
	j := c.j
	switch {
	case j.delivered && j.refunded && !j.reclaimed:
		c.wrong(CheckSettlement, 0, number(-j.cost), "0", "The job is delivered and refunded, and nothing was reclaimed.")
	case j.delivered || j.refunded:
	case j.failed:
		c.wrong(CheckSettlement, 0, "0", number(-j.cost), "The job failed and is neither delivered nor refunded.")
	case j.state != "queued" && j.state != "running":
		c.wrong(CheckSettlement, 0, "0", number(-j.cost), "The job is "+j.state+" and neither delivered nor refunded.")
	}
}

func (c *jobCheck) waiting(now int64, grace time.Duration) {
	j := c.j
	waits := j.state == "queued" || j.state == "running" || j.state == "retrying"
	place := func(phase string, attempt, generation int32, expires int64) string {
		return fmt.Sprintf("%s, attempt %d, generation %d, expires %s", phase, attempt, generation, timeText(expires))
	}
	line := j.line
	switch {
	case !waits && line.there:
		c.wrong(CheckLine, 0, "not in the line", place(line.phase, line.attempt, line.generation, line.expires),
			"The job is "+j.state+" and still waits in the line.")
	case waits && !line.there:
		c.wrong(CheckLine, 0, place(j.state, j.attempt, j.generation, j.expires), "not in the line",
			"The job is "+j.state+" and is not in the line: nobody will move it on.")
	case waits && (line != lineRow{true, j.state, j.attempt, j.generation, j.expires}):
		c.wrong(CheckLine, 0, place(j.state, j.attempt, j.generation, j.expires),
			place(line.phase, line.attempt, line.generation, line.expires), "The line has the job at another place than its row.")
	}
	if j.due.set && j.due.value+grace.Microseconds() < now {
		c.wrong(CheckStuck, 0, "moved on at "+j.due.timeText(), j.state+" at "+timeText(now),
			"The job waits past its time: no sweeper has moved it on.")
	}
}

func (a attribution) String() string {
	return strings.Join([]string{"rollout " + orNone(a.rollout), "cohort " + orNone(a.cohort), "rule version " + orNone(a.rule)}, ", ")
}

// orNone is a word or, for NULL, "none".
func orNone(s string) string {
	if s == null {
		return "none"
	}
	return s
}
