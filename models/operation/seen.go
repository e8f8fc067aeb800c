package operation

import (
	"hash/maphash"
	"sync/atomic"
)

// seen remembers which operations this process has applied or replayed lately. It is a hint and
// nothing more: an operation it knows is looked up before a transaction is begun for it, so that the
// replay, which is all that most retries need, takes one round trip. Forgetting one, or taking one
// for another of the same slot, costs that round trip and changes nothing.
type seen struct {
	seed  maphash.Seed
	slots [1 << 16]atomic.Uint64
}

func newSeen() *seen { return &seen{seed: maphash.MakeSeed()} }

func (s *seen) hash(scope, id string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	h.WriteString(scope)
	h.WriteByte(0)
	h.WriteString(id)
	return h.Sum64()
}

// add remembers an operation in place of whichever had its slot.
func (s *seen) add(hash uint64) { s.slots[hash%uint64(len(s.slots))].Store(hash) }

func (s *seen) has(hash uint64) bool { return s.slots[hash%uint64(len(s.slots))].Load() == hash }
