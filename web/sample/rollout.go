package sample

import (
	"context"

	"recoup/models/credit"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// The sample's rollout: transcription 10 % cheaper, for a share of the accounts first.
const (
	discountID = "transcription-10-off"
	discounted = "transcription"
)

// rollout tries a lower price on a part of the accounts, as a product manager would.
func (s Seeder) rollout(ctx context.Context) error {
	mika, err := s.Staff.ByEmail(ctx, "mika@recoup.example")
	if err != nil {
		return err
	}
	e := envelope("candidate:" + discounted)
	out, err := s.Pricing.CreateRule(ctx, pricing.NewRule{OperationID: e.OperationID, Actor: mika.Actor(), Action: discounted, Unit: "minute",
		UnitPrice: 1200, Minimum: 1, DiscountBps: 1000, Rounding: credit.RoundUp, Reason: "Does a lower price bring more minutes?"})
	if err != nil {
		return err
	}
	var made pricing.RuleResult
	if err := out.Decode(&made); err != nil {
		return err
	}
	e = envelope("rollout:" + discountID)
	e.Actor = mika.Actor()
	_, err = s.Rollouts.Create(ctx, rollout.NewRollout{Envelope: e, ID: discountID, Title: "Transcription, 10 % off", Action: discounted, Candidate: made.RuleVersion,
		Stages: []pricing.Stage{{Threshold: 30_000}, {Threshold: 60_000, MinDwellS: 3600}, {Threshold: pricing.Buckets, MinDwellS: 3600}},
		Reason: "Does a lower price bring more minutes?"})
	if err != nil {
		return err
	}
	e.OperationID = "sample:rollout:start"
	_, err = s.Rollouts.Start(ctx, rollout.StepRequest{Envelope: e, RolloutID: discountID, Version: 1, Reason: "Agreed in the pricing meeting"})
	return err
}
