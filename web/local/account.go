package local

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// osAccount is the operating system's user that the services run as. Where the program is not root that is
// the program's own; PostgreSQL refuses to run as root, so root hands over to another.
type osAccount struct {
	name     string
	uid, gid int

	// switched is true where the program is root and the services are not.
	switched bool
}

// chooseAccount picks the user for the services in dir. For root: whoever owns the files already there, else
// postgres, else nobody.
func chooseAccount(dir string) (osAccount, error) {
	if os.Geteuid() != 0 {
		return osAccount{name: "this user", uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, sub := range []string{"postgres", "redis"} {
		info, err := os.Stat(filepath.Join(dir, sub))
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
			name := "uid " + strconv.Itoa(int(st.Uid))
			if u, err := user.LookupId(strconv.Itoa(int(st.Uid))); err == nil {
				name = u.Username
			}
			return osAccount{name: name, uid: int(st.Uid), gid: int(st.Gid), switched: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 != nil || err2 != nil || uid <= 0 {
			continue
		}
		return osAccount{name: name, uid: uid, gid: gid, switched: true}, nil
	}
	return osAccount{}, errors.New("PostgreSQL does not run as root, and neither user postgres nor user nobody exists: " +
		"run as another user, or set DATABASE_URL to a PostgreSQL that runs already")
}

// credential is what a child process needs to become this user; nil where it already is.
func (a osAccount) credential() *syscall.Credential {
	if !a.switched {
		return nil
	}
	return &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
}

// closedDir returns the topmost directory on the way to dir, dir included, that exists and that this user may
// not enter; "" when the way is free. Directories that do not exist yet do not count.
func (a osAccount) closedDir(dir string) string {
	if !a.switched {
		return ""
	}
	for dir != filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
			break
		}
		dir = filepath.Dir(dir)
	}
	closed := ""
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !a.mayEnter(info) {
			closed = dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return closed
		}
		dir = parent
	}
}

func (a osAccount) mayEnter(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	mode := info.Mode().Perm()
	switch {
	case int(st.Uid) == a.uid:
		return mode&0o100 != 0
	case int(st.Gid) == a.gid:
		return mode&0o010 != 0
	}
	return mode&0o001 != 0
}

// makeDataDir makes dir and its missing parents: closed to others, except that a switched user can pass
// through (the directories below are closed to everyone but that user).
func (a osAccount) makeDataDir(dir string) error {
	mode := os.FileMode(0o700)
	if a.switched {
		mode = 0o711
	}
	if closed := a.closedDir(dir); closed != "" {
		return fmt.Errorf("data directory %s: user %s, who runs PostgreSQL and Redis in place of root, cannot enter %s: "+
			"choose another data directory (for example %s)", dir, a.name, closed, systemDir)
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := a.makeDataDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, mode); err != nil {
		if errors.Is(err, os.ErrExist) {
			return nil
		}
		return fmt.Errorf("data directory: %w", err)
	}
	// A strict umask must not close the way again.
	if err := os.Chmod(dir, mode); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return nil
}

// makePrivateDir makes dir, which only this user can use. A directory that exists is taken only when it is
// this user's own and no link: a shared temp directory may hold another user's trap under any name.
func (a osAccount) makePrivateDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	switch {
	case err == nil:
		if a.switched {
			if err := os.Lchown(dir, a.uid, a.gid); err != nil {
				return fmt.Errorf("private directory: %w", err)
			}
		}
		return nil
	case !errors.Is(err, os.ErrExist):
		return fmt.Errorf("private directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("private directory: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(st.Uid) != a.uid {
		return fmt.Errorf("%s exists and does not belong to %s: remove it or choose another data directory", dir, a.name)
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("private directory: %w", err)
		}
	}
	return nil
}
