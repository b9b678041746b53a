package provider_test

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/provider"
)

// script answers with its steps in turn and with the last one from then on.
type script struct {
	mu    sync.Mutex
	steps []step
	asked []time.Time
}

type step struct {
	text   string
	err    error
	delta  string
	usage  loop.Usage
	blocks bool // until ctx ends
}

func (s *script) Complete(ctx context.Context, _ loop.Request, onDelta func(string)) (loop.Completion, error) {
	s.mu.Lock()
	now := s.steps[min(len(s.asked), len(s.steps)-1)]
	s.asked = append(s.asked, time.Now())
	s.mu.Unlock()
	if now.delta != "" {
		onDelta(now.delta)
	}
	if now.blocks {
		<-ctx.Done()
		return loop.Completion{}, ctx.Err()
	}
	return loop.Completion{Content: now.text, Usage: now.usage}, now.err
}

func (s *script) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func failing(kind loop.Kind, status int, after time.Duration) step {
	return step{err: &loop.Error{Kind: kind, Status: status, RetryAfter: after, Message: "scripted"}}
}

var prices = map[string]provider.Price{
	"gpt-4o": {Input: .005, Output: .015}, "gpt-4o-mini": {Input: .00015, Output: .0006},
	"claude-3-5-haiku-20241022": {Input: .001, Output: .005},
}

func models(scripts ...*script) provider.Options {
	options := provider.Options{Prices: prices}
	for i, s := range scripts {
		options.Models = append(options.Models, provider.Model{Name: string(rune('a' + i)), Model: "gpt-4o-mini", Complete: s})
	}
	return options
}

func open(t *testing.T, options provider.Options) *provider.Provider {
	t.Helper()
	p, err := provider.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func kindOf(err error) loop.Kind {
	var failure *loop.Error
	if errors.As(err, &failure) {
		return failure.Kind
	}
	return ""
}

func TestRetryAndFallback(t *testing.T) {
	const ms = time.Millisecond
	tooSlow := step{err: &loop.Error{Kind: loop.KindConnection, Message: "slow", Err: os.ErrDeadlineExceeded}}
	tests := map[string]struct {
		first, second []step
		asked         [2]int
		kind          loop.Kind
		atLeast, most time.Duration
	}{
		"a good answer needs one call":                   {[]step{{text: "yes"}}, nil, [2]int{1, 0}, "", 0, 0},
		"a server error passes":                          {[]step{failing(loop.KindAPI, 503, 0), {text: "yes"}}, nil, [2]int{2, 0}, "", 250 * ms, 375 * ms},
		"a lost connection passes":                       {[]step{failing(loop.KindConnection, 0, 0), {text: "yes"}}, nil, [2]int{2, 0}, "", 250 * ms, 375 * ms},
		"Retry-After is kept to twice":                   {[]step{failing(loop.KindRateLimit, 429, 2*time.Second), failing(loop.KindRateLimit, 429, 2*time.Second), {text: "yes"}}, nil, [2]int{3, 0}, "", 4 * time.Second, 4 * time.Second},
		"three attempts are all":                         {[]step{failing(loop.KindAPI, 500, 0)}, nil, [2]int{3, 0}, loop.KindAPI, 750 * ms, 1125 * ms},
		"after three attempts the next model answers":    {[]step{failing(loop.KindAPI, 500, 0)}, []step{{text: "yes"}}, [2]int{3, 1}, "", 750 * ms, 1125 * ms},
		"a long Retry-After goes to the next at once":    {[]step{failing(loop.KindRateLimit, 429, 10*time.Second)}, []step{{text: "yes"}}, [2]int{1, 1}, "", 0, 0},
		"a spent quota goes to the next at once":         {[]step{failing(loop.KindQuota, 429, 0)}, []step{{text: "yes"}}, [2]int{1, 1}, "", 0, 0},
		"a wrong key goes to the next at once":           {[]step{failing(loop.KindAuthentication, 401, 0)}, []step{{text: "yes"}}, [2]int{1, 1}, "", 0, 0},
		"a full context goes to the next at once":        {[]step{failing(loop.KindContextLength, 400, 0)}, []step{{text: "yes"}}, [2]int{1, 1}, "", 0, 0},
		"a refused request goes to the next at once":     {[]step{failing(loop.KindAPI, 400, 0)}, []step{{text: "yes"}}, [2]int{1, 1}, "", 0, 0},
		"a used up time limit goes to the next at once":  {[]step{tooSlow}, []step{{text: "yes"}}, [2]int{1, 1}, "", 0, 0},
		"where all fail, the preferred model's error":    {[]step{failing(loop.KindAuthentication, 401, 0)}, []step{failing(loop.KindQuota, 429, 0)}, [2]int{1, 1}, loop.KindAuthentication, 0, 0},
		"text that was given is never taken back":        {[]step{{delta: "It is", err: failing(loop.KindConnection, 0, 0).err}}, []step{{text: "yes"}}, [2]int{1, 0}, loop.KindConnection, 0, 0},
		"an unknown error is internal and goes no round": {[]step{{err: errors.New("what")}}, nil, [2]int{1, 0}, loop.KindInternal, 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, second := &script{steps: test.first}, &script{steps: test.second}
				options := models(first)
				if test.second != nil {
					options = models(first, second)
				}
				p := open(t, options)
				began := time.Now()
				_, err := p.Complete(t.Context(), loop.Request{}, func(string) {})
				took := time.Since(began)
				if kindOf(err) != test.kind || (err == nil) != (test.kind == "") {
					t.Errorf("error %v, want kind %q", err, test.kind)
				}
				if asked := [2]int{first.times(), second.times()}; asked != test.asked {
					t.Errorf("asked %v times, want %v", asked, test.asked)
				}
				if took < test.atLeast || took > test.most {
					t.Errorf("took %s, want %s to %s", took, test.atLeast, test.most)
				}
			})
		})
	}
}

