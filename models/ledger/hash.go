package ledger

import (
	"crypto/sha256"
	"encoding/binary"
)

// hashVersion is the version byte of the chained form below.
const hashVersion = 1

// ZeroHash is the hash before an account's first entry.
func ZeroHash() []byte { return make([]byte, sha256.Size) }

// Hashed are the fields of an entry that its hash covers. A nil slice is NULL; an empty one is an
// empty text.
type Hashed struct {
	AccountKey   int64
	Seq          int64
	Type         []byte
	Amount       int64
	BalanceAfter int64
	// JobKey counts only where HasJob.
	JobKey      int64
	HasJob      bool
	OperationID []byte
	RolloutID   []byte
	Cohort      []byte
	RuleVersion []byte
	// CreatedAt is in microseconds since 1970.
	CreatedAt int64
}

// Sum computes the entry's hash from the previous entry's, independently of the SQL that computed
// the stored one: SHA-256(previous ‖ version ‖ account key, seq, type, amount, balance_after, job
// key, operation id, rollout id, cohort, rule version, created_at in µs), each with a 4-byte length
// in front. NULL has the length 0xFFFFFFFF. scratch is written over and returned, so that a caller
// who hashes many entries allocates once; nil is fine.
func (h *Hashed) Sum(previous, scratch []byte) (sum [sha256.Size]byte, used []byte) {
	b := append(scratch[:0], previous...)
	b = append(b, hashVersion)
	b = number(b, h.AccountKey)
	b = number(b, h.Seq)
	b = text(b, h.Type)
	b = number(b, h.Amount)
	b = number(b, h.BalanceAfter)
	if h.HasJob {
		b = number(b, h.JobKey)
	} else {
		b = text(b, nil)
	}
	b = text(b, h.OperationID)
	b = text(b, h.RolloutID)
	b = text(b, h.Cohort)
	b = text(b, h.RuleVersion)
	b = number(b, h.CreatedAt)
	return sha256.Sum256(b), b
}

// ChainHash is Sum for an entry as it is read for people.
func ChainHash(previous []byte, e Entry) []byte {
	h := Hashed{AccountKey: e.AccountKey, Seq: e.Seq, Type: []byte(e.Type), Amount: e.Amount, BalanceAfter: e.BalanceAfter,
		OperationID: []byte(e.OperationID), RolloutID: bytesOf(e.RolloutID), Cohort: bytesOf(e.Cohort),
		RuleVersion: bytesOf(e.RuleVersion), CreatedAt: e.CreatedAt.UnixMicro()}
	if e.JobKey != nil {
		h.JobKey, h.HasJob = *e.JobKey, true
	}
	sum, _ := h.Sum(previous, nil)
	return sum[:]
}

func bytesOf(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}

func number(b []byte, n int64) []byte {
	b = binary.BigEndian.AppendUint32(b, 8)
	return binary.BigEndian.AppendUint64(b, uint64(n))
}

func text(b, s []byte) []byte {
	if s == nil {
		return binary.BigEndian.AppendUint32(b, 0xFFFFFFFF)
	}
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}
