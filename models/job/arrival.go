package job

import "sync"

// arrival tells claims that wait in this process that work may have come. It is a hint: claims also
// look by themselves, since work arrives through other processes too.
type arrival struct {
	mu   sync.Mutex
	next chan struct{}
}

func newArrival() *arrival { return &arrival{next: make(chan struct{})} }

// announce wakes everyone who waits now.
func (a *arrival) announce() {
	a.mu.Lock()
	close(a.next)
	a.next = make(chan struct{})
	a.mu.Unlock()
}

// wait returns a channel that closes at the next announcement.
func (a *arrival) wait() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}

// Arrival returns a channel that closes when work may have come to this process's line.
func (s *Service) Arrival() <-chan struct{} { return s.arrival.wait() }
