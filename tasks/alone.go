package tasks

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hibiken/asynq"

	"recoup/models/bell"
)

const (
	aloneTick = time.Second
	// aloneAfter is for how many ticks Redis has to be away before a process answers by itself what it would have rung for.
	aloneAfter = 2
)

// errAllTaken ends a batch of bells where no place is left to answer one.
var errAllTaken = errors.New("tasks: every place is taken")

// places answer bells in this process, a few at a time.
type places struct {
	free    chan struct{}
	handler asynq.Handler
	name    string
	queue   string
	limit   time.Duration
}

func newPlaces(n int, handler asynq.Handler, name, queue string, limit time.Duration) places {
	return places{free: make(chan struct{}, n), handler: handler, name: name, queue: queue, limit: limit}
}

// alone answers the bells of the background and of receivers outside while Redis is away, in this process and straight from
// their rows: files, checks and deliveries do not wait for it. As with bells from the queue, a row is taken by one worker,
// whoever answers, and a bell that nobody answered rings again. Jobs need no such thing: the sweeper moves them.
func (r *Runner) alone(ctx context.Context) {
	background := newPlaces(r.o.BackgroundConcurrency, r.backgroundHandler(), taskRun, BackgroundQueue, longest)
	var webhooks places
	if r.o.Webhooks != nil {
		webhooks = newPlaces(webhookConcurrency, r.webhookHandler(), webhookDeliver, WebhookQueue, webhookTimeout)
	}
	health := &condition{log: r.o.Log, broken: "what Redis would ring for cannot be read", ok: "what Redis would ring for is read again"}
	var answering sync.WaitGroup
	defer answering.Wait()
	for away := 0; sleep(ctx, aloneTick) == nil; {
		if r.o.Relay.Status().RedisOK {
			away = 0
			continue
		}
		if away++; away < aloneAfter {
			continue
		}
		_, err := r.tasks.Ring(ctx, relayBatch, r.answerHere(ctx, background, &answering))
		if webhooks.handler != nil && (err == nil || errors.Is(err, errAllTaken)) {
			_, err = r.o.Relay.ringWebhooks(ctx, relayBatch, r.answerHere(ctx, webhooks, &answering))
		}
		if errors.Is(err, errAllTaken) {
			err = nil
		}
		if ctx.Err() == nil {
			health.set(ctx, err)
		}
	}
}

// answerHere takes a bell where a place is free and answers it beside the others. base is the context of the handlers.
func (r *Runner) answerHere(base context.Context, p places, answering *sync.WaitGroup) func(context.Context, bell.Bell) error {
	return func(_ context.Context, b bell.Bell) error {
		t, _, err := bellTask(p.name, p.queue, b, p.limit)
		if err != nil {
			return err
		}
		select {
		case p.free <- struct{}{}:
		default:
			return errAllTaken
		}
		answering.Go(func() {
			defer func() { <-p.free }()
			ctx, cancel := context.WithTimeout(base, p.limit)
			defer cancel()
			if err := p.handler.ProcessTask(ctx, t); err != nil && base.Err() == nil {
				r.failed(ctx, t, err)
			}
		})
		return nil
	}
}
