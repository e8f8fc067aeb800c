package staff

import (
	"context"
	"fmt"
	"math"
	"time"

	"recoup/models/fault"
)

// reserveTry writes a failure before the password is looked at, so that however many tries come at
// once no more than the limit get to the password. A success deletes it again. Fault: Busy
// sign_in_throttled, with the time until enough failures are too old to count.
//
// What the limit refuses is not itself a failure: it does not make the wait longer. It is audited
// once a window, else anybody could fill the audit log.
func (s *Service) reserveTry(ctx context.Context, emailHash sum, c Client) (int64, error) {
	g := s.db.WithContext(ctx)
	net := network(c.IP)
	var key int64
	err := g.Raw(`INSERT INTO sign_in_failures (email_hash, network) VALUES (?, ?) RETURNING key`, emailHash, net).Scan(&key).Error
	if err != nil {
		return 0, fmt.Errorf("staff: limit: %w", err)
	}
	// Counted in a second statement: of tries at the same time, each sees all that were written
	// before it was. The n-th newest failure (n = limit) is the one whose age ends the wait.
	var waits []float64
	window := s.opts.FailureWindow.Seconds()
	err = g.Raw(`SELECT extract(epoch FROM at + make_interval(secs => ?) - clock_timestamp())::float8 FROM (
			(SELECT at FROM sign_in_failures WHERE email_hash = ? AND NOT throttled AND key <> ?
				AND at > clock_timestamp() - make_interval(secs => ?) ORDER BY at DESC OFFSET ? LIMIT 1)
			UNION ALL
			(SELECT at FROM sign_in_failures WHERE network = ? AND network <> '' AND NOT throttled AND key <> ?
				AND at > clock_timestamp() - make_interval(secs => ?) ORDER BY at DESC OFFSET ? LIMIT 1)
		) full_since`,
		window, emailHash, key, window, s.opts.FailuresPerEmail-1,
		net, key, window, s.opts.FailuresPerNetwork-1).Scan(&waits).Error
	if err != nil {
		return 0, fmt.Errorf("staff: limit: %w", err)
	}
	if len(waits) == 0 {
		return key, nil
	}
	wait := time.Second
	for _, w := range waits {
		wait = max(wait, time.Duration(math.Ceil(w))*time.Second)
	}
	return 0, s.throttle(ctx, key, emailHash, net, wait, c)
}

// throttle turns a reserved try into the mark of a refusal, or removes it where there is a mark
// already, and returns the fault.
func (s *Service) throttle(ctx context.Context, key int64, emailHash sum, net string, wait time.Duration, c Client) error {
	r := s.db.WithContext(ctx).Exec(`UPDATE sign_in_failures SET throttled = true WHERE key = ? AND NOT EXISTS (
			SELECT FROM sign_in_failures WHERE throttled AND (email_hash = ? OR (network = ? AND network <> ''))
				AND at > clock_timestamp() - make_interval(secs => ?))`,
		key, emailHash, net, s.opts.FailureWindow.Seconds())
	if r.Error != nil {
		return fmt.Errorf("staff: limit: %w", r.Error)
	}
	if r.RowsAffected == 1 {
		id := ""
		err := s.db.WithContext(ctx).Raw(`SELECT id FROM staff WHERE sha256(convert_to(lower(email), 'UTF8')) = ?`, emailHash).Scan(&id).Error
		if err != nil {
			return fmt.Errorf("staff: limit: %w", err)
		}
		if err := s.recordSignInRefusal(ctx, id, CodeSignInThrottled, c); err != nil {
			return err
		}
	} else {
		s.dropTry(ctx, key)
	}
	f := fault.New(fault.Busy, CodeSignInThrottled, "Too many tries to sign in have failed. Try again later, or ask an admin for a sign-in link.")
	f.RetryAfter = wait
	return f
}

// dropTry removes a reserved try. When that fails the try counts as a failure until the window
// ends, which is the safe side.
func (s *Service) dropTry(ctx context.Context, key int64) {
	s.db.WithContext(context.WithoutCancel(ctx)).Exec(`DELETE FROM sign_in_failures WHERE key = ?`, key)
}
