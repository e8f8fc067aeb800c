package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
)

func TestParseOperationID(t *testing.T) {
	max := strings.Repeat("k", 255)
	for _, c := range []struct{ in, want string }{
		{"k1", "k1"}, {`"k1"`, "k1"}, {"  k1\t", "k1"}, {max, max}, {`"` + max + `"`, max},
		{`"a\"b\\c"`, `a"b\c`}, {`a"b`, `a"b`}, {"a,b;c=1", "a,b;c=1"}, {"ordre/%2F", "ordre/%2F"}, {"!~", "!~"},
	} {
		got, err := ParseOperationID(http.Header{HeaderIdempotencyKey: {c.in}})
		if err != nil || got != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{
		"", " ", `""`, `"`, `"k1`, `"k"1`, `"k1"; p=1`, `"a\b"`, `"a\`, "a b", `"a b"`, "a\x00", "a\x7f", "ключ", "a\tb",
		max + "k", `"` + max + `k"`, strings.Repeat("k", 450),
	} {
		_, err := ParseOperationID(http.Header{HeaderIdempotencyKey: {in}})
		if f := fault.As(err); f == nil || f.Kind != fault.Invalid || f.Fields[0].Name != HeaderIdempotencyKey {
			t.Errorf("%q: got %v", in, err)
		}
	}
	for name, h := range map[string]http.Header{
		"missing": {}, "twice": {HeaderIdempotencyKey: {"a", "b"}}, "twice the same": {HeaderIdempotencyKey: {"a", "a"}},
	} {
		if _, err := ParseOperationID(h); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestOperationIDIsNoted(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r = r.WithContext(reqctx.New(context.Background(), "r1"))
	r.Header.Set(HeaderIdempotencyKey, `"op-1"`)
	id, err := OperationID(echo.New().NewContext(r, httptest.NewRecorder()))
	if err != nil || id != "op-1" || reqctx.Of(r.Context()).OperationID != "op-1" {
		t.Errorf("got %q, %v, noted %+v", id, err, reqctx.Of(r.Context()))
	}
}
