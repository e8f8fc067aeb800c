package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"recoup/models/calendar"
)

// ofMonth selects the problems of the newest run that concern a month. Kept sums are told from each other by the time in
// their message, which sorts as a text.
const ofMonth = `SELECT p.check_name AS "check", p.n, p.account_id, p.seq, p.job_id, p.expected, p.found, p.message
	FROM verify_problems p LEFT JOIN accounts a ON a.id = p.account_id LEFT JOIN entries e ON e.account_key = a.key AND e.seq = p.seq
	WHERE p.run_id = (SELECT id FROM verify_runs WHERE NOT partial ORDER BY id DESC LIMIT 1) AND (
		p.check_name = ? AND strpos(p.message, ?) > 0
		OR p.check_name = ? AND substring(p.message from 'It begins at ([0-9TZ:.-]+) ') >= ? AND substring(p.message from 'It begins at ([0-9TZ:.-]+) ') < ?
		OR p.check_name <> ? AND e.created_at >= ? AND e.created_at < ?)
	ORDER BY p.check_name = ? DESC, p.check_name, p.n LIMIT ?`

// OfMonth returns what the newest run over all accounts found of one month, no more than limit: that it is not what it was
// closed with, kept sums that differ within it, and entries made in it. from and to are the month's first moment and the
// one after its last. A run keeps the first problems of each check only.
func (v *Verifier) OfMonth(ctx context.Context, m calendar.Month, from, to time.Time, limit int) ([]Recorded, error) {
	var rows []Recorded
	first, end := timeText(from.UnixMicro()), timeText(to.UnixMicro())
	err := v.g.WithContext(ctx).Raw(ofMonth, string(CheckMonth), m.String(), string(CheckRollup), first, end, string(CheckLine), from, to, string(CheckMonth), limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("verify: problems of a month: %w", err)
	}
	return rows, nil
}

// Span is a month with its first moment and the one after its last.
type Span struct {
	Month    calendar.Month
	From, To time.Time
}

// brokenMonths names those of the given months that ofMonth selects anything for.
const brokenMonths = `WITH p AS (SELECT p.check_name, p.message, substring(p.message from 'It begins at ([0-9TZ:.-]+) ') AS begins, e.created_at AS at
		FROM verify_problems p LEFT JOIN accounts a ON a.id = p.account_id LEFT JOIN entries e ON e.account_key = a.key AND e.seq = p.seq
		WHERE p.run_id = (SELECT id FROM verify_runs WHERE NOT partial ORDER BY id DESC LIMIT 1))
	SELECT m.name FROM json_to_recordset(?::json) AS m (name text, "from" timestamptz, "to" timestamptz, first text, "end" text)
	WHERE EXISTS (SELECT 1 FROM p WHERE p.check_name = ? AND strpos(p.message, m.name) > 0
		OR p.check_name = ? AND p.begins >= m.first AND p.begins < m."end"
		OR p.check_name <> ? AND p.at >= m."from" AND p.at < m."to")`

// BrokenMonths are those of the given months of which the newest run over all accounts found something, as OfMonth does. It reads
// what that run keeps once, however many months there are.
func (v *Verifier) BrokenMonths(ctx context.Context, months []Span) (map[calendar.Month]bool, error) {
	type row struct {
		Name  string    `json:"name"`
		From  time.Time `json:"from"`
		To    time.Time `json:"to"`
		First string    `json:"first"`
		End   string    `json:"end"`
	}
	rows := make([]row, len(months))
	byName := map[string]calendar.Month{}
	for i, m := range months {
		rows[i] = row{m.Month.String(), m.From, m.To, timeText(m.From.UnixMicro()), timeText(m.To.UnixMicro())}
		byName[m.Month.String()] = m.Month
	}
	list, err := json.Marshal(rows)
	if err != nil {
		return nil, fmt.Errorf("verify: broken months: %w", err)
	}
	var names []string
	err = v.g.WithContext(ctx).Raw(brokenMonths, string(list), string(CheckMonth), string(CheckRollup), string(CheckLine)).Scan(&names).Error
	if err != nil {
		return nil, fmt.Errorf("verify: broken months: %w", err)
	}
	out := map[calendar.Month]bool{}
	for _, name := range names {
		out[byName[name]] = true
	}
	return out, nil
}
