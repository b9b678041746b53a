package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"chatterbox/evals/judge"
	"chatterbox/evals/mockllm"
	"chatterbox/evals/scenario"
)

// Subject is what is scored: a model, served in one way.
type Subject struct {
	Name     string // in the log: model/strategy, and what else is varied
	Model    Model
	Strategy Strategy
	Tools    int // how many are offered; 0 is as the scenario says
	Context  int // tokens that the model was given, for the log
	// Fits says whether the subject can have a scenario; nil is every one.
	Fits func(scenario.Plan) bool
	// Player plays the model; nil is a model at Model.BaseURL. With Rates it is a simulated one.
	Player *Player
	Rates  mockllm.Rates
	// AtOnce is how many trials run at once on one endpoint: the least number of its subjects counts. 0 is 1.
	AtOnce int
	// Price is in USD for 1,000 tokens of prompt and of completion; nil is not known.
	Price *[2]float64
}

// Options say what to run. Zero values mean no limit, but for what is said.
type Options struct {
	Suite     *scenario.Suite
	Scenarios []scenario.Scenario // tagged @model
	Subjects  []Subject
	Runs      int // of a scenario that does not say itself; 0 is 1
	Seed      uint64
	Shard     int // from 1; of Shards
	Shards    int // 0 is one
	Log       *Log
	// RetryErrors runs trials again that the log has as errors.
	RetryErrors bool
	MaxCostUSD  float64 // of all trials of the log
	MaxTime     time.Duration
	TurnTimeout time.Duration // 0 is two minutes
	RetryPause  time.Duration // before the first retry of a request; 0 is half a second
	Recording   *Recording
	Client      *http.Client // to models; nil is an ordinary one
	// Progress is called after each trial, never by two goroutines at once.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Planned, Ran, Passed, Failed, Errors, Excluded int
	CostUSD                                        float64
	Last                                           judge.Trial
}

// Result is what became of a run.
type Result struct {
	Progress
	// Stopped are subjects that were given up because nothing but errors came any more, with the last one.
	Stopped map[string]string
	// Unscored are subjects of whose trials none passed or failed, with why the last one of this run did not; those
	// that have no trial yet are not among them.
	Unscored map[string]string
	// Broken is how many of the trials the log has as errors.
	Broken int
	// Scenarios are those of a subject of which a trial is planned: in a shard not all.
	Scenarios map[string][]string
	// Cut is why the run ended before its end: the money or the time was used up.
	Cut string
}

// SeedDefault is the seed where nobody asks for another.
const SeedDefault = 1

// Defaults and limits.
const (
	turnTimeoutDefault = 2 * time.Minute
	errorsFirstMax     = 5  // of a subject that never had anything else
	errorsInRowMax     = 20 // of any other: one scenario that a server cannot serve is not the end of all
)

