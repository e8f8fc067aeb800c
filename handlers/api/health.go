package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// Times of a readiness check.
const (
	readyFor     = 5 * time.Second
	readyTimeout = 3 * time.Second
)

func (a *API) healthCalls() []call {
	return []call{
		public("/healthz", "api.healthz", a.healthz, doc{Summary: "The process is alive", Result: aliveAnswer{}}),
		public("/readyz", "api.readyz", a.readyz, doc{Summary: "The process can serve",
			Text: "503 when PostgreSQL does not answer or its schema is not the one this version needs. Without Redis the answer is ready " +
				"and degraded: nothing is lost, retries wake later. An answer may be 5 seconds old.",
			Result: readyAnswer{}}),
	}
}

type aliveAnswer struct {
	Status string `json:"status" enum:"alive"`
}

func (a *API) healthz(c echo.Context) error {
	return writeValue(c, aliveAnswer{Status: "alive"})
}

type readyAnswer struct {
	Status string      `json:"status" enum:"ready,degraded,unavailable"`
	Checks readyChecks `json:"checks"`
}

type readyChecks struct {
	Database string `json:"database" enum:"ok,failing"`
	Queue    string `json:"queue" enum:"ok,failing,unused"`
}

func (a *API) readyz(c echo.Context) error {
	r := a.ready.look(c.Request().Context())
	status := http.StatusOK
	if r.Status == "unavailable" {
		status = http.StatusServiceUnavailable
	}
	return write(c, status, "status", r.Status, "checks", r.Checks)
}

// readiness remembers the last look for a while, so that probes cost the database next to nothing.
type readiness struct {
	database, queue func(ctx context.Context) error
	unready         func(ctx context.Context, check string, err error)

	mu    sync.Mutex
	known readyAnswer
	until time.Time
}

func newReadiness(d Deps) *readiness {
	r := &readiness{database: d.Database, queue: d.Queue, unready: d.Unready}
	if r.unready == nil {
		r.unready = func(context.Context, string, error) {}
	}
	return r
}

// look holds the lock while it asks: probes that come meanwhile get the same answer.
func (r *readiness) look(ctx context.Context) readyAnswer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Now().Before(r.until) {
		return r.known
	}
	// A probe that gives up must not make the others believe that something is broken.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	answer := readyAnswer{Status: "ready", Checks: readyChecks{Database: "ok", Queue: "unused"}}
	if r.queue != nil {
		answer.Checks.Queue = "ok"
		if err := r.queue(ctx); err != nil {
			r.unready(ctx, "queue", err)
			answer.Status, answer.Checks.Queue = "degraded", "failing"
		}
	}
	if err := r.database(ctx); err != nil {
		r.unready(ctx, "database", err)
		answer.Status, answer.Checks.Database = "unavailable", "failing"
	}
	r.known, r.until = answer, time.Now().Add(readyFor)
	return answer
}
