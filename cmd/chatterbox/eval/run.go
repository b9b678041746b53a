package eval

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

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/judge"
	"chatterbox/evals/report"
	evalrun "chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// evalRun is one call of eval run.
type evalRun struct {
	env        cli.Env
	chosen     chosenScenarios
	subjects   subjectFlags
	options    evalrun.Options
	suite      string
	log        string
	shard      string
	thresholds []string
	baseline   string
	before     *report.Logs // what the baseline shows
	record     string
	replay     string
	asJSON     bool
}

func runCommand(host *cli.Flags, ownFile func() (string, error)) *cobra.Command {
	r := &evalRun{env: host.Env, subjects: subjectFlags{host: host, ownFile: ownFile}}
	cmd := &cobra.Command{
		Use: "run", Short: "Score models on scenarios, many times, and say what holds", Args: cobra.NoArgs,
		Long: "Runs the scenarios tagged @model on every model with every strategy. Each trial is a line of the log; a run\n" +
			"that was interrupted goes on where it was when it is called again with the same log.\n\n" +
			"A model is NAME, with --base-url, or NAME@URL. Two models need no server: 'scripted' plays what the\n" +
			"scenarios say, and 'simulated:no_call=0.1,malformed_call=0.05' goes wrong as often as it says.\n" +
			"LABEL=simulated:... gives it a name.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.usePreset(cmd); err != nil {
				return err
			}
			return r.run(cmd.Context())
		},
	}
	r.chosen.flags(cmd)
	r.subjects.flags(cmd)
	flags, o := cmd.Flags(), &r.options
	flags.StringVar(&r.suite, "suite", "",
		"a run that is known by `name`: claims prints the README's table, of simulated models unless --model names others")
	flags.StringVar(&r.log, "log", "eval.jsonl", "`file` that the trials are added to")
	flags.IntVar(&o.Runs, "runs", 4, "trials of a scenario that does not say how many itself (@runs)")
	flags.Uint64Var(&o.Seed, "seed", evalrun.SeedDefault,
		"decides which other tools are offered, and what simulated models do")
	flags.BoolVar(&o.RetryErrors, "retry-errors", false, "run trials again that the log has as errors")
	flags.StringVar(&r.shard, "shard", "", "run only the `i/n`-th part, as in 2/5; eval merge puts the logs together")
	flags.Float64Var(&o.MaxCostUSD, "max-cost", 0, "stop when the trials of the log have cost so many USD")
	flags.DurationVar(&o.MaxTime, "max-time", 0, "stop after this time")
	flags.DurationVar(&o.TurnTimeout, "turn-timeout", 2*time.Minute, "a turn that takes longer has failed")
	flags.StringArrayVar(&r.thresholds, "threshold", nil,
		"what must hold, as in 'success>=0.9', '@parallel>=0.8', 'pass^3>=0.7'")
	flags.StringVar(&r.baseline, "baseline", "",
		"`log` of an earlier run; a subject that is worse than there makes the exit code 1")
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
	opened, selected, err := r.chosen.open()
	if err != nil {
		return err
	}
	r.options.Suite = opened
	r.options.Scenarios = slices.DeleteFunc(slices.Clone(selected), func(s scenario.Scenario) bool { return !s.Live })
	if len(r.options.Scenarios) == 0 {
		return cli.Usage("chatterbox eval list --tags @model shows those that can",
			"none of the %d selected scenarios can be scored on a model", len(selected))
	}
	gates, err := r.gates(opened.Scenarios)
	if err != nil {
		return err
	}
	if r.baseline != "" {
		if r.before, err = openLogs(r.env, []string{r.baseline}); err != nil {
			return err
		}
	}
	if r.replay != "" && r.subjects.baseURL == "" {
		r.subjects.baseURL = "http://127.0.0.1:9/v1" // where nobody is, nor is asked
	}
	defer func() { err = errors.Join(err, r.subjects.close()) }()
	if r.options.Subjects, err = r.subjects.subjects(); err != nil {
		return err
	}
	for _, prepare := range []func() error{r.checkPrices, r.readShard, r.openLog} {
		if err := prepare(); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, r.options.Log.Close()) }()
	if err := r.openRecording(); err != nil {
		return cli.Usage("", "%w", err)
	}
	defer func() { err = errors.Join(err, r.options.Recording.Close()) }()
	took, end := showProgress(r.env)
	r.options.Progress = took
	result, err := evalrun.Run(ctx, r.options)
	end()
	return r.finish(result, err, gates)
}

