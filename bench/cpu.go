package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The processor time an operation costs says more than its rate where the machine has other work:
// rates then depend on who else runs.

// spent is processor time so far of this program, its ended children (pgbench), PostgreSQL and the server.
func (b *bench) spent() time.Duration {
	total := own(syscall.RUSAGE_SELF) + own(syscall.RUSAGE_CHILDREN)
	for _, pid := range b.pids {
		total += processTime(pid)
	}
	return total
}

func own(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// clockTick is the unit of /proc/<pid>/stat on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// processTime adds up what a process, its living children and its ended children have spent.
// It is 0 where there is no /proc.
func processTime(pid int) time.Duration {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	var ticks int64
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile; its parent counts it
		}
		// The name in parentheses may hold anything; the numbers follow the last one.
		_, rest, _ := strings.Cut(string(text), ") ")
		f := strings.Fields(rest)
		if len(f) < 15 || f[1] != strconv.Itoa(pid) && filepath.Base(filepath.Dir(path)) != strconv.Itoa(pid) {
			continue
		}
		// utime, stime, cutime, cstime are fields 14 to 17 of the file.
		for _, s := range f[11:15] {
			n, _ := strconv.ParseInt(s, 10, 64)
			ticks += n
		}
	}
	return time.Duration(ticks) * clockTick
}
