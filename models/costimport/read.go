package costimport

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"

	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/fault"
)

// Limits bound a file.
type Limits struct {
	// Bytes and Lines are the largest file that is read.
	Bytes int64
	Lines int
}

// ForUpload are the limits of a file that comes through the console.
func ForUpload() Limits { return Limits{Bytes: 16 << 20, Lines: 100_000} }

// ForCommand are the limits of a file that is read where the command runs.
func ForCommand() Limits { return Limits{Bytes: 256 << 20, Lines: 500_000} }

// maxProblems is how many bad lines are named.
const maxProblems = 100

// File is what was read.
type File struct {
	// Records and Lines go together: the line on which each record begins. Empty when there are problems.
	Records []cost.NewRecord
	Lines   []int
	// Count is how many lines hold records, good or bad.
	Count int
	// Problems are the first maxProblems of them; More tells that there are others.
	Problems []Problem
	More     bool
	// Totals are the sums of the good lines, one a currency, in the order of the codes.
	Totals []cost.Total
}

// Sound tells whether the file can be imported.
func (f File) Sound() bool { return len(f.Problems) == 0 && f.Count > 0 }

// Err is nil for a sound file, else an invalid_request fault that names the bad lines.
func (f File) Err() error {
	if f.Sound() {
		return nil
	}
	fields := make([]fault.Field, 0, len(f.Problems)+1)
	for _, p := range f.Problems {
		fields = append(fields, fault.Field{Name: "file", Message: p.String()})
	}
	if len(fields) == 0 {
		fields = append(fields, fault.Field{Name: "file", Message: Problem{Code: NoLines}.message()})
	}
	return fault.InvalidFields(fields...)
}

func (f *File) wrong(line int, column string, code Code, values ...string) {
	if len(f.Problems) < maxProblems {
		f.Problems = append(f.Problems, Problem{Line: line, Column: column, Code: code, Values: values})
	} else {
		f.More = true
	}
}

// Read reads a whole file. What is wrong with it is in the result; the error is that of a context that ended.
// actions are those of the installation.
func Read(ctx context.Context, content []byte, m Mapping, limits Limits, actions []string) (File, error) {
	r := reader{mapping: m, rows: map[string]int{}, ids: map[string]int{}, actions: map[string]bool{}, sums: map[string]*cost.Total{}, finest: map[string]int{}}
	for _, a := range actions {
		r.actions[a] = true
	}
	if int64(len(content)) > limits.Bytes {
		r.wrong(0, "", TooLarge, strconv.FormatInt(limits.Bytes, 10))
		return r.File, nil
	}
	lines := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))))
	lines.FieldsPerRecord = -1
	header, err := lines.Read()
	if code, value := notCSV(content, header, err); code != "" {
		r.wrong(1, "", code, value...)
		return r.File, nil
	}
	if r.header(header); len(r.Problems) > 0 {
		return r.File, nil
	}
	for {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if r.Count++; r.Count > limits.Lines {
			r.wrong(0, "", TooManyLines, strconv.Itoa(limits.Lines))
			break
		}
		if r.Count%1000 == 0 && ctx.Err() != nil {
			return r.File, ctx.Err()
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			r.wrong(broken.StartLine, "", BadQuotes)
			continue
		}
		line, _ := lines.FieldPos(0)
		if len(cells) != len(header) {
			r.wrong(line, "", OtherCells, strconv.Itoa(len(cells)), strconv.Itoa(len(header)))
			continue
		}
		r.line(line, cells)
	}
	if r.Count == 0 {
		r.wrong(0, "", NoLines)
	}
	codes := make([]string, 0, len(r.sums))
	for code := range r.sums {
		codes = append(codes, code)
	}
	sort.Strings(codes)
	r.trim()
	for _, code := range codes {
		r.Totals = append(r.Totals, *r.sums[code])
	}
	if len(r.Problems) > 0 {
		r.Lines, r.Records = nil, nil
	}
	return r.File, nil
}

// notCSV tells why a file with this header cannot be what is asked for, whatever its columns: "" when it can. Spreadsheets write UTF-16,
// and separate by semicolons where the comma is the decimal point.
func notCSV(content []byte, header []string, err error) (Code, []string) {
	first, _, _ := bytes.Cut(content, []byte("\n"))
	switch {
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}), bytes.HasPrefix(content, []byte{0xfe, 0xff}), bytes.IndexByte(first, 0) >= 0:
		return Encoding, nil
	case err != nil:
		return NoHeader, nil
	case len(header) == 1 && strings.Contains(header[0], ";"):
		return Separator, []string{";"}
	case len(header) == 1 && strings.Contains(header[0], "\t"):
		return Separator, []string{"tab"}
	}
	return "", nil
}

