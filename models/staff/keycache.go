package staff

import (
	"crypto/sha256"
	"sync"
	"time"
)

// keyCache remembers for a few seconds which tokens were good. It holds digests, no tokens, and
// never more than size of them.
type keyCache struct {
	ttl  time.Duration
	size int
	now  func() time.Time

	mu    sync.Mutex
	known map[[sha256.Size]byte]cachedKey
	// drops counts calls of drop: a look-up that began before one may have read the key as it was.
	drops uint64
}

type cachedKey struct {
	key   Key
	until time.Time
}

func newKeyCache(ttl time.Duration, size int) *keyCache {
	return &keyCache{ttl: ttl, size: size, now: time.Now, known: map[[sha256.Size]byte]cachedKey{}}
}

func (c *keyCache) get(token string) (Key, bool) {
	sum := sha256.Sum256([]byte(token))
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[sum]
	if !ok {
		return Key{}, false
	}
	if !c.now().Before(e.until) {
		delete(c.known, sum)
		return Key{}, false
	}
	return e.key, true
}

// mark is taken before a key is read from the database and given to put afterwards.
func (c *keyCache) mark() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.drops
}

// put remembers a key for ttl, at most the cache's own, unless a key was dropped since the mark.
func (c *keyCache) put(token string, k Key, ttl time.Duration, mark uint64) {
	sum := sha256.Sum256([]byte(token))
	c.mu.Lock()
	defer c.mu.Unlock()
	if mark != c.drops {
		return
	}
	now := c.now()
	if _, there := c.known[sum]; !there && len(c.known) >= c.size {
		c.makeRoom(now)
	}
	c.known[sum] = cachedKey{key: k, until: now.Add(min(ttl, c.ttl))}
}

// makeRoom forgets what is too old, and any one when nothing is.
func (c *keyCache) makeRoom(now time.Time) {
	for sum, e := range c.known {
		if !now.Before(e.until) {
			delete(c.known, sum)
		}
	}
	for sum := range c.known {
		if len(c.known) < c.size {
			return
		}
		delete(c.known, sum)
	}
}

// drop forgets a key by its id.
func (c *keyCache) drop(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	for sum, e := range c.known {
		if e.key.ID == id {
			delete(c.known, sum)
		}
	}
}
