package cmd

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A private PostgreSQL and Redis that die are started again, and the ledger goes on where it was.
func TestDevRestartsWhatDied(t *testing.T) {
	t.Parallel()
	data := filepath.Join(place(t), "d")
	d := startDev(t, command{}, data, "--quiet-pipeline")
	api := newCaller(d.url, d.key)
	api.must(t, "PUT", "/v1/accounts/acct_w", "open-w", map[string]any{"name": "Watched"})
	postgres := func() int {
		b, _ := os.ReadFile(filepath.Join(data, "postgres", "postmaster.pid"))
		line, _, _ := strings.Cut(string(b), "\n")
		pid, _ := strconv.Atoi(line)
		return pid
	}
	before := postgres()
	redis, _ := strconv.Atoi(d.finds(`Redis is running" pid=(\d+)`)) // none where Redis runs inside the process
	for _, pid := range []int{before, redis} {
		if pid > 1 {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	eventually(t, 60*time.Second, "PostgreSQL runs again", func() bool { return postgres() > 1 && postgres() != before })
	eventually(t, 30*time.Second, "credits are granted again", func() bool {
		a, err := api.send("POST", "/v1/accounts/acct_w/grants", "grant-w", map[string]any{"amount": 5, "category": "goodwill", "reference": "", "reason": "again"})
		return err == nil && a.status < 300
	})
	if redis > 1 {
		eventually(t, 30*time.Second, "Redis runs again", func() bool { return strings.Count(d.out.String(), "Redis is running") == 2 })
	}
	if status := d.terminate(); status != 0 {
		t.Errorf("status %d", status)
	}
	if left := processesIn(t, data); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A service that will not start is tried again, later each time, and not any more once the watch has ended.
func TestWatchGoesOnTrying(t *testing.T) {
	t.Parallel()
	var runs, tries atomic.Int64
	stop := watch(context.Background(), slog.New(slog.DiscardHandler), watched{name: "x", running: func() bool { return runs.Load() == 1 },
		restart: func(context.Context) error {
			if tries.Add(1) < 2 {
				return errors.New("not yet")
			}
			runs.Store(1)
			return nil
		}})
	eventually(t, 10*time.Second, "it runs", func() bool { return runs.Load() == 1 })
	stop()
	runs.Store(0)
	time.Sleep(2 * watchEvery)
	if n := tries.Load(); n != 2 {
		t.Errorf("%d tries, want 2", n)
	}
}

// A DATABASE_URL that was left in the terminal is named where it leads nowhere.
func TestDevNamesTheDatabaseItWasGiven(t *testing.T) {
	t.Parallel()
	base := place(t)
	status, text := result(t, command{args: []string{"dev", "--data", filepath.Join(base, "d"), "--listen", freeAddress(t)},
		env: []string{"DATABASE_URL=postgres:///recoup?host=" + filepath.Join(base, "gone") + "&port=5432"}})
	if status == 0 || !strings.Contains(text, "DATABASE_URL is set; unset it to use a private PostgreSQL") {
		t.Errorf("status %d: %s", status, text)
	}
}