// reader is a file half read.
type reader struct {
	File
	mapping Mapping
	// names are the columns; at leads from a name to its place.
	names []string
	at    map[string]int
	// rows counts equal rows, ids has the line of each external id.
	rows    map[string]int
	ids     map[string]int
	actions map[string]bool
	sums    map[string]*cost.Total
	// finest is how many digits behind the point the costs of a FOCUS file use, a currency.
	finest map[string]int
}

func (r *reader) header(names []string) {
	r.names, r.at = names, make(map[string]int, len(names))
	for i, name := range names {
		if _, twice := r.at[name]; twice {
			r.wrong(1, name, ColumnTwice)
		}
		r.at[name] = i
	}
	need := func(names ...string) {
		for _, name := range names {
			if _, there := r.at[name]; !there && name != "" {
				r.wrong(1, name, ColumnMissing)
			}
		}
	}
	m := r.mapping
	if m.Format == Own {
		need(OwnColumns()[:NeededColumns]...)
		for _, name := range names {
			if ownColumn(name) {
				continue
			}
			near := nearColumn(name)
			if _, there := r.at[near]; near != "" && !there {
				r.wrong(1, name, ColumnNear, near)
			} else {
				r.wrong(1, name, ColumnUnknown, strings.Join(OwnColumns(), ", "))
			}
		}
		return
	}
	need(m.Amount, "BillingCurrency", "ChargePeriodStart")
	for _, name := range []string{m.LineID, m.Account, m.Job, m.Operation, m.Action} {
		if strings.HasPrefix(name, tagPrefix) {
			name = "Tags"
		}
		need(name)
	}
}

// line makes a record of a row.
func (r *reader) line(number int, cells []string) {
	var n cost.NewRecord
	var bad []fault.Field
	if r.mapping.Format == Own {
		n, bad = r.own(cells)
	} else {
		n, bad = r.focus(cells)
	}
	for _, f := range n.Check("", nil) {
		// What could not even be read was named above.
		if !named(bad, f.Name) {
			bad = append(bad, f)
		}
	}
	sound := len(bad) == 0
	for _, f := range bad {
		r.wrong(number, r.columnOf(f.Name), BadCell, f.Message)
	}
	if n.Action != "" && !r.actions[n.Action] {
		sound = false
		r.wrong(number, r.columnOf("action"), UnknownAction, n.Action)
	}
	if first, twice := r.ids[n.ExternalID]; twice && n.ExternalID != "" {
		sound = false
		r.wrong(number, r.columnOf("external_id"), SameID, strconv.Itoa(first))
	} else {
		r.ids[n.ExternalID] = number
	}
	if !sound {
		return
	}
	sum := r.sums[n.Currency]
	if sum == nil {
		sum = &cost.Total{Currency: n.Currency}
		r.sums[n.Currency] = sum
	}
	sum.Count++
	sum.Amount = sum.Amount.Plus(n.Amount)
	r.Records, r.Lines = append(r.Records, n), append(r.Lines, number)
}

func named(bad []fault.Field, name string) bool {
	for _, f := range bad {
		if f.Name == name {
			return true
		}
	}
	return false
}

func (r *reader) columnOf(field string) string { return r.mapping.columnOf(field) }

// amountOf reads an amount exactly, also in scientific notation, which billing exports and spreadsheets write.
func amountOf(cell string, bad *[]fault.Field) decimal.Decimal {
	if cell == "" {
		*bad = append(*bad, fault.Field{Name: "amount", Message: "is required"})
		return decimal.Decimal{}
	}
	d, err := decimal.ParseScientific(cell)
	if err != nil {
		*bad = append(*bad, fault.Field{Name: "amount", Message: err.Error()})
	}
	return d
}

// timeOf reads the time of a field: RFC 3339 and, where spaced is set, also a date and a time of UTC with a blank between them.
func timeOf(field, cell string, spaced bool, bad *[]fault.Field) time.Time {
	if cell == "" {
		*bad = append(*bad, fault.Field{Name: field, Message: "is required"})
		return time.Time{}
	}
	layouts := []string{time.RFC3339Nano}
	if spaced {
		layouts = append(layouts, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02")
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, cell); err == nil {
			return t.UTC()
		}
	}
	*bad = append(*bad, fault.Field{Name: field, Message: "must be a time such as 2026-11-30T18:00:00Z"})
	return time.Time{}
}