func TestRequestThatDoesNotFitGoesToALargerContext(t *testing.T) {
	full := failing(loop.KindContextLength, 400, 0)
	first, smaller, larger := &script{steps: []step{full}}, &script{steps: []step{full}}, &script{steps: []step{{text: "yes"}}}
	options := models(first, smaller, larger)
	for i, size := range []int{8192, 4096, 32768} {
		options.Models[i].Context = size
	}
	got, err := open(t, options).Complete(t.Context(), loop.Request{}, nil)
	if err != nil || got.Content != "yes" || first.times() != 1 || smaller.times() != 0 {
		t.Error(got, err, first.times(), smaller.times())
	}
}

func TestDeadlineBoundsEverything(t *testing.T) {
	tests := map[string]struct {
		steps []step
		took  time.Duration
		asked int
	}{
		"a wait that outlives the turn is not begun": {[]step{failing(loop.KindRateLimit, 429, 2*time.Second)}, 0, 1},
		"a model that hangs ends with the turn":      {[]step{{blocks: true}}, time.Second, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				model := &script{steps: test.steps}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				_, err := open(t, models(model)).Complete(ctx, loop.Request{}, nil)
				if took := time.Since(began); err == nil || took != test.took || model.times() != test.asked {
					t.Errorf("took %s and %d calls: %v", took, model.times(), err)
				}
			})
		})
	}
}

func TestCancelledTurnIsNoFailureOfTheModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &script{steps: []step{{blocks: true}}}
		p := open(t, models(model))
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if _, err := p.Complete(ctx, loop.Request{}, nil); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if state := p.Status()[0]; state.Circuit != "closed" || state.Failure != "" || model.times() != 20 {
			t.Errorf("%+v after %d calls", state, model.times())
		}
	})
}

func TestCallsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &script{steps: []step{{text: "yes"}}}
		options := models(model)
		options.CallsPerMinute = 10
		p := open(t, options)
		for range 600 { // ten minutes of a call each second
			_, err := p.Complete(t.Context(), loop.Request{}, nil)
			if err != nil && kindOf(err) != loop.KindRateLimit {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		for i := range model.asked[10:] {
			if apart := model.asked[i+10].Sub(model.asked[i]); apart < time.Minute {
				t.Fatalf("11 calls within %s", apart)
			}
		}
		if n := model.times(); n < 100 {
			t.Errorf("only %d calls passed", n)
		}
	})
}

func TestCallsPerMinuteCountsEveryAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model, spare := &script{steps: []step{failing(loop.KindAPI, 500, 0)}}, &script{steps: []step{{text: "yes"}}}
		options := models(model, spare)
		options.CallsPerMinute = 2
		_, err := open(t, options).Complete(t.Context(), loop.Request{}, nil)
		var failure *loop.Error
		if !errors.As(err, &failure) || failure.Kind != loop.KindRateLimit || failure.RetryAfter < 50*time.Second || model.times() != 2 || spare.times() != 0 {
			t.Errorf("%v after %d and %d calls", err, model.times(), spare.times())
		}
	})
}

