package deadletter

import (
	"context"
	"fmt"

	"recoup/models/fingerprint"
	"recoup/models/where"
)

// groupsAsked is how many groups are asked whether their messages may hold a text. Where more have open dead letters, the
// messages themselves are read.
const groupsAsked = 1000

// inGroupsThatMayHold adds the condition that an open dead letter is in one of the groups whose messages may hold a text,
// if that leaves any out. A text that no message has is so answered from a few patterns, where otherwise every open dead
// letter would be read.
func (s *Service) inGroupsThatMayHold(ctx context.Context, w *where.Clause, text string) error {
	var groups []struct {
		Fingerprint string
		Version     int
		Pattern     string
	}
	// One without a group yet counts as a group of unknown messages.
	err := s.g.WithContext(ctx).Raw(`SELECT fingerprint, version, pattern FROM dead_letter_groups g
			WHERE EXISTS (SELECT 1 FROM dead_letter_tallies t WHERE t.fingerprint = g.fingerprint AND t.open > 0)
		UNION ALL SELECT '', 0, '' WHERE EXISTS (SELECT 1 FROM dead_letters WHERE closed_at IS NULL AND fingerprint = '')` + atMost(groupsAsked+1)).Scan(&groups).Error
	if err != nil {
		return fmt.Errorf("deadletter: groups that may hold a text: %w", err)
	}
	if len(groups) > groupsAsked {
		return nil
	}
	var may []string
	for _, g := range groups {
		if g.Version != fingerprint.Version || fingerprint.MayHold(g.Pattern, text) {
			may = append(may, g.Fingerprint)
		}
	}
	switch len(may) {
	case len(groups):
	case 0:
		w.And("false")
	case 1:
		// Its index has the order of the list.
		w.And("d.fingerprint = ?", may[0])
	default:
		w.And("d.fingerprint = ANY (?::text[])", where.ListOf(may))
	}
	return nil
}
