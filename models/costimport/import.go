package costimport

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/cost"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/task"
)

// Kind is the kind of the task that imports a file.
const Kind task.Kind = "cost_import"

// Codes of the refusals that only this package makes.
const (
	// CodeNotFound: there is no such import.
	CodeNotFound = "cost_import_not_found"
	// CodeFileGone: the file of an import is not kept any more.
	CodeFileGone = "cost_import_file_gone"
)

// keepUnused is how long the content of a file is kept that nobody imports.
const keepUnused = 7 * 24 * time.Hour

// Service keeps uploaded files and imports them.
type Service struct {
	g     *gorm.DB
	ops   *operation.Store
	costs *cost.Service
	tasks *task.Store
}

// New makes a Service.
func New(ops *operation.Store, costs *cost.Service, tasks *task.Store) *Service {
	return &Service{g: ops.DB(), ops: ops, costs: costs, tasks: tasks}
}

// Import is an uploaded file.
type Import struct {
	Key       int64
	ID        string
	Source    string
	Mapping   Mapping `gorm:"-"`
	FileName  string
	Size      int64
	Digest    string
	Actor     string
	CreatedAt time.Time
	// TaskID is nil before anybody asked to import it.
	TaskID *string
	// Kept tells whether its content is still there.
	Kept bool
}

// UploadRequest hands in a file.
type UploadRequest struct {
	ledger.Envelope
	Source   string
	Mapping  Mapping
	FileName string
	Content  []byte
}

// UploadResult is the stored result of Upload and Start.
type UploadResult struct {
	ImportID string `json:"import_id"`
	// TaskID is empty until the import was started.
	TaskID string `json:"task_id,omitempty"`
}

// Upload keeps a file to be looked at; it imports nothing. Faults: invalid_request (source, file, and the fields of
// the mapping) and those of operation.Apply.
func (s *Service) Upload(ctx context.Context, r UploadRequest) (operation.Outcome, error) {
	bad := r.Mapping.Check()
	if err := cost.CheckSource(r.Source); err != nil {
		bad = append(bad, fault.Field{Name: "source", Message: err.Error()})
	}
	switch limit := ForUpload().Bytes; {
	case len(r.Content) == 0:
		bad = append(bad, fault.Field{Name: "file", Message: "is required"})
	case int64(len(r.Content)) > limit:
		bad = append(bad, fault.Field{Name: "file", Message: "is larger than can be uploaded"})
	}
	digest := Digest(r.Content, r.Mapping)
	name := fileName(r.FileName)
	mapping, err := json.Marshal(r.Mapping)
	if err != nil {
		return operation.Outcome{}, fmt.Errorf("costimport: %w", err)
	}
	req := operation.Request{Scope: cost.Scope(r.Source), ID: r.OperationID, Kind: "cost_upload", Actor: r.Actor, RequestID: r.RequestID,
		Object: "costs:" + r.Source, Invalid: bad, Input: operation.Input{"source": r.Source, "file": digest, "file_name": name}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		g := tx.DB.WithContext(ctx)
		err := g.Exec(`UPDATE cost_imports SET content = NULL WHERE content IS NOT NULL AND task_id IS NULL AND created_at < clock_timestamp() - ?::interval`,
			fmt.Sprintf("%d seconds", int64(keepUnused.Seconds()))).Error
		if err != nil {
			return nil, fmt.Errorf("costimport: forget: %w", err)
		}
		result := UploadResult{ImportID: ids.New()}
		err = g.Exec(`INSERT INTO cost_imports (id, source, mapping, file_name, size, digest, content, actor, operation_id) VALUES (?, ?, ?::json, ?, ?, ?, ?, ?, ?)`,
			result.ImportID, r.Source, string(mapping), name, len(r.Content), digest, r.Content, r.Actor.String(), r.OperationID).Error
		if err != nil {
			return nil, fmt.Errorf("costimport: upload: %w", err)
		}
		return result, audited(ctx, tx, "cost_import:"+result.ImportID, map[string]any{"source": r.Source, "file": name, "bytes": len(r.Content)})
	})
}

// audited leaves a row of what a person did; nothing of what a program did, which its operation names.
func audited(ctx context.Context, tx *operation.Tx, object string, after any) error {
	r := tx.Request
	if r.Actor.Kind != actor.Staff("").Kind {
		return nil
	}
	return audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: r.Kind, Object: object, Reason: r.Reason, After: after,
		OperationID: r.ID, RequestID: r.RequestID, TraceID: tx.TraceID})
}

