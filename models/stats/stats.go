// Package stats estimates shares, means and quantiles of what accounts did, with intervals that say how far off the
// estimates may be.
//
// A rollout assigns accounts, not charges: charges of one account resemble each other, so that a thousand of them from
// three accounts say less than a thousand from a thousand accounts. Every estimate here therefore takes its spread from
// the differences between accounts (a ratio estimate over clusters), and never trusts more observations than it has.
package stats

import (
	"cmp"
	"math"
	"slices"
)

// Estimate is a figure with the interval that holds the true one in as many of a hundred cases as the level says.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Cluster is what one account brought in: Sum over Size observations.
type Cluster struct{ Sum, Size float64 }

// Observation is one value of one account.
type Observation struct {
	Account int64
	Value   float64
}

// Ratio is the sum of all clusters over their size, with the interval of Student's t with one degree of freedom less
// than there are clusters. ok is false with fewer than two clusters or no observation.
func Ratio(clusters []Cluster, level float64) (e Estimate, ok bool) {
	ratio, variance, size := linear(clusters)
	if len(clusters) < 2 || size <= 0 {
		return Estimate{}, false
	}
	half := quantileT(len(clusters), level) * math.Sqrt(variance)
	return Estimate{ratio, ratio - half, ratio + half}, true
}

// Share is Ratio for clusters whose Sum counts some of their Size: Wilson's interval, with the number of observations
// that would spread as little if they were independent, and Student's t in the place of the normal quantile. ok is false
// with fewer than two clusters or no observation.
func Share(clusters []Cluster, level float64) (e Estimate, ok bool) {
	share, variance, size := linear(clusters)
	if len(clusters) < 2 || size <= 0 {
		return Estimate{}, false
	}
	low, high := wilson(share, effective(share, variance, size), quantileT(len(clusters), level))
	return Estimate{share, low, high}, true
}

// Quantile is the q-quantile of values, 0 < q < 1, with the values at the ends of the interval of their share (Woodruff).
// It sorts values. ok is false where so few independent observations lie beyond the quantile, fewer than tail, that no
// value bounds it.
func Quantile(values []Observation, q, level float64) (e Estimate, ok bool) {
	n := len(values)
	if n == 0 {
		return Estimate{}, false
	}
	slices.SortFunc(values, func(a, b Observation) int { return cmp.Compare(a.Value, b.Value) })
	at := func(share float64) float64 {
		return values[min(max(int(math.Ceil(share*float64(n)))-1, 0), n-1)].Value
	}
	e.Value = at(q)
	of := map[int64]*Cluster{}
	for _, v := range values {
		c := of[v.Account]
		if c == nil {
			c = &Cluster{}
			of[v.Account] = c
		}
		c.Size++
		if v.Value <= e.Value {
			c.Sum++
		}
	}
	clusters := make([]Cluster, 0, len(of))
	for _, c := range of {
		clusters = append(clusters, *c)
	}
	share, variance, size := linear(clusters)
	independent := effective(share, variance, size)
	if len(clusters) < 2 || independent*min(q, 1-q) < tail {
		return e, false
	}
	low, high := wilson(q, independent, quantileT(len(clusters), level))
	e.Low, e.High = at(low), at(high)
	return e, true
}

// tail is how many independent observations have to lie on each side of a quantile.
const tail = 5

// Difference is a − b, with the interval recovered from those of both (Newcombe's for shares; Zou and Donner's method
// in general). Where it leaves 0 out, the two differ.
func Difference(a, b Estimate) Estimate {
	d := a.Value - b.Value
	return Estimate{d, d - math.Hypot(a.Value-a.Low, b.High-b.Value), d + math.Hypot(a.High-a.Value, b.Value-b.Low)}
}

// linear is the ratio of the sums, its variance by the differences between clusters, and the size of all.
func linear(clusters []Cluster) (ratio, variance, size float64) {
	sum := 0.0
	for _, c := range clusters {
		sum, size = sum+c.Sum, size+c.Size
	}
	if size <= 0 {
		return 0, 0, 0
	}
	ratio = sum / size
	for _, c := range clusters {
		d := c.Sum - ratio*c.Size
		variance += d * d
	}
	if n := float64(len(clusters)); n > 1 {
		variance *= n / (n - 1)
	}
	return ratio, variance / (size * size), size
}

// effective is how many independent observations have this variance, at most as many as there are. A share of 0 or 1
// shows no variance and leaves them all.
func effective(share, variance, size float64) float64 {
	if variance <= 0 {
		return size
	}
	return min(size, max(share*(1-share)/variance, 1))
}

func wilson(share, n, z float64) (low, high float64) {
	z2 := z * z
	centre := (share + z2/(2*n)) / (1 + z2/n)
	half := z / (1 + z2/n) * math.Sqrt(share*(1-share)/n+z2/(4*n*n))
	return max(centre-half, 0), min(centre+half, 1)
}

// quantileT is the two-sided quantile of Student's t for so many clusters.
func quantileT(clusters int, level float64) float64 {
	return StudentT(1-(1-level)/2, float64(clusters-1))
}
