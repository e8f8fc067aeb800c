package present

import (
	"strings"

	"recoup/models/comparison"
	"recoup/models/pricing"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// Prices are the two rule versions of a rollout.
type Prices struct{ Baseline, Candidate pricing.Rule }

// candidate names the candidate with what it is beside the baseline: "video_render@v2 (10 % off)".
func (p Presenter) candidate(x Prices) string {
	if off := p.off(x.Baseline, x.Candidate); off != "" {
		return p.L.T("rollout.named_off", x.Candidate.ID, off)
	}
	return x.Candidate.ID
}

// saysRollout is the one sentence that tells how a rollout stands.
func (p Presenter) saysRollout(r rollout.Rollout, x Prices, reach *comparison.Reach) string {
	candidate := p.candidate(x)
	switch {
	case r.State.Live():
		say := p.L.T("rollout.say_live_some", p.L.Credits(r.Enrolled), candidate, r.Baseline, p.Stamp(r.StartedAt).Full)
		if reach != nil && !reach.About {
			say = p.L.T("rollout.say_live", p.L.Credits(r.Enrolled), p.L.Credits(reach.Accounts), candidate, r.Baseline, p.Stamp(r.StartedAt).Full)
		}
		if r.State != rollout.Running {
			say += " " + p.L.T("rollout.say_paused")
		}
		return say
	case r.State == rollout.RolledBack:
		return p.L.T("rollout.say_rolled_back", p.Stamp(r.EndedAt).Full, r.Baseline, candidate)
	case r.State == rollout.Completed:
		return p.L.T("rollout.say_completed", p.Stamp(r.EndedAt).Full, candidate)
	case r.State == rollout.Archived:
		return p.L.T("rollout.say_archived")
	}
	return p.L.T("rollout.say_draft", r.Action, r.Baseline, candidate)
}

// widening says of a live rollout whether it may be widened now: a sentence that says yes, or a warning that says why
// not and who can help. At its last stage there is nothing to widen, and only what the checks found is said.
func (p Presenter) widening(r rollout.Rollout, checks *rollout.Checks) (say, warning, help string) {
	unsafe := p.Unsafe(r, checks)
	for _, h := range p.Help(r, checks) {
		help = strings.TrimSpace(help + " " + h.Text)
	}
	if unsafe == "" {
		help = ""
	}
	if r.Next() == nil {
		return p.L.T("rollout.say_last"), unsafe, help
	}
	var why []string
	switch r.State {
	case rollout.Paused:
		why = append(why, p.L.T("rollout.is_paused"))
	case rollout.Halted:
		why = append(why, p.L.T("rollout.is_halted"))
	}
	if until := r.DwellUntil(); until != nil && until.After(p.Now) {
		why = append(why, p.L.T("effect.dwell", p.L.Stamp(*until, p.Now).Full))
	}
	if unsafe != "" {
		why = append(why, unsafe)
	}
	if why == nil {
		return p.L.T("rollout.say_safe"), "", ""
	}
	return "", p.L.T("rollout.say_unsafe", strings.Join(why, " ")), help
}

// Prices are both prices of a rollout in words, with what the checks and the cap ask.
func (p Presenter) Prices(r rollout.Rollout, x Prices) views.Prices {
	v := views.Prices{
		Baseline: ui.ID{Value: x.Baseline.ID, URL: ActionURL(r.Action)}, BaselinePrice: p.Price(x.Baseline, r.Unit),
		Candidate: ui.ID{Value: x.Candidate.ID, URL: ActionURL(r.Action)}, CandidatePrice: p.Price(x.Candidate, r.Unit),
		Example: p.Example(x.Candidate, &x.Baseline, r.Unit), Off: p.off(x.Baseline, x.Candidate),
		Needs: p.L.T("rollout.needs", p.L.Credits(int64(r.MinCharges)), p.share(int64(r.MinCostsBps)))}
	if r.CapPerDay != nil {
		v.Cap = p.L.T("rollout.cap_is", p.L.Credits(*r.CapPerDay))
	}
	return v
}
