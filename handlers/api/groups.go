package api

import (
	"math"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/route"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/page"
)

type groupsAnswer struct {
	Groups     []groupView `json:"groups"`
	NextCursor string      `json:"next_cursor,omitempty" doc:"left out on the last page"`
}

type groupView struct {
	Fingerprint  string     `json:"fingerprint"`
	Action       string     `json:"action"`
	Dependency   string     `json:"dependency"`
	Code         string     `json:"code"`
	Pattern      string     `json:"pattern" doc:"the message without its numbers, ids and times"`
	Open         int64      `json:"open" doc:"its open dead letters"`
	Accounts     int64      `json:"accounts" doc:"how many accounts have them"`
	Note         string     `json:"note"`
	Link         string     `json:"link"`
	Snoozed      bool       `json:"snoozed" doc:"whether the snooze lasts"`
	SnoozedUntil *time.Time `json:"snoozed_until"`
	SnoozeMore   int        `json:"snooze_more" doc:"ends after so many more deaths; 0 for no such end"`
	ResolvedAt   *time.Time `json:"resolved_at"`
	Returned     bool       `json:"returned" doc:"whether jobs died of it after it was resolved"`
	FirstAt      *time.Time `json:"first_at" doc:"the first death"`
	LastAt       *time.Time `json:"last_at" doc:"the latest death"`
	Revision     int        `json:"revision" doc:"counts what was changed; send it with a change"`
}

func viewOfGroup(g deadletter.Group) groupView {
	return groupView{Fingerprint: g.Fingerprint, Action: g.Action, Dependency: g.Dependency, Code: g.ErrorCode, Pattern: g.Pattern, Open: g.Open, Accounts: g.Accounts,
		Note: g.Note, Link: g.Link, Snoozed: g.Quiet, SnoozedUntil: utc(g.SnoozedUntil), SnoozeMore: g.SnoozeMore, ResolvedAt: utc(g.ResolvedAt), Returned: g.Returned(),
		FirstAt: utc(g.FirstAt), LastAt: utc(g.LastAt), Revision: g.Revision}
}

// groupList is the one query of the list of groups.
type groupList struct {
	List string `json:"list"`
	View string `json:"view"`
}

func (a *API) groups(c echo.Context) error {
	q, err := ParseQuery(c, "limit", "cursor", "view")
	if err != nil {
		return err
	}
	limit, err := q.Int("limit", defaultLimit, 1, maxLimit)
	if err != nil {
		return err
	}
	query := groupList{List: "groups", View: q.Text("view")}
	var from *deadletter.GroupPosition
	if q.Has("cursor") {
		cur, err := decodeCursor[groupList, deadletter.GroupPosition](q.Text("cursor"))
		if err != nil {
			return err
		}
		if cur.Query.List != query.List || q.Has("view") && cur.Query.View != query.View {
			return fault.InvalidField("cursor", "is not a cursor of this list")
		}
		query, from = cur.Query, &cur.Position
	}
	tab := deadletter.OpenGroups
	switch t := deadletter.GroupTab(query.View); t {
	case "":
	case deadletter.OpenGroups, deadletter.SnoozedGroups, deadletter.ResolvedGroups, deadletter.AllGroups:
		tab = t
	default:
		return fault.InvalidField("view", "must be open, snoozed, resolved or all")
	}
	rows, err := a.letters.Groups(c.Request().Context(), tab, from, page.Older, int(limit))
	if err != nil {
		return err
	}
	out := groupsAnswer{Groups: make([]groupView, len(rows.Rows))}
	for i, g := range rows.Rows {
		out.Groups[i] = viewOfGroup(g)
	}
	if out.NextCursor, err = nextCursor(query, rows.Older); err != nil {
		return err
	}
	return writeValue(c, out)
}

func (a *API) group(c echo.Context) error {
	if _, err := ParseQuery(c); err != nil {
		return err
	}
	if _, err := placeOf(c); err != nil {
		return err
	}
	fingerprint, err := route.Param(c, "group")
	if err != nil {
		return err
	}
	g, err := a.letters.Group(c.Request().Context(), fingerprint)
	if err != nil {
		return err
	}
	return writeValue(c, viewOfGroup(g))
}

type groupNoteBody struct {
	Note     string `json:"note" doc:"replaces the note; up to 2000 characters"`
	Link     string `json:"link" doc:"replaces the link: an http or https address, or empty"`
	Revision *int64 `json:"revision" doc:"the one that was read; another one refuses. Whichever it is when left out"`
}

type groupSnoozeBody struct {
	Until    *time.Time `json:"until" doc:"ends at this time, at most a year ahead"`
	More     *int64     `json:"more" doc:"ends after so many more deaths, 1–1,000,000"`
	Revision *int64     `json:"revision" doc:"the one that was read; another one refuses. Whichever it is when left out"`
}

type groupReasonBody struct {
	Reason   string `json:"reason" required:"true" doc:"why, up to 500 characters"`
	Revision *int64 `json:"revision" doc:"the one that was read; another one refuses. Whichever it is when left out"`
}

type groupReopenBody struct {
	Reason   string `json:"reason" doc:"why, up to 500 characters"`
	Revision *int64 `json:"revision" doc:"the one that was read; another one refuses. Whichever it is when left out"`
}

// ofGroup is what a change of the group in the path carries.
func ofGroup(c echo.Context, ch change, revision *int64) (deadletter.GroupRequest, error) {
	var v Checks
	if revision != nil {
		v.Int("revision", revision, 0, math.MaxInt32)
	}
	if err := v.Err(); err != nil {
		return deadletter.GroupRequest{}, err
	}
	fingerprint, err := route.Param(c, "group")
	return deadletter.GroupRequest{Envelope: ch.Envelope, Fingerprint: fingerprint, Revision: revision}, err
}

func (a *API) noteGroup(c echo.Context) error {
	var b groupNoteBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	r, err := ofGroup(c, ch, b.Revision)
	if err != nil {
		return err
	}
	r.Note, r.Link = b.Note, b.Link
	out, err := a.letters.NoteGroup(c.Request().Context(), r)
	return reply(c, ch, out, err, http.StatusOK)
}

func (a *API) snoozeGroup(c echo.Context) error {
	var b groupSnoozeBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	r, err := ofGroup(c, ch, b.Revision)
	if err != nil {
		return err
	}
	if r.Until, err = checked("until", b.Until); err != nil {
		return err
	}
	if b.More != nil {
		var v Checks
		r.More = v.Int("more", b.More, 1, 1_000_000)
		if err := v.Err(); err != nil {
			return err
		}
	}
	out, err := a.letters.SnoozeGroup(c.Request().Context(), r)
	return reply(c, ch, out, err, http.StatusOK)
}

func (a *API) resolveGroup(c echo.Context) error {
	var b groupReasonBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	r, err := ofGroup(c, ch, b.Revision)
	if err != nil {
		return err
	}
	r.Reason = b.Reason
	out, err := a.letters.ResolveGroup(c.Request().Context(), r)
	return reply(c, ch, out, err, http.StatusOK)
}

func (a *API) reopenGroup(c echo.Context) error {
	var b groupReopenBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	r, err := ofGroup(c, ch, b.Revision)
	if err != nil {
		return err
	}
	r.Reason = b.Reason
	out, err := a.letters.ReopenGroup(c.Request().Context(), r)
	return reply(c, ch, out, err, http.StatusOK)
}
