package console

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/models/actor"
	"recoup/models/bulk"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
	"recoup/models/staff"
	views "recoup/views/bulkworks"
	letters "recoup/views/deadletters"
	"recoup/views/ui"
)

const (
	// bulkOpen is the tab of all that are open, whatever is out of sight. No link of the list leads to it.
	bulkOpen letters.Tab = "open"
	// matchLimit is where counting row by row what a filter matches stops.
	matchLimit = 1_000
	// needsShown is how many dependencies the form names, and how many actions that are held.
	needsShown = 5
)

// parsedQuery is the part of a stored or posted query that filters the list.
func parsedQuery(path, raw string) query {
	q := query{path: path, values: url.Values{}}
	all, err := url.ParseQuery(raw)
	if err != nil {
		return q
	}
	for _, name := range letterParams() {
		for _, v := range all[name] {
			if v = readable(v); v != "" && !slices.Contains(q.values[name], v) {
				q.values.Add(name, v)
			}
		}
	}
	return q
}

// selectBar is the bar above a list of open dead letters.
func (h *Console) selectBar(r request, l letterList, p ui.Pager) (views.Select, error) {
	s := views.Select{OperationID: ids.New(), Query: l.q.values.Encode(), Kinds: kindsFor(r, bulk.Kinds()...)}
	if len(s.Kinds) == 0 || p.NewerURL == "" && p.OlderURL == "" {
		return s, nil
	}
	n, more, err := h.Letters.CountMatching(r.Request().Context(), modelTab(l.tab), l.filter, matchLimit)
	if err != nil {
		return s, err
	}
	s.All = r.L.N("works.all", n)
	if more {
		s.All = r.L.T("works.all_many", r.L.Credits(n))
	}
	return s, nil
}

// wholeGroup acts on all open dead letters of a group.
func wholeGroup(r request, fingerprint string) views.Whole {
	return views.Whole{OperationID: ids.New(), Query: url.Values{"group": {fingerprint}, "tab": {string(bulkOpen)}}.Encode(),
		Kinds: kindsFor(r, bulk.Requeue, bulk.Discard, bulk.Assign)}
}

// groupBar is the bar above the list of groups: it acts on all open dead letters of those that are ticked.
func groupBar(r request) views.Select {
	return views.Select{OperationID: ids.New(), Query: groupsParam, Groups: true, Kinds: kindsFor(r, bulk.Kinds()...)}
}

// groupsParam marks a form of the list of groups, also where nothing is ticked.
const groupsParam = "groups=1"

// selectedBy is the filter that a form selects by, and the list that it came from: of the list of groups the ticked ones.
func selectedBy(r request) (q query, back string, all bool) {
	raw := r.FormValue("query")
	if raw == groupsParam {
		v := url.Values{"group": r.Request().Form["group"], "tab": {string(bulkOpen)}}
		return parsedQuery("/dead-letters", v.Encode()), groupsPath, len(v["group"]) > 0
	}
	q = parsedQuery("/dead-letters", raw)
	back = q.url()
	if q.get("tab") == string(bulkOpen) {
		back = q.without("tab")
	}
	return q, back, r.FormValue("all") != ""
}

