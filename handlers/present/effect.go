package present

import (
	"math/big"
	"strings"

	"recoup/models/comparison"
	"recoup/models/credit"
	"recoup/models/pricing"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// NextStage is what a rollout's next stage would do, as the lines of the dialog that leads there, and a sentence that
// says how the money was worked out.
func (p Presenter) NextStage(r rollout.Rollout, e comparison.Effect, base, candidate pricing.Rule) ([]ui.Change, []string) {
	after := "effect.accounts"
	if e.About {
		after = "effect.about"
	}
	gain := p.L.Credits(e.Gain)
	if off := p.off(base, candidate); off != "" && e.Gain > 0 {
		gain = p.L.T("effect.gain_off", gain, off)
	}
	changes := []ui.Change{
		{Label: p.L.T("step.stage"), Before: p.StageName(r.Stages, r.Stage), After: p.StageName(r.Stages, r.Stage+1)},
		{Label: p.L.T("step.admitted"), Before: p.L.Credits(e.Now), After: p.L.T(after, p.L.Credits(e.After), p.L.Credits(e.Accounts))},
		{Label: p.L.T("effect.gain"), After: gain},
		{Label: p.L.T("step.leave"), After: p.L.Credits(e.Leave)},
	}
	if e.Charges == 0 {
		return append(changes, ui.Change{Label: p.L.T("effect.expected"), After: p.L.T("effect.no_charges")}), nil
	}
	perDay := func(s credit.Sum) credit.Sum { return s.Over(int64(e.Days)) }
	changes = append(changes,
		ui.Change{Label: p.L.T("effect.expected"), After: p.L.N("effect.of_paid", int64(e.Days), p.L.SignedSum(perDay(e.Expected).String()), p.sum(perDay(e.Paid)), p.L.SignedSum(e.Expected.String()))},
		ui.Change{Label: p.L.T("effect.worst"), After: p.L.T("effect.credits", p.L.SignedSum(e.Worst.String()))})
	notes := []string{p.L.N("effect.say", int64(e.Days), p.L.Credits(e.Charges))}
	if e.Young {
		notes = append(notes, p.L.T("effect.young"))
	}
	if e.About || e.AboutMoney {
		notes = append(notes, p.L.T("effect.part"))
	}
	return changes, notes
}

// off says by how much a unit is cheaper or dearer under the candidate; empty where neither, or where the baseline is
// free.
func (p Presenter) off(base, candidate pricing.Rule) string {
	// Prices have as many digits as they like; their ratio is rounded to a hundredth of a percent.
	price := func(r pricing.Rule) *big.Int {
		return new(big.Int).Mul(big.NewInt(r.UnitPrice), big.NewInt(10_000-r.DiscountBps))
	}
	before, then := price(base), price(candidate)
	if before.Sign() == 0 {
		return ""
	}
	less := new(big.Int).Sub(before, then)
	text := new(big.Rat).SetFrac(new(big.Int).Mul(less, big.NewInt(100)), before).FloatString(2)
	text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	if more, dearer := strings.CutPrefix(text, "-"); dearer {
		return p.L.T("off.more", more)
	}
	if text == "0" {
		return ""
	}
	return p.L.T("off.percent", text)
}

// MoveChecks are the checks of a step's dialog, each with how it came out.
func (p Presenter) MoveChecks(r rollout.Rollout, checks *rollout.Checks) (made string, out []views.Check) {
	if checks == nil {
		return "", nil
	}
	for _, c := range checks.All {
		out = append(out, p.check(r, *checks, c))
	}
	return p.L.T("checks.made_now", p.L.Stamp(checks.At, p.Now).Full), out
}
