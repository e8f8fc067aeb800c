// Package process knows the running processes of an installation: each says every few seconds that it
// lives and what it sees of the queue, so that people see on one page whether anything is wrong.
package process

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
)

// Kind is what a process does.
type Kind string

// The kinds: Serve answers HTTP and relays, Work runs the queue's tasks and sweeps, Dev does both.
const (
	Serve Kind = "serve"
	Work  Kind = "work"
	Dev   Kind = "dev"
)

// AliveFor is how old a beat may be before its process counts as gone.
const AliveFor = 20 * time.Second

// keptFor is how long the row of a process that ended without a word is kept for people to see.
const keptFor = 24 * time.Hour

// Beat is what a process tells.
type Beat struct {
	// ID is unique to one run of one process.
	ID      string
	Kind    Kind
	Host    string
	PID     int
	Version string
	// RedisOK is whether this process reaches Redis.
	RedisOK bool
	// RelayLag is the age of the oldest call owed to the queue, OutboxRows how many are owed (capped).
	RelayLag   time.Duration
	OutboxRows int64
	// SinceSweep is how long ago this process finished a sweep; nil while it never did.
	SinceSweep *time.Duration
	// Swept is how many jobs it moved since it started.
	Swept int64
}

// Process is a process as it last told of itself. Times are the database's.
type Process struct {
	ID          string
	Kind        Kind
	Host        string
	PID         int `gorm:"column:pid"`
	Version     string
	StartedAt   time.Time
	BeatAt      time.Time
	RedisOK     bool `gorm:"column:redis_ok"`
	RelayLagMs  int64
	OutboxRows  int64
	LastSweepAt *time.Time
	Swept       int64
	// Alive is whether the last beat is younger than AliveFor.
	Alive bool
}

// Store keeps the processes.
type Store struct{ g *gorm.DB }

// New makes a Store.
func New(g *gorm.DB) *Store { return &Store{g: g} }

// Beat writes what a process tells, and removes processes that have been silent for a day.
func (s *Store) Beat(ctx context.Context, b Beat) error {
	var since *int64
	if b.SinceSweep != nil {
		ms := b.SinceSweep.Milliseconds()
		since = &ms
	}
	err := s.g.WithContext(ctx).Exec(`WITH pruned AS (
			DELETE FROM processes WHERE beat_at < clock_timestamp() - ?::bigint * interval '1 millisecond' AND id <> ?)
		INSERT INTO processes (id, kind, host, pid, version, redis_ok, relay_lag_ms, outbox_rows, last_sweep_at, swept)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp() - ?::bigint * interval '1 millisecond', ?)
		ON CONFLICT (id) DO UPDATE SET beat_at = clock_timestamp(), redis_ok = EXCLUDED.redis_ok, relay_lag_ms = EXCLUDED.relay_lag_ms,
			outbox_rows = EXCLUDED.outbox_rows, last_sweep_at = EXCLUDED.last_sweep_at, swept = EXCLUDED.swept`,
		keptFor.Milliseconds(), b.ID, b.ID, string(b.Kind), b.Host, b.PID, b.Version, b.RedisOK,
		b.RelayLag.Milliseconds(), b.OutboxRows, since, b.Swept).Error
	if err != nil {
		return fmt.Errorf("process: beat: %w", err)
	}
	return nil
}

// Leave removes a process that ends in order. Leaving twice does nothing.
func (s *Store) Leave(ctx context.Context, id string) error {
	if err := s.g.WithContext(ctx).Exec(`DELETE FROM processes WHERE id = ?`, id).Error; err != nil {
		return fmt.Errorf("process: leave: %w", err)
	}
	return nil
}

// List returns all known processes, living ones first, then by kind and start.
func (s *Store) List(ctx context.Context) ([]Process, error) {
	var all []Process
	err := s.g.WithContext(ctx).Raw(`SELECT p.*, p.beat_at > clock_timestamp() - ?::bigint * interval '1 millisecond' AS alive
		FROM processes p ORDER BY alive DESC, kind, started_at, id`, AliveFor.Milliseconds()).Scan(&all).Error
	if err != nil {
		return nil, fmt.Errorf("process: list: %w", err)
	}
	return all, nil
}

// Alone runs fn unless another process of this installation is just running one of the same name; ran
// says which. fn must be short, and nothing may depend on its being alone: a connection that breaks
// gives the name free. The lock belongs to a transaction, so it passes through a pooler.
func (s *Store) Alone(ctx context.Context, name string, fn func(ctx context.Context) error) (ran bool, err error) {
	err = db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		if ran { // the lock's transaction was repeated; what fn did stays done
			return nil
		}
		var got bool
		if err := tx.WithContext(ctx).Raw(`SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))`, "recoup "+name).Scan(&got).Error; err != nil {
			return fmt.Errorf("process: alone: %w", err)
		}
		if !got {
			return nil
		}
		ran = true
		return fn(ctx)
	})
	return ran, err
}
