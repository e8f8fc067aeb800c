package console_test

import (
	"testing"
	"time"

	"recoup/models/modeltest"
	"recoup/models/staff"
)

// What a settlement moved is told where its rollout and its rule version are, each row leads to exactly the entries that it counts, and
// what finance corrected by hand belongs to none of them.
func TestTheMonthTellsWhatSettlementsMoved(t *testing.T) {
	w := newWorld(t)
	at := time.Date(2025, 9, 11, 10, 0, 0, 0, time.UTC)
	paid := func(kind string, amount int64) modeltest.Past {
		at = at.Add(time.Minute)
		return modeltest.Past{At: at, Type: kind, Amount: amount, RuleVersion: "video_render@v2", RolloutID: "ro_1", Cohort: "candidate"}
	}
	modeltest.Entries(t, w.G, "aurora", modeltest.Past{At: at.Add(-time.Hour), Type: "grant", Amount: 1000, Category: "paid"}, paid("charge", -120), paid("charge", -80), paid("adjustment", -13),
		paid("adjustment", 4), modeltest.Past{At: at.Add(time.Hour), Type: "adjustment", Amount: -500})
	fin := w.as(staff.Finance)
	page := fin.page("/months/2025-09")
	w.says(page, "Net of jobs Adjusted video_render 4 −200 0 0 200 −9 of which video_render@v2 4 −200 0 0 200 −9", "ro_1 4 −200 0 0 200 −9 of which candidate 4 −200 0 0 200 −9")
	w.saysNot(page, "No rollout")
	names := 0
	for to, name := range linked(page) {
		switch name {
		case "video_render", "video_render@v2", "ro_1", "candidate":
			w.says(fin.page(to), "−200", "−9", "4 entries")
			w.saysNot(fin.page(to), "−500")
			names++
		case "−9":
			w.says(fin.page(to), "−13", "+4", "2 entries")
			w.saysNot(fin.page(to), "−500")
			names++
		}
	}
	if names != 8 {
		t.Errorf("%d links", names)
	}
}
