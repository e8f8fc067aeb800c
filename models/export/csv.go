package export

import (
	"encoding/csv"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"recoup/models/ledger"
)

type csvFile struct {
	w    *csv.Writer
	zone *time.Location
	row  []string
}

func newCSV(out io.Writer, zone *time.Location) (*csvFile, error) {
	f := &csvFile{w: csv.NewWriter(out), zone: zone}
	f.w.UseCRLF = true // RFC 4180
	return f, f.w.Write(columns(zone))
}

// Write adds one row. csv.Writer buffers a few kilobytes.
func (f *csvFile) Write(e ledger.Entry) error {
	units := ""
	if e.JobUnits != nil {
		units = strconv.FormatInt(*e.JobUnits, 10)
	}
	f.row = append(f.row[:0], e.CreatedAt.In(f.zone).Format("2006-01-02T15:04:05.000000Z07:00"), inert(e.AccountID),
		strconv.FormatInt(e.Seq, 10), string(e.Type), strconv.FormatInt(e.Amount, 10), strconv.FormatInt(e.BalanceAfter, 10),
		inert(text(e.JobID)), inert(text(e.JobAction)), units, inert(e.OperationID), inert(text(e.RuleVersion)), inert(text(e.RolloutID)),
		inert(text(e.Cohort)), inert(e.Actor), inert(text(e.Category)), inert(text(e.Reference)), inert(text(e.Reason)), hex.EncodeToString(e.Hash))
	return f.w.Write(f.row)
}

func (f *csvFile) Close() error {
	f.w.Flush()
	return f.w.Error()
}

// Inert is a text as a cell of a table that a spreadsheet does not read as a formula. No two texts become the same; Uninert gives the text
// back.
func Inert(s string) string { return inert(s) }

// Uninert is the text of a cell that Inert wrote. A cell that it cannot have written is a text as it stands.
func Uninert(cell string) string {
	if s, marked := strings.CutPrefix(cell, "'"); marked && inert(s) != s {
		return s
	}
	return cell
}

// inert keeps a spreadsheet from reading a text as a formula, also behind blanks and line ends, and with the full-width signs
// that Japanese ones take for the others. Amounts are numbers and are left alone.
func inert(s string) string {
	// Apostrophes that stand in front already are text: one more keeps the two apart.
	of := strings.TrimLeft(s, "'")
	bare := strings.TrimLeft(of, " \t\r\n\v\f\u00a0\u3000\ufeff")
	first, _ := utf8.DecodeRuneInString(bare)
	if bare != of && strings.ContainsRune("\t\r\n", rune(of[0])) || bare != "" && strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + s
	}
	return s
}
