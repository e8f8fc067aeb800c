package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"

	"recoup/handlers/api"
)

func TestHealth(t *testing.T) {
	w := newWorld(t)
	public := func(path string) response { return w.send(request{method: http.MethodGet, path: path, key: "-"}) }
	public("/healthz").want(200).has("status", "alive")
	public("/readyz").want(200).has("status", "ready", "checks.database", "ok", "checks.queue", "ok")
}

// Without Redis the process is ready and degraded.
func TestReadyWithoutQueue(t *testing.T) {
	w := newWorld(t)
	w.queue = errors.New("connection refused")
	w.send(request{method: http.MethodGet, path: "/readyz", key: "-"}).want(200).has("status", "degraded", "checks.queue", "failing", "checks.database", "ok")
}

// A schema that is behind makes the process unready.
func TestUnreadyWhenSchemaIsBehind(t *testing.T) {
	w := newWorld(t)
	if err := w.g.Exec(`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`).Error; err != nil {
		t.Fatal(err)
	}
	w.send(request{method: http.MethodGet, path: "/readyz", key: "-"}).want(503).has("status", "unavailable", "checks.database", "failing")
}

// The answer is kept for a while; the cause is told to who runs the process and to nobody else.
func TestReadyAsksSeldom(t *testing.T) {
	asked, told := 0, 0
	a := api.New(api.Deps{
		Database: func(context.Context) error { asked++; return errors.New("secret host unreachable") },
		Unready: func(_ context.Context, check string, err error) {
			if check == "database" && err != nil {
				told++
			}
		},
	})
	for _, r := range a.Routes() {
		if r.Path != "/readyz" {
			continue
		}
		for range 3 {
			rec := httptest.NewRecorder()
			if err := r.Handler(echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/readyz", nil), rec)); err != nil {
				t.Fatal(err)
			}
			want := `{"status":"unavailable","checks":{"database":"failing","queue":"unused"}}` + "\n"
			if rec.Code != 503 || rec.Body.String() != want {
				t.Errorf("%d %s", rec.Code, rec.Body)
			}
		}
	}
	if asked != 1 || told != 1 {
		t.Errorf("asked %d times, told %d", asked, told)
	}
}
