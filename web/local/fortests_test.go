package local

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestStartForTests(t *testing.T) {
	ctx := t.Context()
	warm, err := StartForTests(ctx, TestOptions{Redis: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := warm.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s, err := StartForTests(ctx, TestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	t.Logf("started in %v", took)
	conn, err := pgx.Connect(ctx, s.Postgres.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"max_connections": "200", "shared_buffers": "64MB", "fsync": "off", "synchronous_commit": "on",
		"listen_addresses": "", "TimeZone": "UTC", "server_encoding": "UTF8", "lc_collate": "C",
	} {
		var got string
		if err := conn.QueryRow(ctx, "SELECT current_setting($1)", setting).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q (%v), want %q", setting, got, err, want)
		}
	}
	if err := conn.Close(ctx); err != nil {
		t.Fatal(err)
	}
	dir := s.Postgres.opts.Dir
	if err := s.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there after Stop: %v", dir, err)
	}
	if took > 5*time.Second {
		t.Errorf("a warm start took %v", took)
	}
}
