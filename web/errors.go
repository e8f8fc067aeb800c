package web

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"recoup/handlers/api"
	"recoup/handlers/route"
	"recoup/models/db"
	"recoup/models/fault"
)

// Codes of answers that no model gives.
const (
	codeInternal         = "internal_error"
	codeBodyTooLarge     = "body_too_large"
	codeMethodNotAllowed = "method_not_allowed"
	codeClientGone       = "client_gone"
)

// statusClientGone never reaches anybody: it marks the line in the log.
const statusClientGone = 499

// verdict is an error as it is answered.
type verdict struct {
	status int
	fault  *fault.Error
	// detail is true when the answer hides what the log must have.
	detail bool
}

func judge(err error) verdict {
	// Reads outside a transaction hand PostgreSQL's errors on as they are.
	if f := fault.As(db.Fault(err)); f != nil {
		hides := api.Status(f) == http.StatusInternalServerError || f.Code == fault.CodeDatabaseUnavailable
		return verdict{status: api.Status(f), fault: f, detail: hides}
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		f := fault.New(0, codeBodyTooLarge, "The body must not exceed %d bytes.", tooLarge.Limit).With("limit", tooLarge.Limit)
		return verdict{status: http.StatusRequestEntityTooLarge, fault: f}
	}
	if errors.Is(err, errClientGone) {
		return verdict{status: statusClientGone, fault: fault.New(0, codeClientGone, "The client went away.")}
	}
	var he *echo.HTTPError
	if errors.As(err, &he) && he.Code < http.StatusInternalServerError {
		switch he.Code {
		case http.StatusNotFound:
			return verdict{status: he.Code, fault: fault.New(fault.NotFound, fault.CodeNotFound, "There is nothing at this address.")}
		case http.StatusMethodNotAllowed:
			return verdict{status: he.Code, fault: fault.New(0, codeMethodNotAllowed, "This address does not take this method; Allow lists those it takes.")}
		}
		text := http.StatusText(he.Code)
		if text == "" {
			text = "Error"
		}
		return verdict{status: he.Code, fault: fault.New(0, strings.ToLower(strings.ReplaceAll(text, " ", "_")), "%s.", text)}
	}
	return verdict{
		status: http.StatusInternalServerError, detail: true,
		fault: fault.New(0, codeInternal, "Something failed on our side. Send the request again under the same operation id; give the request id when you report it."),
	}
}

// answerError is Echo's error handler. Faults are told as they are; everything else is a 500 without
// detail, whose detail is in the log under the same request id.
func (s *Server) answerError(err error, c echo.Context) {
	v := judge(err)
	ctx := c.Request().Context()
	if v.detail {
		s.log.LogAttrs(ctx, slog.LevelError, "request failed", detail(err)...)
	}
	if v.status == http.StatusRequestEntityTooLarge {
		// The rest of the body will not be read.
		c.Response().Header().Set(echo.HeaderConnection, "close")
	}
	if s.isConsole(c) {
		api.SetHeaders(c.Response().Header(), v.status, v.fault)
		c.Response().Header().Del(echo.HeaderWWWAuthenticate) // people sign in with a form
		pageErr := s.errorPage(c, v.status, v.fault)
		if pageErr == nil || c.Response().Committed {
			if pageErr != nil {
				s.logLate(c, pageErr)
			}
			return
		}
		s.log.LogAttrs(ctx, slog.LevelError, "error page failed", detail(pageErr)...)
	}
	refuse := api.WriteProblem
	if r, found := s.routeOf(c); found && r.Refuse != nil {
		refuse = r.Refuse
	}
	if err := refuse(c, v.status, v.fault); err != nil {
		s.logLate(c, err)
		if !c.Response().Committed {
			c.Response().WriteHeader(http.StatusInternalServerError)
		}
	}
}

// logLate notes an error that can no longer be answered.
func (s *Server) logLate(c echo.Context, err error) {
	level := slog.LevelError
	if errors.Is(err, errClientGone) || c.Request().Context().Err() != nil {
		level = slog.LevelInfo
	}
	s.log.LogAttrs(c.Request().Context(), level, "answer broken off", detail(err)...)
}

func detail(err error) []slog.Attr {
	attrs := []slog.Attr{slog.String("error", err.Error())}
	var p *panicked
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	return attrs
}

// isConsole reports whether a person in a browser gets the answer. The route decides; where there is
// none, the path and what is accepted.
func (s *Server) isConsole(c echo.Context) bool {
	if s.errorPage == nil {
		return false
	}
	r, found := s.routeOf(c)
	switch {
	case found && r.Access.Kind() == route.KindSignedIn:
		return true
	case found && r.Access.Kind() == route.KindKey:
		return false
	}
	path := c.Request().URL.Path
	for _, prefix := range []string{"/v1", "/ofrep"} {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			return false
		}
	}
	h := c.Request().Header
	return strings.Contains(h.Get(echo.HeaderAccept), echo.MIMETextHTML) || h.Get("HX-Request") == "true"
}
