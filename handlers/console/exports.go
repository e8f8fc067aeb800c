package console

import (
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/export"
	views "recoup/views/exports"
	"recoup/views/ui"
)

// exportsShown is how many files the list of them shows.
const exportsShown = 100

func exportPath(id string) string { return "/exports/" + seg(id) }

// offerExport is the form that asks for a file in the background.
func (h *Console) offerExport(r request, f entryFilter, format export.Format) error {
	return formPage(r, h.exportForm(r, f, format, act(r, f.url())))
}

func (h *Console) exportForm(r request, f entryFilter, format export.Format, a ui.Act) templ.Component {
	a.Action = f.exportURL(format)
	m := views.Start{Act: a, Limit: r.L.Credits(h.Exports.Direct()), Format: r.L.T("export." + string(format)), Zone: r.L.ZoneName(),
		Keep: r.L.Duration(h.Exports.Keep()), Filters: f.chips, Page: ui.Link{Text: f.title(r), URL: f.url()}}
	q := query{path: f.path + "/export", values: f.copy()}
	q.values.Set("format", string(format))
	m.NowURL = q.with("now", "1")
	return views.StartPage(h.frame(r), m)
}

// title names the page of the filter.
func (f entryFilter) title(r request) string {
	if f.path == "/ledger" {
		return r.L.T("ledger.title")
	}
	return f.AccountID
}

func (h *Console) startLedgerExport(c echo.Context) error {
	r := h.inZone(h.of(c))
	f, err := h.entriesOf(r, "/ledger", ledgerParams())
	if err != nil {
		return err
	}
	return h.startExport(r, f, "ledger")
}

func (h *Console) startStatementExport(c echo.Context) error {
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
	return h.startExport(r, f, a.ID)
}

func (h *Console) startExport(r request, f entryFilter, of string) error {
	format, err := f.formatOf(r)
	if err != nil {
		return err
	}
	id, out, err := h.Exports.Start(r.Request().Context(), r.by(), export.Input{Filter: f.Filter, Format: format, Zone: r.L.ZoneName(),
		Of: fileOf(f, of), Page: f.fixed()})
	return h.conclude(r, exportPath(id), export.Scope(), out, err, func(err error) templ.Component {
		return h.exportForm(r, f, format, again(r, f.url(), err))
	})
}

// fixed is the page of the filter with its period as days, so that it shows the same entries tomorrow.
func (f entryFilter) fixed() string {
	q := query{path: f.path, values: f.copy()}
	if f.period.First.IsZero() && f.period.Last.IsZero() {
		return q.url()
	}
	q.values.Set("period", "custom")
	for name, day := range map[string]time.Time{"from": f.period.First, "to": f.period.Last} {
		q.values.Del(name)
		if !day.IsZero() {
			q.values.Set(name, day.Format(time.DateOnly))
		}
	}
	return q.url()
}

// exportsPage lists the files that a person asked for, or everybody's.
func (h *Console) exportsPage(c echo.Context) error {
	r := h.of(c)
	all := c.QueryParam("of") == "all"
	by := r.Who.Actor().String()
	if all {
		by = ""
	}
	files, err := h.Exports.List(c.Request().Context(), by, exportsShown)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m := views.Model{Zone: r.L.ZoneLabel(r.Now), All: all, Shown: r.L.Credits(exportsShown), Keep: r.L.Duration(h.Exports.Keep()), Tabs: []ui.Choice{
		{Text: r.L.T("exports.mine"), URL: "/exports", Current: !all}, {Text: r.L.T("exports.all"), URL: "/exports?of=all", Current: all}}}
	for _, f := range files {
		m.Rows = append(m.Rows, pr.ExportRow(f))
	}
	return render(c, http.StatusOK, views.Page(h.frame(r), m))
}

// exportOf reads the file that a path names.
func (h *Console) exportOf(c echo.Context) (export.File, error) {
	id, err := param(c, "export")
	if err != nil {
		return export.File{}, err
	}
	return h.Exports.Find(c.Request().Context(), id)
}

// exportPage shows how far a file is and what became of it.
func (h *Console) exportPage(c echo.Context) error {
	r := h.of(c)
	f, err := h.exportOf(c)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m := pr.ExportView(f)
	if !f.State.Over() {
		m.CancelURL = exportPath(f.ID) + "/cancel"
	}
	if f.Ready(r.Now) {
		m.FileURL = exportPath(f.ID) + "/file"
	}
	if f.State.Over() && !f.Ready(r.Now) {
		m.AgainURL = againURL(f)
	}
	return render(c, http.StatusOK, views.FilePage(h.frame(r), m))
}

// againURL asks for the same file anew: the same days, whatever day it is.
func againURL(f export.File) string {
	u, err := url.Parse(f.Input.Page)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("format", string(f.Input.Format))
	return u.EscapedPath() + "/export?" + q.Encode()
}

// exportFile sends a file that is kept. Who asked for it and who takes it may be two people; each time is audited.
func (h *Console) exportFile(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	f, err := h.exportOf(c)
	if err != nil {
		return err
	}
	if !f.Ready(r.Now) {
		// Its page says what is the matter, and offers to make it again.
		return c.Redirect(http.StatusSeeOther, exportPath(f.ID))
	}
	if err := h.Exports.RecordDownload(ctx, f, r.Who.Actor(), reqctx.RequestID(ctx)); err != nil {
		return err
	}
	out := attach(r, f.Input.Of, "entries", f.Input.Format)
	out.name = f.Name()
	return out.end(h.Exports.Send(ctx, f, out), func() error { return nil })
}

func (h *Console) cancelExportForm(c echo.Context) error {
	r := h.of(c)
	f, err := h.exportOf(c)
	if err != nil {
		return err
	}
	if f.State.Over() {
		return c.Redirect(http.StatusSeeOther, exportPath(f.ID))
	}
	return formPage(c, h.cancelExportPage(r, f, act(r, exportPath(f.ID))))
}

func (h *Console) cancelExportPage(r request, f export.File, a ui.Act) templ.Component {
	return views.CancelPage(h.frame(r), views.Cancel{Act: a, Name: f.Name(), URL: exportPath(f.ID), Done: r.L.Credits(f.Done)})
}

func (h *Console) cancelExport(c echo.Context) error {
	r := h.of(c)
	f, err := h.exportOf(c)
	if err != nil {
		return err
	}
	out, err := h.Exports.Cancel(c.Request().Context(), r.by(), f.ID)
	return h.conclude(r, exportPath(f.ID), export.Scope(), out, err, func(err error) templ.Component {
		return h.cancelExportPage(r, f, again(r, exportPath(f.ID), err))
	})
}
