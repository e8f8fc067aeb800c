package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
	"recoup/views/message"
	"recoup/views/text"
	"recoup/views/ui"
)

// whoWaits is how long an error page waits to learn who asks.
const whoWaits = time.Second

// known finds out who asks where no route did: at an address that is none, or without the permission. Nothing depends
// on it but language, zone and the frame, so a failure is no failure.
func (h *Console) known(r request) request {
	token := h.Sessions.Token(r)
	if r.Who.ID != "" || token == "" {
		return r
	}
	ctx, cancel := context.WithTimeout(r.Request().Context(), whoWaits)
	defer cancel()
	in, err := h.Staff.SessionByToken(ctx, token)
	if err != nil {
		return r
	}
	r.Who, r.L.Lang = in.Person, text.LangOf(in.Person.Language)
	if zone, err := time.LoadLocation(in.Person.TimeZone); err == nil {
		r.L.Zone = zone
	}
	return r
}

// size is a limit in words: whole MiB, or whole KiB below one.
func size(bytes int64) string {
	if bytes >= 1<<20 {
		return strconv.FormatInt(bytes>>20, 10) + " MiB"
	}
	return strconv.FormatInt(bytes>>10, 10) + " KiB"
}

// maybeDone tells whether what was asked for may have been done although it was answered with an error: the answer to a
// commit can be lost.
func maybeDone(status int, f *fault.Error) bool {
	return status == http.StatusInternalServerError || f != nil && (f.Code == fault.CodeDatabaseUnavailable || f.Code == fault.CodeTimeout)
}

// ErrorPage tells a person what happened, that nothing was changed or that nobody knows, what to do next, and the request id.
// Whoever is not signed in is led to the sign-in page and back.
func (h *Console) ErrorPage(c echo.Context, status int, f *fault.Error) error {
	r := h.known(h.of(c))
	if status == http.StatusUnauthorized {
		to := "/sign-in"
		if next := here(r); c.Request().Method == http.MethodGet && next != "/" {
			to += "?" + url.Values{"next": {next}}.Encode()
		}
		if c.Request().Header.Get("HX-Request") != "" {
			// htmx would put the sign-in page into the list: it has to leave the page.
			c.Response().Header().Set("HX-Redirect", to)
			return c.NoContent(http.StatusUnauthorized)
		}
		return c.Redirect(http.StatusSeeOther, to)
	}
	if show := unreadableOf(c); show != nil {
		return show(status)
	}
	m := message.Error(r.L, status, reqctx.RequestID(c.Request().Context()))
	if status < http.StatusInternalServerError && f != nil {
		m.Detail = sentence(r.L, f)
		// Some refusals are no matter of permissions, and say themselves what to do.
		m.Next = r.L.Maybe("error."+f.Code+".next", m.Next)
		if limit, ok := f.Detail["limit"].(int64); ok && status == http.StatusRequestEntityTooLarge {
			m.Detail = r.L.T("error.413.limit", size(limit))
		}
	}
	if method := c.Request().Method; method != http.MethodGet && method != http.MethodHead && maybeDone(status, f) {
		m.Unchanged, m.Next = r.L.T("error.unsure"), r.L.T("error.unsure.next")
	}
	if account, err := param(c, "account"); err == nil && account != "" && status != http.StatusNotFound {
		m.Link = ui.Link{Text: r.L.T("nav.accounts"), URL: accountURL(account)}
	}
	return render(c, status, message.Page(h.frame(r), m))
}
