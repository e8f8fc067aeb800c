package comparison

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/rollout"
	"recoup/models/rollup"
)

// Service makes comparisons and keeps the newest of each rollout.
type Service struct {
	g         *gorm.DB
	retention time.Duration
	// sampled is about how many charges of a side are looked at; beyond that a part of its accounts stands for all.
	sampled int64
}

// New makes a Service. retention is how long replays and conflicts are kept; 0 for ever.
func New(g *gorm.DB, retention time.Duration) *Service {
	return &Service{g: g, retention: retention, sampled: sampled}
}

// ErrNotStarted says that a rollout has not begun: there is nothing to compare.
var ErrNotStarted = errors.New("comparison: the rollout has not started")

// Last returns the newest comparison of a rollout; nil when there is none.
func (s *Service) Last(ctx context.Context, id string) (*Comparison, error) {
	var row struct{ Results *string }
	if err := s.g.WithContext(ctx).Raw(`SELECT results::text AS results FROM rollout_comparisons WHERE rollout_id = ?`, id).Scan(&row).Error; err != nil {
		return nil, fmt.Errorf("comparison: %w", err)
	}
	if row.Results == nil {
		return nil, nil
	}
	var c Comparison
	if err := json.Unmarshal([]byte(*row.Results), &c); err != nil {
		return nil, fmt.Errorf("comparison: stored: %w", err)
	}
	return &c, nil
}

// Make is Compare, and keeps the outcome unless a newer one is there.
func (s *Service) Make(ctx context.Context, r rollout.Rollout) (Comparison, error) {
	c, err := s.Compare(ctx, r)
	if err != nil {
		return c, err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return Comparison{}, fmt.Errorf("comparison: %w", err)
	}
	err = s.g.WithContext(ctx).Exec(`INSERT INTO rollout_comparisons (rollout_id, stage, results, made_at) VALUES (?, ?, ?::jsonb, ?)
		ON CONFLICT (rollout_id) DO UPDATE SET stage = EXCLUDED.stage, results = EXCLUDED.results, made_at = EXCLUDED.made_at
		WHERE rollout_comparisons.made_at < EXCLUDED.made_at`, c.RolloutID, c.Stage, string(text), c.At).Error
	if err != nil {
		return Comparison{}, fmt.Errorf("comparison: keep: %w", err)
	}
	return c, nil
}

// Compare compares the stage at which a rollout stands, or stood at its end. Its cost grows with the charges of the period,
// up to bounds: the period is shortened until a side has a million charges at most, of which the index alone is read, and
// about 50,000 of them are looked at. It returns ErrNotStarted, and fault comparison_too_slow when one of its statements
// took longer than 20 seconds.
func (s *Service) Compare(ctx context.Context, r rollout.Rollout) (Comparison, error) {
	if r.StageSince == nil || r.StartedAt == nil {
		return Comparison{}, ErrNotStarted
	}
	var c Comparison
	err := db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		if err := tx.WithContext(ctx).Exec(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, readFor.Milliseconds())).Error; err != nil {
			return err
		}
		var now time.Time
		if err := db.Row(ctx, tx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
			return err
		}
		var err error
		c, err = s.compare(ctx, tx, r, now.UTC())
		return err
	})
	if db.Code(err) == db.CodeCanceled && ctx.Err() == nil {
		return Comparison{}, fault.New(fault.Busy, fault.CodeComparisonTooSlow, "The rollout could not be compared in time. Nothing was changed; the comparison before is still there.")
	}
	return c, err
}

// Stale is how old a comparison of a live rollout becomes before Refresh makes it anew.
const Stale = 15 * time.Minute

// late is how long after its end a rollout's deliveries are still counted.
const late = 30 * 24 * time.Hour