// Run runs what is planned and not yet in the log. The error is of the run itself, Refused where nothing was begun; a
// cancelled context ends it in order.
func Run(ctx context.Context, options Options) (Result, error) {
	if options.Client == nil {
		transport := &http.Transport{MaxIdleConnsPerHost: 64}
		defer transport.CloseIdleConnections()
		options.Client = &http.Client{Transport: transport}
	}
	options.TurnTimeout = cmp.Or(options.TurnTimeout, turnTimeoutDefault)
	plans, err := readPlans(options)
	if err != nil {
		return Result{}, &Refused{err}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run{Options: options, plans: plans, stop: stop, healths: map[string]*health{}}
	r.result.Stopped = map[string]string{}
	if options.MaxTime > 0 {
		over := &limitReached{fmt.Sprintf("the time of %v is used up", options.MaxTime)}
		timer := time.AfterFunc(options.MaxTime, func() { stop(over) })
		defer timer.Stop()
	}
	for u := range r.units() {
		r.result.Planned += len(r.left(u))
	}
	r.pay()
	if err := r.all(ctx); err != nil {
		return r.result, err
	}
	r.sumUp()
	cause := context.Cause(ctx)
	if reason, ok := errors.AsType[*limitReached](cause); ok {
		r.result.Cut = reason.why
		cause = nil
	}
	return r.result, cause
}

// pay ends the run where the money is used up. The caller holds mu, where the run goes on.
func (r *run) pay() {
	if spent := r.Log.spent + r.result.CostUSD; r.MaxCostUSD > 0 && spent >= r.MaxCostUSD {
		r.stop(&limitReached{fmt.Sprintf("the money is used up: %.4f of %.4f USD", spent, r.MaxCostUSD)})
	}
}

// limitReached ends a run before its end.
type limitReached struct{ why string }

func (l *limitReached) Error() string { return l.why }

// Refused is a run that was not begun, because it cannot be done as it was asked for.
type Refused struct{ Err error }

func (r *Refused) Error() string { return r.Err.Error() }

func (r *Refused) Unwrap() error { return r.Err }

// readPlans reads the scenarios and refuses a log that has other versions of them.
func readPlans(options Options) ([]scenario.Plan, error) {
	var plans []scenario.Plan
	for _, one := range options.Scenarios {
		plan, err := options.Suite.Plan(one)
		if err != nil {
			return nil, err
		}
		if had := options.Log.Version(one.ID); had != "" && had != one.Digest {
			return nil, fmt.Errorf("the log has trials of another version of %s: continue with another log", one.ID)
		}
		for _, subject := range options.Subjects {
			if !subject.takes(plan) {
				continue
			}
			if _, err := options.Suite.Offered(plan, subject.Tools, options.Seed); err != nil {
				return nil, err
			}
		}
		plans = append(plans, plan)
	}
	for _, subject := range options.Subjects {
		if !slices.ContainsFunc(plans, subject.takes) {
			return nil, fmt.Errorf("none of the %d scenarios is for %s: "+
				"each is about more tools than it is offered, or about others than it has", len(plans), subject.Name)
		}
	}
	return plans, nil
}

// takes says whether a scenario is for the subject: it is not where fewer tools are offered than it is about.
func (s Subject) takes(plan scenario.Plan) bool {
	return (s.Fits == nil || s.Fits(plan)) && (s.Tools == 0 || s.Tools >= len(plan.Tools))
}

// run is a run that goes on.
type run struct {
	Options
	plans []scenario.Plan
	stop  context.CancelCauseFunc

	mu      sync.Mutex
	result  Result             // guarded by mu
	healths map[string]*health // guarded by mu, by subject
	failure error              // guarded by mu: why the run cannot go on
}

// health is how far one may trust a subject's server.
type health struct {
	good  bool   // it had a trial that was no error
	inRow int    // errors since
	why   string // the last trial neither passed nor failed
}

// unit is work for one goroutine: trials of one scenario on one subject.
type unit struct {
	subject Subject
	plan    scenario.Plan
	trials  []int
}

// units are all that is planned, subject by subject.
func (r *run) units() iter.Seq[unit] {
	return func(yield func(unit) bool) {
		index := 0
		for _, subject := range r.Subjects {
			for _, plan := range r.plans {
				if !subject.takes(plan) {
					continue
				}
				u := unit{subject: subject, plan: plan}
				for n := range max(1, cmp.Or(plan.Scenario.Runs, r.Runs)) {
					if index++; r.Shards <= 1 || index%r.Shards == r.Shard%r.Shards {
						u.trials = append(u.trials, n+1)
					}
				}
				if len(u.trials) > 0 && !yield(u) {
					return
				}
			}
		}
	}
}

// left are the trials of a unit that are to be done: what the log has is left out.
func (r *run) left(u unit) []int {
	return slices.DeleteFunc(slices.Clone(u.trials), func(n int) bool {
		had := r.Log.Has(u.subject.Name, u.plan.Scenario.ID, n)
		return had != "" && (had != judge.Error || !r.RetryErrors)
	})
}

// sumUp says what the log has of what is planned.
func (r *run) sumUp() {
	tried, judged := map[string]bool{}, map[string]bool{}
	r.result.Unscored, r.result.Scenarios = map[string]string{}, map[string][]string{}
	for u := range r.units() {
		name := u.subject.Name
		r.result.Scenarios[name] = append(r.result.Scenarios[name], u.plan.Scenario.ID)
		for _, n := range u.trials {
			had := r.Log.Has(name, u.plan.Scenario.ID, n)
			if had == judge.Error {
				r.result.Broken++
			}
			tried[name] = tried[name] || had == judge.Error || had == judge.Excluded
			judged[name] = judged[name] || had == judge.Pass || had == judge.Fail
		}
	}
	for name := range tried {
		if tried[name] && !judged[name] {
			r.result.Unscored[name] = r.healthOf(name).why
		}
	}
}

// healthOf is that of a subject. The caller holds mu, where the run goes on.
func (r *run) healthOf(subject string) *health {
	if r.healths[subject] == nil {
		r.healths[subject] = &health{}
	}
	return r.healths[subject]
}

// all works through the units, at each endpoint through as many at once as it takes.
func (r *run) all(ctx context.Context) error {
	atOnce := map[string]int{}
	for _, s := range r.Subjects {
		most := max(1, s.AtOnce)
		atOnce[s.endpoint()] = min(most, cmp.Or(atOnce[s.endpoint()], most))
	}
	var endpoints sync.WaitGroup
	for at, most := range atOnce {
		endpoints.Go(func() {
			var working sync.WaitGroup
			free := make(chan struct{}, most)
			for u := range r.pieces(at) {
				free <- struct{}{}
				if ctx.Err() != nil {
					break
				}
				working.Go(func() {
					r.fail(r.unit(ctx, u))
					<-free
				})
			}
			working.Wait()
		})
	}
	endpoints.Wait()
	return r.failure
}

// fail ends the run where there is an error.
func (r *run) fail(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
		r.stop(err)
	}
}

// endpoint is where the trials of a subject compete for one server.
func (s Subject) endpoint() string {
	if s.Player != nil {
		return "player"
	}
	return s.Model.BaseURL
}

// pieceMost is how many trials of one scenario are one piece of work where they may run at once.
const pieceMost = 16

// pieces are what is left to do at an endpoint. Where trials of a scenario may run at once, units are cut.
func (r *run) pieces(at string) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		for u := range r.units() {
			left := r.left(u)
			if u.subject.endpoint() != at || len(left) == 0 {
				continue
			}
			most := len(left)
			if _, ok := u.subject.Strategy.(Bare); ok {
				most = pieceMost
			}
			for trials := range slices.Chunk(left, most) {
				if !yield(unit{u.subject, u.plan, trials}) {
					return
				}
			}
		}
	}
}
