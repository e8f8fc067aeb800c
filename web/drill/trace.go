package drill

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"recoup/models/ids"
)

// Phase is where a job of the trace stood when the trace ended.
type Phase string

// The phases a trace may hold.
const (
	Succeeded Phase = "Succeeded"
	Failed    Phase = "Failed"
	Running   Phase = "Running"
	Pending   Phase = "Pending"
)

// TraceJob is one line of a job trace.
type TraceJob struct {
	// Line is the line of the file, 1 being the header.
	Line int
	// JobID and AccountID obey the rules for ids of callers.
	JobID, AccountID string
	Action           string
	// Units is at least 1.
	Units int64
	Phase Phase
	// CreatedS is when the job arrived, in seconds from any origin; 0 when the trace does not say.
	CreatedS float64
}

// TraceError says what is wrong with a trace and where.
type TraceError struct {
	Line int
	// Column is empty when the whole line is meant.
	Column  string
	Message string
}

func (e *TraceError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return fmt.Sprintf("line %d, column %s: %s", e.Line, e.Column, e.Message)
}

// requiredColumns must all be in the header, in any order; created_s is read where it is there, and
// every other column is ignored.
func requiredColumns() []string { return []string{"job_id", "account_id", "action", "units", "phase"} }

const arrivalColumn = "created_s"

// ReadTrace reads a trace, CSV with a header, line by line and hands each job to take. It stops at
// the first fault, a *TraceError, at the first error of take, and after limit jobs when limit is
// above 0. Jobs come in the order of the file.
func ReadTrace(in io.Reader, limit int, take func(TraceJob) error) error {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return &TraceError{Line: 1, Message: "the file is empty; the first line must name the columns " + strings.Join(requiredColumns(), ", ")}
	}
	if err != nil {
		return csvError(err)
	}
	at, err := columns(header)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for n := 0; limit <= 0 || n < limit; n++ {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(err)
		}
		line, _ := r.FieldPos(0)
		j, err := at.job(fields, line)
		if err != nil {
			return err
		}
		name := j.AccountID + "\x00" + j.JobID
		if first := seen[name]; first != 0 {
			return &TraceError{Line: line, Column: "job_id", Message: fmt.Sprintf("%q is in account %q already, on line %d", j.JobID, j.AccountID, first)}
		}
		seen[name] = line
		if err := take(j); err != nil {
			return err
		}
	}
	return nil
}

func csvError(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("read the trace: %w", err)
	}
	if errors.Is(parse.Err, csv.ErrFieldCount) {
		return &TraceError{Line: parse.Line, Message: "has another number of columns than the header"}
	}
	return &TraceError{Line: parse.Line, Message: fmt.Sprintf("is not valid CSV at byte %d: %s", parse.Column, parse.Err)}
}

// columnsAt maps a column's name to its place.
type columnsAt map[string]int

func columns(header []string) (columnsAt, error) {
	at := columnsAt{}
	for i, name := range header {
		if i == 0 {
			name = strings.TrimPrefix(name, "\ufeff")
		}
		name = strings.TrimSpace(name)
		if _, twice := at[name]; twice && (name == arrivalColumn || slices.Contains(requiredColumns(), name)) {
			return nil, &TraceError{Line: 1, Column: name, Message: "is named twice"}
		}
		at[name] = i
	}
	var missing []string
	for _, name := range requiredColumns() {
		if _, ok := at[name]; !ok {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return nil, &TraceError{Line: 1, Message: "the header lacks " + strings.Join(missing, ", ")}
	}
	return at, nil
}

func (at columnsAt) job(fields []string, line int) (TraceJob, error) {
	j := TraceJob{Line: line}
	refuse := func(column, format string, args ...any) (TraceJob, error) {
		return TraceJob{}, &TraceError{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
	}
	// A record's memory is used again for the next one.
	text := func(column string) string { return strings.Clone(fields[at[column]]) }

	j.JobID, j.AccountID, j.Action = text("job_id"), text("account_id"), text("action")
	for _, f := range []struct{ column, value string }{{"job_id", j.JobID}, {"account_id", j.AccountID}} {
		if err := ids.CheckCallerID(f.value); err != nil {
			return refuse(f.column, "%q %s", f.value, err)
		}
	}
	if !validAction(j.Action) {
		return refuse("action", "%q must have 1 to 40 characters of a–z, 0–9 and _, a letter first", j.Action)
	}
	units, err := strconv.ParseInt(fields[at["units"]], 10, 64)
	if err != nil || units < 1 {
		return refuse("units", "%q must be a whole number of at least 1", fields[at["units"]])
	}
	j.Units = units
	switch p := fields[at["phase"]]; strings.ToLower(p) {
	case "succeeded":
		j.Phase = Succeeded
	case "failed":
		j.Phase = Failed
	case "running":
		j.Phase = Running
	case "pending":
		j.Phase = Pending
	default:
		return refuse("phase", "%q must be Succeeded, Failed, Running or Pending", p)
	}
	if i, ok := at[arrivalColumn]; ok && fields[i] != "" {
		s, err := strconv.ParseFloat(fields[i], 64)
		if err != nil || math.IsNaN(s) || math.IsInf(s, 0) {
			return refuse(arrivalColumn, "%q must be a number of seconds", fields[i])
		}
		j.CreatedS = s
	}
	return j, nil
}

// validAction leaves room for the prefix that keeps the drill's actions apart from others.
func validAction(id string) bool {
	if len(id) < 1 || len(id) > 40 || id[0] < 'a' || id[0] > 'z' {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
