package bulkgrant

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/task"
)

// Kind is the kind of the task, the operation and the change request that apply a file.
const Kind = "bulk_grant"

// Codes of this package's faults.
const (
	CodeNotFound = "bulk_grant_not_found"
	// CodeBadLines: a line cannot be applied as things stand; nothing of the file was.
	CodeBadLines = "bulk_grant_bad_lines"
)

// Scope is the scope of the operations on files.
func Scope() operation.Scope { return operation.Named("bulk_grants") }

// Object is how audit rows and change requests name a file.
func Object(id string) string { return "bulk_grant:" + id }

// Store keeps files of grants.
type Store struct {
	g        *gorm.DB
	ops      *operation.Store
	ledger   *ledger.Service
	requests *approval.Store
	tasks    *task.Store
}

// New makes a Store.
func New(ops *operation.Store, l *ledger.Service, requests *approval.Store, tasks *task.Store) *Store {
	return &Store{g: ops.DB(), ops: ops, ledger: l, requests: requests, tasks: tasks}
}

// File is an uploaded file of grants.
type File struct {
	Key        int64
	ID         string
	Name       string
	Digest     []byte
	Lines      []Line `gorm:"-"`
	Count      int64
	Credits    int64
	UploadedBy string
	UploadedAt time.Time
	// OperationID is that of the confirmation, nil before it.
	OperationID *string
	// TaskID is nil until it is being applied.
	TaskID *string
	// AppliedAt is nil until it is; Granted then says how many of its lines were new.
	AppliedAt *time.Time
	Granted   *int64
	// FailedLine is the first line that kept it from being applied, FailedProblem the code of its Problem; nil where it
	// was not tried, went through, or something else ended it.
	FailedLine                 *int64
	FailedProblem, FailedValue *string
}

// Uploaded is the stored result of an upload.
type Uploaded struct {
	ID      string `json:"bulk_grant"`
	Count   int    `json:"count"`
	Credits int64  `json:"credits"`
}

// Upload keeps a file that Read found sound. It moves no credits. Faults: invalid_request for a file that has
// problems, and those of operation.Apply.
func (s *Store) Upload(ctx context.Context, e ledger.Envelope, name string, content []byte) (operation.Outcome, error) {
	lines, problems := Read(content)
	digest := sha256.Sum256(content)
	req := operation.Request{Scope: Scope(), ID: e.OperationID, Kind: "upload_bulk_grant", Actor: e.Actor, RequestID: e.RequestID,
		Input: operation.Input{"file": fmt.Sprintf("%x", digest), "name": name}}
	if len(problems) > 0 {
		req.Invalid = []fault.Field{{Name: "file", Message: "has lines that are no grants"}}
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		out := Uploaded{ID: "bg_" + strings.ToLower(rand.Text())[:16], Count: len(lines)}
		for _, l := range lines {
			out.Credits += l.Amount // Read has checked that the sum fits
		}
		stored, err := json.Marshal(lines)
		if err != nil {
			return nil, fmt.Errorf("bulkgrant: %w", err)
		}
		err = tx.DB.WithContext(ctx).Exec(`INSERT INTO bulk_grants (id, name, digest, lines, count, credits, uploaded_by) VALUES (?, ?, ?::bytea, ?, ?, ?, ?)`,
			out.ID, name, digest[:], string(stored), out.Count, out.Credits, e.Actor.String()).Error
		if err != nil {
			return nil, fmt.Errorf("bulkgrant: upload: %w", err)
		}
		return out, audit.Record(ctx, tx.DB, audit.Row{Actor: e.Actor, Action: req.Kind, Object: Object(out.ID),
			After:       map[string]any{"file": name, "count": out.Count, "credits": out.Credits, "sha256": fmt.Sprintf("%x", digest)},
			OperationID: e.OperationID, RequestID: e.RequestID, TraceID: tx.TraceID})
	})
}

const columns = `key, id, name, digest, count, credits::bigint AS credits, uploaded_by, uploaded_at, operation_id, task_id, applied_at, granted,
	failed_line, failed_problem, failed_value`

// Find returns a file with its lines, or fault bulk_grant_not_found.
func (s *Store) Find(ctx context.Context, id string) (File, error) { return find(ctx, s.g, id) }

