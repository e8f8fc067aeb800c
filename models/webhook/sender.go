package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// tryTime bounds one try, from the name's look-up to the answer.
	tryTime = 15 * time.Second
	// keptAnswer is how much of a receiver's answer is kept for people, in bytes.
	keptAnswer = 1000
)

// Sender makes the calls. It reaches public addresses only, and those that the installation allows: what it is
// told to call is chosen by people in the console, and must not be a way into the network it runs in.
//
// The address is judged where the connection is made, after the name was looked up, so that a name that changes
// its address between two look-ups gains nothing. Redirects are not followed, no proxy is used.
type Sender struct {
	client  *http.Client
	dialer  *net.Dialer
	allowed []netip.Prefix
	refused []netip.Prefix
}

// NewSender makes a Sender that also reaches the allowed networks. Over them plain http is allowed, too.
func NewSender(allowed []netip.Prefix) *Sender {
	s := &Sender{allowed: allowed}
	for _, p := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
		// Everything of IPv6 but what is handed out for the public, and within that the ways back into IPv4.
		"::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		s.refused = append(s.refused, netip.MustParsePrefix(p))
	}
	s.dialer = &net.Dialer{Timeout: 5 * time.Second, ControlContext: func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("webhook: address %q: %w", address, err)
		}
		if plain, _ := ctx.Value(plainHTTP{}).(bool); !s.may(to.Addr(), plain) {
			return errAddress
		}
		return nil
	}}
	s.client = &http.Client{
		Transport: &http.Transport{DialContext: s.dialer.DialContext, TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: tryTime,
			MaxResponseHeaderBytes: 16 << 10, MaxIdleConnsPerHost: lanes, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// plainHTTP marks the context of a call without TLS.
type plainHTTP struct{}

// errAddress tells that a name leads to an address that is not to be called.
var errAddress = errors.New("the address is private or reserved, and this installation does not allow it")

// may reports whether an address may be called.
func (s *Sender) may(a netip.Addr, plain bool) bool {
	a = a.Unmap().WithZone("")
	for _, p := range s.allowed {
		if p.Contains(a) {
			return true
		}
	}
	if plain {
		return false
	}
	for _, p := range s.refused {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// Refuses says what is wrong with a URL, or "" when it can be tried. What a name leads to shows only when it is
// called.
func (s *Sender) Refuses(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || len(raw) > 2000 || strings.ContainsFunc(raw, func(r rune) bool { return r <= 0x20 || r >= 0x7f }):
		return "is not a web address"
	case u.User != nil:
		return "must not hold a name or password"
	case u.Fragment != "":
		return "must not hold a fragment"
	case u.Scheme != "https" && (u.Scheme != "http" || len(s.allowed) == 0):
		return "must begin with https://"
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && !s.may(a, u.Scheme == "http") {
		return "leads to an address that is private or reserved"
	}
	return ""
}

// answer is what came of one call.
type answer struct {
	// status is 0 where none came; err says why, and so do code and about.
	status int
	err    string
	failure
	body     string
	took     time.Duration
	retryIn  time.Duration
	canceled bool
}

// failure is why a try failed: one of the Failed codes with the value that it names, "" where there is none.
type failure struct{ code, about string }

// Why a try failed, as the code of an Attempt.
const (
	// FailedStatus names the HTTP status.
	FailedStatus   = "status"
	FailedRedirect = "redirect"
	// FailedAddress names what is wrong with the address.
	FailedAddress = "address"
	// FailedPrivate: the name leads to an address that this installation does not allow.
	FailedPrivate = "private"
	// FailedSlow names the seconds within which no answer came.
	FailedSlow = "slow"
	// FailedName names the host that leads nowhere.
	FailedName = "name"
	// FailedConnection names what the network said.
	FailedConnection = "connection"
	// FailedSecret: the endpoint's secret cannot be read, so that nothing was sent.
	FailedSecret = "secret"
)

// down reports whether the endpoint takes no calls at the moment, whatever is in them: it did not answer, said that it
// cannot, or asked to be left alone.
func (a answer) down() bool {
	return !a.canceled && (a.status == 0 || a.status >= 500) || a.status == http.StatusTooManyRequests || a.status == http.StatusRequestTimeout
}

func (a answer) ok() bool { return a.status >= 200 && a.status < 300 }

// post sends body to an endpoint.
func (s *Sender) post(ctx context.Context, to string, header http.Header, body []byte) answer {
	if why := s.Refuses(to); why != "" {
		return answer{err: "The address " + why + ".", failure: failure{FailedAddress, why}}
	}
	began := time.Now()
	asked := ctx
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, plainHTTP{}, strings.HasPrefix(to, "http:")), tryTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return answer{err: "The address is not a web address.", failure: failure{FailedAddress, "is not a web address"}}
	}
	req.Header = header
	res, err := s.client.Do(req)
	if err != nil {
		said, why := reason(err)
		return answer{err: said, failure: why, took: time.Since(began), canceled: asked.Err() != nil}
	}
	defer res.Body.Close()
	kept, _ := io.ReadAll(io.LimitReader(res.Body, keptAnswer)) //nolint:errcheck // what came is kept; the status has the say
	a := answer{status: res.StatusCode, body: storable(kept), took: time.Since(began)}
	switch {
	case a.ok():
	case a.status >= 300 && a.status < 400:
		a.err, a.failure = "The receiver sent us elsewhere; redirects are not followed.", failure{FailedRedirect, strconv.Itoa(a.status)}
	default:
		a.err, a.failure = "The receiver answered "+strconv.Itoa(a.status)+".", failure{FailedStatus, strconv.Itoa(a.status)}
	}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		a.retryIn = min(time.Duration(min(seconds, 86400))*time.Second, 24*time.Hour)
	}
	return a
}

// reason words why no answer came. The URL is left out: it may hold a token.
func reason(err error) (string, failure) {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var dns *net.DNSError
	switch {
	case errors.Is(err, errAddress):
		return "It was not called: " + errAddress.Error() + ".", failure{code: FailedPrivate}
	case errors.Is(err, context.DeadlineExceeded):
		return "No answer within " + tryTime.String() + ".", failure{FailedSlow, strconv.Itoa(int(tryTime.Seconds()))}
	case errors.As(err, &dns):
		return "The name " + dns.Name + " leads nowhere.", failure{FailedName, storable([]byte(dns.Name))}
	}
	return "The connection failed: " + err.Error() + ".", failure{FailedConnection, storable([]byte(err.Error()))}
}

// storable is text that the database takes: UTF-8 without NUL.
func storable(b []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), "\uFFFD"), "\x00", "\uFFFD")
}