// selection reads what a form selects. back is the list that it came from.
func (h *Console) selection(r request) (sel bulk.Selection, back string, err error) {
	if err := r.Request().ParseForm(); err != nil {
		return sel, "/dead-letters", fault.InvalidField("query", "cannot be read")
	}
	q, back, all := selectedBy(r)
	if !all {
		for _, v := range r.Request().Form["row"] {
			row, err := bulk.ParseTicked(v)
			if err != nil {
				return sel, back, err
			}
			sel.Rows = append(sel.Rows, row)
		}
		if len(sel.Rows) == 0 {
			return sel, back, fault.InvalidField("selection", "selects no dead letter")
		}
		return sel, back, nil
	}
	l, err := h.letterListOf(r, q)
	if err != nil {
		return sel, back, err
	}
	// A tab that is none would be read as another one.
	named := q.get("tab") == "" || q.get("tab") == string(bulkOpen) || q.get("tab") == string(l.tab)
	if !named || l.bad || l.tab == letters.LateSuccess || l.tab == letters.Resolved {
		return sel, back, fault.InvalidField("query", "is not understood")
	}
	sel.Tab, sel.Filter = modelTab(l.tab), l.filter
	// What is kept says the same to whoever reads it later.
	kept := query{path: q.path, values: l.q.copy()}
	if l.tab == letters.Mine || q.get("tab") == string(bulkOpen) {
		sel.Tab = deadletter.Open
		kept.values.Set("tab", string(bulkOpen))
	}
	if l.tab == letters.Mine || q.get("assignee") == "me" {
		kept.values.Set("assignee", r.Who.ID)
	}
	if len(kept.values) == 0 {
		kept.values.Set("tab", string(letters.NeedsReview))
	}
	sel.Query = kept.values.Encode()
	return sel, back, nil
}

// prepareWork freezes a set and leads to the form that starts it. It changes no dead letter. Another selection from the
// same page is another operation: whoever goes back and ticks more gets another set.
func (h *Console) prepareWork(c echo.Context) error {
	r := h.of(c)
	kind := bulk.Kind(r.FormValue("kind"))
	if !slices.Contains(bulk.Kinds(), kind) {
		return fault.InvalidField("kind", "is none that there is")
	}
	if !mayWork(r, kind) {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "You may not do this to dead letters. Nothing was done.")
	}
	sel, back, err := h.selection(r)
	if err != nil {
		return h.notPrepared(r, err, back)
	}
	e := r.by()
	what := sha256.New()
	what.Write([]byte(string(kind) + "\x00" + sel.Query))
	for _, row := range sel.Rows {
		what.Write([]byte("\x00" + row.String()))
	}
	e.OperationID += "." + hex.EncodeToString(what.Sum(nil)[:8])
	out, err := h.BulkWorks.Prepare(c.Request().Context(), e, kind, sel)
	if err != nil {
		return h.notPrepared(r, err, back)
	}
	var set bulk.PreparedSet
	if err := out.Decode(&set); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, workURL(set.ID)+"/start")
}

// notPrepared says why a selection is no set; anything else is an error page.
func (h *Console) notPrepared(r request, err error, back string) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid {
		return err
	}
	say := r.L.T("works.refused_filter")
	for _, bad := range f.Fields {
		switch {
		case bad.Name == "selection" && strings.HasPrefix(bad.Message, "selects no"):
			say = r.L.T("works.refused_none")
		case bad.Name == "selection":
			say = r.L.T("works.refused_many", r.L.Credits(bulk.MaxItems))
		}
	}
	page, code := h.refusedWork(r, say, back)
	return render(r, code, page)
}

func (h *Console) startWorkForm(c echo.Context) error {
	r := h.of(c)
	w, err := h.findWork(r)
	if err != nil {
		return err
	}
	if w.State != bulk.Prepared || w.Expired(r.Now) {
		return c.Redirect(http.StatusSeeOther, workURL(w.ID))
	}
	if !mayWork(r, w.Kind) {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "You may not do this to dead letters. Nothing was done.")
	}
	page, err := h.startWorkPage(r, w, act(r, listOf(w)), nil)
	if err != nil {
		return err
	}
	return formPage(c, page)
}

// listOf is the list that a set came from.
func listOf(w bulk.Work) string {
	if w.Filter == "" {
		return "/dead-letters"
	}
	q := parsedQuery("/dead-letters", w.Filter)
	if q.get("tab") == string(bulkOpen) {
		return q.without("tab")
	}
	return q.url()
}

