package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func TestStartKeepsDataOverRestarts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), "not", "there", "yet")
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	url := s.Postgres.URL(DatabaseName)
	execute(t, url, "CREATE TABLE kept (n int)")
	execute(t, url, "INSERT INTO kept VALUES (42)")
	if got := query[string](t, url, "SELECT current_setting('fsync')"); got != "on" {
		t.Errorf("fsync = %s in a lasting cluster", got)
	}
	// Stopping the second time over must not find the first time's files in its way.
	for range 2 {
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Fatalf("stop of stopped services: %v", err)
		}
		began := time.Now()
		if s, err = Start(t.Context(), Options{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		t.Logf("started again in %v", time.Since(began))
		if got := query[int](t, s.Postgres.URL(DatabaseName), "SELECT n FROM kept"); got != 42 {
			t.Errorf("kept = %d", got)
		}
	}
	if got := s.Postgres.URL(DatabaseName); got != url {
		t.Errorf("URL %s became %s", url, got)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestDatabases(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, Options{Dir: openDir(t), NoFsync: true})
	ctx := t.Context()
	const odd = `a "quoted" name/with?signs %41`
	if err := p.CreateDatabase(ctx, odd); err != nil {
		t.Fatal(err)
	}
	if got := query[string](t, p.URL(odd), "SELECT current_database()"); got != odd {
		t.Errorf("connected to %q", got)
	}
	execute(t, p.URL(odd), "CREATE TABLE t AS SELECT 7 AS n")
	if err := p.CreateDatabaseFrom(ctx, "copy", odd); err != nil {
		t.Fatal(err)
	}
	if got := query[int](t, p.URL("copy"), "SELECT n FROM t"); got != 7 {
		t.Errorf("the copy holds %d", got)
	}
	var pgErr *pgconn.PgError
	if err := p.CreateDatabase(ctx, "copy"); !errors.As(err, &pgErr) || pgErr.Code != duplicateDatabase {
		t.Errorf("making a database twice: %v", err)
	}
	if err := p.EnsureDatabase(ctx, "copy"); err != nil {
		t.Error(err)
	}
	connect(t, p.URL("copy")) // an open session must not keep the database
	for range 2 {
		if err := p.DropDatabase(ctx, "copy"); err != nil {
			t.Error(err)
		}
	}
	if _, err := pgx.Connect(ctx, p.URL("copy")); err == nil {
		t.Error("the dropped database still takes connections")
	}
}

func TestKillLosesNoCommittedRow(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, Options{Dir: openDir(t)})
	url := p.URL("postgres")
	execute(t, url, "CREATE TABLE acknowledged (writer int, n int)")

	for round := range 2 {
		const writers = 4
		var mu sync.Mutex
		last := map[int]int{}
		var wg sync.WaitGroup
		for w := range writers {
			conn := connect(t, url)
			wg.Go(func() {
				for n := 1; ; n++ {
					if _, err := conn.Exec(context.Background(), "INSERT INTO acknowledged VALUES ($1, $2)", round*writers+w, n); err != nil {
						return
					}
					mu.Lock()
					last[round*writers+w] = n
					mu.Unlock()
				}
			})
		}
		time.Sleep(300 * time.Millisecond)
		p.Kill()
		wg.Wait()
		if p.PID() != 0 {
			t.Fatal("a killed PostgreSQL has a process id")
		}
		if err := p.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		for writer, n := range last {
			got := query[int](t, url, "SELECT count(DISTINCT n) FROM acknowledged WHERE writer = $1 AND n <= $2", writer, n)
			if got != n || n == 0 {
				t.Errorf("writer %d: %d rows acknowledged, %d found", writer, n, got)
			}
		}
		if len(last) != writers {
			t.Errorf("only %d of %d writers wrote", len(last), writers)
		}
	}
}

func TestRestartAfterMainProcessDied(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, Options{Dir: openDir(t), NoFsync: true})
	keepBusy(t, p)
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "the death is seen", func() bool { return p.PID() == 0 })
	if err := p.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := query[int](t, p.URL("postgres"), "SELECT 1"); got != 1 {
		t.Errorf("got %d", got)
	}
}

