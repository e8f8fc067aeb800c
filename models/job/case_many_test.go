package job_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

// TestCase_F40: more dead letters than a queue's archive would keep are rows, all listable, all requeueable.
func TestCase_F40(t *testing.T) {
	ctx := context.Background()
	const total = 10_050
	m := modeltest.Ready(t, job.DefaultPolicy())
	m.Account(t, "a", 1_000_000)
	// What the program writes for a job that is charged, fails and dies, but for operations and events.
	err := m.G.Exec(fmt.Sprintf(`DO $$
		DECLARE h accounts%%ROWTYPE; k bigint; hashed bytea; at timestamptz;
		BEGIN
			SELECT * INTO h FROM accounts WHERE id = 'a';
			at := h.last_at; hashed := h.last_hash;
			FOR i IN 1..%d LOOP
				INSERT INTO jobs (account_key, id, action, units, mode, cost, rule_version, operation_id, is_refunded, refunded_at, state, attempt,
					not_before, expires_at, dead_at, dead_reason, error_class, max_attempts, lease_ms, deadline_ms, expires_ms, backoff_base_ms, backoff_max_ms, jitter)
				VALUES (h.key, 'j' || i, 'video_render', 3, 'managed', 3, 'video_render@v1', 'op' || i, true, now(), 'dead', 1,
					now(), now() + interval '1 day', now() + i * interval '1 microsecond', 'permanent_error', 'permanent', 3, 30000, 60000, 86400000, 1000, 60000, false)
				RETURNING key INTO k;
				INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, cohort, rule_version, actor, created_at, hash)
				VALUES (h.key, h.last_seq + 1, 'charge', -3, h.balance - 3, k, 'op' || i, 'baseline', 'video_render@v1', 'key:test', at + interval '1 microsecond', hashed)
				RETURNING hash INTO hashed;
				INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, cohort, rule_version, actor, created_at, hash)
				VALUES (h.key, h.last_seq + 2, 'refund', 3, h.balance, k, 'op' || i, 'baseline', 'video_render@v1', 'key:test', at + interval '2 microsecond', hashed)
				RETURNING hash, created_at INTO hashed, at;
				h.last_seq := h.last_seq + 2;
			END LOOP;
			UPDATE accounts SET last_seq = h.last_seq, last_hash = hashed, last_at = at WHERE key = h.key;
		END $$`, total)).Error
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var order []string
	var from *job.Position
	for {
		p, err := m.Jobs.List(ctx, job.Filter{States: []job.State{job.Dead}}, job.ByDeath, from, page.Older, 500)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range p.Rows {
			if seen[j.ID] {
				t.Fatalf("%s is on two pages", j.ID)
			}
			seen[j.ID] = true
			order = append(order, j.ID)
		}
		if p.Older == nil {
			break
		}
		from = p.Older
	}
	if len(seen) != total || order[0] != "j1" || order[total-1] != fmt.Sprintf("j%d", total) {
		t.Fatalf("%d of %d listed, from %s to %s", len(seen), total, order[0], order[len(order)-1])
	}
	requeued := 0
	for i := 1; i <= total; i++ {
		if i%1000 != 0 && i <= total-20 {
			continue
		}
		requeued++
		_, err := m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: order[i-1], Reason: "fixed"})
		if err != nil {
			t.Fatalf("%s: %v", order[i-1], err)
		}
	}
	figures, err := m.Letters.Figures(ctx)
	if err != nil || figures.Open != int64(total-requeued) {
		t.Errorf("%+v after %d were put back, %v", figures, requeued, err)
	}
	// One from beyond the ten thousandth runs and is paid for.
	last := order[total-1]
	wake(t, m, last)
	c := m.Claim(t, 1)[0]
	if f := complete(t, m, c.LeaseToken); c.JobID != last || f.Signal.Outcome != job.Reclaimed || m.Balance(t, "a") != 1_000_000-3 {
		t.Errorf("%s: %+v, balance %d", c.JobID, f, m.Balance(t, "a"))
	}
}

// recorder keeps the last statement and its arguments.
type recorder struct {
	mu   sync.Mutex
	sql  string
	args []any
}

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.mu.Lock()
	r.sql, r.args = data.SQL, data.Args
	r.mu.Unlock()
	return ctx
}

func (r *recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

var buffers = regexp.MustCompile(`Buffers: shared (?:hit=(\d+))? ?(?:read=(\d+))?`)

// explain runs a recorded statement with the generic plan that the program's connections use and returns how many
// pages it touched.
func explain(t *testing.T, m *modeltest.Models, sql string, args []any) (pages int, plan string) {
	t.Helper()
	var literals []string
	for _, a := range args {
		switch v := a.(type) {
		case pgx.QueryExecMode, pgx.QueryResultFormats, pgx.QueryResultFormatsByOID:
			// Not an argument of the statement but of the driver.
		case time.Time:
			literals = append(literals, "'"+v.Format(time.RFC3339Nano)+"'")
		default:
			literals = append(literals, "'"+strings.ReplaceAll(fmt.Sprint(v), "'", "''")+"'")
		}
	}
	pool, err := m.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.Background(), `SET plan_cache_mode = force_generic_plan`); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(context.Background(), `PREPARE listing AS `+sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer conn.ExecContext(context.Background(), `DEALLOCATE listing`) //nolint:errcheck // the database is thrown away
	execute := `EXPLAIN (ANALYZE, BUFFERS) EXECUTE listing`
	if len(literals) > 0 {
		execute += "(" + strings.Join(literals, ", ") + ")"
	}
	rows, err := conn.QueryContext(context.Background(), execute)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	pages = -1
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan += line + "\n"
		// The first line of buffers is the whole statement's.
		if match := buffers.FindStringSubmatch(line); match != nil && pages < 0 {
			hit, _ := strconv.Atoi(match[1])
			read, _ := strconv.Atoi(match[2])
			pages = hit + read
		}
	}
	if rows.Err() != nil || pages < 0 {
		t.Fatalf("no buffers in\n%s%v", plan, rows.Err())
	}
	return pages, plan
}

