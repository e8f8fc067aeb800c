package console

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/bulkgrant"
	"recoup/models/fault"
	"recoup/models/staff"
	"recoup/models/task"
	views "recoup/views/bulkgrants"
	"recoup/views/ui"
)

const bulkPath = "/grants/import"

// bulkFiles is how many files the upload's page lists.
const bulkFiles = 50

// bulkRoutes are the URLs of grants from a file.
func (h *Console) bulkRoutes() []route.Route {
	at := func(method, path, name string, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: method, Path: path, Name: "console." + name, Access: route.SignedIn(staff.AccountGrant), Handler: handler}
	}
	upload := at(http.MethodPost, bulkPath, "bulk_grants.post", h.uploadBulk)
	// What surrounds the file in the form is small.
	upload.MaxBody = bulkgrant.MaxBytes + 1<<16
	return []route.Route{
		at(http.MethodGet, bulkPath+"/:bulk/lines.csv", "bulk_grant.lines", h.bulkCSV),
		at(http.MethodGet, bulkPath, "bulk_grants", h.bulkUpload), upload,
		at(http.MethodGet, bulkPath+"/:bulk", "bulk_grant", h.bulkFile),
		at(http.MethodPost, bulkPath+"/:bulk", "bulk_grant.post", h.confirmBulk),
	}
}

func bulkURL(id string) string { return bulkPath + "/" + seg(id) }

func (h *Console) bulkUpload(c echo.Context) error {
	r := h.of(c)
	m, err := h.bulkUploadModel(r, act(r, "/accounts"))
	if err != nil {
		return err
	}
	return formPage(c, views.UploadPage(h.frame(r), m))
}

// bulkUploadModel is the upload's page with the files that are there.
func (h *Console) bulkUploadModel(r request, a ui.Act) (views.Upload, error) {
	ctx := r.Request().Context()
	m := views.Upload{Act: a, MaxLines: r.L.Credits(bulkgrant.MaxLines), MaxMiB: strconv.Itoa(bulkgrant.MaxBytes >> 20),
		Columns: strings.Join(bulkgrant.Columns(), ", "), Zone: r.L.ZoneLabel(r.Now)}
	files, err := h.BulkGrants.List(ctx, bulkFiles)
	if err != nil {
		return m, err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return m, err
	}
	for _, f := range files {
		now, err := h.bulkStanding(ctx, f)
		if err != nil {
			return m, err
		}
		m.Rows = append(m.Rows, views.Row{Name: f.Name, URL: bulkURL(f.ID), At: r.L.Stamp(f.UploadedAt, r.Now), By: pr.Actor(f.UploadedBy), Lines: r.L.Credits(f.Count),
			Credits: r.L.Credits(f.Credits), State: now.state})
	}
	return m, nil
}

func (h *Console) uploadBulk(c echo.Context) error {
	r := h.of(c)
	name, content, err := bulkContent(r)
	if err != nil {
		return err
	}
	again := func(file string, problems []bulkgrant.Problem, err error) error {
		a := again(r, "/accounts", err)
		m, unread := h.bulkUploadModel(r, a)
		if unread != nil {
			return unread
		}
		m.File.Error, m.Problems = file, bulkProblems(r, problems)
		if len(problems) > 0 {
			m.Error = r.L.T("bulk.bad")
		}
		return render(c, http.StatusUnprocessableEntity, views.UploadPage(h.frame(r), m))
	}
	switch {
	case len(content) == 0:
		return again(r.L.T("bulk.no_file"), nil, nil)
	case len(content) > bulkgrant.MaxBytes:
		return again(r.L.T("bulk.too_large", strconv.Itoa(bulkgrant.MaxBytes>>20)), nil, nil)
	}
	if _, problems := bulkgrant.Read(content); len(problems) > 0 {
		problems, err := h.BulkGrants.Examine(c.Request().Context(), content)
		if err != nil {
			return err
		}
		return again("", problems, nil)
	}
	out, err := h.BulkGrants.Upload(c.Request().Context(), r.by(), name, content)
	if f := fault.As(err); f != nil && f.Code == fault.CodeOperationConflict {
		return again("", nil, err)
	}
	if err != nil {
		return err
	}
	var up bulkgrant.Uploaded
	if err := out.Decode(&up); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, withNotice(bulkURL(up.ID), bulkgrant.Scope(), r.FormValue("operation_id"), out.Replayed))
}

