package export

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/task"
)

// Kind is the kind of the tasks that write a file in the background.
const Kind task.Kind = "export"

// CodeStorageFull is the fault of a file that does not fit the room for files any more.
const CodeStorageFull = "export_storage_full"

// Options bound what a Service does. Zero values take the defaults.
type Options struct {
	// Direct is how many entries a file may hold that is written straight to who asked; 100,000.
	Direct int64
	// Keep is how long a file is kept once it is written; 24 h.
	Keep time.Duration
	// Storage is how many bytes all files that are kept may take together, packed; 4 GiB.
	Storage int64
}

// Service makes files in the background, keeps them for a while and hands them out.
type Service struct {
	g      *gorm.DB
	ops    *operation.Store
	tasks  *task.Store
	ledger *ledger.Service
	o      Options
	// piece is how large a piece of a file is; tests make it smaller.
	piece int
	// afterPiece is told how many pieces of a file are stored after each; nil but in tests.
	afterPiece func(int)
}

// NewService makes a Service.
func NewService(ops *operation.Store, tasks *task.Store, entries *ledger.Service, o Options) *Service {
	if o.Direct <= 0 {
		o.Direct = 100_000
	}
	if o.Keep <= 0 {
		o.Keep = 24 * time.Hour
	}
	if o.Storage <= 0 {
		o.Storage = 4 << 30
	}
	return &Service{g: ops.DB(), ops: ops, tasks: tasks, ledger: entries, o: o, piece: 1 << 20}
}

// Direct is how many entries a file may hold that is written straight to who asked.
func (s *Service) Direct() int64 { return s.o.Direct }

// Keep is how long a file is kept once it is written.
func (s *Service) Keep() time.Duration { return s.o.Keep }

// Input is what a task is asked to write.
type Input struct {
	Filter ledger.Filter `json:"filter"`
	Format Format        `json:"format"`
	// Zone is the IANA name of the zone of the file's times.
	Zone string `json:"zone"`
	// Of says whose entries of which days these are, for the file's name: "ledger_2026-11-01_2026-11-30".
	Of string `json:"of"`
	// Page is the path and query of the page that shows the same entries, in days that do not move with the calendar.
	Page string `json:"page"`
}

// Result is what came of it.
type Result struct {
	// Try and Pieces name the rows that hold the file.
	Try    int `json:"try"`
	Pieces int `json:"pieces"`
	// At is when the moment was taken whose entries the file holds.
	At      time.Time `json:"at"`
	Entries int64     `json:"entries"`
	// Bytes is the size of the file, Packed what it takes here.
	Bytes  int64 `json:"bytes"`
	Packed int64 `json:"packed"`
	// Totals are the sums of the file's entries by type, in the order of ledger.Types.
	Totals []Total `json:"totals"`
}

// Total is the sum of one type's entries in a file.
type Total struct {
	Type    ledger.Type `json:"type"`
	Entries int64       `json:"entries"`
	// Credits is exact: decimal digits, with "-" in front when it is negative.
	Credits string `json:"credits"`
}

// File is a file that is asked for, being written, or kept.
type File struct {
	task.Task
	Input Input
	// Result is nil unless the file was written.
	Result *Result
}

// Gone reports whether the file was written and its time is over.
func (f File) Gone(now time.Time) bool {
	return f.State == task.Done && f.ExpiresAt != nil && !f.ExpiresAt.After(now)
}

// Ready reports whether the file can be read.
func (f File) Ready(now time.Time) bool {
	return f.State == task.Done && f.Result != nil && !f.Gone(now)
}

// Name is the file's name: whose entries, of which days, times of which zone, how many, of which moment.
func (f File) Name() string {
	if f.Result == nil {
		return Name(f.Input.Of, f.Input.Zone, "", f.Input.Format)
	}
	zone, err := time.LoadLocation(f.Input.Zone)
	if err != nil {
		zone = time.UTC
	}
	return Name(f.Input.Of, f.Input.Zone, fmt.Sprintf("%d-entries_at_%s", f.Result.Entries, Moment(f.Result.At, zone)), f.Input.Format)
}

