package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/cmd/chatterbox/doctor"
	"chatterbox/cmd/chatterbox/service"
	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/server"
)

func newServe(host *cli.Host, env env) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use: "serve", Short: "Answer over HTTP until stopped", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), host, env, listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address` to listen on, host:port (default 127.0.0.1:8765)")
	return cmd
}

func serve(ctx context.Context, host *cli.Host, env env, listen string) (err error) {
	settings, err := host.Load(map[string]string{"listen": listen})
	if err != nil {
		return err
	}
	tuneCollector(host.Env.Getenv)
	// The port comes first: when it is taken, nothing else needs to be opened to say so.
	listener, err := net.Listen("tcp", settings.Listen)
	if errors.Is(err, syscall.EADDRINUSE) && doctor.Serving(ctx, settings.Listen) != "" {
		return cli.Infrastructure("ask it, or choose another address, for example: chatterbox serve --listen 127.0.0.1:8766",
			fmt.Errorf("a chatterbox serves at %s already", settings.Listen))
	} else if err != nil {
		return cli.Listening("serve", settings.Listen, err)
	}
	defer listener.Close()
	app, err := assemble(ctx, env, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.close()) }()
	front, err := server.New(app.serverOptions(env))
	if err != nil {
		return cli.Usage("", "%w", err)
	}
	channels, err := reminderChannels(settings.Deliver)
	if err != nil {
		return err
	}
	fmt.Fprintf(host.Env.Stdout, "listening on http://%s\n%s\n", listener.Addr(), app.summary())
	if err := service.Ready(host.Env.Getenv("NOTIFY_SOCKET")); err != nil {
		app.log.Warn("the service manager cannot be told that the server is ready", "error", err)
	}
	served := make(chan error, 1)
	go func() { served <- front.Serve(listener) }()
	var background sync.WaitGroup
	background.Go(func() { app.models.Watch(ctx) })
	background.Go(func() { app.tools.agenda.Watch(ctx, app.tools.agenda.Notifier(channels, app.say)) })
	defer background.Wait()
	app.spoken.Warm()
	trim()
	select {
	case err := <-served:
		return cli.Infrastructure("", fmt.Errorf("serve: %w", err))
	case <-ctx.Done():
	}
	err = app.stop(front)
	<-served
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return cli.Infrastructure("", fmt.Errorf("stop: %w", err))
	}
	return nil
}

// stop lets turns finish, or abandons them whole, within the configured time. The front stops beside it, and has a part
// of that time more to send the last answers.
func (a *app) stop(front *server.Server) error {
	limit := a.settings.Server.StopTimeout
	a.log.Info("stopping", "within", limit)
	stop, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	turns, cancelTurns := context.WithTimeout(stop, limit*4/5)
	defer cancelTurns()
	stopped := make(chan error, 1)
	go func() { stopped <- front.Shutdown(stop) }()
	return errors.Join(a.service.Shutdown(turns), <-stopped)
}

// options are the conversation's, out of the configuration.
func (a *app) options(env env, modes *route.Modes) conversation.Options {
	settings := a.settings.Conversation
	return conversation.Options{
		Store:   decorate[conversation.Store](a.history, env.decorate.Store),
		Model:   func(choice string) loop.Model { return decorateModel(a.models.Choose(choice), env.decorate.Model) },
		Tools:   a.tools,
		Offered: a.tools.box.Offered,
		Rules:   a.spoken.Rules, Workflows: a.spoken.Workflows,
		Reminders: houseReminders{a.tools.agenda},
		Country:   a.settings.Country,
		Now:       decorate(func() time.Time { return time.Now().In(a.tools.zone) }, env.decorate.Now),
		Limits: loop.Limits{
			Iterations: settings.MaxIterations, Calls: settings.MaxCalls,
			ResultBytes: int(settings.ResultMaxBytes), OutputBytes: int(settings.AnswerMaxBytes),
			Tokens: settings.MaxTokens, CostUSD: settings.MaxCostUSD,
			Wall: a.settings.TurnTimeout(a.models.Near()),
		},
		ApprovalExpiry: settings.ApprovalExpiry, MaxHistoryTurns: settings.MaxHistoryTurns,
		ToolsOfferedMax: a.settings.Tools.MaxOffered, QueueMax: settings.QueueMax,
		Name: settings.Name, SystemPrompt: settings.SystemPrompt, Modes: modes, Strategy: conversation.Strategy(settings.Strategy),
		AutoCreateID: settings.AutoCreateConversationID, Log: a.log,
		PhraseTime: phraseTime(settings.Phrase, settings), WordingTime: phraseTime(settings.Wording, settings),
	}
}

// phraseTime is how long a model may word an answer that by, template or model, words; 0 is not at all.
func phraseTime(by string, settings config.Conversation) time.Duration {
	if by != "model" {
		return 0
	}
	return settings.PhraseTimeout
}

// decorateModel keeps "no model" what it is.
func decorateModel(model loop.Model, with func(loop.Model) loop.Model) loop.Model {
	if model == nil {
		return nil
	}
	return decorate(model, with)
}

// summary says in a few lines what serves.
func (a *app) summary() string {
	status := a.tools.pool.Status()
	ready, waiting := cli.Names(a.tools.box)
	tools := fmt.Sprintf("tools: %d (%s)", len(ready), strings.Join(ready, ", "))
	if len(waiting) > 0 {
		tools += fmt.Sprintf("; %d wait for a setting or a grant, see: chatterbox tool list", len(waiting))
	}
	lines := []string{
		"model: " + a.models.Describe(),
		tools,
		fmt.Sprintf("wasm: %s, isolation: %s", status.Engine, status.Isolation),
	}
	for _, problem := range a.tools.box.Problems() {
		lines = append(lines, fmt.Sprintf("not loaded: %s: %s", cli.InLine(problem.File), cli.InLine(problem.Reason)))
	}
	return strings.Join(lines, "\n")
}

// greeting is what a talk at the terminal begins with.
func (a *app) greeting() string {
	return fmt.Sprintf("%s\nmodel: %s", a.settings.Conversation.Name, a.models.Describe())
}

// speaking is the service with its replies decorated.
type speaking struct {
	*conversation.Service
	reply func(*conversation.Reply) // nil in the product
}

func (s speaking) Converse(
	ctx context.Context, request conversation.Request, emit func(loop.Emission),
) (conversation.Reply, error) {
	reply, err := s.Service.Converse(ctx, request, emit)
	if s.reply != nil {
		s.reply(&reply)
	}
	return reply, err
}

func (a *app) serverOptions(env env) server.Options {
	settings := a.settings.Server
	return server.Options{
		Service: speaking{a.service, env.decorate.Reply}, Token: a.settings.Auth.Token,
		Hosts: settings.Hosts, Origins: settings.Origins, TrustedProxies: settings.Proxies(),
		BodyMax: int(settings.BodyMaxBytes), ConnsMax: settings.MaxConnections, ConnsPerClientMax: settings.MaxConnectionsPerClient,
		DAV: a.tools.agenda.Handler(), Health: a.health, Name: a.settings.Conversation.Name, Version: version, Log: a.log,
	}
}

// healthTime bounds what a health check may ask the disk.
const healthTime = time.Second

// health is what GET /health says beside its status.
func (a *app) health() map[string]any {
	ctx, cancel := context.WithTimeout(context.Background(), healthTime)
	defer cancel()
	status := a.tools.pool.Status()
	ready, waiting := cli.Names(a.tools.box)
	health := map[string]any{
		"model":     a.models.Health(),
		"tools":     len(ready),
		"waiting":   len(waiting),
		"problems":  len(a.tools.box.Problems()),
		"wasm":      status.Engine,
		"isolation": status.Isolation,
		"worker":    status,
	}
	if stats, err := a.history.Stats(ctx); err == nil {
		health["history"] = stats
	} else {
		health["history"] = map[string]string{"error": err.Error()}
	}
	if cuts := a.service.PromptsCut(); len(cuts) > 0 {
		health["prompts_cut"] = cuts
	}
	if a.tools.cache != nil {
		health["cache"] = a.tools.cache.Stats()
	}
	return health
}
