package export

import (
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/xuri/excelize/v2"

	"recoup/models/ledger"
)

const (
	// maxRows is what a sheet holds, the header included.
	maxRows = 1_048_576
	// maxExact is the largest number that a spreadsheet, which keeps 15 digits, shows exactly.
	maxExact = 999_999_999_999_999
)

// ErrTooManyRows is returned for an entry that no longer fits a sheet.
var ErrTooManyRows = errors.New("a sheet holds 1,048,575 entries: narrow the filter or take CSV")

// workbook writes one sheet with excelize's stream writer, which keeps rows in a temporary file.
type workbook struct {
	out    io.Writer
	file   *excelize.File
	stream *excelize.StreamWriter
	zone   *time.Location
	date   int
	number int
	row    int
}

const sheet = "Ledger"

func newWorkbook(out io.Writer, zone *time.Location) (*workbook, error) {
	b := &workbook{out: out, file: excelize.NewFile(), zone: zone, row: 1}
	if err := b.begin(); err != nil {
		return nil, errors.Join(err, b.file.Close())
	}
	return b, nil
}

func (b *workbook) begin() error {
	if err := b.file.SetSheetName("Sheet1", sheet); err != nil {
		return err
	}
	var err error
	date, number := "yyyy-mm-dd hh:mm:ss", "#,##0"
	if b.date, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &date}); err != nil {
		return err
	}
	if b.number, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &number}); err != nil {
		return err
	}
	bold, err := b.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	if b.stream, err = b.file.NewStreamWriter(sheet); err != nil {
		return err
	}
	if err := b.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	if err := b.stream.SetColWidth(1, 1, 20); err != nil {
		return err
	}
	if err := b.stream.SetColWidth(2, len(columns(b.zone)), 16); err != nil {
		return err
	}
	names := columns(b.zone)
	header := make([]any, len(names))
	for i, n := range names {
		header[i] = excelize.Cell{StyleID: bold, Value: n}
	}
	return b.stream.SetRow("A1", header)
}

// Write adds one row: numbers as numbers, times as dates in the zone, everything else as text, which a
// workbook never reads as a formula.
func (b *workbook) Write(e ledger.Entry) error {
	if b.row++; b.row > maxRows {
		return ErrTooManyRows
	}
	cell, err := excelize.CoordinatesToCellName(1, b.row)
	if err != nil {
		return err
	}
	// A date in a sheet has no zone: the wall clock of the zone, which the header names, is written. Spreadsheets show whole
	// seconds and round to them, so what is finer is cut off: else the last moment of a day would be shown as the next day.
	wall := e.CreatedAt.In(b.zone).Truncate(time.Second)
	naive := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, time.UTC)
	var units any
	if e.JobUnits != nil {
		units = b.exact(*e.JobUnits)
	}
	return b.stream.SetRow(cell, []any{excelize.Cell{StyleID: b.date, Value: naive}, e.AccountID, b.exact(e.Seq), string(e.Type), b.exact(e.Amount),
		b.exact(e.BalanceAfter), text(e.JobID), text(e.JobAction), units, e.OperationID, text(e.RuleVersion), text(e.RolloutID), text(e.Cohort),
		e.Actor, text(e.Category), text(e.Reference), text(e.Reason), hex.EncodeToString(e.Hash)})
}

// exact is a number where a sheet can hold it and text where it would lose digits.
func (b *workbook) exact(n int64) any {
	if n > maxExact || n < -maxExact {
		return strconv.FormatInt(n, 10)
	}
	return excelize.Cell{StyleID: b.number, Value: n}
}

// Close writes the file. Before, nothing has reached the writer.
func (b *workbook) Close() error {
	err := b.stream.Flush()
	if err == nil {
		_, err = b.file.WriteTo(b.out)
	}
	return errors.Join(err, b.file.Close())
}