// bulkContent reads the file of the form; no file is no content. A body over the route's limit is an error of its own.
func bulkContent(r request) (name string, content []byte, err error) {
	header, err := r.FormFile("file")
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return "", nil, err
		}
		return "", nil, nil
	}
	f, err := header.Open()
	if err != nil {
		return "", nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	content, err = io.ReadAll(io.LimitReader(f, bulkgrant.MaxBytes+1))
	shown := []rune(readable(header.Filename))
	return string(shown[:min(len(shown), 100)]), content, err
}

// bulkStanding is where a file stands.
type bulkStanding struct {
	state   string
	task    *task.Task
	request ui.Link
}

func (h *Console) bulkStanding(ctx context.Context, f bulkgrant.File) (bulkStanding, error) {
	switch {
	case f.AppliedAt != nil:
		return bulkStanding{state: "applied"}, nil
	case f.TaskID != nil:
		t, err := h.Tasks.Find(ctx, *f.TaskID)
		return bulkStanding{state: string(t.State), task: &t}, err
	case f.OperationID != nil:
		cr, err := h.Requests.OfOperation(ctx, bulkgrant.Scope(), *f.OperationID)
		if err != nil || cr == nil {
			return bulkStanding{state: "unconfirmed"}, err
		}
		now := bulkStanding{state: string(cr.State), request: ui.Link{Text: cr.ID, URL: present.ApprovalURL(cr.ID)}}
		if now.state == "open" {
			now.state = "waits"
		}
		return now, nil
	}
	return bulkStanding{state: "unconfirmed"}, nil
}

func (h *Console) bulkFile(c echo.Context) error {
	r := h.of(c)
	id, err := param(c, "bulk")
	if err != nil {
		return err
	}
	f, err := h.BulkGrants.Find(c.Request().Context(), id)
	if err != nil {
		return err
	}
	page, err := h.bulkPage(r, f, act(r, bulkPath))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, page)
}

// bulkPage is the page of a file as it stands.
func (h *Console) bulkPage(r request, f bulkgrant.File, a ui.Act) (templ.Component, error) {
	ctx := r.Request().Context()
	now, err := h.bulkStanding(ctx, f)
	if err != nil {
		return nil, err
	}
	m := views.File{Act: a, Name: f.Name, URL: bulkURL(f.ID), State: now.state, Request: now.request,
		Facts: []ui.Fact{{Label: r.L.T("bulk.lines"), Value: r.L.Credits(f.Count)}, {Label: r.L.T("bulk.credits"), Value: r.L.Credits(f.Credits)}}}
	switch {
	case now.state == "applied":
		m.Say = r.L.N("bulk.say_applied", *f.Granted, r.L.Credits(f.Count-*f.Granted))
	case now.task != nil && !now.task.State.Over():
		m.Running, m.Done, m.Total = true, strconv.FormatInt(now.task.Done, 10), strconv.FormatInt(max(now.task.Total, 1), 10)
		m.Say = r.L.T("bulk.say_running", r.L.Credits(now.task.Done), r.L.Credits(now.task.Total))
	case now.task != nil:
		m.Say, m.Message = r.L.T("bulk.say_failed"), bulkFailure(r, f, *now.task)
	case now.state == "waits":
		m.Say = r.L.T("bulk.say_waits")
	case now.state != "unconfirmed":
		m.Say = r.L.T("bulk.say_void")
	default:
		if err := h.previewBulk(ctx, r, f, &m); err != nil {
			return nil, err
		}
	}
	if m.Lines, err = h.bulkLines(ctx, r, f, m.URL); err != nil {
		return nil, err
	}
	return views.FilePage(h.frame(r), m), nil
}

