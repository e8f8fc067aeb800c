package bulk

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/page"
	"recoup/models/where"
)

func find(ctx context.Context, g *gorm.DB, id string) (Work, error) {
	var w Work
	if !validID(id) {
		return w, notFound(id)
	}
	res := g.WithContext(ctx).Raw(`SELECT `+columns+` FROM bulk_works WHERE id = ?`, id).Scan(&w)
	if res.Error != nil {
		return w, fmt.Errorf("bulk: find: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return w, notFound(id)
	}
	return w, nil
}

// Find returns a bulk work, or fault bulk_work_not_found.
func (s *Store) Find(ctx context.Context, id string) (Work, error) { return find(ctx, s.g, id) }

// List returns a page of the works that somebody started or proposed, newest first. from is nil for the first page.
func (s *Store) List(ctx context.Context, from *int64, dir page.Direction, limit int) (page.Page[Work, int64], error) {
	var w where.Clause
	w.And("state <> 'prepared'")
	order := "DESC"
	if dir == page.Newer {
		order = "ASC"
	}
	if from != nil {
		w.And("key "+map[bool]string{true: ">", false: "<"}[dir == page.Newer]+" ?", *from)
	}
	var rows []Work
	err := s.g.WithContext(ctx).Raw(`SELECT `+columns+` FROM bulk_works `+w.SQL()+` ORDER BY key `+order+where.Limit(limit+1), w.Args()...).Scan(&rows).Error
	if err != nil {
		return page.Page[Work, int64]{}, fmt.Errorf("bulk: list: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(w Work) int64 { return w.Key }), nil
}

// Running is how many works run now.
func (s *Store) Running(ctx context.Context) (int64, error) {
	var n int64
	if err := s.g.WithContext(ctx).Raw(`SELECT count(*) FROM bulk_works WHERE state = 'running'`).Scan(&n).Error; err != nil {
		return 0, fmt.Errorf("bulk: running: %w", err)
	}
	return n, nil
}

// Progress is how far a work is, all of one moment.
type Progress struct {
	// Pending rows have no outcome yet; the others are counted by theirs.
	Pending, Done, Lost, Excluded, Refused int64
	// LastMinute is how many rows were done within the last minute.
	LastMinute int64
	// Back is of the rows that were done; zero for kinds other than Requeue.
	Back Tally `gorm:"-"`
	// Leg is of the rows that were done since the last start or resume.
	Leg Tally `gorm:"-"`
	// LegDone is how many those are.
	LegDone int64
	// At is the moment.
	At time.Time
}

// Progress reads the rows of a work.
func (s *Store) Progress(ctx context.Context, w Work) (Progress, error) {
	var p Progress
	err := db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		err := tx.WithContext(ctx).Raw(`SELECT count(*) FILTER (WHERE outcome = '') AS pending, count(*) FILTER (WHERE outcome = 'done') AS done,
				count(*) FILTER (WHERE outcome = 'lost') AS lost, count(*) FILTER (WHERE outcome = 'excluded') AS excluded, count(*) FILTER (WHERE outcome = 'refused') AS refused,
				count(*) FILTER (WHERE outcome = 'done' AND acted_at > clock_timestamp() - interval '1 minute') AS last_minute,
				count(*) FILTER (WHERE outcome = 'done' AND leg = ?) AS leg_done, clock_timestamp() AS at
			FROM bulk_items WHERE bulk_key = ?`, w.Leg, w.Key).Scan(&p).Error
		if err != nil {
			return fmt.Errorf("bulk: progress: %w", err)
		}
		if w.Kind != Requeue || p.Done == 0 {
			return nil
		}
		if p.Back, err = countBack(ctx, tx, w.Key, nil); err != nil {
			return err
		}
		p.Leg, err = countBack(ctx, tx, w.Key, &w.Leg)
		return err
	})
	return p, err
}

// ExcludedBy counts the rows of a work that are excluded, by why.
func (s *Store) ExcludedBy(ctx context.Context, w Work) (map[string]int64, error) {
	var rows []struct {
		Code  string
		Count int64
	}
	err := s.g.WithContext(ctx).Raw(`SELECT code, count(*) AS count FROM bulk_items WHERE bulk_key = ? AND outcome = 'excluded' GROUP BY code`, w.Key).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("bulk: excluded: %w", err)
	}
	out := make(map[string]int64, len(rows))
	for _, r := range rows {
		out[r.Code] = r.Count
	}
	return out, nil
}

