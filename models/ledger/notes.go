package ledger

import (
	"context"
	"fmt"
	"time"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/page"
)

// Note is what a person noted on an account. It is never changed; when it was wrong it is struck out and stays
// readable.
type Note struct {
	Key       int64
	Text      string
	Actor     string
	CreatedAt time.Time
	// StruckAt is set once the note is struck out; StruckBy and StruckReason then say by whom and why.
	StruckAt     *time.Time
	StruckBy     string
	StruckReason string
}

// NotePosition is a note's place in the list.
type NotePosition struct {
	Key int64 `json:"k"`
}

// NoteRequest asks for a note on an account.
type NoteRequest struct {
	Envelope
	AccountID string
	// Text is required, up to 2,000 characters.
	Text string
}

// NoteResult is the stored result of AddNote and StrikeNote.
type NoteResult struct {
	AccountID string `json:"account_id"`
	// Note is the key of the note that was added or struck out.
	Note int64 `json:"note"`
}

// StrikeRequest asks for a note to be struck out.
type StrikeRequest struct {
	Envelope
	AccountID string
	Note      int64
	// Reason is required, up to 500 characters.
	Reason string
}

// The operations on notes, as stored kinds and in audit rows.
const (
	kindNote   = "account_note"
	kindStrike = "account_note_strike"
)

// AddNote adds a note, with an audit row. Faults: invalid_request, account_not_found and those of
// operation.Apply.
func (s *Service) AddNote(ctx context.Context, r NoteRequest) (operation.Outcome, error) {
	req := operation.Request{Scope: operation.Account(r.AccountID), ID: r.OperationID, Kind: kindNote, Actor: r.Actor, RequestID: r.RequestID,
		Invalid: checkText(nil, "text", r.Text, 2000, true), Input: operation.Input{"text": r.Text}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		var key int64
		err := tx.DB.WithContext(ctx).Raw(`INSERT INTO account_notes (account_key, text, actor, operation_id) VALUES (?, ?, ?, ?) RETURNING key`,
			tx.AccountKey, r.Text, r.Actor.String(), r.OperationID).Scan(&key).Error
		if err != nil {
			return nil, fmt.Errorf("ledger: add note: %w", err)
		}
		return NoteResult{AccountID: r.AccountID, Note: key}, s.auditNote(ctx, tx, r.AccountID, "", nil, map[string]any{"note": key, "text": r.Text})
	})
}

// StrikeNote strikes a note out by a row of its own, with an audit row. Faults: invalid_request,
// account_not_found, not_found, state_conflict when it is struck out already, and those of operation.Apply.
func (s *Service) StrikeNote(ctx context.Context, r StrikeRequest) (operation.Outcome, error) {
	req := operation.Request{Scope: operation.Account(r.AccountID), ID: r.OperationID, Kind: kindStrike, Actor: r.Actor, RequestID: r.RequestID,
		Reason: r.Reason, Invalid: checkText(nil, "reason", r.Reason, 500, true), Input: operation.Input{"note": r.Note, "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		res := tx.DB.WithContext(ctx).Exec(`INSERT INTO account_notes (account_key, strikes, text, actor, operation_id)
			SELECT account_key, key, ?, ?, ? FROM account_notes WHERE account_key = ? AND key = ? AND strikes IS NULL
			ON CONFLICT ON CONSTRAINT account_notes_struck_once DO NOTHING`, r.Reason, r.Actor.String(), r.OperationID, tx.AccountKey, r.Note)
		if res.Error != nil {
			return nil, fmt.Errorf("ledger: strike note: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			if _, err := s.Note(ctx, tx.AccountKey, r.Note); err != nil {
				return nil, err
			}
			return nil, fault.State("struck", "The note is struck out already. Nothing was changed.")
		}
		return NoteResult{AccountID: r.AccountID, Note: r.Note}, s.auditNote(ctx, tx, r.AccountID, r.Reason,
			map[string]any{"note": r.Note, "struck": false}, map[string]any{"note": r.Note, "struck": true})
	})
}

func (s *Service) auditNote(ctx context.Context, tx *operation.Tx, account, reason string, before, after map[string]any) error {
	row := audit.Row{Actor: tx.Request.Actor, Action: tx.Request.Kind, Object: "account:" + account, Reason: reason, After: after,
		OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID}
	if before != nil {
		row.Before = before
	}
	return audit.Record(ctx, tx.DB, row)
}

const selectNotes = `SELECT n.key, n.text, n.actor, n.created_at, s.created_at AS struck_at, COALESCE(s.actor, '') AS struck_by,
	COALESCE(s.text, '') AS struck_reason
	FROM account_notes n LEFT JOIN account_notes s ON s.account_key = n.account_key AND s.strikes = n.key
	WHERE n.account_key = ? AND n.strikes IS NULL `

// Note returns one note of an account, or fault not_found.
func (s *Service) Note(ctx context.Context, accountKey, key int64) (Note, error) {
	var n Note
	res := s.g.WithContext(ctx).Raw(selectNotes+`AND n.key = ?`, accountKey, key).Scan(&n)
	if res.Error != nil {
		return n, fmt.Errorf("ledger: note: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return n, fault.New(fault.NotFound, fault.CodeNotFound, "There is no such note on this account.")
	}
	return n, nil
}

// Notes returns a page of an account's notes, newest first, those that are struck out included. from is nil for
// the first page.
func (s *Service) Notes(ctx context.Context, accountKey int64, from *NotePosition, dir page.Direction, limit int) (page.Page[Note, NotePosition], error) {
	args, after, order := []any{accountKey}, "", "DESC"
	if dir == page.Newer {
		order = "ASC"
	}
	if from != nil {
		if after = "AND n.key < ? "; dir == page.Newer {
			after = "AND n.key > ? "
		}
		args = append(args, from.Key)
	}
	var rows []Note
	err := s.g.WithContext(ctx).Raw(selectNotes+after+`ORDER BY n.key `+order+` LIMIT ?`, append(args, limit+1)...).Scan(&rows).Error
	if err != nil {
		return page.Page[Note, NotePosition]{}, fmt.Errorf("ledger: notes: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(n Note) NotePosition { return NotePosition{Key: n.Key} }), nil
}
