package costimport_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/fault"
	"recoup/models/modeltest"
)

// focusColumns are those of FOCUS 1.0, in the order in which a provider exports them, and an id of the line.
const focusColumns = "AvailabilityZone BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd BillingPeriodStart ChargeCategory ChargeClass ChargeDescription " +
	"ChargeFrequency ChargePeriodEnd ChargePeriodStart CommitmentDiscountCategory CommitmentDiscountId CommitmentDiscountName CommitmentDiscountStatus CommitmentDiscountType " +
	"ConsumedQuantity ConsumedUnit ContractedCost ContractedUnitPrice EffectiveCost InvoiceIssuerName ListCost ListUnitPrice PricingCategory PricingQuantity PricingUnit ProviderName " +
	"PublisherName RegionId RegionName ResourceId ResourceName ResourceType ServiceCategory Id ServiceName SkuId SkuPriceId SubAccountId SubAccountName Tags"

// unit is a number of ten-billionths as a bill writes it, with a zero that says nothing at the end.
func unit(n int64) string { return exact(n) + "0" }

// exact is a number of ten-billionths with all of its ten digits.
func exact(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%010d", sign, n/1e10, n%1e10)
}

// bill200 makes a bill of 200 lines, with the sums of its billed and effective costs, in ten-billionths. A third of the lines cost
// nothing, some are credit notes, and one alone has an effective cost.
func bill200(t testing.TB) (content string, billed, effective int64) {
	t.Helper()
	var b strings.Builder
	columns := strings.Fields(focusColumns)
	b.WriteString(strings.Join(columns, ",") + "\n")
	for i := range int64(200) {
		cost := map[bool]int64{true: 0, false: (i*7919 + 13) * (i*104_729 + 1) % 30_000_000_011}[i%3 == 0]
		if i%17 == 5 {
			cost = -cost
		}
		cells := map[string]string{"BilledCost": unit(cost), "EffectiveCost": unit(0), "ListCost": unit(cost + 1000*(i%2)), "ContractedCost": unit(0), "ConsumedQuantity": "2.000000000000000",
			"PricingQuantity": "2.00000000000", "ContractedUnitPrice": unit(0), "BillingAccountId": "1234567890123", "BillingAccountName": "Sunny \"Bird\", Ltd.", "BillingCurrency": "USD",
			"BillingPeriodStart": "2024-09-01 00:00:00", "BillingPeriodEnd": "2024-10-01 00:00:00", "ChargePeriodStart": fmt.Sprintf("2024-09-%02d %02d:%02d:00", 1+i%30, i%24, i/10),
			"ChargePeriodEnd": "2024-10-01 00:00:00", "ChargeCategory": "Usage", "ChargeDescription": fmt.Sprintf("$0.40 per million, line %d\nof the \"standard\" tier", i),
			"ProviderName": "Cloud", "ServiceName": "Queue, Simple", "Id": fmt.Sprint(11_000 + i)}
		if i == 120 {
			cells["EffectiveCost"], cells["ContractedCost"] = unit(1e10), unit(1e10)
			effective += 1e10
		}
		if i%4 == 1 {
			cells["Tags"] = fmt.Sprintf(`{"application": "Lens, \"wide\"", "job": "acct_7/j%d", "n": %d}`, i/4%2, i)
		}
		billed += cost
		for n, name := range columns {
			value, there := cells[name]
			if n > 0 {
				b.WriteByte(',')
			}
			if !there {
				b.WriteString("NULL")
			} else {
				b.WriteString(`"` + strings.ReplaceAll(value, `"`, `""`) + `"`)
			}
		}
		b.WriteByte('\n')
	}
	if lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll(); err != nil || len(lines) != 201 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	return b.String(), billed, effective
}

// A provider's bill comes to its sums digit for digit: when it is read, and when its records are added up.
func TestABillComesToItsSumsDigitForDigit(t *testing.T) {
	w := newWorld(t)
	content, billed, effective := bill200(t)
	if exact(effective) != "1.0000000000" || billed <= 0 || billed%10 == 0 {
		t.Fatalf("the bill is not what this test is about: %d %d", billed, effective)
	}
	for column, want := range map[string]string{costimport.BilledCost: exact(billed), costimport.EffectiveCost: "1.0000000000"} {
		m := focus(func(m *costimport.Mapping) { m.Amount, m.LineID, m.Job = column, "Id", "Tags.job" })
		source := strings.ToLower(column)
		out, err := w.imports.Upload(context.Background(), costimport.UploadRequest{Envelope: modeltest.Envelope(), Source: source, Mapping: m, FileName: "bill.csv", Content: []byte(content)})
		if err != nil {
			t.Fatal(err)
		}
		var up costimport.UploadResult
		if err := out.Decode(&up); err != nil {
			t.Fatal(err)
		}
		f, err := w.imports.Preview(context.Background(), up.ImportID)
		if err != nil || !f.Sound() || fmt.Sprint(f.Totals) != "[{USD 200 "+want+"}]" {
			t.Fatalf("%s is read as %v, want %s\n%s %v", column, f.Totals, want, problems(f), err)
		}
		if _, err := w.start(up.ImportID); err != nil {
			t.Fatal(err)
		}
		// j1 is a job of the account, j0 is none.
		if r, err := w.work(up.ImportID); err != nil || r.Recorded != 200 || r.Attributed != 25 || r.Unattributed != 175 {
			t.Fatalf("%+v %v", r, err)
		}
		totals, err := w.costs.Totals(context.Background(), cost.Filter{Source: source})
		if err != nil || fmt.Sprint(totals) != "[{USD 200 "+want+"}]" {
			t.Errorf("%s comes to %v, want %s, %v", column, totals, want, err)
		}
	}
}

// One bad line among two hundred names itself, and nothing is imported.
func TestABrokenLineOfABillNamesItself(t *testing.T) {
	w := newWorld(t)
	content, _, _ := bill200(t)
	m := focus(func(m *costimport.Mapping) { m.LineID = "Id" })
	for want, change := range map[string][2]string{
		// The description of each line has a line feed: the record 11077 begins on line 2 + 2 × 77.
		"line 156: ChargePeriodStart must be a time such as 2026-11-30T18:00:00Z": {`"2024-09-18 05:07:00"`, `"18.9.2024"`},
		"line 156: Tags must be a JSON object":                                    {`"{""application"": ""Lens, \""wide\"""", ""job"": ""acct_7/j1"", ""n"": 77}"`, `"{""application"": "`},
		"line 156: Id is that of line 2 too":                                      {`"11077"`, `"11000"`},
	} {
		if n := strings.Count(content, change[0]); n != 1 {
			t.Fatalf("%s is there %d times", change[0], n)
		}
		id := w.upload(strings.Replace(content, change[0], change[1], 1), m)
		_, err := w.start(id)
		if f := fault.As(err); f == nil || f.Code != fault.CodeInvalid || len(f.Fields) != 1 || f.Fields[0].Message != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if n := w.records(); n != 0 {
		t.Errorf("%d records of a broken bill", n)
	}
}
