package rollout_test

import (
	"testing"

	"recoup/models/rollout"
)

func TestAnExampleSaysWhatIsWrong(t *testing.T) {
	e := rollout.Example{What: "entry_price:12", OperationID: "op-1", Expected: "54|render@v2", Found: "60|render@v1"}
	if kind, number := e.Problem(); kind != rollout.EntryPrice || number != "12" {
		t.Errorf("%s %s", kind, number)
	}
	if got := e.String(); got != "entry price 12 of operation op-1: 60 render@v1, expected 54 render@v2" {
		t.Error(got)
	}
	e = rollout.Example{What: "charge", OperationID: "op-1", Expected: "-54|render@v2|ro|candidate"}
	if kind, number := e.Problem(); kind != rollout.ChargeOfDecision || number != "" {
		t.Errorf("%s %s", kind, number)
	}
	if got := e.String(); got != "charge of operation op-1: none, expected -54 render@v2 ro candidate" {
		t.Error(got)
	}
}
