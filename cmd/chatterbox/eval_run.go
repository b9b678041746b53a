package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
	evalrun "chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// evalRun is one call of eval run.
type evalRun struct {
	common     *commonFlags
	chosen     chosenScenarios
	subjects   subjectFlags
	options    evalrun.Options
	suite      string
	log        string
	shard      string
	thresholds []string
	baseline   string
	before     *report.Collector // what the baseline shows
	record     string
	replay     string
	asJSON     bool
}

func newEvalRun(common *commonFlags) *cobra.Command {
	r := &evalRun{common: common}
	cmd := &cobra.Command{
		Use: "run", Short: "Score models on scenarios, many times, and say what holds", Args: cobra.NoArgs,
		Long: "Runs the scenarios tagged @model on every model with every strategy. Each trial is a line of the log; a run that was\n" +
			"interrupted goes on where it was when it is called again with the same log.\n\n" +
			"A model is NAME, with --base-url, or NAME@URL. Two models need no server: 'scripted' plays what the scenarios say, and\n" +
			"'simulated:no_call=0.1,malformed_call=0.05' goes wrong as often as it says. LABEL=simulated:... gives it a name.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.usePreset(cmd); err != nil {
				return err
			}
			return r.run(cmd.Context())
		},
	}
	r.chosen.flags(cmd)
	r.subjects.flags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&r.suite, "suite", "", "a run that is known by `name`: claims prints the README's table, of simulated models unless --model names others")
	flags.StringVar(&r.log, "log", "eval.jsonl", "`file` that the trials are added to")
	flags.IntVar(&r.options.Runs, "runs", 4, "trials of a scenario that does not say how many itself (@runs)")
	flags.Uint64Var(&r.options.Seed, "seed", evalrun.SeedDefault, "decides which other tools are offered, and what simulated models do")
	flags.BoolVar(&r.options.RetryErrors, "retry-errors", false, "run trials again that the log has as errors")
	flags.StringVar(&r.shard, "shard", "", "run only the `i/n`-th part, as in 2/5; eval merge puts the logs together")
	flags.Float64Var(&r.options.MaxCostUSD, "max-cost", 0, "stop when the trials of the log have cost so many USD")
	flags.DurationVar(&r.options.MaxTime, "max-time", 0, "stop after this time")
	flags.DurationVar(&r.options.TurnTimeout, "turn-timeout", 2*time.Minute, "a turn that takes longer has failed")
	flags.StringArrayVar(&r.thresholds, "threshold", nil, "what must hold, as in 'success>=0.9', '@parallel>=0.8', 'pass^3>=0.7'")
	flags.StringVar(&r.baseline, "baseline", "", "`log` of an earlier run; a subject that is worse than there makes the exit code 1")
	flags.StringVar(&r.record, "record", "", "`file` that what the models answer is added to")
	flags.StringVar(&r.replay, "replay", "", "`file` with recorded answers; no model is asked")
	flags.BoolVar(&r.asJSON, "json", false, "print the summary as JSON")
	cmd.MarkFlagsMutuallyExclusive("record", "replay")
	return cmd
}

func (r *evalRun) run(ctx context.Context) (err error) {
	if err := r.checkNumbers(); err != nil {
		return err
	}
	opened, err := r.chosen.open()
	if err != nil {
		return err
	}
	selected, err := scenario.Select(opened.Scenarios, r.chosen.by)
	if err != nil {
		return usageError("chatterbox eval list shows all scenarios", "%w", err)
	}
	r.options.Suite = opened
	for _, s := range selected {
		if s.Live {
			r.options.Scenarios = append(r.options.Scenarios, s)
		}
	}
	if len(r.options.Scenarios) == 0 {
		return usageError("chatterbox eval list --tags @model shows those that can", "none of the %d selected scenarios can be scored on a model", len(selected))
	}
	gates, err := r.gates(opened.Scenarios)
	if err != nil {
		return err
	}
	if r.baseline != "" {
		if r.before, err = collect(r.common.env, []string{r.baseline}); err != nil {
			return err
		}
	}
	if r.replay != "" && r.subjects.baseURL == "" {
		r.subjects.baseURL = "http://127.0.0.1:9/v1" // where nobody is, nor is asked
	}
	var open closers
	defer func() { err = errors.Join(err, open.close()) }()
	if r.options.Subjects, err = r.subjects.subjects(r.common, &open); err != nil {
		return err
	}
	if err := r.checkPrices(); err != nil {
		return err
	}
	if err := r.open(&open); err != nil {
		return err
	}
	progress := startEvalProgress(r.common.env)
	r.options.Progress = progress.took
	result, err := evalrun.Run(ctx, r.options)
	progress.end()
	return r.finish(result, err, gates)
}

