package present

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"recoup/models/credit"
	"recoup/models/deadletter"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/process"
	"recoup/models/verify"
	"recoup/views/text"
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func ref[T any](v T) *T { return &v }

func english() Presenter {
	return Presenter{Now: at("2026-11-30T12:00:00Z"), Names: map[string]string{"staff:st_1": "Fiona Grant", "key:k_1": "render platform"}}
}

func TestEntryInWords(t *testing.T) {
	p := english()
	for name, x := range map[string]struct {
		entry         ledger.Entry
		what, by, sum string
	}{
		"charge":                {ledger.Entry{Type: ledger.Charge, Amount: -40, Actor: "key:k_1", JobID: ref("j1"), JobAction: ref("video_render"), JobUnits: ref(int64(1200))}, "video_render, 1,200 units", "render platform", "\u221240"},
		"refund with attempt":   {ledger.Entry{Type: ledger.Refund, Amount: 40, Actor: "system", Cause: ref("timed_out"), CauseAttempt: 2, CauseClass: ref("timed_out"), CauseCode: ref("lease_over")}, "Attempt 2 failed: Timed out, lease_over", "", "+40"},
		"refund by cancel":      {ledger.Entry{Type: ledger.Refund, Amount: 40, Actor: "staff:st_1", Cause: ref("canceled")}, "Canceled before delivery", "Fiona Grant", "+40"},
		"refund without detail": {ledger.Entry{Type: ledger.Refund, Amount: 40, Actor: "key:gone", Cause: ref("failed"), CauseClass: ref("transient"), CauseCode: ref("oom")}, "Failed: Transient oom", "key:gone", "+40"},
		"reclaim":               {ledger.Entry{Type: ledger.Reclaim, Amount: -40, Actor: "key:k_1"}, "Delivered after its refund", "render platform", "\u221240"},
		"grant":                 {ledger.Entry{Type: ledger.Grant, Amount: math.MaxInt64, Actor: "staff:st_1", Category: ref("paid"), Reference: ref("INV-7")}, "Paid, reference INV-7", "Fiona Grant", "+9,223,372,036,854,775,807"},
		"grant, no reference":   {ledger.Entry{Type: ledger.Grant, Amount: 5, Actor: "staff:st_1", Category: ref("goodwill")}, "Goodwill", "Fiona Grant", "+5"},
		"adjustment":            {ledger.Entry{Type: ledger.Adjustment, Amount: -9007199254740993, Actor: "staff:st_1", Reason: ref("paid outside")}, "paid outside", "Fiona Grant", "\u22129,007,199,254,740,993"},
	} {
		got := p.Entry(x.entry)
		if got.What != x.what || got.Actor != x.by || got.Credits != x.sum {
			t.Errorf("%s: %q by %q, %s", name, got.What, got.Actor, got.Credits)
		}
	}
}

func TestMoneyAndStateOfAJob(t *testing.T) {
	for _, x := range []struct {
		job          job.Job
		money, state string
	}{
		{job.Job{State: job.Running}, "not_refunded", "running"},
		{job.Job{State: job.Dead, IsRefunded: true}, "refunded", "dead"},
		{job.Job{State: job.Succeeded, IsRefunded: true, IsReclaimed: true}, "reclaimed", "succeeded"},
		{job.Job{State: job.Succeeded, IsRefunded: true, IsReclaimed: true, LateSuccessOf: ref(job.Dead)}, "reclaimed", "late_success"},
	} {
		if m, s := Money(x.job), State(x.job); m != x.money || s != x.state {
			t.Errorf("%+v: %s, %s", x.job.State, m, s)
		}
	}
}

