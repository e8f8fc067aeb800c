package route

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/staff"
)

// Authenticator finds out who sends a request. Neither method looks at permissions.
type Authenticator interface {
	// Person returns whoever is signed in, from the session cookie. Fault: Unauthenticated when
	// nobody is. It may note the person's locale with reqctx.SetLocale.
	Person(c echo.Context) (staff.Principal, error)
	// Program returns the owner of an API key. Fault: Unauthenticated when the key is unknown,
	// revoked or expired.
	Program(ctx context.Context, token string) (staff.Principal, error)
	// Refused is told of a principal without the permission that a request needs, so that the audit
	// log has it. object is the method and path of the route, with the values of its parameters.
	Refused(ctx context.Context, who staff.Principal, p staff.Permission, object string) error
}

const principalKey = "recoup:principal"

// SetPrincipal notes who was let in. web calls it; tests of handlers may.
func SetPrincipal(c echo.Context, p staff.Principal) { c.Set(principalKey, p) }

// Principal returns who was let in; nil on a public route.
func Principal(c echo.Context) staff.Principal {
	p, _ := c.Get(principalKey).(staff.Principal)
	return p
}

// Bearer returns the token of an Authorization header, "" when there is none of that scheme.
func Bearer(header string) string {
	scheme, token, found := strings.Cut(header, " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.Trim(token, " ")
}

// Param returns a parameter of the path, decoded exactly once. Echo matches on the raw path and
// passes on what it found there: encoded when the URL has a raw form, decoded when it has not. The
// Invalid fault names the parameter: a bad escape, invalid UTF-8 or a NUL character.
func Param(c echo.Context, name string) (string, error) {
	value := c.Param(name)
	if c.Request().URL.RawPath != "" {
		decoded, err := url.PathUnescape(value)
		if err != nil {
			return "", fault.InvalidField(name, "is not well-formed in the path")
		}
		value = decoded
	}
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return "", fault.InvalidField(name, "must be UTF-8 without NUL characters")
	}
	return value, nil
}
