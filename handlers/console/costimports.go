package console

import (
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/fault"
	"recoup/models/rollout"
	"recoup/models/staff"
	"recoup/models/task"
	views "recoup/views/costs"
	"recoup/views/ui"
)

const (
	importsURL = "/costs/imports"
	// maxUpload is the largest request that brings a file: the file and what a form puts around it.
	maxUpload = 17 << 20
	// maxImports is how many imports the page lists.
	maxImports = 100
	// firstLines is how many lines of a file are shown.
	firstLines = 20
)

func importURL(id string) string { return importsURL + "/" + seg(id) }

func (h *Console) costImports(c echo.Context) error {
	r := h.of(c)
	imports, err := h.Imports.List(c.Request().Context(), maxImports)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m := views.Imports{Tabs: costTabs(r, importsURL), NewURL: r.link(staff.CostImport, importsURL+"/new"), Zone: r.L.ZoneLabel(r.Now)}
	for _, i := range imports {
		m.Rows = append(m.Rows, views.Import{File: ui.Link{Text: i.FileName, URL: importURL(i.ID)}, Source: i.Source, At: r.L.Stamp(i.CreatedAt, r.Now), By: pr.Actor(i.Actor),
			State: importState(i), Say: importSay(r, i)})
	}
	return render(c, http.StatusOK, views.ImportsPage(h.frame(r), m))
}

func importState(i costimport.Listed) string {
	if i.Task == nil {
		return "uploaded"
	}
	return string(i.Task.State)
}

// importSay is what came of an import, in a sentence; "" where nothing is to be said yet.
func importSay(r request, i costimport.Listed) string {
	switch {
	case i.Task == nil && !i.Kept:
		return r.L.T("costs.preview_gone")
	case i.Task == nil:
		return ""
	case i.Task.State == task.Failed:
		return r.L.T("costs.preview_failed", r.L.Maybe("cost_failed."+i.Task.Error, r.L.Maybe("fault."+i.Task.Error, i.Task.Message)))
	case i.Task.State == task.Canceled:
		return r.L.T("costs.preview_canceled")
	case i.Task.State == task.Done:
		var x costimport.Result
		if json.Unmarshal(i.Task.Result, &x) != nil {
			return ""
		}
		if x.Again {
			return r.L.T("costs.preview_again")
		}
		n := r.L.Credits
		return r.L.T("costs.preview_done", n(x.Recorded), n(x.Attributed), n(x.Overhead), n(x.Unattributed), n(x.Replayed))
	}
	return r.L.T("costs.preview_going")
}

func (h *Console) uploadModel(r request, form ui.Act) (views.Upload, error) {
	sources, err := h.Costs.Sources(r.Request().Context())
	m := views.Upload{Act: form, Sources: sources, Limit: strconv.FormatInt(costimport.ForUpload().Bytes>>20, 10) + " MiB"}
	format, amount := r.FormValue("format"), r.FormValue("amount")
	for _, f := range []costimport.Format{costimport.Focus, costimport.Own} {
		m.Formats = append(m.Formats, ui.Option{Value: string(f), Label: r.L.T("cost_format." + string(f)), Selected: format == string(f) || format == "" && f == costimport.Focus})
	}
	for i, name := range append(costimport.OwnColumns(), "dimension:…") {
		say := r.L.Maybe("own_column."+name, "")
		if i < costimport.NeededColumns {
			say = r.L.T("costs.column_needed", say)
		}
		m.Columns = append(m.Columns, views.Fact{Label: name, Value: say})
	}
	for _, a := range []string{costimport.BilledCost, costimport.EffectiveCost} {
		m.Amounts = append(m.Amounts, ui.Option{Value: a, Label: a, Selected: amount == a})
	}
	return m, err
}

func (h *Console) uploadForm(c echo.Context) error {
	r := h.of(c)
	m, err := h.uploadModel(r, act(r, importsURL))
	if err != nil {
		return err
	}
	return formPage(c, views.UploadPage(h.frame(r), m))
}

