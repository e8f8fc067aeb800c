package present_test

import (
	"slices"
	"testing"
	"time"

	"recoup/handlers/present"
	"recoup/models/cost"
	"recoup/views/costs"
	"recoup/views/text"
)

// The page of a record that nobody is put down to says which rollouts it holds up, by the rule that holds them up.
func TestARecordOfNobodySaysWhatItHoldsUp(t *testing.T) {
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	until, action := at.AddDate(0, 0, 1), "render"
	p := present.Presenter{L: text.Locale{Lang: text.English, Zone: time.UTC}, Now: at}
	const who = "Nobody knows yet what it was for"
	for says, r := range map[string]cost.Record{
		who + ". Until somebody does, it holds up every live rollout of render.":                                                                          {KnownAction: &action, OccurredUntil: &until},
		who + ", nor of which action it is. Until somebody does, it holds up the live rollouts of all actions that began before 2 Dec 2026 00:00:00 UTC.": {OccurredUntil: &until},
		who + ", nor of which action it is. Until somebody does, it holds up the live rollouts of all actions that had begun by 1 Dec 2026 00:00:00 UTC.": {},
	} {
		r.State, r.OccurredAt = cost.Unattributed, at
		page := p.CostRecord(r, nil)
		if page.Say != says {
			t.Errorf("%q, want %q", page.Say, says)
		}
		if ends := slices.Contains(page.Facts, costs.Fact{Label: "Period to", Value: "2 Dec 2026 00:00:00 UTC"}); ends != (r.OccurredUntil != nil) {
			t.Errorf("%+v", page.Facts)
		}
	}
}
