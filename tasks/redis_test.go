package tasks

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/outbox"
)

// F12: the charge is durable, the queue is away, so the call stays owed as a row; the sweeper does in time
// what it was for, and the queue gets it when it is back.
func TestCase_F12_OwedEnqueueIsARow(t *testing.T) {
	t.Parallel()
	w := build(t, modeltest.Ready(t, modeltest.Fast()), modeltest.Fast(), 500*time.Millisecond, false)
	w.redis.Kill()
	w.Account(t, "acct_1", 10)
	w.start(t)
	w.Charge(t, "acct_1", "j1", 1)
	w.failClaimed(t, job.Transient)
	if w.owed(t) != 1 {
		t.Fatalf("%d calls owed, want 1", w.owed(t))
	}
	eventually(t, 5*time.Second, "the sweeper wakes it", func() bool { return w.row(t, "j1").State == job.Queued })
	if w.owed(t) != 1 || w.run.sweeper.swept.Load() != 1 {
		t.Errorf("%d owed, %d swept; want 1 and 1", w.owed(t), w.run.sweeper.swept.Load())
	}
	if w.relay.Status().RedisOK {
		t.Error("Redis counts as there")
	}
	eventually(t, 10*time.Second, "Redis missed", func() bool { return w.logs.count("Redis is away") == 1 })
	if err := w.redis.Restart(context.Background()); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, "the owed call is paid", func() bool { return w.owed(t) == 0 })
	time.Sleep(2 * time.Second) // the bell rings, late
	if s := w.row(t, "j1").State; s != job.Queued || w.events(t, "j1", job.EventWoken) != 1 {
		t.Errorf("%s, woken %d times after the late bell", s, w.events(t, "j1", job.EventWoken))
	}
	if w.logs.count("Redis is away") != 1 || w.logs.count("Redis is back") != 1 {
		t.Error("not one line a change")
	}
}

// Redis forgets everything while bells wait in it: they are owed again and ring in time.
func TestFlushAll(t *testing.T) {
	t.Parallel()
	policy := modeltest.Fast()
	policy.BackoffBase, policy.BackoffMax = 6*time.Second, 6*time.Second
	w := build(t, modeltest.Ready(t, policy), policy, lasting, false)
	w.Account(t, "acct_1", 10)
	w.start(t)
	client := redis.NewClient(&redis.Options{Network: w.redis.Network(), Addr: w.redis.Addr()})
	defer client.Close()
	marked := func() bool { return client.Exists(context.Background(), markerKey).Val() == 1 }
	eventually(t, 5*time.Second, "the marker", marked)
	for i := range 3 {
		w.Charge(t, "acct_1", fmt.Sprintf("j%d", i), 1)
		w.failClaimed(t, job.Transient)
	}
	eventually(t, 2*time.Second, "all calls in Redis", func() bool { return w.owed(t) == 0 })
	if err := client.FlushAll(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "the marker again", marked)
	if n := w.logs.count("Redis lost what it held"); n != 1 {
		t.Errorf("told %d times", n)
	}
	eventually(t, 10*time.Second, "all woken", func() bool {
		return w.row(t, "j0").State == job.Queued && w.row(t, "j1").State == job.Queued && w.row(t, "j2").State == job.Queued
	})
	if w.run.sweeper.swept.Load() != 0 || w.events(t, "j0", job.EventWoken) != 1 {
		t.Errorf("%d swept, %d wake-ups; want the bells alone, once", w.run.sweeper.swept.Load(), w.events(t, "j0", job.EventWoken))
	}
	if known := client.SIsMember(context.Background(), "asynq:queues", Queue).Val(); !known {
		t.Error("the queue is unknown to tools after the flush")
	}
}

// After a flush that nobody notices in time, the sweeper alone is enough.
func TestFlushAllSwept(t *testing.T) {
	t.Parallel()
	w := ready(t, 300*time.Millisecond, false)
	client := redis.NewClient(&redis.Options{Network: w.redis.Network(), Addr: w.redis.Addr()})
	defer client.Close()
	w.Charge(t, "acct_1", "j1", 1)
	w.failClaimed(t, job.Transient)
	eventually(t, 2*time.Second, "the call in Redis", func() bool { return w.owed(t) == 0 })
	// The marker stays, so that the relay believes that all is well.
	keys, err := client.Keys(context.Background(), "asynq:*").Result()
	if err != nil || len(keys) == 0 {
		t.Fatalf("%v, %v", keys, err)
	}
	if err := client.Del(context.Background(), keys...).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "woken", func() bool { return w.row(t, "j1").State == job.Queued })
	if w.run.sweeper.swept.Load() != 1 {
		t.Error("not by the sweeper")
	}
}

