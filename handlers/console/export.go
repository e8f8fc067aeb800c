package console

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/export"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/staff"
	"recoup/views/ui"
)

const (
	// maxExports is how many files are written at a time. Each keeps a connection of the database's pool, which
	// everything else shares, and a snapshot for as long as it takes.
	maxExports = 4
	// exportTime bounds one export, however fast its reader is.
	exportTime = time.Hour
)

// exportLedger sends the entries of all accounts that the filter of /ledger selects.
func (h *Console) exportLedger(c echo.Context) error {
	r := h.inZone(h.of(c))
	f, err := h.entriesOf(r, "/ledger", ledgerParams())
	if err != nil {
		return err
	}
	return h.export(r, f, "ledger")
}

// exportStatement sends the entries of one account that the filter of its statement selects.
func (h *Console) exportStatement(c echo.Context) error {
	r := h.of(c)
	id, err := param(c, "account")
	if err != nil {
		return err
	}
	a, err := h.Ledger.Account(c.Request().Context(), id)
	if err != nil {
		return err
	}
	f, err := h.statementFilter(r, a.ID)
	if err != nil {
		return err
	}
	return h.export(r, f, a.ID)
}

// statementFilter is the filter of an account's statement, for its page and its export.
func (h *Console) statementFilter(r request, account string) (entryFilter, error) {
	f, err := h.entriesOf(r, accountURL(account), statementParams())
	f.AccountID = account
	if ledgerOf(r, account) != "" {
		f.bad = true // its page leads to the ledger; a file must not hold more than was asked for
	}
	return f, err
}

// exports are the links to the files of what a page shows; none for people who may not take them. count is
// "41 entries" where it is known.
func (f entryFilter) exports(r request, count string) ui.Exports {
	if !r.may(staff.LedgerExport) || f.bad {
		return ui.Exports{}
	}
	x := ui.Exports{Say: r.L.T("export.say", r.L.ZoneName())}
	if count != "" {
		x.Say = r.L.T("export.say_count", count, r.L.ZoneName())
	}
	for _, format := range export.Formats() {
		x.Links = append(x.Links, ui.Link{Text: r.L.T("export." + string(format)), URL: f.exportURL(format)})
	}
	return x
}

// exportURL is where a file of the filter is asked for.
func (f entryFilter) exportURL(format export.Format) string {
	q := query{path: f.path + "/export", values: f.copy()}
	return q.with("format", string(format))
}

// formatOf reads the format of the file that is asked for, and refuses a filter that cannot be read.
func (f entryFilter) formatOf(r request) (export.Format, error) {
	format := export.Format(r.QueryParam("format"))
	if !format.Known() {
		return format, fault.InvalidField("format", "is csv, xlsx or journal")
	}
	if f.bad {
		return format, fault.New(fault.Invalid, "export_filter", "A part of the filter cannot be read. No file was made.")
	}
	return format, nil
}

// export sends what f selects as a file, or offers to make it in the background where it is large. Whatever can be refused is refused
// before the first byte; an error after it cuts the connection, so that a file that is not whole does not look whole.
func (h *Console) export(r request, f entryFilter, of string) error {
	ctx, cancel := context.WithTimeout(r.Request().Context(), exportTime)
	defer cancel()
	format, err := f.formatOf(r)
	if err != nil {
		return err
	}
	if large, err := h.isLarge(ctx, r, f); err != nil {
		return err
	} else if large {
		return h.offerExport(r, f, format)
	}
	release, err := h.makeExport()
	if err != nil {
		return err
	}
	defer release()
	err = h.Ledger.RecordExport(ctx, ledger.Exported{Actor: r.Who.Actor(), RequestID: reqctx.RequestID(ctx), Filter: f.Filter,
		Format: string(format), Zone: r.L.ZoneName()})
	if err != nil {
		return err
	}
	return h.send(ctx, r, f, format, of)
}

// isLarge reports whether a file is to be made in the background: it holds more entries than are sent at once, and it was not asked for
// at once all the same.
func (h *Console) isLarge(ctx context.Context, r request, f entryFilter) (bool, error) {
	if r.QueryParam("now") != "" {
		return false, nil
	}
	limit := h.Exports.Direct()
	n, err := h.Ledger.CountUpTo(ctx, f.Filter, limit+1)
	if err != nil && !fault.Is(err, fault.CodeAccountNotFound) {
		return false, err
	}
	return n > limit, nil
}

// send writes the file. The handler's error does the rest: an error page where nothing was sent, a cut connection
// where something was.
func (h *Console) send(ctx context.Context, r request, f entryFilter, format export.Format, of string) error {
	out := attach(r, fileOf(f, of), "entries", format)
	var file export.Writer
	begin := func(n int64) (err error) {
		out.counted(min(n, countedRows), n > countedRows)
		file, err = export.New(format, out, out.zone)
		return err
	}
	err := h.Ledger.EachCounted(ctx, f.Filter, format.OldestFirst(), countedRows+1, begin, func(e ledger.Entry) error {
		out.row(nil)
		return file.Write(e)
	})
	if fault.Is(err, fault.CodeAccountNotFound) {
		// The page of such a filter is empty, and so is its file.
		err = begin(0)
	}
	return out.end(err, func() error {
		if file == nil {
			return nil
		}
		return file.Close()
	})
}

// fileOf says whose entries of which days a file holds, and whether a filter leaves out some of them.
func fileOf(f entryFilter, of string) string {
	if f.AccountID != "" && of != f.AccountID {
		of += "_" + f.AccountID
	}
	return daysOf(of, f.period, filteredBeside(f.query, "account"))
}
