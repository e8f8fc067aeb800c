package deadletter

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// Scope is that of the operations on groups.
const Scope = "deadletters"

// Kinds of the operations on groups.
const (
	KindGroupNote    = "group_note"
	KindGroupSnooze  = "group_snooze"
	KindGroupResolve = "group_resolve"
	KindGroupReopen  = "group_reopen"
)

// GroupRequest is a person's change of one group.
type GroupRequest struct {
	ledger.Envelope
	Fingerprint string
	// Revision is the one that the person saw: another one refuses. nil for whichever it is.
	Revision *int64
	// Note (at most 2000 characters) and Link (an http or https address, or "") replace what is there; for Note.
	Note, Link string
	// Until and More end a snooze at a time, after so many more deaths, or at whichever comes first; for Snooze.
	Until *time.Time
	More  int64
	// Reason says why; required for Resolve.
	Reason string
}

// GroupState is what people have said of a group.
type GroupState struct {
	Fingerprint  string     `json:"fingerprint"`
	Note         string     `json:"note"`
	Link         string     `json:"link"`
	SnoozedUntil *time.Time `json:"snoozed_until"`
	SnoozeMore   int        `json:"snooze_more"`
	ResolvedAt   *time.Time `json:"resolved_at"`
	Revision     int        `json:"revision"`
}

// NoteGroup sets the note and the link that all who look at the group share. Faults: invalid_request, group_not_found,
// state_conflict with the details by and at, and those of operation.Apply.
func (s *Service) NoteGroup(ctx context.Context, r GroupRequest) (operation.Outcome, error) {
	var bad []fault.Field
	if !utf8.ValidString(r.Note) || utf8.RuneCountInString(r.Note) > maxNote || strings.ContainsRune(r.Note, 0) {
		bad = append(bad, fault.Field{Name: "note", Message: fmt.Sprintf("must be valid text of at most %d characters", maxNote)})
	}
	if r.Link != "" {
		u, err := url.Parse(r.Link)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(r.Link) > maxNote {
			bad = append(bad, fault.Field{Name: "link", Message: "must be an http or https address"})
		}
	}
	return s.change(ctx, r, KindGroupNote, operation.Input{"note": r.Note, "link": r.Link}, bad, "true",
		map[string]any{"note": r.Note, "link": r.Link})
}

// SnoozeGroup puts the open dead letters of a group out of sight, those that come later as well, until the snooze ends.
// Faults as for NoteGroup; a resolved group refuses with state_conflict.
func (s *Service) SnoozeGroup(ctx context.Context, r GroupRequest) (operation.Outcome, error) {
	var bad []fault.Field
	input := operation.Input{}
	var until any
	switch {
	case r.Until == nil && r.More == 0:
		bad = append(bad, fault.Field{Name: "until", Message: "needs a time or a number of deaths"})
	case r.Until != nil:
		until, input["until"] = *r.Until, r.Until.UTC().Format(time.RFC3339Nano)
	}
	if r.More < 0 || r.More > 1_000_000 {
		bad = append(bad, fault.Field{Name: "more", Message: "must be 1 to 1000000"})
	}
	if r.More > 0 {
		input["more"] = r.More
	}
	return s.change(ctx, r, KindGroupSnooze, input, bad, "resolved_at IS NULL",
		map[string]any{"snoozed_at": gorm.Expr("clock_timestamp()"), "snoozed_until": until, "snooze_more": r.More})
}

// ResolveGroup says that what the jobs died of is put right. Its dead letters stay; a death after it marks the group as
// returned. Faults as for NoteGroup.
func (s *Service) ResolveGroup(ctx context.Context, r GroupRequest) (operation.Outcome, error) {
	var bad []fault.Field
	if freetext.Blank(r.Reason) {
		bad = append(bad, fault.Field{Name: "reason", Message: "is required"})
	}
	return s.change(ctx, r, KindGroupResolve, operation.Input{}, bad, "true", map[string]any{"resolved_at": gorm.Expr("clock_timestamp()"),
		"snoozed_at": nil, "snoozed_until": nil, "snooze_more": 0})
}

