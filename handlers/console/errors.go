package console

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
	"recoup/views/message"
	"recoup/views/ui"
)

// ErrorPage tells a person what happened, that nothing was changed, what to do next, and the request id.
// Whoever is not signed in is led to the sign-in page and back.
func (h *Console) ErrorPage(c echo.Context, status int, f *fault.Error) error {
	r := h.of(c)
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
	}
	if account, err := param(c, "account"); err == nil && account != "" && status != http.StatusNotFound {
		m.Link = ui.Link{Text: r.L.T("nav.accounts"), URL: accountURL(account)}
	}
	return render(c, status, message.Page(h.frame(r), m))
}
