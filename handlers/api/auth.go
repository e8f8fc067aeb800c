package api

import (
	"context"

	"recoup/handlers/reqctx"
	"recoup/models/staff"
)

// Keys lets programs in by their API keys. It is the programs' half of route.Authenticator.
type Keys struct {
	Staff *staff.Service
}

// Program returns the key of a token. Fault: Unauthenticated when the token is unknown, or its key
// revoked or expired.
func (k Keys) Program(ctx context.Context, token string) (staff.Principal, error) {
	key, err := k.Staff.KeyByToken(ctx, token)
	if err != nil {
		return nil, err
	}
	return key, nil
}

// Refused leaves an audit row of a principal that lacked a permission.
func (k Keys) Refused(ctx context.Context, who staff.Principal, p staff.Permission, object string) error {
	return k.Staff.RecordRefusal(ctx, who.Actor(), p, object, reqctx.RequestID(ctx))
}
