package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/evals/mockllm"
	evalrun "chatterbox/evals/run"
	"chatterbox/evals/scenario"
	"chatterbox/runtime/config"
	"chatterbox/runtime/egress"
)

// subjectFlags say which models are scored, and how they are served.
type subjectFlags struct {
	models       []string
	baseURL      string
	keyEnv       string
	strategies   []string
	tools        []int
	contexts     []int
	temperatures []string
	concurrency  int
	products     []string
}

func (f *subjectFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.models, "model", nil, "`model` to score: NAME, NAME@URL, scripted or simulated:…; may be given again")
	flags.StringVar(&f.baseURL, "base-url", "", "`URL` of the models that have none, such as http://127.0.0.1:11434/v1")
	flags.StringVar(&f.keyEnv, "api-key-env", "OPENAI_API_KEY", "`variable` with the key of the models' server")
	flags.StringSliceVar(&f.strategies, "strategy", []string{"bare"}, "how a model is served: bare, loop, routed, workflow; several with commas")
	flags.IntSliceVar(&f.tools, "tools", nil, "how many tools are offered, several with commas (default: as the scenarios say)")
	flags.IntSliceVar(&f.contexts, "context", nil, "tokens of context that are asked for, several with commas")
	flags.StringSliceVar(&f.temperatures, "temperature", nil, "sampling temperatures, several with commas (default: the server's)")
	flags.StringArrayVar(&f.products, "product", nil, "`file` that says how to speak to a product that runs already; see evals/run")
	flags.IntVar(&f.concurrency, "concurrency", 0, "trials at once on each server (default: 1 on this machine and its network, else 4)")
}

// Trials at once where nobody says it.
const (
	atOnceLocal  = 1
	atOnceRemote = 4
	atOncePlayed = 8
)

// scriptedModel is the name of the model that plays what scenarios say.
const scriptedModel = "scripted"

// namedModel is a model as it was given, and what is known of it.
type namedModel struct {
	subject evalrun.Subject
	label   string
}

// subjects makes the matrix: models × strategies × tools × contexts × temperatures.
func (f *subjectFlags) subjects(common *commonFlags, open *closers) ([]evalrun.Subject, error) {
	settings, err := common.load(nil)
	if err != nil {
		return nil, err
	}
	models, err := f.named(common, settings, open)
	if err != nil {
		return nil, err
	}
	var out []evalrun.Subject
	for _, model := range models {
		for _, strategy := range f.strategies {
			served, err := f.target(common, strategy, open)
			if err != nil {
				return nil, err
			}
			base := model.subject
			base.Strategy, base.Name = served, model.label+"/"+strategy
			varied, err := f.vary(base)
			if err != nil {
				return nil, err
			}
			out = append(out, varied...)
		}
	}
	for _, file := range f.products {
		mapping, err := evalrun.ReadMapping(file, common.env.Getenv)
		if err != nil {
			return nil, usageError("", "%w", err)
		}
		subject := f.model(evalrun.Model{Name: mapping.Name, BaseURL: mapping.URL}, config.Price{}).subject
		subject.Name, subject.Strategy = mapping.Name+"/product", evalrun.Mapped{Mapping: mapping, Client: http.DefaultClient}
		subject.Fits = func(plan scenario.Plan) bool { return mapping.Has(plan.Tools) }
		out = append(out, subject)
	}
	seen := map[string]bool{}
	for _, s := range out {
		if seen[s.Name] {
			return nil, usageError("", "%s stands twice: trials could not be told apart", s.Name)
		}
		seen[s.Name] = true
	}
	return out, nil
}

// vary gives a subject with every number of tools, context and temperature that was asked for.
func (f *subjectFlags) vary(base evalrun.Subject) ([]evalrun.Subject, error) {
	out := []evalrun.Subject{base}
	out = times(out, f.tools, func(s *evalrun.Subject, n int) {
		s.Tools = n
		s.Name += fmt.Sprintf(" tools=%d", n)
	})
	out = times(out, f.contexts, func(s *evalrun.Subject, n int) {
		s.Context = n
		s.Name += fmt.Sprintf(" context=%d", n)
		sample(s, "options", map[string]any{"num_ctx": n})
	})
	var temperatures []float64
	for _, text := range f.temperatures {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || value < 0 || value > 2 {
			return nil, usageError("", "--temperature is from 0 to 2, not %q", text)
		}
		temperatures = append(temperatures, value)
	}
	return times(out, temperatures, func(s *evalrun.Subject, value float64) {
		s.Name += fmt.Sprintf(" temperature=%g", value)
		sample(s, "temperature", value)
	}), nil
}

// times gives each subject once for each value; all as they are where there is none.
func times[T any](subjects []evalrun.Subject, values []T, with func(*evalrun.Subject, T)) []evalrun.Subject {
	if len(values) == 0 {
		return subjects
	}
	var out []evalrun.Subject
	for _, s := range subjects {
		for _, value := range values {
			one := s
			with(&one, value)
			out = append(out, one)
		}
	}
	return out
}

