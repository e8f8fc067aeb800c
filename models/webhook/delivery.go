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

// due is a delivery that a worker has taken.
type due struct {
	Key         int64
	Tries       int
	EventID     string
	Body        string
	EndpointKey int64
	EndpointID  string
	URL         string
	Secret      []byte
	OldSecret   []byte
}

// take marks up to n deliveries of an endpoint whose time has come as being tried: it moves their time ahead by the
// lease. What a person asked for comes first, then the oldest.
func (s *Service) take(ctx context.Context, endpoint int64, n int) ([]due, error) {
	var out []due
	const waiting = `SELECT key, asked, due_at FROM webhook_deliveries WHERE endpoint_key = ? AND state = 'waiting' AND due_at <= statement_timestamp()`
	err := s.g.WithContext(ctx).Raw(`WITH taken AS (
			UPDATE webhook_deliveries d SET tries = d.tries + 1, due_at = clock_timestamp() + ?::bigint * interval '1 second'
			WHERE d.state = 'waiting' AND d.due_at <= statement_timestamp() AND EXISTS (SELECT 1 FROM webhook_endpoints p WHERE p.key = d.endpoint_key AND p.state = 'active')
				AND d.key IN (
				SELECT key FROM ((`+waiting+` AND asked ORDER BY due_at LIMIT ?) UNION ALL (`+waiting+` AND NOT asked ORDER BY due_at LIMIT ?)) x
				ORDER BY asked DESC, due_at LIMIT ?)
			RETURNING d.key, d.tries, d.event_key, d.endpoint_key)
		SELECT t.key, t.tries, v.id AS event_id, v.body::text AS body, p.key AS endpoint_key, p.id AS endpoint_id, p.url,
			p.secret, CASE WHEN p.old_until > clock_timestamp() THEN p.old_secret END AS old_secret
		FROM taken t JOIN webhook_events v ON v.key = t.event_key JOIN webhook_endpoints p ON p.key = t.endpoint_key ORDER BY t.key`,
		int64(tryLease.Seconds()), endpoint, n, endpoint, n, n).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("webhook: take: %w", err)
	}
	return out, nil
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
			return answer{err: "It was not sent: " + err.Error() + ".", failure: failure{code: FailedSecret}}
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
				set = `due_at = clock_timestamp() + ?::bigint * interval '1 second'`
				args = []any{int64(wait.Seconds())}
			}
		}
		res := g.Exec(`UPDATE webhook_deliveries SET `+set+` WHERE key = ? AND state = 'waiting' AND tries = ?`, append(args, d.Key, d.Tries)...)
		if res.Error != nil {
			return fmt.Errorf("webhook: note: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil // another worker has it by now
		}
		err := g.Exec(`INSERT INTO webhook_attempts (delivery_key, try, duration_ms, status, error, answer, code, about) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			d.Key, d.Tries, a.took.Milliseconds(), a.status, a.err, a.body, a.code, a.about).Error
		if err != nil {
			return fmt.Errorf("webhook: note try: %w", err)
		}
		if a.status == http.StatusGone {
			return disableGone(ctx, g, d)
		}
		return nil
	})
}
