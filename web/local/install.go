package local

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// NotInstalledError says that no usable PostgreSQL is on this machine; its text tells how to get one.
type NotInstalledError struct {
	// Unusable says of each installation that was found why Recoup cannot use it.
	Unusable []string

	hint string
}

func (e *NotInstalledError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "PostgreSQL %d or newer is not installed here", minPostgres)
	if len(e.Unusable) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(e.Unusable, "; "))
	}
	b.WriteString(".\n" + advice(e.hint))
	return b.String()
}

// advice says how to get a PostgreSQL, given the command that installs it.
func advice(hint string) string {
	return "  Install it:  " + hint + "\n" +
		"  If that gives an older one, take it from https://www.postgresql.org/download/\n" +
		"  If it is in an unusual place, set RECOUP_PG_BIN to the directory of its programs.\n" +
		"  Or use a PostgreSQL that runs already:  set DATABASE_URL=postgres://user:password@host:5432/recoup"
}

// thisPlatform is the install command for the machine this runs on.
func thisPlatform() string {
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		release = nil // not a Linux, or one without a name: the general advice is right
	}
	return installCommand(runtime.GOOS, string(release))
}

// installCommand is the command that installs PostgreSQL, by operating system and the text of /etc/os-release.
func installCommand(goos, osRelease string) string {
	if goos == "darwin" {
		return "brew install postgresql@17"
	}
	var family []string
	for _, line := range strings.Split(osRelease, "\n") {
		key, value, _ := strings.Cut(line, "=")
		if key == "ID" || key == "ID_LIKE" {
			family = append(family, strings.Fields(strings.Trim(strings.TrimSpace(value), `"'`))...)
		}
	}
	for _, id := range family {
		switch id {
		case "debian", "ubuntu":
			return "sudo apt-get install postgresql"
		case "fedora", "rhel", "centos":
			return "sudo dnf install postgresql-server"
		case "alpine":
			return "apk add postgresql"
		}
	}
	return "see https://www.postgresql.org/download/"
}
