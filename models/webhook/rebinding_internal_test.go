package webhook

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// names answers questions of a resolver: each look-up of an IPv4 address gets the next of some answers, the last for good.
type names struct {
	mu      sync.Mutex
	answers [][]string
	asked   int
}

// resolver asks these names and nobody else.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go n.serve(theirs)
		return ours, nil
	}}
}

// serve answers as a server of the DNS does over a stream: each message has its length before it.
func (n *names) serve(c net.Conn) {
	defer c.Close()
	for {
		size := make([]byte, 2)
		if _, err := io.ReadFull(c, size); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size))
		if _, err := io.ReadFull(c, question); err != nil {
			return
		}
		answer := n.answer(question)
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil { //nolint:gosec // some dozen bytes
			return
		}
	}
}

// answer is the answer to a question: a header of twelve bytes, the question again, the addresses.
func (n *names) answer(question []byte) []byte {
	const header, typeA = 12, 1
	end := header
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5 // the name's last byte, type and class
	out := append([]byte{}, question[:end]...)
	out[2], out[3] = 0x81, 0x80 // an answer without error
	clear(out[6:header])
	if binary.BigEndian.Uint16(question[end-4:]) != typeA {
		return out
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	addresses := n.answers[min(n.asked, len(n.answers)-1)]
	n.asked++
	binary.BigEndian.PutUint16(out[6:], uint16(len(addresses))) //nolint:gosec // two at most
	for _, a := range addresses {
		out = append(out, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4) // of the name above, for no time at all
		out = append(out, netip.MustParseAddr(a).AsSlice()...)
	}
	return out
}

// errWouldCall stands for a connection to a public address: none leaves this test.
var errWouldCall = errors.New("would be called")

// A name that leads to a public address when it is asked for first and inside when it is called gains nothing: each
// connection is judged by the address that it goes to.
func TestANameThatChangesItsAddressIsRefused(t *testing.T) {
	var called atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	t.Cleanup(inside.Close)
	port := inside.URL[strings.LastIndex(inside.URL, ":"):]
	const public = "93.184.216.34"
	send := func(n *names, url string, allowed ...netip.Prefix) (answer, []string) {
		t.Helper()
		s := NewSender(allowed)
		s.dialer.Resolver = n.resolver(t)
		judge := s.dialer.ControlContext
		var mu sync.Mutex
		var passed []string
		s.dialer.ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
			if err := judge(ctx, network, address, c); err != nil {
				return err
			}
			host, _, _ := net.SplitHostPort(address) //nolint:errcheck // it is one
			mu.Lock()
			defer mu.Unlock()
			passed = append(passed, host)
			if host == public {
				return errWouldCall
			}
			return nil
		}
		return s.post(context.Background(), url, http.Header{}, []byte("{}")), passed
	}
	for name, c := range map[string]struct {
		answers [][]string
		// judged is what passes, said what the last try says: of two addresses the one that the dialer asks for first.
		judged, said string
	}{
		"public, then inside":           {[][]string{{public}, {"127.0.0.1"}}, "", "private or reserved"},
		"public and inside at once":     {[][]string{{public, "127.0.0.1"}}, public, ""},
		"inside and public at once":     {[][]string{{"127.0.0.1", public}}, public, ""},
		"inside, written as the host's": {[][]string{{"0.0.0.0"}}, "", "private or reserved"},
		"the cloud's own":               {[][]string{{"169.254.169.254"}}, "", "private or reserved"},
	} {
		t.Run(name, func(t *testing.T) {
			n := &names{answers: c.answers}
			url := "https://rebind.example" + port + "/"
			for i := range c.answers[:len(c.answers)-1] {
				if a, passed := send(n, url); !strings.Contains(a.err, errWouldCall.Error()) || len(passed) != 1 {
					t.Fatalf("look-up %d: %+v, %v passed", i, a, passed)
				}
			}
			a, passed := send(n, url)
			if a.err == "" || !strings.Contains(a.err, c.said) || strings.Join(passed, " ") != c.judged || called.Load() != 0 {
				t.Errorf("%+v, %v passed, %d calls", a, passed, called.Load())
			}
		})
	}
	// The same name, called by an installation that allows it: what refuses is the judgement and nothing else.
	n := &names{answers: [][]string{{"127.0.0.1"}}}
	if a, passed := send(n, "http://rebind.example"+port+"/", netip.MustParsePrefix("127.0.0.0/8")); !a.ok() || len(passed) != 1 || called.Load() != 1 || n.asked != 1 {
		t.Errorf("%+v, %v passed, %d calls, %d look-ups", a, passed, called.Load(), n.asked)
	}
	// A name that leads nowhere says so.
	if a, _ := send(&names{answers: [][]string{nil}}, "https://rebind.example/"); !strings.Contains(a.err, "leads nowhere") || a.took > tryTime+time.Second {
		t.Errorf("%+v", a)
	}
}
