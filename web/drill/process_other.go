//go:build !linux

package drill

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// run starts cmd in a process group of its own, so that Ctrl-C reaches the drill alone, and waits for
// its end.
func run(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait() // how it ended shows in its log
		close(done)
	}
}

// residentMemory returns the resident memory of a process in bytes; 0 when it is gone. The highest is
// not kept by the system here: it is that of the moments at which it is asked.
func residentMemory(pid int) (now, peak int64) {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, 0
	}
	kb, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return 0, 0
	}
	return kb * 1024, kb * 1024
}
