package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/provider/openai"
)

// searchEvery is how often a server that found no model looks again: the model's server may start later than this one.
const searchEvery = 30 * time.Second

// FindOptions are the configured models, or where to look when there are none.
type FindOptions struct {
	Options
	Search bool // for a model, where none is configured
	Getenv func(string) string
	Timed  func(Model) Model // gives a model its time limits, also one that was found
}

// Models is the configured models, or the one that was found. Its methods may be called by several goroutines at once.
type Models struct {
	options FindOptions
	search  bool // nothing is configured, so look

	mu     sync.Mutex
	found  Found                // guarded by mu
	asking *Provider            // guarded by mu; nil while there is none
	chosen map[string]*Provider // guarded by mu; asking, by the choice of a mode
	first  Model                // guarded by mu; of asking
}

// Find takes the configured models, or looks for one.
func Find(ctx context.Context, options FindOptions) (*Models, error) {
	m := &Models{options: options, search: options.Search && len(options.Models) == 0}
	switch {
	case m.search:
		return m, m.look(ctx)
	case len(options.Models) == 0:
		return m, nil
	}
	return m, m.use(options.Models...)
}

// use makes the models the ones that are asked.
func (m *Models) use(list ...Model) error {
	options := m.options.Options
	options.Models = make([]Model, len(list))
	for i, one := range list {
		options.Models[i] = m.options.Timed(one)
	}
	asking, err := New(options)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asking, m.first, m.chosen = asking, list[0], map[string]*Provider{}
	return nil
}

// look searches once.
func (m *Models) look(ctx context.Context) error {
	found, ok := Search{Getenv: m.options.Getenv}.Run(ctx)
	m.mu.Lock()
	m.found = found
	m.mu.Unlock()
	if !ok {
		return nil
	}
	return m.use(found.AsModel())
}

// Watch looks again until a model is there, when there was none to begin with.
func (m *Models) Watch(ctx context.Context) {
	if !m.search {
		return
	}
	m.options.Log.Info("looked for a model", "found", m.Describe(), "report", strings.Join(m.Found().Report, "; "))
	ticker := time.NewTicker(searchEvery)
	defer ticker.Stop()
	for m.Current() == nil {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := m.look(ctx); err != nil {
			m.options.Log.Warn("the model that was found cannot be used", "error", err)
		}
		if m.Current() != nil {
			m.options.Log.Info("a model was found", "model", m.Describe())
		}
	}
}

// Current is the model to ask now, nil when there is none.
func (m *Models) Current() loop.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asking == nil {
		return nil
	}
	return m.asking
}

// Choose is the model for a mode's choice: the local ones first, the cloud's first, or the one of that name. Where
// nothing fits the choice, it is the model to ask now; nil when there is none.
func (m *Models) Choose(choice string) loop.Model {
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
	chosen := m.asking.Preferring(func(one Model) bool { return m.fits(one, choice) })
	m.chosen[choice] = chosen
	return chosen
}

// fits says whether a model is what choice means. A model is local when the configuration says so; where it says so of
// none, when its address is in this house.
func (m *Models) fits(one Model, choice string) bool {
	isLocal := one.Local || !slices.ContainsFunc(m.options.Models, func(other Model) bool { return other.Local }) &&
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

// Near says whether the first model is on this machine or in this house. What is looked for without being
// configured is.
func (m *Models) Near() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asking == nil || openai.IsPrivate(m.first.BaseURL)
}

// Found is what the last search came to.
func (m *Models) Found() Found {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.found
}

// Describe names the model for people.
func (m *Models) Describe() string {
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

// Health is what /health says of the models.
func (m *Models) Health() map[string]any {
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

// Close closes what was opened. Calls must have ended.
func (m *Models) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asking != nil {
		m.asking.Close()
	}
	return nil
}
