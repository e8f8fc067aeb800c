package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
	"recoup/web/telemetry"
)

// maxRequestID bounds a request id that a caller or proxy chose.
const maxRequestID = 64

// requestID keeps a sane X-Request-Id and makes one otherwise. It starts the request's record.
func requestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !saneRequestID(id) {
			id = ids.New()
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		c.SetRequest(c.Request().WithContext(operation.WithNotes(reqctx.New(c.Request().Context(), id))))
		return next(c)
	}
}

func saneRequestID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for i := 0; i < len(id); i++ {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}

// traced makes the server's span, measures the request, and returns traceparent. Quiet routes are
// left out.
func traced(t *telemetry.Telemetry, serverName string, quiet func(echo.Context) bool) echo.MiddlewareFunc {
	mw := otelhttp.NewMiddleware("recoup",
		otelhttp.WithTracerProvider(t.TracerProvider()),
		otelhttp.WithMeterProvider(t.MeterProvider()),
		otelhttp.WithPropagators(t.Propagator()),
		otelhttp.WithServerName(serverName),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string {
			if r.Pattern == "" {
				return "unknown route"
			}
			return r.Method + " " + r.Pattern
		}),
	)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if quiet(c) {
				return next(c)
			}
			var err error
			outer := c.Response().Writer
			caller := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(c.Request().Header))
			brought := trace.SpanContextFromContext(caller).IsValid()
			inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				propagation.TraceContext{}.Inject(r.Context(), propagation.HeaderCarrier(w.Header()))
				if !brought {
					r = r.WithContext(operation.WithOwnTrace(r.Context()))
				}
				c.SetRequest(r)
				c.Response().Writer = w
				err = next(c)
			})
			r := c.Request()
			r.Pattern = c.Path()
			mw(inner).ServeHTTP(outer, r)
			c.Response().Writer = outer
			return err
		}
	}
}

// logged writes one line a request, without query and body, and turns an error into an answer, so
// that line and span have its status. When an error comes after the answer began, the connection is
// cut: the client must see a broken answer, not a short one that looks whole.
func (s *Server) logged(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now()
		aborted := true // until next has returned
		defer func() { s.logLine(c, start, aborted) }()
		err := next(c)
		if err == nil {
			aborted = false
			return nil
		}
		if c.Response().Committed {
			s.logLate(c, err)
			panic(http.ErrAbortHandler)
		}
		c.Error(err)
		aborted = false
		return nil
	}
}

const maxLoggedPath = 512

func (s *Server) logLine(c echo.Context, start time.Time, aborted bool) {
	r, w := c.Request(), c.Response()
	level := slog.LevelInfo
	switch {
	case aborted || w.Status >= http.StatusInternalServerError && w.Status != http.StatusServiceUnavailable:
		level = slog.LevelError
	case s.isQuiet(c) && w.Status < http.StatusBadRequest:
		level = slog.LevelDebug
	}
	if !s.log.Enabled(r.Context(), level) {
		return
	}
	path := r.URL.EscapedPath()
	if len(path) > maxLoggedPath {
		path = path[:maxLoggedPath] + "…"
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", path), slog.Int("status", w.Status), slog.Int64("bytes", w.Size),
		slog.Float64("ms", float64(time.Since(start).Microseconds())/1000), slog.String("remote_ip", c.RealIP()),
	}
	if found, ok := s.routeOf(c); ok {
		attrs = append(attrs, slog.String("route", found.Name))
	}
	if aborted {
		attrs = append(attrs, slog.Bool("aborted", true))
	}
	s.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// panicked is a panic on its way to the error handler.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// recovered turns a panic into an error. http.ErrAbortHandler goes on: it asks for the connection to
// be cut.
func recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if e, ok := v.(error); ok && errors.Is(e, http.ErrAbortHandler) {
				panic(v)
			}
			err = &panicked{value: v, stack: debug.Stack()}
		}()
		return next(c)
	}
}

// codeCrossOrigin: a browser sent the request on behalf of another site.
const codeCrossOrigin = "cross_origin"

// checkOrigin refuses what a browser sends on behalf of another site. A request with a bearer key is
// let through: another site cannot make a browser send one without asking first.
func (s *Server) checkOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if route.Bearer(r.Header.Get(echo.HeaderAuthorization)) == "" {
			if err := s.crossOrigin.Check(r); err != nil {
				return fault.New(fault.Forbidden, codeCrossOrigin,
					"The request came from another site. Nothing was changed. Open the page here and try again.")
			}
		}
		return next(c)
	}
}

// contentSecurityPolicy allows what the console needs and nothing inline.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// secureHeaders sets the headers that hold for every answer. A handler may replace Cache-Control.
func secureHeaders(https bool) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			h := c.Response().Header()
			h.Set(echo.HeaderContentSecurityPolicy, contentSecurityPolicy)
			h.Set(echo.HeaderXContentTypeOptions, "nosniff")
			h.Set(echo.HeaderXFrameOptions, "DENY")
			h.Set(echo.HeaderReferrerPolicy, "same-origin")
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			h.Set("Cross-Origin-Resource-Policy", "same-origin")
			h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
			h.Set(echo.HeaderCacheControl, "no-store")
			if https {
				h.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000")
			}
			return next(c)
		}
	}
}
