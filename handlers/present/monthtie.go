package present

import (
	"strings"

	"recoup/models/month"
	"recoup/models/verify"
	views "recoup/views/months"
)

// tie says what a month was held against in the moment it was read. It has passed only where it was held against the
// balances, nothing differs, and verify, which reads the entries themselves, found nothing wrong with the ledger.
func (p Presenter) tie(o month.Overview, verified *month.Verified) views.Tie {
	v := views.Tie{State: "passed", Sum: p.L.T("month.tie_sum", p.sum(o.Opening), p.signed(o.Net()), p.sum(o.Closing))}
	breaks := o.Breaks()
	tied := o.Tied()
	switch {
	case tied != nil && o.Closing.Minus(*tied).Sign() == 0:
		say := "month.tie_holds"
		if !o.To.After(o.Balances.At) {
			say = "month.tie_holds_less"
		}
		v.All = p.L.T(say, p.L.Stamp(o.Balances.At, p.Now).Full, p.sum(*tied), p.L.Stamp(*o.Balances.Tied, p.Now).Full)
	case tied != nil:
		v.All = p.L.T("month.tie_differs", p.L.Stamp(o.Balances.At, p.Now).Full, p.sum(*tied), p.signed(o.Closing.Minus(*tied)), p.L.Stamp(*o.Balances.Tied, p.Now).Full)
	case o.Balances.Tied != nil:
		v.All, v.State = p.L.T("month.tie_stale", p.L.Stamp(*o.Balances.Tied, p.Now).Full), "stale"
	default:
		v.All, v.State = p.L.T("month.tie_never"), "stale"
	}
	for _, b := range breaks {
		if b.Name != month.BreakBalances {
			v.Breaks = append(v.Breaks, p.L.T("month_break."+b.Name, p.sum(b.Figure), p.sum(b.Against)))
		}
	}
	switch {
	case verified == nil:
		v.Verified = p.L.T("month.tie_unverified")
	case len(verified.Problems) > 0:
		v.Breaks = append(v.Breaks, p.L.T("month.tie_problems", p.L.Stamp(verified.StartedAt, p.Now).Full, p.checkNames(verified.Problems)))
	default:
		v.Verified = p.L.T("month.tie_verified", p.L.Stamp(verified.StartedAt, p.Now).Full)
	}
	if len(breaks) > 0 || len(v.Breaks) > 0 {
		v.State = "failed"
	}
	return v
}

// MonthsFound says above the list of months what keeps all of them from tying; "" where nothing was found.
func (p Presenter) MonthsFound(verified *month.Verified) string {
	if verified == nil || len(verified.Problems) == 0 {
		return ""
	}
	return p.L.T("months.found", p.L.Stamp(verified.StartedAt, p.Now).Full, p.checkNames(verified.Problems))
}

// checkNames names checks of the verifier.
func (p Presenter) checkNames(checks []string) string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = p.CheckName(verify.Check(c))
	}
	return strings.Join(names, p.L.T("list.separator"))
}

// FoundOfMonth is what verify found of a month.
func (p Presenter) FoundOfMonth(found []verify.Recorded) []views.Found {
	out := make([]views.Found, len(found))
	for i, f := range found {
		out[i] = views.Found{Check: p.CheckName(f.Check), Finding: p.verified(f.Problem)}
		if f.AccountID != "" {
			out[i].Entry.Text = f.AccountID
		}
		if f.Seq > 0 {
			out[i].Entry.Text, out[i].Entry.URL = f.AccountID+" #"+p.L.Credits(f.Seq), EntryURL(f.AccountID, f.Seq)
		}
	}
	return out
}
