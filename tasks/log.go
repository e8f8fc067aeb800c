package tasks

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// queueLog writes what asynq says of itself. asynq repeats an error every second while Redis is away:
// the relay says that once, so then it is only for debugging.
type queueLog struct {
	log   *slog.Logger
	relay *Relay
}

func (l queueLog) write(level slog.Level, args []any) {
	if level > slog.LevelDebug {
		if !l.relay.Status().RedisOK {
			level = slog.LevelDebug
		}
		l.relay.suspect()
	}
	l.log.Log(context.Background(), level, "queue: "+fmt.Sprint(args...))
}

// Debug implements asynq.Logger.
func (l queueLog) Debug(args ...any) { l.write(slog.LevelDebug, args) }

// Info implements asynq.Logger. What asynq tells at start and end says nothing to an operator.
func (l queueLog) Info(args ...any) { l.write(slog.LevelDebug, args) }

// Warn implements asynq.Logger.
func (l queueLog) Warn(args ...any) { l.write(slog.LevelWarn, args) }

// Error implements asynq.Logger. It is a warning: no job depends on the queue.
func (l queueLog) Error(args ...any) { l.write(slog.LevelWarn, args) }

// Fatal implements asynq.Logger. It does not end the process: the sweeper works without the queue.
func (l queueLog) Fatal(args ...any) { l.write(slog.LevelError, args) }

// driverLog takes what the Redis driver would write to stderr by itself.
type driverLog struct{ log *slog.Logger }

// Printf implements the driver's logger.
func (l driverLog) Printf(ctx context.Context, format string, args ...any) {
	l.log.DebugContext(ctx, "redis driver: "+fmt.Sprintf(format, args...))
}

// condition is something that works or does not; only a change of it is worth a line in the log.
type condition struct {
	log         *slog.Logger
	broken, ok  string // the messages
	mu          sync.Mutex
	isBroken    bool
	brokenCount int
}

// set notes how it went and returns whether that is a change.
func (c *condition) set(ctx context.Context, err error) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && !c.isBroken:
		c.isBroken, c.brokenCount = true, 1
		c.log.WarnContext(ctx, c.broken, "error", err)
		return true
	case err != nil:
		c.brokenCount++
	case c.isBroken:
		c.isBroken = false
		c.log.InfoContext(ctx, c.ok, "failed_tries", c.brokenCount)
		return true
	}
	return false
}
