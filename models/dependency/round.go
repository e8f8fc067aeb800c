package dependency

import (
	"context"
	"errors"
)

// Round is one round of what has to be done about dependencies: those that jobs name come to be known, breakers are judged by
// their results, releases that have handed out everything end, and held work is marked. Several processes may do it at once;
// one is enough.
func (s *Service) Round(ctx context.Context) error {
	_, err := s.Discover(ctx)
	return errors.Join(err, s.Judge(ctx), s.Drain(ctx), s.Mark(ctx))
}
