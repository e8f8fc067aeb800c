package staff

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/models/fault"
)

func TestKeyCacheForgets(t *testing.T) {
	now := time.Unix(1000, 0)
	c := newKeyCache(5*time.Second, 3)
	c.now = func() time.Time { return now }
	put := func(id string, ttl time.Duration) { c.put("token "+id, Key{ID: id}, ttl, c.mark()) }
	has := func(id string) bool { _, ok := c.get("token " + id); return ok }

	put("a", time.Minute) // cut to the cache's own 5 s
	put("b", time.Second)
	now = now.Add(time.Second)
	if !has("a") || has("b") {
		t.Error("after 1 s a must be there and b gone")
	}
	now = now.Add(4 * time.Second)
	if has("a") {
		t.Error("a is trusted for longer than 5 s")
	}
	for i := range 100 {
		put(fmt.Sprint(i), time.Minute)
	}
	if len(c.known) != 3 || !has("99") {
		t.Errorf("the cache holds %d keys, the newest: %v", len(c.known), has("99"))
	}
	c.drop("99")
	if has("99") {
		t.Error("a dropped key is still there")
	}
	before := c.mark()
	c.drop("x")
	c.put("token x", Key{ID: "x"}, time.Minute, before)
	if has("x") {
		t.Error("a key that was read before its revocation was remembered after it")
	}
}

// What is hashed in place of a password that there is not costs what a person's does.
func TestDecoyIsAsDear(t *testing.T) {
	h := newHasher(HashParams{MemoryKiB: 2048, Passes: 3, Lanes: 2}, 1)
	mine, err := h.hash(context.Background(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	for _, phc := range []string{h.decoy, mine} {
		p, salt, key, err := decodePHC(phc)
		if err != nil || p != h.params || len(salt) != saltBytes || len(key) != hashBytes {
			t.Errorf("%+v, %d bytes of salt, %d of key, %v", p, len(salt), len(key), err)
		}
	}
	for _, phc := range []string{h.decoy, ""} {
		if match, _, err := h.verify(context.Background(), phc, "correct horse battery"); match || err != nil {
			t.Errorf("%q matches %t, %v", phc, match, err)
		}
	}
}

func TestHashesWaitForTheirTurn(t *testing.T) {
	const atOnce = 2
	h := newHasher(HashParams{MemoryKiB: 1024, Passes: 1, Lanes: 1}, atOnce)
	var running, most atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			done, err := h.turn(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			n := running.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(5 * time.Millisecond)
			running.Add(-1)
			done()
		})
	}
	wg.Wait()
	if most.Load() != atOnce {
		t.Errorf("%d at once, want %d", most.Load(), atOnce)
	}
	for range atOnce {
		if _, err := h.turn(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.hash(context.Background(), "x"); !fault.Is(err, fault.CodeBusy) {
		t.Errorf("with every turn taken: %v, want busy", err)
	}
}

func TestPHC(t *testing.T) {
	// Made by the reference implementation in C, so that hashes stay readable whatever changes here.
	const known = "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHRzYWx0$BZKbQeLae5jR3K2YBsj3cqU3VGsjOslY0f0ZWmHJ7p0"
	h := newHasher(HashParams{MemoryKiB: 64, Passes: 2, Lanes: 1}, 1)
	ctx := context.Background()
	for pw, want := range map[string]bool{"correct horse battery": true, "correct horse batterz": false, "": false} {
		match, stale, err := h.verify(ctx, known, pw)
		if err != nil || match != want || stale {
			t.Errorf("%q: match %v, stale %v, %v", pw, match, stale, err)
		}
	}
	if match, _, err := h.verify(ctx, "", ""); match || err != nil {
		t.Errorf("no hash: match %v, %v", match, err)
	}
	for _, bad := range []string{
		"x", "$argon2i$v=19$m=64,t=2,p=1$c29tZXNhbHRzYWx0$AAAA", "$argon2id$v=16$m=64,t=2,p=1$c29tZXNhbHRzYWx0$AAAA",
		"$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAA", "$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHRzYWx0$AAAA", "$argon2id$v=19$m=64,t=2,p=1$!$AAAAAAAAAAAAAAAAAAAAAAAA",
	} {
		if match, _, err := h.verify(ctx, bad, "x"); err == nil || match {
			t.Errorf("%q: match %v, %v", bad, match, err)
		}
	}
}
