package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// HeadsDigest is the SHA-256, in hexadecimal, over every account's newest entry at or before a moment,
// in order of the account's key: key and seq as eight bytes each, big endian, then the 32 bytes of
// the hash. Accounts without an entry then are left out.
//
// The entries of the past never change, so the digest of a moment can be computed again at any later
// time and must come out the same. Kept outside the database, it finds what the chain alone cannot: a
// tail that was cut off. The moment must lie a few minutes back, so that no transaction that began
// before it is still open.
func (v *Verifier) HeadsDigest(ctx context.Context, at time.Time) (string, error) {
	h := sha256.New()
	err := v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			return each(ctx, tx, func(row [][]byte) error {
				for _, field := range row {
					h.Write(field)
				}
				return nil
			}, `SELECT a.key, e.seq, e.hash FROM accounts a CROSS JOIN LATERAL (
					SELECT seq, hash FROM entries WHERE account_key = a.key AND created_at <= $1 ORDER BY seq DESC LIMIT 1) e
				ORDER BY a.key`, at)
		})
	})
	if err != nil {
		return "", fmt.Errorf("verify: heads digest: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
