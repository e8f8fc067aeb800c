package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"recoup/models/verify"
)

// workloads lists all workloads in the order they run.
func workloads() []string {
	return []string{"charge", "refund", "reclaim", "replay", "hot", "verify"}
}

// measure is the rate of one workload in one round: through a target, and of pgbench beside it.
type measure struct {
	workload, target string
	ours, beside     run
}

// run is what one measurement came to.
type run struct {
	rate float64       // a second
	n    int64         // how many were made
	cpu  time.Duration // processor time of each, program and server together; 0 where unknown
}

// ratio is the rate as a part of the one beside it.
func (m measure) ratio() float64 { return m.ours.rate / m.beside.rate }

// cpuRatio is the same by processor time.
func (m measure) cpuRatio() float64 {
	if m.ours.cpu == 0 {
		return 0
	}
	return float64(m.beside.cpu) / float64(m.ours.cpu)
}

func (b *bench) account(n int64) string { return fmt.Sprintf("acct_%d", n%int64(b.accounts)) }

// round runs every chosen workload once through the target and once through pgbench, one after the
// other, on rows that only this round uses.
func (b *bench) round(ctx context.Context, t target, round int) ([]measure, error) {
	var out []measure
	tag := fmt.Sprintf("%c%d", t.name()[0], round)
	add := func(workload string, ours, beside run) {
		m := measure{workload, t.name(), ours, beside}
		out = append(out, m)
		b.say(m)
	}

	mine, theirs := "c"+tag+"-", "p"+tag+"-"
	var charged int64
	if b.chosen("charge") || b.chosen("replay") || b.chosen("hot") {
		ours, err := b.drive(ctx, "charge", 0, func(ctx context.Context, n int64) error {
			return t.charge(ctx, b.account(n), fmt.Sprint(mine, n), fmt.Sprint("op-", mine, n), false)
		})
		if err != nil {
			return out, err
		}
		charged = ours.n
		beside, err := b.statement(ctx, "charge", chargeStatement(theirs, spread(b.accounts), "managed"), 0)
		if err != nil {
			return out, err
		}
		add("charge", ours, beside)
	}
	if b.chosen("replay") {
		ours, err := b.drive(ctx, "replay", 0, func(ctx context.Context, n int64) error {
			n = 1 + n%charged
			return t.charge(ctx, b.account(n), fmt.Sprint(mine, n), fmt.Sprint("op-", mine, n), false)
		})
		if err != nil {
			return out, err
		}
		beside, err := b.statement(ctx, "replay", replayStatement(mine, spread(b.accounts), charged), 0)
		if err != nil {
			return out, err
		}
		add("replay", ours, beside)
	}
	if b.chosen("hot") {
		mine, theirs := "h"+mine, "h"+theirs
		ours, err := b.drive(ctx, "hot", 0, func(ctx context.Context, n int64) error {
			return t.charge(ctx, "acct_0", fmt.Sprint(mine, n), fmt.Sprint("op-", mine, n), false)
		})
		if err != nil {
			return out, err
		}
		beside, err := b.statement(ctx, "hot", chargeStatement(theirs, hot, "managed"), 0)
		if err != nil {
			return out, err
		}
		add("hot", ours, beside)
	}
	if b.chosen("refund") || b.chosen("reclaim") {
		if err := b.settle(ctx, t, "s"+tag+"-", "q"+tag+"-", add); err != nil {
			return out, err
		}
	}
	return out, nil
}

// settle refunds jobs and then reclaims them, half of them through the target.
func (b *bench) settle(ctx context.Context, t target, mine, theirs string, add func(string, run, run)) error {
	// Enough jobs for the fastest rate one may hope for.
	jobs := int64(b.seconds) * 4000
	for _, prefix := range []string{mine, theirs} {
		if _, err := b.statement(ctx, "prepare", chargeStatement(prefix, spread(b.accounts), "external"), jobs); err != nil {
			return err
		}
	}
	jobs = jobs / int64(b.clients) * int64(b.clients)
	ours, err := b.drive(ctx, "refund", jobs, func(ctx context.Context, n int64) error {
		return t.fail(ctx, b.account(n), fmt.Sprint(mine, n), fmt.Sprint("fail-", mine, n))
	})
	if err != nil {
		return err
	}
	// As many as the target made in its time, times what one statement may be faster.
	count := min(jobs, 3*ours.n)
	failed := ours.n
	beside, err := b.statement(ctx, "refund", failStatement(theirs, spread(b.accounts)), count)
	if err != nil {
		return err
	}
	add("refund", ours, beside)
	besideFailed := beside.n
	ours, err = b.drive(ctx, "reclaim", failed, func(ctx context.Context, n int64) error {
		return t.succeed(ctx, b.account(n), fmt.Sprint(mine, n), fmt.Sprint("done-", mine, n))
	})
	if err != nil {
		return err
	}
	beside, err = b.statement(ctx, "reclaim", succeedStatement(theirs, spread(b.accounts)), besideFailed)
	if err != nil {
		return err
	}
	add("reclaim", ours, beside)
	return nil
}

