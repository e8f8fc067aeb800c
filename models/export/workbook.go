package export

import (
	"archive/zip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"recoup/models/ledger"
)

const (
	// sheetEntries is how many entries one sheet of a workbook holds beside its header; what follows stands on the next.
	sheetEntries = 1_048_575
	// sheetBytes is where a sheet ends before it is full: its XML must stay below 4 GiB, beyond which spreadsheets call a file that
	// was written as a stream damaged. What is counted is not exact.
	sheetBytes = 3 << 30
	// cellBytes is what the XML of a row's cells takes beside their texts.
	cellBytes = 1200
	// maxExact is the largest number that a spreadsheet, which keeps 15 digits, shows exactly.
	maxExact = 999_999_999_999_999
)

// workbook writes sheets with excelize's stream writer, which keeps rows in temporary files.
type workbook struct {
	out    io.Writer
	file   *excelize.File
	stream *excelize.StreamWriter
	zone   *time.Location
	// limit is sheetEntries; tests make sheets smaller.
	limit              int
	date, number, bold int
	sheets, row        int
	size               int // bytes of the sheet's XML, about
}

const sheet = "Ledger"

func newWorkbook(out io.Writer, zone *time.Location, limit int) (*workbook, error) {
	b := &workbook{out: out, file: excelize.NewFile(), zone: zone, limit: limit}
	if err := b.begin(); err != nil {
		return nil, errors.Join(err, b.file.Close())
	}
	return b, nil
}

func (b *workbook) begin() error {
	var err error
	date, number := "yyyy-mm-dd hh:mm:ss", "#,##0"
	if b.date, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &date}); err != nil {
		return err
	}
	if b.number, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &number}); err != nil {
		return err
	}
	if b.bold, err = b.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}}); err != nil {
		return err
	}
	if err := b.file.SetSheetName("Sheet1", sheet); err != nil {
		return err
	}
	return b.nextSheet()
}

// nextSheet ends the sheet that is being written, if any, and begins another with the same header, which stays in sight.
func (b *workbook) nextSheet() error {
	name := sheet
	if b.sheets++; b.sheets > 1 {
		if err := b.stream.Flush(); err != nil {
			return err
		}
		name = fmt.Sprintf("%s %d", sheet, b.sheets)
		if _, err := b.file.NewSheet(name); err != nil {
			return err
		}
	}
	var err error
	if b.stream, err = b.file.NewStreamWriter(name); err != nil {
		return err
	}
	if err := b.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	names := columns(b.zone)
	// Excelize writes what is set last first, and readers want the columns in their order.
	if err := b.stream.SetColWidth(2, len(names), 16); err != nil {
		return err
	}
	if err := b.stream.SetColWidth(1, 1, 20); err != nil {
		return err
	}
	header := make([]any, len(names))
	for i, n := range names {
		header[i] = excelize.Cell{StyleID: b.bold, Value: n}
	}
	b.row, b.size = 1, 0
	return b.stream.SetRow("A1", header)
}

// Write adds one row: numbers as numbers, times as dates in the zone, everything else as text, which a
// workbook never reads as a formula.
func (b *workbook) Write(e ledger.Entry) error {
	if b.row > b.limit || b.size > sheetBytes { // the header is a row
		if err := b.nextSheet(); err != nil {
			return err
		}
	}
	b.row++
	b.size += cellBytes
	for _, s := range []string{e.AccountID, text(e.JobID), e.OperationID, text(e.Reference), text(e.Reason)} {
		b.size += escaped(s)
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

// escaped is at least how many bytes a text takes in XML.
func escaped(s string) int {
	if strings.ContainsAny(s, "<>&\"'\t\r\n") {
		return 6 * len(s)
	}
	return len(s)
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
		// Left to itself, excelize packs the whole file in memory before it writes the first byte.
		b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(b.out) })
		_, err = b.file.WriteToBuffer()
	}
	return errors.Join(err, b.file.Close())
}
