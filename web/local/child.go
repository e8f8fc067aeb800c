package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// child is a process that this program started and will wait for.
type child struct {
	pid      int
	process  *os.Process
	done     chan struct{} // closed when the process has ended
	err      error         // how it ended; read only after done
	stopping atomic.Bool   // its end is wanted
}

// stopStep is one attempt to end a process: a signal and the time it is given to work.
type stopStep struct {
	signal syscall.Signal
	wait   time.Duration
}

// startChild starts cmd as who, in a process group of its own (so that Ctrl-C on the terminal reaches this
// program alone and the child is stopped in order). When this program dies, the child gets orphanSignal,
// where the system can do that.
func startChild(cmd *exec.Cmd, who osAccount, orphanSignal syscall.Signal) (*child, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: who.credential()}
	signalWhenOrphaned(cmd.SysProcAttr, orphanSignal)

	c := &child{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel sends the signal when the starting THREAD ends, not when the process does: the
		// thread has to stay for as long as the child lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			c.process, c.pid = cmd.Process, cmd.Process.Pid
		}
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s as %s: %w", cmd.Path, who.name, err)
	}
	return c, nil
}

// stop goes through the steps until the process has ended, and ends it by force when none of them worked. The
// end of ctx hurries through the steps; the process has ended in every case. It reports whether force was
// needed.
func (c *child) stop(ctx context.Context, steps ...stopStep) (forced bool) {
	c.stopping.Store(true)
	hurry := ctx.Done()
	for _, step := range steps {
		_ = c.process.Signal(step.signal) // it may have ended already
		wait := step.wait
		if ctx.Err() != nil {
			hurry, wait = nil, min(wait, time.Second)
		}
		timer := time.NewTimer(wait)
		select {
		case <-c.done:
			timer.Stop()
			return false
		case <-hurry:
			timer.Stop()
		case <-timer.C:
		}
	}
	c.kill()
	return true
}

// kill ends the process and its children at once and waits for its end.
func (c *child) kill() {
	c.stopping.Store(true)
	select {
	case <-c.done:
		return
	default:
	}
	killTree(c.pid)
	<-c.done
}

// ended reports whether the process has ended.
func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// killTree ends the process pid and its direct children (PostgreSQL has no deeper ones) with SIGKILL. The
// parent is halted first, otherwise it could fork while its children are counted, and a server process that
// outlives it keeps the next start away from the cluster's shared memory.
func killTree(pid int) {
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	children := childrenOf(pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for _, child := range children {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
}

// alive reports whether the process still runs.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return (err == nil || errors.Is(err, syscall.EPERM)) && !isZombie(pid)
}

// childEnv is the whole environment of a child: PGOPTIONS and the like would change what is started, and this
// program's secrets are none of the child's business.
func childEnv() []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// maxLogSize is the size from which a log of a service is set aside at the next start.
const maxLogSize = 8 << 20

// openLog opens the log file of a service for appending and returns its present size. A file rather than a
// pipe, because the service may outlive this program and must still be able to write.
func openLog(path string) (*os.File, int64, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, 0, fmt.Errorf("set the log aside: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, 0, fmt.Errorf("open the log: %w", err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		file.Close()
		return nil, 0, fmt.Errorf("open the log: %w", err)
	}
	return file, size, nil
}

// logSince returns the end, at most 2 KB, of what the log holds after offset.
func logSince(path string, offset int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(io.NewSectionReader(file, max(offset, info.Size()-2048), 2048))
	if err != nil {
		return ""
	}
	return string(text)
}
