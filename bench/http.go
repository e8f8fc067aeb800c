package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"recoup/models/actor"
	"recoup/models/staff"
)

// httpTarget calls the API of a server process.
type httpTarget struct {
	base, key string
	client    *http.Client
}

func (httpTarget) name() string { return "http" }

type object map[string]any

func (h httpTarget) charge(ctx context.Context, account, id, operation string, external bool) error {
	body := object{"job_id": id, "action": action, "units": units}
	if external {
		body["mode"] = "external"
	}
	return h.post(ctx, "/v1/accounts/"+account+"/jobs", operation, body)
}

func (h httpTarget) fail(ctx context.Context, account, id, operation string) error {
	return h.post(ctx, "/v1/accounts/"+account+"/jobs/"+id+"/signals", operation,
		object{"type": "failed", "attempt": 1, "class": "transient", "code": "bench"})
}

func (h httpTarget) succeed(ctx context.Context, account, id, operation string) error {
	return h.post(ctx, "/v1/accounts/"+account+"/jobs/"+id+"/signals", operation, object{"type": "succeeded", "attempt": 1, "result": "bench"})
}

func (h httpTarget) post(ctx context.Context, path, operation string, body object) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.base+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+h.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", operation)
	res, err := h.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("POST %s: %d: %s", path, res.StatusCode, answer)
	}
	return nil
}

// server is a Recoup process of its own, as in production.
type server struct {
	cmd    *exec.Cmd
	target httpTarget
}

// buildProgram builds the program into a directory and returns its path.
func buildProgram(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "recoup")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "recoup")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w\n%s", err, out)
	}
	return program, nil
}

// startServer builds the program and runs `recoup serve` on the bench's database and Redis.
func (b *bench) startServer(ctx context.Context, redis, dir string) (*server, error) {
	program, err := buildProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	_, key, err := staff.New(b.g, staff.Options{}).CreateKey(ctx, staff.By{Actor: actor.System()},
		staff.NewKey{Name: "bench", Scopes: []staff.Scope{staff.JobsWrite, staff.LedgerWrite}})
	if err != nil {
		return nil, err
	}
	s, err := startProcess(ctx, program, "serve", dir, append(environment(b.url, redis), fmt.Sprint("RECOUP_DB_CONNS=", b.pool)))
	if err != nil {
		return nil, err
	}
	s.target.key = key
	s.target.client.Transport = &http.Transport{MaxIdleConnsPerHost: b.clients}
	return s, nil
}

// environment is that of a process over a database and a Redis.
func environment(database, redis string) []string {
	return append(os.Environ(), "DATABASE_URL="+database, "REDIS_URL="+redis, "RECOUP_SECRET=bench-bench-bench-bench-bench-32")
}

// startProcess runs `recoup serve` until it answers, or `recoup work`, which answers nobody and returns at once. What it logs goes to a
// file in dir.
func startProcess(ctx context.Context, program, command, dir string, env []string) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	listener.Close()

	log, err := os.Create(filepath.Join(dir, command+".log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s := &server{cmd: exec.Command(program, command), target: httpTarget{base: "http://" + address, client: &http.Client{Timeout: time.Minute}}}
	s.cmd.Env = append(env, "RECOUP_LISTEN="+address)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(30 * time.Second); command == "serve"; time.Sleep(50 * time.Millisecond) {
		res, err := s.target.client.Get(s.target.base + "/healthz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			text, _ := os.ReadFile(log.Name())
			return nil, errors.Join(fmt.Errorf("the server does not answer: %s", head(string(text))), s.stop())
		}
	}
	return s, nil
}

// stop ends the server in order.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// redisURL is the connection string of a local Redis.
func redisURL(network, address string) string {
	if network == "unix" {
		return (&url.URL{Scheme: "unix", Path: address}).String()
	}
	return "redis://" + address
}
