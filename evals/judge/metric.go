package judge

import "math"

// This file, clustered.go and paired.go have the statistics of an evaluation: rates with their intervals, pass@k and
// pass^k, paired comparison. All functions are pure. Probabilities are between 0 and 1, intervals are two-sided at 95
// %.

// Interval is a range with its ends.
type Interval struct{ Low, High float64 }

// clipped is the interval cut to what a rate can be.
func (i Interval) clipped() Interval {
	return Interval{math.Max(0, i.Low), math.Min(1, i.High)}
}

const (
	alpha = 0.05
	z975  = 1.959963984540054 // the normal quantile of 1-alpha/2
	z80   = 0.8416212335729143
)

// Wilson is the score interval of passed out of trials, for display. Without trials it is [0, 1].
// Source: Wilson, Probable inference, the law of succession, and statistical inference, 1927.
func Wilson(passed, trials int) Interval {
	if trials == 0 {
		return Interval{0, 1}
	}
	return wilson(float64(passed)/float64(trials), float64(trials), z975)
}

// wilson is the score interval of rate p in n trials, with the quantile z.
func wilson(p, n, z float64) Interval {
	zz := z * z
	middle := p + zz/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+zz/(4*n*n))
	return Interval{(middle - spread) / (1 + zz/n), (middle + spread) / (1 + zz/n)}.clipped()
}

// ClopperPearson is the exact interval of passed out of trials, for gates: it covers the truth in at least 95 %.
// Source: Clopper and Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial, 1934.
func ClopperPearson(passed, trials int) Interval {
	out := Interval{0, 1}
	k, n := float64(passed), float64(trials)
	if passed > 0 {
		out.Low = quantile(alpha/2, func(p float64) float64 { return betaInc(k, n-k+1, p) })
	}
	if passed < trials {
		out.High = quantile(1-alpha/2, func(p float64) float64 { return betaInc(k+1, n-k, p) })
	}
	return out
}

// quantile finds the p between 0 and 1 at which the rising function reaches level.
func quantile(level float64, rising func(p float64) float64) float64 {
	low, high := 0.0, 1.0
	for range 200 {
		middle := (low + high) / 2
		if middle == low || middle == high {
			break
		}
		if rising(middle) < level {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// TQuantile is the quantile of 1-alpha/2 of Student's distribution.
func TQuantile(degrees int) float64 {
	if degrees < 1 {
		return math.Inf(1)
	}
	v := float64(degrees)
	// P(|T| > t) is the incomplete beta function of v/(v+t²), which falls with t.
	x := quantile(alpha, func(x float64) float64 { return betaInc(v/2, 0.5, x) })
	return math.Sqrt(v * (1 - x) / x)
}

// betaInc is the regularised incomplete beta function, by Lentz's continued fraction.
// Source: NIST Digital Library of Mathematical Functions, 8.17.
func betaInc(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab - la - lb + a*math.Log(x) + b*math.Log1p(-x))
	if x > (a+1)/(a+b+2) {
		return 1 - front*fraction(b, a, 1-x)/b
	}
	return front * fraction(a, b, x) / a
}

func fraction(a, b, x float64) float64 {
	const tiny, enough, steps = 1e-300, 1e-16, 10_000
	nonzero := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/nonzero(1-(a+b)*x/(a+1))
	out := d
	for m := 1.0; m <= steps; m++ {
		for _, numerator := range [2]float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			d = 1 / nonzero(1+numerator*d)
			c = nonzero(1 + numerator/c)
			out *= c * d
		}
		if math.Abs(c*d-1) < enough {
			break
		}
	}
	return out
}
