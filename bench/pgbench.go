package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// pgbench runs one statement as often as asked, from many clients.
type pgbench struct {
	program string
	url     string
	clients int
	dir     string // for script files
}

// newPgbench finds pgbench beside the server's own programs, so that both are of one version.
func newPgbench(ctx context.Context, url string, clients int, dir string) (*pgbench, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	var bin string
	if err := conn.QueryRow(ctx, `SELECT setting FROM pg_config() WHERE name = 'BINDIR'`).Scan(&bin); err != nil {
		return nil, fmt.Errorf("where PostgreSQL's programs are: %w", err)
	}
	program := filepath.Join(bin, "pgbench")
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath("pgbench"); err != nil {
			return nil, fmt.Errorf("pgbench is neither in %s nor on PATH: install PostgreSQL's client programs", bin)
		}
	}
	return &pgbench{program: program, url: url, clients: clients, dir: dir}, nil
}

var (
	tpsLine    = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	failedLine = regexp.MustCompile(`(?m)^number of failed transactions: ([0-9]+)`)
	doneLine   = regexp.MustCompile(`(?m)^number of transactions actually processed: ([0-9]+)`)
)

// run executes the statement for some seconds, or count times where count is above zero, and returns
// how many a second and how many in all.
func (p *pgbench) run(ctx context.Context, name, statement string, seconds int, count int64) (float64, int64, error) {
	script := filepath.Join(p.dir, name+".sql")
	// A script is read line by line; one statement may span several.
	if err := os.WriteFile(script, []byte(statement), 0o644); err != nil {
		return 0, 0, err
	}
	args := []string{"-n", "-c", strconv.Itoa(p.clients), "-j", "2", "-M", "prepared", "-f", script}
	if count > 0 {
		args = append(args, "-t", strconv.FormatInt(max(count/int64(p.clients), 1), 10))
	} else {
		args = append(args, "-T", strconv.Itoa(seconds))
	}
	out, err := exec.CommandContext(ctx, p.program, append(args, p.url)...).CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("pgbench %s: %w: %s", name, err, head(string(out)))
	}
	tps, done, failed := tpsLine.FindSubmatch(out), doneLine.FindSubmatch(out), failedLine.FindSubmatch(out)
	if tps == nil || done == nil || strings.Contains(string(out), "ERROR") {
		return 0, 0, errors.New("pgbench " + name + ": " + head(string(out)))
	}
	if failed != nil && string(failed[1]) != "0" {
		return 0, 0, fmt.Errorf("pgbench %s: %s transactions failed", name, failed[1])
	}
	rate, err := strconv.ParseFloat(string(tps[1]), 64)
	if err != nil {
		return 0, 0, err
	}
	n, err := strconv.ParseInt(string(done[1]), 10, 64)
	return rate, n, err
}

func head(s string) string {
	if len(s) > 1500 {
		s = s[:1500] + "…"
	}
	return strings.TrimSpace(s)
}
