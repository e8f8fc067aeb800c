package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/models/staff"
	views "recoup/views/bulkworks"
	letters "recoup/views/deadletters"
	"recoup/views/layout"
	"recoup/views/ui"
)

const worksPath = views.Path

func workURL(id string) string { return present.BulkURL(seg(id)) }

// bulkWorkRoutes are the URLs of changes of many dead letters. Who may triage may get so far; what a work's kind does
// needs its own permission as well.
func (h *Console) bulkWorkRoutes() []route.Route {
	at := func(method, path, name string, p staff.Permission, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: method, Path: worksPath + path, Name: "console." + name, Access: route.SignedIn(p), Handler: handler}
	}
	file := at(http.MethodGet, "/:work/export", "bulk_work.export", staff.DeadLetterView, h.exportWork)
	file.Timeout = route.NoTimeout
	return []route.Route{
		at(http.MethodGet, "", "bulk_works", staff.DeadLetterView, h.bulkWorks),
		at(http.MethodPost, "", "bulk_works.post", staff.DeadLetterTriage, h.prepareWork),
		at(http.MethodGet, "/:work", "bulk_work", staff.DeadLetterView, h.bulkWork),
		at(http.MethodGet, "/:work/progress", "bulk_work.progress", staff.DeadLetterView, h.workProgress),
		file,
		at(http.MethodGet, "/:work/start", "bulk_work.start", staff.DeadLetterTriage, h.startWorkForm),
		at(http.MethodPost, "/:work/start", "bulk_work.start.post", staff.DeadLetterTriage, h.startWork),
		at(http.MethodGet, "/:work/pause", "bulk_work.pause", staff.DeadLetterTriage, h.workStepForm),
		at(http.MethodPost, "/:work/pause", "bulk_work.pause.post", staff.DeadLetterTriage, h.workStep),
		at(http.MethodGet, "/:work/resume", "bulk_work.resume", staff.DeadLetterTriage, h.workStepForm),
		at(http.MethodPost, "/:work/resume", "bulk_work.resume.post", staff.DeadLetterTriage, h.workStep),
		at(http.MethodGet, "/:work/abort", "bulk_work.abort", staff.DeadLetterTriage, h.workStepForm),
		at(http.MethodPost, "/:work/abort", "bulk_work.abort.post", staff.DeadLetterTriage, h.workStep),
		at(http.MethodPost, "/:work/undo", "bulk_work.undo.post", staff.DeadLetterTriage, h.undoWork),
	}
}

// needs is the permission that a kind of work takes.
func needs(k bulk.Kind) staff.Permission {
	switch k {
	case bulk.Requeue:
		return staff.Requeue
	case bulk.Discard:
		return staff.Discard
	case bulk.Assign, bulk.Snooze, bulk.Undo:
	}
	return staff.DeadLetterTriage
}

// mayWork tells whether a person may do to many what a kind does.
func mayWork(r request, k bulk.Kind) bool { return r.may(staff.DeadLetterTriage) && r.may(needs(k)) }

// kindsFor are the kinds that a person may do.
func kindsFor(r request, kinds ...bulk.Kind) []views.Kind {
	var out []views.Kind
	for _, k := range kinds {
		if mayWork(r, k) {
			out = append(out, views.Kind{Value: string(k), Text: r.L.T("bulkopen." + string(k)), Danger: k == bulk.Discard})
		}
	}
	return out
}

// worksChoice is the tab that leads to all bulk works.
func worksChoice(r request, current bool) ui.Choice {
	return ui.Choice{Text: r.L.T("works.title"), URL: worksPath, Current: current}
}

