package costimport_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/models/costimport"
	"recoup/models/fault"
)

func read(t testing.TB, content string, m costimport.Mapping) costimport.File {
	t.Helper()
	f, err := costimport.Read(context.Background(), []byte(content), m, costimport.ForUpload(), []string{"video_render"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func own() costimport.Mapping { return costimport.Mapping{Format: costimport.Own} }

func focus(change ...func(*costimport.Mapping)) costimport.Mapping {
	m := costimport.Mapping{Format: costimport.Focus, Amount: costimport.BilledCost}
	for _, c := range change {
		c(&m)
	}
	return m
}

// problems are what is wrong with a file, one a line.
func problems(f costimport.File) string {
	var out []string
	for _, p := range f.Problems {
		out = append(out, p.String())
	}
	return strings.Join(out, "\n")
}

func TestOwnColumns(t *testing.T) {
	f := read(t, "\xef\xbb\xbfexternal_id,time,amount,currency,account_id,job_id,action,description,dimension:service\r\n"+
		"a,2026-11-30T12:00:00+09:00,1.5E-07,USD,acct_7,j1,,\"GPU, two\nlines\",gpu\r\n"+
		"b,2026-11-30T12:00:00Z,-3,EUR,,,video_render,,\r\n", own())
	if !f.Sound() || len(f.Records) != 2 || f.Lines[1] != 4 {
		t.Fatalf("%+v", f)
	}
	a := f.Records[0]
	if a.Amount.String() != "0.00000015" || a.JobID != "j1" || a.Description != "GPU, two\nlines" || a.Dimensions["service"] != "gpu" ||
		!a.Time.Equal(time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", a)
	}
	if f.Records[1].Dimensions != nil || f.Records[1].Action != "video_render" {
		t.Errorf("%+v", f.Records[1])
	}
	if len(f.Totals) != 2 || f.Totals[0].Currency != "EUR" || f.Totals[0].Amount.String() != "-3" || f.Totals[1].Amount.String() != "0.00000015" {
		t.Errorf("%+v", f.Totals)
	}
}

// Every bad line is named by its number, and then there is nothing to import.
func TestBadLinesNameThemselves(t *testing.T) {
	const head = "external_id,amount,currency,time,account_id,job_id,action\n"
	const good = "g,1,USD,2026-11-30T12:00:00Z,,,\n"
	for want, content := range map[string]string{
		"line 3: amount must be a decimal number such as 12.5 or -0.004":                   head + good + "x,\"1,5\",USD,2026-11-30T12:00:00Z,,,\n",
		"line 2: amount is required":                                                       head + "x,,USD,2026-11-30T12:00:00Z,,,\n" + good,
		"line 3: currency must be an ISO 4217 code such as USD":                            head + good + "x,1,Dollar,2026-11-30T12:00:00Z,,,\n",
		"line 3: time must be a time such as 2026-11-30T18:00:00Z":                         head + good + "x,1,USD,30.11.2026,,,\n",
		"line 2: until must lie after the time":                                            "external_id,amount,currency,time,until\ng,1,USD,2026-11-30T12:00:00Z,2026-11-30T12:00:00Z\n",
		"line 3: external_id is that of line 2 too":                                        head + good + good,
		"line 3: external_id is required":                                                  head + good + ",1,USD,2026-11-30T12:00:00Z,,,\n",
		"line 3: account_id is required with a job or an operation":                        head + good + "x,1,USD,2026-11-30T12:00:00Z,,j1,\n",
		`line 3: action holds "vidoe_render", which is not an action of this installation`: head + good + "x,1,USD,2026-11-30T12:00:00Z,,,vidoe_render\n",
		"line 3 has 3 cells, the header 7":                                                 head + good + "x,1,USD\n",
		"line 3 is not well-formed CSV: its quotes do not match":                           head + good + "x,1\"2,USD,2026-11-30T12:00:00Z,,,\n",
		"line 1: time is not a column of this file":                                        "external_id,amount,currency\na,1,USD\n",
		"line 1: amuont is not a known column; known are external_id, amount, currency, time, until, account_id, job_id, operation_id, action, description": "external_id,amount,currency,time,amuont\n",
		"line 1: job is not a known column; job_id is\nline 1: Account ID is not a known column; account_id is":                                             "external_id,amount,currency,time,job,Account ID\n",
		"line 1 has its columns separated by ; and not by commas":                                                                                           "external_id;amount;currency;time\na;1,5;USD;2026-11-30T12:00:00Z\n",
		"line 1 has its columns separated by tab and not by commas":                                                                                         "external_id\tamount\tcurrency\ttime\n",
		"line 1 is not encoded in UTF-8":                                                     "\xff\xfee\x00x\x00t\x00,\x00a\x00\n\x00",
		"line 1: amount is there twice":                                                      "external_id,amount,currency,time,amount\n",
		"line 1 is no header of a CSV file":                                                  "",
		"line 3: amount must have at most 20 digits before and 60 after the point":           head + good + "x,1e20,USD,2026-11-30T12:00:00Z,,,\n",
		"line 3: external_id is not valid UTF-8":                                             head + good + "\xff,1,USD,2026-11-30T12:00:00Z,,,\n",
		"line 3: external_id holds control characters":                                       head + good + "a\x00b,1,USD,2026-11-30T12:00:00Z,,,\n",
		"line 2: amount is required\nline 4: time is required\nline 4: currency is required": head + "x,,USD,2026-11-30T12:00:00Z,,,\n" + good + "y,1,,,,,\n",
	} {
		f := read(t, content, own())
		if got := problems(f); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if f.Sound() || len(f.Records) != 0 || !fault.Is(f.Err(), fault.CodeInvalid) {
			t.Errorf("%s: the file is taken for sound", want)
		}
	}
	if f := read(t, head, own()); f.Sound() || problems(f) != "the file holds no lines" || f.Err() == nil {
		t.Errorf("a file without lines: %+v", f)
	}
	many := head + strings.Repeat("x,no,USD,2026-11-30T12:00:00Z,,,\n", 200)
	if f := read(t, many, own()); len(f.Problems) != 100 || !f.More {
		t.Errorf("%d problems, more %v", len(f.Problems), f.More)
	}
}

func TestLimits(t *testing.T) {
	const content = "external_id,amount,currency,time\na,1,USD,2026-11-30T12:00:00Z\nb,1,USD,2026-11-30T12:00:00Z\n"
	for want, limits := range map[string]costimport.Limits{"the file is larger than 20 bytes": {Bytes: 20, Lines: 9}, "the file has more than 1 lines": {Bytes: 999, Lines: 1}} {
		f, err := costimport.Read(context.Background(), []byte(content), own(), limits, nil)
		if err != nil || problems(f) != want || f.Sound() {
			t.Errorf("%s %v", problems(f), err)
		}
	}
}

const focusHead = "BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargeDescription,ServiceName,ProviderName,Tags,x_LineId\n"

func focusFile(rows ...string) string { return focusHead + strings.Join(rows, "\n") + "\n" }

func TestFocus(t *testing.T) {
	long := strings.Repeat("é", 600)
	content := focusFile(
		`0.00000080000,1.5E-07,USD,2024-09-18 22:00:00,"$0.40 per million",Queue,Aws,"{""job"": ""acct_7/j1"", ""n"": 7, ""o"": {""a"": 1}}",L1`,
		`0.1,0.2,USD,2024-09-18T22:00:00Z,`+long+`,NULL,NULL,NULL,L2`,
		`0.1,0.2,EUR,2024-09-18T22:00:00+02:00,,Queue,,"{""job"": ""shared""}",L3`)
	m := focus(func(m *costimport.Mapping) { m.LineID, m.Job = "x_LineId", "Tags.job" })
	f := read(t, content, m)
	if !f.Sound() || len(f.Records) != 3 {
		t.Fatal(problems(f))
	}
	a, b, c := f.Records[0], f.Records[1], f.Records[2]
	if a.ExternalID != "L1" || a.AccountID != "acct_7" || a.JobID != "j1" || a.Amount.String() != "0.00000080" || a.Dimensions["ServiceName"] != "Queue" ||
		a.Dimensions["Tags.n"] != "7" || a.Dimensions["Tags.o"] != `{"a": 1}` || !a.Time.Equal(time.Date(2024, 9, 18, 22, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", a)
	}
	if b.AccountID != "" || len([]rune(b.Description)) != 500 || len(b.Dimensions) != 0 {
		t.Errorf("%+v", b)
	}
	if c.AccountID != "" || c.JobID != "" || !c.Time.Equal(time.Date(2024, 9, 18, 20, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", c)
	}
	if got := fmt.Sprint(f.Totals); got != "[{EUR 1 0.1} {USD 2 0.10000080}]" {
		t.Error(got)
	}
	m.Amount = costimport.EffectiveCost
	if f := read(t, content, m); f.Totals[1].Amount.String() != "0.20000015" {
		t.Errorf("%+v", f.Totals)
	}
	// The period, where the file has its end; one that ends where it begins is of that moment.
	period := strings.NewReplacer("Start,", "Start,ChargePeriodEnd,", "22:00:00,", "22:00:00,2024-09-18 23:00:00,", "00Z,", "00Z,2024-09-18 22:00:00,", "02:00,", "02:00,NULL,")
	if f := read(t, period.Replace(content), m); !f.Sound() || !f.Records[0].Until.Equal(time.Date(2024, 9, 18, 23, 0, 0, 0, time.UTC)) || !f.Records[1].Until.IsZero() || !f.Records[2].Until.IsZero() {
		t.Errorf("%s %+v", problems(f), f.Records)
	}
	if f := read(t, strings.Replace(period.Replace(content), " 23:00:00", " soon", 1), m); problems(f) != "line 2: ChargePeriodEnd must be a time such as 2026-11-30T18:00:00Z" {
		t.Error(problems(f))
	}
	// Account and operation in columns of their own.
	with := strings.NewReplacer("x_LineId", "x_Account", ",L1", ",acct_7", ",L2", ",", ",L3", ",a b").Replace(content)
	f = read(t, with, focus(func(m *costimport.Mapping) { m.Account, m.Operation = "x_Account", "Tags.job" }))
	if !f.Sound() || f.Records[0].OperationID != "acct_7/j1" || f.Records[0].AccountID != "acct_7" || f.Records[1].AccountID != "" || f.Records[2].AccountID != "" {
		t.Errorf("%s %+v", problems(f), f.Records)
	}
}

func TestBadFocusFiles(t *testing.T) {
	good := `1,1,USD,2024-09-18 22:00:00,,,,,L1`
	for want, x := range map[string]struct {
		content string
		m       costimport.Mapping
	}{
		"line 1: Id is not a column of this file":                               {focusFile(good), focus(func(m *costimport.Mapping) { m.LineID = "Id" })},
		"line 1: BilledCost is not a column of this file":                       {"EffectiveCost,BillingCurrency,ChargePeriodStart\n", focus()},
		"line 3: Tags must be a JSON object":                                    {focusFile(good, `1,1,USD,2024-09-18 22:00:00,,,,team=a,L2`), focus()},
		"line 3: x_LineId is that of line 2 too":                                {focusFile(good, good), focus(func(m *costimport.Mapping) { m.LineID = "x_LineId" })},
		"line 3: BillingCurrency is required":                                   {focusFile(good, `1,1,NULL,2024-09-18 22:00:00,,,,,L2`), focus()},
		"line 3: BilledCost must be a decimal number such as 12.5 or -0.004":    {focusFile(good, `1.2.3,1,USD,2024-09-18 22:00:00,,,,,L2`), focus()},
		"line 3: ChargePeriodStart must be a time such as 2026-11-30T18:00:00Z": {focusFile(good, `1,1,USD,18/09/2024,,,,,L2`), focus()},
	} {
		if got := problems(read(t, x.content, x.m)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Without ids of its own a row is known by its content and by how often it came before: equal rows stay apart, the
// order of rows and columns does not matter, and any changed cell makes another row.
func TestRowIDs(t *testing.T) {
	set := func(content string) map[string]int {
		t.Helper()
		f := read(t, content, focus())
		if !f.Sound() {
			t.Fatal(problems(f))
		}
		out := map[string]int{}
		for _, r := range f.Records {
			out[r.ExternalID]++
		}
		if len(out) != len(f.Records) {
			t.Errorf("an id comes twice: %v", out)
		}
		return out
	}
	same := func(a, b map[string]int) int {
		n := 0
		for id := range a {
			n += b[id]
		}
		return n
	}
	a, b := `1,1,USD,2024-09-18 22:00:00,a,,,,`, `2,1,USD,2024-09-18 22:00:00,b,,,,`
	first := set(focusFile(a, b, a))
	if len(first) != 3 || same(first, set(focusFile(a, a, b))) != 3 || same(first, set(focusFile(a, b, a, b))) != 3 || same(first, set(focusFile(a))) != 1 {
		t.Errorf("%v", first)
	}
	swapped := "EffectiveCost,BilledCost,ChargePeriodStart,BillingCurrency,ChargeDescription,ServiceName,ProviderName,Tags,x_LineId\n" +
		"1,1,2024-09-18 22:00:00,USD,a,,,,\n1,2,2024-09-18 22:00:00,USD,b,,,,\n1,1,2024-09-18 22:00:00,USD,a,,,,\n"
	if same(first, set(swapped)) != 3 {
		t.Error("the order of columns matters")
	}
	if other := set(focusFile(`1,1.0,USD,2024-09-18 22:00:00,a,,,,`)); same(first, other) != 0 {
		t.Error("a changed cell is the same row")
	}
}

func TestMappings(t *testing.T) {
	for field, m := range map[string]costimport.Mapping{
		"format":    {Format: "xls"},
		"amount":    {Format: costimport.Focus, Amount: "ListCost"},
		"operation": focus(func(m *costimport.Mapping) { m.Job, m.Operation = "a", "b" }),
		"account":   focus(func(m *costimport.Mapping) { m.Account = "a" }),
		"line_id":   focus(func(m *costimport.Mapping) { m.LineID = "a\x00" }),
	} {
		bad := m.Check()
		if len(bad) != 1 || bad[0].Name != field {
			t.Errorf("%+v: %v", m, bad)
		}
	}
	if bad := (costimport.Mapping{Format: costimport.Own, Job: "x"}).Check(); len(bad) != 1 {
		t.Errorf("%v", bad)
	}
	if costimport.Digest([]byte("a"), own()) == costimport.Digest([]byte("a"), focus()) {
		t.Error("another mapping has the same digest")
	}
}
