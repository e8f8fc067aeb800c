package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockPatience is how long a start waits for a program that is just ending.
const lockPatience = 3 * time.Second

// InUseError says that another program runs the services of a data directory.
type InUseError struct {
	Dir string

	// PID is the process that holds the directory, 0 when it could not be read.
	PID int
}

func (e *InUseError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("data directory %s is in use by another process: stop it, or choose another data directory", e.Dir)
	}
	return fmt.Sprintf("data directory %s is in use by process %d: stop it, or choose another data directory", e.Dir, e.PID)
}

// fileLock is a file held with flock. The kernel lets go of it when the process ends, however it ends.
type fileLock struct{ file *os.File }

// lockDir takes the lock file at path on behalf of dir and writes this process's id into it. It waits
// lockPatience and then returns *InUseError.
func lockDir(ctx context.Context, path, dir string) (*fileLock, error) {
	deadline := time.Now().Add(lockPatience)
	for {
		lock, err := tryLock(path)
		if err != nil || lock != nil {
			return lock, err
		}
		if time.Now().After(deadline) {
			return nil, &InUseError{Dir: dir, PID: readPID(path)}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for %s: %w", path, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// tryLock takes the lock at path without waiting. It returns nil and no error when another process has it.
func tryLock(path string) (*fileLock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock file: %w", err)
	}
	if err := flock(file, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock file %s: %w", path, err)
	}
	if err := file.Truncate(0); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock file: %w", err)
	}
	if _, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock file: %w", err)
	}
	return &fileLock{file: file}, nil
}

// waitLock takes the lock at path, however long that takes. It is for work of a second or two that several
// test programs want to do at once.
func waitLock(path string) (*fileLock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock file: %w", err)
	}
	if err := flock(file, syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock file %s: %w", path, err)
	}
	return &fileLock{file: file}, nil
}

// release lets go of the lock. The file stays: removing it would let two programs each hold "the" lock, one
// of a name that is gone and one of its successor.
func (l *fileLock) release() {
	if l != nil {
		l.file.Close()
	}
}

func flock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func readPID(path string) int {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