func (h *Console) bulkWorks(c echo.Context) error {
	r := h.of(c)
	q := newQuery(r, worksPath)
	m := views.Model{Zone: r.L.ZoneLabel(r.Now), List: list(nil, q.path)}
	for _, t := range letters.Tabs() {
		to := query{path: "/dead-letters"}
		address := to.path
		if t != letters.NeedsReview {
			address = to.with("tab", string(t))
		}
		m.Tabs = append(m.Tabs, ui.Choice{Text: letters.TabName(r.L, t), URL: address})
	}
	m.Tabs = append(m.Tabs, ui.Choice{Text: r.L.T("groups.title"), URL: groupsPath}, worksChoice(r, true))
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[int64](r, q)
	rows, err := h.BulkWorks.List(c.Request().Context(), from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	for _, w := range rows.Rows {
		m.Rows = append(m.Rows, pr.BulkLine(w))
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// findWork reads the bulk work of the URL.
func (h *Console) findWork(r request) (bulk.Work, error) {
	id, err := param(r, "work")
	if err != nil {
		return bulk.Work{}, err
	}
	return h.BulkWorks.Find(r.Request().Context(), readable(id))
}

// workLive is how far a work is, with the change request that it waits for, if it does.
func (h *Console) workLive(r request, pr present.Presenter, w bulk.Work) (views.Live, ui.Link, error) {
	ctx := r.Request().Context()
	at, err := h.BulkWorks.Progress(ctx, w)
	if err != nil {
		return views.Live{}, ui.Link{}, err
	}
	var request ui.Link
	void := false
	if w.OperationID != nil {
		cr, err := h.Requests.OfOperation(ctx, bulk.Scope(), *w.OperationID)
		if err != nil {
			return views.Live{}, request, err
		}
		if cr != nil {
			request = ui.Link{Text: cr.ID, URL: present.ApprovalURL(cr.ID)}
			void = cr.State != approval.Open && cr.State != approval.Approved
		}
	}
	live := pr.BulkLive(w, at, void)
	if at.Back.Out > 0 {
		if live.Held, err = h.workHeld(r, pr, w); err != nil {
			return views.Live{}, request, err
		}
	}
	// While jobs are out their coming back is news as well.
	if w.State == bulk.Running || at.Back.Out > 0 && w.State != bulk.Prepared {
		live.URL, live.Slow = workURL(w.ID)+"/progress?"+url.Values{"version": {generationOf(w.Version)}}.Encode(), w.State != bulk.Running
	}
	return live, request, nil
}

// workHeld tells of the holds behind which what is out waits; nil where there is none.
func (h *Console) workHeld(r request, pr present.Presenter, w bulk.Work) (*ui.HeldNotice, error) {
	behind, err := h.BulkWorks.Behind(r.Request().Context(), w, needsShown)
	if err != nil || behind.Held == 0 {
		return nil, err
	}
	standing, err := h.Dependencies.Standing(r.Request().Context(), heldOf(behind.Actions), heldOf(behind.Dependencies))
	if err != nil {
		return nil, err
	}
	return pr.BulkBehind(behind, standing), nil
}

// workProgress answers the page that watches a work: how far it is, and once its state is another, to load the page anew.
func (h *Console) workProgress(c echo.Context) error {
	r := h.of(c)
	w, err := h.findWork(r)
	if err != nil {
		return err
	}
	if generationOf(w.Version) != r.QueryParam("version") {
		if c.Request().Header.Get("HX-Request") == "" {
			return c.Redirect(http.StatusSeeOther, workURL(w.ID))
		}
		c.Response().Header().Set("HX-Refresh", "true")
		return c.NoContent(http.StatusOK)
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	live, _, err := h.workLive(r, pr, w)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.Progress(r.L, live))
}

// workShow is which rows the address asks for.
func workShow(q query) bulk.Show {
	for _, s := range bulk.Shows() {
		if string(s) == q.get("show") {
			return s
		}
	}
	return bulk.ShowAll
}

func (h *Console) bulkWork(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	w, err := h.findWork(r)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	live, asked, err := h.workLive(r, pr, w)
	if err != nil {
		return err
	}
	q := newQuery(r, workURL(w.ID), "show")
	show := workShow(q)
	m := views.Work{Title: pr.BulkTitle(w), State: string(w.State), ID: ui.ID{Value: w.ID}, Live: live, Request: asked, Zone: r.L.ZoneLabel(r.Now)}
	m.Lines = pr.BulkLines(w, h.filterWords(r, w))
	if w.Filter != "" {
		m.ListURL = "/dead-letters?" + w.Filter
	}
	h.workSteps(r, w, &m)
	if err := h.workUndo(r, w, &m); err != nil {
		return err
	}
	var chips []ui.Chip
	for _, s := range bulk.Shows() {
		name := shownAs(w, s)
		if w.Kind != bulk.Requeue && slices.Contains([]bulk.Show{bulk.ShowOut, bulk.ShowCaller, bulk.ShowSucceeded, bulk.ShowFailed}, s) {
			continue
		}
		m.Shows = append(m.Shows, ui.Choice{Text: r.L.T("workshow." + name), URL: q.with("show", string(s)), Current: s == show})
		if s == show && s != bulk.ShowAll {
			chips = append(chips, ui.Chip{Label: r.L.T("works.came"), Value: r.L.T("workshow." + name), RemoveURL: q.without("show")})
		}
	}
	m.List = list(chips, q.path)
	page := func(f layout.Frame) component { return views.WorkPage(f, m) }
	part := func() component { return views.Rows(r.L, m) }
	from, dir := position[int64](r, q)
	rows, err := h.BulkWorks.Items(ctx, w, show, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	for _, i := range rows.Rows {
		m.Rows = append(m.Rows, pr.BulkRow(w, i))
	}
	m.Export = ui.Exports{Say: r.L.T("works.export_say", r.L.T("workshow."+shownAs(w, show)), r.L.ZoneLabel(r.Now)),
		Links: []ui.Link{{Text: r.L.T("export.csv"), URL: address(workURL(w.ID)+"/export", q.values)}}}
	return fragment(r, h, http.StatusOK, page, part)
}

// shownAs is the word's key of what a list shows.
func shownAs(w bulk.Work, s bulk.Show) string {
	switch {
	case s == bulk.ShowAll:
		return "all"
	case s == bulk.ShowPending && w.State == bulk.Aborted: // nothing will touch them any more
		return "untouched"
	}
	return string(s)
}

// workSteps are the links to what a person may do with a work now.
func (h *Console) workSteps(r request, w bulk.Work, m *views.Work) {
	if !mayWork(r, w.Kind) {
		return
	}
	at := workURL(w.ID)
	switch w.State {
	case bulk.Prepared:
		if !w.Expired(r.Now) {
			m.StartURL = at + "/start"
		}
	case bulk.Running:
		m.PauseURL, m.AbortURL = at+"/pause", at+"/abort"
	case bulk.Paused, bulk.Stopped:
		m.ResumeURL, m.AbortURL = at+"/resume", at+"/abort"
	case bulk.Proposed, bulk.Aborted, bulk.Done:
	}
}

// groupsNamed is how many groups are named one by one; more are counted.
const groupsNamed = 3

// filterWords says by what a set was selected.
func (h *Console) filterWords(r request, w bulk.Work) string {
	if w.Filter == "" {
		return r.L.T("works.ticked_rows")
	}
	l, err := h.letterListOf(r, parsedQuery("/dead-letters", w.Filter))
	if err != nil {
		return w.Filter
	}
	words := []string{letters.TabName(r.L, l.tab)}
	if l.q.get("tab") == string(bulkOpen) {
		words[0] = r.L.T("state.open")
	}
	named := len(l.filter.Fingerprints) <= groupsNamed
	for _, chip := range l.chips {
		if named || chip.Label != r.L.T("dead.group") {
			words = append(words, chip.Label+" "+chip.Value)
		}
	}
	if !named {
		words = append(words, r.L.N("works.groups", int64(len(l.filter.Fingerprints))))
	}
	return strings.Join(words, " · ")
}

// proposedSelection says by what the set was selected that a second person is asked for, and how many of its rows other works are
// to do as well. What selects does not change once the set is frozen.
func (h *Console) proposedSelection(r request, cr approval.Request) (selected string, elsewhere int64, err error) {
	plan, err := bulk.ReadPlan(cr)
	if err != nil {
		return "", 0, err
	}
	w, err := h.BulkWorks.Find(r.Request().Context(), plan.BulkWork)
	if err != nil {
		return "", 0, err
	}
	if w.State == bulk.Proposed {
		if elsewhere, err = h.BulkWorks.Elsewhere(r.Request().Context(), w); err != nil {
			return "", 0, err
		}
	}
	return h.filterWords(r, w), elsewhere, nil
}

// refusedWork is the page that says why a selection was no set.
func (h *Console) refusedWork(r request, say, back string) (templ.Component, int) {
	return views.RefusedPage(h.frame(r), views.Refused{Say: say, BackURL: back}), http.StatusUnprocessableEntity
}