// Moment is a time as a file's name writes it.
func Moment(at time.Time, zone *time.Location) string {
	return at.In(zone).Format("20060102T150405-0700")
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9._+-]+`)

// Name makes a file's name out of what it says, any of which may be empty.
func Name(of, zone, more string, f Format) string {
	parts := []string{"recoup"}
	for _, p := range []string{of, zone, more} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return unsafe.ReplaceAllString(strings.Join(parts, "_"), "-") + "." + string(f)
}

// Scope is that of the operations on files.
func Scope() operation.Scope { return operation.Named("exports") }

// started is the stored result of the operation that asks for a file.
type started struct {
	Export string `json:"export"`
}

// Start asks for a file to be written in the background and returns its id, also for a replay. It is audited like a file that is sent
// at once. Faults: those of operation.Apply.
func (s *Service) Start(ctx context.Context, e ledger.Envelope, in Input) (string, operation.Outcome, error) {
	filter, err := json.Marshal(in.Filter)
	if err != nil {
		return "", operation.Outcome{}, fmt.Errorf("export: filter: %w", err)
	}
	out, err := s.ops.Apply(ctx, operation.Request{Scope: Scope(), ID: e.OperationID, Kind: "export", Actor: e.Actor, RequestID: e.RequestID,
		Object: ledger.ExportObject(in.Filter), Input: operation.Input{"filter": json.RawMessage(filter), "format": string(in.Format), "zone": in.Zone}},
		func(ctx context.Context, tx *operation.Tx) (any, error) {
			made, err := s.tasks.Start(ctx, tx, task.NewTask{Kind: Kind, Title: in.Of, Input: in, Keep: s.o.Keep})
			if err != nil {
				return nil, err
			}
			return started{made.ID}, audit.Record(ctx, tx.DB, audit.Row{Actor: e.Actor, Action: ledger.ActionExport, Object: ledger.ExportObject(in.Filter),
				After: struct {
					Export string        `json:"export"`
					Filter ledger.Filter `json:"filter"`
					Format Format        `json:"format"`
					Zone   string        `json:"zone"`
				}{made.ID, in.Filter, in.Format, in.Zone}, OperationID: e.OperationID, RequestID: e.RequestID, TraceID: tx.TraceID})
		})
	if err != nil {
		return "", out, err
	}
	var is started
	if err := out.Decode(&is); err != nil {
		return "", out, fmt.Errorf("export: result: %w", err)
	}
	return is.Export, out, nil
}

// Cancel ends the writing of a file. It is audited. Faults: task_not_found, state_conflict when it is over, and those of
// operation.Apply.
func (s *Service) Cancel(ctx context.Context, e ledger.Envelope, id string) (operation.Outcome, error) {
	return s.ops.Apply(ctx, operation.Request{Scope: Scope(), ID: e.OperationID, Kind: "export_cancel", Actor: e.Actor, RequestID: e.RequestID,
		Object: Object(id), Input: operation.Input{"export": id}},
		func(ctx context.Context, tx *operation.Tx) (any, error) {
			if _, err := s.Find(ctx, id); err != nil {
				return nil, err
			}
			if err := s.tasks.Cancel(ctx, tx, id); err != nil {
				return nil, err
			}
			return started{id}, audit.Record(ctx, tx.DB, audit.Row{Actor: e.Actor, Action: "export.cancel", Object: Object(id),
				OperationID: e.OperationID, RequestID: e.RequestID, TraceID: tx.TraceID})
		})
}

// Object names a file in audit rows.
func Object(id string) string { return "export:" + id }

// Find returns one file. Fault: task_not_found, also for a task of another kind.
func (s *Service) Find(ctx context.Context, id string) (File, error) {
	t, err := s.tasks.Find(ctx, id)
	if err != nil {
		return File{}, err
	}
	if t.Kind != Kind {
		return File{}, fault.New(fault.NotFound, task.CodeNotFound, "There is no export %q.", id)
	}
	return file(t)
}

// List returns up to limit files, newest first: those that an actor asked for, or everybody's when by is empty.
func (s *Service) List(ctx context.Context, by string, limit int) ([]File, error) {
	var rows []task.Task
	var err error
	if by == "" {
		rows, err = s.tasks.List(ctx, []task.Kind{Kind}, limit)
	} else {
		rows, err = s.tasks.ListBy(ctx, Kind, by, limit)
	}
	if err != nil {
		return nil, err
	}
	out := make([]File, len(rows))
	for i, t := range rows {
		if out[i], err = file(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func file(t task.Task) (File, error) {
	f := File{Task: t}
	if err := t.Decode(&f.Input); err != nil {
		return f, err
	}
	if t.State == task.Done {
		f.Result = &Result{}
		if err := json.Unmarshal(t.Result, f.Result); err != nil {
			return f, fmt.Errorf("export: result of %s: %w", t.ID, err)
		}
	}
	return f, nil
}

// RecordDownload appends the audit row of a file that leaves the program, committed when it returns: call it before the first byte.
func (s *Service) RecordDownload(ctx context.Context, f File, who actor.Actor, requestID string) error {
	return audit.Record(ctx, s.g, audit.Row{Actor: who, Action: "export.download", Object: Object(f.ID), RequestID: requestID,
		TraceID: operation.TraceID(ctx), After: map[string]any{"file": f.Name(), "requested_by": f.RequestedBy}})
}
