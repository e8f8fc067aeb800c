package verify

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// AnchorList are the anchors that one place keeps, oldest first, and the check that compares them: CheckAnchor for the database,
// CheckAnchorFile for the file outside it. Each place is a check of its own, since either may know what the other does not.
type AnchorList struct {
	Check   Check
	Anchors []Anchor
}

// AnchorChoice says which anchors of a list are compared. The zero value is what every run compares.
type AnchorChoice struct {
	// Newest is how many of the newest ones; 7 when zero.
	Newest int
	// All is true for every one of them, however long that takes.
	All bool
	// At decides which of the older ones have their turn; now when zero.
	At time.Time
}

// Compared is what came of the anchors of one list.
type Compared struct {
	Check Check
	// Kept is how many the list has, Looked how many of them were compared.
	Kept, Looked int
	Problems     []Problem
	Took         time.Duration
}

const (
	newestAnchors = 7
	// olderAnchors is how many of the older anchors have their turn in a night, about: to compare one costs a look at every account, and a year
	// of them is looked through in two to three weeks.
	olderAnchors = 24
	// suspectAnchors is how many of those that an earlier run found different are compared again: the oldest, which tell best since when.
	suspectAnchors = 24
)

// CompareAnchors computes anchors again and returns for each list what differs: entries at or before that moment were cut off or changed.
// Of each list the newest are compared, those that did not hold when they were last compared, and by turns the older ones; a list without
// anchors is left out.
func (v *Verifier) CompareAnchors(ctx context.Context, lists []AnchorList, choice AnchorChoice) ([]Compared, error) {
	if choice.Newest == 0 {
		choice.Newest = newestAnchors
	}
	if choice.At.IsZero() {
		choice.At = time.Now()
	}
	digests := map[int64]string{} // by moment: the lists mostly keep the same ones
	var out []Compared
	for _, list := range lists {
		if len(list.Anchors) == 0 {
			continue
		}
		c := Compared{Check: list.Check, Kept: len(list.Anchors)}
		began := time.Now()
		suspect, err := v.suspects(ctx, list.Check)
		if err != nil {
			return nil, err
		}
		for _, a := range due(list.Anchors, choice, suspect) {
			moment := a.Moment.UnixMicro()
			if digests[moment] == "" {
				if digests[moment], err = v.HeadsDigest(ctx, a.Moment); err != nil {
					return nil, err
				}
			}
			c.Looked++
			if found := digests[moment]; found != a.Digest {
				c.Problems = append(c.Problems, Problem{Check: list.Check, Expected: a.Digest, Found: found, Message: anchorMessage(a.Moment)})
			}
		}
		c.Took = time.Since(began)
		out = append(out, c)
	}
	return out, nil
}

// due chooses the anchors that are compared. Every one has its turn once in as many nights as the older ones fill at olderAnchors a night.
func due(list []Anchor, choice AnchorChoice, suspect func(Anchor) bool) []Anchor {
	older := max(0, len(list)-choice.Newest)
	nights := (older + olderAnchors - 1) / olderAnchors
	night, suspects := int(choice.At.Unix()/(24*60*60)), 0
	var out []Anchor
	for i, a := range list {
		again := i < older && suspects < suspectAnchors && suspect(a)
		if again {
			suspects++
		}
		if choice.All || again || i >= older || i%nights == night%nights {
			out = append(out, a)
		}
	}
	return out
}

// suspects tells the anchors that the last run to compare them found different.
func (v *Verifier) suspects(ctx context.Context, check Check) (func(Anchor) bool, error) {
	var messages []string
	last, err := v.LastThatMade(ctx, check)
	if err == nil && last != nil && last.ByCheck[check] > 0 {
		err = v.g.WithContext(ctx).Raw(`SELECT message FROM verify_problems WHERE run_id = ? AND check_name = ?`, last.ID, string(check)).Scan(&messages).Error
	}
	if err != nil {
		return nil, fmt.Errorf("verify: anchors that differed: %w", err)
	}
	return func(a Anchor) bool { return slices.Contains(messages, anchorMessage(a.Moment)) }, nil
}

// anchorMessage says of a moment that its anchor does not hold. suspects knows a moment by it.
func anchorMessage(moment time.Time) string {
	return "The newest entries at " + moment.UTC().Format(time.RFC3339Nano) + " are not those that were anchored: entries were cut off or changed."
}