// numberField is what stands in a number's field: what was typed, or what is proposed.
func numberField(r request, name string, proposed int64, err error) ui.Field {
	f := field(r, name, err)
	if f.Value == "" && err == nil {
		f.Value = r.L.Credits(proposed)
	}
	return f
}

// paceFields are the fields of how fast a kind of work goes.
func paceFields(r request, k bulk.Kind, p bulk.Pace, err error) *views.Pace {
	v := &views.Pace{PerMinute: numberField(r, "per_minute", p.PerMinute, err)}
	if k == bulk.Requeue {
		probe, stop := numberField(r, "probe", p.Probe, err), numberField(r, "stop_percent", p.StopPercent, err)
		v.Probe, v.Stop = &probe, &stop
	}
	return v
}

// startWorkPage is the form that shows a frozen set and starts it.
func (h *Console) startWorkPage(r request, w bulk.Work, a ui.Act, err error) (templ.Component, error) {
	ctx := r.Request().Context()
	pr, unread := h.presenter(r)
	if unread != nil {
		return nil, unread
	}
	excluded, unread := h.BulkWorks.ExcludedBy(ctx, w)
	if unread != nil {
		return nil, unread
	}
	n, kind := r.L.Credits(w.Count), string(w.Kind)
	m := views.Start{Act: a, Title: pr.BulkTitle(w), URL: workURL(w.ID), Facts: pr.BulkFacts(w, h.filterWords(r, w)), Excluded: pr.BulkExcluded(excluded), Nothing: w.Count == 0,
		Plain: generationOf(int(w.Count)), Submit: r.L.T("worksubmit."+kind, n), Say: r.L.T("worksay."+kind, r.L.Sum(w.Credits.String())), Danger: w.Kind == bulk.Discard}
	if m.Second, unread = h.secondSay(r, w); unread != nil {
		return nil, unread
	}
	elsewhere, unread := h.BulkWorks.Elsewhere(ctx, w)
	if unread != nil {
		return nil, unread
	}
	if elsewhere > 0 {
		m.Elsewhere = r.L.N("works.elsewhere", elsewhere)
	}
	proposed := bulk.Pace{Probe: bulk.DefaultProbe, PerMinute: bulk.DefaultPerMinute, StopPercent: bulk.DefaultStopPercent}
	switch w.Kind {
	case bulk.Requeue:
		reason := field(r, "reason", err)
		m.Reason, m.Pace = &reason, paceFields(r, w.Kind, proposed, err)
		needs, unread := h.BulkWorks.Needs(ctx, w, needsShown)
		if unread != nil {
			return nil, unread
		}
		standing, unread := h.Dependencies.Standing(ctx, heldOf(needs.Actions), heldOf(needs.Dependencies))
		if unread != nil {
			return nil, unread
		}
		m.Needs, m.Held = pr.BulkNeeds(needs), pr.BulkHeld(needs, standing)
		if needs.External > 0 {
			m.External = r.L.N("works.external", needs.External)
		}
	case bulk.Discard:
		m.Reasons, m.Note, m.Problem, m.Pace = letters.ReasonOptions(r.L, r.FormValue("reason")), field(r, "note", err), field(r, "reason", err).Error, paceFields(r, w.Kind, proposed, err)
	case bulk.Assign:
		people, unread := h.Staff.List(ctx)
		if unread != nil {
			return nil, unread
		}
		m.Assignees, m.Problem = assignees(r, people), field(r, "assignee", err).Error
	case bulk.Snooze:
		m.Until, m.Problem = snoozeOptions(r), field(r, "until", err).Error
	}
	if (w.Kind == bulk.Requeue || w.Kind == bulk.Discard) && w.Count > 0 {
		m.Expected, m.Count = n, field(r, "count", err)
	}
	return views.StartPage(h.frame(r), m), nil
}

