package local

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestAnotherUserThanRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user; every other test already runs as one")
	}
	t.Parallel()
	const nobody = 65534
	credential := &syscall.Credential{Uid: nobody, Gid: nobody}
	dir := openDir(t)
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"start", "tests"} {
		h := startHelper(t, mode, credential, "HELPER_DIR="+filepath.Join(dir, "data"), "TMPDIR="+dir, "HOME=/nonexistent")
		info, err := os.Stat(filepath.Join(h.Dir, "postgres"))
		if err != nil {
			t.Fatal(err)
		}
		if st := info.Sys().(*syscall.Stat_t); h.UID != nobody || st.Uid != nobody {
			t.Errorf("%s: program of user %d, cluster of user %d", mode, h.UID, st.Uid)
		}
		h.finish(t)
	}
}

func TestRootRunsServicesAsAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root")
	}
	t.Parallel()
	s, err := Start(t.Context(), Options{Dir: filepath.Join(openDir(t), "a", "b"), NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	for what, pid := range map[string]int{"PostgreSQL": s.Postgres.PID(), "Redis": s.Redis.PID()} {
		if pid == 0 {
			continue // Redis inside this process
		}
		info, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
		if err != nil {
			t.Fatal(err)
		}
		if st := info.Sys().(*syscall.Stat_t); st.Uid == 0 || int(st.Uid) != s.Postgres.who.uid {
			t.Errorf("%s runs as user %d", what, st.Uid)
		}
	}
	for _, private := range []string{s.Postgres.dataDir, s.Postgres.runDir} {
		info, err := os.Stat(private)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", private, info.Mode(), err)
		}
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestClosedDirectoryIsRefusedForRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root")
	}
	t.Parallel()
	closed := filepath.Join(openDir(t), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(openDir(t), "link")
	if err := os.Symlink(closed, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(closed, "deep", "data"), filepath.Join(link, "data")} {
		_, err := StartPostgres(t.Context(), Options{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), "cannot enter "+closed) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestForeignSocketDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	me := osAccount{name: "this user", uid: os.Geteuid(), gid: os.Getegid()}
	parent := t.TempDir()
	target := filepath.Join(parent, "target")
	if err := os.Mkdir(target, 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(parent, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := me.makePrivateDir(link); err == nil {
		t.Error("a link was taken for a private directory")
	}
	stranger := osAccount{name: "stranger", uid: me.uid + 1, gid: me.gid}
	if err := stranger.makePrivateDir(target); err == nil {
		t.Error("another user's directory was taken")
	}
	if err := me.makePrivateDir(target); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("an open directory stayed open: %v, %v", info.Mode(), err)
	}
}

func TestDefaultDir(t *testing.T) {
	open := openDir(t)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", open)
	if got, err := DefaultDir(); err != nil || got != filepath.Join(open, ".local/share/recoup") {
		t.Errorf("in an open home: %s, %v", got, err)
	}
	t.Setenv("XDG_DATA_HOME", filepath.Join(open, "xdg"))
	if got, err := DefaultDir(); err != nil || got != filepath.Join(open, "xdg/recoup") {
		t.Errorf("with XDG_DATA_HOME: %s, %v", got, err)
	}
	t.Setenv("XDG_DATA_HOME", "relative/is/ignored")
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", closed)
	want := filepath.Join(closed, ".local/share/recoup")
	if os.Geteuid() == 0 {
		want = systemDir
	}
	if got, err := DefaultDir(); err != nil || got != want {
		t.Errorf("in a closed home: %s, %v; want %s", got, err, want)
	}
}
