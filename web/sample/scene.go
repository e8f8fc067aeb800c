package sample

import (
	"context"
	"math/rand/v2"
	"time"
)

// scene is how a simulated job goes. The platforms that Recoup is for know all of them.
type scene struct {
	name string
	// weight is how often it is picked among later jobs.
	weight int
	// says names the error where the scene has one.
	class, code, message string
}

func scenes() []scene {
	return []scene{
		{name: "smooth", weight: 10},
		{name: "flaky", weight: 3, class: "transient", code: "worker_oom", message: "The worker ran out of memory at frame 1,204."},
		{name: "throttled", weight: 2, class: "throttled", code: "rate_limited", message: "The speech API answered 429: quota of this minute used up."},
		// Silent past its lease, refunded, and delivered after all.
		{name: "late", weight: 2},
		{name: "broken", weight: 1, class: "permanent", code: "unsupported_codec", message: "Codec av1 with 4:4:4 chroma is not supported by the render farm."},
		{name: "stubborn", weight: 1, class: "transient", code: "gpu_lost", message: "GPU fell off the bus (Xid 79) on host render-17."},
		// Given up as dead, and delivered after all.
		{name: "phantom", weight: 1, class: "permanent", code: "storage_timeout", message: "Upload to storage did not answer within 30 s."},
		{name: "regretted", weight: 1},
	}
}

func pickScene() string {
	total := 0
	for _, s := range scenes() {
		total += s.weight
	}
	n := rand.N(total)
	for _, s := range scenes() {
		if n -= s.weight; n < 0 {
			return s.name
		}
	}
	return "smooth"
}

func sceneOf(name string) scene {
	for _, s := range scenes() {
		if s.name == name {
			return s
		}
	}
	return scenes()[0]
}

// lateBy is how long a late delivery stays silent: longer than development's lease.
const lateBy = 12 * time.Second

// play acts one attempt out.
func (p Pipeline) play(ctx context.Context, api *client, j claimed) error {
	s := sceneOf(j.Payload.Scene)
	switch s.name {
	case "flaky", "throttled":
		if j.Attempt == 1 {
			pause(ctx, time.Second+rand.N(2*time.Second))
			return p.fail(ctx, api, j, s)
		}
	case "stubborn":
		pause(ctx, time.Second+rand.N(time.Second))
		return p.fail(ctx, api, j, s)
	case "broken":
		pause(ctx, time.Second)
		return p.fail(ctx, api, j, s)
	case "phantom":
		pause(ctx, time.Second)
		if err := p.fail(ctx, api, j, s); err != nil {
			return err
		}
		p.later(ctx, api, j)
		return nil
	case "late":
		if j.Attempt == 1 {
			p.later(ctx, api, j)
			return nil
		}
	}
	for range 2 + rand.N(3) {
		if !pause(ctx, time.Second+rand.N(time.Second)) {
			return nil
		}
		goOn, err := p.beat(ctx, api, j)
		if err != nil || !goOn {
			return err
		}
	}
	return p.complete(ctx, api, j)
}

// later completes after the lease is over, while the worker is free for other jobs.
func (p Pipeline) later(ctx context.Context, api *client, j claimed) {
	go func() {
		if !pause(ctx, lateBy+rand.N(6*time.Second)) {
			return
		}
		if err := p.complete(ctx, api, j); err != nil {
			p.quiet(ctx, "the sample could not deliver late", err)
		}
	}()
}

func (p Pipeline) beat(ctx context.Context, api *client, j claimed) (goOn bool, err error) {
	var out struct{ Continue bool }
	_, err = api.post(ctx, "/v1/jobs/heartbeat", "", map[string]any{"lease_token": j.LeaseToken}, &out)
	return out.Continue, err
}

func (p Pipeline) complete(ctx context.Context, api *client, j claimed) error {
	_, err := api.post(ctx, "/v1/jobs/complete", operationID("complete", j), map[string]any{"lease_token": j.LeaseToken, "result": j.Payload.Source + ".out"}, nil)
	return err
}

func (p Pipeline) fail(ctx context.Context, api *client, j claimed, s scene) error {
	_, err := api.post(ctx, "/v1/jobs/fail", operationID("fail", j), map[string]any{"lease_token": j.LeaseToken, "class": s.class, "code": s.code, "message": s.message}, nil)
	return err
}