// The row of a dead letter shows the time that its tab is about.
func TestDeadLetterTimes(t *testing.T) {
	died, closed, delivered := at("2026-11-30T10:00:00Z"), at("2026-11-30T11:00:00Z"), at("2026-11-30T11:30:00Z")
	p := english()
	open := p.DeadLetter(deadletter.Letter{DeadAt: died, State: job.Dead, AccountID: "acct_7", Assignee: "staff:st_1", SnoozedUntil: &died})
	if open.Since.Short != "30 Nov 10:00:00" || open.Resolution != "" || !open.Mismatch || open.Account.Text != "acct_7" || open.Assignee != "Fiona Grant" || !open.Until.None() {
		t.Errorf("open: %+v", open)
	}
	gone := p.DeadLetter(deadletter.Letter{DeadAt: died, ClosedAt: &closed, Outcome: deadletter.Discarded, State: job.Discarded, Resolution: "too_old", Refunded: true})
	if gone.Since.Short != "30 Nov 11:00:00" || gone.Resolution != "Too old to be of use" || gone.Mismatch || gone.Money != "refunded" {
		t.Errorf("discarded: %+v", gone)
	}
	back := p.DeadLetter(deadletter.Letter{DeadAt: died, ClosedAt: &closed, Outcome: deadletter.Requeued, State: job.Running, Refunded: true})
	if back.Outcome != "requeued" || back.Resolution != "Running" {
		t.Errorf("requeued: %+v", back)
	}
	j := job.Listed{Job: job.Job{State: job.Succeeded, Cost: 40, IsRefunded: true, IsReclaimed: true, DeliveredAt: &delivered, LateSuccessOf: ref(job.Dead), Deliveries: 3, Result: "s3://x"}}
	late := p.LateLetter(j, "Hoshino Studio", &deadletter.Reclaim{Amount: -40, BalanceAfter: -9007199254740993})
	if late.Since.Short != "30 Nov 11:30:00" || late.Late.TooLateFor != "dead" || late.Late.Reclaimed != "\u221240" || late.Late.Balance != "\u22129,007,199,254,740,993" ||
		late.Late.Deliveries != "delivered 3 times" || late.Late.Result != "s3://x" {
		t.Errorf("late: %+v", late.Late)
	}
	if free := p.LateLetter(job.Listed{Job: job.Job{State: job.Succeeded, Deliveries: 1}}, "", nil); free.Late.Reclaimed != "" || free.Late.Deliveries != "" {
		t.Errorf("nothing reclaimed: %+v", free.Late)
	}
}

// Days are cut by the person's calendar, also where a day has 23 or 25 hours.
func TestDaysFollowTheCalendar(t *testing.T) {
	for _, x := range []struct {
		zone  string
		times []string
		days  []string
		hours []float64
	}{
		{"America/New_York", []string{"2026-11-02T05:00:00Z", "2026-11-02T04:59:59Z", "2026-11-01T04:00:00Z"}, []string{"2026-11-02", "2026-11-01"}, []float64{24, 25}},
		{"America/New_York", []string{"2026-03-09T03:59:59Z", "2026-03-08T05:00:00Z"}, []string{"2026-03-08"}, []float64{23}},
		{"Asia/Kathmandu", []string{"2026-11-10T18:15:00Z", "2026-11-10T18:14:59Z"}, []string{"2026-11-11", "2026-11-10"}, []float64{24, 24}},
	} {
		zone, err := time.LoadLocation(x.zone)
		if err != nil {
			t.Fatal(err)
		}
		var entries []ledger.Entry
		for _, s := range x.times {
			entries = append(entries, ledger.Entry{CreatedAt: at(s)})
		}
		var names []string
		var hours []float64
		for _, d := range (Presenter{L: text.Locale{Zone: zone}}).Days(entries) {
			names, hours = append(names, d.Begin.Format(time.DateOnly)), append(hours, d.End.Sub(d.Begin).Hours())
		}
		if !reflect.DeepEqual(names, x.days) || !reflect.DeepEqual(hours, x.hours) {
			t.Errorf("%s: %v of %v hours", x.zone, names, hours)
		}
	}
}

func TestPercentNeverDividesByNothing(t *testing.T) {
	for _, x := range []struct {
		a, b int64
		want string
	}{{-150, -100, "+50 %"}, {-50, -100, "\u221250 %"}, {100, 100, "0 %"}, {0, -100, "\u2212100 %"}} {
		if got := percent(credit.SumOf(x.a).Ratio(credit.SumOf(x.b))); got != x.want {
			t.Errorf("%d after %d: %q", x.a, x.b, got)
		}
	}
	rows := english().Compare([]ledger.Type{ledger.Charge}, []ledger.Total{{Type: ledger.Charge, Count: 3, Amount: credit.SumOf(-60)}}, nil)
	if len(rows) != 1 || rows[0].Change != "" || rows[0].Today != "\u221260" || rows[0].Before != "0" {
		t.Errorf("%+v", rows)
	}
}

