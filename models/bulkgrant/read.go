// Package bulkgrant applies a file of grants: all of its lines in one transaction, or none.
//
// Each line names the operation id of its grant, its reference, which is unique in the account's scope like any
// other operation id. So the same file twice has one effect, and a line that was granted through the API before
// is a replay. Above the limit of one person the file waits for a second one, by the sum of its lines.
package bulkgrant

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recoup/models/credit"
	"recoup/models/export"
	"recoup/models/freetext"
	"recoup/models/ids"
	"recoup/models/ledger"
)

// Bounds of a file.
const (
	MaxLines = 10_000
	MaxBytes = 4 << 20
)

// Columns are the names of a file's columns, those that must be there first. Their order in the file does not
// matter.
func Columns() []string {
	return []string{colReference, colAccount, colAmount, colCategory, colReason, colExternal}
}

const (
	colReference = "reference"
	colAccount   = "account"
	colAmount    = "amount"
	colCategory  = "category"
	colReason    = "reason"
	colExternal  = "external_reference" // may be left out
)

// Line is one grant of a file.
type Line struct {
	// Number is the line of the file it begins on, from 1; the header has one.
	Number    int    `json:"line"`
	Reference string `json:"reference"`
	Account   string `json:"account"`
	Amount    int64  `json:"amount"`
	Category  string `json:"category"`
	Reason    string `json:"reason"`
	External  string `json:"external_reference,omitempty"`
}

// grant is the grant of a line, by whom env says.
func (l Line) grant(env ledger.Envelope) ledger.GrantRequest {
	env.OperationID = l.Reference
	return ledger.GrantRequest{Envelope: env, AccountID: l.Account, Amount: l.Amount, Category: l.Category, Reference: l.External, Reason: l.Reason}
}

// Problem is what is wrong with a line of a file.
type Problem struct {
	// Line is 0 for the file as a whole.
	Line int
	// Column is empty for a line as a whole.
	Column string
	// Code is stable: not_text, control_characters, no_header, missing_column, unknown_column, double_column, broken_line,
	// not_read_on, empty_file, too_many_lines, required, bad_reference, bad_account, bad_amount, bad_category, too_long, bad_text,
	// double_reference, too_large (the sum of the file); and what only the accounts show: unknown_account, conflict,
	// undecided, reference_taken, balance_too_large, second_person.
	Code string
	// Value is what stands there, cut; of double_reference the other line, of reference_taken the account that has it, of
	// balance_too_large the balance. May be empty.
	Value string
}

// Read reads a file: UTF-8 with or without a byte order mark, separated by commas or semicolons, with a header.
// Problems is empty when every line is a grant by itself; whether accounts exist and references are free shows
// only in Store.Check. Every line is read, whatever is wrong with others; a line whose quotes do not match is left out, and
// reading goes on with the next. Too many lines, or too many such lines, end it, which the last problem says.
func Read(content []byte) (lines []Line, problems []Problem) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(content) {
		return nil, []Problem{{Code: "not_text"}}
	}
	if at := bytes.IndexByte(content, 0); at >= 0 {
		return nil, []Problem{{Line: 1 + bytes.Count(content[:at], []byte("\n")), Code: "control_characters"}}
	}
	r, comma := csv.NewReader(bytes.NewReader(content)), separator(content)
	r.Comma, r.FieldsPerRecord = comma, -1
	header, err := r.Read()
	if err != nil {
		return nil, []Problem{{Line: 1, Code: "no_header"}}
	}
	at, problems := columnsOf(header)
	if len(problems) > 0 {
		return nil, problems
	}
	seen := map[string]int{}
	var sum int64
	summed := true
	before, restarts := 0, 0 // lines before what r reads
	for read := 0; ; read++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var broken *csv.ParseError
			if !errors.As(err, &broken) {
				return lines, append(problems, Problem{Code: "broken_line"})
			}
			// A quote that is never closed has taken in everything behind it: read that again without its line.
			problems = append(problems, Problem{Line: before + broken.StartLine, Code: "broken_line"})
			if restarts++; restarts > mostRestarts {
				return lines, append(problems, Problem{Line: before + broken.StartLine, Code: "not_read_on"})
			}
			before += broken.StartLine
			content = behind(content, broken.StartLine)
			r = csv.NewReader(bytes.NewReader(content))
			r.Comma, r.FieldsPerRecord = comma, -1
			continue
		}
		number, _ := r.FieldPos(0)
		number += before
		if read == MaxLines {
			return lines, append(problems, Problem{Line: number, Code: "too_many_lines"})
		}
		if len(record) != len(header) {
			problems = append(problems, Problem{Line: number, Code: "broken_line"})
			continue
		}
		line, bad := lineOf(number, record, at)
		if first, double := seen[line.Reference]; double && line.Reference != "" {
			bad = append(bad, Problem{Line: number, Column: colReference, Code: "double_reference", Value: strconv.Itoa(first)})
		}
		seen[line.Reference] = number
		if total, err := credit.Add(sum, max(line.Amount, 0)); err == nil {
			sum = total
		} else if summed {
			// The line on which it grows too large is told, once.
			summed = false
			bad = append(bad, Problem{Line: number, Column: colAmount, Code: "too_large", Value: strconv.FormatInt(line.Amount, 10)})
		}
		lines, problems = append(lines, line), append(problems, bad...)
	}
	if len(lines) == 0 && len(problems) == 0 {
		problems = []Problem{{Code: "empty_file"}}
	}
	return lines, problems
}