// Item is one row of a work with what came of it.
type Item struct {
	No         int64
	AccountID  string
	JobID      string
	Generation int
	// Cost is in credits.
	Cost    int64
	Outcome Outcome
	// Code says why it was not done.
	Code string
	// FirstBy and FirstAt are who was first; "" and nil unless Lost.
	FirstBy string
	FirstAt *time.Time
	ActedAt *time.Time
	// Back is how the job came back; "" unless done, and for kinds other than Requeue.
	Back Back
	// State is the job's, now.
	State string
}

// Show is which rows of a work a list shows.
type Show string

// What a list shows.
const (
	ShowAll       Show = ""
	ShowPending   Show = "pending"
	ShowDone      Show = "done"
	ShowOut       Show = "out"
	ShowCaller    Show = "with_caller"
	ShowSucceeded Show = "succeeded"
	ShowFailed    Show = "failed"
	ShowLost      Show = "lost"
	ShowExcluded  Show = "excluded"
	ShowRefused   Show = "refused"
)

// Shows lists them in the order in which screens offer them.
func Shows() []Show {
	return []Show{ShowAll, ShowPending, ShowDone, ShowOut, ShowCaller, ShowSucceeded, ShowFailed, ShowLost, ShowExcluded, ShowRefused}
}

func (v Show) where(w *where.Clause) {
	switch v {
	case ShowAll:
	case ShowPending:
		w.And("i.outcome = ''")
	case ShowOut, ShowCaller, ShowSucceeded, ShowFailed:
		w.And("i.outcome = 'done' AND "+backOf+" = ?", string(v))
	case ShowDone, ShowLost, ShowExcluded, ShowRefused:
		w.And("i.outcome = ?", string(v))
	}
}

const selectItem = `SELECT i.no, a.id AS account_id, j.id AS job_id, i.generation, i.cost, i.outcome, i.code, i.first_by, i.first_at, i.acted_at, j.state,
	CASE WHEN i.outcome = 'done' AND w.kind = 'requeue' THEN ` + backOf + ` ELSE '' END AS back
	FROM bulk_items i JOIN bulk_works w ON w.key = i.bulk_key JOIN accounts a ON a.key = i.account_key
	JOIN jobs j ON j.account_key = i.account_key AND j.key = i.job_key `

// Items returns a page of a work's rows, in the order in which they are done. from is nil for the first page.
func (s *Store) Items(ctx context.Context, w Work, show Show, from *int64, dir page.Direction, limit int) (page.Page[Item, int64], error) {
	var c where.Clause
	c.And("i.bulk_key = ?", w.Key)
	show.where(&c)
	order := "ASC"
	if dir == page.Newer {
		order = "DESC"
	}
	if from != nil {
		c.And("i.no "+map[bool]string{true: "<", false: ">"}[dir == page.Newer]+" ?", *from)
	}
	var rows []Item
	err := s.g.WithContext(ctx).Raw(selectItem+c.SQL()+` ORDER BY i.no `+order+where.Limit(limit+1), c.Args()...).Scan(&rows).Error
	if err != nil {
		return page.Page[Item, int64]{}, fmt.Errorf("bulk: rows: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(i Item) int64 { return i.No }), nil
}

// Each hands the rows of a work that a list shows to take, in their order.
func (s *Store) Each(ctx context.Context, w Work, show Show, take func(Item) error) error {
	var c where.Clause
	c.And("i.bulk_key = ?", w.Key)
	show.where(&c)
	rows, err := s.g.WithContext(ctx).Raw(selectItem+c.SQL()+` ORDER BY i.no`, c.Args()...).Rows()
	if err != nil {
		return fmt.Errorf("bulk: rows: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var i Item
		if err := s.g.ScanRows(rows, &i); err != nil {
			return fmt.Errorf("bulk: row: %w", err)
		}
		if err := take(i); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("bulk: rows: %w", err)
	}
	return nil
}
