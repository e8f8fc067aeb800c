package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/task"
)

// progressRows is how many entries are written between two looks at whether the task is still to be done.
const progressRows = 1000

// Run writes the file that a task asks for, from the start whenever it is called: what an earlier try left is removed first. Memory
// does not grow with the file. It returns the task's Result. Faults: export_storage_full. When the task was canceled or taken over
// it returns task.ErrStopped; whatever it returns but nil, it leaves nothing behind.
func (s *Service) Run(ctx context.Context, run *task.Run) (any, error) {
	var in Input
	if err := run.Decode(&in); err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(in.Zone)
	if err != nil {
		return nil, fmt.Errorf("export: zone: %w", err)
	}
	if err := s.remove(ctx, run.Key, `try < ?`, run.Tries); err != nil {
		return nil, err
	}
	result, err := s.write(ctx, run, in, zone)
	if err != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return nil, errors.Join(err, s.remove(clean, run.Key, `try <= ?`, run.Tries))
	}
	return result, nil
}

func (s *Service) remove(ctx context.Context, key int64, which string, try int) error {
	if err := s.g.WithContext(ctx).Exec(`DELETE FROM export_chunks WHERE task_key = ? AND `+which, key, try).Error; err != nil {
		return fmt.Errorf("export: remove: %w", err)
	}
	return nil
}

func (s *Service) write(ctx context.Context, run *task.Run, in Input, zone *time.Location) (Result, error) {
	result := Result{Try: run.Tries, At: *run.StartedAt}
	total, err := s.ledger.CountUpTo(ctx, in.Filter, math.MaxInt64)
	if err != nil && !fault.Is(err, fault.CodeAccountNotFound) {
		return result, err
	}
	if err := run.Progress(ctx, 0, total); err != nil {
		return result, err
	}
	out := &pieces{s: s, ctx: ctx, key: run.Key, try: run.Tries}
	packed, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return result, fmt.Errorf("export: pack: %w", err)
	}
	whole := &counted{to: packed}
	file, err := New(in.Format, whole, zone)
	if err != nil {
		return result, err
	}
	sums := map[ledger.Type]*sum{}
	err = s.ledger.Each(ctx, in.Filter, in.Format.OldestFirst(), func(e ledger.Entry) error {
		if result.Entries++; result.Entries%progressRows == 0 {
			if err := run.Progress(ctx, result.Entries, max(total, result.Entries)); err != nil {
				return err
			}
		}
		if sums[e.Type] == nil {
			sums[e.Type] = &sum{}
		}
		sums[e.Type].add(e.Amount)
		return file.Write(e)
	})
	if fault.Is(err, fault.CodeAccountNotFound) {
		err = nil // the page of such a filter is empty, and so is its file
	}
	// A file that failed is closed too, so that its temporary files go, but what it then writes does not count.
	whole.failed = err
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = packed.Close()
	}
	if err == nil {
		err = out.flush()
	}
	result.Bytes, result.Packed, result.Pieces = whole.n, out.n, out.number
	for _, t := range ledger.Types() {
		if x := sums[t]; x != nil {
			result.Totals = append(result.Totals, Total{Type: t, Entries: x.entries, Credits: x.credits().String()})
		}
	}
	return result, err
}

// sum adds amounts up exactly, in 64 bits for as long as they suffice.
type sum struct {
	entries, low int64
	high         credit.Sum
}

func (x *sum) add(n int64) {
	x.entries++
	if x.low > math.MaxInt64/2 || x.low < math.MinInt64/2 || n > math.MaxInt64/2 || n < math.MinInt64/2 {
		x.high = x.high.Plus(credit.SumOf(x.low))
		x.low = 0
		if n > math.MaxInt64/2 || n < math.MinInt64/2 {
			x.high = x.high.Plus(credit.SumOf(n))
			return
		}
	}
	x.low += n
}

func (x *sum) credits() credit.Sum { return x.high.Plus(credit.SumOf(x.low)) }

// counted counts what is written, until it failed.
type counted struct {
	to     io.Writer
	n      int64
	failed error
}

