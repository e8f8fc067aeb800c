// Package menu counts what stands beside the entries of the menu. Every page shows it, so all of it is one statement.
package menu

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/db"
	"recoup/models/deadletter"
	"recoup/models/inbox"
	"recoup/models/operation"
	"recoup/models/rollout"
)

// Wanted says what to count, by what a person may see.
type Wanted struct {
	// DeadLetters and Halted are the dead letters that wait for a person and halted rollouts.
	DeadLetters, Halted bool
	// Unread are the unread messages of this person; nil for none.
	Unread *actor.Actor
	// Requests are open change requests that match; nil for none.
	Requests *approval.Filter
}

// Counts are the numbers, 0 where one was not wanted.
type Counts struct{ DeadLetters, Halted, Unread, Requests int64 }

// Store counts.
type Store struct{ g *gorm.DB }

// New makes a Store.
func New(ops *operation.Store) *Store { return &Store{ops.DB()} }

// Count counts what is wanted, each no further than most, at one moment.
func (s *Store) Count(ctx context.Context, w Wanted, most int) (Counts, error) {
	var out Counts
	var counts []db.Count
	var into []*int64
	add := func(c db.Count, number *int64) { counts, into = append(counts, c), append(into, number) }
	if w.DeadLetters {
		add(deadletter.WaitingUpTo(most), &out.DeadLetters)
	}
	if w.Unread != nil {
		add(inbox.UnreadBy(*w.Unread, most), &out.Unread)
	}
	if w.Halted {
		add(rollout.HaltedOnes(), &out.Halted)
	}
	if w.Requests != nil {
		add(approval.Undecided(*w.Requests, most), &out.Requests)
	}
	numbers, err := db.Counts(ctx, s.g, counts...)
	if err != nil {
		return out, fmt.Errorf("menu: %w", err)
	}
	for i, n := range numbers {
		*into[i] = min(n, int64(most))
	}
	return out, nil
}