// mostRestarts bounds how often the rest of a file is read again; each may read all of it.
const mostRestarts = 100

// behind is what follows the first n lines.
func behind(content []byte, n int) []byte {
	for range n {
		at := bytes.IndexByte(content, '\n')
		if at < 0 {
			return nil
		}
		content = content[at+1:]
	}
	return content
}

// separator is the one that the header uses more often.
func separator(content []byte) rune {
	header, _, _ := bytes.Cut(content, []byte("\n"))
	if bytes.Count(header, []byte(";")) > bytes.Count(header, []byte(",")) {
		return ';'
	}
	return ','
}

// columnsOf finds each known column in the header.
func columnsOf(header []string) (at map[string]int, problems []Problem) {
	at = map[string]int{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		_, double := at[name]
		switch {
		case !slices.Contains(Columns(), name):
			problems = append(problems, Problem{Line: 1, Column: name, Code: "unknown_column", Value: cut(name)})
		case double:
			problems = append(problems, Problem{Line: 1, Column: name, Code: "double_column", Value: name})
		}
		at[name] = i
	}
	for _, name := range Columns() {
		if _, there := at[name]; !there && name != colExternal {
			problems = append(problems, Problem{Line: 1, Column: name, Code: "missing_column", Value: name})
		}
	}
	return at, problems
}

func lineOf(number int, record []string, at map[string]int) (Line, []Problem) {
	var problems []Problem
	get := func(name string) string {
		i, there := at[name]
		switch {
		case !there:
			return ""
		case name == colReference || name == colAccount:
			// An id is what it is: one with a blank is another one, and refused. But what a file of ours has in front of it, so that
			// a spreadsheet takes it for no formula, is not part of it: the same file would grant once more.
			return export.Uninert(record[i])
		}
		return export.Uninert(strings.TrimSpace(record[i]))
	}
	bad := func(column, code string) {
		problems = append(problems, Problem{Line: number, Column: column, Code: code, Value: cut(get(column))})
	}
	l := Line{Number: number, Reference: get(colReference), Account: get(colAccount), Category: get(colCategory), Reason: get(colReason), External: get(colExternal)}
	for _, name := range Columns() {
		if name != colExternal && freetext.Blank(get(name)) {
			bad(name, "required")
		}
	}
	if l.Reference != "" && ids.CheckOperationID(l.Reference) != nil {
		bad(colReference, "bad_reference")
	}
	if l.Account != "" && ids.CheckCallerID(l.Account) != nil {
		bad(colAccount, "bad_account")
	}
	if typed := get(colAmount); typed != "" {
		n, err := strconv.ParseInt(credit.PlainDigits(typed), 10, 64)
		if err != nil || n < 1 || strings.HasPrefix(typed, "+") {
			bad(colAmount, "bad_amount")
		} else {
			l.Amount = n
		}
	}
	if len(problems) > 0 {
		return l, problems
	}
	for _, f := range ledger.CheckGrant(l.grant(ledger.Envelope{})) {
		switch {
		case f.Name == "category":
			bad(colCategory, "bad_category")
		case f.Name == "reference":
			bad(colExternal, textCode(f.Message))
		case f.Name == "reason":
			bad(colReason, textCode(f.Message))
		}
	}
	return l, problems
}

func textCode(message string) string {
	if message == freetext.TooLong {
		return "too_long"
	}
	return "bad_text"
}

// cut keeps what a screen shows of a value.
func cut(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