// uploaded reads the file of a form; a form without one has an empty file.
func uploaded(c echo.Context) (name string, content []byte, err error) {
	head, err := c.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	var file multipart.File
	if file, err = head.Open(); err != nil {
		return "", nil, err
	}
	defer file.Close()
	content, err = io.ReadAll(file)
	return head.Filename, content, err
}

func (h *Console) uploadCosts(c echo.Context) error {
	r := h.of(c)
	name, content, err := uploaded(c)
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return err
		}
		return fault.InvalidField("file", "ended before it was complete")
	}
	mapping := costimport.Mapping{Format: costimport.Format(r.FormValue("format"))}
	if mapping.Format == costimport.Focus {
		mapping = costimport.Mapping{Format: costimport.Focus, LineID: typed(r, "line_id"), Amount: r.FormValue("amount"), Account: typed(r, "account"),
			Job: typed(r, "job"), Operation: typed(r, "operation"), Action: typed(r, "action")}
	}
	source := typed(r, "source")
	out, err := h.Imports.Upload(c.Request().Context(), costimport.UploadRequest{Envelope: r.by(), Source: source, Mapping: mapping, FileName: name, Content: content})
	to := importsURL
	if err == nil {
		var x costimport.UploadResult
		if err := out.Decode(&x); err != nil {
			return err
		}
		to = importURL(x.ImportID)
	}
	m, formErr := h.uploadModel(r, again(r, importsURL, err))
	if formErr != nil {
		return formErr
	}
	return h.conclude(r, to, cost.Scope(source), out, err, func(err error) templ.Component {
		m.Source, m.LineID, m.Account, m.Job = field(r, "source", err), field(r, "line_id", err), field(r, "account", err), field(r, "job", err)
		m.Operation, m.Action, m.FormatError, m.AmountError = field(r, "operation", err), field(r, "action", err), field(r, "format", err).Error, field(r, "amount", err).Error
		m.FileError = field(r, "file", err).Error
		return views.UploadPage(h.frame(r), m)
	})
}

// pathImport reads the import of the path.
func (h *Console) pathImport(r request) (costimport.Listed, error) {
	id, err := param(r, "import")
	if err != nil {
		return costimport.Listed{}, err
	}
	return h.Imports.Get(r.Request().Context(), id)
}

func (h *Console) costImport(c echo.Context) error {
	r := h.of(c)
	i, err := h.pathImport(r)
	if err != nil {
		return err
	}
	m, err := h.previewModel(r, i)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.PreviewPage(h.frame(r), m))
}

func (h *Console) previewModel(r request, i costimport.Listed) (views.Preview, error) {
	pr, err := h.presenter(r)
	if err != nil {
		return views.Preview{}, err
	}
	m := views.Preview{Act: act(r, importsURL), Title: i.FileName, State: importState(i), Say: importSay(r, i), URL: importURL(i.ID)}
	fact := func(label, value string) {
		if value != "" {
			m.Facts = append(m.Facts, views.Fact{Label: r.L.T(label), Value: value})
		}
	}
	fact("costs.source", i.Source)
	fact("costs.format", r.L.T("cost_format."+string(i.Mapping.Format)))
	fact("costs.amount_column", i.Mapping.Amount)
	fact("costs.line_id", i.Mapping.LineID)
	fact("costs.account_column", i.Mapping.Account)
	fact("costs.job_column", i.Mapping.Job)
	fact("costs.operation_column", i.Mapping.Operation)
	fact("costs.action_column", i.Mapping.Action)
	fact("costs.recorded", r.L.Stamp(i.CreatedAt, r.Now).Full+" · "+pr.Actor(i.Actor))
	if i.Task != nil {
		m.Going = !i.Task.State.Over()
		m.Done, m.Total = strconv.FormatInt(i.Task.Done, 10), ""
		if i.Task.Total > 0 {
			m.Total = strconv.FormatInt(i.Task.Total, 10)
		}
		m.Progress = r.L.T("costs.progress", r.L.Credits(i.Task.Done), r.L.Credits(i.Task.Total))
		if i.Task.State == task.Done {
			m.RecordsURL = query{path: "/costs"}.with("import", i.ID)
		}
	}
	if !i.Kept || i.Task != nil && i.Task.State.Over() && i.Task.State != task.Failed {
		return m, nil
	}
	// Of one that failed the file says why, as long as that is so.
	f, err := h.Imports.Preview(r.Request().Context(), i.ID)
	if fault.Is(err, costimport.CodeFileGone) {
		// It was imported a moment ago.
		return m, nil
	}
	if err != nil {
		return m, err
	}
	previewFile(r, pr, f, &m)
	if f.Sound() && i.Task == nil {
		if err := h.foresee(r, i.Source, f, &m); err != nil {
			return m, err
		}
	}
	if i.Task == nil {
		m.Startable = f.Sound() && r.may(staff.CostImport)
		m.Say = r.L.T("costs.preview_sound")
		if !f.Sound() {
			m.Say = r.L.T("costs.preview_bad")
		}
	}
	return m, nil
}

