package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"recoup/models/modeltest"
)

const claimWaiting = `{"actions":["` + modeltest.Action + `"],"max":2,"wait_s":`

// A claim that waits gets the job that is charged meanwhile, well before it would have looked again.
func TestClaimWaitsForWork(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	got := make(chan response, 1)
	go func() {
		got <- w.sendOnly(t.Context(), request{method: http.MethodPost, path: "/v1/jobs/claim", body: claimWaiting + `20}`})
	}()
	time.Sleep(150 * time.Millisecond)
	select {
	case res := <-got:
		t.Fatalf("did not wait: %d %s", res.status, res.body)
	default:
	}
	w.charge("a", "j1", 1, "")
	start := time.Now()
	select {
	case res := <-got:
		res.want(200).has("outcome", "applied", "result.jobs.0.job_id", "j1")
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("the claim noticed after %s", took)
		}
	case <-time.After(15 * time.Second):
		t.Fatal("the claim did not notice the job")
	}
}

// Work that comes without a word, as through another process, is found by looking.
func TestClaimLooksByItself(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	other := modeltest.New(t, w.g, modeltest.Fast())
	got := make(chan response, 1)
	go func() {
		got <- w.sendOnly(t.Context(), request{method: http.MethodPost, path: "/v1/jobs/claim", body: claimWaiting + `20}`})
	}()
	time.Sleep(100 * time.Millisecond)
	other.Charge(t, "a", "j1", 1)
	select {
	case res := <-got:
		res.want(200).has("result.jobs.0.job_id", "j1")
	case <-time.After(15 * time.Second):
		t.Fatal("the claim did not find the job")
	}
}

// No work: an empty answer after the wait, and no operation: the same id may claim later.
func TestClaimWithoutWork(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	before := w.contents()
	w.postAs("op", "/v1/jobs/claim", claimWaiting+`0}`).want(200)
	start := time.Now()
	res := w.postAs("op", "/v1/jobs/claim", claimWaiting+`1}`).want(200)
	if got := strings.TrimSpace(string(res.body)); got != `{"outcome":"empty","result":{"jobs":[]}}` {
		t.Errorf("%s", got)
	}
	if took := time.Since(start); took < time.Second || took > 5*time.Second {
		t.Errorf("waited %s, not 1 s", took)
	}
	w.unchanged(before)
	w.charge("a", "j1", 1, "")
	w.postAs("op", "/v1/jobs/claim", claimWaiting+`0}`).want(200).has("outcome", "applied", "result.jobs.0.job_id", "j1")
}

// A worker that went away while it waited takes no job with it.
func TestClaimEndsWithItsClient(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	ctx, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.server.URL+"/v1/jobs/claim", strings.NewReader(claimWaiting+`30}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + w.key}, "Idempotency-Key": {"gone"}, "Content-Type": {"application/json"}}
	if _, err := w.server.Client().Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	time.Sleep(200 * time.Millisecond)
	j := w.charge("a", "j1", 1, "")
	time.Sleep(800 * time.Millisecond)
	w.get(j).want(200).has("job.state", "queued", "job.attempt", "0")
}

// A lost claim is repeated: the same jobs with the same tokens, which still work.
func TestClaimReplayed(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	w.charge("a", "j1", 1, "")
	first := w.postAs("op", "/v1/jobs/claim", claimWaiting+`0}`).want(200)
	w.charge("a", "j2", 1, "")
	again := w.postAs("op", "/v1/jobs/claim", claimWaiting+`5}`).want(200).has("outcome", "replayed", "result.jobs.1", "<nil>")
	if again.result() != first.result() {
		t.Errorf("%s\nfirst: %s", again.body, first.body)
	}
	w.post("/v1/jobs/complete", `{"lease_token":"`+again.at("result.jobs.0.lease_token").(string)+`"}`).want(200).has("result.outcome", "applied")
	w.postAs("op", "/v1/jobs/claim", `{"actions":["`+modeltest.Action+`"],"max":1}`).want(422).has("fields.0.field", "max")
}

// The claim's route leaves room for its wait and ends when the server does.
func TestClaimRoute(t *testing.T) {
	for _, r := range newWorld(t).api.Routes() {
		if r.Name == "api.work.claim" && (r.Timeout <= 30*time.Second || !r.EndsOnShutdown) {
			t.Errorf("%+v", r)
		}
	}
}
