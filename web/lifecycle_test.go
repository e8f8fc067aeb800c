package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/route"
	"recoup/web/telemetry"
)

// listen serves f on a real connection and returns its address and how to stop it.
func listen(t *testing.T, f *fixture) (base string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Serve(ctx, ln) }()
	stopped := false
	stop = func() error { stopped = true; cancel(); return <-done }
	t.Cleanup(func() {
		if !stopped {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("serve: %v", err)
			}
		}
	})
	return "http://" + ln.Addr().String(), stop
}

func TestShutdown(t *testing.T) {
	started := make(chan struct{}, 2)
	f := newFixture(t, nil,
		route.Route{Method: "GET", Path: "/v1/slow", Name: "slow", Access: route.Public(), Handler: func(c echo.Context) error {
			started <- struct{}{}
			time.Sleep(300 * time.Millisecond)
			return c.String(200, "whole")
		}},
		route.Route{Method: "GET", Path: "/v1/poll", Name: "poll", Access: route.Public(), Timeout: route.NoTimeout, EndsOnShutdown: true, Handler: func(c echo.Context) error {
			started <- struct{}{}
			<-c.Request().Context().Done()
			return c.Request().Context().Err()
		}},
	)
	base, stop := listen(t, f)
	answers := make(chan string, 2)
	for _, path := range []string{"/v1/slow", "/v1/poll"} {
		go func() {
			resp, err := http.Get(base + path) //nolint:noctx // a test
			if err != nil {
				answers <- path + " " + err.Error()
				return
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			answers <- fmt.Sprint(path, " ", resp.StatusCode, " ", string(body), " ", err)
		}()
	}
	<-started
	<-started
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	got := (<-answers) + "\n" + (<-answers)
	if !strings.Contains(got, "/v1/slow 200 whole") || !strings.Contains(got, "/v1/poll 503") || !strings.Contains(got, "shutting down") {
		t.Errorf("got %s", got)
	}
	if _, err := http.Get(base + "/healthz"); err == nil { //nolint:noctx,bodyclose // a test
		t.Error("still takes requests")
	}
}

func TestShutdownCutsOffAfterGrace(t *testing.T) {
	started := make(chan struct{})
	f := newFixture(t, func(o *Options) { o.ShutdownGrace = 50 * time.Millisecond },
		route.Route{Method: "GET", Path: "/v1/stuck", Name: "stuck", Access: route.Public(), Handler: func(c echo.Context) error {
			close(started)
			<-c.Request().Context().Done() // ends when the connection is closed
			return c.Request().Context().Err()
		}})
	base, stop := listen(t, f)
	go http.Get(base + "/v1/stuck") //nolint:errcheck,noctx,bodyclose // it is cut off
	<-started
	if err := stop(); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("got %v", err)
	}
}

func TestListenErrorIsFatal(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := newFixture(t, nil).ListenAndServe(context.Background(), ln.Addr().String()); err == nil {
		t.Error("two servers on one port")
	}
	ln.Close()
	if err := newFixture(t, nil).Serve(context.Background(), ln); err == nil {
		t.Error("served on a closed listener")
	}
}

// An error after the answer began must not look like a whole answer.
func TestLateErrorCutsTheConnection(t *testing.T) {
	f := newFixture(t, nil, route.Route{Method: "GET", Path: "/export", Name: "export", Access: route.Public(), Timeout: route.NoTimeout, Handler: func(c echo.Context) error {
		c.Response().WriteHeader(200)
		if _, err := c.Response().Write([]byte("a,b\n")); err != nil {
			return err
		}
		c.Response().Flush()
		return errors.New("row 2 failed")
	}})
	base, _ := listen(t, f)
	resp, err := http.Get(base + "/export") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("looks whole: %q", body)
	}
	if log := f.log.String(); !strings.Contains(log, "row 2 failed") || !strings.Contains(log, `"aborted":true`) {
		t.Errorf("log %s", log)
	}
}

func TestTimeout(t *testing.T) {
	f := newFixture(t, nil, route.Route{Method: "GET", Path: "/v1/wait", Name: "wait", Access: route.Public(), Timeout: 30 * time.Millisecond, Handler: func(c echo.Context) error {
		<-c.Request().Context().Done()
		return fmt.Errorf("query: %w", c.Request().Context().Err())
	}})
	w := f.send("GET", "/v1/wait", "")
	if p := problemOf(t, w); w.Code != 503 || p["code"] != "timeout" || w.Header().Get("Retry-After") != "1" {
		t.Errorf("%d %v", w.Code, p)
	}
}

func TestClientGoneIsNoError(t *testing.T) {
	f := newFixture(t, nil, route.Route{Method: "GET", Path: "/v1/wait", Name: "wait", Access: route.Public(), Handler: func(c echo.Context) error {
		<-c.Request().Context().Done()
		return fmt.Errorf("query: %w", c.Request().Context().Err())
	}})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	w := httptest.NewRecorder()
	f.ServeHTTP(w, httptest.NewRequest("GET", "/v1/wait", nil).WithContext(ctx))
	if log := f.log.String(); w.Code != 499 || strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("%d %s", w.Code, log)
	}
}

// Deadlines of one route must not reach into the next request on the same connection, and a route
// without timeout must outlive the server's own limits.
func TestDeadlinesBelongToTheirRoute(t *testing.T) {
	sleep := func(d time.Duration) echo.HandlerFunc {
		return func(c echo.Context) error {
			select {
			case <-time.After(d):
				return c.String(200, "done")
			case <-c.Request().Context().Done():
				return c.Request().Context().Err()
			}
		}
	}
	f := newFixture(t, nil,
		route.Route{Method: "GET", Path: "/v1/long", Name: "long", Access: route.Public(), Timeout: route.NoTimeout, Handler: sleep(600 * time.Millisecond)},
		route.Route{Method: "GET", Path: "/v1/short", Name: "short", Access: route.Public(), Handler: sleep(0)},
	)
	s := httptest.NewUnstartedServer(f)
	s.Config.ReadTimeout, s.Config.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	s.Start()
	defer s.Close()
	for _, path := range []string{"/v1/short", "/v1/long", "/v1/short", "/v1/long"} {
		resp, err := s.Client().Get(s.URL + path) //nolint:noctx // a test
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || string(body) != "done" {
			t.Errorf("%s: %d %s %v", path, resp.StatusCode, body, err)
		}
	}
}

func TestMetricsListener(t *testing.T) {
	f := newFixture(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- ServeMetrics(ctx, "127.0.0.1:0", f.tel.MetricsHandler(), telemetry.NewLogger(f.log, true, slog.LevelInfo))
	}()
	address := ""
	for range 200 {
		if _, after, found := strings.Cut(f.log.String(), `"address":"`); found {
			address, _, _ = strings.Cut(after, `"`)
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	resp, err := http.Get("http://" + address + "/metrics") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(string(body), "go_goroutines") {
		t.Errorf("%v %s", err, body)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
