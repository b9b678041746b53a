package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

// chat is one person at a terminal, or one line of a script.
type chat struct {
	env     env
	service *conversation.Service
	request conversation.Request // of every turn, but for the text
	json    bool
	out     io.Writer
	live    bool // out is env.Screen: the answer shows while it arrives
}

func newChat(host *cli.Host, env env) *cobra.Command {
	var (
		c    = &chat{env: env}
		mode string
	)
	cmd := &cobra.Command{
		Use:   `chat ["text"]`,
		Short: "Ask once, or talk",
		Long: "With a text: one turn, the answer on standard output. Without: a conversation. Ctrl-C stops an answer, " +
			"Ctrl-D leaves. From a pipe, each line is a turn.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.out, c.live = host.Env.Stdout, host.Env.Screen != nil && !c.json
			c.request.Mode = strings.ToUpper(mode)
			return c.run(cmd.Context(), host, strings.Join(args, " "), len(args) > 0)
		},
	}
	cmd.Flags().StringVar(&c.request.ConversationID, "conversation", "", "continue the conversation with this `id`")
	cmd.Flags().StringVar(&c.request.Language, "language", "", "language `tag` of what is said (default en)")
	cmd.Flags().StringVar(&mode, "mode", "", "`mode` to talk in")
	cmd.Flags().BoolVar(&c.request.Trace, "trace", false, "print what happened after each answer, as JSON")
	cmd.Flags().BoolVar(&c.json, "json", false, "print each reply whole, as JSON")
	return cmd
}

func (c *chat) run(ctx context.Context, host *cli.Host, text string, once bool) error {
	if once && strings.TrimSpace(text) == "" {
		return cli.Usage(`for example: chatterbox chat "What time is it in Tokyo?"`, "there is nothing to answer")
	}
	settings, err := host.Load(nil)
	if err != nil {
		return err
	}
	settings.Log = quiet(settings.Log)
	app, err := assemble(ctx, c.env, settings)
	if err != nil {
		return err
	}
	defer app.close()
	c.service = app.service
	channels, err := reminderChannels(settings.Deliver)
	if err != nil {
		return err
	}
	notify := app.tools.agenda.Notifier(channels, app.say)
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	app.tools.agenda.Look(ctx, notify) // so that even a single answer tells what is due
	watch.Go(func() { app.tools.agenda.Watch(watching, notify) })
	defer watch.Wait()
	defer stop()
	if once {
		return c.once(ctx, app.history, text)
	}
	if c.request.ConversationID == "" {
		c.request.ConversationID = rand.Text()
	}
	if cli.IsTerminal(host.Env.Stdin) && host.Env.Screen != nil {
		return c.talk(ctx, app.greeting())
	}
	return c.lines(ctx)
}

// once asks once. At a terminal it says how to answer where the answer is a question that something waits for.
func (c *chat) once(ctx context.Context, store *history.SQLite, text string) error {
	reply, err := c.turn(ctx, text)
	if err != nil {
		return err
	}
	if c.live && reply.ConversationID != nil && waits(ctx, store, *reply.ConversationID) {
		fmt.Fprintf(c.env.Stderr, "to answer: chatterbox chat --conversation %s \"...\"\n", *reply.ConversationID)
	}
	return replyError(reply)
}

// waits says whether a call of the conversation waits for a yes, or a workflow for what it asked.
func waits(ctx context.Context, store *history.SQLite, id string) bool {
	stored, err := store.Load(ctx, id, 1)
	return err == nil && (stored.State.Approval != nil || len(stored.State.Workflow) > 0)
}

// turn asks once and prints the answer.
func (c *chat) turn(ctx context.Context, text string) (conversation.Reply, error) {
	request := c.request
	request.Text = text
	shown := &strings.Builder{} // of the answer, since the last interim
	var listen func(loop.Emission)
	if c.live {
		listen = func(e loop.Emission) { c.show(shown, e) }
	}
	reply, err := c.service.Converse(ctx, request, listen)
	if err != nil {
		if c.live && (shown.Len() > 0 || ctx.Err() != nil) { // after half an answer, or after the ^C that the terminal shows
			fmt.Fprintln(c.out)
		}
		return reply, c.explain(ctx, err)
	}
	if c.json {
		return reply, cli.PrintJSON(c.out, reply)
	}
	switch rest, ok := strings.CutPrefix(reply.ResponseText, shown.String()); {
	case ok:
		fmt.Fprintln(c.out, rest)
	default:
		fmt.Fprintf(c.out, "\n%s\n", reply.ResponseText)
	}
	if reply.Trace != nil {
		return reply, cli.PrintJSON(c.out, reply.Trace)
	}
	return reply, nil
}

func (c *chat) show(shown *strings.Builder, e loop.Emission) {
	switch e.Kind {
	case loop.EmitDelta:
		shown.WriteString(e.Text)
		fmt.Fprint(c.out, e.Text)
	case loop.EmitInterim:
		if shown.Len() > 0 {
			fmt.Fprintln(c.out)
		}
		shown.Reset()
	case loop.EmitTool:
		colours := c.env.Colours()
		fmt.Fprint(colours, cli.Dim)
		fmt.Fprintf(c.out, "· %s %s", e.Name, e.State)
		fmt.Fprint(colours, cli.Plain)
		fmt.Fprintln(c.out)
	}
}

// lines answers each line of a script that is piped in. A turn that failed does not stop the others; the first one
// gives the exit code.
func (c *chat) lines(ctx context.Context) error {
	var failure error
	for line, err := range cli.ReadLines(c.env.Stdin) {
		if err != nil {
			return err
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		reply, err := c.turn(ctx, line)
		if err != nil {
			return err
		}
		failure = cmp.Or(failure, replyError(reply))
	}
	return failure
}

func (c *chat) explain(ctx context.Context, err error) error {
	var request *conversation.RequestError
	switch {
	case errors.As(err, &request):
		return cli.Usage("", "%s", err.Error())
	case ctx.Err() != nil:
		return &cli.Error{Code: cli.ExitInterrupted, Err: errors.New("interrupted; nothing was stored")}
	}
	return cli.Infrastructure("", err)
}

// replyError gives an apology the exit code of its cause.
func replyError(reply conversation.Reply) error {
	if reply.Extra.Error == nil {
		return nil
	}
	err := fmt.Errorf("the turn failed: %s", reply.Extra.Error.Kind)
	switch reply.Extra.Error.Kind {
	case loop.KindIterationLimit, loop.KindRepeatedCall, loop.KindBudget, conversation.KindConflict:
		return &cli.Error{Code: cli.ExitFailed, Err: err}
	}
	return cli.Infrastructure("chatterbox config show says which model is asked; log.level: debug says what it answered", err)
}