// foresee tells what importing a file would come to: records that nobody is put down to halt the rollouts that they concern.
func (h *Console) foresee(r request, source string, f costimport.File, m *views.Preview) error {
	ctx := r.Request().Context()
	x, err := h.Costs.Foresee(ctx, source, f.Records)
	if err != nil {
		return err
	}
	n := r.L.Credits
	m.Foreseen = r.L.T("costs.foreseen", n(x.Attributed), n(x.Overhead), n(x.Unattributed), n(x.Known))
	if x.Unattributed == 0 {
		return nil
	}
	live, err := h.Rollouts.Live(ctx)
	if err != nil {
		return err
	}
	var halts []string
	for _, o := range live {
		if o.State != rollout.Halted && o.StartedAt != nil && x.Concerns(o.Action, *o.StartedAt) {
			halts = append(halts, o.ID)
		}
	}
	m.Caution = r.L.N("costs.foreseen_nobody", x.Unattributed)
	if len(halts) > 0 {
		m.Caution += " " + r.L.N("costs.foreseen_halts", int64(len(halts)), strings.Join(halts, ", "))
	}
	return nil
}

// previewFile shows what was read of a file.
func previewFile(r request, pr present.Presenter, f costimport.File, m *views.Preview) {
	m.Facts = append(m.Facts, views.Fact{Label: r.L.T("costs.file"), Value: r.L.N("costs.lines", int64(f.Count))})
	m.Totals, m.MoreBad = pr.CostTotals(f.Totals), f.More
	for _, p := range f.Problems {
		m.Problems = append(m.Problems, pr.CostProblem(p))
	}
	for n, x := range f.Records {
		if n == firstLines {
			m.More = r.L.T("costs.and_more", r.L.Credits(int64(len(f.Records)-n)))
			break
		}
		line := views.Line{Number: strconv.Itoa(f.Lines[n]), ID: ui.ID{Value: x.ExternalID}, At: x.Time.UTC().Format(time.DateTime), Amount: pr.Decimal(x.Amount),
			Currency: x.Currency, Text: x.Description}
		if x.AccountID != "" {
			line.Job = x.AccountID + " / " + x.JobID + x.OperationID
		}
		m.Lines = append(m.Lines, line)
	}
}

func (h *Console) startCostImport(c echo.Context) error {
	r := h.of(c)
	i, err := h.pathImport(r)
	if err != nil {
		return err
	}
	out, err := h.Imports.Start(c.Request().Context(), costimport.StartRequest{Envelope: r.by(), ImportID: i.ID})
	var m views.Preview
	if err != nil {
		var readErr error
		if m, readErr = h.previewModel(r, i); readErr != nil {
			return readErr
		}
	}
	return h.conclude(r, importURL(i.ID), cost.Scope(i.Source), out, err, func(error) templ.Component { return views.PreviewPage(h.frame(r), m) })
}