func TestCost(t *testing.T) {
	usage := loop.Usage{PromptTokens: 2000, CompletionTokens: 1000}
	usd := func(v float64) *float64 { return &v }
	tests := map[string]struct {
		model provider.Model
		usage loop.Usage
		want  *float64
	}{
		"a known model":                         {provider.Model{Model: "gpt-4o"}, usage, usd(0.025)},
		"an edition of a known model":           {provider.Model{Model: "gpt-4o-2024-08-06"}, usage, usd(0.025)},
		"an edition that is itself in the list": {provider.Model{Model: "claude-3-5-haiku-20241022"}, usage, usd(0.007)},
		"an unknown model has no price":         {provider.Model{Model: "gpt-4o-maxi"}, usage, nil},
		"a local model costs nothing":           {provider.Model{Model: "qwen3", Local: true}, usage, usd(0)},
		"a local model without usage":           {provider.Model{Model: "qwen3", Local: true}, loop.Usage{}, usd(0)},
		"a configured price counts":             {provider.Model{Model: "gpt-4o", Price: &provider.Price{Input: 1, Output: 2}}, usage, usd(4)},
		"a local model with its own price":      {provider.Model{Model: "qwen3", Local: true, Price: &provider.Price{Input: 0.001}}, usage, usd(0.002)},
		"no usage, no cost":                     {provider.Model{Model: "gpt-4o"}, loop.Usage{}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.model.Complete = &script{steps: []step{{text: "x", usage: test.usage}}}
			p := open(t, provider.Options{Prices: prices, Models: []provider.Model{test.model}})
			got, err := p.Complete(t.Context(), loop.Request{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			cost := got.Usage.CostUSD
			if (cost == nil) != (test.want == nil) || cost != nil && math.Abs(*cost-*test.want) > 1e-12 {
				t.Errorf("cost %v, want %v", cost, test.want)
			}
			if totals := p.Usage(); totals.Calls != 1 || (totals.Unpriced == 1) != (test.want == nil) || totals.PromptTokens != int64(test.usage.PromptTokens) {
				t.Errorf("totals %+v", totals)
			}
		})
	}
}

func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &script{steps: []step{{text: "x", usage: loop.Usage{PromptTokens: 1000}}}} // $0.005 with gpt-4o
		p := open(t, provider.Options{Models: []provider.Model{{Model: "gpt-4o", Complete: model}}, Prices: prices, BudgetUSD: 0.012})
		for range 3 {
			if _, err := p.Complete(t.Context(), loop.Request{}, nil); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		_, err := p.Complete(t.Context(), loop.Request{}, nil)
		var failure *loop.Error
		if !errors.As(err, &failure) || failure.Kind != loop.KindBudget || failure.RetryAfter != 23*time.Hour || model.times() != 3 {
			t.Fatalf("%v after %d calls", err, model.times())
		}
		time.Sleep(23 * time.Hour)
		if _, err := p.Complete(t.Context(), loop.Request{}, nil); err != nil {
			t.Error("a new period refuses:", err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	if _, err := provider.New(provider.Options{}); !errors.Is(err, provider.ErrNoModel) {
		t.Error(err)
	}
	_, err := provider.New(provider.Options{Models: []provider.Model{{Model: "m", BaseURL: "localhost:11434"}}})
	if err == nil || !strings.Contains(err.Error(), "http://") {
		t.Error(err)
	}
}

func TestHammerProvider(t *testing.T) {
	model := &script{steps: []step{{text: "x", usage: loop.Usage{PromptTokens: 1}}}}
	options := models(model, &script{steps: []step{{text: "y"}}})
	options.CallsPerMinute, options.BudgetUSD = 1000, 1
	p := open(t, options)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				if _, err := p.Complete(t.Context(), loop.Request{}, nil); err != nil {
					t.Error(err)
				}
				p.Status()
				p.Usage()
			}
		})
	}
	all.Wait()
	if got := p.Usage(); got.Calls != 800 || got.PromptTokens != 800 {
		t.Errorf("%+v", got)
	}
}

func TestWindowIsThePreferredModels(t *testing.T) {
	p, err := provider.New(provider.Options{Models: []provider.Model{
		{Name: "small", Model: "qwen3:4b", BaseURL: "http://127.0.0.1:1/v1", Context: 4096},
		{Name: "large", Model: "gpt-4o", BaseURL: "http://127.0.0.1:2/v1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if got := p.Window(); got != (loop.Window{Model: "qwen3:4b", Tokens: 4096}) {
		t.Errorf("the window is %+v", got)
	}
	large := p.Preferring(func(m provider.Model) bool { return m.Name == "large" })
	if got := large.Window(); got != (loop.Window{Model: "gpt-4o"}) {
		t.Errorf("the window of another choice is %+v", got)
	}
}
