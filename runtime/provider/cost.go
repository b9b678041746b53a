package provider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"time"

	"chatterbox/loop"
)

// Price is what a model costs, in US dollars per 1,000 tokens.
type Price struct {
	Input  float64 `json:"input" yaml:"input"`
	Output float64 `json:"output" yaml:"output"`
}

// dated matches the date at the end of a model's name, which marks an edition at the same price.
var dated = regexp.MustCompile(`-(\d{8}|\d{4}-\d{2}-\d{2})$`)

func find(prices map[string]Price, name string) *Price {
	for _, key := range []string{name, dated.ReplaceAllString(name, "")} {
		if price, ok := prices[key]; ok {
			return &price
		}
	}
	return nil
}

// cost is nil when the price or the number of tokens is not known.
func (m *model) cost(usage loop.Usage) *float64 {
	if m.price == nil {
		return nil
	}
	free := *m.price == Price{}
	if usage.PromptTokens == 0 && usage.CompletionTokens == 0 && !free {
		return nil
	}
	usd := (float64(usage.PromptTokens)*m.price.Input + float64(usage.CompletionTokens)*m.price.Output) / 1000
	return &usd
}

// Totals is what a provider's calls consumed since it was made.
type Totals struct {
	Calls            int64   `json:"calls"`
	PromptTokens     int64   `json:"prompt_tokens"`
	CompletionTokens int64   `json:"completion_tokens"`
	CostUSD          float64 `json:"estimated_cost_usd"` // of the calls whose price is known
	Unpriced         int64   `json:"unpriced_calls"`     // the others
}

// MarshalJSON has null for the cost where calls were made and the price of none is known: 0 would be a price.
func (t Totals) MarshalJSON() ([]byte, error) {
	type plain Totals
	shown := struct {
		plain
		CostUSD *float64 `json:"estimated_cost_usd"`
	}{plain: plain(t)}
	if t.Calls == 0 || t.Unpriced < t.Calls {
		shown.CostUSD = &t.CostUSD
	}
	return json.Marshal(shown)
}

// ledger adds up usage and holds to the budget. Calls that run at once may overshoot it by what they cost.
type ledger struct {
	budgetUSD float64
	period    time.Duration

	mu     sync.Mutex
	sum    Totals
	since  time.Time // when the current period began; zero before the first call
	inside float64   // spent in the current period
}

func (l *ledger) totals() Totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sum
}

// permit refuses a call when the budget of the period is spent.
func (l *ledger) permit(now time.Time) error {
	if l.budgetUSD <= 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roll(now)
	if l.inside < l.budgetUSD {
		return nil
	}
	return &loop.Error{
		Kind:       loop.KindBudget,
		Message:    fmt.Sprintf("the model budget of $%g per %s is spent", l.budgetUSD, l.period),
		RetryAfter: l.since.Add(l.period).Sub(now),
	}
}

// roll begins a new period when the current one is over.
func (l *ledger) roll(now time.Time) {
	if l.since.IsZero() || now.Sub(l.since) >= l.period {
		l.since, l.inside = now, 0
	}
}

func (l *ledger) add(now time.Time, usage loop.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roll(now)
	l.sum.Calls++
	l.sum.PromptTokens += int64(usage.PromptTokens)
	l.sum.CompletionTokens += int64(usage.CompletionTokens)
	if usage.CostUSD == nil {
		l.sum.Unpriced++
		return
	}
	l.sum.CostUSD += *usage.CostUSD
	l.inside += *usage.CostUSD
}
