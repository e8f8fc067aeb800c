package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
)

func ptr[T any](v T) *T { return &v }

func TestChecksAccept(t *testing.T) {
	var v Checks
	got := []any{
		v.Bytes("a", "", 0, 3), v.Bytes("b", "abc", 1, 3), v.Runes("c", "日本語", 1, 3), v.OneOf("d", "x", "w", "x"),
		v.Int("e", ptr(int64(0)), 0, 5), v.IntOr("f", nil, 7, 0, 5), v.IntOr("f", ptr(int64(5)), 7, 0, 5), v.Bool("g", ptr(false)),
		v.CallerID("h", "acct_7"), v.Time("i", ptr(time.Date(2026, 1, 2, 3, 4, 5, 6789, time.FixedZone("", 3600)))).String(),
	}
	v.That(true, "j", "never")
	want := []any{"", "abc", "日本語", "x", int64(0), int64(7), int64(5), false, "acct_7", "2026-01-02 02:04:05.000006 +0000 UTC"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: got %v, want %v", i, got[i], want[i])
		}
	}
	if err := v.Err(); err != nil {
		t.Error(err)
	}
}

func TestChecksRefuseAllAtOnce(t *testing.T) {
	var v Checks
	v.Bytes("bytes", "日本", 1, 5)
	v.Bytes("empty", "", 1, 5)
	v.Runes("runes", "abcd", 1, 3)
	v.Runes("short", "a", 2, 3)
	v.Runes("nul", "a\x00", 1, 3)
	v.Runes("utf8", "a\xff", 1, 3)
	v.OneOf("enum", "y", "w", "x")
	v.OneOf("no enum", "", "w")
	v.Int("int", nil, 0, 5)
	v.Int("low", ptr(int64(-1)), 0, 5)
	v.IntOr("high", ptr(int64(6)), 0, 0, 5)
	v.Bool("bool", nil)
	v.CallerID("id", "..")
	v.CallerID("no id", "")
	v.CallerID("long id", strings.Repeat("a", 65))
	v.Time("time", nil)
	v.Time("early", ptr(time.Time{}))
	v.That(false, "that", "must be so")
	f := fault.As(v.Err())
	if f == nil {
		t.Fatal("nothing refused")
	}
	var names []string
	for _, field := range f.Fields {
		names = append(names, field.Name)
		if field.Message == "" {
			t.Errorf("%s: no message", field.Name)
		}
	}
	want := "bytes empty runes short nul utf8 enum no enum int low high bool id no id long id time early that"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func query(raw string) echo.Context {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL.RawQuery = raw
	return echo.New().NewContext(r, httptest.NewRecorder())
}

func TestParseQuery(t *testing.T) {
	q, err := ParseQuery(query("limit=20&at=2026-11-30T19:00:00%2B09:00&id=a%2Fb%25&empty="), "limit", "at", "id", "empty", "other")
	if err != nil {
		t.Fatal(err)
	}
	n, err := q.Int("limit", 50, 1, 200)
	at, err2 := q.Time("at")
	if n != 20 || err != nil || err2 != nil || at.Format(time.RFC3339) != "2026-11-30T10:00:00Z" || q.Text("id") != "a/b%" || !q.Has("empty") || q.Has("other") {
		t.Errorf("%d %v %v %v %q", n, err, at, err2, q.Text("id"))
	}
	if n, err := q.Int("other", 50, 1, 200); n != 50 || err != nil {
		t.Errorf("fallback: %d %v", n, err)
	}
	if at, err := q.Time("other"); at != nil || err != nil {
		t.Errorf("no time: %v %v", at, err)
	}
	for _, raw := range []string{"limt=1", "limit=1&limit=1", "limit=%zz", "limit=%00", "limit=%ff", "limit=1;id=2"} {
		if _, err := ParseQuery(query(raw), "limit", "id"); fault.As(err) == nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for _, raw := range []string{"limit=0", "limit=201", "limit=1.0", "limit=", "limit=99999999999999999999"} {
		q, err := ParseQuery(query(raw), "limit")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Int("limit", 50, 1, 200); fault.As(err) == nil {
			t.Errorf("%s was accepted", raw)
		}
	}
	for _, raw := range []string{"at=now", "at=2026-11-30", "at=2026-11-30T19:00:00 09:00", "at=0001-01-01T00:00:00Z"} {
		q, err := ParseQuery(query(raw), "at")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Time("at"); fault.As(err) == nil {
			t.Errorf("%s was accepted", raw)
		}
	}
}
