package eval

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/mockllm"
	evalrun "chatterbox/evals/run"
	"chatterbox/evals/scenario"
	"chatterbox/runtime/config"
	"chatterbox/runtime/egress"
)

// subjectFlags say which models are scored, and how they are served.
type subjectFlags struct {
	host         *cli.Flags
	ownFile      func() (string, error) // of this program, which strategies start
	models       []string
	baseURL      string
	keyEnv       string
	strategies   []string
	tools        []int
	contexts     []int
	temperatures []string
	concurrency  int
	products     []string

	player *evalrun.Player // of played models; nil without one
	folder string          // of strategies that start this program; empty without one
}

func (f *subjectFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.models, "model", nil,
		"`model` to score: NAME, NAME@URL, scripted or simulated:…; may be given again")
	flags.StringVar(&f.baseURL, "base-url", "", "`URL` of the models that have none, such as http://127.0.0.1:11434/v1")
	flags.StringVar(&f.keyEnv, "api-key-env", "OPENAI_API_KEY", "`variable` with the key of the models' server")
	flags.StringSliceVar(&f.strategies, "strategy", []string{"bare"},
		"how a model is served: bare, loop, routed, workflow; several with commas")
	flags.IntSliceVar(&f.tools, "tools", nil,
		"how many tools are offered, several with commas (default: as the scenarios say)")
	flags.IntSliceVar(&f.contexts, "context", nil, "tokens of context that are asked for, several with commas")
	flags.StringSliceVar(&f.temperatures, "temperature", nil,
		"sampling temperatures, several with commas (default: the server's)")
	flags.StringArrayVar(&f.products, "product", nil,
		"`file` that says how to speak to a product that runs already; see evals/run")
	flags.IntVar(&f.concurrency, "concurrency", 0,
		"trials at once on each server (default: 1 on this machine and its network, else 4)")
}

// Trials at once where nobody says it.
const (
	atOnceLocal  = 1
	atOnceRemote = 4
	atOncePlayed = 8
)

// subjects makes the matrix: models × strategies × tools × contexts × temperatures, and the products. close ends what
// it opens.
func (f *subjectFlags) subjects() ([]evalrun.Subject, error) {
	settings, err := f.host.Load(nil)
	if err != nil {
		return nil, err
	}
	models, err := f.named(settings)
	if err != nil {
		return nil, err
	}
	var out []evalrun.Subject
	for _, model := range models {
		for _, strategy := range f.strategies {
			served := model
			served.Name += "/" + strategy
			if served.Strategy, err = f.strategy(strategy); err != nil {
				return nil, err
			}
			out = append(out, served)
		}
	}
	if out, err = f.varied(out); err != nil {
		return nil, err
	}
	for _, file := range f.products {
		mapping, err := evalrun.ReadMapping(file, f.host.Env.Getenv)
		if err != nil {
			return nil, cli.Usage("", "%w", err)
		}
		subject := f.model(evalrun.Model{Name: mapping.Name, BaseURL: mapping.URL}, config.Price{})
		subject.Name += "/product"
		subject.Strategy = evalrun.Mapped{Mapping: mapping, Client: http.DefaultClient}
		subject.Fits = func(plan scenario.Plan) bool { return mapping.Has(plan.Tools) }
		out = append(out, subject)
	}
	seen := map[string]bool{}
	for _, s := range out {
		if seen[s.Name] {
			return nil, cli.Usage("", "%s stands twice: trials could not be told apart", s.Name)
		}
		seen[s.Name] = true
	}
	return out, nil
}

// close ends what subjects need.
func (f *subjectFlags) close() error {
	err := os.RemoveAll(f.folder)
	if f.player != nil {
		err = errors.Join(err, f.player.Close())
	}
	return err
}

// varied gives subjects with every number of tools, context and temperature that was asked for.
func (f *subjectFlags) varied(subjects []evalrun.Subject) ([]evalrun.Subject, error) {
	subjects = times(subjects, f.tools, func(s *evalrun.Subject, n int) {
		s.Tools = n
		s.Name += fmt.Sprintf(" tools=%d", n)
	})
	subjects = times(subjects, f.contexts, func(s *evalrun.Subject, n int) {
		s.Context = n
		s.Name += fmt.Sprintf(" context=%d", n)
		s.Model.Sampling["options"] = map[string]any{"num_ctx": n}
	})
	var temperatures []float64
	for _, text := range f.temperatures {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || value < 0 || value > 2 {
			return nil, cli.Usage("", "--temperature is from 0 to 2, not %q", text)
		}
		temperatures = append(temperatures, value)
	}
	return times(subjects, temperatures, func(s *evalrun.Subject, value float64) {
		s.Name += fmt.Sprintf(" temperature=%g", value)
		s.Model.Sampling["temperature"] = value
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
			one.Model.Sampling = map[string]any{}
			maps.Copy(one.Model.Sampling, s.Model.Sampling)
			with(&one, value)
			out = append(out, one)
		}
	}
	return out
}

