package verify

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// A batch holds at most so many accounts, and accounts of about so many entries together; an
	// account of more is a batch of its own.
	batchAccounts = 512
	batchEntries  = 40_000
	// keptEntries is how many entries of jobs are kept in memory until the jobs are read. An account
	// that would go beyond is merged from two cursors instead.
	keptEntries = 100_000
)

// batch is a run of accounts that one transaction covers.
type batch struct {
	// low and high bound the account keys.
	low, high int64
	// keys names the accounts when the run is limited to some of those between low and high, else nil.
	keys []int64
}

// in is the condition that a column of account keys is of the batch, by the parameters of args.
func (b batch) in(column string) string {
	if b.keys != nil {
		return column + " = ANY ($1::bigint[])"
	}
	return column + " >= $1 AND " + column + " <= $2"
}

func (b batch) args() []any {
	if b.keys != nil {
		return []any{b.keys}
	}
	return []any{b.low, b.high}
}

// next hands out the accounts that follow the last ones, or false when there are no more.
func (r *run) next(ctx context.Context, conn *pgx.Conn) (batch, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.drained {
		return batch{}, false, nil
	}
	rows, err := conn.Query(ctx, `SELECT key, last_seq FROM accounts
		WHERE key > $1 AND ($2 = '' OR id = $2) AND ($3 = '' OR starts_with(id, $3)) ORDER BY key LIMIT $4`,
		pgx.QueryExecModeExec, r.after, r.opts.AccountID, r.opts.Prefix, batchAccounts)
	if err != nil {
		return batch{}, false, fmt.Errorf("accounts: %w", err)
	}
	var b batch
	var entries int64
	var key, seq int64
	full := false
	_, err = pgx.ForEachRow(rows, []any{&key, &seq}, func() error {
		// What the head claims only sizes the batch.
		if full = full || b.keys != nil && entries+seq > batchEntries; !full {
			b.keys = append(b.keys, key)
			entries += seq
		}
		return nil
	})
	if err != nil {
		return batch{}, false, fmt.Errorf("accounts: %w", err)
	}
	if b.keys == nil {
		r.drained = true
		return batch{}, false, nil
	}
	b.low, b.high = b.keys[0], b.keys[len(b.keys)-1]
	r.after = b.high
	if !r.report.Partial {
		b.keys = nil
	}
	return b, true, nil
}

// moved is what an entry of a job did, kept until the job is read.
type moved struct {
	account   int64
	job       int64
	seq       int64
	amount    int64
	kind      string
	operation string
	attribution
}

// attribution says which decision priced a job or an entry; "\x00" stands for NULL, which no text
// column can hold.
type attribution struct{ rollout, cohort, rule string }

const null = "\x00"

// worker verifies batches over one connection and keeps its buffers between them.
type worker struct {
	run   *run
	conn  *pgx.Conn
	chain chain
	heads []head
	kept  []moved
	// large are the accounts of the batch whose entries were too many to keep.
	large []int64
	// words shares the few texts that many entries repeat.
	words map[string]string
	marks marks

	entries, jobs int64
}

func newWorker(r *run, conn *pgx.Conn) *worker {
	return &worker{run: r, conn: conn, words: map[string]string{}}
}

func (w *worker) word(b []byte) string {
	if b == nil {
		return null
	}
	if s, ok := w.words[string(b)]; ok {
		return s
	}
	if len(w.words) > 4096 {
		clear(w.words)
	}
	s := string(b)
	w.words[s] = s
	return s
}