func find(ctx context.Context, g *gorm.DB, id string) (File, error) {
	var row struct {
		File  `gorm:"embedded"`
		Lines string
	}
	if rest, ok := strings.CutPrefix(id, "bg_"); !ok || len(rest) != 16 || strings.ContainsFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return File{}, notFound(id)
	}
	res := g.WithContext(ctx).Raw(`SELECT `+columns+`, lines FROM bulk_grants WHERE id = ?`, id).Scan(&row)
	if res.Error != nil {
		return File{}, fmt.Errorf("bulkgrant: find: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return File{}, notFound(id)
	}
	f := row.File
	if err := json.Unmarshal([]byte(row.Lines), &f.Lines); err != nil {
		return f, fmt.Errorf("bulkgrant: lines of %s: %w", id, err)
	}
	return f, nil
}

func notFound(id string) *fault.Error {
	return fault.New(fault.NotFound, CodeNotFound, "There is no file of grants %q.", id)
}

// List returns the newest files without their lines, newest first.
func (s *Store) List(ctx context.Context, limit int) ([]File, error) {
	var rows []File
	if err := s.g.WithContext(ctx).Raw(`SELECT `+columns+` FROM bulk_grants ORDER BY key DESC LIMIT ?`, limit).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("bulkgrant: list: %w", err)
	}
	return rows, nil
}

// Proposed is what a change request holds for a file.
type Proposed struct {
	BulkGrant string `json:"bulk_grant"`
	File      string `json:"file"`
	Digest    string `json:"sha256"`
	Count     int64  `json:"count"`
	Credits   int64  `json:"credits"`
}

// Confirmed is the stored result of a confirmation.
type Confirmed struct {
	BulkGrant string `json:"bulk_grant"`
	Task      string `json:"task"`
}

// Confirm lets a file be applied: at once by a task of the background, or, when its sum is above the limit of one
// person, after a second person has approved. Faults: bulk_grant_not_found, bulk_grant_bad_lines, state_conflict
// when it was confirmed before, and those of operation.Apply.
func (s *Store) Confirm(ctx context.Context, e ledger.Envelope, id string) (operation.Outcome, error) {
	req := operation.Request{Scope: Scope(), ID: e.OperationID, Kind: Kind, Actor: e.Actor, RequestID: e.RequestID, Object: Object(id),
		Input: operation.Input{"bulk_grant": id}, Waiting: s.requests.Standing}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		f, err := find(ctx, tx.DB, id)
		if err != nil {
			return nil, err
		}
		res := tx.DB.WithContext(ctx).Exec(`UPDATE bulk_grants SET operation_id = ? WHERE id = ? AND operation_id IS NULL`, tx.Request.ID, id)
		if res.Error != nil {
			return nil, fmt.Errorf("bulkgrant: confirm: %w", res.Error)
		}
		if res.RowsAffected != 1 {
			return nil, fault.State("confirmed", "The file %q is confirmed already. Nothing was changed.", f.Name)
		}
		c, err := s.check(ctx, tx.DB, f.Lines, nil)
		if err != nil {
			return nil, err
		}
		if len(c.Problems) > 0 {
			return nil, badLines(c.Problems)
		}
		second, err := s.needsSecond(ctx, tx.DB, f, c, tx.Request.Actor)
		if err != nil {
			return nil, err
		}
		if second {
			what := Proposed{BulkGrant: f.ID, File: f.Name, Digest: fmt.Sprintf("%x", f.Digest), Count: f.Count, Credits: f.Credits}
			required, err := s.requests.Propose(ctx, tx, approval.Proposal{Object: Object(f.ID), What: what, Reason: f.Name})
			if err != nil {
				return nil, err
			}
			return required, operation.ErrWait
		}
		return s.begin(ctx, tx, f)
	})
}

// badLines names the first of the lines that cannot be applied. Screens word its members line, column, problem and
// others themselves.
func badLines(problems []Problem) *fault.Error {
	p := problems[0]
	return fault.New(fault.Conflict, CodeBadLines, "Line %d of the file cannot be applied (%s %s), nor can %d others. Nothing was granted.",
		p.Line, p.Column, strings.ReplaceAll(p.Code, "_", " "), len(problems)-1).With("line", p.Line).With("state", "bad_lines").
		With("problem", p.Code).With("value", p.Value).With("others", len(problems)-1)
}