// checkNumbers refuses what would run nothing, or for ever.
func (r *evalRun) checkNumbers() error {
	less := func(n int) bool { return n < 1 }
	var wrong []error
	for _, number := range []struct {
		holds          bool
		flag, expected string
	}{
		{r.options.Runs >= 1, "runs", "1 or more"},
		{r.options.MaxCostUSD >= 0, "max-cost", "0, which is no limit, or more"},
		{r.options.MaxTime >= 0, "max-time", "0, which is no limit, or more"},
		{r.options.TurnTimeout > 0, "turn-timeout", "above 0"},
		{r.subjects.concurrency >= 0, "concurrency", "1 or more; 0 is what fits the server"},
		{!slices.ContainsFunc(r.subjects.tools, less), "tools", "1 or more"},
		{!slices.ContainsFunc(r.subjects.contexts, less), "context", "1 or more"},
	} {
		if !number.holds {
			wrong = append(wrong, fmt.Errorf("--%s must be %s", number.flag, number.expected))
		}
	}
	if len(wrong) > 0 {
		return cli.Usage("see 'chatterbox eval run --help'", "%w", errors.Join(wrong...))
	}
	return nil
}

// checkPrices refuses a limit that cannot be held. What runs nearby costs nothing.
func (r *evalRun) checkPrices() error {
	for _, s := range r.options.Subjects {
		if r.options.MaxCostUSD > 0 && s.Player == nil && s.Price == nil && !isNear(s.Model.BaseURL) {
			return cli.Usage("the configuration has prices by model; without --max-cost it runs",
				"what %s costs is not known: --max-cost cannot be held", s.Name)
		}
	}
	return nil
}

// readShard reads i/n.
func (r *evalRun) readShard() error {
	if r.shard == "" {
		return nil
	}
	part, of, _ := strings.Cut(r.shard, "/")
	i, err := strconv.Atoi(part)
	n, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || i < 1 || i > n {
		return cli.Usage("", "--shard is i/n with i from 1 to n, not %q", r.shard)
	}
	r.options.Shard, r.options.Shards = i, n
	return nil
}

func (r *evalRun) openLog() (err error) {
	if r.options.Log, err = evalrun.OpenLog(r.log); err != nil {
		return cli.Usage("name another file with --log", "%w", err)
	}
	if r.options.Log.Torn {
		r.tell("the last line of %s had no end and is cut off; its trial runs again", r.log)
	}
	return nil
}

func (r *evalRun) openRecording() (err error) {
	switch {
	case r.record != "":
		r.options.Recording, err = evalrun.StartRecording(r.record)
		if r.options.Recording.Torn() {
			r.tell("the last line of %s had no end and is cut off", r.record)
		}
	case r.replay != "":
		r.options.Recording, err = evalrun.OpenRecording(r.replay)
	}
	return err
}

// tell says something about the run to who watches it.
func (r *evalRun) tell(format string, args ...any) {
	fmt.Fprintf(r.env.Stderr, "chatterbox: "+format+"\n", args...)
}

// gates reads the thresholds, those of the scenarios' tags too. One that is about nothing among all is refused now,
// not when the run is over.
func (r *evalRun) gates(all []scenario.Scenario) ([]judge.Gate, error) {
	gates := judge.ScenarioGates(r.options.Scenarios)
	for _, text := range r.thresholds {
		gate, err := judge.ParseGate(text)
		if err != nil {
			const forms = "such as 'success>=0.9', '@tag>=0.8', 'scenario/id>=0.5', 'pass^3>=0.7'"
			return nil, cli.Usage(forms, "%w", err)
		}
		if !gate.Concerns(all) {
			return nil, cli.Usage("chatterbox eval list shows scenarios and tags",
				"threshold %q: there is no such scenario or tag", text)
		}
		gates = append(gates, gate)
	}
	return gates, nil
}