// ReopenGroup ends a snooze or takes a resolution back. Faults as for NoteGroup; a group that is neither refuses with
// state_conflict.
func (s *Service) ReopenGroup(ctx context.Context, r GroupRequest) (operation.Outcome, error) {
	return s.change(ctx, r, KindGroupReopen, operation.Input{}, nil, "snoozed_at IS NOT NULL OR resolved_at IS NOT NULL",
		map[string]any{"snoozed_at": nil, "snoozed_until": nil, "snooze_more": 0, "resolved_at": nil})
}

// change is the one conditional update of a group, with its audit row.
func (s *Service) change(ctx context.Context, r GroupRequest, kind string, input operation.Input, bad []fault.Field, guard string,
	set map[string]any) (operation.Outcome, error) {
	if !utf8.ValidString(r.Reason) || utf8.RuneCountInString(r.Reason) > 500 || strings.ContainsRune(r.Reason, 0) {
		bad = append(bad, fault.Field{Name: "reason", Message: "must be valid text of at most 500 characters"})
	}
	input["group"], input["revision"] = r.Fingerprint, r.Revision
	if r.Reason != "" {
		input["reason"] = r.Reason
	}
	req := operation.Request{Scope: operation.Named(Scope), ID: r.OperationID, Kind: kind, Actor: r.Actor, RequestID: r.RequestID,
		Object: groupObject(r.Fingerprint), Reason: r.Reason, Input: input, Invalid: bad}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if err := Ahead(ctx, tx.DB, r.Until); err != nil {
			return nil, err
		}
		before, err := readGroup(ctx, tx.DB, r.Fingerprint)
		if err != nil {
			return nil, err
		}
		set["revision"], set["changed_by"], set["changed_at"] = gorm.Expr("revision + 1"), r.Actor.String(), gorm.Expr("clock_timestamp()")
		q := tx.DB.WithContext(ctx).Table("dead_letter_groups").Where("fingerprint = ? AND ("+guard+")", r.Fingerprint)
		if r.Revision != nil {
			q = q.Where("revision = ?", *r.Revision)
		}
		res := q.Updates(set)
		if res.Error != nil {
			return nil, fmt.Errorf("deadletter: %s: %w", kind, res.Error)
		}
		after, err := readGroup(ctx, tx.DB, r.Fingerprint)
		if err != nil {
			return nil, err
		}
		if res.RowsAffected == 0 {
			f := fault.State(after.state(), "The group is %s and somebody changed it since it was looked at. Nothing was changed now.", after.state())
			return nil, told(f.With("revision", after.Revision), after.ChangedBy, after.ChangedAt)
		}
		err = audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: kind, Object: groupObject(r.Fingerprint), Reason: r.Reason,
			Before: before.GroupState, After: after.GroupState, OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
		if err != nil {
			return nil, err
		}
		return after.GroupState, nil
	})
}

func groupObject(fingerprint string) string { return "group:" + fingerprint }

type groupRow struct {
	GroupState `gorm:"embedded"`
	ChangedBy  string
	ChangedAt  *time.Time
}

func (g groupRow) state() string {
	switch {
	case g.ResolvedAt != nil:
		return "resolved"
	case g.SnoozedUntil != nil || g.SnoozeMore > 0:
		return "snoozed"
	}
	return "open"
}

func readGroup(ctx context.Context, g *gorm.DB, fingerprint string) (groupRow, error) {
	var out groupRow
	res := g.WithContext(ctx).Raw(`SELECT fingerprint, note, link, snoozed_until, snooze_more, resolved_at, revision, changed_by, changed_at
		FROM dead_letter_groups WHERE fingerprint = ?`, fingerprint).Scan(&out)
	if res.Error != nil {
		return out, fmt.Errorf("deadletter: group: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return out, groupNotFound(fingerprint)
	}
	out.SnoozedUntil, out.ResolvedAt = utc(out.SnoozedUntil), utc(out.ResolvedAt)
	return out, nil
}
