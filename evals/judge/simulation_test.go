package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"chatterbox/evals/judge"
)

// This file plays suites whose truth is known and looks whether the statistics find it. The rules are: the seed is
// fixed; what a c must hold is a share of suites many enough that chance moves it by less than it has room; cases
// that are harder than what is promised are printed and not held to anything.

const (
	simulated  = 2000 // suites of a c
	repeats    = 4
	coverLeast = .93
	alarmsMost = .06
)

func begin(t *testing.T, seed uint64) *rand.Rand {
	t.Helper()
	if raced {
		t.Skip("CI runs the simulation without the race detector")
	}
	t.Parallel()
	return rand.New(rand.NewPCG(seed, seed))
}

// population is where the rates of scenarios come from.
type population struct {
	name string
	mean float64
	draw func(*rand.Rand) float64
}

func same(rate float64) population {
	return population{fmt.Sprintf("all %g", rate), rate, func(*rand.Rand) float64 { return rate }}
}

func between(low, high float64) population {
	return population{fmt.Sprintf("from %g to %g", low, high), (low + high) / 2, func(r *rand.Rand) float64 { return low + (high-low)*r.Float64() }}
}

// split has scenarios that always pass and others that never do, as prompts that a model answers the same way each
// time.
func split(rate float64) population {
	return population{fmt.Sprintf("%g always, else never", rate), rate, func(r *rand.Rand) float64 {
		if r.Float64() < rate {
			return 1
		}
		return 0
	}}
}

func play(random *rand.Rand, scenarios, trials int, from population) (scores []judge.Score, rates []float64) {
	for range scenarios {
		rate := from.draw(random)
		scores, rates = append(scores, judge.Score{Passed: passes(random, rate, trials), Trials: trials}), append(rates, rate)
	}
	return scores, rates
}

func passes(random *rand.Rand, rate float64, trials int) (passed int) {
	for range trials {
		if random.Float64() < rate {
			passed++
		}
	}
	return passed
}

// TestIntervalsCoverTheTruth plays suites and counts how often the clustered interval has the true rate in it.
func TestIntervalsCoverTheTruth(t *testing.T) {
	random := begin(t, 7)
	for _, c := range []struct {
		scenarios int
		from      population
		held      bool
	}{
		{30, same(.3), true}, {30, same(.5), true}, {30, same(.7), true}, {30, same(.9), true},
		{30, between(.3, .9), true}, {50, between(.3, .9), true}, {120, between(.3, .9), true}, {50, between(.8, 1), true}, {120, same(.9), true},
		{3, same(.9), false}, {10, same(.9), false}, {10, split(.8), false}, {30, split(.95), false}, {5, between(.3, .9), false}, {30, same(.98), false}, {30, split(.9), false}, {120, split(.9), false},
	} {
		covered, student := 0, 0
		for range simulated {
			scores, _ := play(random, c.scenarios, repeats, c.from)
			suite := judge.Clustered(scores)
			if suite.Score.Low <= c.from.mean && c.from.mean <= suite.Score.High {
				covered++
			}
			if suite.Interval.Low <= c.from.mean && c.from.mean <= suite.Interval.High {
				student++
			}
		}
		share := float64(covered) / simulated
		t.Logf("%3d scenarios, rates %s: the interval covers the truth in %.3f, Student's in %.3f", c.scenarios, c.from.name, share, float64(student)/simulated)
		if mixed := c.from.draw(random) != c.from.draw(random); mixed && c.held && float64(student)/simulated < coverLeast {
			t.Errorf("%d scenarios, rates %s: Student's covers in %.3f, want %g", c.scenarios, c.from.name, float64(student)/simulated, coverLeast)
		}
		if c.held && share < coverLeast {
			t.Errorf("%d scenarios, rates %s: covered in %.3f, want %g", c.scenarios, c.from.name, share, coverLeast)
		}
	}
}

