package drill

import (
	"encoding/json"
	"testing"
)

// answers enters answers about one job of cost 10 into new books and returns what they find wrong.
type answers struct {
	t *testing.T
	b *books
}

func newAnswers(t *testing.T) answers {
	plan := Plan{Accounts: []string{"a"}, Jobs: []Planned{{Account: "a", JobID: "j", Fate: FateLate, Units: 20, MaxAttempts: 3}}}
	s := answers{t, newBooks(plan)}
	s.hear("charge", kindCharge, false, "applied", false, `{"job":{"cost":10,"net":-10,"state":"queued"},"entry":{"seq":1,"type":"charge","amount":-10}}`)
	if len(s.b.wrong) != 0 {
		t.Fatal(s.b.wrong)
	}
	return s
}

func (s answers) operation(id, kind string, success bool) operation {
	o := operation{scope: scopeOf("a"), id: id, kind: kind, account: "a", job: "j", success: success}
	s.b.sent(o)
	return o
}

func (s answers) hear(id, kind string, success bool, outcome string, committed bool, result string) {
	s.b.answered(s.operation(id, kind, success), answer{status: 200, outcome: outcome, replayed: outcome == "replayed", result: json.RawMessage(result)}, committed)
}

const (
	refunded  = `{"outcome":"refunded","signal":{"outcome":"refunded","job":{"cost":10,"net":0,"state":"retrying"},"entry":{"seq":2,"type":"refund","amount":10}}}`
	reclaimed = `{"outcome":"reclaimed","job":{"cost":10,"net":-10,"state":"succeeded"},"entry":{"seq":3,"type":"reclaim","amount":-10}}`
	nothing   = `{"outcome":"already_refunded","job":{"cost":10,"net":0,"state":"dead"},"entry":null}`
)

func TestAnswersInOrder(t *testing.T) {
	s := newAnswers(t)
	s.hear("f1", kindFail, false, "applied", false, refunded)
	s.hear("f1", kindFail, false, "replayed", true, refunded)
	// The frame may be written otherwise; the result is the same.
	s.hear("f1", kindFail, false, "replayed", false, "  "+refunded+"\n")
	s.hear("f2", kindFail, false, "applied", false, nothing)
	s.hear("s1", kindSignal, true, "replayed", false, reclaimed)
	if len(s.b.wrong) != 0 {
		t.Fatalf("right answers are called wrong: %v", s.b.wrong)
	}
	n, _ := s.b.snapshot()
	if n.replays != 3 || n.charged != 1 {
		t.Errorf("counted %+v", n)
	}
	j := s.b.accounts["a"].jobs["j"]
	if j.replays != 3 || j.refundedBy != "f1" || j.reclaimedBy != "s1" || !j.delivered {
		t.Errorf("learned %+v", j)
	}
}

func TestAnswersThatAreWrong(t *testing.T) {
	for name, c := range map[string]struct {
		hear func(answers)
		want Kind
	}{
		"refunded by two operations": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, refunded)
			s.hear("f2", kindFail, false, "applied", false, `{"outcome":"refunded","job":{"cost":10},"entry":{"seq":4,"type":"refund","amount":10}}`)
		}, MovedTwice},
		"reclaimed by two operations": {func(s answers) {
			s.hear("s1", kindSignal, true, "applied", false, reclaimed)
			s.hear("s2", kindSignal, true, "applied", false, `{"outcome":"reclaimed","job":{"cost":10,"net":-10,"state":"succeeded"},"entry":{"seq":4,"type":"reclaim","amount":-10}}`)
		}, MovedTwice},
		"applied twice": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, refunded)
			s.hear("f1", kindFail, false, "applied", false, refunded)
		}, AppliedTwice},
		"committed and applied again": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", true, refunded)
		}, NotReplayed},
		"another result": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, refunded)
			s.hear("f1", kindFail, false, "replayed", false, nothing)
		}, AnswerChanged},
		"header and body disagree": {func(s answers) {
			o := s.operation("f1", kindFail, false)
			s.b.answered(o, answer{status: 200, outcome: "applied", replayed: true, result: json.RawMessage(nothing)}, false)
		}, UnexpectedAnswer},
		"refund without entry": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, `{"outcome":"refunded","job":{"cost":10},"entry":null}`)
		}, WrongNet},
		"refund of another amount": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, `{"outcome":"refunded","job":{"cost":10},"entry":{"seq":2,"type":"refund","amount":9}}`)
		}, WrongNet},
		"entry without movement": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, `{"outcome":"already_refunded","job":{"cost":10},"entry":{"seq":2,"type":"refund","amount":10}}`)
		}, UnexpectedAnswer},
		"success refunds": {func(s answers) {
			s.hear("s1", kindSignal, true, "applied", false, refunded)
		}, UnexpectedAnswer},
		"failure reclaims": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, reclaimed)
		}, UnexpectedAnswer},
		"delivered for nothing": {func(s answers) {
			s.hear("s1", kindSignal, true, "applied", false, `{"outcome":"nothing_to_reclaim","job":{"cost":10,"net":0,"state":"succeeded"}}`)
		}, WrongNet},
		"the cost moves": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, `{"outcome":"already_refunded","job":{"cost":11}}`)
		}, WrongCost},
		"one seq for two": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, `{"outcome":"refunded","job":{"cost":10},"entry":{"seq":1,"type":"refund","amount":10}}`)
		}, BrokenChain},
		"answer without job": {func(s answers) {
			s.hear("f1", kindFail, false, "applied", false, `{"outcome":"already_refunded"}`)
		}, UnexpectedAnswer},
		"price in force": {func(s answers) {
			want := int64(9)
			o := operation{scope: scopeOf("a"), id: "charge2", kind: kindCharge, account: "a", job: "j", cost: &want}
			s.b.sent(o)
			s.b.answered(o, answer{outcome: "applied", result: json.RawMessage(`{"job":{"cost":10},"entry":{"seq":5,"type":"charge","amount":-10}}`)}, false)
		}, WrongCost},
	} {
		t.Run(name, func(t *testing.T) {
			s := newAnswers(t)
			c.hear(s)
			for _, d := range s.b.wrong {
				if d.Kind == c.want && d.Account == "a" {
					return
				}
			}
			t.Errorf("not found; the books say %v", s.b.wrong)
		})
	}
}
