package ledger

import (
	"crypto/sha256"
	"encoding/binary"
)

// hashVersion is the version byte of the chained form below.
const hashVersion = 1

// ZeroHash is the hash before an account's first entry.
func ZeroHash() []byte { return make([]byte, sha256.Size) }

// ChainHash computes an entry's hash from the previous entry's, independently of the SQL that
// computed the stored one: SHA-256(previous ‖ version ‖ account key, seq, type, amount,
// balance_after, job key, operation id, rollout id, cohort, rule version, created_at in µs), each
// with a 4-byte length in front. NULL has the length 0xFFFFFFFF.
func ChainHash(previous []byte, e Entry) []byte {
	b := make([]byte, 0, 256)
	b = append(b, previous...)
	b = append(b, hashVersion)
	b = number(b, e.AccountKey)
	b = number(b, e.Seq)
	b = text(b, (*string)(&e.Type))
	b = number(b, e.Amount)
	b = number(b, e.BalanceAfter)
	if e.JobKey == nil {
		b = text(b, nil)
	} else {
		b = number(b, *e.JobKey)
	}
	b = text(b, &e.OperationID)
	b = text(b, e.RolloutID)
	b = text(b, e.Cohort)
	b = text(b, e.RuleVersion)
	b = number(b, e.CreatedAt.UnixMicro())
	sum := sha256.Sum256(b)
	return sum[:]
}

func number(b []byte, n int64) []byte {
	b = binary.BigEndian.AppendUint32(b, 8)
	return binary.BigEndian.AppendUint64(b, uint64(n))
}

func text(b []byte, s *string) []byte {
	if s == nil {
		return binary.BigEndian.AppendUint32(b, 0xFFFFFFFF)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(*s)))
	return append(b, *s...)
}
