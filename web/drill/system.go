package drill

import (
	"context"
	"time"
)

// System is a whole Recoup in the drill's hands: it may empty and end its parts. A part that was ended
// is running again when the method returns; what callers were told before must have survived.
type System interface {
	// URL and Key are how callers reach the API; both stay the same over restarts.
	URL() string
	Key() string
	// Prices are the prices in force, action → thousandths of a credit a unit, rounded half to even.
	Prices() map[string]int64

	// FlushRedis removes everything from Redis.
	FlushRedis(ctx context.Context) error
	// StopRedis takes Redis away for a time.
	StopRedis(ctx context.Context, away time.Duration) error
	// KillServer, KillWork and KillPostgres end the process with SIGKILL and start it again.
	KillServer(ctx context.Context) error
	KillWork(ctx context.Context) error
	KillPostgres(ctx context.Context) error

	// ServeRSS is the resident memory of serve in bytes, now and at its highest over all its lives; 0
	// where the operating system does not tell.
	ServeRSS() (now, peak int64)
	// Verify runs the program's own check of ledger and jobs. Its text is printed when clean is false.
	Verify(ctx context.Context) (clean bool, text string, err error)

	// Command runs another subcommand of the program beside the system and returns what it printed.
	Command(ctx context.Context, args ...string) (out string, err error)

	// KeepLogs copies what serve, work and PostgreSQL wrote into a directory that stays.
	KeepLogs() (dir string, err error)
	// Stop ends everything and removes its files.
	Stop(ctx context.Context) error
}

// Settings are what a private system is started with.
type Settings struct {
	// Prices as System.Prices.
	Prices map[string]int64
	// Lease, BackoffBase and BackoffMax compress time.
	Lease, BackoffBase, BackoffMax time.Duration
}
