package verify

// Invariant is a rule that the ledger keeps, in the order and under the names of docs/domain.md, with the checks
// that find it broken.
type Invariant struct {
	// Rule is its name there: L1, J3 …
	Rule   string
	Checks []Check
}

// Invariants groups all checks. Each check belongs to one rule.
func Invariants() []Invariant {
	return []Invariant{
		{"L1", []Check{CheckTriggers}},
		{"L2", []Check{CheckSeq, CheckTime, CheckBalance}},
		{"L3", []Check{CheckOnce}},
		{"L4", []Check{CheckNegativeSince}},
		{"L5", []Check{CheckAttribution, CheckDecision}},
		{"L6", []Check{CheckHash}},
		{"L7", []Check{CheckCut, CheckAnchor}},
		{"L8", []Check{CheckHead}},
		{"L9", []Check{CheckRollup, CheckCheckpoint, CheckMonth}},
		{"J2", []Check{CheckSettlement, CheckAmount, CheckOrder}},
		{"J3", []Check{CheckFlags, CheckJob}},
		{"J4", []Check{CheckLine, CheckStuck}},
		{"R9", []Check{CheckLetter, CheckTally}},
		{"O1", []Check{CheckOperation, CheckResult}},
		{"T1", []Check{CheckPayment}},
	}
}