// bulkFailure words what ended the task of a file.
func bulkFailure(r request, f bulkgrant.File, t task.Task) string {
	if f.FailedLine == nil {
		return r.L.Maybe("fault."+t.Error, t.Message)
	}
	return r.L.T("bulk.failed_line", r.L.Credits(*f.FailedLine), present.Presenter{L: r.L}.BulkProblem(*f.FailedProblem, *f.FailedValue))
}

// previewBulk fills in what a file would do that nobody has confirmed.
func (h *Console) previewBulk(ctx context.Context, r request, f bulkgrant.File, m *views.File) error {
	check, err := h.BulkGrants.Check(ctx, f)
	if err != nil {
		return err
	}
	m.Facts = append(m.Facts, ui.Fact{Label: r.L.T("bulk.new"), Value: r.L.Credits(check.New)},
		ui.Fact{Label: r.L.T("bulk.new_credits"), Value: r.L.Credits(check.NewCredits)}, ui.Fact{Label: r.L.T("bulk.done"), Value: r.L.Credits(check.Done)})
	switch {
	case len(check.Problems) > 0:
		m.Say, m.Problems = r.L.T("bulk.bad"), bulkProblems(r, check.Problems)
	case check.New == 0:
		m.Say = r.L.T("bulk.nothing")
	default:
		m.Say, m.Confirm = r.L.T("done.upload_bulk_grant"), r.L.N("bulk.confirm", check.NewCredits)
		m.ConfirmSay = append(m.ConfirmSay, r.L.N("bulk.confirm_say", check.New, r.L.N("bulk.of_credits", check.NewCredits)))
		second, err := h.BulkGrants.NeedsSecond(ctx, f, check, r.Who.Actor())
		if err != nil {
			return err
		}
		switch limit, _ := h.Ledger.LimitCredits(); {
		case second && f.Credits > limit:
			m.ConfirmSay = append(m.ConfirmSay, r.L.T("bulk.confirm_second", r.L.Credits(f.Credits), r.L.Credits(limit)))
		case second:
			m.ConfirmSay = append(m.ConfirmSay, r.L.T("bulk.confirm_together", r.L.Credits(limit)))
		}
	}
	return nil
}

// bulkProblems words what is wrong, as far as a page lists it.
func bulkProblems(r request, problems []bulkgrant.Problem) []views.Problem {
	const most = 500 // a page shows
	var out []views.Problem
	for i, p := range problems {
		if i == most {
			out = append(out, views.Problem{What: r.L.N("bulk.more", int64(len(problems)-most))})
			break
		}
		v := views.Problem{Column: p.Column, Value: p.Value, What: present.Presenter{L: r.L}.BulkProblem(p.Code, p.Value)}
		if p.Line > 0 {
			v.Line = r.L.Credits(int64(p.Line))
		}
		if p.Code == "double_reference" {
			v.Value = ""
		}
		out = append(out, v)
	}
	return out
}

func (h *Console) confirmBulk(c echo.Context) error {
	r := h.of(c)
	id, err := param(c, "bulk")
	if err != nil {
		return err
	}
	f, err := h.BulkGrants.Find(c.Request().Context(), id)
	if err != nil {
		return err
	}
	out, err := h.BulkGrants.Confirm(c.Request().Context(), r.by(), id)
	if bad := fault.As(err); bad != nil && bad.Code == bulkgrant.CodeBadLines {
		// Its page names each line that cannot be granted any more.
		return c.Redirect(http.StatusSeeOther, bulkURL(id))
	}
	return h.conclude(r, bulkURL(id), bulkgrant.Scope(), out, err, func(err error) templ.Component {
		page, unread := h.bulkPage(r, f, again(r, bulkPath, err))
		if unread != nil {
			return templ.NopComponent
		}
		return page
	})
}