// verify checks one batch at one moment.
func (w *worker) verify(ctx context.Context, b batch) error {
	w.heads, w.kept, w.large = w.heads[:0], w.kept[:0], w.large[:0]
	w.entries, w.jobs = 0, 0
	err := snapshot(ctx, w.conn, func(tx pgx.Tx, now time.Time) error {
		if err := w.readHeads(ctx, tx, b); err != nil {
			return fmt.Errorf("accounts: %w", err)
		}
		if err := w.readMarks(ctx, tx, b); err != nil {
			return fmt.Errorf("checkpoints: %w", err)
		}
		if err := w.readEntries(ctx, tx, b); err != nil {
			return fmt.Errorf("entries: %w", err)
		}
		if err := w.readJobs(ctx, tx, b, now); err != nil {
			return fmt.Errorf("jobs: %w", err)
		}
		if err := w.readResults(ctx, tx, b); err != nil {
			return fmt.Errorf("results: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.run.progress(int64(len(w.heads)), w.entries, w.jobs)
	return nil
}

func (w *worker) readHeads(ctx context.Context, tx pgx.Tx, b batch) error {
	return each(ctx, tx, func(row [][]byte) error {
		h := head{key: int64Of(row[0]), id: string(row[1]), balance: int64Of(row[2]), lastSeq: int64Of(row[3]),
			lastAt: optionalMicros(row[5]), negativeSince: optionalMicros(row[6])}
		copy(h.lastHash[:], row[4])
		w.heads = append(w.heads, h)
		return nil
	}, `SELECT key, id, balance, last_seq, last_hash, last_at, negative_since FROM accounts WHERE `+b.in("key")+` ORDER BY key`, b.args()...)
}

// head finds an account of the batch by its key.
func (w *worker) head(key int64) *head {
	i := sort.Search(len(w.heads), func(i int) bool { return w.heads[i].key >= key })
	if i < len(w.heads) && w.heads[i].key == key {
		return &w.heads[i]
	}
	return nil
}

const entryColumns = `account_key, seq, type, amount, balance_after, job_key, operation_id, rollout_id, cohort, rule_version, created_at, hash`

// readEntries walks the chain of every account and keeps what the jobs will be held against.
func (w *worker) readEntries(ctx context.Context, tx pgx.Tx, b batch) error {
	var e entry
	at := -1 // the account whose chain is being walked, as an index of heads
	finish := func(upTo int) error {
		// Accounts without entries have heads to check, too.
		for ; at < upTo; at++ {
			if at >= 0 {
				if _, err := w.chain.end(&w.heads[at]); err != nil {
					return err
				}
			}
			if at+1 < len(w.heads) {
				w.chain.begin(w.heads[at+1].id, w.run.problem)
			}
		}
		return nil
	}
	skip := int64(-1)
	err := each(ctx, tx, func(row [][]byte) error {
		w.entries++
		decodeEntry(row, &e)
		next := max(at, 0)
		for next < len(w.heads) && w.heads[next].key < e.AccountKey {
			next++
		}
		if next == len(w.heads) || w.heads[next].key != e.AccountKey {
			return fmt.Errorf("entry %d is of account key %d, which does not exist", e.Seq, e.AccountKey)
		}
		if err := finish(next); err != nil {
			return err
		}
		if err := w.chain.add(&e); err != nil {
			return err
		}
		if err := w.marks.add(&e); err != nil {
			return err
		}
		if !e.HasJob || e.AccountKey == skip {
			return nil
		}
		if len(w.kept) >= w.run.v.keep {
			skip = e.AccountKey
			w.large = append(w.large, skip)
			for len(w.kept) > 0 && w.kept[len(w.kept)-1].account == skip {
				w.kept = w.kept[:len(w.kept)-1]
			}
			return nil
		}
		w.kept = append(w.kept, w.movedBy(&e))
		return nil
	}, `SELECT `+entryColumns+` FROM entries WHERE `+b.in("account_key")+` ORDER BY account_key, seq`, b.args()...)
	if err != nil {
		return err
	}
	if err := finish(len(w.heads)); err != nil {
		return err
	}
	if err := w.marks.unmet(math.MaxInt64, 0); err != nil {
		return err
	}
	slices.SortFunc(w.kept, func(a, b moved) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.job, b.job), cmp.Compare(a.seq, b.seq))
	})
	return nil
}

func decodeEntry(row [][]byte, e *entry) {
	e.AccountKey, e.Seq, e.Type = int64Of(row[0]), int64Of(row[1]), row[2]
	e.Amount, e.BalanceAfter = int64Of(row[3]), int64Of(row[4])
	e.JobKey, e.HasJob = 0, row[5] != nil
	if e.HasJob {
		e.JobKey = int64Of(row[5])
	}
	e.OperationID, e.RolloutID, e.Cohort, e.RuleVersion = row[6], row[7], row[8], row[9]
	e.CreatedAt, e.hash = microsOf(row[10]), row[11]
}

func (w *worker) movedBy(e *entry) moved {
	m := moved{account: e.AccountKey, job: e.JobKey, seq: e.Seq, amount: e.Amount, kind: w.word(e.Type),
		attribution: attribution{w.word(e.RolloutID), w.word(e.Cohort), w.word(e.RuleVersion)}}
	if m.kind == charge {
		m.operation = string(e.OperationID)
	}
	return m
}