func TestKillReachesEveryServerProcess(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, Options{Dir: openDir(t), NoFsync: true})
	keepBusy(t, p)
	p.Kill()
	eventually(t, 2*time.Second, "no server process is left", func() bool { return len(serversIn(p.dataDir)) == 0 })
}

// keepBusy gives p a server process that never looks up, and so does not notice when the main process is gone.
func keepBusy(t *testing.T, p *Postgres) {
	t.Helper()
	conn := connect(t, p.URL("postgres"))
	go func() { _, _ = conn.Exec(context.Background(), "DO $$ BEGIN LOOP END LOOP; END $$") }()
	eventually(t, 5*time.Second, "the loop runs", func() bool {
		return query[int](t, p.URL("postgres"), "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO%'") == 1
	})
}

func TestAnEndedProcessNobodyWaitedForIsNotAlive(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "it counts as ended", func() bool { return !alive(cmd.Process.Pid) })
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !alive(os.Getpid()) {
		t.Error("this process is not alive")
	}
}

func TestSecondProgramIsRefused(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	first := startHelper(t, "start", nil, "HELPER_DIR="+dir)
	_, err := Start(t.Context(), Options{Dir: dir})
	var inUse *InUseError
	if !errors.As(err, &inUse) || inUse.PID != first.cmd.Process.Pid || inUse.Dir != dir {
		t.Fatalf("second start: %v", err)
	}
	if want := "in use by process " + strconv.Itoa(first.cmd.Process.Pid); !strings.Contains(err.Error(), want) {
		t.Errorf("%q does not say %q", err, want)
	}
	// A program that is just ending is waited for.
	go func() {
		time.Sleep(300 * time.Millisecond)
		_ = first.stdin.Close()
	}()
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestKilledProgramLeavesNoProcess(t *testing.T) {
	if !diesWithParent {
		t.Skip("this system cannot tie a child to its parent")
	}
	t.Parallel()
	h := startHelper(t, "start", nil, "HELPER_DIR="+filepath.Join(openDir(t), "not", "there"))
	execute(t, h.URL, "CREATE TABLE t (n int)")
	connect(t, h.URL) // a session that never ends by itself
	h.kill(t)
	eventually(t, 10*time.Second, "PostgreSQL and Redis are gone", func() bool {
		return !alive(h.PostgresPID) && !alive(h.RedisPID) && len(serversIn(filepath.Join(h.Dir, "postgres"))) == 0
	})
}

func TestStartRightAfterKilledProgram(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	h := startHelper(t, "start", nil, "HELPER_DIR="+dir)
	execute(t, h.URL, "CREATE TABLE kept AS SELECT 42 AS n")
	h.kill(t)
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := query[int](t, s.Postgres.URL("postgres"), "SELECT n FROM kept"); got != 42 {
		t.Errorf("kept = %d", got)
	}
	if alive(h.PostgresPID) {
		t.Errorf("the earlier PostgreSQL, process %d, still runs", h.PostgresPID)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestOrphanIsStopped(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	p := startPostgres(t, Options{Dir: dir})
	execute(t, p.URL("postgres"), "CREATE TABLE kept AS SELECT 42 AS n")
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The same server, started by nobody who holds the lock.
	if err := p.who.makePrivateDir(p.runDir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(p.bin.postgres(), p.arguments()...)
	orphan, err := startChild(cmd, p.who, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.waitReady(t.Context(), orphan); err != nil {
		t.Fatal(err)
	}
	if err := p.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !orphan.ended() {
		t.Error("the orphan still runs")
	}
	if orphan.err != nil {
		t.Errorf("the orphan was not shut down in order: %v", orphan.err)
	}
	if got := query[int](t, p.URL("postgres"), "SELECT n FROM kept"); got != 42 {
		t.Errorf("kept = %d", got)
	}
}

func TestStalePostmasterPIDOfAnotherProcess(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, Options{Dir: openDir(t), NoFsync: true})
	p.Kill()
	// After a reboot or in a new container the old process id soon belongs to something else.
	bystander, err := startChild(exec.Command("sleep", "60"), p.who, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	defer bystander.kill()
	for _, path := range []string{filepath.Join(p.dataDir, "postmaster.pid"), filepath.Join(p.runDir, ".s.PGSQL."+socketPort+".lock")} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "\n")
		if err := os.WriteFile(path, []byte(strconv.Itoa(bystander.pid)+"\n"+rest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if bystander.ended() {
		t.Error("the bystander was stopped")
	}
}

func TestOtherMajorVersionIsRefused(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	p := startPostgres(t, Options{Dir: dir, NoFsync: true})
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, major := range []int{9, 99} {
		path := filepath.Join(p.dataDir, "PG_VERSION")
		if err := os.WriteFile(path, []byte(strconv.Itoa(major)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := StartPostgres(t.Context(), Options{Dir: dir})
		var mismatch *VersionError
		if !errors.As(err, &mismatch) || mismatch.Cluster != major || !strings.Contains(err.Error(), p.bin.version) {
			t.Errorf("a cluster of version %d: %v", major, err)
		}
	}
	// The refusal must leave the cluster as it was, and the lock free.
	if err := os.WriteFile(filepath.Join(p.dataDir, "PG_VERSION"), []byte(strconv.Itoa(p.bin.major)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestForeignAndHalfMadeDirectories(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	foreign := filepath.Join(dir, "postgres")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	treasure := filepath.Join(foreign, "treasure")
	if err := os.WriteFile(treasure, []byte("gold"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := StartPostgres(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "no PostgreSQL cluster") {
		t.Fatalf("a directory of other files: %v", err)
	}
	if text, err := os.ReadFile(treasure); err != nil || string(text) != "gold" {
		t.Fatalf("the other files: %q, %v", text, err)
	}

	// An interrupted first start: half a cluster beside the place of the cluster.
	if err := os.RemoveAll(foreign); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "postgres.new", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	startPostgres(t, Options{Dir: dir, NoFsync: true})
	if _, err := os.Stat(filepath.Join(dir, "postgres.new")); !os.IsNotExist(err) {
		t.Errorf("half a cluster is left: %v", err)
	}
}

func TestLongDataDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(openDir(t), strings.Repeat("a-long-way,down", 8))
	s, err := Start(t.Context(), Options{Dir: dir, NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	runDir := s.Postgres.runDir
	info, err := os.Stat(runDir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("socket directory: %v, %v", info, err)
	}
	if got := query[int](t, s.Postgres.URL("postgres"), "SELECT 1"); got != 1 {
		t.Errorf("got %d", got)
	}
	s.Postgres.Kill()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(runDir); !os.IsNotExist(err) {
		t.Errorf("the socket directory is left: %v", err)
	}
}

func TestCancelledStartLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	for _, limit := range []time.Duration{0, 30 * time.Millisecond, 400 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		p, err := StartPostgres(ctx, Options{Dir: dir, NoFsync: true})
		cancel()
		if err == nil { // a fast machine made it
			if err := p.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v: %v", limit, err)
		}
		if pids := serversIn(filepath.Join(dir, "postgres")); len(pids) > 0 {
			t.Errorf("after %v: processes %v are left", limit, pids)
		}
	}
	startPostgres(t, Options{Dir: dir, NoFsync: true})
}

func TestBrokenSettingIsExplained(t *testing.T) {
	t.Parallel()
	_, err := StartPostgres(t.Context(), Options{Dir: openDir(t), NoFsync: true, Settings: map[string]string{"shared_buffers": "many"}})
	if err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("the server's own words are missing: %v", err)
	}
}

func TestSettingsCannotOpenTheCluster(t *testing.T) {
	t.Parallel()
	p := &Postgres{runDir: "/run/x", opts: Options{Settings: map[string]string{
		"listen_addresses": "*", "unix_socket_permissions": "0777", "work_mem": "8MB",
	}}}
	args := p.arguments()
	for _, want := range []string{"listen_addresses=", "unix_socket_permissions=0700", "work_mem=8MB"} {
		if !slices.Contains(args, want) {
			t.Errorf("%q is not among %q", want, args)
		}
	}
}