// NeedsSecond reports whether a file that who confirms needs a second person as things stand, given what Check said of
// it: by its sum, or by what it gives one account together with what the same person gave it before.
func (s *Store) NeedsSecond(ctx context.Context, f File, c Check, who actor.Actor) (bool, error) {
	return s.needsSecond(ctx, s.g, f, c, who)
}

func (s *Store) needsSecond(ctx context.Context, g *gorm.DB, f File, c Check, who actor.Actor) (bool, error) {
	limit, limited := s.ledger.LimitCredits()
	if !limited || f.Credits > limit {
		return limited, nil
	}
	over, err := s.ledger.OverTogether(ctx, g, who, c.newByAccount())
	return len(over) > 0, err
}

// begin starts the task that applies the file.
func (s *Store) begin(ctx context.Context, tx *operation.Tx, f File) (Confirmed, error) {
	t, err := s.tasks.Start(ctx, tx, task.NewTask{Kind: Kind, Title: f.Name, Input: Confirmed{BulkGrant: f.ID}, Total: f.Count})
	if err != nil {
		return Confirmed{}, err
	}
	res := tx.DB.WithContext(ctx).Exec(`UPDATE bulk_grants SET task_id = ? WHERE id = ? AND task_id IS NULL`, t.ID, f.ID)
	if res.Error != nil || res.RowsAffected != 1 {
		return Confirmed{}, errors.Join(fmt.Errorf("bulkgrant: begin %s: %d rows", f.ID, res.RowsAffected), res.Error)
	}
	err = audit.Record(ctx, tx.DB, audit.Row{Actor: tx.Request.Actor, Action: Kind, Object: Object(f.ID), Reason: f.Name,
		After:       map[string]any{"count": f.Count, "credits": f.Credits, "task": t.ID},
		OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID})
	return Confirmed{BulkGrant: f.ID, Task: t.ID}, err
}

// Executors apply approved files, for approval.NewDesk.
func (s *Store) Executors() map[approval.Kind]approval.Executor {
	return map[approval.Kind]approval.Executor{Kind: func(ctx context.Context, tx *operation.Tx, r approval.Request) (any, error) {
		p, err := ReadProposed(r)
		if err != nil {
			return nil, err
		}
		f, err := find(ctx, tx.DB, p.BulkGrant)
		if err != nil {
			return nil, err
		}
		return s.begin(ctx, tx, f)
	}}
}

// ReadProposed reads what a change request of this package's kind proposes.
func ReadProposed(r approval.Request) (Proposed, error) {
	var p Proposed
	if err := json.Unmarshal([]byte(r.Proposal), &p); err != nil {
		return p, fmt.Errorf("bulkgrant: proposal of %s: %w", r.ID, err)
	}
	return p, nil
}

// GrantedBy returns the file, without its lines, whose line granted an account what has a reference at that moment; nil where the
// grant came from no file, also where a file found it granted already.
func (s *Store) GrantedBy(ctx context.Context, account, reference string, at time.Time) (*File, error) {
	var rows []File
	err := s.g.WithContext(ctx).Raw(`SELECT `+columns+` FROM bulk_grants WHERE key = (SELECT r.bulk_key FROM bulk_grant_references r
			JOIN accounts a ON a.key = r.account_key WHERE r.reference = ? AND a.id = ?) AND uploaded_at <= ? AND applied_at >= ?`,
		reference, account, at, at).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("bulkgrant: granted by: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// RecordDownload appends the audit row of a file's lines that leave the program, committed when it returns: call it before the first
// byte.
func (s *Store) RecordDownload(ctx context.Context, f File, who actor.Actor, requestID string) error {
	return audit.Record(ctx, s.g, audit.Row{Actor: who, Action: "bulk_grant.download", Object: Object(f.ID), RequestID: requestID,
		TraceID: operation.TraceID(ctx), After: map[string]any{"file": f.Name, "count": f.Count}})
}
