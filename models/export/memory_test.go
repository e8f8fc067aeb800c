package export_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"recoup/models/export"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// heap is what is in use after a collection, so that it does not matter when the collector last ran.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// watched is where a file goes: it notes the most that was in use while it was written.
type watched struct {
	written, next, most int64
}

func (w *watched) Write(b []byte) (int, error) {
	if w.written += int64(len(b)); w.written >= w.next {
		w.next = w.written + 8<<20
		w.most = max(w.most, heap())
	}
	return len(b), nil
}

// Four times as many entries take no more memory, from the query to the end of the file, in any format.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	const entries, few = 60_000, 15_000
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	m.Account(t, "acct_7", 0)
	for _, statement := range []string{`ALTER TABLE entries DISABLE TRIGGER USER`, fmt.Sprintf(`INSERT INTO entries (account_key, seq, type, amount, balance_after,
			operation_id, actor, reason, created_at, hash)
		SELECT a.key, n, 'adjustment', 1, n, 'op-' || n, 'key:test', repeat('reason ', 60), now() - interval '1 day' + n * interval '1 ms', sha256('x')
		FROM accounts a, generate_series(1, %d) n WHERE a.id = 'acct_7'`, entries)} {
		if err := m.G.Exec(statement).Error; err != nil {
			t.Fatal(err)
		}
	}
	before := heap()
	outs := map[export.Format]*watched{}
	var files []export.Writer
	for _, f := range export.Formats() {
		outs[f] = &watched{}
		var out io.Writer = outs[f]
		file, err := export.New(f, out, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	n, early, late := 0, int64(0), int64(0)
	err := m.Ledger.Each(context.Background(), ledger.Filter{}, true, func(e ledger.Entry) error {
		for _, file := range files {
			if err := file.Write(e); err != nil {
				return err
			}
		}
		if n++; n%5000 == 0 {
			if n <= few {
				early = max(early, heap())
			} else {
				late = max(late, heap())
			}
		}
		return nil
	})
	if err != nil || n != entries {
		t.Fatalf("%d entries, %v", n, err)
	}
	for _, file := range files {
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for f, out := range outs {
		if out.written < entries*40 {
			t.Errorf("%s has only %d bytes", f, out.written)
		}
		late = max(late, out.most)
	}
	// What were kept of each entry, if only its time, would come to more.
	if little := int64(entries-few) * 24; late-early > little {
		t.Errorf("%d bytes in use after %d entries, %d until the end of %d", early, few, late, entries)
	}
	// All three together, with the query's own.
	if took := late - before; took > 8<<20 {
		t.Errorf("%d bytes were in use at most", took)
	}
}
