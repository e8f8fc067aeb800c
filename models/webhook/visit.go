package webhook

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gorm.io/gorm"

	"recoup/models/bell"
	"recoup/models/db"
)

const (
	// lanes is how many calls are made to an endpoint at a time once it has taken one.
	lanes = 4
	// visitFor is how long a visit goes on beginning calls. With the last of them it stays below the lease.
	visitFor = 10 * time.Second
	// bellEvery is after how long the bell of an endpoint rings again that nobody answered.
	bellEvery = 30 * time.Second
	// givenUpAfter is for how long an endpoint has to take no calls before what is older than that is given up untried.
	givenUpAfter = 72 * time.Hour
)

// pause is for how long an endpoint is left alone after the n-th visit in a row at which it took no calls, 1-based. What
// waits for it waits with it: otherwise each of thousands would have to find out for itself.
func pause(n int) time.Duration { return min(5*time.Second<<min(n-1, 10), 2*time.Minute) }

// Ring hands up to limit endpoints for which something is due to enqueue; see bell.Table.
func (s *Service) Ring(ctx context.Context, limit int, enqueue func(context.Context, bell.Bell) error) (rung int, err error) {
	return Ring(ctx, s.g, limit, enqueue)
}

// Ring is Service.Ring for those who only ring.
func Ring(ctx context.Context, g *gorm.DB, limit int, enqueue func(context.Context, bell.Bell) error) (rung int, err error) {
	const due = `FROM webhook_deliveries d WHERE d.endpoint_key = webhook_endpoints.key AND d.state = 'waiting' AND d.due_at <= statement_timestamp()`
	return bell.Table{Name: "webhook_endpoints", Open: `state = 'active' AND EXISTS (SELECT 1 ` + due + `)`,
		Traceparent: `(SELECT d.traceparent ` + due + ` ORDER BY d.due_at LIMIT 1)`, Every: bellEvery}.Ring(ctx, g, limit, enqueue)
}

// Visit makes the calls that are due to an endpoint: one, and while they are taken several at a time, for a few seconds.
// What is left then rings again, behind the endpoints that have waited meanwhile. It does nothing when the endpoint is
// disabled, being visited or left alone for a while: bells may ring twice.
func (s *Service) Visit(ctx context.Context, endpoint int64) error {
	visit, err := s.begin(ctx, endpoint)
	if err != nil || visit == 0 {
		return err
	}
	size, began := 1, time.Now()
	var got outcome
	for !got.down && ctx.Err() == nil && time.Since(began) < visitFor {
		batch, err := s.take(ctx, endpoint, size)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		if got, err = s.call(ctx, batch); err != nil {
			return err
		}
		size = lanes
	}
	if err := s.end(context.WithoutCancel(ctx), endpoint, visit, got); err != nil {
		return err
	}
	return ctx.Err()
}

// outcome is what some calls told about their endpoint.
type outcome struct {
	// down is that it takes no calls, left for how long it asked to be left alone then.
	down bool
	left time.Duration
}

// call tries deliveries beside each other. Those that are cut off because the process is told to end are not noted: the
// lease gives them back, and their try counts for nothing anybody needs.
func (s *Service) call(ctx context.Context, batch []due) (outcome, error) {
	answers, errs := make([]answer, len(batch)), make([]error, len(batch))
	var tries sync.WaitGroup
	for i, d := range batch {
		tries.Go(func() {
			if answers[i] = s.try(ctx, d); !answers[i].canceled {
				errs[i] = s.note(context.WithoutCancel(ctx), d, answers[i])
			}
		})
	}
	tries.Wait()
	var got outcome
	for _, a := range answers {
		if a.down() {
			got.down, got.left = true, max(got.left, a.retryIn)
		}
	}
	return got, errors.Join(errs...)
}

// begin takes an endpoint for a visit, and returns its number: 0 when it is not to be visited now.
func (s *Service) begin(ctx context.Context, endpoint int64) (visit int64, err error) {
	lease := int64(tryLease.Seconds())
	err = s.g.WithContext(ctx).Raw(`UPDATE webhook_endpoints SET visit = visit + 1, busy_until = clock_timestamp() + ?::bigint * interval '1 second',
			ring_at = clock_timestamp() + ?::bigint * interval '1 second'
		WHERE key = ? AND state = 'active' AND busy_until <= clock_timestamp() RETURNING visit`, lease, lease, endpoint).Scan(&visit).Error
	if err != nil {
		return 0, fmt.Errorf("webhook: begin a visit: %w", err)
	}
	return visit, nil
}

// end gives an endpoint back, after a pause when it took no calls. Where it has taken none for long, what is as old is
// given up: else it would wait for ever behind what is tried.
func (s *Service) end(ctx context.Context, endpoint, visit int64, got outcome) error {
	err := db.InTx(ctx, s.g, func(g *gorm.DB) error {
		g = g.WithContext(ctx)
		if !got.down {
			return g.Exec(`UPDATE webhook_endpoints SET busy_until = clock_timestamp(), ring_at = clock_timestamp(), failures = 0, failing_since = NULL
				WHERE key = ? AND visit = ?`, endpoint, visit).Error
		}
		var failing struct {
			Failures int
			Long     bool
		}
		res := g.Raw(`UPDATE webhook_endpoints SET failures = failures + 1, failing_since = COALESCE(failing_since, clock_timestamp())
			WHERE key = ? AND visit = ? RETURNING failures, failing_since < clock_timestamp() - ?::bigint * interval '1 second' AS long`,
			endpoint, visit, int64(givenUpAfter.Seconds())).Scan(&failing)
		if res.Error != nil || res.RowsAffected == 0 {
			return res.Error
		}
		wait := max(pause(failing.Failures), got.left).Milliseconds()
		err := g.Exec(`UPDATE webhook_endpoints SET busy_until = clock_timestamp() + ?::bigint * interval '1 millisecond',
			ring_at = clock_timestamp() + ?::bigint * interval '1 millisecond' WHERE key = ?`, wait, wait, endpoint).Error
		if err != nil || !failing.Long {
			return err
		}
		return g.Exec(`WITH old AS (
				UPDATE webhook_deliveries SET state = 'failed', finished_at = clock_timestamp(), tries = tries + 1
				WHERE endpoint_key = ? AND state = 'waiting' AND created_at < clock_timestamp() - ?::bigint * interval '1 second'
				RETURNING key, tries)
			INSERT INTO webhook_attempts (delivery_key, try, duration_ms, status, error) SELECT key, tries, 0, 0, ? FROM old`,
			endpoint, int64(givenUpAfter.Seconds()), "It was given up without a call: the receiver has taken none for three days.").Error
	})
	if err != nil {
		return fmt.Errorf("webhook: end a visit: %w", err)
	}
	s.kick()
	return nil
}

// callNow ends an endpoint's pause: a person has done something about it. afresh also forgets that it took no calls.
func callNow(ctx context.Context, g *gorm.DB, endpoint int64, afresh bool) error {
	set := `ring_at = clock_timestamp(), busy_until = CASE WHEN failures > 0 THEN clock_timestamp() ELSE busy_until END`
	if afresh {
		set += `, failures = 0, failing_since = NULL`
	}
	if err := g.WithContext(ctx).Exec(`UPDATE webhook_endpoints SET `+set+` WHERE key = ?`, endpoint).Error; err != nil {
		return fmt.Errorf("webhook: call now: %w", err)
	}
	return nil
}
