package console

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
	"recoup/models/staff"
	"recoup/views/person"
)

func (h *Console) signInPage(c echo.Context) error {
	r := h.of(c)
	return render(c, http.StatusOK, person.SignInPage(h.frame(r), signInModel(r, c.QueryParam("next"))))
}

func signInModel(r request, next string) person.SignIn {
	q := url.Values{"lang": {string(r.L.Other())}}
	if next = local(next); next != "/" {
		q.Set("next", next)
	}
	return person.SignIn{Next: next, OtherURL: "/sign-in?" + q.Encode()}
}

func (h *Console) signIn(c echo.Context) error {
	r := h.of(c)
	in, err := h.Staff.SignIn(c.Request().Context(), c.FormValue("email"), c.FormValue("password"), client(c))
	if err == nil {
		h.Sessions.Start(c, in)
		return c.Redirect(http.StatusSeeOther, local(c.FormValue("next")))
	}
	f := fault.As(err)
	if f == nil {
		return err
	}
	m := signInModel(r, c.FormValue("next"))
	m.Email = c.FormValue("email")
	code := http.StatusUnauthorized
	if f.Kind == fault.Busy {
		m.Wait, code = r.L.Duration(f.RetryAfter), http.StatusTooManyRequests
	} else {
		m.Wrong = true
	}
	return render(c, code, person.SignInPage(h.frame(r), m))
}

func client(c echo.Context) staff.Client {
	return staff.Client{IP: c.RealIP(), UserAgent: c.Request().UserAgent(), RequestID: reqctx.RequestID(c.Request().Context())}
}

// linkPage only offers to use the link: programs that follow links in messages must not use it up.
func (h *Console) linkPage(c echo.Context) error {
	r := h.of(c)
	token := c.QueryParam("token")
	if token == "" {
		return render(c, http.StatusOK, person.SpentLinkPage(h.frame(r)))
	}
	return render(c, http.StatusOK, person.LinkPage(h.frame(r), token))
}

func (h *Console) useLink(c echo.Context) error {
	in, err := h.Staff.ConsumeLink(c.Request().Context(), c.FormValue("token"), client(c))
	if f := fault.As(err); f != nil && f.Kind == fault.Unauthenticated {
		return render(c, http.StatusUnauthorized, person.SpentLinkPage(h.frame(h.of(c))))
	}
	if err != nil {
		return err
	}
	h.Sessions.Start(c, in)
	return c.Redirect(http.StatusSeeOther, "/")
}

// signOut is public: it does no harm without a session and must work with one that has just ended.
func (h *Console) signOut(c echo.Context) error {
	if token := h.Sessions.Token(c); token != "" {
		if err := h.Staff.SignOut(c.Request().Context(), token, reqctx.RequestID(c.Request().Context())); err != nil {
			return err
		}
	}
	h.Sessions.End(c)
	return c.Redirect(http.StatusSeeOther, "/sign-in")
}
