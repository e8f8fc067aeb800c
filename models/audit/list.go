package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/page"
	"recoup/models/where"
)

// Filter selects rows. Zero members do not restrict; all match exactly.
type Filter struct {
	Actor   string `json:"actor,omitempty"`
	Action  string `json:"action,omitempty"`
	Object  string `json:"object,omitempty"`
	Outcome string `json:"outcome,omitempty"` // done or refused
	// From is included, To is not.
	From *time.Time `json:"from,omitempty"`
	To   *time.Time `json:"to,omitempty"`
}

// Position is a row's place in the log.
type Position struct {
	At  time.Time `json:"t"`
	Key int64     `json:"k"`
}

// Log reads the audit log.
type Log struct{ g *gorm.DB }

// NewLog makes a Log.
func NewLog(g *gorm.DB) *Log { return &Log{g: g} }

const selectRows = `SELECT key, at, actor, action, object, outcome, code, reason, before::text AS before, after::text AS after,
	operation_id, request_id FROM audit_log `

func (f Filter) where() where.Clause {
	var w where.Clause
	for _, x := range []struct{ column, value string }{{"actor", f.Actor}, {"action", f.Action}, {"object", f.Object}} {
		if x.value != "" {
			w.And(x.column+" = ?", x.value)
		}
	}
	switch f.Outcome {
	case "":
	case "refused":
		// As a literal, so that the index of refusals serves it.
		w.And("outcome = 'refused'")
	default:
		w.And("outcome = ?", f.Outcome)
	}
	if f.From != nil {
		w.And("at >= ?", *f.From)
	}
	if f.To != nil {
		w.And("at < ?", *f.To)
	}
	return w
}

// List returns a page of rows, newest first. from is nil for the first page.
func (l *Log) List(ctx context.Context, f Filter, from *Position, dir page.Direction, limit int) (page.Page[Stored, Position], error) {
	w := f.where()
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	if from != nil {
		w.And("(at, key) "+compare+" (?, ?)", from.At, from.Key)
	}
	var rows []Stored
	err := l.g.WithContext(ctx).Raw(selectRows+w.SQL()+` ORDER BY at `+order+`, key `+order+` LIMIT ?`, w.Args(limit+1)...).Scan(&rows).Error
	if err != nil {
		return page.Page[Stored, Position]{}, fmt.Errorf("audit: list: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(s Stored) Position { return Position{At: s.At.UTC(), Key: s.Key} }), nil
}

// Each hands every row of a filter to take, newest first, all of one moment, without keeping them. An error of take
// ends it.
func (l *Log) Each(ctx context.Context, f Filter, take func(Stored) error) error {
	w := f.where()
	return db.Snapshot(ctx, l.g, func(tx *gorm.DB) error {
		// A file may take longer than any page is allowed to.
		if err := tx.Exec(`SET LOCAL statement_timeout = 0`).Error; err != nil {
			return fmt.Errorf("audit: each: %w", err)
		}
		rows, err := tx.Raw(selectRows+w.SQL()+` ORDER BY at DESC, key DESC`, w.Args()...).Rows()
		if err != nil {
			return fmt.Errorf("audit: each: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var s Stored
			if err := tx.ScanRows(rows, &s); err != nil {
				return fmt.Errorf("audit: each: %w", err)
			}
			if err := take(s); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("audit: each: %w", err)
		}
		return nil
	})
}

// Actions returns every action that the log knows, in order. It hops over the index from one to the next, so that its
// cost grows with their number and not with the log.
func (l *Log) Actions(ctx context.Context) ([]string, error) {
	var actions []string
	err := l.g.WithContext(ctx).Raw(`WITH RECURSIVE a AS (
			(SELECT action FROM audit_log ORDER BY action LIMIT 1)
			UNION ALL SELECT (SELECT action FROM audit_log WHERE action > a.action ORDER BY action LIMIT 1) FROM a WHERE a.action IS NOT NULL)
		SELECT action FROM a WHERE action IS NOT NULL`).Scan(&actions).Error
	if err != nil {
		return nil, fmt.Errorf("audit: actions: %w", err)
	}
	return actions, nil
}

// RecordExport notes that somebody takes the rows of a filter out of the program.
func (l *Log) RecordExport(ctx context.Context, r Row, f Filter) error {
	r.Action, r.Object = "audit.export", "audit"
	filter, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	r.After = json.RawMessage(filter)
	return Record(ctx, l.g, r)
}