// secondSay says that a work needs a second person and why; "" where it needs none.
func (h *Console) secondSay(r request, w bulk.Work) (string, error) {
	limit, _ := h.BulkWorks.Limit()
	if h.BulkWorks.Exceeds(w, 0) {
		return r.L.T("works.second", r.L.Credits(limit)), nil
	}
	alone, err := h.BulkWorks.Alone(r.Request().Context(), r.Who.Actor())
	if err != nil || !h.BulkWorks.Exceeds(w, alone) {
		return "", err
	}
	return r.L.T("works.second_together", r.L.Credits(limit), r.L.Credits(alone)), nil
}

// heldOf are the names of what is behind a hold.
func heldOf(needs []bulk.Need) []string {
	var out []string
	for _, n := range needs {
		if n.Held {
			out = append(out, n.Name)
		}
	}
	return out
}

// assignees are those who can take care of dead letters, the person first.
func assignees(r request, people []staff.Person) []ui.Option {
	chosen := r.FormValue("assignee")
	out := []ui.Option{{Value: r.Who.ID, Label: r.L.T("assignee.me")}, {Value: "nobody", Label: r.L.T("triage.nobody"), Selected: chosen == "nobody"}}
	for _, p := range people {
		if p.ID != r.Who.ID && p.DisabledAt == nil && p.Allows(staff.DeadLetterTriage) {
			out = append(out, ui.Option{Value: p.ID, Label: p.Name, Selected: chosen == p.ID})
		}
	}
	return out
}

// pace reads the fields of paceFields. A kind that has none goes as fast as it can.
func pace(r request, k bulk.Kind) (bulk.Pace, error) {
	p := bulk.Pace{PerMinute: bulk.MaxPerMinute, StopPercent: 100}
	var bad []fault.Field
	read := func(name string, to *int64) {
		n, err := amount(r.FormValue(name))
		if err != nil {
			bad = append(bad, fault.Field{Name: name, Message: err.Error()})
			return
		}
		*to = n
	}
	switch k {
	case bulk.Requeue:
		read("probe", &p.Probe)
		read("per_minute", &p.PerMinute)
		read("stop_percent", &p.StopPercent)
	case bulk.Discard:
		read("per_minute", &p.PerMinute)
	case bulk.Assign, bulk.Snooze, bulk.Undo:
	}
	if len(bad) > 0 {
		return p, fault.InvalidFields(bad...)
	}
	return p, nil
}

func (h *Console) startWork(c echo.Context) error {
	r := h.of(c)
	w, err := h.findWork(r)
	if err != nil {
		return err
	}
	if !mayWork(r, w.Kind) {
		return fault.New(fault.Forbidden, fault.CodeForbidden, "You may not do this to dead letters. Nothing was done.")
	}
	out, err := h.startOf(r, w)
	return h.conclude(r, workURL(w.ID), bulk.Scope(), out, err, func(err error) templ.Component {
		page, unread := h.startWorkPage(r, w, again(r, listOf(w), err), err)
		if unread != nil {
			return templ.NopComponent
		}
		return page
	})
}

// startOf sends the form that starts a work.
func (h *Console) startOf(r request, w bulk.Work) (operation.Outcome, error) {
	p, err := pace(r, w.Kind)
	if err != nil {
		return operation.Outcome{}, err
	}
	n, err := amountField(r, "count")
	if err != nil {
		return operation.Outcome{}, err
	}
	s := bulk.StartRequest{Envelope: r.by(), ID: w.ID, Count: n, Reason: r.FormValue("reason"), Note: unixLines(r.FormValue("note")), Pace: p}
	switch w.Kind {
	case bulk.Assign:
		if id := r.FormValue("assignee"); id != "nobody" {
			s.Assignee = actor.Staff(id)
		}
	case bulk.Snooze:
		if s.Until, err = snoozeUntil(r); err != nil {
			return operation.Outcome{}, err
		}
	case bulk.Requeue, bulk.Discard, bulk.Undo:
	}
	return h.BulkWorks.Start(r.Request().Context(), s)
}