func TestServices(t *testing.T) {
	now := at("2026-11-30T12:00:00Z")
	sweep := now.Add(-5 * time.Second)
	old := now.Add(-5 * time.Minute)
	for name, x := range map[string]struct {
		all  []process.Process
		want string
	}{
		"nothing runs":       {nil, "ok unknown unknown down down"},
		"only a dead one":    {[]process.Process{{Kind: process.Work}}, "ok unknown unknown down down"},
		"serve alone":        {[]process.Process{{Kind: process.Serve, Alive: true, RedisOK: true, BeatAt: now}}, "ok ok ok down down"},
		"all well":           {[]process.Process{{Kind: process.Work, Alive: true, RedisOK: true, BeatAt: now, LastSweepAt: &sweep}}, "ok ok ok ok ok"},
		"Redis away for one": {[]process.Process{{Kind: process.Work, Alive: true, RedisOK: true, BeatAt: now, LastSweepAt: &sweep}, {Kind: process.Serve, Alive: true, BeatAt: now}}, "ok down ok ok ok"},
		"no sweep":           {[]process.Process{{Kind: process.Dev, Alive: true, RedisOK: true, BeatAt: now, LastSweepAt: &old}}, "ok ok ok ok degraded"},
		"relay behind":       {[]process.Process{{Kind: process.Dev, Alive: true, RedisOK: true, BeatAt: now, LastSweepAt: &sweep, RelayLagMs: 60_000}}, "ok ok degraded ok ok"},
	} {
		var got []string
		for _, s := range english().Services(x.all) {
			got = append(got, s.State)
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: %v, want %s", name, got, x.want)
		}
	}
}

func TestIntegrity(t *testing.T) {
	if english().IntegrityTile(nil, nil, "/integrity") != nil {
		t.Error("a verification that never was")
	}
	run := verify.Run{Report: verify.Report{Progress: verify.Progress{Problems: 3, Entries: 4110, Accounts: 12}}}
	if got := english().IntegrityTile(&run, nil, "/integrity"); got.URL != "/integrity" || got.Passed || got.Found != "3" || !strings.Contains(got.Checked, "4,110 entries") {
		t.Errorf("%+v", got)
	}
}

// Numbers keep their digits and secrets do not show, at any depth.
func TestPayloadLines(t *testing.T) {
	payload := json.RawMessage(`{"b":[1,{"api_token":{"deep":"hunter2"}}],"a":9007199254740993,"c":1.50,"d":null,"e":true,"Authorization":"x","f":"<b>"}`)
	lines, _, err := payloadLines(payload, true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range lines {
		got = append(got, l.Path+"="+l.Value)
		if l.Masked != (l.Value == masked) {
			t.Errorf("%+v", l)
		}
	}
	want := "Authorization=" + masked + " a=9007199254740993 b[0]=1 b[1].api_token.deep=" + masked + " c=1.50 d=null e=true f=<b>"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	// Until it is revealed no value shows, only where it is and of what kind.
	lines, _, err = payloadLines(payload, false)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, l := range lines {
		got = append(got, l.Path+":"+l.Kind)
		if !l.Masked || l.Value != masked {
			t.Errorf("%+v", l)
		}
	}
	want = "Authorization:string a:number b[0]:number b[1].api_token.deep:string c:number d:null e:boolean f:string"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	for _, scalar := range []string{`7`, `"x"`, `null`, `[]`, `{}`} {
		if _, _, err := payloadLines(json.RawMessage(scalar), false); err != nil {
			t.Errorf("%s: %v", scalar, err)
		}
	}
}

func TestScopeOfTimers(t *testing.T) {
	if a, b := Scope("acct_7", "key:k_1"), Scope("acct_7", "system"); a == b || a != operation.Account("acct_7").String() {
		t.Errorf("%s, %s", a, b)
	}
}

// Flags and entries that disagree are said so.
func TestConsistent(t *testing.T) {
	charge, refund, other := ledger.Entry{Type: ledger.Charge, Amount: -7}, ledger.Entry{Type: ledger.Refund, Amount: 7}, ledger.Entry{Type: ledger.Refund, Amount: 9}
	for _, x := range []struct {
		refunded bool
		entries  map[int64]ledger.Entry
		want     bool
	}{
		{false, map[int64]ledger.Entry{1: charge}, true},
		{true, map[int64]ledger.Entry{1: charge, 2: refund}, true},
		{true, map[int64]ledger.Entry{1: charge}, false},
		{false, map[int64]ledger.Entry{1: charge, 2: refund}, false},
		{false, nil, false},
		{true, map[int64]ledger.Entry{1: charge, 2: other}, false},
	} {
		if got := consistent(JobPage{Job: job.Listed{Job: job.Job{Cost: 7, IsRefunded: x.refunded}}, Entries: x.entries}); got != x.want {
			t.Errorf("refunded %t with %d entries: %t", x.refunded, len(x.entries), got)
		}
	}
}
