package job_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/models/job"
	"recoup/models/modeltest"
)

// tracer lets a test act between the statements of one caller: look at them, run others, or cut the
// connection.
type tracer struct {
	mu sync.Mutex
	// before and after are called around every statement while set; nil for nothing.
	before func(conn *pgx.Conn, sql string)
	after  func(sql string, rows int64)
}

type sqlKey struct{}

func (t *tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	t.mu.Lock()
	f := t.before
	t.mu.Unlock()
	if f != nil {
		f(conn, data.SQL)
	}
	return context.WithValue(ctx, sqlKey{}, data.SQL)
}

func (t *tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	t.mu.Lock()
	f := t.after
	t.mu.Unlock()
	if f != nil {
		sql, _ := ctx.Value(sqlKey{}).(string)
		f(sql, data.CommandTag.RowsAffected())
	}
}

func (t *tracer) set(before func(*pgx.Conn, string), after func(string, int64)) {
	t.mu.Lock()
	t.before, t.after = before, after
	t.mu.Unlock()
}

// traced makes two sets of services over one database: plain ones, and ones whose statements the
// tracer sees.
func traced(t testing.TB, policy job.Policy) (plain, watched *modeltest.Models, tr *tracer) {
	t.Helper()
	url := modeltest.URL(t)
	plain = modeltest.New(t, modeltest.Open(t, url, nil), policy)
	plain.Price(t, modeltest.Action, 1000)
	tr = &tracer{}
	watched = modeltest.New(t, modeltest.Open(t, url, tr), policy)
	return plain, watched, tr
}

// once returns an after hook that runs f after the first statement that contains part.
func once(part string, f func()) func(string, int64) {
	var done bool
	return func(sql string, _ int64) {
		if !done && strings.Contains(sql, part) {
			done = true
			f()
		}
	}
}