// TestPairedGateSeldomErrs compares subjects that are equal.
func TestPairedGateSeldomErrs(t *testing.T) {
	random := begin(t, 8)
	for _, c := range []struct {
		scenarios, trials int
		from              population
	}{{30, repeats, between(.3, .9)}, {40, 1, between(.3, .9)}, {12, repeats, between(.3, .9)}} {
		alarms := 0
		for range simulated {
			if p := judge.SignFlip(compared(random, c.scenarios, c.trials, c.from, 0)); p <= .05 {
				alarms++
			}
		}
		share := float64(alarms) / simulated
		t.Logf("%3d scenarios of %d trials, rates %s: %.3f false alarms", c.scenarios, c.trials, c.from.name, share)
		if share > alarmsMost {
			t.Errorf("%d scenarios of %d trials, rates %s: %.3f false alarms, want at most %g", c.scenarios, c.trials, c.from.name, share, alarmsMost)
		}
	}
}

// compared are the differences between two subjects on the same scenarios, of which the second is worse by less.
func compared(random *rand.Rand, scenarios, trials int, from population, less float64) (differences []float64) {
	scores, rates := play(random, scenarios, trials, from)
	for i, a := range scores {
		b := judge.Score{Passed: passes(random, math.Max(0, rates[i]-less), trials), Trials: trials}
		differences = append(differences, b.Rate()-a.Rate())
	}
	return differences
}

// TestPower plays as many runs as the table of sample sizes says, and counts how often the difference is found: by the
// test of two rates that the table is of, by the paired gate with the same number of runs, and by the gate with as many
// scenarios as it is said to need.
func TestPower(t *testing.T) {
	random := begin(t, 9)
	// An exact chance comes in steps, and the gate takes the next one below: that costs some of its power.
	const power, tolerance, steps = .8, .03, .06
	for _, c := range []struct {
		a, b      float64
		scenarios int // of the paired gate, with as many trials as give the runs of the table
		held      bool
	}{{.95, .33, 9, false}, {.95, .85, 36, true}, {.95, .90, 109, true}} {
		runs := judge.RunsNeeded(c.a, c.b)
		needed := judge.ScenariosNeeded(c.a, c.b)
		unpaired, paired, enough := 0, 0, 0
		for range simulated / 2 {
			a, b := float64(passes(random, c.a, runs))/float64(runs), float64(passes(random, c.b, runs))/float64(runs)
			if middle := (a + b) / 2; math.Abs(a-b) > 1.959964*math.Sqrt(2*middle*(1-middle)/float64(runs)) {
				unpaired++
			}
			if judge.SignFlip(compared(random, c.scenarios, (runs+c.scenarios-1)/c.scenarios, same(c.a), c.a-c.b)) <= .05 {
				paired++
			}
			if needed > 0 && judge.SignFlip(compared(random, needed, 1, same(c.a), c.a-c.b)) <= .05 {
				enough++
			}
		}
		if share := float64(2*enough) / simulated; needed > 0 && share < power-tolerance {
			t.Errorf("%g and %g are told apart by the paired gate on %d scenarios in %.3f, want %g", c.a, c.b, needed, share, power)
		}
		found, gate := float64(2*unpaired)/simulated, float64(2*paired)/simulated
		t.Logf("%g and %g, %d runs each: found in %.3f, by the paired gate on %d scenarios in %.3f", c.a, c.b, runs, found, c.scenarios, gate)
		if found < power-tolerance {
			t.Errorf("%g and %g are told apart in %.3f of comparisons with %d runs each, want %g", c.a, c.b, found, runs, power)
		}
		if c.held && gate < power-tolerance-steps {
			t.Errorf("%g and %g are told apart by the paired gate in %.3f, want %g", c.a, c.b, gate, power)
		}
	}
}

// BenchmarkSignFlip is the slowest exact case, and a suite of 120 scenarios.
func BenchmarkSignFlip(b *testing.B) {
	for _, n := range []int{20, 120} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			differences := compared(rand.New(rand.NewPCG(1, 1)), n, 97, same(.5), .02)
			for b.Loop() {
				judge.SignFlip(differences)
			}
		})
	}
}
