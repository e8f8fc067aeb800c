package drill

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// run starts cmd in a process group of its own, so that Ctrl-C reaches the drill alone, and waits for
// its end. The kernel kills the process when the drill dies; it watches the starting thread, which
// therefore has to stay.
func run(cmd *exec.Cmd, started chan<- error, done chan<- struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait() // how it ended shows in its log
		close(done)
	}
}

// residentMemory returns the resident memory of a process in bytes, now and at its highest; 0 when it
// is gone.
func residentMemory(pid int) (now, peak int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	read := func(name string) int64 {
		for line := range bytes.Lines(text) {
			if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
				if fields := bytes.Fields(rest); len(fields) == 2 {
					kb, _ := strconv.ParseInt(string(fields[0]), 10, 64) // 0 for what is no number
					return kb * 1024
				}
			}
		}
		return 0
	}
	return read("VmRSS:"), read("VmHWM:")
}
