package sample

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/models/ids"
)

// Pipeline is a simulated media platform: it charges jobs for the sample's customers and runs workers that
// claim them, all through the HTTP API.
type Pipeline struct {
	// URL is the API's address, Key an API key with jobs:write and jobs:work.
	URL, Key string
	Log      *slog.Logger
	// Fresh charges a first batch at once, so that there is something to see within two minutes.
	Fresh bool
}

const (
	workers   = 6
	newJobs   = 7 * time.Second
	claimWait = 10
)

// Run works until ctx ends. That the API is not there yet, or for a while, is no error.
func (p Pipeline) Run(ctx context.Context) error {
	api := newClient(p.URL, p.Key)
	if err := api.ready(ctx); err != nil {
		return nil //nolint:nilerr // ctx ended before the server was up
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { p.customers(ctx, api); return nil })
	for n := range workers {
		group.Go(func() error { p.worker(ctx, api, fmt.Sprintf("sim-%d", n+1)); return nil })
	}
	return group.Wait()
}

// customers charges jobs: a first batch with every scene, then one every few seconds.
func (p Pipeline) customers(ctx context.Context, api *client) {
	if p.Fresh {
		for i := 0; i < 3; i++ {
			for _, s := range scenes() {
				p.charge(ctx, api, s.name)
			}
		}
	}
	ticker := time.NewTicker(newJobs)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		p.charge(ctx, api, pickScene())
	}
}

// work is one kind of job the customers order.
type work struct {
	action        string
	least, spread int64
	dependency    string
}

func works() []work {
	return []work{
		{"video_render", 15, 120, "render-farm"},
		{"transcription", 2, 40, "speech-api"},
		{"image_generation", 1, 8, "image-model"},
		{"video_upscale", 120, 900, "render-farm"},
	}
}

func (p Pipeline) charge(ctx context.Context, api *client, scene string) {
	list := customers()
	c, w := list[rand.N(len(list))], works()[rand.N(len(works()))]
	id := "job-" + ids.New()[24:]
	body := map[string]any{"job_id": id, "action": w.action, "units": w.least + rand.N(w.spread), "dependency": w.dependency,
		"payload": map[string]any{"scene": scene, "source": "s3://" + c.id + "/" + id + ".mov", "frames": json.Number("9007199254740993"),
			"callback_token": ids.Secret(12)}}
	status, err := api.post(ctx, "/v1/accounts/"+c.id+"/jobs", "charge-"+id, body, nil)
	switch {
	case err != nil:
		p.quiet(ctx, "the sample could not charge", err)
	case status == 402:
		// A customer who ran out of credits, as happens.
		p.Log.DebugContext(ctx, "the sample's customer has too few credits", "account", c.id)
	case scene == "regretted" && status < 300:
		if _, err := api.post(ctx, "/v1/accounts/"+c.id+"/jobs/"+id+"/cancel", "cancel-"+id, map[string]any{"reason": "The customer changed their mind"}, nil); err != nil {
			p.quiet(ctx, "the sample could not cancel", err)
		}
	}
}

// quiet logs a failed call of the pipeline unless it is only ending.
func (p Pipeline) quiet(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		p.Log.DebugContext(ctx, what, "error", err)
	}
}

// claimed is a job as a worker gets it.
type claimed struct {
	AccountID  string `json:"account_id"`
	JobID      string `json:"job_id"`
	Attempt    int    `json:"attempt"`
	LeaseToken string `json:"lease_token"`
	Payload    struct {
		Scene  string `json:"scene"`
		Source string `json:"source"`
	} `json:"payload"`
}

func (p Pipeline) worker(ctx context.Context, api *client, name string) {
	actions := make([]string, 0, len(works()))
	for _, w := range works() {
		actions = append(actions, w.action)
	}
	for ctx.Err() == nil {
		var out struct {
			Result struct{ Jobs []claimed }
		}
		_, err := api.post(ctx, "/v1/jobs/claim", ids.New(), map[string]any{"actions": actions, "max": 1, "wait_s": claimWait,
			"worker": name, "worker_version": "2026.11"}, &out)
		if err != nil {
			p.quiet(ctx, "the sample could not claim", err)
			pause(ctx, time.Second)
			continue
		}
		for _, j := range out.Result.Jobs {
			if err := p.play(ctx, api, j); err != nil {
				p.quiet(ctx, "the sample could not report", err)
			}
		}
	}
}

// pause waits, and reports whether it may go on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
