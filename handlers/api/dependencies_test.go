package api_test

import (
	"strings"
	"testing"

	"recoup/models/ids"
)

func TestDependencyIsHeldAndReleasedByAProgram(t *testing.T) {
	w := newWorld(t)
	const at = "/v1/dependencies/render-farm"
	if res := w.send(request{method: "GET", path: at}); res.status != 404 || !strings.Contains(string(res.body), "dependency_not_found") {
		t.Errorf("an unknown one: %d %s", res.status, res.body)
	}
	first := request{method: "POST", path: at + "/hold", op: ids.New(), body: `{"reason":"the vendor called"}`}
	if res := w.send(first); res.status != 200 || !strings.Contains(string(res.body), `"passing":"nothing"`) {
		t.Fatalf("hold: %d %s", res.status, res.body)
	}
	if res := w.send(first); res.status != 200 || !strings.Contains(string(res.body), `"replayed"`) {
		t.Errorf("hold again under the same id: %d %s", res.status, res.body)
	}
	if res := w.send(request{method: "POST", path: at + "/hold", op: ids.New(), body: `{"reason":"me too"}`}); res.status != 409 || !strings.Contains(string(res.body), `"held"`) {
		t.Errorf("hold again: %d %s", res.status, res.body)
	}
	if res := w.send(request{method: "GET", path: at}); res.status != 200 || !strings.Contains(string(res.body), `"health":"held"`) || !strings.Contains(string(res.body), "the vendor called") {
		t.Errorf("read: %d %s", res.status, res.body)
	}
	if res := w.send(request{method: "POST", path: at + "/release", op: ids.New(), body: `{"reason":"back","per_minute":0}`}); res.status != 400 || !strings.Contains(string(res.body), "per_minute") {
		t.Errorf("no rate: %d %s", res.status, res.body)
	}
	if res := w.send(request{method: "POST", path: at + "/release", op: ids.New(), body: `{"reason":"back","per_minute":90}`}); res.status != 200 || !strings.Contains(string(res.body), `"per_minute":90`) {
		t.Errorf("release: %d %s", res.status, res.body)
	}
	if res := w.send(request{method: "GET", path: "/v1/dependencies?limit=1"}); res.status != 200 || !strings.Contains(string(res.body), `"health":"releasing"`) {
		t.Errorf("list: %d %s", res.status, res.body)
	}
}
