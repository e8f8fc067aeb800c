package verify

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
)

// Anchor is the digest of all accounts' newest entries at a moment.
type Anchor struct {
	Moment time.Time
	// Digest is HeadsDigest of the moment.
	Digest string
}

// String is the anchor as a line of the log kept outside the database: time (RFC 3339, UTC), blank,
// digest.
func (a Anchor) String() string { return a.Moment.UTC().Format(time.RFC3339Nano) + " " + a.Digest }

// Anchored reports whether a moment has its anchor already.
func (v *Verifier) Anchored(ctx context.Context, moment time.Time) (bool, error) {
	var found bool
	if err := v.g.WithContext(ctx).Raw(`SELECT EXISTS (SELECT 1 FROM anchors WHERE moment = ?)`, moment).Scan(&found).Error; err != nil {
		return false, fmt.Errorf("verify: anchor: %w", err)
	}
	return found, nil
}

// Anchors returns all recorded anchors, oldest first: one a night and one a closed month.
func (v *Verifier) Anchors(ctx context.Context) ([]Anchor, error) {
	var rows []Anchor
	err := v.g.WithContext(ctx).Raw(`SELECT moment, digest FROM anchors ORDER BY moment`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("verify: anchors: %w", err)
	}
	return rows, nil
}

// Anchor computes the anchor of a moment that lies at least settleTime back, hands it to keep, which
// writes it outside the database, and records it. keep runs first: an anchor that the database knows has
// always been kept. Of several processes that do so at once one keeps it: the digest of a moment is always the same, and one
// that is recorded already is not kept again.
func (v *Verifier) Anchor(ctx context.Context, moment time.Time, keep func(Anchor) error) (Anchor, error) {
	if time.Since(moment) < settleTime {
		return Anchor{}, fmt.Errorf("verify: an anchor's moment must be at least %s old", settleTime)
	}
	digest, err := v.HeadsDigest(ctx, moment)
	if err != nil {
		return Anchor{}, err
	}
	a := Anchor{Moment: moment, Digest: digest}
	return a, db.InTx(ctx, v.g, func(tx *gorm.DB) error {
		var known bool
		err := tx.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('recoup anchors', 0))`).Error
		if err == nil {
			err = tx.Raw(`SELECT EXISTS (SELECT 1 FROM anchors WHERE moment = ? AND digest = ?)`, moment, digest).Scan(&known).Error
		}
		if err != nil {
			return fmt.Errorf("verify: record anchor: %w", err)
		}
		if known {
			return nil
		}
		if err := keep(a); err != nil {
			return fmt.Errorf("verify: keep anchor: %w", err)
		}
		if err := tx.Exec(`INSERT INTO anchors (moment, digest) VALUES (?, ?) ON CONFLICT DO NOTHING`, moment, digest).Error; err != nil {
			return fmt.Errorf("verify: record anchor: %w", err)
		}
		return nil
	})
}

// ReadAnchors reads the log that Anchor's keep has written. Empty lines are skipped; a line that is no
// anchor is an error that names it.
func ReadAnchors(in io.Reader) ([]Anchor, error) {
	var out []Anchor
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		at, digest, ok := strings.Cut(line, " ")
		moment, err := time.Parse(time.RFC3339Nano, at)
		if !ok || err != nil || len(digest) != 64 {
			return nil, fmt.Errorf("verify: line %d is not an anchor", n)
		}
		out = append(out, Anchor{Moment: moment, Digest: digest})
	}
	return out, lines.Err()
}
