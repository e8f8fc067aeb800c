package stats

import "math"

// StudentT is the p-quantile of Student's distribution with df > 0 degrees of freedom, 0 < p < 1.
func StudentT(p, df float64) float64 {
	if p < 0.5 {
		return -StudentT(1-p, df)
	}
	// The distribution function rises, so that halving finds the quantile to the last digit that counts.
	low, high := 0.0, 1.0
	for studentCDF(high, df) < p && high < 1e12 {
		high *= 2
	}
	for range 200 {
		mid := (low + high) / 2
		if studentCDF(mid, df) < p {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// studentCDF is Student's distribution function for t ≥ 0.
func studentCDF(t, df float64) float64 { return 1 - incompleteBeta(df/(df+t*t), df/2, 0.5)/2 }

// incompleteBeta is the regularized incomplete beta function, by its continued fraction.
func incompleteBeta(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - incompleteBeta(1-x, b, a)
	}
	gamma := func(v float64) float64 { l, _ := math.Lgamma(v); return l }
	front := math.Exp(gamma(a+b)-gamma(a)-gamma(b)+a*math.Log(x)+b*math.Log1p(-x)) / a
	// Lentz's method.
	const tiny = 1e-300
	keep := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/keep(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m < 10_000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/keep(1+even*d), keep(1+even/c)
		f *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/keep(1+odd*d), keep(1+odd/c)
		f *= d * c
		if math.Abs(d*c-1) < 1e-14 {
			break
		}
	}
	return front * f
}
