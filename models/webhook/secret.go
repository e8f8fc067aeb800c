package webhook

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

// errSealed tells that a stored secret cannot be opened: it was sealed under another installation's secret.
var errSealed = errors.New("the endpoint's secret was sealed under another secret of the installation; rotate it")

// sealer keeps the secrets of endpoints unreadable in the database and its backups.
type sealer struct{ aead cipher.AEAD }

func newSealer(installation []byte) (sealer, error) {
	key, err := hkdf.Key(sha256.New, installation, nil, "recoup webhook secrets v1", 32)
	if err != nil {
		return sealer{}, fmt.Errorf("webhook: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, fmt.Errorf("webhook: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return sealer{}, fmt.Errorf("webhook: %w", err)
	}
	return sealer{aead}, nil
}

// seal encrypts a secret for one endpoint: it cannot be opened as another's.
func (s sealer) seal(endpoint, secret string) []byte {
	nonce := make([]byte, s.aead.NonceSize())
	rand.Read(nonce) //nolint:errcheck // it never fails: the program ends instead
	return s.aead.Seal(nonce, nonce, []byte(secret), []byte(endpoint))
}

func (s sealer) open(endpoint string, sealed []byte) (string, error) {
	n := s.aead.NonceSize()
	if len(sealed) < n {
		return "", errSealed
	}
	secret, err := s.aead.Open(nil, sealed[:n], sealed[n:], []byte(endpoint))
	if err != nil {
		return "", errSealed
	}
	return string(secret), nil
}

// newSecret is a secret as receivers' libraries take it: "whsec_" and 32 random bytes in base64.
func newSecret() string {
	b := make([]byte, 32)
	rand.Read(b) //nolint:errcheck // it never fails: the program ends instead
	return "whsec_" + base64.StdEncoding.EncodeToString(b)
}