// fileName is the name of a file as it can be stored and shown.
func fileName(name string) string {
	var out []rune
	for _, r := range name {
		if r >= 0x20 && r != 0x7f && r != utf8.RuneError {
			out = append(out, r)
		}
	}
	if len(out) > 200 {
		out = out[:200]
	}
	return string(out)
}

type importRow struct {
	Import  `gorm:"embedded"`
	Mapping string
}

const selectImport = `SELECT key, id, source, mapping::text AS mapping, file_name, size, digest, actor, created_at, task_id, content IS NOT NULL AS kept FROM cost_imports `

func (r importRow) show() (Import, error) {
	i := r.Import
	if err := json.Unmarshal([]byte(r.Mapping), &i.Mapping); err != nil {
		return i, fmt.Errorf("costimport: mapping: %w", err)
	}
	return i, nil
}

// Find returns one import. Fault: cost_import_not_found.
func (s *Service) Find(ctx context.Context, id string) (Import, error) {
	var r importRow
	if ids.CheckCallerID(id) != nil {
		id = ""
	}
	res := s.g.WithContext(ctx).Raw(selectImport+`WHERE id = ?`, id).Scan(&r)
	if res.Error != nil {
		return r.Import, fmt.Errorf("costimport: find: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return r.Import, fault.New(fault.NotFound, CodeNotFound, "There is no such import.")
	}
	return r.show()
}

// Listed is an import with its task.
type Listed struct {
	Import
	// Task is nil before anybody asked to import the file.
	Task *task.Task
}

// List returns the newest imports, at most limit.
func (s *Service) List(ctx context.Context, limit int) ([]Listed, error) {
	var rows []importRow
	if err := s.g.WithContext(ctx).Raw(selectImport+`ORDER BY key DESC LIMIT ?`, limit).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("costimport: list: %w", err)
	}
	out := make([]Listed, len(rows))
	for i, r := range rows {
		found, err := r.show()
		if err != nil {
			return nil, err
		}
		if out[i], err = s.withTask(ctx, found); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Service) withTask(ctx context.Context, i Import) (Listed, error) {
	if i.TaskID == nil {
		return Listed{Import: i}, nil
	}
	t, err := s.tasks.Find(ctx, *i.TaskID)
	if err != nil {
		return Listed{}, err
	}
	return Listed{Import: i, Task: &t}, nil
}

// Get returns one import with its task. Fault: cost_import_not_found.
func (s *Service) Get(ctx context.Context, id string) (Listed, error) {
	i, err := s.Find(ctx, id)
	if err != nil {
		return Listed{}, err
	}
	return s.withTask(ctx, i)
}

// Preview reads the file of an import, and names the lines whose records are there with other content by now. Faults:
// cost_import_not_found, cost_import_file_gone.
func (s *Service) Preview(ctx context.Context, id string) (File, error) {
	i, err := s.Find(ctx, id)
	if err != nil {
		return File{}, err
	}
	return s.examine(ctx, i)
}

// examine reads the file of an import and holds its records against those that are there.
func (s *Service) examine(ctx context.Context, i Import) (File, error) {
	f, err := s.read(ctx, i, ForUpload())
	if err != nil || !f.Sound() {
		return f, err
	}
	found, err := s.costs.Conflicts(ctx, i.Source, f.Records)
	if err != nil {
		return File{}, err
	}
	f.recorded(found, i.Mapping)
	return f, nil
}

func (s *Service) read(ctx context.Context, i Import, limits Limits) (File, error) {
	var row struct{ Content []byte }
	if err := s.g.WithContext(ctx).Raw(`SELECT content FROM cost_imports WHERE key = ?`, i.Key).Scan(&row).Error; err != nil {
		return File{}, fmt.Errorf("costimport: content: %w", err)
	}
	if row.Content == nil {
		return File{}, fault.New(fault.Conflict, CodeFileGone, "The file is not kept any more: it was imported, or nobody imported it for a week. Upload it again.")
	}
	actions, err := s.actions(ctx)
	if err != nil {
		return File{}, err
	}
	return Read(ctx, row.Content, i.Mapping, limits, actions)
}

func (s *Service) actions(ctx context.Context) ([]string, error) {
	var actions []string
	if err := s.g.WithContext(ctx).Raw(`SELECT id FROM actions`).Scan(&actions).Error; err != nil {
		return nil, fmt.Errorf("costimport: actions: %w", err)
	}
	return actions, nil
}

// StartRequest asks to import an uploaded file.
type StartRequest struct {
	ledger.Envelope
	ImportID string
}

// taskInput is what the task of an import is asked to do.
type taskInput struct {
	ImportID string `json:"import_id"`
}

// Start has the import done in the background. Faults: cost_import_not_found, cost_import_file_gone, invalid_request
// (file) when a line is bad or its record is there with other content, state_conflict when it was started before, and those of operation.Apply.
func (s *Service) Start(ctx context.Context, r StartRequest) (operation.Outcome, error) {
	i, err := s.Find(ctx, r.ImportID)
	if err != nil {
		return operation.Outcome{}, err
	}
	req := operation.Request{Scope: cost.Scope(i.Source), ID: r.OperationID, Kind: "cost_import_start", Actor: r.Actor, RequestID: r.RequestID,
		Object: "cost_import:" + i.ID, Input: operation.Input{"import": i.ID}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		started := fault.State("started", "This import was started already. Nothing was changed.")
		if i.TaskID != nil {
			return nil, started
		}
		f, err := s.examine(ctx, i)
		if err == nil {
			err = f.Err()
		}
		if err != nil {
			return nil, err
		}
		t, err := s.tasks.Start(ctx, tx, task.NewTask{Kind: Kind, Title: i.FileName, Input: taskInput{ImportID: i.ID}, Total: int64(f.Count)})
		if err != nil {
			return nil, err
		}
		res := tx.DB.WithContext(ctx).Exec(`UPDATE cost_imports SET task_id = ? WHERE key = ? AND task_id IS NULL`, t.ID, i.Key)
		if res.Error != nil {
			return nil, fmt.Errorf("costimport: start: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil, started
		}
		return UploadResult{ImportID: i.ID, TaskID: t.ID}, audited(ctx, tx, "cost_import:"+i.ID, map[string]any{"source": i.Source, "records": f.Count, "task": t.ID})
	})
}

// Result is what came of an import.
type Result struct {
	cost.BatchResult
	// Again is true when the very same file was imported before under the same mapping: nothing was written now, and
	// the counts are those of then.
	Again bool `json:"again"`
}

// Run does the task of an import. It may be called again after a kill: the import is one operation, named by the
// file's digest, so it is applied once.
func (s *Service) Run(ctx context.Context, run *task.Run) (any, error) {
	var input taskInput
	if err := run.Decode(&input); err != nil {
		return nil, err
	}
	i, err := s.Find(ctx, input.ImportID)
	if err != nil {
		return nil, err
	}
	f, err := s.read(ctx, i, ForUpload())
	if err != nil {
		return nil, err
	}
	result, err := s.Import(ctx, ImportRequest{Actor: actor.Parse(run.RequestedBy), RequestID: run.RequestID, Source: i.Source, ImportID: i.ID, Digest: i.Digest, File: f,
		Progress: func(done int) error { return run.Progress(ctx, int64(done), int64(f.Count)) }})
	if err != nil {
		return nil, err
	}
	// The records are there; the file is not needed any more.
	if err := s.g.WithContext(ctx).Exec(`UPDATE cost_imports SET content = NULL WHERE key = ?`, i.Key).Error; err != nil {
		return nil, fmt.Errorf("costimport: forget: %w", err)
	}
	return result, nil
}

// ImportRequest asks to keep all records of a file.
type ImportRequest struct {
	Actor     actor.Actor
	RequestID string
	Source    string
	// ImportID names the import on the records; Digest is that of the file, and names the operation.
	ImportID string
	Digest   string
	File     File
	// Progress may be nil; its error stops and undoes everything.
	Progress func(written int) error
}

// Import keeps all records of a file in one transaction. Faults: invalid_request that names the bad lines, cost_conflict that
// names the lines whose records are there with other content (DetailLines), and those of operation.Apply.
func (s *Service) Import(ctx context.Context, r ImportRequest) (Result, error) {
	if err := r.File.Err(); err != nil {
		return Result{}, err
	}
	out, err := s.costs.Record(ctx, cost.Batch{Envelope: ledger.Envelope{OperationID: "import:" + r.Digest, Actor: r.Actor, RequestID: r.RequestID},
		Source: r.Source, Records: r.File.Records, ImportID: r.ImportID, FileDigest: r.Digest, Progress: r.Progress})
	if err != nil {
		return Result{}, atLines(r.File, r.Source, err)
	}
	result := Result{Again: out.Replayed}
	return result, out.Decode(&result.BatchResult)
}

// ReadForCommand reads a file where a command runs, with the actions of the installation.
func (s *Service) ReadForCommand(ctx context.Context, content []byte, m Mapping) (File, error) {
	if bad := m.Check(); len(bad) > 0 {
		return File{}, fault.InvalidFields(bad...)
	}
	actions, err := s.actions(ctx)
	if err != nil {
		return File{}, err
	}
	return Read(ctx, content, m, ForCommand(), actions)
}