// drive runs a workload through the target.
func (b *bench) drive(ctx context.Context, name string, count int64, fn func(context.Context, int64) error) (run, error) {
	before := b.spent()
	rate, n, err := drive(ctx, b.clients, time.Duration(b.seconds)*time.Second, count, fn)
	if err != nil {
		return run{}, fmt.Errorf("%s: %w", name, err)
	}
	if n == 0 {
		return run{}, fmt.Errorf("%s: nothing was done in %d s", name, b.seconds)
	}
	return b.ran(rate, n, before), nil
}

// statement runs a workload through pgbench, counting from 1.
func (b *bench) statement(ctx context.Context, name, sql string, count int64) (run, error) {
	if _, err := b.conn.Exec(ctx, `ALTER SEQUENCE bench_n RESTART`); err != nil {
		return run{}, err
	}
	before := b.spent()
	rate, n, err := b.pg.run(ctx, name, sql, b.seconds, count)
	if err != nil {
		return run{}, err
	}
	return b.ran(rate, n, before), nil
}

func (b *bench) ran(rate float64, n int64, before time.Duration) run {
	return run{rate: rate, n: n, cpu: (b.spent() - before) / time.Duration(max(n, 1))}
}

func (b *bench) say(m measure) {
	fmt.Fprintf(b.log, "  %-8s %-6s %8.0f/s %7s   beside %8.0f/s %7s   ratio %.2f, by processor time %.2f\n", m.workload, m.target,
		m.ours.rate, m.ours.cpu.Round(time.Microsecond), m.beside.rate, m.beside.cpu.Round(time.Microsecond), m.ratio(), m.cpuRatio())
}

// verified are the tables that the verifier reads whole.
func verified() []string {
	return []string{"accounts", "entries", "jobs", "waiting_line", "operations"}
}

// verify reads everything back: no workload may have left a wrong row. It returns the rows a second of
// the verifier and of COPY over the same tables, which reads them in the order they lie on disk and does
// nothing with them. What COPY of the entries alone would take is only told.
func (b *bench) verify(ctx context.Context) (measure, error) {
	if _, err := b.conn.Exec(ctx, `VACUUM ANALYZE`); err != nil {
		return measure{}, err
	}
	before, started := b.spent(), time.Now()
	var rows int64
	var entriesTook time.Duration
	for _, table := range verified() {
		began := time.Now()
		tag, err := b.conn.PgConn().CopyTo(ctx, io.Discard, `COPY (SELECT * FROM `+table+`) TO STDOUT`)
		if err != nil {
			return measure{}, err
		}
		rows += tag.RowsAffected()
		if table == "entries" {
			entriesTook = time.Since(began)
		}
	}
	copied := b.ran(float64(rows)/time.Since(started).Seconds(), rows, before)
	before, started = b.spent(), time.Now()
	shown := 0
	// Nobody sweeps here: retries of the first workloads are due long before the last one ends.
	report, err := verify.New(b.g).Run(ctx, verify.Options{Grace: 24 * time.Hour, OnProblem: func(p verify.Problem) error {
		if shown++; shown <= 10 {
			fmt.Fprintln(b.log, "  ", p)
		}
		return nil
	}})
	if err != nil {
		return measure{}, err
	}
	if !report.OK() {
		return measure{}, fmt.Errorf("the verifier found %d problems after the runs", report.Problems)
	}
	took := time.Since(started)
	m := measure{"verify", "model", b.ran(float64(rows)/took.Seconds(), rows, before), copied}
	b.say(m)
	fmt.Fprintf(b.log, "           %d entries, %d jobs; COPY of the entries alone takes %.2f of the time\n", report.Entries, report.Jobs,
		entriesTook.Seconds()/took.Seconds())
	return m, nil
}
