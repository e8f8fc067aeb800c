// Package web puts the HTTP server together: the order of the middleware, what guards each route,
// how errors are answered, and how the server starts and stops.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/route"
	"recoup/models/fault"
	"recoup/web/telemetry"
)

// Options are what a Server is made of. Every field is required unless it says otherwise.
type Options struct {
	Logger        *slog.Logger
	Telemetry     *telemetry.Telemetry
	Authenticator route.Authenticator
	// Routes are all URLs of this installation.
	Routes []route.Route
	// ErrorPage answers a person in the console: status is the HTTP status, f what to tell. It may
	// redirect (401) and must write nothing when it returns an error. Nil answers everybody with a
	// problem document.
	ErrorPage func(c echo.Context, status int, f *fault.Error) error
	// BaseURL is where browsers reach this installation.
	BaseURL *url.URL
	// TrustedProxies are believed about the client's address and scheme; nil trusts nobody.
	TrustedProxies []netip.Prefix
	// ShutdownGrace is how long running requests get to end; 25 s when zero.
	ShutdownGrace time.Duration
}

// Server answers HTTP requests.
type Server struct {
	echo        *echo.Echo
	log         *slog.Logger
	auth        route.Authenticator
	errorPage   func(c echo.Context, status int, f *fault.Error) error
	crossOrigin *http.CrossOriginProtection
	// routes finds a declared route by method and pattern.
	routes map[string]route.Route
	grace  time.Duration
	// draining is done as soon as the server stops taking requests; drain makes it so.
	draining context.Context
	drain    context.CancelCauseFunc
}

// Limits of a connection. Each route sets deadlines of its own once it is known.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = time.Minute
	writeTimeout      = time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	defaultGrace      = 25 * time.Second
)

// New checks the routes and wires them. It returns an error that names every route that is declared
// wrongly.
func New(o Options) (*Server, error) {
	if err := route.Check(o.Routes); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	s := &Server{
		echo: echo.New(), log: o.Logger, auth: o.Authenticator, errorPage: o.ErrorPage,
		crossOrigin: http.NewCrossOriginProtection(), routes: map[string]route.Route{}, grace: o.ShutdownGrace,
	}
	if s.grace <= 0 {
		s.grace = defaultGrace
	}
	// Behind a proxy the Host header may be the proxy's; the browser's Origin is this one.
	if err := s.crossOrigin.AddTrustedOrigin(o.BaseURL.Scheme + "://" + o.BaseURL.Host); err != nil {
		return nil, fmt.Errorf("web: base URL: %w", err)
	}
	s.draining, s.drain = context.WithCancelCause(context.Background())

	s.echo.IPExtractor, s.echo.SchemeExtractor = extractors(o.TrustedProxies)
	s.echo.HTTPErrorHandler = s.answerError
	s.echo.Use(
		requestID,
		traced(o.Telemetry, o.BaseURL.Host, s.isQuiet),
		s.logged,
		recovered,
		s.checkOrigin,
		secureHeaders(o.BaseURL.Scheme == "https"),
	)
	for _, r := range o.Routes {
		s.register(r)
	}
	return s, nil
}

func (s *Server) register(r route.Route) {
	handler := s.guard(r)
	s.routes[r.Method+" "+r.Path] = r
	s.echo.Add(r.Method, r.Path, handler).Name = r.Name
	// Probes and caches ask with HEAD. net/http leaves the body out.
	if r.Method == http.MethodGet && r.Access.Kind() == route.KindPublic {
		s.routes[http.MethodHead+" "+r.Path] = r
		s.echo.Add(http.MethodHead, r.Path, handler).Name = r.Name + ".head"
	}
}

// routeOf returns the declared route that a request matched.
func (s *Server) routeOf(c echo.Context) (route.Route, bool) {
	r, found := s.routes[c.Request().Method+" "+c.Path()]
	return r, found
}

func (s *Server) isQuiet(c echo.Context) bool {
	r, found := s.routeOf(c)
	return found && r.Quiet
}

// ServeHTTP answers one request; it makes a Server an http.Handler for tests.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// ListenAndServe listens on an address, host:port, and serves until ctx is done; see Serve.
func (s *Server) ListenAndServe(ctx context.Context, address string) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("web: cannot listen: %w", err)
	}
	return s.Serve(ctx, ln)
}

// Serve answers on ln until ctx is done. Then it takes no more requests, ends event streams and long
// polls at once, and gives all others the grace to finish. It returns nil after that, an error when
// listening failed or requests had to be cut off. A Server serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s.echo,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	s.log.InfoContext(ctx, "listening", "address", ln.Addr().String())
	return serve(ctx, srv, ln, s.grace, func() { s.drain(errDraining) })
}

// errDraining is why a request that EndsOnShutdown ended.
var errDraining = errors.New("the server is shutting down")

func serve(ctx context.Context, srv *http.Server, ln net.Listener, grace time.Duration, drain func()) error {
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		drain()
		// Nobody has called Shutdown: even ErrServerClosed means that something is wrong.
		return fmt.Errorf("web: serve: %w", err)
	case <-ctx.Done():
	}
	drain()
	// ctx is over, the grace is not.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := srv.Shutdown(limit); err != nil {
		return fmt.Errorf("web: requests were cut off after %s: %w", grace, errors.Join(err, srv.Close()))
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("web: serve: %w", err)
	}
	return nil
}

// ServeMetrics serves /metrics alone on an address of its own until ctx is done.
func ServeMetrics(ctx context.Context, address string, metrics http.Handler, log *slog.Logger) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("web: cannot listen for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	srv := &http.Server{
		Handler: mux, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	log.InfoContext(ctx, "listening for metrics", "address", ln.Addr().String())
	return serve(ctx, srv, ln, time.Second, func() {})
}

// MetricsRoute declares /metrics on the main listener, for installations without one of its own.
func MetricsRoute(metrics http.Handler) route.Route {
	return route.Route{
		Method: http.MethodGet, Path: "/metrics", Name: "metrics", Access: route.Public(), Quiet: true,
		Handler: func(c echo.Context) error {
			metrics.ServeHTTP(c.Response(), c.Request())
			return nil
		},
	}
}

// extractors decide whom to believe about the client's address and scheme.
func extractors(proxies []netip.Prefix) (echo.IPExtractor, echo.SchemeExtractor) {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect(), echo.ExtractSchemeDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range proxies {
		trust = append(trust, echo.TrustIPRange(&net.IPNet{
			IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen()),
		}))
	}
	return echo.ExtractIPFromXFFHeader(trust...), echo.ExtractSchemeFromHeaders(trust...)
}