// Redis dies in the middle of work and comes back empty at its address: everything goes on.
func TestRedisAwayAndBack(t *testing.T) {
	t.Parallel()
	for name, inProcess := range map[string]bool{realServer: false, insideProcess: true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := modeltest.Fast()
			policy.Lease = time.Minute // no sweep of those that are claimed below
			w := build(t, modeltest.Ready(t, policy), policy, 2*time.Second, inProcess)
			w.Account(t, "acct_1", 1000)
			w.start(t)
			fail := func(from, to int) {
				for i := from; i < to; i++ {
					w.Charge(t, "acct_1", fmt.Sprintf("j%d", i), 1)
					w.failClaimed(t, job.Transient)
				}
			}
			eventually(t, 5*time.Second, "Redis seen", func() bool { return w.relay.Status().RedisOK })
			fail(0, 3)
			w.redis.Kill()
			fail(3, 6)
			eventually(t, 5*time.Second, "Redis missed", func() bool { return !w.relay.Status().RedisOK })
			time.Sleep(2 * time.Second)
			if w.owed(t) == 0 {
				t.Error("nothing is owed while Redis is away")
			}
			if err := w.redis.Restart(context.Background()); err != nil {
				t.Fatal(err)
			}
			eventually(t, 10*time.Second, "nothing is owed", func() bool { return w.relay.Status().RedisOK && w.owed(t) == 0 })
			claimed := map[string]bool{}
			eventually(t, 15*time.Second, "all six again", func() bool {
				for _, c := range w.Claim(t, 10) {
					if claimed[c.JobID] || c.Attempt != 2 {
						t.Errorf("%s attempt %d", c.JobID, c.Attempt)
					}
					claimed[c.JobID] = true
				}
				return len(claimed) == 6
			})
			// And the queue works as before, not only the sweeper, which would come two seconds later.
			w.Charge(t, "acct_1", "later", 1)
			swept := w.run.sweeper.swept.Load()
			w.failClaimed(t, job.Transient)
			eventually(t, 10*time.Second, "woken", func() bool { return w.row(t, "later").State == job.Queued })
			if w.run.sweeper.swept.Load() != swept {
				t.Error("the queue does not answer")
			}
			if w.logs.count("Redis is away") != 1 || w.logs.count("Redis is back") != 1 || w.logs.count("level=ERROR") != 0 {
				t.Error("not one line a change")
			}
		})
	}
}

// A relay that dies after it enqueued and before it deleted leaves the row: the next one finds the task there.
func TestRelayCrashBetweenEnqueueAndDelete(t *testing.T) {
	t.Parallel()
	w := build(t, modeltest.Ready(t, modeltest.Fast()), modeltest.Fast(), lasting, false)
	w.Account(t, "acct_1", 10)
	w.Charge(t, "acct_1", "j1", 1)
	w.failClaimed(t, job.Transient)
	ctx, die := context.WithCancel(context.Background())
	_, err := outbox.New(w.G).Take(ctx, outbox.Wake, 10, func(ctx context.Context, o outbox.Owed) error {
		err := w.relay.enqueue(ctx, o)
		die()
		return err
	})
	if err == nil || w.owed(t) != 1 {
		t.Fatalf("%v, %d owed; want a broken transaction and the row", err, w.owed(t))
	}
	w.start(t)
	eventually(t, 10*time.Second, "woken", func() bool { return w.row(t, "j1").State == job.Queued })
	eventually(t, 2*time.Second, "nothing owed", func() bool { return w.owed(t) == 0 })
	if n := w.events(t, "j1", job.EventWoken); n != 1 {
		t.Errorf("woken %d times", n)
	}
}

// A restore counts only when Redis kept everything from its beginning to its end, and only one process does it.
func TestRestoreIsOfOneProcess(t *testing.T) {
	t.Parallel()
	w := build(t, modeltest.Ready(t, modeltest.Fast()), modeltest.Fast(), lasting, true)
	ctx := context.Background()
	c := w.relay.client
	if err := c.Set(ctx, restoringKey, "another", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	if err := w.relay.restore(ctx); err != nil {
		t.Fatal(err)
	}
	if c.Exists(ctx, markerKey).Val() != 0 || c.Get(ctx, restoringKey).Val() != "another" {
		t.Error("did another process's restore")
	}
	if err := w.relay.hold(ctx, finishScript, "mine"); err != errLostAgain || c.Exists(ctx, markerKey).Val() != 0 {
		t.Errorf("finished with a key that is not ours: %v", err)
	}
	if err := c.Del(ctx, restoringKey).Err(); err != nil {
		t.Fatal(err)
	}
	if err := w.relay.restore(ctx); err != nil || c.Exists(ctx, markerKey).Val() != 1 || c.Exists(ctx, restoringKey).Val() != 0 {
		t.Errorf("not restored: %v", err)
	}
}

func TestUnfitRedis(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		"redis_version:7.0.15\r\nmaxmemory_policy:noeviction\r\n":  "",
		"redis_version:6.2.0\r\nmaxmemory_policy:noeviction\r\n":   "",
		"redis_version:10.0.0\r\n":                                 "",
		"redis_version:6.0.16\r\nmaxmemory_policy:noeviction\r\n":  "6.0.16",
		"redis_version:7.2.4\r\nmaxmemory_policy:allkeys-lru\r\n":  "allkeys-lru",
		"redis_version:5.0.7\r\nmaxmemory_policy:volatile-ttl\r\n": "5.0.7 volatile-ttl",
		"# Clients\nconnected_clients:1\r\n":                       "",
	} {
		got := unfit(info)
		if len(got) != len(strings.Fields(want)) {
			t.Errorf("%q: %q", info, got)
		}
		for i, part := range strings.Fields(want) {
			if i < len(got) && !strings.Contains(got[i], part) {
				t.Errorf("%q: %q lacks %s", info, got[i], part)
			}
		}
	}
}
