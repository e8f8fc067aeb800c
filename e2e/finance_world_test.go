package e2e

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// clickAt clicks on a point of the window.
func (w *tab) clickAt(at []float64) {
	w.t.Helper()
	w.run(chromedp.MouseClickXY(at[0], at[1]))
}

// controlK presses Ctrl and K together.
func (w *tab) controlK() {
	w.t.Helper()
	const control = 2
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := chromedp.Call(w.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "k", Code: "KeyK", Modifiers: control, WindowsVirtualKeyCode: 75}); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) count(query string, args ...any) (n int64) {
	w.t.Helper()
	if err := w.G.Raw(query, args...).Scan(&n).Error; err != nil {
		w.t.Fatal(err)
	}
	return n
}

// many gives an account that many entries.
func (w *world) many(account string, entries int) {
	w.t.Helper()
	w.Account(w.t, account, 0)
	pool, err := w.G.DB()
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := pool.Exec(fmt.Sprintf(`ALTER TABLE entries DISABLE TRIGGER USER;
		INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, reason, created_at, hash)
		SELECT a.key, n, 'adjustment', 1, n, 'op-' || n, 'key:test', 'r', now() - interval '1 day' + n * interval '1 ms', sha256('x')
		FROM accounts a, generate_series(1, %[1]d) n WHERE a.id = '%[2]s';
		ALTER TABLE entries ENABLE TRIGGER USER;
		UPDATE accounts SET last_seq = %[1]d, balance = %[1]d, last_at = now() WHERE id = '%[2]s'`, entries, account)); err != nil {
		w.t.Fatal(err)
	}
}

// work does the oldest task that waits, as a worker would.
func (w *world) work() {
	w.t.Helper()
	ctx := context.Background()
	run, err := w.tasks.Take(ctx, w.count(`SELECT COALESCE(min(key), 0) FROM tasks WHERE state = 'waiting'`), "test")
	if err != nil || run == nil {
		w.t.Fatalf("no task to do: %v", err)
	}
	result, err := w.exports.Run(ctx, run)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := run.Finish(ctx, result); err != nil {
		w.t.Fatal(err)
	}
}
