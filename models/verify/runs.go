package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/page"
)

// Record is a finished run to be kept.
type Record struct {
	Report
	// Evidence has the problems of the run; nil keeps their numbers alone.
	Evidence *Evidence
	// TaskID names the background task that made the run, empty for one of the command line. A task has one run,
	// however often it is recorded.
	TaskID string
	// RequestedBy is the actor who asked for the run.
	RequestedBy string
}

// Run is a recorded run.
type Run struct {
	Report
	ID          int64
	TaskID      string
	RequestedBy string
}

// RunPosition is a run's place in the history.
type RunPosition struct {
	ID int64 `json:"id"`
}

// problemRow is a problem on its way into the database.
type problemRow struct {
	Check     Check  `json:"check_name"`
	N         int    `json:"n"`
	AccountID string `json:"account_id"`
	Seq       int64  `json:"seq"`
	JobID     string `json:"job_id"`
	Expected  string `json:"expected"`
	Found     string `json:"found"`
	Message   string `json:"message"`
}

// Record keeps the report of a finished run alone, without the rows that it is about.
func (v *Verifier) Record(ctx context.Context, r Report) error {
	_, err := v.Keep(ctx, Record{Report: r})
	return err
}

// Keep keeps a finished run with its problems, so that screens can say when the ledger was last verified and
// what came of it. It returns the run's id.
func (v *Verifier) Keep(ctx context.Context, r Record) (id int64, err error) {
	byCheck, err := json.Marshal(r.ByCheck)
	if err != nil {
		return 0, fmt.Errorf("verify: record: %w", err)
	}
	checks, err := json.Marshal(r.Checks)
	if err != nil {
		return 0, fmt.Errorf("verify: record: %w", err)
	}
	took, err := json.Marshal(r.Took) // nanoseconds
	if err != nil {
		return 0, fmt.Errorf("verify: record: %w", err)
	}
	if r.Took == nil {
		took = []byte("{}")
	}
	problems := []problemRow{}
	if r.Evidence != nil {
		n := map[Check]int{}
		for _, p := range r.Evidence.rows {
			n[p.Check]++
			problems = append(problems, problemRow{p.Check, n[p.Check], p.AccountID, p.Seq, p.JobID, p.Expected, p.Found, p.Message})
		}
	}
	rows, err := json.Marshal(problems)
	if err != nil {
		return 0, fmt.Errorf("verify: record: %w", err)
	}
	var headsAt *time.Time
	if r.HeadsDigest != "" {
		headsAt = &r.HeadsAt
	}
	err = db.InTx(ctx, v.g, func(tx *gorm.DB) error {
		id = 0
		g := tx.WithContext(ctx)
		err := g.Raw(`INSERT INTO verify_runs
			(started_at, finished_at, partial, accounts, entries, jobs, problems, by_check, heads_digest, heads_at, checks, took, task_id, requested_by)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?::jsonb, NULLIF(?, ''), ?, ?::jsonb, ?::jsonb, NULLIF(?, ''), ?) ON CONFLICT (task_id) DO NOTHING RETURNING id`,
			r.Started, r.Finished, r.Partial, r.Accounts, r.Entries, r.Jobs, r.Report.Problems, string(byCheck), r.HeadsDigest, headsAt,
			string(checks), string(took), r.TaskID, r.RequestedBy).Scan(&id).Error
		if err != nil {
			return err
		}
		if id == 0 {
			return g.Raw(`SELECT id FROM verify_runs WHERE task_id = ?`, r.TaskID).Scan(&id).Error
		}
		err = g.Exec(`INSERT INTO verify_problems (run_id, check_name, n, account_id, seq, job_id, expected, found, message)
			SELECT ?, p.check_name, p.n, p.account_id, p.seq, p.job_id, p.expected, p.found, p.message
			FROM json_to_recordset(?::json) AS p (check_name text, n int, account_id text, seq bigint, job_id text, expected text, found text, message text)`,
			id, string(rows)).Error
		if err != nil || r.TaskID == "" {
			return err
		}
		return g.Exec(`DELETE FROM verify_progress WHERE task_id = ?`, r.TaskID).Error
	})
	if err != nil {
		return 0, fmt.Errorf("verify: record: %w", err)
	}
	return id, nil
}

// runRow is a run as it is stored.
type runRow struct {
	ID                                int64
	StartedAt, FinishedAt             time.Time
	Partial                           bool
	Accounts, Entries, Jobs, Problems int64
	ByCheck, Checks, Took             string
	HeadsDigest                       *string
	HeadsAt                           *time.Time
	TaskID                            string
	RequestedBy                       string
}

const selectRuns = `SELECT id, started_at, finished_at, partial, accounts, entries, jobs, problems, by_check::text AS by_check,
	checks::text AS checks, took::text AS took, heads_digest, heads_at, COALESCE(task_id, '') AS task_id, requested_by FROM verify_runs `

