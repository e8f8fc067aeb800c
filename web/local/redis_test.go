package local

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestRedis(t *testing.T) {
	t.Parallel()
	for kind, opts := range map[string]Options{
		RedisServer:    {},
		RedisInProcess: {InProcessRedis: true},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if kind == RedisServer {
				if bin, err := findRedis(t.Context(), opts.logger()); err != nil || bin == "" {
					t.Skipf("no redis-server here: %v", err)
				}
			}
			opts.Dir = openDir(t)
			r, err := StartRedis(t.Context(), opts)
			if err != nil {
				t.Fatal(err)
			}
			if r.Kind() != kind {
				t.Fatalf("kind %q", r.Kind())
			}
			ctx, addr := t.Context(), r.Addr()
			client := redis.NewClient(&redis.Options{Network: r.Network(), Addr: addr, MaxRetries: -1})
			t.Cleanup(func() {
				if err := errors.Join(client.Close(), r.Stop(context.Background())); err != nil {
					t.Error(err)
				}
			})

			for name, end := range map[string]func() error{
				"kill": func() error { r.Kill(); return nil },
				"stop": func() error { return r.Stop(ctx) },
			} {
				if err := client.Set(ctx, "key", "value", 0).Err(); err != nil {
					t.Fatalf("before %s: %v", name, err)
				}
				if err := end(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := client.Ping(ctx).Err(); err == nil {
					t.Fatalf("Redis answers after %s", name)
				}
				for range 2 { // the second finds it running
					if err := r.Restart(ctx); err != nil {
						t.Fatalf("restart after %s: %v", name, err)
					}
				}
				if r.Addr() != addr {
					t.Fatalf("address %s became %s", addr, r.Addr())
				}
				if n, err := client.Exists(ctx, "key").Result(); err != nil || n != 0 {
					t.Fatalf("after %s and restart: %d keys, %v", name, n, err)
				}
			}

			// Time passes in it as it does outside.
			if err := client.Set(ctx, "short", "value", 2500*time.Millisecond).Err(); err != nil {
				t.Fatal(err)
			}
			if err := client.Set(ctx, "long", "value", time.Minute).Err(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if n, err := client.Exists(ctx, "short", "long").Result(); err != nil || n != 2 {
				t.Fatalf("after a second %d of 2 keys are left, %v", n, err)
			}
			eventually(t, 4*time.Second, "the short key is gone", func() bool {
				return client.Exists(ctx, "short").Val() == 0
			})
			left, err := client.TTL(ctx, "long").Result()
			if err != nil || left > 58*time.Second || left < 50*time.Second {
				t.Fatalf("the long key has %v left of a minute, %v", left, err)
			}
		})
	}
}

func TestRedisServerNeverEvictsAndKeepsNothing(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	r, err := StartRedis(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if r.Kind() != RedisServer {
		t.Skip("no redis-server here")
	}
	client := redis.NewClient(&redis.Options{Network: r.Network(), Addr: r.Addr()})
	defer client.Close()
	for setting, want := range map[string]string{"maxmemory-policy": "noeviction", "save": "", "appendonly": "no", "port": "0"} {
		got, err := client.ConfigGet(t.Context(), setting).Result()
		if err != nil || got[setting] != want {
			t.Errorf("%s = %q (%v), want %q", setting, got[setting], err, want)
		}
	}
	var inUse *InUseError
	if _, err := StartRedis(t.Context(), Options{Dir: dir}); !errors.As(err, &inUse) || inUse.PID != os.Getpid() {
		t.Errorf("a second Redis in the same directory: %v", err)
	}
}

func TestRecentRedis(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64": true,
		"Valkey server v=8.1.1 sha=00000000:0":                               true,
		"Redis server v=6.2.0 sha=0":                                         true,
		"Redis server v=6.0.16 sha=0":                                        false,
		"Redis server v=5.0.7 sha=0":                                         false,
		"Redis server v=10.0.0 sha=0":                                        true,
		"something else":                                                     false,
	} {
		if got := recentRedis(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestNamedRedisMustExist(t *testing.T) {
	t.Setenv("RECOUP_REDIS_BIN", "/nowhere/redis-server")
	if _, err := StartRedis(t.Context(), Options{Dir: openDir(t)}); err == nil {
		t.Error("a missing RECOUP_REDIS_BIN was passed over")
	}
}

func TestWithoutRedisServerItRunsInProcess(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("RECOUP_REDIS_BIN", "")
	r, err := StartRedis(t.Context(), Options{Dir: openDir(t)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Kind() != RedisInProcess || r.PID() != 0 {
		t.Errorf("kind %q, process %d", r.Kind(), r.PID())
	}
	client := redis.NewClient(&redis.Options{Network: r.Network(), Addr: r.Addr()})
	if err := errors.Join(client.Ping(t.Context()).Err(), client.Close(), r.Stop(t.Context())); err != nil {
		t.Error(err)
	}
}
