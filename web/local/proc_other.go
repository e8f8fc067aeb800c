//go:build !linux

package local

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// diesWithParent: the services outlive this program when it is killed, until the next start.
const diesWithParent = false

// signalWhenOrphaned does nothing here: the system cannot tie a child to its parent. The next start in the
// same data directory stops what was left behind.
func signalWhenOrphaned(*syscall.SysProcAttr, syscall.Signal) {}

// childrenOf returns the processes whose parent is pid.
func childrenOf(pid int) []int {
	var found []int
	for _, line := range strings.Split(output("ps", "-A", "-o", "pid=,ppid="), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[1] == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(fields[0]); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// isZombie reports whether the process has ended and only waits for its parent to notice. Here the system's
// first process takes in orphans and does notice.
func isZombie(int) bool { return false }

// serversIn returns the main PostgreSQL process of the data directory dir, found by postmaster.pid and
// believed only when that process is a PostgreSQL started on dir.
func serversIn(dir string) []int {
	pid := readPostmasterPID(filepath.Join(dir, "postmaster.pid"))
	if pid == 0 || !alive(pid) {
		return nil
	}
	command := output("ps", "-p", strconv.Itoa(pid), "-o", "command=")
	if !strings.Contains(command, "-D "+dir+" ") {
		return nil
	}
	return append([]int{pid}, childrenOf(pid)...)
}

func output(name string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// roomInMemory is 0: the system has no directory that is known to lie in memory.
func roomInMemory(string) int64 { return 0 }
