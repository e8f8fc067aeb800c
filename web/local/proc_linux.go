package local

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// diesWithParent: the kernel ends the services when this program is killed.
const diesWithParent = true

// signalWhenOrphaned asks the kernel to send sig to the child when the thread that starts it ends.
func signalWhenOrphaned(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }

// childrenOf returns the processes whose parent is pid.
func childrenOf(pid int) []int {
	var found []int
	for _, p := range processes() {
		if fields := stat(p); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			found = append(found, p)
		}
	}
	return found
}

// isZombie reports whether the process has ended and only waits for its parent to notice. As process 1 of a
// container this program is the parent of orphans and never notices.
func isZombie(pid int) bool {
	fields := stat(pid)
	return len(fields) > 0 && fields[0] == "Z"
}

// stat returns what the kernel says of a process, from its state (0) and parent (1) on; nil when it is gone.
func stat(pid int) []string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil
	}
	// "pid (name) state ppid …", and the name may hold blanks and brackets.
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// serversIn returns the PostgreSQL processes that work in the data directory dir, whatever postmaster.pid says.
// PostgreSQL changes into its data directory; where the kernel hides that from us, as it does from root in a
// container without CAP_SYS_PTRACE, the command line still shows the main process.
func serversIn(dir string) []int {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	var found []int
	for _, p := range processes() {
		at := filepath.Join("/proc", strconv.Itoa(p))
		comm, err := os.ReadFile(filepath.Join(at, "comm"))
		if name := strings.TrimSpace(string(comm)); err != nil || (name != "postgres" && name != "postmaster") {
			continue
		}
		cwd, err := os.Readlink(filepath.Join(at, "cwd"))
		if err != nil {
			cmdline, _ := os.ReadFile(filepath.Join(at, "cmdline"))
			if bytes.Contains(cmdline, []byte("\x00-D\x00"+dir+"\x00")) {
				found = append(found, p)
			}
			continue
		}
		if cwd == real {
			found = append(found, p)
		}
	}
	return found
}

func processes() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// roomInMemory is how many bytes can be written below dir, 0 where its files do not lie in memory.
func roomInMemory(dir string) int64 {
	const tmpfs = 0x01021994
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil || int64(st.Type) != tmpfs { //nolint:unconvert // narrower on other machines
		return 0
	}
	return int64(st.Bavail) * int64(st.Bsize) //nolint:unconvert // narrower on other machines
}
