package console

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/reqctx"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
	"recoup/models/staff"
	letters "recoup/views/deadletters"
	views "recoup/views/groups"
	"recoup/views/layout"
	"recoup/views/text"
	"recoup/views/ui"
)

const groupsPath = "/dead-letters/groups"

// The trend of a list and of a page: long enough that what a weekend brought is seen on Monday.
const (
	stepOfTrend  = 6 * time.Hour
	stepsOfTrend = 28 // a week
	sharesShown  = 10
	samplesShown = 5
)

// untilMore is the choice of a snooze that no time ends, only more deaths.
const untilMore = "never"

func groupURL(fingerprint string) string { return groupsPath + "/" + url.PathEscape(fingerprint) }

// lettersOf is the list of a group's dead letters.
func lettersOf(fingerprint string, tab letters.Tab) string {
	q := url.Values{"group": {fingerprint}}
	if tab != letters.NeedsReview {
		q.Set("tab", string(tab))
	}
	return "/dead-letters?" + q.Encode()
}

func (h *Console) groups(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	q := newQuery(r, groupsPath, "view")
	tab := deadletter.OpenGroups
	m := views.Model{Zone: r.L.ZoneLabel(r.Now), List: list(nil, q.path)}
	for _, t := range []deadletter.GroupTab{deadletter.OpenGroups, deadletter.SnoozedGroups, deadletter.ResolvedGroups, deadletter.AllGroups} {
		if string(t) == q.get("view") {
			tab = t
		}
	}
	for _, t := range []deadletter.GroupTab{deadletter.OpenGroups, deadletter.SnoozedGroups, deadletter.ResolvedGroups, deadletter.AllGroups} {
		to := string(t)
		if t == deadletter.OpenGroups {
			to = ""
		}
		m.Views = append(m.Views, ui.Choice{Text: r.L.T("groupview." + string(t)), URL: q.with("view", to), Current: t == tab})
	}
	m.Open = tab == deadletter.OpenGroups
	for _, t := range letters.Tabs() {
		to := query{path: "/dead-letters"}
		address := to.path
		if t != letters.NeedsReview {
			address = to.with("tab", string(t))
		}
		m.Tabs = append(m.Tabs, ui.Choice{Text: letters.TabName(r.L, t), URL: address})
	}
	m.Tabs = append(m.Tabs, ui.Choice{Text: r.L.T("groups.title"), URL: groupsPath, Current: true}, worksChoice(r, false))
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[deadletter.GroupPosition](r, q)
	rows, err := h.Letters.Groups(ctx, tab, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	names := make([]string, len(rows.Rows))
	for i, g := range rows.Rows {
		names[i] = g.Fingerprint
	}
	trend, err := h.Letters.Trend(ctx, names, stepOfTrend, stepsOfTrend)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	m.Select = groupBar(r)
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, g := range rows.Rows {
		row := pr.GroupRow(g, trend[g.Fingerprint], stepsOfTrend)
		row.URL = groupURL(g.Fingerprint)
		if g.Open > 0 {
			row.OpenURL, row.Tick = lettersOf(g.Fingerprint, openTab(g)), g.Fingerprint
		}
		m.Rows = append(m.Rows, row)
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// openTab is where a group's open dead letters are listed.
func openTab(g deadletter.Group) letters.Tab {
	if g.Quiet {
		return letters.Snoozed
	}
	return letters.NeedsReview
}

// findGroup reads the group of the URL.
func (h *Console) findGroup(r request) (deadletter.Group, error) {
	id, err := param(r, "group")
	if err != nil {
		return deadletter.Group{}, err
	}
	return h.Letters.Group(r.Request().Context(), readable(id))
}

func (h *Console) group(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	g, err := h.findGroup(r)
	if err != nil {
		return err
	}
	d := present.GroupPage{Group: g, Step: stepOfTrend, Steps: stepsOfTrend}
	trend, err := h.Letters.Trend(ctx, []string{g.Fingerprint}, stepOfTrend, stepsOfTrend)
	if err != nil {
		return err
	}
	d.Trend = trend[g.Fingerprint]
	if d.Versions, err = h.Letters.WorkerVersions(ctx, g.Fingerprint, sharesShown); err != nil {
		return err
	}
	if d.Accounts, err = h.Letters.Accounts(ctx, g.Fingerprint, sharesShown); err != nil {
		return err
	}
	if d.Samples, err = h.Letters.Latest(ctx, g.Fingerprint, samplesShown); err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m := pr.GroupView(d)
	if g.Open > 0 {
		m.OpenURL = lettersOf(g.Fingerprint, openTab(g))
		m.Whole = wholeGroup(r, g.Fingerprint)
	}
	m.AllURL = lettersOf(g.Fingerprint, letters.Resolved)
	if r.may(staff.DeadLetterTriage) {
		at := groupURL(g.Fingerprint)
		m.NoteForm = &views.Note{Action: at + "/note", OperationID: ids.New(), Revision: m.Revision, Note: ui.Field{Value: g.Note}, Link: ui.Field{Value: g.Link}}
		switch {
		case g.ResolvedAt != nil:
			m.ReopenURL, m.ReopenText = at+"/reopen", r.L.T("groups.reopen")
		case g.Quiet:
			m.ReopenURL, m.ReopenText = at+"/reopen", r.L.T("snooze.wake")
		}
		m.ReopenID = ids.New()
		if g.ResolvedAt == nil {
			m.SnoozeURL = at + "/snooze"
		}
		if g.ResolvedAt == nil || g.Returned() {
			m.ResolveURL = at + "/resolve"
		}
	}
	return render(c, http.StatusOK, views.GroupPage(h.frame(r), m))
}

// groupForm shows a form about one group.
func (h *Console) groupForm(c echo.Context, build func(request, deadletter.Group, ui.Act, error) templ.Component) error {
	r := h.of(c)
	g, err := h.findGroup(r)
	if err != nil {
		return err
	}
	return formPage(c, build(r, g, act(r, groupURL(g.Fingerprint)), nil))
}

// groupAct runs a form's operation on one group and concludes it.
func (h *Console) groupAct(c echo.Context, run func(request, deadletter.GroupRequest) (operation.Outcome, error),
	build func(request, deadletter.Group, ui.Act, error) templ.Component) error {
	r := h.of(c)
	g, err := h.findGroup(r)
	if err != nil {
		return err
	}
	p := deadletter.GroupRequest{Envelope: r.by(), Fingerprint: g.Fingerprint, Reason: r.FormValue("reason")}
	if seen, err := strconv.ParseInt(r.FormValue("revision"), 10, 32); err == nil {
		p.Revision = &seen
	}
	out, err := run(r, p)
	at := groupURL(g.Fingerprint)
	return h.conclude(r, at, operation.Named(deadletter.Scope), out, err, func(err error) templ.Component { return build(r, g, again(r, at, err), err) })
}

func groupName(r request, g deadletter.Group) string {
	switch {
	case g.Pattern != "":
		return text.Visible(g.Pattern)
	case g.ErrorCode != "":
		return g.ErrorCode
	}
	return r.L.T("groups.no_message")
}

// revision is the one that the form was made for.
func revision(r request, g deadletter.Group) string {
	if v := r.FormValue("revision"); v != "" {
		return v
	}
	return strconv.Itoa(g.Revision)
}

// groupNote sets the note that a group shares. Whoever comes too late is shown what stands there now, above what they typed: it
// may be long, and a second look decides what of it is still wanted.
func (h *Console) groupNote(c echo.Context) error {
	retry := func(r request, g deadletter.Group, a ui.Act, err error) views.NoteRetry {
		return views.NoteRetry{Act: a, Title: groupName(r, g), URL: groupURL(g.Fingerprint), Revision: revision(r, g), Note: field(r, "note", err), Link: field(r, "link", err)}
	}
	err := h.groupAct(c, func(r request, p deadletter.GroupRequest) (operation.Outcome, error) {
		p.Note, p.Link = unixLines(r.FormValue("note")), r.FormValue("link")
		out, err := h.Letters.NoteGroup(c.Request().Context(), p)
		if f := fault.As(err); f != nil && f.Code == fault.CodeStateConflict {
			return out, errLate
		}
		return out, err
	}, func(r request, g deadletter.Group, a ui.Act, err error) templ.Component {
		return views.NoteRetryPage(h.frame(r), retry(r, g, a, err))
	})
	if !errors.Is(err, errLate) {
		return err
	}
	r := h.of(c)
	g, err := h.findGroup(r)
	if err != nil {
		return err
	}
	m := retry(r, g, act(r, groupURL(g.Fingerprint)), nil)
	m.Revision, m.Note.Value, m.Link.Value = strconv.Itoa(g.Revision), r.FormValue("note"), r.FormValue("link")
	m.Error, m.RequestID = r.L.T("conflict.group_note"), reqctx.RequestID(c.Request().Context())
	if pr, err := h.presenter(r); err == nil && g.ChangedAt != nil {
		m.Error += " " + r.L.T("conflict.by", pr.Who(g.ChangedBy), r.L.Stamp(*g.ChangedAt, r.Now).Full)
	}
	m.Stands = g.Note
	return render(r, http.StatusConflict, views.NoteRetryPage(h.frame(r), m))
}

// errLate tells groupNote that somebody was first.
var errLate = errors.New("console: the note was changed meanwhile")

func (h *Console) groupSnoozePage(r request, g deadletter.Group, a ui.Act, err error) templ.Component {
	m := views.Snooze{Act: a, Title: groupName(r, g), URL: groupURL(g.Fingerprint), Revision: revision(r, g), UntilError: field(r, "until", err).Error, More: field(r, "more", err)}
	m.Until = append(snoozeOptions(r), ui.Option{Value: untilMore, Label: r.L.T("groups.only_more"), Selected: r.FormValue("until") == untilMore})
	return views.SnoozePage(h.frame(r), m)
}

func (h *Console) groupSnoozeForm(c echo.Context) error { return h.groupForm(c, h.groupSnoozePage) }

func (h *Console) groupSnooze(c echo.Context) error {
	return h.groupAct(c, func(r request, p deadletter.GroupRequest) (operation.Outcome, error) {
		if r.FormValue("until") != untilMore {
			until, err := snoozeUntil(r)
			if err != nil {
				return operation.Outcome{}, err
			}
			p.Until = until
		}
		if r.FormValue("more") != "" {
			n, err := amountField(r, "more")
			if err != nil {
				return operation.Outcome{}, err
			}
			p.More = n
		}
		return h.Letters.SnoozeGroup(c.Request().Context(), p)
	}, h.groupSnoozePage)
}

func (h *Console) groupResolvePage(r request, g deadletter.Group, a ui.Act, err error) templ.Component {
	return views.ResolvePage(h.frame(r), views.Resolve{Act: a, Title: groupName(r, g), URL: groupURL(g.Fingerprint), Revision: revision(r, g),
		Open: r.L.Credits(g.Open), Reason: field(r, "reason", err)})
}

func (h *Console) groupResolveForm(c echo.Context) error { return h.groupForm(c, h.groupResolvePage) }

func (h *Console) groupResolve(c echo.Context) error {
	return h.groupAct(c, func(_ request, p deadletter.GroupRequest) (operation.Outcome, error) {
		return h.Letters.ResolveGroup(c.Request().Context(), p)
	}, h.groupResolvePage)
}

func (h *Console) groupReopen(c echo.Context) error {
	return h.groupAct(c, func(_ request, p deadletter.GroupRequest) (operation.Outcome, error) {
		return h.Letters.ReopenGroup(c.Request().Context(), p)
	}, h.groupResolvePage)
}
