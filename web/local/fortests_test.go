package local

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestStartForTests(t *testing.T) {
	ctx := t.Context()
	warm, err := StartForTests(ctx, TestOptions{Redis: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := warm.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s, err := StartForTests(ctx, TestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	t.Logf("started in %v", took)
	conn, err := pgx.Connect(ctx, s.Postgres.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"max_connections": "200", "shared_buffers": "64MB", "fsync": "off", "synchronous_commit": "on",
		"listen_addresses": "", "TimeZone": "UTC", "server_encoding": "UTF8", "lc_collate": "C",
	} {
		var got string
		if err := conn.QueryRow(ctx, "SELECT current_setting($1)", setting).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q (%v), want %q", setting, got, err, want)
		}
	}
	if err := conn.Close(ctx); err != nil {
		t.Fatal(err)
	}
	dir := s.Postgres.opts.Dir
	if err := s.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there after Stop: %v", dir, err)
	}
	if took > 5*time.Second {
		t.Errorf("a warm start took %v", took)
	}
}

func TestManyTestBinariesAtOnce(t *testing.T) {
	t.Parallel()
	temp := openDir(t)
	var wg sync.WaitGroup
	helpers := make([]*helper, 4)
	began := time.Now()
	for i := range helpers {
		wg.Go(func() { helpers[i] = startHelper(t, "tests", nil, "TMPDIR="+temp) })
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	t.Logf("%d started, with no pristine cluster before, in %v", len(helpers), time.Since(began))
	for i, h := range helpers {
		execute(t, h.URL, "CREATE TABLE mine AS SELECT $1::int AS n", i)
	}
	killed := helpers[0]
	killed.kill(t)
	for i, h := range helpers[1:] {
		if got := query[int](t, h.URL, "SELECT n FROM mine"); got != i+1 {
			t.Errorf("cluster %d holds %d", i+1, got)
		}
	}
	// The next start removes what the killed one left, and nothing of the living.
	next := startHelper(t, "tests", nil, "TMPDIR="+temp)
	if _, err := os.Stat(killed.Dir); !os.IsNotExist(err) {
		t.Errorf("the files of a killed test binary are left: %v", err)
	}
	eventually(t, 10*time.Second, "the processes of the killed one are gone", func() bool {
		return !alive(killed.PostgresPID) && !alive(killed.RedisPID)
	})
	for _, h := range append(helpers[1:], next) {
		h.finish(t)
	}
	left, err := filepath.Glob(filepath.Join(temp, "recoup-test-*", "run-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
