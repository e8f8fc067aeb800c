package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
	"recoup/models/ids"
)

// HeaderIdempotencyKey carries the operation id of a request.
const HeaderIdempotencyKey = "Idempotency-Key"

// OperationID returns the operation id of a request and notes it in the request's context. Its
// Invalid fault names the header: missing, repeated, or not 1–255 visible ASCII characters.
func OperationID(c echo.Context) (string, error) {
	id, err := ParseOperationID(c.Request().Header)
	if err != nil {
		return "", err
	}
	reqctx.SetOperationID(c.Request().Context(), id)
	return id, nil
}

// ParseOperationID reads the operation id from the header. The quoted form of the IETF draft (a
// structured-field string) and the bare form name the same operation: "k1" and k1. The length counts
// without quotes and escapes; an id is never cut.
func ParseOperationID(h http.Header) (string, error) {
	values := h.Values(HeaderIdempotencyKey)
	switch {
	case len(values) == 0:
		return "", fault.InvalidField(HeaderIdempotencyKey, "is required")
	case len(values) > 1:
		return "", fault.InvalidField(HeaderIdempotencyKey, "must be given once")
	}
	id := strings.Trim(values[0], " \t")
	if strings.HasPrefix(id, `"`) {
		var ok bool
		if id, ok = unquote(id); !ok {
			return "", fault.InvalidField(HeaderIdempotencyKey, `begins with a quote and is not a quoted string such as "k1"`)
		}
	}
	if err := ids.CheckOperationID(id); err != nil {
		return "", fault.InvalidField(HeaderIdempotencyKey, "%s", err)
	}
	return id, nil
}

// unquote reads a structured-field string (RFC 9651, 3.3.3) without parameters. Inside the quotes
// only \" and \\ are escapes.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' {
		return "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), i == len(s)-1
		case '\\':
			i++
			if i == len(s) || (s[i] != '"' && s[i] != '\\') {
				return "", false
			}
		}
		b.WriteByte(s[i])
	}
	return "", false
}
