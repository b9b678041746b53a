package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/provider"
	"chatterbox/runtime/provider/openai"
)

// searchEvery is how often a server that found no model looks again: the model's server may start later than this one.
const searchEvery = 30 * time.Second

// models is the configured models, or the one that was found. Its methods may be called by several goroutines at once.
type models struct {
	options  provider.Options // but for the models
	settings config.Config
	getenv   func(string) string
	search   bool // nothing is configured, so look

	mu     sync.Mutex
	found  provider.Found                // guarded by mu
	asking *provider.Provider            // guarded by mu; nil while there is none
	chosen map[string]*provider.Provider // guarded by mu; asking, by the choice of a mode
	first  provider.Model                // guarded by mu; of asking
}

// findModels takes the configured models, or looks for one.
func findModels(ctx context.Context, env env, settings config.Config, log *slog.Logger) (*models, error) {
	m := &models{
		options: provider.Options{
			MaxWait: settings.LLM.MaxWait, CallsPerMinute: settings.LLM.RequestsPerMinute, BudgetUSD: settings.LLM.BudgetUSD,
			Prices: prices(settings.Prices), Log: log,
		},
		settings: settings,
		getenv:   env.Getenv,
	}
	list := settings.ModelList()
	if len(list) == 0 {
		m.search = settings.LLM.Discover
		if m.search {
			return m, m.look(ctx)
		}
		return m, nil
	}
	var configured []provider.Model
	for _, one := range list {
		configured = append(configured, provider.Model{
			Name: one.Name, BaseURL: one.BaseURL, Model: one.Model, APIKey: one.APIKey, Local: one.Local,
			Price: price(one.Price), Context: one.Context,
		})
	}
	return m, m.use(configured...)
}

// timed is the model with its time limits.
func (m *models) timed(one provider.Model) provider.Model {
	near := one.Local || openai.IsPrivate(one.BaseURL)
	one.FirstToken, one.BetweenTokens = m.settings.FirstTokenTimeout(near), m.settings.LLM.BetweenTokens
	one.Whole = m.settings.TurnTimeout(near)
	return one
}

func prices(list map[string]config.Price) map[string]provider.Price {
	out := make(map[string]provider.Price, len(list))
	for name, p := range list {
		out[name] = provider.Price(p)
	}
	return out
}

func price(p *config.Price) *provider.Price {
	if p == nil {
		return nil
	}
	out := provider.Price(*p)
	return &out
}

// use makes the models the ones that are asked.
func (m *models) use(list ...provider.Model) error {
	options := m.options
	for _, one := range list {
		options.Models = append(options.Models, m.timed(one))
	}
	asking, err := provider.New(options)
	if err != nil {
		return usageError("correct llm.base_url, or leave it out to have a local model found", "%w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asking, m.first, m.chosen = asking, list[0], map[string]*provider.Provider{}
	return nil
}

// look searches once.
func (m *models) look(ctx context.Context) error {
	found, ok := provider.Discover(ctx, m.getenv, nil)
	m.mu.Lock()
	m.found = found
	m.mu.Unlock()
	if !ok {
		return nil
	}
	return m.use(found.AsModel())
}

// watch looks again until a model is there, when there was none to begin with.
func (m *models) watch(ctx context.Context) {
	if !m.search {
		return
	}
	m.options.Log.Info("looked for a model", "found", m.describe(), "report", strings.Join(m.report(), "; "))
	ticker := time.NewTicker(searchEvery)
	defer ticker.Stop()
	for m.current() == nil {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := m.look(ctx); err != nil {
			m.options.Log.Warn("the model that was found cannot be used", "error", err)
		}
		if m.current() != nil {
			m.options.Log.Info("a model was found", "model", m.describe())
		}
	}
}

// current is the model to ask now, nil when there is none.
func (m *models) current() loop.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asking == nil {
		return nil
	}
	return m.asking
}

// choose is the model for a mode's choice: the local ones first, the cloud's first, or the one of that name. Where
// nothing fits the choice, it is the model to ask now; nil when there is none.
func (m *models) choose(choice string) loop.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.asking == nil:
		return nil
	case choice == "":
		return m.asking
	}
	if chosen := m.chosen[choice]; chosen != nil {
		return chosen
	}
	chosen := m.asking.Preferring(func(one provider.Model) bool { return m.fits(one, choice) })
	m.chosen[choice] = chosen
	return chosen
}

// fits says whether a model is what choice means. A model is local when the configuration says so; where it says so of
// none, when its address is in this house.
func (m *models) fits(one provider.Model, choice string) bool {
	isLocal := one.Local || !slices.ContainsFunc(m.settings.Models, func(other config.Model) bool { return other.Local }) &&
		openai.IsPrivate(one.BaseURL)
	switch choice {
	case "local":
		return isLocal
	case "cloud":
		return !isLocal
	default:
		return strings.EqualFold(one.Name, choice) || strings.EqualFold(one.Model, choice)
	}
}

// near says whether the first model is on this machine or in this house. What is looked for without being configured is.
func (m *models) near() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asking == nil || openai.IsPrivate(m.first.BaseURL)
}

func (m *models) report() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.found.Report
}

// describe names the model for people.
func (m *models) describe() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.asking != nil && m.found.Source != "":
		return fmt.Sprintf("%s at %s (%s, found)", m.first.Model, openai.Public(m.first.BaseURL), m.found.Source)
	case m.asking != nil:
		return fmt.Sprintf("%s at %s", m.first.Model, openai.Public(m.first.BaseURL))
	}
	return "none; time, weather, appointments and reminders work by rule (set llm.base_url for everything else)"
}

// health is what /health says of the models.
func (m *models) health() map[string]any {
	m.mu.Lock()
	defer m.mu.Unlock()
	health := map[string]any{"configured": !m.search && m.asking != nil}
	if m.search {
		health["found"] = m.found.Source
		health["report"] = m.found.Report
	}
	if m.asking != nil {
		health["models"] = m.asking.Status()
		health["usage"] = m.asking.Usage()
	}
	return health
}

func (m *models) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asking != nil {
		m.asking.Close()
	}
	return nil
}
