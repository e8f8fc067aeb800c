// Package ids makes and checks identifiers.
package ids

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/google/uuid"
)

// New returns a fresh UUIDv7: unique, and sorted by time.
func New() string { return uuid.Must(uuid.NewV7()).String() }

// Secret returns n random bytes in URL-safe base64. It panics only if the system has no randomness.
func Secret(n int) string {
	b := make([]byte, n)
	rand.Read(b) //nolint:errcheck // crypto/rand.Read never returns an error since Go 1.24
	return base64.RawURLEncoding.EncodeToString(b)
}

// MaxOperationID is the length of the longest operation id, in bytes.
const MaxOperationID = 255

// CheckCallerID returns nil when id may name an account or a job: [A-Za-z0-9._:@-]{1,64}, not "."
// or "..". Ids are case-sensitive and never trimmed.
func CheckCallerID(id string) error {
	if len(id) < 1 || len(id) > 64 {
		return fmt.Errorf("must have 1 to 64 characters")
	}
	if id == "." || id == ".." {
		return fmt.Errorf("must not be %q", id)
	}
	for i := 0; i < len(id); i++ {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.', c == '_', c == ':', c == '@', c == '-':
		default:
			return fmt.Errorf("may hold only letters, digits and . _ : @ -")
		}
	}
	return nil
}

// CheckOperationID returns nil when id may name an operation: 1–255 visible ASCII characters.
func CheckOperationID(id string) error {
	if len(id) < 1 || len(id) > MaxOperationID {
		return fmt.Errorf("must have 1 to %d characters", MaxOperationID)
	}
	for i := 0; i < len(id); i++ {
		if id[i] < 0x21 || id[i] > 0x7e {
			return fmt.Errorf("may hold only visible ASCII characters")
		}
	}
	return nil
}
