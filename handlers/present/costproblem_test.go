package present_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"recoup/handlers/present"
	"recoup/models/costimport"
	"recoup/views/text"
)

// Whatever is wrong with a bill has words of its own in both languages: none of the domain's English reaches a Japanese page.
func TestWhatIsWrongWithABillIsWorded(t *testing.T) {
	const head, row = "external_id,amount,currency,time,account_id,job_id,operation_id,action,description,dimension:d\n", "x,1,USD,2026-11-30T12:00:00Z,,,,,,\n"
	long := strings.Repeat("x", 600)
	own := costimport.Mapping{Format: costimport.Own}
	files := []string{"", "external_id,amount\nx,1\n", head, strings.Replace(head, "description", "amount", 1), strings.Replace(head, "description", "words", 1)}
	for _, cells := range []string{"x,1\"2", "x,1", "y," + strings.Repeat(",", 8), "y,1e99,USD,2026-11-30T12:00:00Z,,,,,,", "y,1.5.5,USDD,30.11.2026,,,,,,", "y,1,XXX,1900-01-01T00:00:00Z,,,,,,",
		"\xff,1,USD,2026-11-30T12:00:00Z,,,,,\x01,\x01", long + ",1,USD,2026-11-30T12:00:00Z,,,," + long + "," + long + "," + long, "y,1,USD,2026-11-30T12:00:00Z,,j,,,,\xff", "y,1,USD,2026-11-30T12:00:00Z,a,,,,,",
		"y,1,USD,2026-11-30T12:00:00Z,a,j,o,nothing,,", "y,1,USD,2026-11-30T12:00:00Z,..,a b,,,,", "y,1,USD,2026-11-30T12:00:00Z," + long + ",," + long + ",,,", "y,1,USD,2026-11-30T12:00:00Z,a,,é,,,", row + "x,1,USD,2026-11-30T12:00:00Z,,,,,,"} {
		files = append(files, head+cells+"\n")
	}
	name := "dimension:" + long
	many := head[:len(head)-1]
	cells := row[:len(row)-1]
	for i := range 60 {
		many, cells = many+",dimension:n"+strings.Repeat("i", i), cells+",v"
	}
	big := strings.Repeat(","+strings.Repeat("v", 499), 20)
	wide := head[:len(head)-1]
	for i := range 20 {
		wide += ",dimension:w" + strings.Repeat("i", i)
	}
	files = append(files, strings.Replace(head, "dimension:d", name, 1)+strings.Replace(row, ",\n", ",v\n", 1), many+"\n"+cells+"\n", wide+"\n"+row[:len(row)-1]+big+"\n")
	problems := []costimport.Problem{{Code: costimport.Recorded, Line: 3, Column: "external_id", Values: []string{"x"}}, {Code: costimport.ReadOtherwise, Line: 3}}
	for _, content := range files {
		for _, limits := range []costimport.Limits{costimport.ForUpload(), {Bytes: 1, Lines: 9}, {Bytes: 99999, Lines: 0}} {
			f, err := costimport.Read(context.Background(), []byte(content), own, limits, nil)
			if err != nil {
				t.Fatal(err)
			}
			problems = append(problems, f.Problems...)
		}
	}
	f, err := costimport.Read(context.Background(), []byte("BilledCost,BillingCurrency,ChargePeriodStart,Tags\n1,USD,2024-09-18,no\n"), costimport.Mapping{Format: costimport.Focus, Amount: costimport.BilledCost}, costimport.ForUpload(), nil)
	if err != nil {
		t.Fatal(err)
	}
	english := regexp.MustCompile(`[a-zA-Z]{2,} [a-zA-Z]{2,}`)
	codes := map[costimport.Code]bool{}
	for _, x := range append(problems, f.Problems...) {
		codes[x.Code] = true
		for _, lang := range []text.Lang{text.English, text.Japanese} {
			say := present.Presenter{L: text.Locale{Lang: lang}}.CostProblem(x)
			if strings.Contains(say, "⟦") || lang == text.Japanese && english.MatchString(say) || lang == text.English && strings.Contains(say, ": must") {
				t.Errorf("%s: %s", x, say)
			}
		}
	}
	if len(codes) != 14 {
		t.Errorf("the files have problems of %d kinds: %v", len(codes), codes)
	}
}
