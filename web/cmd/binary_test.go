package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// program is the compiled program, made by the first test that runs it as a process of its own.
type program struct {
	once sync.Once
	dir  string
	err  error
}

var built program //nolint:gochecknoglobals // one binary a test run

func (p *program) path(t *testing.T) string {
	t.Helper()
	p.once.Do(func() {
		if p.dir, p.err = os.MkdirTemp("", "recoup-binary-"); p.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", filepath.Join(p.dir, "recoup"), "recoup").CombinedOutput()
		if err != nil {
			err = fmt.Errorf("build: %w\n%s", err, out)
		}
		// Tests also run it as another user.
		p.err = errors.Join(err, os.Chmod(p.dir, 0o755))
	})
	if p.err != nil {
		t.Fatal(p.err)
	}
	return filepath.Join(p.dir, "recoup")
}

func (p *program) remove() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}
