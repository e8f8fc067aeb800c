package console

import (
	"fmt"
	"mime"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/models/export"
	"recoup/models/fault"
)

const (
	// sendTime is how long the reader may take for what is sent between two flushes.
	sendTime = 2 * time.Minute
	// flushRows is how many rows are written between two flushes.
	flushRows = 4000
	// holdBack is how much of a file is held back until it is known how many rows it has, which its name says. A file that
	// is longer is sent as it is read, and its name says how many rows it has at least.
	holdBack = 4 << 20
	// countedRows is how many entries are counted at most before a file of them is sent.
	countedRows = 1_000_000
)

// attachment is a file that is sent as it is written, to a reader that may be slow, not endlessly so. Nothing of it is
// sent before its name is known: how many rows it has, either told beforehand or found at its end.
type attachment struct {
	request  request
	response *echo.Response
	control  *http.ResponseController
	// of says whose rows of which days it holds, unit what the rows are called.
	of, unit string
	zone     *time.Location
	format   export.Format
	// rows are those written so far.
	rows int64
	// name is the whole name; empty while it is not known how many rows it has to say.
	name string
	// held is what was written and not yet sent.
	held []byte
	// until is the write deadline in force.
	until time.Time
	// failed is set when no more may be sent.
	failed error
}

// attach begins a file whose times are in the zone of the request.
func attach(r request, of, unit string, format export.Format) *attachment {
	a := &attachment{request: r, response: r.Response(), control: http.NewResponseController(r.Response()), of: of, unit: unit, zone: r.L.Zone, format: format}
	if a.zone == nil {
		a.zone = time.UTC
	}
	a.extend()
	return a
}

// counted tells how many rows there will be; more is true when there are more than that.
func (a *attachment) counted(n int64, more bool) {
	count := fmt.Sprintf("%d-%s", n, a.unit)
	if more {
		count = "over-" + count
	}
	a.name = export.Name(a.of, a.zone.String(), count+"_at_"+export.Moment(a.request.Now, a.zone), a.format)
}

// row counts a row that is about to be written. Now and then it has the writer flush, sends what there is and gives the
// reader time anew.
func (a *attachment) row(flush func()) {
	if a.rows++; a.rows%flushRows != 0 {
		return
	}
	if flush != nil {
		flush()
	}
	if a.response.Committed {
		a.extend()
		a.control.Flush() //nolint:errcheck // the next Write tells
	}
}

func (a *attachment) Write(b []byte) (int, error) {
	switch {
	case a.failed != nil:
		return 0, a.failed
	case !a.response.Committed && a.name == "" && len(a.held)+len(b) <= holdBack:
		a.held = append(a.held, b...)
		return len(b), nil
	case !a.response.Committed:
		if a.name == "" {
			a.counted(a.rows-1, true)
		}
		if err := a.begin(); err != nil {
			return 0, err
		}
	}
	// A slow reader may take long between two flushes.
	if time.Until(a.until) < sendTime/2 {
		a.extend()
	}
	return a.response.Write(b)
}

// begin sends the headers and what was held back.
func (a *attachment) begin() error {
	header := a.response.Header()
	header.Set(echo.HeaderContentType, a.format.ContentType())
	header.Set(echo.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": a.name}))
	header.Set("Cache-Control", "no-store")
	held := a.held
	a.held = nil
	_, err := a.response.Write(held)
	return err
}

// end finishes the file. An error of whoever wrote it takes its place where nothing was sent; where something was, the
// connection is cut, so that a file that is not whole does not look whole. finish writes what the writer still holds.
func (a *attachment) end(err error, finish func() error) error {
	if err != nil {
		// What the writer still holds back must not follow: it would look like the end.
		a.failed = err
	}
	if closed := finish(); err == nil {
		err = closed
	}
	if err != nil {
		a.failed = err
		return err
	}
	if a.response.Committed {
		return nil
	}
	if a.name == "" {
		a.counted(a.rows, false)
	}
	return a.begin()
}

func (a *attachment) extend() {
	a.until = time.Now().Add(sendTime)
	a.control.SetWriteDeadline(a.until) //nolint:errcheck // http.ErrNotSupported, in tests
}

// makeExport takes one of the places in which files are written, until release is called. Faults: export_busy.
func (h *Console) makeExport() (release func(), err error) {
	select {
	case h.exports <- struct{}{}:
		return func() { <-h.exports }, nil
	default:
		return nil, fault.New(fault.Busy, "export_busy", "Other exports are being made just now. Try again in a minute.")
	}
}

// daysOf adds to a file's name of which days it is and whether a filter leaves out rows of them.
func daysOf(of string, p period, filtered bool) string {
	if filtered {
		of += "_filtered"
	}
	day := func(t time.Time) string { return t.Format(time.DateOnly) }
	switch {
	case !p.First.IsZero() && !p.Last.IsZero():
		return of + "_" + day(p.First) + "_" + day(p.Last)
	case !p.First.IsZero():
		return of + "_since_" + day(p.First)
	case !p.Last.IsZero():
		return of + "_until_" + day(p.Last)
	}
	return of + "_all"
}

// filteredBeside reports whether a query has a filter other than those named and the period.
func filteredBeside(q query, names ...string) bool {
	for name := range q.values {
		switch name {
		case "period", "from", "to", "zone":
			continue
		}
		known := false
		for _, n := range names {
			known = known || n == name
		}
		if !known {
			return true
		}
	}
	return false
}
