package cmd

import (
	"testing"

	"github.com/hibiken/asynq"
)

// Every part of an address counts, of a socket's too: two installations on one Redis are kept apart by the number of theirs.
func TestRedisAddress(t *testing.T) {
	for address, want := range map[string]asynq.RedisClientOpt{
		"unix:///run/redis.sock":            {Network: "unix", Addr: "/run/redis.sock"},
		"unix:///run/redis.sock?db=3":       {Network: "unix", Addr: "/run/redis.sock", DB: 3},
		"unix://me:pw@/run/redis.sock?db=1": {Network: "unix", Addr: "/run/redis.sock", Username: "me", Password: "pw", DB: 1},
		"redis://:pw@host:6380/2":           {Addr: "host:6380", Password: "pw", DB: 2},
	} {
		got, err := redisOpt(address)
		if err != nil || got != want {
			t.Errorf("%s: %+v %v, want %+v", address, got, err, want)
		}
	}
	if _, err := redisOpt("unix:///run/redis.sock?db=two"); err == nil {
		t.Error("a database that is no number is taken")
	}
}
