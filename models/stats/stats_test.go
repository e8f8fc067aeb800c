package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"recoup/models/stats"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: %.6f, want %.6f", what, got, want)
	}
}

// The quantiles of printed tables.
func TestStudentT(t *testing.T) {
	for _, x := range []struct{ p, df, want float64 }{
		{0.975, 1, 12.7062}, {0.975, 9, 2.26216}, {0.995, 1, 63.6567}, {0.995, 9, 3.24984}, {0.995, 30, 2.74999}, {0.995, 120, 2.61742},
		{0.975, 1e7, 1.95996}, {0.995, 1e7, 2.57583}, {0.5, 5, 0}, {0.025, 9, -2.26216}, {0.9, 2, 1.88562},
	} {
		near(t, "t", stats.StudentT(x.p, x.df), x.want, 0.0001)
	}
}

// Where every account has one observation, a share has Wilson's interval as it is printed: 15 of 148 (Newcombe 1998:
// 0.0624 to 0.1605), 0 of 20 (0 to 0.1611) and 1 of 29 (0.0061 to 0.1718), all for 95 %.
func TestShareIsWilson(t *testing.T) {
	for _, x := range []struct {
		hits, n   int
		low, high float64
	}{{15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		clusters := make([]stats.Cluster, x.n)
		for i := range clusters {
			clusters[i].Size = 1
			if i < x.hits {
				clusters[i].Sum = 1
			}
		}
		e, ok := stats.Share(clusters, 0.95)
		if !ok || e.Value != float64(x.hits)/float64(x.n) {
			t.Fatalf("%d of %d: %+v %v", x.hits, x.n, e, ok)
		}
		// Student's t makes it a little wider than the printed one, the more so the fewer there are.
		if e.Low > x.low+0.0005 || e.High < x.high-0.0005 || e.High-e.Low > (x.high-x.low)*1.13 {
			t.Errorf("%d of %d: %.4f to %.4f, printed %.4f to %.4f", x.hits, x.n, e.Low, e.High, x.low, x.high)
		}
	}
}

// A mean of single observations has the interval of the textbook: 1…10 has mean 5.5, s = 3.02765, so 5.5 ± 2.1658.
func TestRatioIsTheTInterval(t *testing.T) {
	var clusters []stats.Cluster
	for i := 1; i <= 10; i++ {
		clusters = append(clusters, stats.Cluster{Sum: float64(i), Size: 1})
	}
	e, ok := stats.Ratio(clusters, 0.95)
	if !ok {
		t.Fatal("no estimate")
	}
	near(t, "mean", e.Value, 5.5, 1e-12)
	near(t, "low", e.Low, 5.5-2.16585, 0.0001)
	near(t, "high", e.High, 5.5+2.16585, 0.0001)
}

// Of 56 of 70 and 48 of 80 the printed difference is 0.2 from 0.0524 to 0.3339 (Newcombe 1998, method 10, 95 %).
func TestDifferenceIsNewcombe(t *testing.T) {
	d := stats.Difference(wilsonOf(t, 56, 70), wilsonOf(t, 48, 80))
	near(t, "difference", d.Value, 0.2, 1e-12)
	near(t, "low", d.Low, 0.0524, 0.004)
	near(t, "high", d.High, 0.3339, 0.004)
}

func wilsonOf(t *testing.T, hits, n int) stats.Estimate {
	t.Helper()
	clusters := make([]stats.Cluster, n)
	for i := range clusters {
		clusters[i] = stats.Cluster{Size: 1}
		if i < hits {
			clusters[i].Sum = 1
		}
	}
	e, _ := stats.Share(clusters, 0.95)
	return e
}

// A thousand charges of ten accounts that each always or never fail say as much as ten charges, not as a thousand.
func TestWhatOneAccountDoesCountsOnce(t *testing.T) {
	var together, apart []stats.Cluster
	for i := range 10 {
		together = append(together, stats.Cluster{Sum: float64(i%2) * 100, Size: 100})
		for j := range 100 {
			apart = append(apart, stats.Cluster{Sum: float64((i + j) % 2), Size: 1})
		}
	}
	a, _ := stats.Share(together, 0.99)
	b, _ := stats.Share(apart, 0.99)
	if a.Value != b.Value || a.High-a.Low < 5*(b.High-b.Low) {
		t.Errorf("together %+v, apart %+v", a, b)
	}
}

func TestTooLittleIsSaid(t *testing.T) {
	if _, ok := stats.Share([]stats.Cluster{{Sum: 1, Size: 2}}, 0.99); ok {
		t.Error("a share of one account")
	}
	if _, ok := stats.Ratio(nil, 0.99); ok {
		t.Error("a ratio of nobody")
	}
	if _, ok := stats.Ratio([]stats.Cluster{{}, {}}, 0.99); ok {
		t.Error("a ratio of nothing")
	}
	var few []stats.Observation
	for i := range 60 {
		few = append(few, stats.Observation{Account: int64(i), Value: float64(i)})
	}
	if _, ok := stats.Quantile(few, 0.95, 0.99); ok {
		t.Error("the 95th percentile of sixty values")
	}
	e, ok := stats.Quantile(few, 0.5, 0.99)
	if !ok || e.Value != 29 || e.Low < 15 || e.Low > 22 || e.High < 37 || e.High > 44 {
		t.Errorf("the median of 0 to 59: %+v %v", e, ok)
	}
}

// drawn is one simulated cohort: accounts of differing size and habit.
type drawn struct {
	shares, costs []stats.Cluster
	lags          []stats.Observation
}

// draw simulates accounts whose own failure rate is spread around share, whose costs are log-normal around mean and whose
// lag is exponential with a rate of their own. shift moves the rate and the costs.
func draw(r *rand.Rand, accounts int, share, shift float64) drawn {
	var d drawn
	for a := range accounts {
		n := 1 + r.IntN(40)
		// A beta of parameters 8·share and 8·(1 − share), as the ratio of two gammas.
		x, y := gamma(r, 8*share), gamma(r, 8*(1-share))
		p := min(x/(x+y)+shift, 1)
		habit := math.Exp(r.NormFloat64()*0.3) * (1 + shift*5)
		s, c := stats.Cluster{Size: float64(n)}, stats.Cluster{Size: float64(n)}
		for range n {
			if r.Float64() < p {
				s.Sum++
			}
			c.Sum += habit * math.Exp(r.NormFloat64()*0.5)
			d.lags = append(d.lags, stats.Observation{Account: int64(a), Value: habit * r.ExpFloat64()})
		}
		d.shares, d.costs = append(d.shares, s), append(d.costs, c)
	}
	return d
}

// gamma draws by Marsaglia and Tsang.
func gamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(r, shape+1) * math.Pow(r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	for {
		x := r.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(r.Float64()) < 0.5*x*x+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// Intervals of 99 % hold the truth in about 99 of 100 simulated cohorts, however charges cluster in accounts; intervals
// that took charges for independent would miss it several times as often.
func TestIntervalsHoldTheTruth(t *testing.T) {
	const runs, accounts, share = 1500, 60, 0.1
	r := rand.New(rand.NewPCG(1, 2))
	// The truths by one draw that is large enough.
	all := draw(rand.New(rand.NewPCG(3, 4)), 60_000, share, 0)
	trueCost, _ := stats.Ratio(all.costs, 0.99)
	trueLag, _ := stats.Quantile(all.lags, 0.5, 0.99)
	trueTail, _ := stats.Quantile(all.lags, 0.95, 0.99)
	missed := map[string]int{}
	for range runs {
		d := draw(r, accounts, share, 0)
		count := func(what string, e stats.Estimate, ok bool, truth float64) {
			if !ok || truth < e.Low || truth > e.High {
				missed[what]++
			}
		}
		e, ok := stats.Share(d.shares, 0.99)
		count("share", e, ok, share)
		e, ok = stats.Ratio(d.costs, 0.99)
		count("cost", e, ok, trueCost.Value)
		e, ok = stats.Quantile(d.lags, 0.5, 0.99)
		count("median", e, ok, trueLag.Value)
		e, ok = stats.Quantile(d.lags, 0.95, 0.99)
		count("p95", e, ok, trueTail.Value)
	}
	for what, n := range missed {
		if n > runs*25/1000 {
			t.Errorf("%s: the interval missed the truth in %d of %d", what, n, runs)
		}
	}
	t.Log(missed)
}

// A planted difference is found, and where there is none one is rarely claimed.
func TestDifferencesAreFound(t *testing.T) {
	const runs = 400
	r := rand.New(rand.NewPCG(5, 6))
	found := func(shift float64) (n int) {
		for range runs {
			x, y := draw(r, 80, 0.1, shift), draw(r, 300, 0.1, 0)
			a, _ := stats.Share(x.shares, 0.99)
			b, _ := stats.Share(y.shares, 0.99)
			if d := stats.Difference(a, b); d.Low > 0 || d.High < 0 {
				n++
			}
		}
		return n
	}
	if n := found(0); n > runs*3/100 {
		t.Errorf("%d of %d times claimed a difference where there is none", n, runs)
	}
	if n := found(0.1); n < runs*95/100 {
		t.Errorf("a difference of ten in a hundred was found in %d of %d", n, runs)
	}
}
