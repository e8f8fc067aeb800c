package costimport

import (
	"fmt"
	"strconv"
	"strings"

	"recoup/models/cost"
	"recoup/models/fault"
)

// Code is a kind of problem of a file. Pages word it.
type Code string

// The codes, with what Values of a Problem holds.
const (
	// TooLarge: more bytes than that many; TooManyLines: more lines.
	TooLarge     Code = "too_large"
	TooManyLines Code = "too_many_lines"
	NoHeader     Code = "no_header"
	NoLines      Code = "no_lines"
	// ColumnTwice, ColumnMissing: of the column of that name.
	ColumnTwice   Code = "column_twice"
	ColumnMissing Code = "column_missing"
	// ColumnUnknown: the columns that there are, separated by commas. ColumnNear: the column that it is almost called like.
	ColumnUnknown Code = "column_unknown"
	ColumnNear    Code = "column_near"
	// Separator: what separates the columns in the place of a comma, a semicolon or "tab". Encoding: the file is no text in UTF-8.
	Separator Code = "separator"
	Encoding  Code = "encoding"
	// BadQuotes: the line is not well-formed CSV.
	BadQuotes Code = "bad_quotes"
	// OtherCells: the cells of the line, those of the header.
	OtherCells Code = "other_cells"
	// BadCell: what is wrong with the value, as a fault.Field says it.
	BadCell Code = "bad_cell"
	// UnknownAction: the action.
	UnknownAction Code = "unknown_action"
	// SameID: the other line of the file that has it.
	SameID Code = "same_id"
	// Recorded: the external id, under which a record is there with other content.
	Recorded Code = "recorded"
	// ReadOtherwise: the very same line is recorded, of a file without ids, but its amount or its target was read from other columns.
	ReadOtherwise Code = "read_otherwise"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	// Line counts from 1, the header included, as an editor shows it; 0 for the file as a whole.
	Line int
	// Column is empty where the whole line is meant.
	Column string
	Code   Code
	Values []string
}

// String is the problem in one line of English, for commands and logs.
func (p Problem) String() string {
	switch {
	case p.Line == 0:
		return "the file " + p.message()
	case p.Column == "":
		return fmt.Sprintf("line %d %s", p.Line, p.message())
	}
	return fmt.Sprintf("line %d: %s %s", p.Line, p.Column, p.message())
}

// message completes a sentence that begins with the column's name, with "the line" or with "the file".
func (p Problem) message() string {
	value := func(i int) string {
		if i < len(p.Values) {
			return p.Values[i]
		}
		return ""
	}
	switch p.Code {
	case TooLarge:
		return "is larger than " + value(0) + " bytes"
	case TooManyLines:
		return "has more than " + value(0) + " lines"
	case NoHeader:
		return "is no header of a CSV file"
	case NoLines:
		return "holds no lines"
	case ColumnTwice:
		return "is there twice"
	case ColumnMissing:
		return "is not a column of this file"
	case ColumnUnknown:
		return "is not a known column; known are " + value(0)
	case ColumnNear:
		return "is not a known column; " + value(0) + " is"
	case Separator:
		return "has its columns separated by " + value(0) + " and not by commas"
	case Encoding:
		return "is not encoded in UTF-8"
	case BadQuotes:
		return "is not well-formed CSV: its quotes do not match"
	case OtherCells:
		return "has " + value(0) + " cells, the header " + value(1)
	case UnknownAction:
		return fmt.Sprintf("holds %q, which is not an action of this installation", value(0))
	case SameID:
		return "is that of line " + value(0) + " too"
	case ReadOtherwise:
		return "was recorded before, read from other columns"
	case Recorded:
		return fmt.Sprintf("holds %q, which was recorded before with other content", value(0))
	}
	return value(0)
}

// recorded names the lines of records that are there with other content.
func (f *File) recorded(found []cost.Conflict, m Mapping) {
	for _, c := range found {
		if m.Format == Focus && m.LineID == "" {
			f.wrong(f.Lines[c.Record], "", ReadOtherwise)
			continue
		}
		f.wrong(f.Lines[c.Record], m.columnOf("external_id"), Recorded, c.ExternalID)
	}
	if len(found) > 0 {
		f.Records, f.Lines = nil, nil
	}
}

// namedLines is how many lines the message of a refused import names.
const namedLines = 10

// LineConflict is a line whose record is there with other content.
type LineConflict struct {
	Line int `json:"line"`
	cost.Conflict
}

// DetailLines is under what the Detail of a cost_conflict of a file holds a []LineConflict.
const DetailLines = "lines"

// atLines names the lines of a file where a refusal names records of a batch.
func atLines(f File, source string, err error) error {
	refused := fault.As(err)
	if refused == nil || refused.Code != cost.CodeConflict {
		return err
	}
	found, _ := refused.Detail[cost.DetailConflicts].([]cost.Conflict)
	lines, names := make([]LineConflict, len(found)), make([]string, 0, namedLines)
	for i, c := range found {
		lines[i] = LineConflict{Line: f.Lines[c.Record], Conflict: c}
		if len(names) < namedLines {
			names = append(names, fmt.Sprintf("line %d (%s)", lines[i].Line, c.ExternalID))
		}
	}
	more := ""
	if n := len(found) - len(names); n > 0 {
		more = " and " + strconv.Itoa(n) + " more"
	}
	return fault.New(fault.Conflict, cost.CodeConflict, "Recorded before from %s with other content: %s%s. Nothing of the file was imported. "+
		"What is recorded is never changed: take these lines out, or give them external ids of their own.", source, strings.Join(names, ", "), more).
		With("external_id", refused.Detail["external_id"]).With("existing_operation_id", refused.Detail["existing_operation_id"]).With(DetailLines, lines)
}
