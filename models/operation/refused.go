package operation

import (
	"context"

	"recoup/models/actor"
	"recoup/models/audit"
)

// Refused tells whether a request of this actor about an object was refused with a code. object is what the
// refused Request named, or its scope.
func (s *Store) Refused(ctx context.Context, object string, who actor.Actor, requestID, code string) (bool, error) {
	return audit.Refused(ctx, s.g, object, who, requestID, code)
}
