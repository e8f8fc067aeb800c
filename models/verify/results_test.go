package verify_test

import (
	"strings"
	"testing"

	"recoup/models/verify"
)

// Whoever rewrites an entry with its hash and the head leaves a chain that is whole: the operation tells.
func TestAnEntryIsHeldAgainstItsOperation(t *testing.T) {
	const grant = " WHERE type = 'grant' AND account_key = " + many
	for _, c := range []struct {
		name            string
		damage          []string
		seq             int64
		expected, found string
	}{
		{"more was granted", []string{"UPDATE entries SET amount = amount + 500" + grant, reseal}, 1,
			"amount 1000, balance_after 1000, amount as it was asked for", "amount 1500, balance_after 1500, another amount"},
		{"another actor", []string{"UPDATE entries SET actor = 'staff:mallory'" + grant}, 1, "actor key:test", "actor staff:mallory"},
		{"another category", []string{"UPDATE entries SET category = 'goodwill'" + grant}, 1, "category as it was asked for", "another category"},
		{"another reference", []string{"UPDATE entries SET reference = 'pay-9'" + grant}, 1, "reference as it was asked for", "another reference"},
		{"another reason", []string{"UPDATE entries SET reason = 'put wrong' WHERE type = 'adjustment'"}, 0, "reason as it was asked for", "another reason"},
		{"a reason on a charge", []string{"UPDATE entries SET reason = 'x' WHERE " + ofJob("queued", "charge")}, 0, "reason as it was asked for", "another reason"},
		{"the newest entry is gone and the head moved back", []string{"DELETE FROM entries WHERE type = 'adjustment' AND account_key = " + many, reseal}, 0,
			"type adjustment, amount -7", "no entry"},
		{"the operation is gone", []string{"DELETE FROM operations WHERE kind = 'grant' AND account_key = " + many}, 1, "an operation that answered with it", "none"},
		{"the result says another amount", []string{"UPDATE operations SET result = replace(result::text, '\"amount\":1000', '\"amount\":\"x\"')::json WHERE kind = 'grant' AND account_key = " + many},
			1, "amount x", "amount 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := seed(t)
			damage(t, m.G, c.damage...)
			report, problems := check(t, m.G, verify.Options{})
			var own []verify.Problem
			for _, p := range problems {
				if (p.Check == verify.CheckResult || p.Check == verify.CheckCut) && (c.seq == 0 || p.Seq == c.seq) {
					own = append(own, p)
				}
			}
			if len(own) != 1 || own[0].AccountID != "many" || !strings.Contains(own[0].Expected, c.expected) || !strings.Contains(own[0].Found, c.found) {
				t.Fatalf("%d problems: %v", report.Problems, problems)
			}
		})
	}
}

// A run over one account compares that account alone.
func TestPartialRunsReadResults(t *testing.T) {
	m := seed(t)
	damage(t, m.G, "UPDATE entries SET actor = 'staff:mallory' WHERE type = 'grant'")
	if report, problems := check(t, m.G, verify.Options{AccountID: "debt"}); report.ByCheck[verify.CheckResult] != 1 || report.Problems != 1 || problems[0].AccountID != "debt" {
		t.Fatalf("%v", problems)
	}
}
