package comparison_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"recoup/models/comparison"
	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/pricing"
)

// measured finds one measure.
func measured(t *testing.T, c comparison.Comparison, name comparison.Name) comparison.Measure {
	t.Helper()
	for _, m := range c.Measures {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no measure %s in %+v", name, c.Measures)
	return comparison.Measure{}
}

// Twenty accounts have the candidate, forty the baseline; a day before the start the forty had it, too. More attempts
// fail under the candidate and its jobs wait longer; they cost the same. The page says exactly that.
func TestAPlantedDifferenceIsFound(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	in, out := named("in", 20), named("out", 40)
	for _, id := range append(append([]string{}, in...), out...) {
		w.Account(t, id, 100_000)
	}
	w.charges("before", out, 6)
	modeltest.Backdate(t, w.G, 30*time.Hour)
	w.draft(pricing.Stage{Segment: pricing.Segment{Accounts: in}})
	w.step(w.Rollouts.Start)
	w.exec(`ALTER TABLE rollouts DISABLE TRIGGER USER`)
	w.exec(`UPDATE rollouts SET started_at = clock_timestamp() - interval '24 hours', stage_since = clock_timestamp() - interval '24 hours'`)
	w.charges("with", in, 12)
	w.charges("beside", out, 6)
	w.charge("in_0", "with-in_0-0", 60) // a replay
	if _, err := w.Jobs.Charge(ctx, chargeOf("in_1", "with-in_1-0", 61)); !fault.Is(err, fault.CodeOperationConflict) {
		t.Fatal(err)
	}
	// The jobs' ids decide which, never their keys: those are given out in another order every time.
	// Of five attempts two fail under the candidate, of ten one elsewhere; claims wait five seconds there, one elsewhere.
	w.exec(`INSERT INTO attempts (account_key, job_key, attempt, generation, queued_at, claimed_at, ended_at, outcome, error_class)
		SELECT account_key, key, 1, 0, now() - interval '1 hour', now() - interval '1 hour' + (CASE WHEN cohort = 'candidate' THEN 5 ELSE 1 END + (abs(hashtext(id)) % 7) / 20.0) * interval '1 second',
			now(), CASE WHEN bad THEN 'failed' ELSE 'succeeded' END, CASE WHEN bad THEN 'throttled' ELSE '' END
		FROM (SELECT *, CASE WHEN cohort = 'candidate' THEN row_number() OVER (PARTITION BY cohort ORDER BY hashtext(id), id) % 5 < 2
			ELSE row_number() OVER (PARTITION BY cohort ORDER BY hashtext(id), id) % 10 = 0 END AS bad FROM jobs) j
		ON CONFLICT (account_key, job_key, attempt) DO UPDATE SET queued_at = EXCLUDED.queued_at, claimed_at = EXCLUDED.claimed_at, ended_at = EXCLUDED.ended_at,
			outcome = EXCLUDED.outcome, error_class = EXCLUDED.error_class`)
	w.exec(`UPDATE jobs SET delivered_at = now(), state = 'succeeded' WHERE NOT EXISTS (SELECT 1 FROM attempts a WHERE a.account_key = jobs.account_key AND a.job_key = jobs.key AND outcome = 'failed')`)
	var jobs []struct {
		Account, ID string
		N           int64
	}
	if err := w.G.Raw(`SELECT a.id AS account, j.id, row_number() OVER (ORDER BY hashtext(j.id), j.id) AS n FROM jobs j JOIN accounts a ON a.key = j.account_key`).Scan(&jobs).Error; err != nil {
		t.Fatal(err)
	}
	batch := cost.Batch{Envelope: modeltest.Envelope(), Source: "gpu"}
	for _, j := range jobs {
		amount, err := decimal.Parse([]string{"0.03", "0.04", "0.05"}[j.N%3])
		if err != nil {
			t.Fatal(err)
		}
		batch.Records = append(batch.Records, cost.NewRecord{ExternalID: j.ID, Amount: amount, Currency: "USD", Time: time.Now(), AccountID: j.Account, JobID: j.ID})
	}
	if _, err := cost.New(w.Ops).Record(ctx, batch); err != nil {
		t.Fatal(err)
	}

	c, err := w.compare.Make(ctx, w.state())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []comparison.Counts{{Total: 240, Accounts: 20, Replays: 1, Conflicts: 1, Delivered: 144}, {Total: 240, Accounts: 40}, {Total: 240, Accounts: 40}} {
		got := c.Sides[i]
		if got.Total != want.Total || got.Charges != want.Total || got.Accounts != want.Accounts || got.Replays != want.Replays || got.Conflicts != want.Conflicts ||
			got.Attempts != 240 || got.Claims != 240 || got.Known != 240 || got.Part != 1024 {
			t.Errorf("side %d: %+v", i, got)
		}
	}
	if got := c.Sides[comparison.Candidate]; got.Delivered != 144 || got.Failed["throttled"] != 96 || got.KnownDelivered != 144 {
		t.Errorf("candidate: %+v", got)
	}
	for name, want := range map[comparison.Name]comparison.Finding{comparison.PerAccount: comparison.Higher, comparison.Failed: comparison.Higher, comparison.LagMedian: comparison.Higher,
		comparison.LagP95: comparison.Higher, comparison.Resent: comparison.None, comparison.Conflicting: comparison.None, comparison.CostCharged: comparison.None} {
		m := measured(t, c, name)
		for i, v := range m.Against {
			if v.Finding != want {
				t.Errorf("%s against %d: %+v of %+v", name, i, v, m.Values)
			}
		}
	}
	failed := measured(t, c, comparison.Failed).Values[comparison.Candidate]
	if failed.Value != 0.4 || failed.Low >= 0.4 || failed.Low < 0.3 || failed.High > 0.5 || failed.Of != 240 {
		t.Errorf("failed: %+v", failed)
	}
	m := measured(t, c, comparison.CostDelivered)
	want := sumOf(t, w, `SELECT sum(r.amount)::text FROM cost_records r JOIN cost_states s ON s.record_key = r.key JOIN jobs j ON j.account_key = s.account_key AND j.key = s.job_key WHERE j.cohort = 'candidate'`)
	if got := c.Sides[0].Costs; len(got) != 1 || !got[0].Amount.Equal(want) || got[0].Currency != "USD" {
		t.Errorf("costs %+v, want %s", got, want)
	}
	if v := m.Values[0]; v.Exact == nil || !v.Exact.Equal(want.Over(144, 8)) || v.Of != 144 {
		t.Errorf("per delivered job: %+v", v)
	}

	// Beyond the bound a part of the accounts stands for all, with all of their charges; the number of charges stays exact.
	w.compare.SetSampled(120)
	part, err := w.compare.Compare(ctx, w.state())
	if err != nil {
		t.Fatal(err)
	}
	w.compare.SetSampled(50_000)
	for i, of := range []struct {
		like string
		each int64
	}{{`in\_%`, 12}, {`out\_%`, 6}, {`out\_%`, 6}} {
		var accounts int64
		if err := w.G.Raw(`SELECT count(*) FROM accounts WHERE id LIKE ? AND (hashint8extended(key, 20) & 1023) < 512`, of.like).Scan(&accounts).Error; err != nil {
			t.Fatal(err)
		}
		if got := part.Sides[i]; got.Part != 512 || got.Total != 240 || got.Accounts != accounts || got.Charges != of.each*accounts || got.Charges == 0 || got.Charges == 240 {
			t.Errorf("a part of side %d: %+v, want %d accounts", i, got, accounts)
		}
	}
	if v := measured(t, part, comparison.PerAccount).Values; v[0].Value != 12 || v[1].Value != 6 {
		t.Errorf("a part: %+v", v)
	}

	// It is kept, and a copy that is young enough is not made again; of another stage it is.
	kept, err := w.compare.Last(ctx, ro)
	if err != nil || kept == nil || !kept.At.Equal(c.At) || kept.Sides[0].Charges != 240 || kept.Measures[0].Values[0] != c.Measures[0].Values[0] {
		t.Fatalf("kept: %+v %v", kept, err)
	}
	live, err := w.Rollouts.Live(ctx)
	if err != nil || len(live) != 1 {
		t.Fatal(live, err)
	}
	if err := w.compare.Refresh(ctx, live); err != nil {
		t.Fatal(err)
	}
	if again, err := w.compare.Last(ctx, ro); err != nil || !again.At.Equal(c.At) {
		t.Errorf("made again: %+v %v", again, err)
	}
	w.exec(`UPDATE rollout_comparisons SET made_at = made_at - interval '16 minutes'`)
	if err := w.compare.Refresh(ctx, live); err != nil {
		t.Fatal(err)
	}
	if again, err := w.compare.Last(ctx, ro); err != nil || !again.At.After(c.At) {
		t.Errorf("not made again: %+v %v", again, err)
	}
}

func sumOf(t *testing.T, w *world, sql string) decimal.Decimal {
	t.Helper()
	var d decimal.Decimal
	if err := w.G.Raw(sql).Row().Scan(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

func chargeOf(account, id string, units int64) job.ChargeRequest {
	e := modeltest.Envelope()
	e.OperationID = id
	return job.ChargeRequest{Envelope: e, AccountID: account, JobID: id, Action: modeltest.Action, Units: units, Mode: job.External}
}

// With too few charges, or charges of too few accounts, nothing is said but what is missing and where.
func TestTooLittleDataIsNoVerdict(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for _, id := range []string{"in_0", "out_0"} {
		w.Account(t, id, 100_000)
	}
	w.draft(pricing.Stage{Segment: pricing.Segment{Accounts: []string{"in_0"}}})
	if _, err := w.compare.Make(ctx, w.state()); !errors.Is(err, comparison.ErrNotStarted) {
		t.Fatalf("a draft: %v", err)
	}
	w.step(w.Rollouts.Start)
	w.charge("in_0", "one", 60)
	c, err := w.compare.Make(ctx, w.state())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Measures {
		for _, v := range m.Against {
			if v.Finding != comparison.Lacking || v.Lack == nil || v.Lack.Side != comparison.Candidate && m.Values[0].Of >= comparison.Enough {
				t.Errorf("%s: %+v", m.Name, v)
			}
		}
	}
	lack := measured(t, c, comparison.Resent).Against[0].Lack
	if *lack != (comparison.Lack{Of: comparison.Charges, Side: comparison.Candidate, Have: 1, Need: comparison.Enough}) {
		t.Errorf("%+v", lack)
	}
	var ofOne []string
	for n := range comparison.Enough {
		ofOne = append(ofOne, time.Duration(n).String())
		w.charge("in_0", "more-"+ofOne[n], 1)
	}
	if c, err = w.compare.Make(ctx, w.state()); err != nil {
		t.Fatal(err)
	}
	lack = measured(t, c, comparison.Resent).Against[0].Lack
	if *lack != (comparison.Lack{Of: comparison.Accounts, Side: comparison.Candidate, Have: 1, Need: comparison.EnoughAccounts}) {
		t.Errorf("of one account: %+v", lack)
	}
}

// Replays that the caretaker has removed are not taken for replays that never were.
func TestRemovedReplaysAreNoReplays(t *testing.T) {
	w := newWorld(t)
	w.draft(pricing.Stage{Threshold: 100_000})
	w.step(w.Rollouts.Start)
	w.exec(`ALTER TABLE rollouts DISABLE TRIGGER USER`)
	w.exec(`UPDATE rollouts SET started_at = clock_timestamp() - interval '5 days', stage_since = clock_timestamp() - interval '5 days'`)
	c, err := w.compare.Make(context.Background(), w.state())
	if err != nil {
		t.Fatal(err)
	}
	m := measured(t, c, comparison.Resent)
	if m.Against[0].Lack.Of != comparison.Charges {
		t.Errorf("kept for a week: %+v", m.Against[0].Lack)
	}
	// History began ten days ago.
	need := measured(t, c, comparison.Conflicting).Against[1].Lack
	if need.Of != comparison.Charges || need.Side != comparison.Candidate {
		t.Errorf("%+v", need)
	}
	w.compare = comparison.New(w.G, 24*time.Hour)
	if c, err = w.compare.Make(context.Background(), w.state()); err != nil {
		t.Fatal(err)
	}
	if lack := measured(t, c, comparison.Resent).Against[1].Lack; lack.Of != comparison.Retention {
		t.Errorf("kept for a day: %+v", lack)
	}
}
