package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"gorm.io/gorm"

	"recoup/models/bell"
	"recoup/models/db"
)

// tryLease is how long a delivery stays with the worker that tries it.
const tryLease = time.Minute

// backoff is how long to wait after the n-th try failed, 1-based; ok is false after the last. All tries together
// take about two and a half days, long enough for a weekend of somebody else's.
func backoff(n int) (wait time.Duration, ok bool) {
	waits := []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 24 * time.Hour}
	if n < 1 || n > len(waits) {
		return 0, false
	}
	return waits[n-1], true
}

// Ring hands up to limit deliveries whose time has come to enqueue; see bell.Table.
func (s *Service) Ring(ctx context.Context, limit int, enqueue func(context.Context, bell.Bell) error) (rung int, err error) {
	return Ring(ctx, s.g, limit, enqueue)
}

// Ring is Service.Ring for those who only ring.
func Ring(ctx context.Context, g *gorm.DB, limit int, enqueue func(context.Context, bell.Bell) error) (rung int, err error) {
	return bell.Table{Name: "webhook_deliveries", Open: "state = 'waiting'"}.Ring(ctx, g, limit, enqueue)
}

// due is a delivery that a worker has taken.
type due struct {
	Key           int64
	Tries         int
	EventID       string
	Body          string
	EndpointKey   int64
	EndpointID    string
	URL           string
	EndpointState string
	Secret        []byte
	OldSecret     []byte
}

// Deliver tries a delivery once and writes what came of it. It does nothing when the delivery is over, is being
// tried by somebody else, or its time has not come: bells may ring twice.
func (s *Service) Deliver(ctx context.Context, key int64) error {
	d, err := s.take(ctx, key)
	if err != nil || d == nil {
		return err
	}
	a := s.try(ctx, *d)
	if a.canceled {
		// The process is told to end: the lease gives the delivery back, and the try counts for nothing anybody needs.
		return ctx.Err()
	}
	return s.note(context.WithoutCancel(ctx), *d, a)
}

// take moves a delivery's time ahead by the lease, so that nobody else tries it meanwhile.
func (s *Service) take(ctx context.Context, key int64) (*due, error) {
	var d due
	res := s.g.WithContext(ctx).Raw(`WITH taken AS (
			UPDATE webhook_deliveries d SET tries = d.tries + 1, due_at = clock_timestamp() + ?::bigint * interval '1 second',
				ring_at = clock_timestamp() + ?::bigint * interval '1 second'
			FROM webhook_endpoints p
			WHERE d.key = ? AND d.state = 'waiting' AND d.due_at <= clock_timestamp() AND p.key = d.endpoint_key AND p.state = 'active'
			RETURNING d.key, d.tries, d.event_key, d.endpoint_key)
		SELECT t.key, t.tries, v.id AS event_id, v.body::text AS body, p.key AS endpoint_key, p.id AS endpoint_id, p.url, p.state AS endpoint_state,
			p.secret, CASE WHEN p.old_until > clock_timestamp() THEN p.old_secret END AS old_secret
		FROM taken t JOIN webhook_events v ON v.key = t.event_key JOIN webhook_endpoints p ON p.key = t.endpoint_key`,
		int64(tryLease.Seconds()), int64(tryLease.Seconds())+1, key).Scan(&d)
	if res.Error != nil {
		return nil, fmt.Errorf("webhook: take: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, nil
	}
	return &d, nil
}

// try signs and sends.
func (s *Service) try(ctx context.Context, d due) answer {
	now := time.Now()
	var signatures []string
	for _, sealed := range [][]byte{d.Secret, d.OldSecret} {
		if sealed == nil {
			continue
		}
		signature, err := s.sign(d, sealed, now)
		if err != nil {
			return answer{err: "It was not sent: " + err.Error() + "."}
		}
		signatures = append(signatures, signature)
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "Recoup-Webhooks/1")
	header.Set(standardwebhooks.HeaderWebhookID, d.EventID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return s.sender.post(ctx, d.URL, header, []byte(d.Body))
}

func (s *Service) sign(d due, sealed []byte, at time.Time) (string, error) {
	secret, err := s.sealer.open(d.EndpointID, sealed)
	if err != nil {
		return "", err
	}
	w, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return "", errors.New("the endpoint's secret is damaged; rotate it")
	}
	return w.Sign(d.EventID, at, []byte(d.Body))
}

// note writes the try and what follows from it: delivered, another try, or failed. A receiver that says it is
// gone is disabled.
func (s *Service) note(ctx context.Context, d due, a answer) error {
	return db.InTx(ctx, s.g, func(g *gorm.DB) error {
		g = g.WithContext(ctx)
		set, args := `state = 'delivered', finished_at = clock_timestamp()`, []any(nil)
		if !a.ok() {
			set = `state = 'failed', finished_at = clock_timestamp()`
			if wait, more := backoff(d.Tries); more && a.status != http.StatusGone {
				wait = max(wait, a.retryIn)
				set = `due_at = clock_timestamp() + ?::bigint * interval '1 second', ring_at = clock_timestamp() + ?::bigint * interval '1 second', rings = rings + 1`
				args = []any{int64(wait.Seconds()), int64(wait.Seconds())}
			}
		}
		res := g.Exec(`UPDATE webhook_deliveries SET `+set+` WHERE key = ? AND state = 'waiting' AND tries = ?`, append(args, d.Key, d.Tries)...)
		if res.Error != nil {
			return fmt.Errorf("webhook: note: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil // another worker has it by now
		}
		err := g.Exec(`INSERT INTO webhook_attempts (delivery_key, try, duration_ms, status, error, answer) VALUES (?, ?, ?, ?, ?, ?)`,
			d.Key, d.Tries, a.took.Milliseconds(), a.status, a.err, a.body).Error
		if err != nil {
			return fmt.Errorf("webhook: note try: %w", err)
		}
		if a.status == http.StatusGone {
			err = g.Exec(`UPDATE webhook_endpoints SET state = 'disabled', disabled_reason = 'gone', version = version + 1, updated_at = clock_timestamp()
				WHERE key = ? AND state = 'active'`, d.EndpointKey).Error
			if err != nil {
				return fmt.Errorf("webhook: disable: %w", err)
			}
		}
		return nil
	})
}