// Refresh makes the comparisons of live rollouts that are missing, of an earlier stage, older than Stale or, where the stage
// is young, than a tenth of it, but not within 45 seconds; and takes up what candidates have given away, also of rollouts
// that ended in the last thirty days: jobs are delivered late. It goes on after a failure and returns the first.
func (s *Service) Refresh(ctx context.Context, live []rollout.Rollout) error {
	var first error
	keep := func(id string, err error) {
		if err != nil && first == nil {
			first = fmt.Errorf("rollout %s: %w", id, err)
		}
	}
	for _, r := range live {
		var due bool
		err := s.g.WithContext(ctx).Raw(`SELECT NOT EXISTS (SELECT 1 FROM rollout_comparisons WHERE rollout_id = ? AND stage = ?
			AND made_at > clock_timestamp() - LEAST(?::bigint * interval '1 second', GREATEST((clock_timestamp() - ?::timestamptz) / 10, interval '45 seconds')))`,
			r.ID, r.Stage, int64(Stale.Seconds()), r.StageSince).Scan(&due).Error
		if err == nil && due {
			_, err = s.Make(ctx, r)
		}
		keep(r.ID, err)
	}
	var count []string
	err := s.g.WithContext(ctx).Raw(`SELECT id FROM rollouts WHERE started_at IS NOT NULL AND (ended_at IS NULL OR ended_at > clock_timestamp() - ?::bigint * interval '1 second')
		ORDER BY id`, int64(late.Seconds())).Scan(&count).Error
	keep("", err)
	for _, id := range count {
		keep(id, s.Advance(ctx, id))
	}
	return first
}

// compare reads the three sides at one moment.
func (s *Service) compare(ctx context.Context, tx *gorm.DB, r rollout.Rollout, now time.Time) (Comparison, error) {
	c := Comparison{RolloutID: r.ID, Stage: r.Stage, At: now, To: now, From: *r.StageSince, HistoryTo: *r.StartedAt}
	if r.EndedAt != nil {
		c.To = *r.EndedAt
	}
	if c.To.Sub(c.From) > longest {
		c.From = c.To.Add(-longest)
	}
	var picks [3]selection
	var totals [3]int64
	for {
		length := c.To.Sub(c.From)
		c.HistoryFrom = c.HistoryTo.Add(-length)
		picks = [3]selection{{rule: r.Candidate, rollout: r.ID, from: c.From, to: c.To}, {rule: r.Baseline, rollout: r.ID, from: c.From, to: c.To},
			{rule: r.Baseline, from: c.HistoryFrom, to: c.HistoryTo}}
		most := int64(0)
		for i, p := range picks {
			n, err := chargesOf(ctx, tx, p)
			if err != nil {
				return c, err
			}
			totals[i], most = n, max(most, n)
		}
		if most <= readable || length/2 < shortest {
			break
		}
		c.From = c.To.Add(-length / 2)
	}
	c.Shortened = c.From.After(*r.StageSince)
	need := needs{costsBps: int64(r.MinCostsBps)}
	var sides [3]side
	for i, p := range picks {
		p.part = ways
		if totals[i] > s.sampled {
			p.part = int(max(ways*s.sampled/totals[i], 1))
		}
		var err error
		if sides[i], err = read(ctx, tx, p, totals[i]); err != nil {
			return c, err
		}
		c.Sides[i] = sides[i].counts
		need.kept[i] = s.retention == 0 || p.from.After(now.Add(-s.retention))
	}
	c.Measures = measures(sides, need)
	return c, nil
}

// chargesOf counts the charges of a selection, of all accounts.
func chargesOf(ctx context.Context, tx *gorm.DB, p selection) (int64, error) {
	return count(ctx, tx, rollup.Filter{RuleVersion: p.rule, RolloutID: p.rollout, From: &p.from, To: &p.to})
}

// chargesOfAction counts the charges of an action under whatever rule version.
func chargesOfAction(ctx context.Context, tx *gorm.DB, action string, from, to time.Time) (int64, error) {
	return count(ctx, tx, rollup.Filter{Action: action, From: &from, To: &to})
}

func count(ctx context.Context, tx *gorm.DB, f rollup.Filter) (n int64, err error) {
	f.Types = []string{"charge"}
	totals, err := rollup.Totals(ctx, tx, f)
	for _, t := range totals {
		n += t.Count
	}
	return n, err
}
