package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// client speaks to the API. Its methods may be called from many goroutines.
type client struct {
	base, key string
	http      *http.Client
	// patience is how long an operation is sent again before the drill gives up on the server.
	patience time.Duration
	// outage is above 0 while a fault of the drill's own makes server errors expected.
	outage atomic.Int32
	// busy counts answers of 503 and 429 outside of any fault of the drill's own, by code.
	busy tallies
	// retried counts tries that ended in no answer or a retryable one.
	retried atomic.Int64
	// unexpected hears of server errors that no fault of the drill explains.
	unexpected func(method, path string, status int, detail string)
}

func newClient(base, key string, workers int) *client {
	return &client{
		base: strings.TrimRight(base, "/"), key: key, patience: 3 * time.Minute,
		http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			MaxIdleConns:        4 * workers,
			MaxIdleConnsPerHost: 4 * workers,
			IdleConnTimeout:     time.Minute,
		}},
		unexpected: func(string, string, int, string) {},
	}
}

// answer is what the API said.
type answer struct {
	status int
	// replayed is the header's word, outcome the body's; they must agree.
	replayed bool
	outcome  string
	// result is the part of the body that a replay repeats byte for byte.
	result json.RawMessage
	// body is the whole answer of a read.
	body []byte
	// problem is nil for 2xx.
	problem *problem
}

// problem is a refusal.
type problem struct {
	Code      string `json:"code"`
	Detail    string `json:"detail"`
	Title     string `json:"title"`
	RequestID string `json:"request_id"`
	Balance   *int64 `json:"balance"`
	Cost      *int64 `json:"cost"`
	State     string `json:"state"`
	Existing  string `json:"existing_operation_id"`
}

func (p *problem) String() string {
	return strings.TrimSpace(p.Code + ": " + p.Title + " " + p.Detail)
}

func (a answer) ok() bool { return a.problem == nil }

// refused reports whether the answer is a refusal with this code.
func (a answer) refused(code string) bool { return a.problem != nil && a.problem.Code == code }

// once sends one request and reads the whole answer. The error means that there was none.
func (c *client) once(ctx context.Context, method, path, operationID string, body any) (answer, error) {
	var in io.Reader = http.NoBody
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return answer{}, fmt.Errorf("drill: %w", err)
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, in)
	if err != nil {
		return answer{}, fmt.Errorf("drill: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if operationID != "" {
		req.Header.Set("Idempotency-Key", operationID)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{status: res.StatusCode, replayed: res.Header.Get("Idempotent-Replayed") == "true", body: text}
	if res.StatusCode >= 300 {
		a.problem = &problem{}
		if json.Unmarshal(text, a.problem) != nil || a.problem.Code == "" {
			a.problem = &problem{Code: fmt.Sprintf("status_%d", res.StatusCode), Detail: cut(string(text), 200)}
		}
		return a, nil
	}
	if operationID == "" {
		return a, nil
	}
	var envelope struct {
		Outcome string          `json:"outcome"`
		Result  json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(text, &envelope); err != nil {
		return answer{}, fmt.Errorf("drill: %s %s answered %d with a body that is no JSON: %w", method, path, res.StatusCode, err)
	}
	a.outcome, a.result = envelope.Outcome, envelope.Result
	return a, nil
}

// errGaveUp is the end of the drill: the server has been away for longer than any fault explains.
var errGaveUp = errors.New("drill: the server does not answer any more")

// do sends an operation, again and again under its one id, until there is an answer that settles it.
// It ends early only with ctx.
func (c *client) do(ctx context.Context, method, path, operationID string, body any) (answer, error) {
	began := time.Now()
	for try := 0; ; try++ {
		a, err := c.once(ctx, method, path, operationID, body)
		switch {
		case ctx.Err() != nil:
			return answer{}, ctx.Err()
		case err == nil && !a.retryable():
			return a, nil
		}
		if err == nil && a.status >= 500 && a.status != http.StatusServiceUnavailable && c.outage.Load() == 0 {
			c.unexpected(method, path, a.status, a.problem.String()+" (request "+a.problem.RequestID+")")
		}
		if err == nil && (a.status == http.StatusServiceUnavailable || a.status == http.StatusTooManyRequests) && c.outage.Load() == 0 {
			c.busy.add(a.problem.Code)
		}
		c.retried.Add(1)
		if time.Since(began) > c.patience {
			if err == nil {
				err = errors.New(a.problem.String())
			}
			return answer{}, fmt.Errorf("%w: %s %s: %w", errGaveUp, method, path, err)
		}
		if !sleep(ctx, min(time.Duration(50<<min(try, 5))*time.Millisecond, time.Second)) {
			return answer{}, ctx.Err()
		}
	}
}

// tallies counts by name.
type tallies struct {
	mu sync.Mutex
	n  map[string]int
}

func (t *tallies) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == nil {
		t.n = map[string]int{}
	}
	t.n[name]++
}

// all returns the sum and a list such as "2 busy, 1 timeout".
func (t *tallies) all() (sum int, list string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t.n)) {
		sum += t.n[name]
		parts = append(parts, fmt.Sprintf("%d %s", t.n[name], name))
	}
	return sum, strings.Join(parts, ", ")
}

// retryable answers say nothing about the operation: the same id is sent again.
func (a answer) retryable() bool {
	return a.status >= 500 || a.status == http.StatusTooManyRequests || a.refused("operation_in_progress") || a.refused("busy")
}

// get reads; out may be nil. The bool is false for 404.
func (c *client) get(ctx context.Context, path string, out any) (bool, error) {
	a, err := c.do(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return false, err
	}
	if a.status == http.StatusNotFound {
		return false, nil
	}
	if !a.ok() {
		return false, fmt.Errorf("drill: GET %s: %d %s", path, a.status, a.problem)
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return false, fmt.Errorf("drill: GET %s: %w", path, err)
	}
	return true, nil
}

// sleep waits and reports whether ctx outlived the wait.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}
