package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"

	"github.com/spf13/cobra"

	"chatterbox/loop"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/flows"
)

// rehearsal is a person at a terminal who talks to one workflow.
type rehearsal struct {
	host     *cli.Host
	set      *workflow.Flows
	flow     *workflow.Flow
	state    workflow.State
	language string
	zone     *time.Location
	tools    loop.Tools // nil: calls are shown and taken for good
	json     bool
}

// tried is one turn of a rehearsal.
type tried struct {
	Text   string            `json:"text"`
	Opens  bool              `json:"opens"` // the text alone would open the workflow
	Phase  string            `json:"phase"`
	Fields map[string]string `json:"fields"`
	Calls  []triedCall       `json:"calls"`
	Action string            `json:"action"`
	Reply  string            `json:"reply"`
	Reason string            `json:"reason"`
}

type triedCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Confirmed bool            `json:"confirmed"`
	Result    json.RawMessage `json:"result,omitempty"` // of a call that was made
}

func tryCommand(host *cli.Host) *cobra.Command {
	t := &rehearsal{host: host}
	var run bool
	cmd := &cobra.Command{
		Use:   "try NAME",
		Short: "Talk to a workflow line by line and see its phase, its fields and the calls that it would make",
		Long: "Each line is what the person says; the first one opens the workflow. No tool is called: a call is shown and taken for " +
			"good. With --run the tools are really called, as in a conversation.",
		Args: cobra.ExactArgs(1),
		RunE: host.Configured(func(ctx context.Context, settings config.Config, args []string) error {
			return t.run(ctx, settings, args[0], run)
		}),
	}
	cmd.Flags().BoolVar(&run, "run", false, "call the tools")
	cmd.Flags().StringVar(&t.language, "language", "en", "language `tag` of what is said")
	cmd.Flags().BoolVar(&t.json, "json", false, "print each turn as JSON")
	return cmd
}

func (t *rehearsal) run(ctx context.Context, settings config.Config, name string, run bool) error {
	set, err := flows.Workflows(flows.Options{Dir: settings.InData(config.FlowsFolder)})
	if err != nil {
		fmt.Fprintf(t.host.Env.Stderr, "chatterbox: %v\n", err)
	}
	if t.flow, t.set = set.Get(name), set; t.flow == nil {
		return cli.Usage("chatterbox workflow check says what is wrong with a file", "there is no workflow %q%s",
			name, flows.Suggestion(name, set.Names()))
	}
	if t.zone, err = time.LoadLocation(cmp.Or(settings.Timezone, "Local")); err != nil {
		return cli.Usage("set timezone to an IANA name such as Europe/Berlin", "timezone: %w", err)
	}
	if run {
		tools, err := t.host.Tools(ctx, settings, t.host.Env.Stderr)
		if err != nil {
			return err
		}
		defer tools.Close()
		t.tools = tools
	}
	return t.talk(ctx)
}

func (t *rehearsal) talk(ctx context.Context) error {
	prompt := func() {}
	if cli.IsTerminal(t.host.Env.Stdin) {
		prompt = func() { fmt.Fprint(t.host.Env.Stdout, "> ") }
	}
	prompt()
	for line, err := range cli.ReadLines(t.host.Env.Stdin) {
		if err != nil {
			return err
		}
		if strings.TrimSpace(line) != "" {
			if err := t.show(t.turn(ctx, line)); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		prompt()
	}
	return nil
}

// turn is what a conversation does with a workflow, but for what is stored.
func (t *rehearsal) turn(ctx context.Context, text string) tried {
	turn := tried{Text: text, Fields: map[string]string{}, Calls: []triedCall{}}
	turn.Opens, _ = t.flow.Triggered(text, t.language)
	input := workflow.Input{Text: text, Language: t.language, Now: time.Now().In(t.zone), Start: !t.state.Open()}
	if input.Start {
		t.state = workflow.State{}
	}
	state, action := workflow.Step(t.flow, t.state, input)
	for action.Kind == workflow.CallTool {
		call := triedCall{Tool: action.Call.Tool, Arguments: action.Call.Arguments, Confirmed: action.Call.Confirmed}
		result := t.set.Get(state.Flow).Success(*action.Call)
		if t.tools != nil {
			result = t.call(ctx, *action.Call)
			call.Result = json.RawMessage(result.Content)
		}
		turn.Calls = append(turn.Calls, call)
		state, action = workflow.Step(t.flow, state, workflow.Input{Now: time.Now().In(t.zone), Result: &result})
	}
	t.state = state
	for name, value := range state.Fields {
		turn.Fields[name] = value.Value
	}
	turn.Phase, turn.Action, turn.Reply, turn.Reason = state.Phase, string(action.Kind), action.Reply, action.Reason
	return turn
}

// call runs a tool with all that a conversation asks of a call. The person's yes to the workflow is the yes to the
// tool.
func (t *rehearsal) call(ctx context.Context, call workflow.Call) workflow.Result {
	c := loop.Call{ID: "1", Name: call.Tool, Arguments: string(call.Arguments)}
	verdict := t.tools.Check(ctx, c)
	if verdict.Decision == loop.Refuse || verdict.Decision == loop.Ask && !call.Confirmed {
		result := loop.ErrorResult(verdict.Reason + verdict.Question)
		return workflow.Result{Content: result.Content, Failed: true}
	}
	result := t.tools.Call(ctx, c, verdict)
	return workflow.Result{Content: result.Content, Failed: result.Failed}
}

func (t *rehearsal) show(turn tried) error {
	out := t.host.Env.Stdout
	if t.json {
		return cli.PrintJSON(out, turn)
	}
	for _, call := range turn.Calls {
		if call.Result == nil {
			fmt.Fprintf(out, "  would call %s %s\n", call.Tool, call.Arguments)
		} else {
			fmt.Fprintf(out, "  called %s %s: %s\n", call.Tool, call.Arguments, call.Result)
		}
	}
	list := ""
	for _, name := range slices.Sorted(maps.Keys(turn.Fields)) {
		list += fmt.Sprintf(" %s=%q", name, turn.Fields[name])
	}
	fmt.Fprintf(out, "  %s %s%s\n", turn.Phase, turn.Action, list)
	if turn.Action == string(workflow.Digression) {
		fmt.Fprintln(out, "  not for this workflow: somebody else answers, and then it goes on with")
	}
	if turn.Reply != "" {
		fmt.Fprintln(out, turn.Reply)
	}
	return nil
}