func (c *counted) Write(b []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// pieces stores what is written in rows of one size.
type pieces struct {
	s      *Service
	ctx    context.Context
	key    int64
	try    int
	number int
	n      int64
	full   bytes.Buffer
}

func (p *pieces) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		take := min(len(b), p.s.piece-p.full.Len())
		p.full.Write(b[:take])
		b, written = b[take:], written+take
		if p.full.Len() == p.s.piece {
			if err := p.flush(); err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

// flush stores the piece that is not full yet. The task must still be this try's and the piece must fit beside all files that are kept.
func (p *pieces) flush() error {
	if p.full.Len() == 0 {
		return nil
	}
	res := p.s.g.WithContext(p.ctx).Exec(`INSERT INTO export_chunks (task_key, try, number, data)
		SELECT t.key, t.tries, ?, ? FROM tasks t WHERE t.key = ? AND t.tries = ? AND t.state = 'running'
			AND (SELECT COALESCE(sum(octet_length(c.data)), 0) FROM export_chunks c) <= ?`,
		p.number, p.full.Bytes(), p.key, p.try, p.s.o.Storage-int64(p.full.Len()))
	if res.Error != nil {
		return fmt.Errorf("export: store: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return p.refused()
	}
	p.number++
	p.n += int64(p.full.Len())
	p.full.Reset()
	if p.s.afterPiece != nil {
		p.s.afterPiece(p.number)
	}
	return nil
}

// refused reads why a piece was not stored.
func (p *pieces) refused() error {
	var mine bool
	err := p.s.g.WithContext(p.ctx).Raw(`SELECT EXISTS (SELECT 1 FROM tasks WHERE key = ? AND tries = ? AND state = 'running')`, p.key, p.try).Scan(&mine).Error
	switch {
	case err != nil:
		return fmt.Errorf("export: store: %w", err)
	case !mine:
		return task.ErrStopped
	}
	return fault.New(fault.Conflict, CodeStorageFull, "There is no room for this file beside those that are kept. None was made.")
}

// errGap is returned for a file of which a piece is not there any more.
var errGap = errors.New("export: a piece of the file is gone")

// Send writes a file that is ready to w, piece by piece: it holds no connection and no snapshot while w is slow. An error after the first
// byte means that the file is not whole.
func (s *Service) Send(ctx context.Context, f File, w io.Writer) error {
	if f.Result == nil {
		return errGap
	}
	r, err := gzip.NewReader(&stored{s: s, ctx: ctx, key: f.Key, try: f.Result.Try, pieces: f.Result.Pieces})
	if err != nil {
		return fmt.Errorf("export: unpack: %w", err)
	}
	if _, err := io.Copy(w, r); err != nil {
		return fmt.Errorf("export: send: %w", err)
	}
	return r.Close()
}

// stored reads the pieces of a file one after another.
type stored struct {
	s                         *Service
	ctx                       context.Context
	key                       int64
	try, pieces, number, from int
	piece                     []byte
}

func (r *stored) Read(b []byte) (int, error) {
	if r.from == len(r.piece) {
		if r.number == r.pieces {
			return 0, io.EOF
		}
		var row struct{ Data []byte }
		res := r.s.g.WithContext(r.ctx).Raw(`SELECT data FROM export_chunks WHERE task_key = ? AND try = ? AND number = ?`, r.key, r.try, r.number).Scan(&row)
		if res.Error != nil {
			return 0, fmt.Errorf("export: read: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return 0, errGap
		}
		r.piece, r.from = row.Data, 0
		r.number++
	}
	n := copy(b, r.piece[r.from:])
	r.from += n
	return n, nil
}

// DeleteExpired removes the pieces of files whose time is over, and of those that were never finished. Their tasks stay, so that their
// page can say what became of them. It returns how many pieces went.
func (s *Service) DeleteExpired(ctx context.Context) (int64, error) {
	res := s.g.WithContext(ctx).Exec(`DELETE FROM export_chunks c USING tasks t WHERE t.key = c.task_key
		AND (t.state IN ('failed', 'canceled') OR t.state = 'done' AND (t.expires_at <= clock_timestamp() OR c.try <> t.tries))`)
	if res.Error != nil {
		return 0, fmt.Errorf("export: delete expired: %w", res.Error)
	}
	return res.RowsAffected, nil
}
