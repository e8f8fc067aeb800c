package operation

import (
	"context"

	"recoup/models/actor"
	"recoup/models/audit"
)

// Refused tells whether a request of this actor about an object was refused with a code, and what Detail of the fault said
// of it, nil for nothing. object is what the refused Request named, or its scope.
func (s *Store) Refused(ctx context.Context, object string, who actor.Actor, requestID, code string) (detail map[string]any, found bool, err error) {
	return audit.Refused(ctx, s.g, object, who, requestID, code)
}
