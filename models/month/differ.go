package month

import (
	"strconv"

	"recoup/models/ledger"
	"recoup/models/rollup"
)

// Difference is one figure of a closed month that the ledger no longer says.
type Difference struct {
	// Name is "opening", "closing", "open_refunds", a type of entry, or "group" for one group of entries whose
	// type has not changed as a whole.
	Name string
	// Group is set for "group", Part 0 and without count and amount.
	Group rollup.Group
	// Stored is the amount as it was closed, Now as the ledger says; with the number of entries in front where
	// it is one of entries.
	Stored, Now string
}

// Differences are the figures that differ between a closed month and the same month as its entries are now,
// nil when none does.
func Differences(stored, now Figures) []Difference {
	var out []Difference
	differ := func(name string, a, b string) {
		if a != b {
			out = append(out, Difference{Name: name, Stored: a, Now: b})
		}
	}
	text := func(s Sum) string { return strconv.FormatInt(s.Count, 10) + " / " + s.Amount.String() }
	differ("opening", stored.Opening.String(), now.Opening.String())
	for _, t := range ledger.Types() {
		differ(string(t), text(stored.Types[t]), text(now.Types[t]))
	}
	differ("closing", stored.Closing.String(), now.Closing.String())
	differ("open_refunds", text(stored.OpenRefunds), text(now.OpenRefunds))
	a, b := byGroup(stored), byGroup(now)
	for _, f := range []Figures{stored, now} {
		for _, g := range f.Groups {
			key := bare(g)
			if before, after := text(a[key]), text(b[key]); before != after {
				out = append(out, Difference{Name: "group", Group: key, Stored: before, Now: after})
				delete(a, key)
				delete(b, key)
			}
		}
	}
	return out
}

func bare(g rollup.Group) rollup.Group {
	return rollup.Group{Type: g.Type, RuleVersion: g.RuleVersion, RolloutID: g.RolloutID, Cohort: g.Cohort, Category: g.Category}
}

func byGroup(f Figures) map[rollup.Group]Sum {
	out := map[rollup.Group]Sum{}
	for _, g := range f.Groups {
		out[bare(g)] = Sum{g.Count, g.Amount}
	}
	return out
}