// checkNumbers refuses what would run nothing, or for ever.
func (r *evalRun) checkNumbers() error {
	var wrong []error
	check := func(holds bool, flag, expected string) {
		if !holds {
			wrong = append(wrong, fmt.Errorf("--%s must be %s", flag, expected))
		}
	}
	check(r.options.Runs >= 1, "runs", "1 or more")
	check(r.options.MaxCostUSD >= 0, "max-cost", "0, which is no limit, or more")
	check(r.options.MaxTime >= 0, "max-time", "0, which is no limit, or more")
	check(r.options.TurnTimeout > 0, "turn-timeout", "above 0")
	check(r.subjects.concurrency >= 0, "concurrency", "1 or more; 0 is what fits the server")
	less := func(n int) bool { return n < 1 }
	check(!slices.ContainsFunc(r.subjects.tools, less), "tools", "1 or more")
	check(!slices.ContainsFunc(r.subjects.contexts, less), "context", "1 or more")
	if len(wrong) > 0 {
		return usageError("see 'chatterbox eval run --help'", "%w", errors.Join(wrong...))
	}
	return nil
}

// checkPrices refuses a limit that cannot be held. What runs nearby costs nothing.
func (r *evalRun) checkPrices() error {
	for _, s := range r.options.Subjects {
		if r.options.MaxCostUSD > 0 && s.Player == nil && s.Price == nil && !isNear(s.Model.BaseURL) {
			return usageError("the configuration has prices by model; without --max-cost it runs", "what %s costs is not known: --max-cost cannot be held", s.Name)
		}
	}
	return nil
}

// open opens log and recording.
func (r *evalRun) open(open *closers) (err error) {
	if r.shard != "" {
		part, of, _ := strings.Cut(r.shard, "/")
		i, err := strconv.Atoi(part)
		n, err2 := strconv.Atoi(of)
		if r.options.Shard, r.options.Shards = i, n; err != nil || err2 != nil || i < 1 || i > n {
			return usageError("", "--shard is i/n with i from 1 to n, not %q", r.shard)
		}
	}
	if r.options.Log, err = evalrun.OpenLog(r.log); err != nil {
		return usageError("name another file with --log", "%w", err)
	}
	open.add(r.options.Log.Close)
	if r.options.Log.Torn {
		fmt.Fprintf(r.common.env.Stderr, "chatterbox: the last line of %s had no end and is cut off; its trial runs again\n", r.log)
	}
	switch {
	case r.record != "":
		if r.options.Recording, err = evalrun.StartRecording(r.record); err != nil {
			break
		}
		open.add(r.options.Recording.Close)
		if r.options.Recording.Torn() {
			fmt.Fprintf(r.common.env.Stderr, "chatterbox: the last line of %s had no end and is cut off\n", r.record)
		}
	case r.replay != "":
		r.options.Recording, err = evalrun.OpenRecording(r.replay)
	}
	if err != nil {
		return usageError("", "%w", err)
	}
	return nil
}

// gates reads the thresholds, those of the scenarios' tags too. One that is about nothing among all is refused now, not when
// the run is over.
func (r *evalRun) gates(all []scenario.Scenario) ([]judge.Gate, error) {
	gates := judge.ScenarioGates(r.options.Scenarios)
	for _, text := range r.thresholds {
		gate, err := judge.ParseGate(text)
		if err != nil {
			return nil, usageError("such as 'success>=0.9', '@tag>=0.8', 'scenario/id>=0.5', 'pass^3>=0.7'", "%w", err)
		}
		if !gate.Concerns(all) {
			return nil, usageError("chatterbox eval list shows scenarios and tags", "threshold %q: there is no such scenario or tag", text)
		}
		gates = append(gates, gate)
	}
	return gates, nil
}

// finish says what the log shows, and makes the exit code.
func (r *evalRun) finish(result evalrun.Result, failure error, gates []judge.Gate) error {
	out, stderr := r.common.env.Stdout, r.common.env.Stderr
	if errors.Is(failure, context.Canceled) {
		fmt.Fprintf(stderr, "chatterbox: interrupted after %d of %d trials; the same command goes on with %s\n", result.Ran, result.Planned, r.log)
		return failure
	}
	if refused := (*evalrun.Refused)(nil); errors.As(failure, &refused) {
		return usageError("", "%w", refused)
	}
	if failure != nil {
		return infrastructureError("what is in "+r.log+" is whole; the same command goes on with it", failure)
	}
	if result.Cut != "" {
		fmt.Fprintf(stderr, "chatterbox: stopped after %d of %d trials, since %s; the same command goes on with %s\n", result.Ran, result.Planned, result.Cut, r.log)
	}
	if len(result.Scenarios) == 0 {
		fmt.Fprintf(stderr, "chatterbox: shard %s has none of the trials, so that the others have them all\n", r.shard)
		return nil
	}
	collector, err := collect(r.common.env, []string{r.log})
	if err != nil {
		return err
	}
	summary := collector.Summary()
	switch {
	case r.asJSON:
		err = printJSON(out, summary)
	case r.suite != "":
		err = r.printMatrix(out, summary)
	default:
		err = showSummary(r.common.env, summary)
		if r.common.env.Screen != nil {
			fmt.Fprintf(out, "\nevery trial, and where it went wrong: chatterbox eval report %s --html report.html\n", r.log)
		}
	}
	if err != nil {
		return err
	}
	if err := r.unscored(result); err != nil {
		return err
	}
	return r.judge(result, collector, gates)
}

