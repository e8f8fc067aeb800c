package verify

import (
	"context"
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

// BrokenMonths are the closed months of which the newest run over all accounts found that they are not what they were
// closed with.
func (v *Verifier) BrokenMonths(ctx context.Context) (map[calendar.Month]bool, error) {
	var names []string
	err := v.g.WithContext(ctx).Raw(`SELECT substring(message from ' ([0-9]{4}-[0-9]{2}) ') FROM verify_problems
		WHERE run_id = (SELECT id FROM verify_runs WHERE NOT partial ORDER BY id DESC LIMIT 1) AND check_name = ? AND message ~ ' [0-9]{4}-[0-9]{2} '`,
		string(CheckMonth)).Scan(&names).Error
	if err != nil {
		return nil, fmt.Errorf("verify: broken months: %w", err)
	}
	out := map[calendar.Month]bool{}
	for _, name := range names {
		m, err := calendar.ParseMonth(name)
		if err != nil {
			return nil, fmt.Errorf("verify: broken months: %w", err)
		}
		out[m] = true
	}
	return out, nil
}
