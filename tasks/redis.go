package tasks

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"recoup/models/ids"
	"recoup/models/outbox"
)

// Keys of ours beside asynq's; the braces keep them together in a cluster.
const (
	// markerKey exists while Redis holds every call that was moved to it. Where it is missing, Redis is
	// new, was flushed, or came back empty.
	markerKey = "{recoup}:marker"
	// restoringKey is held by the process that owes the calls again, so that not all of them do.
	restoringKey = "{recoup}:restoring"
	restoringFor = 15 * time.Second
	probeKey     = "{recoup}:probe"
)

// A restore counts only if Redis kept what it was given from beginning to end: whoever loses
// restoringKey lost the calls too. Keys: restoringKey, markerKey. Arguments: token, milliseconds.
const (
	renewScript   = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`
	finishScript  = `if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("SET", KEYS[2], "1") return redis.call("DEL", KEYS[1]) end return 0`
	releaseScript = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
)

// check asks Redis whether it is there and still holds the marker.
func (r *Relay) check(ctx context.Context) (lost bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	// A Redis that is full or read-only still answers questions: only a write shows that it takes calls.
	if err := r.client.Set(ctx, probeKey, "1", time.Hour).Err(); err != nil {
		return false, redisError{err}
	}
	there, err := r.client.Exists(ctx, markerKey).Result()
	if err != nil {
		return false, redisError{err}
	}
	if !r.redisOK.Swap(true) {
		r.redis.set(ctx, nil)
		r.inspect(ctx)
	}
	if there == 1 {
		r.knewMarker = true
	}
	return there == 0, nil
}

// restore owes the calls of all jobs that await a retry again, at a bounded rate, and moves them, then
// sets the marker. When another process is at it, it does nothing.
func (r *Relay) restore(ctx context.Context) (err error) {
	token := ids.New()
	_, err = r.client.SetArgs(ctx, restoringKey, token, redis.SetArgs{Mode: "NX", TTL: restoringFor}).Result()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil {
		return redisError{err}
	}
	if r.knewMarker {
		r.log.WarnContext(ctx, "Redis lost what it held: wake-up calls are owed again")
	}
	r.knewMarker = true
	defer func() {
		if err != nil {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			// Best effort: the key ends by itself.
			r.client.Eval(ctx, releaseScript, []string{restoringKey}, token)
		}
	}()
	// asynq's client remembers that it made the queue known, which Redis forgot.
	r.queue = asynq.NewClientFromRedisClient(r.client)

	total := 0
	for position := (*outbox.Position)(nil); ; {
		began := time.Now()
		next, owed, err := r.outbox.Owe(ctx, position, restoreBatch)
		if err != nil {
			return err
		}
		if next == nil {
			break
		}
		position, total = next, total+owed
		if err := r.move(ctx); err != nil {
			return err
		}
		if err := r.hold(ctx, renewScript, token, restoringFor.Milliseconds()); err != nil {
			return err
		}
		if err := sleep(ctx, time.Duration(owed)*time.Second/time.Duration(r.restoreRate)-time.Since(began)); err != nil {
			return err
		}
	}
	if err := r.hold(ctx, finishScript, token); err != nil {
		return err
	}
	if total > 0 {
		r.log.InfoContext(ctx, "wake-up calls are in Redis again", "calls", total)
	}
	return nil
}

// hold runs a script that begins by looking whether restoringKey still is ours.
func (r *Relay) hold(ctx context.Context, script string, args ...any) error {
	n, err := r.client.Eval(ctx, script, []string{restoringKey, markerKey}, args...).Int()
	if err != nil {
		return redisError{err}
	}
	if n != 1 {
		return errLostAgain
	}
	return nil
}

var errLostAgain = errors.New("Redis lost its data while wake-up calls were restored")

// sleep waits for d, or returns ctx's error when that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var (
	infoVersion = regexp.MustCompile(`(?m)^redis_version:(\d+)\.(\d+)(\S*)`)
	infoPolicy  = regexp.MustCompile(`(?m)^maxmemory_policy:(\S+)`)
)

// inspect says clearly when this Redis is not fit for the queue. One that does not tell about itself
// (not every service does) is taken as it is.
func (r *Relay) inspect(ctx context.Context) {
	info, err := r.client.Info(ctx).Result()
	if err != nil {
		return
	}
	for _, complaint := range unfit(info) {
		r.log.ErrorContext(ctx, complaint)
	}
}

// unfit lists what is wrong with the Redis whose INFO this is.
func unfit(info string) []string {
	var all []string
	if m := infoVersion.FindStringSubmatch(info); m != nil {
		major, _ := strconv.Atoi(m[1]) // digits
		minor, _ := strconv.Atoi(m[2])
		if major < 6 || major == 6 && minor < 2 {
			all = append(all, fmt.Sprintf("Redis is version %s.%s%s: the queue needs 6.2 or newer and fails in part without it", m[1], m[2], m[3]))
		}
	}
	if m := infoPolicy.FindStringSubmatch(info); m != nil && m[1] != "noeviction" {
		all = append(all, fmt.Sprintf("Redis has maxmemory-policy %s: it may throw wake-up calls away; set it to noeviction", m[1]))
	}
	return all
}