func (row runRow) run() (Run, error) {
	r := Run{ID: row.ID, TaskID: row.TaskID, RequestedBy: row.RequestedBy,
		Report: Report{Progress: Progress{Accounts: row.Accounts, Entries: row.Entries, Jobs: row.Jobs, Problems: row.Problems},
			Started: row.StartedAt.UTC(), Finished: row.FinishedAt.UTC(), Partial: row.Partial}}
	if err := json.Unmarshal([]byte(row.ByCheck), &r.ByCheck); err != nil {
		return r, fmt.Errorf("verify: run %d: %w", row.ID, err)
	}
	if err := json.Unmarshal([]byte(row.Checks), &r.Checks); err != nil {
		return r, fmt.Errorf("verify: run %d: %w", row.ID, err)
	}
	if err := json.Unmarshal([]byte(row.Took), &r.Took); err != nil {
		return r, fmt.Errorf("verify: run %d: %w", row.ID, err)
	}
	if row.HeadsDigest != nil && row.HeadsAt != nil {
		r.HeadsDigest, r.HeadsAt = *row.HeadsDigest, row.HeadsAt.UTC()
	}
	return r, nil
}

// Last returns the newest recorded run over all accounts, or nil when there was none.
func (v *Verifier) Last(ctx context.Context) (*Run, error) {
	return v.one(ctx, `WHERE NOT partial ORDER BY id DESC LIMIT 1`)
}

// LastThatMade returns the newest recorded run over all accounts that made a check, or nil when none did.
func (v *Verifier) LastThatMade(ctx context.Context, c Check) (*Run, error) {
	return v.one(ctx, `WHERE NOT partial AND checks @> jsonb_build_array(CAST(? AS text)) ORDER BY id DESC LIMIT 1`, string(c))
}

// MadeBefore returns, by each check that a run did not make, the newest run over all accounts before it that did: what that one said still holds.
// Checks that none made are absent.
func (v *Verifier) MadeBefore(ctx context.Context, r Run) (map[Check]Run, error) {
	made := map[Check]Run{}
	for _, c := range Checks() {
		if slices.Contains(r.Checks, c) || r.ByCheck[c] > 0 {
			continue
		}
		before, err := v.one(ctx, `WHERE NOT partial AND id < ? AND checks @> jsonb_build_array(CAST(? AS text)) ORDER BY id DESC LIMIT 1`, r.ID, string(c))
		if err != nil {
			return nil, err
		}
		if before != nil {
			made[c] = *before
		}
	}
	return made, nil
}

// FindRun returns one recorded run, or fault not_found.
func (v *Verifier) FindRun(ctx context.Context, id int64) (Run, error) {
	r, err := v.one(ctx, `WHERE id = ?`, id)
	switch {
	case err != nil:
		return Run{}, err
	case r == nil:
		return Run{}, fault.New(fault.NotFound, fault.CodeNotFound, "There is no run %d of the verifier.", id)
	}
	return *r, nil
}

func (v *Verifier) one(ctx context.Context, which string, args ...any) (*Run, error) {
	var row runRow
	res := v.g.WithContext(ctx).Raw(selectRuns+which, args...).Scan(&row)
	if res.Error != nil {
		return nil, fmt.Errorf("verify: run: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, nil
	}
	r, err := row.run()
	return &r, err
}

// Runs returns a page of the recorded runs over all accounts, newest first. from is nil for the first page.
func (v *Verifier) Runs(ctx context.Context, from *RunPosition, dir page.Direction, limit int) (page.Page[Run, RunPosition], error) {
	var none page.Page[Run, RunPosition]
	args, after, order := []any{}, "", "DESC"
	if dir == page.Newer {
		order = "ASC"
	}
	if from != nil {
		if after = "AND id < ? "; dir == page.Newer {
			after = "AND id > ? "
		}
		args = append(args, from.ID)
	}
	var rows []runRow
	if err := v.g.WithContext(ctx).Raw(selectRuns+`WHERE NOT partial `+after+`ORDER BY id `+order+` LIMIT ?`, append(args, limit+1)...).Scan(&rows).Error; err != nil {
		return none, fmt.Errorf("verify: runs: %w", err)
	}
	runs := make([]Run, len(rows))
	for i, row := range rows {
		var err error
		if runs[i], err = row.run(); err != nil {
			return none, err
		}
	}
	return page.Cut(runs, limit, from, dir, func(r Run) RunPosition { return RunPosition{ID: r.ID} }), nil
}

// DeleteOld removes the runs before the newest keep ones, with their problems, as far as they are older than 90 days:
// younger ones the database does not let go. It returns how many there were.
func (v *Verifier) DeleteOld(ctx context.Context, keep int) (int64, error) {
	var n int64
	err := db.InTx(ctx, v.g, func(tx *gorm.DB) error {
		tx = tx.WithContext(ctx)
		var old []int64
		err := tx.Raw(`SELECT id FROM verify_runs WHERE id < (SELECT min(id) FROM (SELECT id FROM verify_runs ORDER BY id DESC LIMIT ?) newest)
			AND finished_at < clock_timestamp() - interval '91 days' ORDER BY id LIMIT 1000`, keep).Scan(&old).Error
		if err != nil || len(old) == 0 {
			return err
		}
		if err := tx.Exec(`DELETE FROM verify_problems WHERE run_id IN ?`, old).Error; err != nil {
			return err
		}
		res := tx.Exec(`DELETE FROM verify_runs WHERE id IN ?`, old)
		n = res.RowsAffected
		return res.Error
	})
	if err != nil {
		return 0, fmt.Errorf("verify: delete old runs: %w", err)
	}
	return n, nil
}