// named reads the models; where none is given, those of the configuration.
func (f *subjectFlags) named(settings config.Config) (out []evalrun.Subject, err error) {
	for _, text := range f.models {
		subject, played, err := f.played(text)
		if err == nil && !played {
			subject, err = f.served(text, settings)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, subject)
	}
	if len(f.models)+len(f.products) > 0 {
		return out, nil
	}
	for _, m := range settings.ModelList() {
		price := settings.Prices[m.Model]
		if m.Price != nil {
			price = *m.Price
		}
		out = append(out, f.model(evalrun.Model{Name: m.Model, BaseURL: m.BaseURL, Key: m.APIKey}, price))
	}
	if len(out) == 0 {
		return nil, cli.Usage("--model NAME@URL; 'scripted' plays what the scenarios say",
			"name a model with --model, or configure one")
	}
	return out, nil
}

// served reads NAME and NAME@URL.
func (f *subjectFlags) served(text string, settings config.Config) (evalrun.Subject, error) {
	name, address, found := strings.Cut(text, "@http")
	if address = "http" + address; !found {
		address = f.baseURL
	}
	if address == "" {
		return evalrun.Subject{}, cli.Usage("--base-url URL, or NAME@URL; scripted and simulated:... need no server",
			"say where model %s is", name)
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return evalrun.Subject{}, cli.Usage("such as http://127.0.0.1:11434/v1",
			"model %s: %q is no address of a server", name, address)
	}
	key := f.host.Env.Getenv(f.keyEnv)
	return f.model(evalrun.Model{Name: name, BaseURL: address, Key: key}, settings.Prices[name]), nil
}

func (f *subjectFlags) model(model evalrun.Model, price config.Price) evalrun.Subject {
	s := evalrun.Subject{Name: model.Name, Model: model, AtOnce: f.atOnce(atOnceRemote)}
	if isNear(model.BaseURL) {
		s.AtOnce = f.atOnce(atOnceLocal)
	}
	if price != (config.Price{}) {
		s.Price = &[2]float64{price.Input, price.Output}
	}
	return s
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
	return err == nil && egress.IsLocal(parsed.Hostname())
}

// played reads scripted, simulated:RATES and LABEL=simulated:RATES.
func (f *subjectFlags) played(text string) (s evalrun.Subject, played bool, err error) {
	label, written, found := strings.Cut(text, "simulated:")
	switch {
	case text == "scripted":
	case !found || label != "" && !strings.HasSuffix(label, "="):
		return s, false, nil
	default:
		if label = strings.TrimSuffix(label, "="); label == "" {
			label = "simulated"
		}
		if s.Rates, err = mockllm.ParseRates(written); err != nil {
			return s, true, cli.Usage("such as simulated:no_call=0.1,malformed_call=0.05", "model %s: %w", text, err)
		}
	}
	if f.player == nil {
		if f.player, err = evalrun.NewPlayer(); err != nil {
			return s, true, cli.Infrastructure("", err)
		}
	}
	s.Name, s.Model.Name, s.Player, s.AtOnce = label, label, f.player, f.atOnce(atOncePlayed)
	return s, true, nil
}

// strategy is how a model is served.
func (f *subjectFlags) strategy(name string) (evalrun.Strategy, error) {
	switch name {
	case "bare":
		return evalrun.Bare{}, nil
	case "loop", "routed", "workflow":
	default:
		return nil, cli.Usage("there are: bare, loop, routed, workflow", "unknown strategy %q", name)
	}
	program, err := f.ownFile()
	if err != nil {
		return nil, cli.Infrastructure("", err)
	}
	if f.folder == "" {
		if f.folder, err = os.MkdirTemp("", "chatterbox-eval-"); err != nil {
			return nil, cli.Infrastructure("", err)
		}
	}
	// What would configure a product and keys of models are not its own in a trial.
	environ := slices.DeleteFunc(slices.Clone(f.host.Env.Environ), func(entry string) bool {
		return strings.HasPrefix(entry, "CHATTERBOX_") || strings.HasPrefix(entry, "OPENAI_")
	})
	return evalrun.Serve{Command: []string{program, "serve"}, Env: environ, Strategy: name, Folder: f.folder}, nil
}
