package e2e

import (
	"context"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/decimal"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/task"
)

// costPages are the pages of what providers billed, over what furnishCosts makes.
func costPages() []string {
	return []string{"/costs", "/costs?state=unattributed", "/costs?source=nobody", "/costs/records/1", "/costs/records/1/attribution", "/costs/rules", "/costs/rules/new",
		"/costs/imports", "/costs/imports/new", "/costs/margin", "/costs/margin?by=rollout", "/costs/values"}
}

// furnishCosts records costs of every state, makes a rule, and uploads a bill.
func furnishCosts(t *testing.T, w *world) {
	t.Helper()
	ctx := context.Background()
	costs := cost.New(w.Ops)
	amount := func(s string) decimal.Decimal {
		d, err := decimal.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	person := func() ledger.Envelope {
		e := modeltest.Envelope()
		e.Actor = actor.Staff("mika")
		return e
	}
	at := time.Now()
	_, err := costs.Record(ctx, cost.Batch{Envelope: modeltest.Envelope(), Source: "render-farm", Records: []cost.NewRecord{
		{ExternalID: "row:2b9fa1c04d1d13e7aa91e411:1", Amount: amount("0.0000160599"), Currency: "USD", Time: at, Dimensions: map[string]string{"ServiceName": "Elastic Load Balancing"},
			Description: "$0.008 per used Application load balancer capacity unit-hour (or partial hour)"},
		{ExternalID: "job-1", Amount: amount("12.5"), Currency: "USD", Time: at, AccountID: "aurora-films", JobID: longJob},
		{ExternalID: "huge", Amount: amount("-99999999999999999999.000000000000000000000000000001"), Currency: "JPY", Time: at, Description: "計算資源の返金"},
		{ExternalID: "rent", Amount: amount("3000"), Currency: "EUR", Time: at, Description: "Office rent"},
	}})
	if err == nil {
		_, err = costs.AddRule(ctx, cost.RuleRequest{Envelope: person(), Match: cost.Match{Description: "office"}, Reason: "No customer rents our office"})
	}
	if err == nil {
		_, err = costs.SetValue(ctx, cost.ValueRequest{Envelope: person(), Currency: "USD", Value: amount("0.0125"), ValidFrom: at.AddDate(0, -2, 0), Reason: "list price"})
	}
	if err == nil {
		_, err = costimport.New(w.Ops, costs, task.New(w.G, nil)).Upload(ctx, costimport.UploadRequest{Envelope: person(), Source: "aws", FileName: "cur-2026-11-with-a-long-name.csv",
			Mapping: costimport.Mapping{Format: costimport.Own}, Content: []byte("external_id,amount,currency,time\na,1,USD,2026-11-30T12:00:00Z\n")})
	}
	if err != nil {
		t.Fatal(err)
	}
}
