package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/evals/steps"
	"chatterbox/features"
)

var scenarioTags = flag.String("scenarios", "", "run only the scenarios with these `tags`, as in @history")

// scenariosAtOnce is how many products run beside each other. More do not make a machine with few processors faster.
const scenariosAtOnce = 4

// startTime and stopTime bound a product that does not start, or does not stop. Both are far beyond what it takes.
const (
	startTime = 60 * time.Second
	stopTime  = 30 * time.Second
)

// TestScenarios runs every feature against this program, over HTTP, but for those in which a model is judged.
func TestScenarios(t *testing.T) {
	tags := "~@model"
	if *scenarioTags != "" {
		tags += " && " + *scenarioTags
	}
	outcomes, err := steps.Run(t.Context(), steps.Options{
		Features: features.FS, Product: product(t, compiled(t), ""), Tags: tags, Concurrency: scenariosAtOnce,
	})
	if err != nil {
		t.Error(err)
	}
	for _, outcome := range outcomes {
		t.Run(outcome.Name, func(t *testing.T) {
			if outcome.Err != nil {
				t.Errorf("%s: %s: %v\n%s", outcome.Feature, outcome.Step, outcome.Err, outcome.Log)
			}
		})
	}
}

// product starts this test binary as chatterbox, in the form that a mutation gives it; none is the program as it is.
// Modules are compiled once for all that share the folder compiled.
func product(t testing.TB, compiled, mutation string) steps.Product {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, settings steps.Settings) (steps.Instance, error) {
		shared := filepath.Join(settings.Data, "compiled")
		if err := os.Symlink(compiled, shared); err != nil && !errors.Is(err, os.ErrExist) {
			return steps.Instance{}, err
		}
		command := exec.CommandContext(ctx, executable, "serve")
		clock := movedClock{filepath.Join(settings.Data, clockMoves)}
		command.Env = append(environment(settings), envAsProgram+"=1", envMutation+"="+mutation, envClock+"="+clock.file)
		command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
		command.WaitDelay = stopTime
		instance, err := launch(command)
		instance.Pass = clock.move
		return instance, err
	}
}

// environment is the program's whole environment: nothing of the machine's configuration reaches a scenario.
func environment(settings steps.Settings) []string {
	values := map[string]string{
		"HOME": settings.Data, "XDG_CONFIG_HOME": settings.Data, "TZ": "UTC",
		"GORACE":                                 "atexit_sleep_ms=0", // the second that the race detector waits at the end would be most of a scenario
		"CHATTERBOX_LISTEN":                      "127.0.0.1:0",
		"CHATTERBOX_DATA":                        settings.Data,
		"CHATTERBOX_LLM_DISCOVER":                "false",
		"CHATTERBOX_LLM_BASE_URL":                settings.ModelURL,
		"CHATTERBOX_LLM_MODEL":                   settings.Model,
		"CHATTERBOX_TOOLS_WEATHER_GEOCODING_URL": settings.GeocodingURL,
		"CHATTERBOX_TOOLS_WEATHER_FORECAST_URL":  settings.ForecastURL,
		"CHATTERBOX_TOOLS_HOME_URL":              settings.HomeURL,
		"CHATTERBOX_TOOLS_HOME_TOKEN":            settings.HomeToken,
		"CHATTERBOX_TOOLS_HOME_LOCATION":         settings.HomeLocation,
		"CHATTERBOX_TOOLS_CUSTOMERS_URL":         settings.CustomersURL,
		"CHATTERBOX_TOOLS_CUSTOMERS_USER":        settings.CustomersUser,
		"CHATTERBOX_TOOLS_CUSTOMERS_PASSWORD":    settings.CustomersPassword,
		"CHATTERBOX_TOOLS_CALENDAR_URL":          settings.CalendarURL,
		"CHATTERBOX_TIMEZONE":                    settings.Timezone,
		"CHATTERBOX_CONVERSATION_MODE":           settings.Mode,
		"CHATTERBOX_CONVERSATION_STRATEGY":       settings.Strategy,
	}
	for name, value := range map[string]int{
		"CHATTERBOX_CONVERSATION_MAX_HISTORY_TURNS": settings.HistoryTurns,
		"CHATTERBOX_CONVERSATION_MAX_ITERATIONS":    settings.ModelCalls,
		"CHATTERBOX_CONVERSATION_MAX_CALLS":         settings.ToolCalls,
		"CHATTERBOX_TOOLS_MAX_OFFERED":              settings.ToolsOffered,
	} {
		if value > 0 {
			values[name] = strconv.Itoa(value)
		}
	}
	if settings.ToolTimeout > 0 {
		values["CHATTERBOX_TOOLS_TIMEOUT"] = settings.ToolTimeout.String()
	}
	if settings.NoConversations {
		values["CHATTERBOX_CONVERSATION_AUTO_CREATE_CONVERSATION_ID"] = "false"
	}
	if settings.ModelWords {
		values["CHATTERBOX_CONVERSATION_PHRASE"] = "model"
	}
	if settings.ModelAnswers {
		values["CHATTERBOX_CONVERSATION_WORDING"] = "model"
	}
	if settings.NoReuse {
		values["CHATTERBOX_CACHE_MAX_BYTES"] = "0"
	}
	var out []string
	for name, value := range values {
		if value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// launch starts a server and waits for the line that says where it listens.
func launch(command *exec.Cmd) (steps.Instance, error) {
	stdout, err := command.StdoutPipe()
	if err != nil {
		return steps.Instance{}, err
	}
	log := &logBuffer{}
	command.Stderr = log
	if err := command.Start(); err != nil {
		return steps.Instance{}, err
	}
	// A pipe is read to its end before Wait, which closes it.
	listening, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		scanner := bufio.NewScanner(stdout)
		for scanner.Scan() {
			if url, ok := strings.CutPrefix(scanner.Text(), "listening on "); ok {
				listening <- url
			}
		}
		ended <- command.Wait()
	}()
	timer := time.NewTimer(startTime)
	defer timer.Stop()
	select {
	case url := <-listening:
		return steps.Instance{URL: url, Log: log.String, Stop: func() error {
			return stop(command, ended)
		}}, nil
	case err := <-ended:
		return steps.Instance{}, fmt.Errorf("it ended before it listened: %w\n%s", err, log)
	case <-timer.C:
		return steps.Instance{}, errors.Join(fmt.Errorf("it does not listen after %v\n%s", startTime, log),
			command.Process.Kill(), <-ended)
	}
}

// stop interrupts the server, as Ctrl-C does, and waits for its end, which must be an orderly one.
func stop(command *exec.Cmd, ended <-chan error) error {
	if err := command.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	timer := time.NewTimer(stopTime)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return errors.Join(fmt.Errorf("it does not stop after %v", stopTime), command.Process.Kill(), <-ended)
	}
}

// logBuffer is a buffer that is written and read at once.
type logBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer // guarded by mu
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
