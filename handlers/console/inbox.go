package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/fault"
	"recoup/models/inbox"
	"recoup/models/rollout"
	"recoup/models/staff"
	views "recoup/views/inbox"
	"recoup/views/layout"
	"recoup/views/ui"
)

const inboxPath = "/inbox"

// inboxRoutes are the URLs of what a person is told, and of following.
func (h *Console) inboxRoutes() []route.Route {
	one := func(method, path, name string, p staff.Permission, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: method, Path: path, Name: "console." + name, Access: route.SignedIn(p), Handler: handler}
	}
	return []route.Route{
		one(http.MethodGet, inboxPath, "inbox", staff.PreferenceEdit, h.inbox),
		one(http.MethodPost, inboxPath+"/read", "inbox.read_all", staff.PreferenceEdit, h.readAll),
		one(http.MethodPost, inboxPath+"/unread", "inbox.unread_all", staff.PreferenceEdit, h.unreadAll),
		one(http.MethodPost, inboxPath+"/:message/read", "inbox.read", staff.PreferenceEdit, func(c echo.Context) error { return h.markMessage(c, true) }),
		one(http.MethodPost, inboxPath+"/:message/unread", "inbox.unread", staff.PreferenceEdit, func(c echo.Context) error { return h.markMessage(c, false) }),
		one(http.MethodPost, "/rollouts/:rollout/follow", "rollout.follow", staff.RolloutView, h.followRollout),
	}
}

func (h *Console) inbox(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	q := newQuery(r, inboxPath, "all")
	all := q.get("all") != ""
	m := views.Model{Unread: !all, Zone: r.L.ZoneLabel(r.Now), List: list(nil, q.path), Next: here(r)}
	unread, err := h.Inbox.Unread(ctx, r.Who.Actor(), railCount)
	if err != nil {
		return err
	}
	m.Tabs = []ui.Choice{{Text: r.L.T("inbox.unread"), URL: q.path, Count: counted(r, unread), Current: !all}, {Text: r.L.T("inbox.all"), URL: q.path + "?all=1", Current: all}}
	from, dir := position[inbox.Position](r, q)
	show := func(f layout.Frame) component { return views.Page(f, m) }
	rows, err := h.Inbox.List(ctx, r.Who.Actor(), !all, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), show, func() component { return views.Page(h.frame(r), m) })
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	for _, x := range rows.Rows {
		line := pr.InboxMessage(x)
		line.MarkURL = inboxPath + "/" + strconv.FormatInt(x.Key, 10) + "/read"
		if !line.Unread {
			line.MarkURL = inboxPath + "/" + strconv.FormatInt(x.Key, 10) + "/unread"
		}
		m.Rows = append(m.Rows, line)
	}
	if unread > 0 && len(rows.Rows) > 0 {
		m.Upto = strconv.FormatInt(rows.Rows[0].Key, 10)
	}
	f := h.frame(r)
	if at, ok := marked(r); ok {
		done := ui.NoticeDone(r.L.T("inbox.all_marked"))
		done.Undo = &ui.Undo{Action: inboxPath + "/unread", Undoes: strconv.FormatInt(at.UnixMicro(), 10), Next: inboxPath, Text: r.L.T("inbox.mark_unread")}
		f.Notices = append(f.Notices, done)
	}
	return render(c, http.StatusOK, views.Page(f, m))
}

// undoFor is how long the page offers to take back that all was marked.
const undoFor = 10 * time.Minute

// marked is when this person has just marked all as read, as the address of the page says.
func marked(r request) (time.Time, bool) {
	us, err := strconv.ParseInt(r.QueryParam("marked"), 10, 64)
	at := time.UnixMicro(us)
	return at, err == nil && r.Now.Sub(at) < undoFor && at.Before(r.Now.Add(undoFor))
}

func (h *Console) readAll(c echo.Context) error {
	r := h.of(c)
	upto, err := strconv.ParseInt(r.FormValue("upto"), 10, 64)
	if err != nil {
		return fault.InvalidField("upto", "is required")
	}
	at, err := h.Inbox.MarkAll(c.Request().Context(), r.Who.Actor(), upto)
	if err != nil {
		return err
	}
	to := inboxPath
	if !at.IsZero() {
		to += "?marked=" + strconv.FormatInt(at.UnixMicro(), 10)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

func (h *Console) unreadAll(c echo.Context) error {
	r := h.of(c)
	us, err := strconv.ParseInt(r.FormValue("undoes"), 10, 64)
	if err != nil {
		return fault.InvalidField("undoes", "is required")
	}
	if err := h.Inbox.Unmark(c.Request().Context(), r.Who.Actor(), time.UnixMicro(us)); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, local(r.FormValue("next")))
}

func (h *Console) markMessage(c echo.Context, read bool) error {
	r := h.of(c)
	key, err := strconv.ParseInt(c.Param("message"), 10, 64)
	if err != nil {
		return fault.New(fault.NotFound, inbox.CodeMessageNotFound, "You have no such message.")
	}
	if err := h.Inbox.Mark(c.Request().Context(), r.Who.Actor(), key, read); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, local(r.FormValue("next")))
}

// followRollout lets the person be told of a rollout, or not any more.
func (h *Console) followRollout(c echo.Context) error {
	r := h.of(c)
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	change := h.Inbox.Follow
	if r.FormValue("follow") == "0" {
		change = h.Inbox.Unfollow
	}
	if err := change(c.Request().Context(), rollout.Topic(o.ID), r.Who.Actor()); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, present.RolloutURL(o.ID))
}
