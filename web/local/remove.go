package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Remove removes what Start has left in a data directory, PostgreSQL's cluster with all its data first of
// all, and nothing else that lies there. It returns *InUseError, and removes nothing, while another program
// runs the services.
func Remove(ctx context.Context, dir string) error {
	var locks []*fileLock
	defer func() {
		for _, l := range locks {
			l.release()
		}
	}()
	for _, name := range []string{"postgres.lock", "redis.lock"} {
		lock, err := lockDir(ctx, filepath.Join(dir, name), dir)
		if err != nil {
			return err
		}
		locks = append(locks, lock)
	}
	var errs []error
	for _, name := range []string{"postgres", "postgres.new", "redis", "run", "secret"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			errs = append(errs, fmt.Errorf("remove %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
