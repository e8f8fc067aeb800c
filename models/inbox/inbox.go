// Package inbox tells people what happened to what they follow.
//
// Whoever changes something posts a message in the transaction of the change: there is one exactly where the change is.
// A message is a code with its figures; screens word it in the language of who reads. One row is one message to one
// person, so that what is unread is counted by an index.
package inbox

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/where"
)

// CodeMessageNotFound: the person has no such message.
const CodeMessageNotFound = "message_not_found"

// Message is what is told.
type Message struct {
	// Topic is what it is about, e.g. "rollout:ro_2026": everybody who follows it is told.
	Topic string
	// Code says what happened, Detail its figures; Detail is marshalled to a JSON object, nil for none.
	Code   string
	Detail any
	// To are others to be told, as actors; those who are no people are left out.
	To []string
	// Except is whoever did it, as an actor, and needs not be told; empty for nobody.
	Except string
}

// Post tells everybody who follows the topic, once each, in the transaction of tx. What it writes commits with the change.
func Post(ctx context.Context, tx *operation.Tx, m Message) error {
	detail := []byte("{}")
	if m.Detail != nil {
		var err error
		if detail, err = json.Marshal(m.Detail); err != nil {
			return fmt.Errorf("inbox: %w", err)
		}
	}
	to := make([]string, 0, len(m.To)+1)
	for _, who := range m.To {
		if a := actor.Parse(who); a.Kind == "staff" {
			to = append(to, a.ID)
		}
	}
	// A list may not be empty in SQL; nobody has this id.
	to = append(to, "")
	err := tx.DB.WithContext(ctx).Exec(`INSERT INTO inbox_messages (staff_id, topic, code, detail, scope, operation_id)
		SELECT p.id, ?, ?, ?::jsonb, ?, ? FROM (SELECT staff_id AS id FROM inbox_follows WHERE topic = ? UNION SELECT id FROM staff WHERE id IN ?) p
		WHERE 'staff:' || p.id <> ? ORDER BY p.id`,
		m.Topic, m.Code, string(detail), tx.Request.Scope.String(), tx.Request.ID, m.Topic, to, m.Except).Error
	if err != nil {
		return fmt.Errorf("inbox: post: %w", err)
	}
	return nil
}

// Follow lets a person follow a topic, in a transaction or not; whoever follows already goes on. An actor who is no
// member of the staff follows nothing.
func Follow(ctx context.Context, g *gorm.DB, topic string, who actor.Actor) error {
	if who.Kind != "staff" {
		return nil
	}
	err := g.WithContext(ctx).Exec(`INSERT INTO inbox_follows (topic, staff_id) SELECT ?, id FROM staff WHERE id = ? ON CONFLICT DO NOTHING`, topic, who.ID).Error
	if err != nil {
		return fmt.Errorf("inbox: follow: %w", err)
	}
	return nil
}

// Store reads and marks messages. What a person does to their own inbox is no operation: each of it may be repeated at
// will, and the last one stands.
type Store struct{ g *gorm.DB }

// New makes a Store.
func New(g *gorm.DB) *Store { return &Store{g: g} }

// Follow lets a person follow a topic.
func (s *Store) Follow(ctx context.Context, topic string, who actor.Actor) error {
	return Follow(ctx, s.g, topic, who)
}

// Unfollow ends it. What was told stays.
func (s *Store) Unfollow(ctx context.Context, topic string, who actor.Actor) error {
	if err := s.g.WithContext(ctx).Exec(`DELETE FROM inbox_follows WHERE topic = ? AND staff_id = ?`, topic, who.ID).Error; err != nil {
		return fmt.Errorf("inbox: unfollow: %w", err)
	}
	return nil
}

// Follows reports whether a person follows a topic.
func (s *Store) Follows(ctx context.Context, topic string, who actor.Actor) (bool, error) {
	var yes bool
	err := s.g.WithContext(ctx).Raw(`SELECT EXISTS (SELECT 1 FROM inbox_follows WHERE topic = ? AND staff_id = ?)`, topic, who.ID).Scan(&yes).Error
	if err != nil {
		return false, fmt.Errorf("inbox: follows: %w", err)
	}
	return yes, nil
}

// Told is a message as a person has it.
type Told struct {
	Key   int64
	Topic string
	Code  string
	// Detail is a JSON object.
	Detail      string
	Scope       string
	OperationID string
	PostedAt    time.Time
	// ReadAt is nil while it is unread.
	ReadAt *time.Time
}

