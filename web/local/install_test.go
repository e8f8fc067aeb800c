package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInstallCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ goos, release, want string }{
		{"linux", "PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n", "sudo apt-get install postgresql"},
		{"linux", "NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "sudo apt-get install postgresql"},
		{"linux", "ID=fedora\nVERSION_ID=42\n", "sudo dnf install postgresql-server"},
		{"linux", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "sudo dnf install postgresql-server"},
		{"linux", "ID=alpine\n", "apk add postgresql"},
		{"linux", "ID=arch\n", "https://www.postgresql.org/download/"},
		{"linux", "", "https://www.postgresql.org/download/"},
		{"darwin", "", "brew install postgresql@17"},
	} {
		if got := installCommand(c.goos, c.release); !strings.Contains(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.goos, c.release, got, c.want)
		}
	}
}

func TestMissingPostgresIsExplained(t *testing.T) {
	t.Parallel()
	old := fakePostgres(t, "9.6.24")
	broken := t.TempDir()
	for _, name := range []string{"initdb", "postgres"} {
		if err := os.WriteFile(filepath.Join(broken, name), []byte("#!/bin/sh\nexit 7\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	_, err := pickPostgres(t.Context(), []string{"/nowhere", old, broken}, 0)
	var missing *NotInstalledError
	if !errors.As(err, &missing) {
		t.Fatalf("no PostgreSQL anywhere: %v", err)
	}
	for _, want := range []string{thisPlatform(), "DATABASE_URL=", "RECOUP_PG_BIN", "9.6.24", broken, "exit status 7", "PostgreSQL 15 or newer"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the message:\n%v", want, err)
		}
	}
}

func TestPickPostgres(t *testing.T) {
	t.Parallel()
	dirs := []string{fakePostgres(t, "17.2 (Debian 17.2-1)"), fakePostgres(t, "14.9"), fakePostgres(t, "18beta1"), fakePostgres(t, "16devel")}
	for cluster, want := range map[int]int{0: 17, 16: 16, 18: 18, 17: 17, 15: 17, 14: 17} {
		got, err := pickPostgres(t.Context(), dirs, cluster)
		if err != nil || got.major != want {
			t.Errorf("for a cluster of version %d: %d, %v; want %d", cluster, got.major, err, want)
		}
	}
}

func TestNamedPostgresIsTheOnlyChoice(t *testing.T) {
	named := fakePostgres(t, "17.2")
	t.Setenv("RECOUP_PG_BIN", named)
	if got, err := findPostgres(t.Context(), 15); err != nil || got.dir != named {
		t.Errorf("found %+v, %v", got, err)
	}
	t.Setenv("RECOUP_PG_BIN", "/nowhere")
	if _, err := findPostgres(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "RECOUP_PG_BIN") {
		t.Errorf("a wrong RECOUP_PG_BIN: %v", err)
	}
	t.Setenv("RECOUP_PG_BIN", fakePostgres(t, "12.1"))
	if _, err := findPostgres(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "12.1") {
		t.Errorf("an old RECOUP_PG_BIN: %v", err)
	}
}

func TestNewestFirst(t *testing.T) {
	t.Parallel()
	got := newestFirst([]string{"/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/9.6/bin", "/usr/lib/postgresql/17/bin", "/x/postgresql/bin"})
	want := []string{"/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/9.6/bin", "/x/postgresql/bin"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// fakePostgres makes a directory with an initdb and a postgres that know their version and nothing else.
func fakePostgres(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"initdb", "postgres"} {
		script := fmt.Sprintf("#!/bin/sh\necho '%s (PostgreSQL) %s'\n", name, version)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
