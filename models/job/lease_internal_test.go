package job

import (
	"encoding/base64"
	"testing"

	"pgregory.net/rapid"

	"recoup/models/fault"
)

func TestLeaseTokenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Service{secret: rapid.SliceOfN(rapid.Byte(), 32, 64).Draw(t, "secret")}
		nonce := rapid.String().Draw(t, "nonce")
		accountKey, jobKey := rapid.Int64Min(1).Draw(t, "account_key"), rapid.Int64Min(1).Draw(t, "job_key")
		attempt := rapid.IntRange(1, 1<<31-1).Draw(t, "attempt")
		l := s.newLease(nonce, accountKey, jobKey, attempt)
		got, err := parseLease(l.token())
		if err != nil || got.accountKey != accountKey || got.jobKey != jobKey || got.attempt != attempt || !got.matches(l.hash()) {
			t.Fatalf("%+v became %+v, %v", l, got, err)
		}
		if again := s.newLease(nonce, accountKey, jobKey, attempt); again.token() != l.token() {
			t.Fatal("the same claim gives another token")
		}
		for name, other := range map[string]lease{
			"nonce":   s.newLease(nonce+"x", accountKey, jobKey, attempt),
			"account": s.newLease(nonce, accountKey-1, jobKey, attempt),
			"job":     s.newLease(nonce, accountKey, jobKey-1, attempt),
			"attempt": s.newLease(nonce, accountKey, jobKey, attempt-1),
			"secret":  (&Service{secret: append([]byte("another"), s.secret...)}).newLease(nonce, accountKey, jobKey, attempt),
		} {
			if other.matches(l.hash()) {
				t.Fatalf("another %s has the same secret", name)
			}
		}
	})
}

func TestTamperedTokenDoesNotMatch(t *testing.T) {
	s := &Service{secret: make([]byte, 32)}
	l := s.newLease("n", 1, 2, 3)
	raw, err := base64.RawURLEncoding.DecodeString(l.token())
	if err != nil {
		t.Fatal(err)
	}
	for bit := range len(raw) * 8 {
		changed := append([]byte(nil), raw...)
		changed[bit/8] ^= 1 << (bit % 8)
		got, err := parseLease(base64.RawURLEncoding.EncodeToString(changed))
		if err != nil {
			if !fault.Is(err, fault.CodeInvalid) {
				t.Fatalf("bit %d: %v", bit, err)
			}
			continue
		}
		same := got.accountKey == 1 && got.jobKey == 2 && got.attempt == 3
		if same && got.matches(l.hash()) {
			t.Fatalf("the token with bit %d flipped still proves its lease", bit)
		}
	}
	for _, token := range []string{"", "x", l.token()[1:], l.token() + "A", l.token() + "====", "ä" + l.token()} {
		if _, err := parseLease(token); !fault.Is(err, fault.CodeInvalid) {
			t.Errorf("%q: %v", token, err)
		}
	}
	if l.matches(nil) {
		t.Error("a lease matches an attempt that was never handed out")
	}
}