// TestCase_F52: the first page of an account with no rows, few or many, among 240,000, touches few pages.
func TestCase_F52(t *testing.T) {
	ctx := context.Background()
	url := modeltest.URL(t)
	rec := &recorder{}
	m := modeltest.New(t, modeltest.Open(t, url, nil), modeltest.Fast())
	listing := modeltest.New(t, modeltest.Open(t, url, rec), modeltest.Fast())
	m.Price(t, modeltest.Action, 1000)
	for _, a := range []string{"none", "few", "other"} {
		m.Account(t, a, 0)
	}
	pool, err := m.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	// Chains are of no matter here, only how many rows there are and whose.
	_, err = pool.Exec(`ALTER TABLE entries DISABLE TRIGGER USER; ALTER TABLE entries DISABLE TRIGGER entries_chain;
		INSERT INTO accounts (id) SELECT 'acct_' || n FROM generate_series(1, 20) n;
		CREATE TEMP TABLE made AS SELECT a.key AS account_key, n, clock_timestamp() - interval '1 day' + (n * 20 + a.key) * interval '1 millisecond' AS at
			FROM accounts a, generate_series(1, 4000) n WHERE a.id LIKE 'acct%';
		-- The few rows are the oldest: the worst place for a scan that goes back in time.
		INSERT INTO made SELECT key, n, clock_timestamp() - interval '2 days' + n * interval '1 second' FROM accounts, generate_series(1, 3) n WHERE id = 'few';
		INSERT INTO jobs (account_key, id, action, units, mode, cost, rule_version, operation_id, is_refunded, refunded_at, state, attempt, not_before, expires_at,
			dead_at, max_attempts, lease_ms, deadline_ms, expires_ms, backoff_base_ms, backoff_max_ms, jitter, created_at)
		SELECT account_key, 'j' || n, 'video_render', 1, 'managed', 1, 'video_render@v1', 'op', true, at,
			CASE WHEN n % 20 < 3 THEN 'dead' ELSE 'canceled' END, 1, at, at, CASE WHEN n % 20 < 3 THEN at END, 3, 1, 1, 1, 1, 1, false, at FROM made;
		INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, created_at, hash)
		SELECT account_key, n, 'grant', 1, n, 'op', 'key:test', at, sha256('x') FROM made;
		ANALYZE`)
	if err != nil {
		t.Fatal(err)
	}
	one, plan := explain(t, m, `SELECT * FROM entries WHERE account_key = $1 AND seq = $2`, []any{5, 7})
	if one < 1 || one > 8 {
		t.Fatalf("one read by primary key touches %d pages:\n%s", one, plan)
	}
	lists := map[string]func(account string) (int, error){
		"entries": func(a string) (int, error) {
			p, err := listing.Ledger.List(ctx, ledger.Filter{AccountID: a}, nil, page.Older, 50)
			return len(p.Rows), err
		},
		"refunds": func(a string) (int, error) {
			p, err := listing.Ledger.List(ctx, ledger.Filter{AccountID: a, Types: []ledger.Type{ledger.Grant}}, nil, page.Older, 50)
			return len(p.Rows), err
		},
		"jobs": func(a string) (int, error) {
			p, err := listing.Jobs.List(ctx, job.Filter{AccountID: a}, job.ByCharge, nil, page.Older, 50)
			return len(p.Rows), err
		},
		"dead letters": func(a string) (int, error) {
			p, err := listing.Jobs.List(ctx, job.Filter{AccountID: a, States: []job.State{job.Dead}}, job.ByDeath, nil, page.Older, 50)
			return len(p.Rows), err
		},
	}
	for name, list := range lists {
		for account, rows := range map[string]int{"none": 0, "few": 3, "acct_7": 50} {
			if name == "dead letters" && account == "few" {
				rows = 2
			}
			got, err := list(account)
			if err != nil || got != rows {
				t.Fatalf("%s of %s: %d rows, %v", name, account, got, err)
			}
			// Every row of a page may cost a few reads of what belongs to it; what must not count is what others have.
			most := 20*one + rows*12
			if pages, plan := explain(t, m, rec.sql, rec.args); pages > most {
				t.Errorf("%s of %s: the first page of %d rows touches %d pages, at most %d allowed:\n%s", name, account, rows, pages, most, plan)
			}
		}
	}
}
