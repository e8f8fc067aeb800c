package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/fault"
	"recoup/models/staff"
)

// errClientGone marks the error of a request whose client did not wait for the answer.
var errClientGone = errors.New("the client went away")

// Time that reading and writing get beyond a route's own timeout.
const (
	readSlack  = 5 * time.Second
	writeSlack = 10 * time.Second
)

// guard puts around a handler what its route declares: body limit, timeout, session or key,
// permission. In this order: nobody is authenticated on the time of others.
func (s *Server) guard(r route.Route) echo.HandlerFunc {
	if r.MaxBody == 0 {
		r.MaxBody = route.DefaultMaxBody
	}
	if r.Timeout == 0 {
		r.Timeout = route.DefaultTimeout
	}
	return func(c echo.Context) error {
		req := c.Request()
		if req.ContentLength > r.MaxBody {
			return &http.MaxBytesError{Limit: r.MaxBody}
		}
		req.Body = http.MaxBytesReader(c.Response(), req.Body, r.MaxBody)
		setDeadlines(c, r.Timeout)

		ctx, cancel := s.requestContext(req.Context(), r)
		defer cancel()
		c.SetRequest(req.WithContext(ctx))
		defer c.SetRequest(req)
		if err := s.admit(c, r.Access); err != nil {
			return outcome(ctx, err)
		}
		return outcome(ctx, r.Handler(c))
	}
}

func (s *Server) requestContext(ctx context.Context, r route.Route) (context.Context, context.CancelFunc) {
	cancel := context.CancelFunc(func() {})
	if r.Timeout != route.NoTimeout {
		ctx, cancel = context.WithTimeout(ctx, r.Timeout)
	}
	if !r.EndsOnShutdown {
		return ctx, cancel
	}
	ctx, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.draining, func() { end(errDraining) })
	return ctx, func() {
		stop()
		end(nil)
		cancel()
	}
}

// outcome says why a request failed when its context was over. A fault stays what it is. It must
// run before the context is canceled as part of returning.
func outcome(ctx context.Context, err error) error {
	if err == nil || fault.As(err) != nil || ctx.Err() == nil {
		return err
	}
	switch {
	case errors.Is(context.Cause(ctx), errDraining):
		return fmt.Errorf("%w (%w)", fault.New(fault.Busy, fault.CodeBusy, "The server is shutting down. Try again."), err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w (%w)", fault.New(fault.Busy, fault.CodeTimeout,
			"The request took too long. It may have been applied all the same: send it again under the same operation id to find out."), err)
	}
	return fmt.Errorf("%w (%w)", errClientGone, err)
}

// setDeadlines fits the connection's deadlines, which the server renews with every request, to the
// route. A writer that has none (in tests) needs none.
func setDeadlines(c echo.Context, timeout time.Duration) {
	rc := http.NewResponseController(c.Response())
	var read, write time.Time
	if timeout != route.NoTimeout {
		now := time.Now()
		read, write = now.Add(timeout+readSlack), now.Add(timeout+writeSlack)
	}
	rc.SetReadDeadline(read)   //nolint:errcheck // http.ErrNotSupported
	rc.SetWriteDeadline(write) //nolint:errcheck // http.ErrNotSupported
}

// admit finds out who asks and whether they may.
func (s *Server) admit(c echo.Context, a route.Access) error {
	var who staff.Principal
	var err error
	ctx := c.Request().Context()
	switch a.Kind() {
	case route.KindPublic:
		return nil
	case route.KindSignedIn:
		who, err = s.auth.Person(c)
	case route.KindKey:
		who, err = s.program(ctx, c.Request().Header)
	default:
		return fmt.Errorf("web: %s %s is not classified", c.Request().Method, c.Path())
	}
	if err != nil {
		return err
	}
	reqctx.SetActor(ctx, who.Actor())
	if !who.Allows(a.Permission()) {
		if err := s.auth.Refused(ctx, who, a.Permission(), object(c)); err != nil {
			return err
		}
		f := staff.Forbidden(a.Permission())
		if a.Kind() == route.KindKey {
			f = f.With("scopes", route.ScopesFor(a.Permission()))
		}
		return f
	}
	route.SetPrincipal(c, who)
	return nil
}

func (s *Server) program(ctx context.Context, h http.Header) (staff.Principal, error) {
	values := h.Values(echo.HeaderAuthorization)
	if len(values) != 1 || route.Bearer(values[0]) == "" {
		return nil, fault.New(fault.Unauthenticated, fault.CodeUnauthenticated,
			"Send an API key: one header Authorization with the word Bearer, a space and the key.")
	}
	return s.auth.Program(ctx, route.Bearer(values[0]))
}

const maxObject = 200

// object names what a refused request aimed at. The escaped path is ASCII, so it can be cut anywhere.
func object(c echo.Context) string {
	o := c.Request().Method + " " + c.Request().URL.EscapedPath()
	if len(o) > maxObject {
		o = o[:maxObject]
	}
	return o
}
