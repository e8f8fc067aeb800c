package export

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"recoup/models/ledger"
)

const (
	// sheetEntries is how many entries one sheet of a workbook holds beside its header; what follows stands on the next.
	sheetEntries = 1_048_575
	// sheetBytes is where a sheet ends before it is full: its XML must stay below 4 GiB, beyond which spreadsheets call a file that
	// was written as a stream damaged.
	sheetBytes = 3 << 30
)

// workbook writes sheets. Excelize makes all of it but the rows: its stream writer keeps up to 32 MB of those in memory and then the
// rest in temporary files, and the file begins with its end. Here a row goes into the packed file at once.
type workbook struct {
	zip  *zip.Writer
	file *excelize.File
	zone *time.Location
	// limit is sheetEntries; tests make sheets smaller.
	limit              int
	date, number, bold int
	sheets, row        int
	to                 io.Writer // the sheet that is being written
	rest               string    // what it ends with
	size               int64     // bytes of it
	cells              cells
}

const sheet = "Ledger"

// offsetColumn tells the two moments apart that a clock shows when it is set back: a date of a sheet has no zone.
const offsetColumn = "utc_offset"

func newWorkbook(out io.Writer, zone *time.Location, limit int) (*workbook, error) {
	b := &workbook{zip: zip.NewWriter(out), file: excelize.NewFile(), zone: zone, limit: limit}
	if err := b.begin(); err != nil {
		return nil, fmt.Errorf("export: workbook: %w", err)
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
	if err := b.endSheet(); err != nil {
		return err
	}
	name := sheet
	if b.sheets++; b.sheets > 1 {
		name = fmt.Sprintf("%s %d", sheet, b.sheets)
		if _, err := b.file.NewSheet(name); err != nil {
			return err
		}
	}
	if err := b.header(name); err != nil {
		return err
	}
	// The sheet as excelize would write it, without any row but the header, is the frame of the one that is written.
	part := fmt.Sprintf("%ssheet%d.xml", sheetParts, b.sheets)
	var empty strings.Builder
	err := b.parts(func(name string) (io.Writer, error) {
		if name == part {
			return &empty, nil
		}
		return io.Discard, nil
	})
	if err != nil {
		return err
	}
	const end = "</sheetData>"
	start, rest, whole := strings.Cut(empty.String(), end)
	if !whole {
		return errors.New("a sheet has no rows")
	}
	if b.to, err = b.zip.Create(part); err != nil {
		return err
	}
	b.rest, b.row, b.size = end+rest, 1, int64(len(start)+len(end)+len(rest))
	_, err = io.WriteString(b.to, start)
	return err
}

// header sets what stands above the rows of a sheet.
func (b *workbook) header(name string) error {
	stream, err := b.file.NewStreamWriter(name)
	if err != nil {
		return err
	}
	if err := stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	names := append(columns(b.zone), offsetColumn)
	// Excelize writes what is set last first, and readers want the columns in their order.
	if err := stream.SetColWidth(2, len(names), 16); err != nil {
		return err
	}
	if err := stream.SetColWidth(1, 1, 20); err != nil {
		return err
	}
	header := make([]any, len(names))
	for i, n := range names {
		header[i] = excelize.Cell{StyleID: b.bold, Value: n}
	}
	if err := stream.SetRow("A1", header); err != nil {
		return err
	}
	return stream.Flush()
}

func (b *workbook) endSheet() error {
	if b.to == nil {
		return nil
	}
	_, err := io.WriteString(b.to, b.rest)
	return err
}

// Write adds one row: numbers as numbers, times as dates in the zone, everything else as text, which a
// workbook never reads as a formula.
func (b *workbook) Write(e ledger.Entry) error {
	if b.row > b.limit || b.size > sheetBytes { // the header is a row
		if err := b.nextSheet(); err != nil {
			return fmt.Errorf("export: workbook: %w", err)
		}
	}
	b.row++
	c := &b.cells
	c.begin(b.row)
	c.date(b.date, e.CreatedAt.In(b.zone))
	c.text(e.AccountID)
	c.number(b.number, e.Seq)
	c.text(string(e.Type))
	c.number(b.number, e.Amount)
	c.number(b.number, e.BalanceAfter)
	c.text(text(e.JobID))
	c.text(text(e.JobAction))
	if e.JobUnits != nil {
		c.number(b.number, *e.JobUnits)
	} else {
		c.none()
	}
	c.text(e.OperationID)
	c.text(text(e.RuleVersion))
	c.text(text(e.RolloutID))
	c.text(text(e.Cohort))
	c.text(e.Actor)
	c.text(text(e.Category))
	c.text(text(e.Reference))
	c.text(text(e.Reason))
	c.hex(e.Hash)
	c.text(e.CreatedAt.In(b.zone).Format("-07:00"))
	row := c.end()
	b.size += int64(len(row))
	_, err := b.to.Write(row)
	return err
}

// Close ends the file.
func (b *workbook) Close() error {
	err := b.endSheet()
	if err == nil {
		err = b.parts(func(name string) (io.Writer, error) {
			if strings.HasPrefix(name, sheetParts) {
				return io.Discard, nil // the sheets are there
			}
			return b.zip.Create(name)
		})
	}
	if err == nil {
		err = b.zip.Close()
	}
	return errors.Join(err, b.file.Close())
}

// sheetParts is what the names of the parts begin with that are sheets.
const sheetParts = "xl/worksheets/"

// parts has excelize write all parts of the workbook, each to where to says.
func (b *workbook) parts(to partWriter) error {
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return to })
	_, err := b.file.WriteToBuffer()
	return err
}

// partWriter is what excelize writes the parts of a workbook to.
type partWriter func(name string) (io.Writer, error)

// Create begins a part.
func (p partWriter) Create(name string) (io.Writer, error) { return p(name) }

// AddFS is not called: nothing is taken over from another workbook.
func (partWriter) AddFS(fs.FS) error { return errors.ErrUnsupported }

// Close does nothing: a workbook is more than what excelize writes of it.
func (partWriter) Close() error { return nil }
