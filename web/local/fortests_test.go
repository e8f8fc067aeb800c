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

// Contents are made by the first that asks for them and copied by the others; old ones of another name go when new ones come.
func TestContentsAreMadeOnce(t *testing.T) {
	t.Setenv("TMPDIR", openDir(t))
	ctx := t.Context()
	made := 0
	start := func(name string) *Services {
		t.Helper()
		s, err := StartForTests(ctx, TestOptions{Contents: &Contents{Name: name, Fill: func(ctx context.Context, pg *Postgres) error {
			made++
			if err := pg.CreateDatabase(ctx, "filled"); err != nil {
				return err
			}
			execute(t, pg.URL("filled"), "CREATE TABLE kept AS SELECT $1::text AS name", name)
			return nil
		}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	for i, name := range []string{"one", "one", "two", "one"} {
		s := start(name)
		if got := query[string](t, s.Postgres.URL("filled"), "SELECT name FROM kept"); got != name || made != 1+i/2 {
			t.Errorf("start %d holds %q after %d were made", i, got, made)
		}
		// A copy is as good a template as the first.
		if err := s.Postgres.CreateDatabaseFrom(ctx, "copy", "filled"); err != nil {
			t.Error(err)
		}
		if got := query[string](t, s.Postgres.URL("copy"), "SELECT name FROM kept"); got != name {
			t.Errorf("the copy holds %q", got)
		}
		if i < 3 {
			continue
		}
		old := time.Now().Add(-keptFor - time.Hour)
		kept, err := filepath.Glob(filepath.Join(os.TempDir(), "recoup-test-*", "pristine-*.tar"))
		if err != nil || len(kept) != 3 {
			t.Fatalf("kept: %q, %v", kept, err)
		}
		for _, path := range kept {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		start("three")
		if kept, err = filepath.Glob(filepath.Join(os.TempDir(), "recoup-test-*", "pristine-*.tar")); err != nil || len(kept) != 2 {
			t.Errorf("kept: %q, %v", kept, err)
		}
	}
}

func TestMemoryDir(t *testing.T) {
	if dir := MemoryDir(); dir != "" && roomInMemory(dir) < memoryRoom {
		t.Errorf("%s has too little room", dir)
	}
	if n := roomInMemory("/proc"); n != 0 {
		t.Errorf("%d bytes of room in a directory that is not in memory", n)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if dir := MemoryDir(); dir != "" {
		t.Errorf("%s in place of TMPDIR", dir)
	}
}
