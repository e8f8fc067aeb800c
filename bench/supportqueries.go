package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/deadletter"
	"recoup/models/job"
	"recoup/models/menu"
	"recoup/models/page"
	"recoup/models/rollup"
)

// supportQueries are the reads behind the pages of support: dead letters and their groups, and the line of jobs that wait.
func supportQueries() []hotQuery {
	list := func(tab deadletter.Tab, f deadletter.Filter, from *deadletter.Position) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error {
			_, err := deadletter.New(r.ops).List(ctx, tab, f, from, page.Older, 50)
			return err
		}
	}
	count := func(tab deadletter.Tab, f deadletter.Filter) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error {
			_, _, err := deadletter.New(r.ops).CountMatching(ctx, tab, f, 1000)
			return err
		}
	}
	// Plans are made for any group.
	const outage = "2-00000000000000000000000000000000"
	group := func(read func(context.Context, *deadletter.Service) error) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error { return read(ctx, deadletter.New(r.ops)) }
	}
	queue := func(f job.QueueFilter) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error {
			_, err := r.jobs.Queue(ctx, f, nil, page.Older, 50)
			return err
		}
	}
	least := int64(100)
	return []hotQuery{
		{"Dead letters, needs review", list(deadletter.Review, deadletter.Filter{}, nil), []string{"dead_letters_open", "jobs_pkey", "accounts_pkey"}},
		{"Dead letters, a page deep down", list(deadletter.Review, deadletter.Filter{}, &deadletter.Position{Refunded: true, At: time.Now().AddDate(0, -3, 0)}), []string{"dead_letters_open"}},
		{"Dead letters of an account", list(deadletter.Review, deadletter.Filter{Account: "acct_1"}, nil), []string{"dead_letters_of_account"}},
		{"Dead letters of a code", list(deadletter.Review, deadletter.Filter{ErrorCode: "gpu_lost"}, nil), []string{"dead_letters_by_code"}},
		{"Dead letters of an action", list(deadletter.Review, deadletter.Filter{Action: "transcription"}, nil), []string{"dead_letters_by_action"}},
		{"Dead letters with large amounts (walks what is open)", list(deadletter.Review, deadletter.Filter{MinCost: &least}, nil), []string{"dead_letters_open"}},
		{"Snoozed", list(deadletter.Snoozed, deadletter.Filter{}, nil), []string{"dead_letters_snoozed"}},
		{"Resolved", list(deadletter.Closed, deadletter.Filter{}, nil), []string{"dead_letters_closed"}},
		{"All that match an action, from tallies", count(deadletter.Review, deadletter.Filter{Action: "transcription"}), []string{"dead_letter_tallies", "dead_letters_snoozed"}},
		{"All that match an account, up to a thousand", count(deadletter.Review, deadletter.Filter{Account: "acct_1"}), []string{"dead_letters_of_account"}},
		{"Figures of all dead letters", func(ctx context.Context, r reads) error {
			_, err := deadletter.New(r.ops).Figures(ctx)
			return err
		}, []string{"dead_letters_open", "dead_letters_deaths"}},
		{"Groups", group(func(ctx context.Context, l *deadletter.Service) error {
			_, err := l.Groups(ctx, deadletter.OpenGroups, nil, page.Older, 50)
			return err
		}), []string{"dead_letters_deaths_of_group"}},
		// By dead_letters_of_group where a group is large; few are sorted.
		{"A group: list", group(func(ctx context.Context, l *deadletter.Service) error {
			_, err := l.List(ctx, deadletter.Open, deadletter.Filter{Fingerprints: []string{outage}}, nil, page.Older, 50)
			return err
		}), []string{"jobs_pkey"}},
		{"A group: accounts", group(func(ctx context.Context, l *deadletter.Service) error {
			_, err := l.Accounts(ctx, outage, 5)
			return err
		}), []string{"dead_letter_accounts_most"}},
		{"A group: versions of workers", group(func(ctx context.Context, l *deadletter.Service) error {
			_, err := l.WorkerVersions(ctx, outage, 5)
			return err
		}), []string{"dead_letters_versions_of_group"}},
		{"Late successes", func(ctx context.Context, r reads) error {
			_, err := r.jobs.List(ctx, job.Filter{}, job.ByLateSuccess, nil, page.Older, 50)
			return err
		}, []string{"jobs_late_success"}},
		{"Jobs that are dead", func(ctx context.Context, r reads) error {
			_, err := r.jobs.List(ctx, job.Filter{States: []job.State{job.Dead}}, job.ByDeath, nil, page.Older, 50)
			return err
		}, []string{"jobs_dead"}},

		{"Numbers of the menu", func(ctx context.Context, r reads) error {
			who := actor.Staff("st_generated00001")
			_, err := menu.New(r.ops).Count(ctx, menu.Wanted{DeadLetters: true, Halted: true, Unread: &who, Requests: &approval.Filter{}}, 1000)
			return err
		}, []string{"inbox_messages_unread", "change_requests_open", "dead_letters_snoozed", "dead_letters_woken"}},
		{"Queue, what runs", queue(job.QueueFilter{Phase: job.Running}), []string{"waiting_line_running", "jobs_pkey", "attempts_pkey"}},
		{"Queue, what awaits its next try", queue(job.QueueFilter{Phase: job.Retrying}), []string{"waiting_line_retrying"}},
		{"Queue, what waits for a worker", queue(job.QueueFilter{Phase: job.Queued}), []string{"waiting_line_claim"}},
		{"Queue, counts up to ten thousand", func(ctx context.Context, r reads) error {
			_, err := r.jobs.QueueCounts(ctx)
			return err
		}, []string{"waiting_line_running", "waiting_line_retrying"}},
		{"Sweep: what is over", func(ctx context.Context, r reads) error {
			_, err := r.jobs.Overdue(ctx, time.Second, 100)
			return err
		}, []string{`waiting_line_running( on waiting_line)?\s+Index Cond`, `waiting_line_retrying on waiting_line waiting_line_1\s+Index Cond`, `waiting_line_expiry on waiting_line waiting_line_2\s+Index Cond`}},
	}
}

