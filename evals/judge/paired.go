package judge

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// McNemar is the exact two-sided chance of counts as uneven as b and c, where one subject alone passed b times and the
// other alone c times.
func McNemar(b, c int) float64 {
	n, sum := b+c, 0.0
	for i := range min(b, c) + 1 {
		sum += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return math.Min(1, 2*sum)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

const (
	exactMax = 20     // scenarios that differ, up to which every sign is tried
	draws    = 10_000 // signs tried beyond that
)

// SignFlip is the two-sided chance of a mean as far from zero as that of the differences, when each had either sign
// with the same chance: exact up to 20 that are not zero, else from draws with a fixed seed.
func SignFlip(differences []float64) float64 {
	var left []float64
	total := 0.0
	for _, d := range differences {
		if d != 0 {
			left = append(left, math.Abs(d))
			total += d
		}
	}
	if len(left) == 0 {
		return 1
	}
	// What rounding makes of equal sums must not tell them apart.
	least := math.Abs(total) - 1e-9
	slices.SortFunc(left, func(a, b float64) int { return cmp.Compare(b, a) })
	if len(left) <= exactMax {
		return extremes(left, 0, sum(left), least) / float64(int(1)<<len(left))
	}
	random := rand.New(rand.NewPCG(1, 2))
	extreme := 1 // the signs that were found are one of the possible ones
	for range draws {
		if math.Abs(drawn(left, random)) >= least {
			extreme++
		}
	}
	return float64(extreme) / (draws + 1)
}

// extremes counts the signs of values with which they and sofar add up to least or more, away from zero. Rest is the
// sum of the values.
func extremes(values []float64, sofar, rest, least float64) float64 {
	switch distance := math.Abs(sofar); {
	case distance-rest >= least:
		return float64(int(1) << len(values))
	case distance+rest < least:
		return 0
	}
	value := values[0]
	return extremes(values[1:], sofar+value, rest-value, least) + extremes(values[1:], sofar-value, rest-value, least)
}

func sum(values []float64) (out float64) {
	for _, v := range values {
		out += v
	}
	return out
}

// drawn is the sum of values with random signs.
func drawn(values []float64, random *rand.Rand) (out float64) {
	const signBit = 1 << 63
	var bits uint64
	for i, v := range values {
		if i%64 == 0 {
			bits = random.Uint64()
		}
		out += math.Float64frombits(math.Float64bits(v) ^ bits&signBit)
		bits <<= 1
	}
	return out
}

// MeanInterval is the mean of differences and Student's interval around it; with fewer than two it is [-1, 1].
func MeanInterval(differences []float64) (mean float64, interval Interval) {
	n := math.Max(1, float64(len(differences)))
	mean = sum(differences) / n
	if n < 2 {
		return mean, Interval{-1, 1}
	}
	squares := 0.0
	for _, d := range differences {
		squares += (d - mean) * (d - mean)
	}
	spread := TQuantile(len(differences)-1) * math.Sqrt(squares/(n-1)/n)
	return mean, Interval{math.Max(-1, mean-spread), math.Min(1, mean+spread)}
}

// Holm adjusts the chances of several comparisons, so that the chance of one false alarm among all of them stays what
// one comparison's is. The order is kept.
func Holm(chances []float64) []float64 {
	order := make([]int, len(chances))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(chances[a], chances[b]) })
	out, worst := make([]float64, len(chances)), 0.0
	for rank, i := range order {
		worst = math.Max(worst, math.Min(1, chances[i]*float64(len(chances)-rank)))
		out[i] = worst
	}
	return out
}

// RunsNeeded is how many trials each of two subjects needs, so that rates as far apart as these are told apart in four
// of five comparisons. Equal rates never are: 0.
func RunsNeeded(a, b float64) int {
	if a == b {
		return 0
	}
	middle := (a + b) / 2
	root := z975*math.Sqrt(2*middle*(1-middle)) + z80*math.Sqrt(a*(1-a)+b*(1-b))
	return int(math.Ceil(root * root / ((a - b) * (a - b))))
}

// scenariosMost is how many scenarios ScenariosNeeded tries.
const scenariosMost = 500

// ScenariosNeeded is how many scenarios, each with one trial on either side, the paired test needs to tell rates as
// far apart as these apart in four of five comparisons. That is more than RunsNeeded where few are enough, since an
// exact chance comes in steps; 0 where the rates are equal, or more than 500 are needed.
func ScenariosNeeded(a, b float64) int {
	alone, against := a*(1-b), b*(1-a) // passed by one of the two only
	if alone < against {
		alone, against = against, alone
	}
	if alone == against {
		return 0
	}
	differ, found := alone+against, []float64{}
	for n := 0; n <= scenariosMost; n++ {
		// Of n scenarios that differ the better one must have passed at least so many alone.
		wins, chance := n+1, math.Exp(-float64(n)*math.Ln2)
		for tail := chance; 2*tail <= alpha; tail += chance {
			wins--
			chance = binomial(n, wins-1, .5)
		}
		power := 0.0
		for k := wins; k <= n; k++ {
			power += binomial(n, k, alone/differ)
		}
		found = append(found, power)
		all := 0.0
		for d, power := range found {
			all += binomial(n, d, differ) * power
		}
		if all >= .8 {
			return n
		}
	}
	return 0
}

// binomial is the chance of k out of n, each with chance p.
func binomial(n, k int, p float64) float64 {
	if p == 1 {
		if k == n {
			return 1
		}
		return 0
	}
	return math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// CleanRuns is how many trials without a failure show, at 95 %, that failures are rarer than rate.
func CleanRuns(rate float64) int {
	return int(math.Ceil(math.Log(alpha) / math.Log1p(-rate)))
}
