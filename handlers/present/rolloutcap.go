package present

import (
	"strconv"

	"recoup/models/credit"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
)

// DayCap is the meter of what a rollout has given away today; the zero value where it has no cap.
func (p Presenter) DayCap(r rollout.Rollout, g *rollout.GivenToday) views.Cap {
	if g == nil {
		return views.Cap{}
	}
	if g.Given.Sign() < 0 {
		// The candidate is dearer: there is nothing that the cap could be reached by.
		return views.Cap{Share: "0", Say: p.L.T("cap.say_none", p.sum(credit.Sum{}.Minus(g.Given)), p.L.Credits(g.Cap), g.Day+" "+g.Zone)}
	}
	c := views.Cap{Share: strconv.FormatInt(g.Share(), 10), Say: p.L.T("cap.say", p.sum(g.Given), p.L.Credits(g.Cap), g.Day+" "+g.Zone)}
	until := p.L.Stamp(g.Until, p.Now).Full
	switch {
	case g.Over() && g.Lifted:
		c.Note = p.L.T("cap.lifted", until)
	case g.Over() && r.State == rollout.Paused:
		c.Note = p.L.T("cap.reached", until)
	}
	return c
}
