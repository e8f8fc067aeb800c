package api

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
)

// MIMEProblem is the media type of an error answer (RFC 9457).
const MIMEProblem = "application/problem+json"

// problemType begins the type of every problem; the code follows.
const problemType = "urn:recoup:problem:"

// Status returns the HTTP status of a fault.
func Status(f *fault.Error) int {
	// The first request of this operation is at work: the state is in conflict, if only for a
	// moment, and clients take 503 for an outage.
	if f.Code == fault.CodeOperationInProgress {
		return http.StatusConflict
	}
	switch f.Kind {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.Mismatch:
		return http.StatusUnprocessableEntity
	case fault.Payment:
		return http.StatusPaymentRequired
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Busy:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// WriteProblem answers with a problem document: type, title, status, detail, code, request_id, then
// fields where there are any, then the fault's own facts (balance, cost, state, …) in alphabetical
// order. A fact cannot take the name of a standard member; such a fact is left out.
func WriteProblem(c echo.Context, status int, f *fault.Error) error {
	body, err := problem(status, f, reqctx.RequestID(c.Request().Context()))
	if err != nil {
		return err
	}
	SetHeaders(c.Response().Header(), status, f)
	if c.Request().Method == http.MethodHead {
		c.Response().Header().Set(echo.HeaderContentType, MIMEProblem)
		return c.NoContent(status)
	}
	return c.Blob(status, MIMEProblem, body)
}

// SetHeaders sets what belongs to a refusal whatever the form of its body: WWW-Authenticate with
// 401, Retry-After where it is worth trying again.
func SetHeaders(h http.Header, status int, f *fault.Error) {
	if status == http.StatusUnauthorized {
		h.Set(echo.HeaderWWWAuthenticate, `Bearer realm="recoup"`)
	}
	wait := f.RetryAfter
	if wait <= 0 && (f.Kind == fault.Busy || f.Code == fault.CodeOperationInProgress) {
		wait = time.Second
	}
	if wait > 0 {
		h.Set(echo.HeaderRetryAfter, itoa(int64((wait+time.Second-1)/time.Second)))
	}
}

func problem(status int, f *fault.Error, requestID string) ([]byte, error) {
	return withFacts(f, "type", problemType+f.Code, "title", title(f.Code), "status", status, "detail", f.Message, "code", f.Code, "request_id", requestID)
}

// withFacts is a JSON object of alternating names and values, followed by the fault's fields and facts. No fact takes the
// place of a member that is there.
func withFacts(f *fault.Error, members ...any) ([]byte, error) {
	taken := map[string]bool{"fields": true, "instance": true}
	for i := 0; i < len(members); i += 2 {
		if name, ok := members[i].(string); ok {
			taken[name] = true
		}
	}
	if len(f.Fields) > 0 {
		members = append(members, "fields", f.Fields)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Detail)) {
		if !taken[name] {
			members = append(members, name, f.Detail[name])
		}
	}

	var b bytes.Buffer
	// A fault may repeat what the sender wrote: a stray byte must not cost the answer.
	e := jsontext.NewEncoder(&b, jsontext.AllowInvalidUTF8(true))
	err := e.WriteToken(jsontext.BeginObject)
	for _, m := range members {
		if err == nil {
			err = json.MarshalEncode(e, m, json.Deterministic(true))
		}
	}
	if err == nil {
		err = e.WriteToken(jsontext.EndObject)
	}
	if err != nil {
		return nil, fmt.Errorf("refusal %s: %w", f.Code, err)
	}
	return b.Bytes(), nil
}

// title makes "Insufficient credits" of insufficient_credits: the same words for the same code.
func title(code string) string {
	s := strings.ReplaceAll(code, "_", " ")
	if s == "" {
		return "Error"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
