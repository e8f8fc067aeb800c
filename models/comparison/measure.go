package comparison

import (
	"slices"
	"strconv"

	"recoup/models/stats"
)

// needs are what verdicts of one comparison ask for.
type needs struct {
	// costsBps is the share of jobs whose cost has to be known, in hundredths of a percent.
	costsBps int64
	// kept says for each side whether replays and conflicts of its whole period are kept.
	kept [3]bool
}

// measures works out every figure and verdict.
func measures(sides [3]side, need needs) []Measure {
	out := []Measure{
		need.measure(sides, PerAccount, "", Charges, func(a account, _ float64) stats.Cluster { return stats.Cluster{Sum: float64(a.Charges), Size: 1} }),
		need.measure(sides, Resent, "", Charges, func(a account, _ float64) stats.Cluster {
			return stats.Cluster{Sum: float64(a.Resent), Size: float64(a.Charges)}
		}),
		need.measure(sides, Conflicting, "", Charges, func(a account, _ float64) stats.Cluster {
			return stats.Cluster{Sum: float64(a.Conflicting), Size: float64(a.Charges)}
		}),
		need.quantile(sides, LagMedian, 0.5),
		need.quantile(sides, LagP95, 0.95),
		need.measure(sides, Failed, "", Attempts, func(a account, _ float64) stats.Cluster {
			return stats.Cluster{Sum: float64(a.failed()), Size: float64(a.Attempts)}
		}),
	}
	for _, currency := range currencies(sides) {
		out = append(out,
			need.measure(sides, CostCharged, currency, Jobs, func(a account, cost float64) stats.Cluster { return stats.Cluster{Sum: cost, Size: float64(a.Known)} }),
			need.measure(sides, CostDelivered, currency, Jobs, func(a account, cost float64) stats.Cluster {
				return stats.Cluster{Sum: cost, Size: float64(a.KnownDelivered)}
			}))
	}
	return out
}

func currencies(sides [3]side) (out []string) {
	for _, s := range sides {
		for _, m := range s.counts.Costs {
			if !slices.Contains(out, m.Currency) {
				out = append(out, m.Currency)
			}
		}
	}
	slices.Sort(out)
	return out
}

// measure is one figure that is a ratio over accounts.
func (need needs) measure(sides [3]side, name Name, currency string, of Shortage, cluster func(account, float64) stats.Cluster) Measure {
	m := Measure{Name: name, Currency: currency}
	var lacks [3]*Lack
	never := [3]bool{true, true, true} // below zero
	for i := range sides {
		s := &sides[i]
		costs := map[int64]float64{}
		for _, c := range s.costs {
			if c.Currency == currency {
				// A float only for the spread: the value itself is worked out exactly below.
				costs[c.AccountKey], _ = strconv.ParseFloat(c.Amount.String(), 64)
			}
		}
		v := &m.Values[i]
		var clusters []stats.Cluster
		size := 0.0
		for _, a := range s.accounts {
			c := cluster(a, costs[a.AccountKey])
			if c.Size > 0 {
				v.Accounts++
			} else if c.Sum == 0 {
				continue
			}
			clusters, size = append(clusters, c), size+c.Size
			never[i] = never[i] && c.Sum >= 0
		}
		if v.Of = int64(size); name == PerAccount {
			v.Of = s.counts.Charges
		}
		estimate := stats.Ratio
		if name == Resent || name == Conflicting || name == Failed {
			estimate = stats.Share
		}
		v.Estimate, v.Interval = estimate(clusters, Level)
		if !v.Interval && size > 0 {
			v.Value = clusters[0].Sum / size // of one account
		}
		if v.Low == v.High && v.Accounts < EnoughAccounts {
			// So few that are equal to each other bound nothing.
			v.Interval = false
		}
		if currency != "" && v.Of > 0 {
			exact := s.counts.cost(currency).Over(v.Of, 8)
			v.Exact = &exact
		}
		lacks[i] = need.lack(Side(i), s.counts, *v, name, of)
	}
	m.judge(lacks)
	for i := range m.Values {
		// The interval of a mean may reach below what there can be; the verdicts go by the whole of it.
		if v := &m.Values[i]; never[i] && v.Low < 0 {
			v.Low = 0
		}
	}
	return m
}

// quantile is one figure of the queue's lag.
func (need needs) quantile(sides [3]side, name Name, q float64) Measure {
	m := Measure{Name: name}
	var lacks [3]*Lack
	for i := range sides {
		v := &m.Values[i]
		v.Of = int64(len(sides[i].lags))
		v.Accounts = distinct(sides[i].lags)
		v.Estimate, v.Interval = stats.Quantile(sides[i].lags, q, Level)
		lacks[i] = need.lack(Side(i), sides[i].counts, *v, name, Claims)
	}
	m.judge(lacks)
	return m
}

func distinct(values []stats.Observation) int64 {
	seen := map[int64]bool{}
	for _, v := range values {
		seen[v.Account] = true
	}
	return int64(len(seen))
}

// lack is what a side lacks for a verdict; nil for nothing.
func (need needs) lack(s Side, n Counts, v Value, name Name, of Shortage) *Lack {
	switch {
	case (name == Resent || name == Conflicting) && !need.kept[s]:
		return &Lack{Of: Retention, Side: s}
	case v.Of < Enough:
		return &Lack{Of: of, Side: s, Have: v.Of, Need: Enough}
	case v.Accounts < EnoughAccounts:
		return &Lack{Of: Accounts, Side: s, Have: v.Accounts, Need: EnoughAccounts}
	case name == CostCharged && n.Known*10_000 < n.Charges*need.costsBps:
		return &Lack{Of: KnownCosts, Side: s, Have: n.Known * 10_000 / n.Charges, Need: need.costsBps}
	case name == CostDelivered && n.KnownDelivered*10_000 < n.Delivered*need.costsBps:
		return &Lack{Of: KnownCosts, Side: s, Have: n.KnownDelivered * 10_000 / n.Delivered, Need: need.costsBps}
	case !v.Interval:
		return &Lack{Of: Spread, Side: s}
	}
	return nil
}

// judge holds the candidate against the two others.
func (m *Measure) judge(lacks [3]*Lack) {
	for i := range m.Against {
		other := i + 1
		v := &m.Against[i]
		if v.Lack = lacks[Candidate]; v.Lack == nil {
			v.Lack = lacks[other]
		}
		if v.Lack != nil {
			v.Finding = Lacking
			continue
		}
		v.By = stats.Difference(m.Values[Candidate].Estimate, m.Values[other].Estimate)
		switch {
		case v.By.Low > 0:
			v.Finding = Higher
		case v.By.High < 0:
			v.Finding = Lower
		default:
			v.Finding = None
		}
	}
}