// monthQueries are the reads behind the pages of months.
func monthQueries() []hotQuery {
	return []hotQuery{{"Month by day and group, and the sum of all balances", func(ctx context.Context, r reads) error {
		now := time.Now().UTC()
		bounds := []time.Time{}
		for day := time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC); day.Month() != now.Month(); day = day.AddDate(0, 0, 1) {
			bounds = append(bounds, day)
		}
		_, _, err := rollup.New(r.ops.DB(), time.UTC).Tied(ctx, r.ops.DB(), rollup.Filter{}, bounds)
		return err
	}, []string{"rollup_days_pkey", "rollup_through_pkey", "entries_by_time"}}}
}

// fillDecisions adds what a generated ledger lacks and pages look through beside it: change requests, files of grants, runs of the verifier
// with what they found, payments of settlements, messages. Like the line it is for plans alone; nothing of it belongs to anything.
func fillDecisions(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, sql := range []string{
		`SET session_replication_role = replica`,
		`INSERT INTO change_requests (id, kind, object, account_key, scope, operation_id, proposal, requested_by, expires_at, state, decided_by, decided_at)
			SELECT 'cr_' || lpad(n::text, 16, '0'), 'grant', 'account:acct_' || n % 500, CASE WHEN n % 10 = 0 THEN 0 ELSE 1 + n % 500 END, CASE WHEN n % 10 = 0 THEN 'bulk_grants' ELSE '' END,
				'asked-' || n, '{}', 'key:k', now() + interval '1 day', CASE WHEN n % 50 = 0 THEN 'open' ELSE 'approved' END,
				CASE WHEN n % 50 > 0 THEN 'staff:st_2' END, CASE WHEN n % 50 > 0 THEN now() END FROM generate_series(1, 5000) n`,
		`INSERT INTO bulk_grants (id, name, digest, lines, count, credits, uploaded_by, operation_id)
			SELECT 'bg_' || lpad(n::text, 16, '0'), 'grants.csv', sha256('x'), '[]', 20, 20, 'staff:st_1', 'asked-' || n * 10 FROM generate_series(1, 500) n`,
		`INSERT INTO bulk_grant_references (reference, account_key, bulk_key) SELECT 'granted-' || n, 1 + n % 500, 1 + n % 500 FROM generate_series(1, 10000) n`,
		`INSERT INTO verify_runs (started_at, finished_at, partial, accounts, entries, jobs, problems)
			SELECT now(), now(), false, 1, 1, 1, 100 FROM generate_series(1, 200)`,
		`INSERT INTO verify_problems (run_id, check_name, n, account_id, seq, expected, found, message)
			SELECT r.id, 'sum', n, 'acct_' || n, n, '', '', '' FROM verify_runs r, generate_series(1, 100) n`,
		`INSERT INTO inbox_messages (staff_id, topic, code, scope, operation_id, read_at)
			SELECT 'st_' || lpad((n % 50)::text, 16, '0'), 'rollout:ro_1', 'x', 'rollouts', 'o' || n, CASE WHEN n % 20 > 0 THEN now() END FROM generate_series(1, 20000) n`,
		`INSERT INTO settlement_payments (rollout_id, account_key, job_key, settlement_key, amount, entry_seq, operation_id)
			SELECT 'ro_' || n % 5, 1 + n % 500, n, 1, -1, n, 'paid-' || n FROM generate_series(1, 20000) n`,
		`VACUUM ANALYZE settlement_payments, inbox_messages, change_requests, bulk_grants, bulk_grant_references, verify_runs, verify_problems`,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("fill decisions: %w", err)
		}
	}
	return nil
}

// fillLine lets every hundredth job of a ledger wait, most for their next try and some for a worker; one of a hundred of these
// runs. One of twenty has had an attempt. No page reads more of them than of a line that grew, and nothing follows from it: it is for plans alone.
func fillLine(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, sql := range []string{
		`SET session_replication_role = replica`,
		`INSERT INTO waiting_line (account_key, job_key, phase, action, dependency, attempt, generation, due_at, expires_at)
			SELECT account_key, key, CASE WHEN key % 10000 = 0 THEN 'running' WHEN key % 300 = 0 THEN 'queued' ELSE 'retrying' END, action, '', 1, 0,
				now() + key % 3600 * interval '1 second', now() + interval '1 day' FROM jobs WHERE key % 100 = 0`,
		`INSERT INTO attempts (account_key, job_key, attempt, generation) SELECT account_key, key, 1, 0 FROM jobs WHERE key % 20 = 0`,
		`VACUUM ANALYZE waiting_line, attempts`,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("fill the line: %w", err)
		}
	}
	return nil
}