// finish says what the log shows, and makes the exit code.
func (r *evalRun) finish(result evalrun.Result, failure error, gates []judge.Gate) error {
	if errors.Is(failure, context.Canceled) {
		r.tell("interrupted after %d of %d trials; the same command goes on with %s", result.Ran, result.Planned, r.log)
		return failure
	}
	if refused, ok := errors.AsType[*evalrun.Refused](failure); ok {
		return cli.Usage("", "%w", refused)
	}
	if failure != nil {
		return cli.Infrastructure("what is in "+r.log+" is whole; the same command goes on with it", failure)
	}
	if result.Cut != "" {
		r.tell("stopped after %d of %d trials, since %s; the same command goes on with %s",
			result.Ran, result.Planned, result.Cut, r.log)
	}
	if len(result.Scenarios) == 0 {
		r.tell("shard %s has none of the trials, so that the others have them all", r.shard)
		return nil
	}
	logs, err := openLogs(r.env, []string{r.log})
	if err != nil {
		return err
	}
	summary := logs.Summary()
	switch {
	case r.asJSON:
		err = cli.PrintJSON(r.env.Stdout, summary)
	case r.suite != "":
		err = r.printMatrix(r.env.Stdout, summary)
	default:
		err = showSummary(r.env, summary)
		if r.env.Screen != nil {
			fmt.Fprintf(r.env.Stdout,
				"\nevery trial, and where it went wrong: chatterbox eval report %s --html report.html\n", r.log)
		}
	}
	if err != nil {
		return err
	}
	if err := r.unscored(result); err != nil {
		return err
	}
	return r.judge(result, logs, gates)
}

// unscored says which trials do not count, and fails when a subject cannot be judged by the others.
func (r *evalRun) unscored(result evalrun.Result) error {
	if result.Broken > 0 {
		r.tell("%s of %s ended in an error; such do not count, and the same command with --retry-errors runs them again",
			cli.Count(result.Broken, "trial"), r.log)
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
		r.tell("%s %s: %s", name, what, cmp.Or(why[name], "eval report --html shows why"))
		kind, _, _ := strings.Cut(why[name], ":")
		if hint := infrastructureHints[kind]; hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	return cli.Infrastructure(strings.Join(hints, "; "),
		fmt.Errorf("%s could not be scored", cli.Count(len(why), "subject")))
}

// infrastructureHints say what helps, by the kind of infrastructure error.
var infrastructureHints = map[string]string{
	"connection": "is the server running, and is this its address?",
	"not_found": "the server does not know the model, or the address: most end in /v1, " +
		"and GET .../v1/models lists the models",
	"tools":          "a model without tools cannot be scored: take another, or start its server with support for tools",
	"authentication": "--api-key-env names the variable that has the key",
	"rate_limit":     "--concurrency 1 asks less at once",
	"replay":         "record again with --record, or run what was recorded: the same scenarios, models, seed and flags",
}

// judge holds the log to thresholds and baseline. What a scenario asks for itself counts where it was to run.
func (r *evalRun) judge(result evalrun.Result, logs *report.Logs, gates []judge.Gate) error {
	missed := 0
	for _, subject := range r.options.Subjects {
		for _, gate := range gates {
			if gate.Implied && !slices.Contains(result.Scenarios[subject.Name], gate.What) {
				continue
			}
			outcome := gate.Check(&logs.Collector, subject.Name)
			if outcome.Missed {
				missed++
			}
			if outcome.Missed || !gate.Implied {
				fmt.Fprintf(r.env.Stderr, "%s: %s\n", subject.Name, outcome.Text)
			}
		}
	}
	worse, err := r.againstBaseline(logs)
	switch {
	case err != nil:
		return err
	case missed > 0:
		return cli.Failed("%s missed", cli.Count(missed, "threshold"))
	case worse > 0:
		return cli.Failed("%s worse than in %s", cli.Count(worse, "subject"), r.baseline)
	}
	return nil
}

// againstBaseline counts the subjects that are worse than in the baseline.
func (r *evalRun) againstBaseline(logs *report.Logs) (worse int, err error) {
	if r.baseline == "" {
		return 0, nil
	}
	compared := map[string]*report.Comparison{}
	for _, subject := range r.options.Subjects {
		if c := report.Compare(r.before.Side(subject.Name), logs.Side(subject.Name)); c.Paired > 0 {
			compared[subject.Name] = &c
		}
	}
	if len(compared) == 0 {
		return 0, cli.Usage("it has: "+strings.Join(r.before.Subjects(), ", "),
			"%s has none of the subjects with one of the scenarios", r.baseline)
	}
	report.Adjust(slices.Collect(maps.Values(compared)))
	for _, name := range slices.Sorted(maps.Keys(compared)) {
		fmt.Fprintf(r.env.Stderr, "%s, A in %s and B now:\n", name, r.baseline)
		printComparison(r.env.Stderr, *compared[name])
		if compared[name].Verdict == report.Worse {
			worse++
		}
	}
	return worse, nil
}
