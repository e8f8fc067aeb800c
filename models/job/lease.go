package job

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"math"

	"recoup/models/fault"
)

// lease is what a token proves: who may speak for an attempt.
type lease struct {
	accountKey, jobKey int64
	attempt            int
	secret             []byte
}

const leaseSecretLen = 16

// newLease derives the token's secret from the claim's random nonce and the installation's secret: the
// claim stores the nonce with its result, so a replay hands out the same tokens, while the database
// alone, which knows nonce and hash, cannot.
func (s *Service) newLease(nonce string, accountKey, jobKey int64, attempt int) lease {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write([]byte("recoup-lease-v1\x00"))
	mac.Write([]byte(nonce))
	l := lease{accountKey: accountKey, jobKey: jobKey, attempt: attempt}
	mac.Write(l.name())
	l.secret = mac.Sum(nil)[:leaseSecretLen]
	return l
}

func (l lease) name() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(l.accountKey))
	b = binary.BigEndian.AppendUint64(b, uint64(l.jobKey))
	return binary.BigEndian.AppendUint32(b, uint32(l.attempt))
}

// token is what the worker shows. It names the attempt, so that no index over hashes is needed.
func (l lease) token() string {
	return base64.RawURLEncoding.EncodeToString(append(l.name(), l.secret...))
}

// hash is what is stored.
func (l lease) hash() []byte {
	sum := sha256.Sum256(l.secret)
	return sum[:]
}

// matches compares with a stored hash in constant time.
func (l lease) matches(stored []byte) bool { return subtle.ConstantTimeCompare(l.hash(), stored) == 1 }

func parseLease(token string) (lease, error) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != 20+leaseSecretLen {
		return lease{}, fault.InvalidField("lease_token", "is not a lease token")
	}
	attempt := binary.BigEndian.Uint32(b[16:])
	// What we never handed out need not fit the database's integer either.
	if attempt > math.MaxInt32 {
		return lease{}, fault.InvalidField("lease_token", "is not a lease token")
	}
	return lease{
		accountKey: int64(binary.BigEndian.Uint64(b)),
		jobKey:     int64(binary.BigEndian.Uint64(b[8:])),
		attempt:    int(attempt),
		secret:     b[20:],
	}, nil
}
