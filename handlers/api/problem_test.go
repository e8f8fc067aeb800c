package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
)

func answer(t *testing.T, method string, f *fault.Error) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "/", nil)
	w := httptest.NewRecorder()
	c := echo.New().NewContext(r.WithContext(reqctx.New(context.Background(), "req-1")), w)
	if err := WriteProblem(c, Status(f), f); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestProblemDocument(t *testing.T) {
	f := fault.New(fault.Payment, fault.CodeInsufficientCredits, "The balance does not cover the cost.").
		With("cost", int64(9007199254740993)).With("balance", int64(-3)).With("status", "hidden")
	w := answer(t, http.MethodPost, f)
	want := `{"type":"urn:recoup:problem:insufficient_credits","title":"Insufficient credits","status":402,` +
		`"detail":"The balance does not cover the cost.","code":"insufficient_credits","request_id":"req-1",` +
		`"balance":-3,"cost":9007199254740993}` + "\n"
	if w.Code != 402 || w.Body.String() != want || w.Header().Get("Content-Type") != MIMEProblem {
		t.Errorf("%d %s\n%s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
}

func TestProblemNamesFields(t *testing.T) {
	w := answer(t, http.MethodPost, fault.InvalidField("units", "must be \xff a whole number"))
	want := `{"type":"urn:recoup:problem:invalid_request","title":"Invalid request","status":400,` +
		`"detail":"The request is not valid.","code":"invalid_request","request_id":"req-1",` +
		`"fields":[{"field":"units","message":"must be ` + "\ufffd" + ` a whole number"}]}` + "\n"
	if w.Body.String() != want {
		t.Errorf("got %s\nwant %s", w.Body, want)
	}
}

func TestStatusAndHeaders(t *testing.T) {
	busy := fault.New(fault.Busy, fault.CodeBusy, "x")
	busy.RetryAfter = 1200 * time.Millisecond
	for _, c := range []struct {
		f      *fault.Error
		status int
		retry  string
		auth   string
	}{
		{fault.InvalidField("a", "b"), 400, "", ""},
		{fault.New(fault.Unauthenticated, fault.CodeUnauthenticated, "x"), 401, "", `Bearer realm="recoup"`},
		{fault.New(fault.Payment, fault.CodeInsufficientCredits, "x"), 402, "", ""},
		{fault.New(fault.Forbidden, fault.CodeForbidden, "x"), 403, "", ""},
		{fault.New(fault.NotFound, fault.CodeJobNotFound, "x"), 404, "", ""},
		{fault.State("dead", "x"), 409, "", ""},
		{fault.New(fault.Conflict, fault.CodeOperationInProgress, "x"), 409, "1", ""},
		{fault.New(fault.Busy, fault.CodeOperationInProgress, "x"), 409, "1", ""},
		{fault.New(fault.Mismatch, fault.CodeOperationConflict, "x"), 422, "", ""},
		{fault.New(fault.Busy, fault.CodeBusy, "x"), 503, "1", ""},
		{busy, 503, "2", ""},
		{&fault.Error{Code: "internal_error"}, 500, "", ""},
	} {
		w := answer(t, http.MethodGet, c.f)
		if w.Code != c.status || w.Header().Get("Retry-After") != c.retry || w.Header().Get("WWW-Authenticate") != c.auth {
			t.Errorf("%v: %d retry %q auth %q", c.f, w.Code, w.Header().Get("Retry-After"), w.Header().Get("WWW-Authenticate"))
		}
	}
}

func TestProblemToHead(t *testing.T) {
	w := answer(t, http.MethodHead, fault.New(fault.NotFound, fault.CodeNotFound, "x"))
	if w.Code != 404 || w.Body.Len() != 0 || w.Header().Get("Content-Type") != MIMEProblem {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}
