// Package runner runs trials: scenarios on subjects, many times, into a log that can be continued.
package run

import (
	"context"
	"errors"
	"fmt"
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
	Name    string // in the log: model/strategy, and what else is varied
	Model   Model
	Target  Target
	Tools   int // how many are offered; 0 is as the scenario says
	Context int // tokens that the model was given, for the log
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
	// Unscored are subjects of whose trials none passed or failed, with why the last one of this run did not; those that
	// have no trial yet are not among them.
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
	if options.TurnTimeout == 0 {
		options.TurnTimeout = turnTimeoutDefault
	}
	plans, err := readPlans(options)
	if err != nil {
		return Result{}, &Refused{err}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run{Options: options, plans: plans, stop: stop, result: Result{Stopped: map[string]string{}}, standings: map[string]*standing{}}
	if options.MaxTime > 0 {
		timer := time.AfterFunc(options.MaxTime, func() { stop(&cut{fmt.Sprintf("the time of %v is used up", options.MaxTime)}) })
		defer timer.Stop()
	}
	r.eachUnit(func(u unit) bool { r.result.Planned += len(r.left(u)); return true })
	r.pay()
	if err := r.all(ctx); err != nil {
		return r.result, err
	}
	r.sumUp()
	var reason *cut
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &reason):
		r.result.Cut = reason.why
	case cause != nil:
		return r.result, cause
	}
	return r.result, nil
}

// pay ends the run where the money is used up. The caller holds mu, where the run goes on.
func (r *run) pay() {
	if spent := r.Log.spent + r.result.CostUSD; r.MaxCostUSD > 0 && spent >= r.MaxCostUSD {
		r.stop(&cut{fmt.Sprintf("the money is used up: %.4f of %.4f USD", spent, r.MaxCostUSD)})
	}
}

// cut ends a run before its end.
type cut struct{ why string }

func (c *cut) Error() string { return c.why }

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
			return nil, fmt.Errorf("none of the %d scenarios is for %s: each is about more tools than it is offered, or about others than it has", len(plans), subject.Name)
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

	mu        sync.Mutex
	result    Result               // guarded by mu
	standings map[string]*standing // guarded by mu
}

// standing is how far one may trust a subject's server.
type standing struct {
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

// eachUnit gives all that is planned, subject by subject, until take says no.
func (r *run) eachUnit(take func(unit) bool) {
	index := 0
	for _, subject := range r.Subjects {
		for _, plan := range r.plans {
			if !subject.takes(plan) {
				continue
			}
			u := unit{subject: subject, plan: plan}
			runs := max(1, r.Runs)
			if plan.Scenario.Runs > 0 {
				runs = plan.Scenario.Runs
			}
			for n := 1; n <= runs; n++ {
				index++
				if r.Shards > 1 && index%r.Shards != r.Shard%r.Shards {
					continue
				}
				u.trials = append(u.trials, n)
			}
			if len(u.trials) > 0 && !take(u) {
				return
			}
		}
	}
}

// left are the trials of a unit that are to be done: what the log has is left out.
func (r *run) left(u unit) (out []int) {
	for _, n := range u.trials {
		if had := r.Log.Has(u.subject.Name, u.plan.Scenario.ID, n); had == "" || had == judge.Error && r.RetryErrors {
			out = append(out, n)
		}
	}
	return out
}

// sumUp says what the log has of what is planned.
func (r *run) sumUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	tried, judged := map[string]bool{}, map[string]bool{}
	r.result.Unscored, r.result.Scenarios = map[string]string{}, map[string][]string{}
	r.eachUnit(func(u unit) bool {
		r.result.Scenarios[u.subject.Name] = append(r.result.Scenarios[u.subject.Name], u.plan.Scenario.ID)
		for _, n := range u.trials {
			switch had := r.Log.Has(u.subject.Name, u.plan.Scenario.ID, n); had {
			case judge.Error:
				r.result.Broken++
				fallthrough
			case judge.Excluded:
				tried[u.subject.Name] = true
			case judge.Pass, judge.Fail:
				judged[u.subject.Name] = true
			}
		}
		return true
	})
	for name := range tried {
		if !judged[name] {
			r.result.Unscored[name] = r.standing(name).why
		}
	}
}

// standing is that of a subject. The caller holds mu.
func (r *run) standing(subject string) *standing {
	if r.standings[subject] == nil {
		r.standings[subject] = &standing{}
	}
	return r.standings[subject]
}

// all works through the units, for each endpoint by as many goroutines as it takes at once.
func (r *run) all(ctx context.Context) error {
	queues, atOnce := map[string]chan unit{}, map[string]int{}
	var order []string
	for _, s := range r.Subjects {
		at := endpoint(s)
		if queues[at] == nil {
			queues[at], atOnce[at] = make(chan unit), max(1, s.AtOnce)
			order = append(order, at)
		}
		atOnce[at] = min(atOnce[at], max(1, s.AtOnce))
	}
	var workers sync.WaitGroup
	var mu sync.Mutex
	var first error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = err
			r.stop(err)
		}
	}
	for _, at := range order {
		for range atOnce[at] {
			workers.Go(func() {
				for u := range queues[at] {
					if err := r.unit(ctx, u); err != nil {
						fail(err)
					}
				}
			})
		}
		workers.Go(func() {
			defer close(queues[at])
			r.feed(ctx, at, queues[at])
		})
	}
	workers.Wait()
	return first
}

func endpoint(s Subject) string {
	if s.Player != nil {
		return "player"
	}
	return s.Model.BaseURL
}

// pieceMost is how many trials of one scenario are one piece of work where they may run at once.
const pieceMost = 16

// feed gives the units of one endpoint out. Where trials of a scenario may run at once it cuts them into pieces.
func (r *run) feed(ctx context.Context, at string, to chan<- unit) {
	r.eachUnit(func(u unit) bool {
		left := r.left(u)
		if endpoint(u.subject) != at || len(left) == 0 {
			return true
		}
		pieces := slices.Chunk(left, len(left))
		if _, ok := u.subject.Target.(Bare); ok {
			pieces = slices.Chunk(left, pieceMost)
		}
		for trials := range pieces {
			select {
			case to <- unit{u.subject, u.plan, trials}:
			case <-ctx.Done():
				return false
			}
		}
		return true
	})
}
