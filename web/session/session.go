// Package session says who sends a request: a person by the session cookie, a program by its API key.
package session

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
	"recoup/models/staff"
)

// CookieName is the session cookie. The prefix makes browsers insist on Secure and Path=/; over plain
// HTTP (development) they would refuse it, so the name changes with the scheme.
func CookieName(secure bool) string {
	if secure {
		return "__Host-recoup"
	}
	return "recoup"
}

// Authenticator implements route.Authenticator over models/staff.
type Authenticator struct {
	staff  *staff.Service
	secure bool
}

// New makes an Authenticator. secure says whether cookies are only for HTTPS.
func New(s *staff.Service, secure bool) *Authenticator {
	return &Authenticator{staff: s, secure: secure}
}

// Person returns whoever the session cookie belongs to and notes the person's locale. Fault:
// Unauthenticated.
func (a *Authenticator) Person(c echo.Context) (staff.Principal, error) {
	cookie, err := c.Cookie(CookieName(a.secure))
	if err != nil || cookie.Value == "" {
		return nil, fault.New(fault.Unauthenticated, fault.CodeUnauthenticated, "Nobody is signed in.")
	}
	ctx := c.Request().Context()
	in, err := a.staff.SessionByToken(ctx, cookie.Value)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(in.Person.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	reqctx.SetLocale(ctx, reqctx.Locale{Lang: in.Person.Language, Zone: zone})
	return in.Person, nil
}

// Program returns the owner of an API key. Fault: Unauthenticated.
func (a *Authenticator) Program(ctx context.Context, token string) (staff.Principal, error) {
	key, err := a.staff.KeyByToken(ctx, token)
	if err != nil {
		return nil, err
	}
	return key, nil
}

// Refused records a lack of permission in the audit log.
func (a *Authenticator) Refused(ctx context.Context, who staff.Principal, p staff.Permission, object string) error {
	return a.staff.RecordRefusal(ctx, who.Actor(), p, object, reqctx.RequestID(ctx))
}

// Start gives the browser a session's token.
func (a *Authenticator) Start(c echo.Context, in staff.SignedIn) {
	c.SetCookie(a.cookie(in.Token, in.ExpiresAt))
}

// End takes the token from the browser.
func (a *Authenticator) End(c echo.Context) { c.SetCookie(a.cookie("", time.Unix(1, 0))) }

// Token is the request's session token, "" when it has none.
func (a *Authenticator) Token(c echo.Context) string {
	cookie, err := c.Cookie(CookieName(a.secure))
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (a *Authenticator) cookie(value string, expires time.Time) *http.Cookie {
	return &http.Cookie{Name: CookieName(a.secure), Value: value, Path: "/", Expires: expires,
		HttpOnly: true, Secure: a.secure, SameSite: http.SameSiteLaxMode}
}