func sample(s *evalrun.Subject, name string, value any) {
	fields := map[string]any{name: value}
	for other, had := range s.Model.Sampling {
		fields[other] = had
	}
	s.Model.Sampling = fields
}

// named reads the models; where none is given, those of the configuration.
func (f *subjectFlags) named(common *commonFlags, settings config.Config, open *closers) ([]namedModel, error) {
	var out []namedModel
	var player *evalrun.Player
	for _, text := range f.models {
		label, rates, played, err := playedModel(text)
		if err != nil {
			return nil, err
		}
		if played {
			if player == nil {
				if player, err = evalrun.NewPlayer(); err != nil {
					return nil, infrastructureError("", err)
				}
				open.add(player.Close)
			}
			out = append(out, namedModel{evalrun.Subject{
				Model: evalrun.Model{Name: label}, Player: player, Rates: rates, AtOnce: f.atOnce(atOncePlayed),
			}, label})
			continue
		}
		name, address, found := strings.Cut(text, "@http")
		if address = "http" + address; !found {
			address = f.baseURL
		}
		if address == "" {
			return nil, usageError("--base-url URL, or NAME@URL; scripted and simulated:... need no server", "say where model %s is", name)
		}
		if parsed, err := url.Parse(address); err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
			return nil, usageError("such as http://127.0.0.1:11434/v1", "model %s: %q is no address of a server", name, address)
		}
		out = append(out, f.model(evalrun.Model{Name: name, BaseURL: address, Key: common.env.Getenv(f.keyEnv)}, settings.Prices[name]))
	}
	if len(f.models) == 0 && len(f.products) == 0 {
		for _, m := range settings.ModelList() {
			price := settings.Prices[m.Model]
			if m.Price != nil {
				price = *m.Price
			}
			out = append(out, f.model(evalrun.Model{Name: m.Model, BaseURL: m.BaseURL, Key: m.APIKey}, price))
		}
	}
	if len(out) == 0 && len(f.products) == 0 {
		return nil, usageError("--model NAME@URL; 'scripted' plays what the scenarios say", "name a model with --model, or configure one")
	}
	return out, nil
}

func (f *subjectFlags) model(model evalrun.Model, price config.Price) namedModel {
	s := evalrun.Subject{Model: model, AtOnce: f.atOnce(atOnceRemote)}
	if isNear(model.BaseURL) {
		s.AtOnce = f.atOnce(atOnceLocal)
	}
	if price != (config.Price{}) {
		s.Price = &[2]float64{price.Input, price.Output}
	}
	return namedModel{s, model.Name}
}

func (f *subjectFlags) atOnce(otherwise int) int {
	if f.concurrency > 0 {
		return f.concurrency
	}
	return otherwise
}

// isNear says whether a server is on this machine or its network, where one model has one machine to itself.
func isNear(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	return egress.IsLocal(parsed.Hostname())
}

// playedModel reads scripted, simulated:RATES and LABEL=simulated:RATES.
func playedModel(text string) (label string, rates mockllm.Rates, played bool, err error) {
	if text == scriptedModel {
		return scriptedModel, nil, true, nil
	}
	label, written, found := strings.Cut(text, "simulated:")
	if !found || label != "" && !strings.HasSuffix(label, "=") {
		return "", nil, false, nil
	}
	if label = strings.TrimSuffix(label, "="); label == "" {
		label = "simulated"
	}
	if rates, err = mockllm.ParseRates(written); err != nil {
		return "", nil, false, usageError("such as simulated:no_call=0.1,malformed_call=0.05", "model %s: %w", text, err)
	}
	return label, rates, true, nil
}

// target is how a strategy serves models.
func (f *subjectFlags) target(common *commonFlags, strategy string, open *closers) (evalrun.Strategy, error) {
	switch strategy {
	case "bare":
		return evalrun.Bare{}, nil
	case "loop", "routed", "workflow":
	default:
		return nil, usageError("there are: bare, loop, routed, workflow", "unknown strategy %q", strategy)
	}
	program, err := ownFile()
	if err != nil {
		return nil, infrastructureError("", err)
	}
	folder, err := os.MkdirTemp("", "chatterbox-eval-")
	if err != nil {
		return nil, infrastructureError("", err)
	}
	open.add(func() error { return os.RemoveAll(folder) })
	return evalrun.Serve{
		Command: []string{program, "serve"}, Env: plainEnvironment(common.env.Environ), Strategy: strategy, Folder: folder,
	}, nil
}

// plainEnvironment leaves out what would configure a product, and keys of models: both are not its own in a trial.
func plainEnvironment(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, "CHATTERBOX_") || strings.HasPrefix(entry, "OPENAI_")
	})
}