// Position is a place in the list.
type Position struct{ Key int64 }

// List returns a page of a person's messages, newest first; only the unread ones where unread is set.
func (s *Store) List(ctx context.Context, who actor.Actor, unread bool, from *Position, dir page.Direction, limit int) (page.Page[Told, Position], error) {
	query, args := `SELECT key, topic, code, detail::text AS detail, scope, operation_id, posted_at, read_at FROM inbox_messages WHERE staff_id = ?`, []any{who.ID}
	if unread {
		query += ` AND read_at IS NULL`
	}
	order := ` ORDER BY key DESC LIMIT ?`
	if dir == page.Newer {
		order = ` ORDER BY key ASC LIMIT ?`
	}
	if from != nil {
		if dir == page.Newer {
			query += ` AND key > ?`
		} else {
			query += ` AND key < ?`
		}
		args = append(args, from.Key)
	}
	var rows []Told
	if err := s.g.WithContext(ctx).Raw(query+order, append(args, limit+1)...).Scan(&rows).Error; err != nil {
		return page.Page[Told, Position]{}, fmt.Errorf("inbox: list: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(t Told) Position { return Position{Key: t.Key} }), nil
}

// Unread counts what a person has not read, up to most.
func (s *Store) Unread(ctx context.Context, who actor.Actor, most int) (int64, error) {
	n, err := db.Counts(ctx, s.g, UnreadBy(who, most))
	if err != nil {
		return 0, fmt.Errorf("inbox: unread: %w", err)
	}
	return n[0], nil
}

// UnreadBy is what Unread counts, for whoever counts other things as well.
func UnreadBy(who actor.Actor, most int) db.Count {
	return db.Count{SQL: `SELECT count(*) FROM (SELECT 1 FROM inbox_messages WHERE staff_id = ? AND read_at IS NULL` + where.Limit(most) + `) u`, Args: []any{who.ID}}
}

// Mark marks one message of a person as read, or as unread again. Fault: message_not_found.
func (s *Store) Mark(ctx context.Context, who actor.Actor, key int64, read bool) error {
	res := s.g.WithContext(ctx).Exec(`UPDATE inbox_messages SET read_at = CASE WHEN ? THEN COALESCE(read_at, clock_timestamp()) END WHERE key = ? AND staff_id = ?`,
		read, key, who.ID)
	if res.Error != nil {
		return fmt.Errorf("inbox: mark: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return fault.New(fault.NotFound, CodeMessageNotFound, "You have no such message.")
	}
	return nil
}

// MarkAll marks as read what a person has up to a message: what came after the page was made stays unread. It returns the
// moment by which Unmark takes it back, the zero time where nothing was unread.
func (s *Store) MarkAll(ctx context.Context, who actor.Actor, upto int64) (time.Time, error) {
	var at *time.Time
	err := db.Row(ctx, s.g, `WITH done AS (UPDATE inbox_messages SET read_at = now() WHERE staff_id = $1 AND key <= $2 AND read_at IS NULL RETURNING read_at)
		SELECT max(read_at) FROM done`, who.ID, upto).Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("inbox: mark all: %w", db.Fault(err))
	}
	if at == nil {
		return time.Time{}, nil
	}
	return *at, nil
}

// Unmark makes unread again what one MarkAll has marked.
func (s *Store) Unmark(ctx context.Context, who actor.Actor, at time.Time) error {
	if err := s.g.WithContext(ctx).Exec(`UPDATE inbox_messages SET read_at = NULL WHERE staff_id = ? AND read_at = ?`, who.ID, at).Error; err != nil {
		return fmt.Errorf("inbox: unmark: %w", err)
	}
	return nil
}

// oldAtOnce is how many old messages one statement removes.
const oldAtOnce = 10_000

// DeleteOld removes messages that are older than keep, read or not, and returns how many.
func (s *Store) DeleteOld(ctx context.Context, keep time.Duration) (int64, error) {
	res := s.g.WithContext(ctx).Exec(`DELETE FROM inbox_messages WHERE key IN (SELECT key FROM inbox_messages
		WHERE posted_at < clock_timestamp() - ?::bigint * interval '1 second' ORDER BY posted_at LIMIT ?)`, int64(keep.Seconds()), oldAtOnce)
	if res.Error != nil {
		return 0, fmt.Errorf("inbox: old messages: %w", res.Error)
	}
	return res.RowsAffected, nil
}