// unscored says which trials do not count, and fails when a subject cannot be judged by the others.
func (r *evalRun) unscored(result evalrun.Result) error {
	stderr := r.common.env.Stderr
	if result.Broken > 0 {
		fmt.Fprintf(stderr, "chatterbox: %s of %s ended in an error; such do not count, and the same command with --retry-errors runs them again\n",
			plural(result.Broken, "trial"), r.log)
	}
	why := maps.Clone(result.Unscored)
	maps.Copy(why, result.Stopped)
	if len(why) == 0 {
		return nil
	}
	var hints []string
	for _, name := range slices.Sorted(maps.Keys(why)) {
		what := "has no trial that passed or failed"
		if _, ok := result.Stopped[name]; ok {
			what = "was given up, since nothing but errors came"
		}
		fmt.Fprintf(stderr, "chatterbox: %s %s: %s\n", name, what, cmp.Or(why[name], "eval report --html shows why"))
		if hint := infrastructureHints[before(why[name], ":")]; hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	return infrastructureError(strings.Join(hints, "; "), fmt.Errorf("%s could not be scored", plural(len(why), "subject")))
}

// infrastructureHints say what helps, by the kind of infrastructure error.
var infrastructureHints = map[string]string{
	"connection":     "is the server running, and is this its address?",
	"not_found":      "the server does not know the model, or the address: most end in /v1, and GET .../v1/models lists the models",
	"tools":          "a model without tools cannot be scored: take another, or start its server with support for tools",
	"authentication": "--api-key-env names the variable that has the key",
	"rate_limit":     "--concurrency 1 asks less at once",
	"replay":         "record again with --record, or run what was recorded: the same scenarios, models, seed and flags",
}

// before is what stands before the first mark.
func before(text, mark string) string {
	text, _, _ = strings.Cut(text, mark)
	return text
}

// judge holds the log to thresholds and baseline. What a scenario asks for itself counts where it was to run.
func (r *evalRun) judge(result evalrun.Result, collector *report.Collector, gates []judge.Gate) error {
	missed := 0
	for _, subject := range r.options.Subjects {
		for _, gate := range gates {
			if gate.Implied && !slices.Contains(result.Scenarios[subject.Name], gate.What) {
				continue
			}
			outcome := gate.Check(collector, subject.Name)
			if outcome.Missed {
				missed++
			}
			if outcome.Missed || !gate.Implied {
				fmt.Fprintf(r.common.env.Stderr, "%s: %s\n", subject.Name, outcome.Text)
			}
		}
	}
	worse, err := r.againstBaseline(collector)
	switch {
	case err != nil:
		return err
	case missed > 0:
		return failed("%s missed", plural(missed, "threshold"))
	case worse > 0:
		return failed("%s worse than in %s", plural(worse, "subject"), r.baseline)
	}
	return nil
}

// againstBaseline counts the subjects that are worse than in the baseline.
func (r *evalRun) againstBaseline(collector *report.Collector) (worse int, err error) {
	if r.baseline == "" {
		return 0, nil
	}
	compared := map[string]*report.Comparison{}
	for _, subject := range r.options.Subjects {
		if c := report.Compare(r.before.Side(subject.Name), collector.Side(subject.Name)); c.Paired > 0 {
			compared[subject.Name] = &c
		}
	}
	report.Adjust(slices.Collect(maps.Values(compared)))
	for _, name := range slices.Sorted(maps.Keys(compared)) {
		fmt.Fprintf(r.common.env.Stderr, "%s, A in %s and B now:\n", name, r.baseline)
		printComparison(r.common.env.Stderr, *compared[name])
		if compared[name].Verdict == report.Worse {
			worse++
		}
	}
	if len(compared) == 0 {
		return 0, usageError("it has: "+strings.Join(r.before.Subjects(), ", "), "%s has none of the subjects with one of the scenarios", r.baseline)
	}
	return worse, nil
}
