package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/cmd/chatterbox/tool"
	"chatterbox/loop"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/flows"
	"chatterbox/runtime/history"
	"chatterbox/runtime/provider"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/toolcache"
	"chatterbox/runtime/worker"
	toolswasm "chatterbox/tools-wasm"
)

// app is everything that answers: the same for the server and for a talk at the terminal.
type app struct {
	settings config.Config
	log      *slog.Logger
	history  *history.SQLite
	models   *provider.Models
	tools    *tools
	spoken   *flows.Dialogues
	service  *conversation.Service
	closers  closers
}

// assemble wires the product. What it opened is closed by app.close, also when assemble fails halfway.
func assemble(ctx context.Context, env env, settings config.Config) (_ *app, err error) {
	useOwnRoots()
	a := &app{settings: settings, log: logger(env.Stderr, settings.Log, secrets(env, settings))}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if a.spoken, err = flows.Open(settings.InData(config.FlowsFolder), a.log); err != nil {
		return nil, cli.Usage("correct the file, or move it out of that folder", "%w", err)
	}
	searching := make(chan struct{})
	go func() { // a look at the usual ports takes a moment; the disk is read meanwhile
		defer close(searching)
		a.models, err = findModels(ctx, env, settings, a.log)
	}()
	openErr := a.open(ctx, env)
	<-searching
	if openErr != nil {
		return nil, openErr
	}
	if err != nil {
		return nil, err
	}
	a.closers.add(a.models.Close)
	modes, err := modesOf(settings)
	if err != nil {
		return nil, err
	}
	options := a.options(env, modes)
	options.Store = history.Attaching{Store: options.Store, Attached: a.tools.kv}
	a.service = conversation.New(options)
	return a, nil
}

// open opens what lives on the disk: history and tools, at the same time.
func (a *app) open(ctx context.Context, env env) error {
	var (
		reading  sync.WaitGroup
		toolsErr error
	)
	reading.Go(func() { a.tools, toolsErr = openTools(ctx, env, a.settings, a.log, question(a.spoken)) })
	store, err := history.Open(ctx, history.Options{
		Path: a.settings.InData(config.HistoryFile), TTL: a.settings.History.TTL, Log: a.log, Check: true,
	})
	reading.Wait()
	if err == nil {
		a.history = store
		a.closers.add(store.Close)
	}
	if toolsErr == nil {
		a.closers.add(a.tools.close)
	}
	if err != nil {
		return cli.Stored(err)
	}
	if toolsErr != nil {
		return toolsErr
	}
	a.closers.add(store.SweepAttached(a.tools.kv, a.log))
	return nil
}

// close ends everything, in the reverse order of its start. The service must have been shut down, or never used.
func (a *app) close() error { return a.closers.close() }

// tools is the chain that a tool call goes through, and its parts for those who ask about them.
type tools struct {
	loop.Tools
	pool  *worker.Pool
	box   *toolbox.Toolbox
	kv    *toolbox.KV
	cache *toolcache.Cache // nil where results are not kept

	agenda *agenda.Agenda
	zone   *time.Location // where the house is

	closers closers
}

func (t *tools) close() error { return t.closers.close() }

// wording words a question about a call, for a person to whom it is that time.
type wording func(call toolbox.Asked, now time.Time) string

// question words what a person is asked before a call, in their language.
func question(spoken *flows.Dialogues) wording {
	return func(call toolbox.Asked, now time.Time) string {
		return spoken.Workflows().CallQuestion(workflow.AskedCall(call), now)
	}
}

// openTools opens the tools. Where ask is nil, questions about calls are in the toolbox's own words.
func openTools(
	ctx context.Context, env env, settings config.Config, log *slog.Logger, ask wording,
) (_ *tools, err error) {
	t := &tools{kv: toolbox.NewKV(settings.InData(config.KVFolder))}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	command, err := workerCommand(settings.Worker.Command)
	if err != nil {
		return nil, err
	}
	t.pool, err = worker.NewPool(worker.Options{
		Workers: settings.Tools.Workers, CacheDir: settings.InData(config.CompiledFolder), Command: command, Log: log,
	})
	if err != nil {
		return nil, cli.Infrastructure("", fmt.Errorf("start the workers: %w", err))
	}
	t.closers.add(t.pool.Close)
	if t.zone, err = time.LoadLocation(cmp.Or(settings.Timezone, "Local")); err != nil {
		return nil, cli.Usage("set timezone to an IANA name such as Europe/Berlin", "timezone: %w", err)
	}
	t.agenda, err = agenda.Open(agenda.Options{Dir: settings.InData(config.AgendaFolder), Zone: t.zone, Log: log})
	if err != nil {
		return nil, cli.Infrastructure("look at the data folder, "+settings.Data, err)
	}
	client := egress.New(egress.Options{Log: log, Internal: map[string]http.Handler{
		agendaHost:    t.agenda.Handler(),
		customersHost: egress.File("/"+config.CustomersFile, settings.InData(config.CustomersFile)),
	}})
	t.closers.add(func() error { client.Close(); return nil })
	channels, err := senders(settings.Deliver)
	if err != nil {
		return nil, err
	}
	if channels["notification"] == nil {
		channels["notification"] = here{t.agenda}
	}
	options := toolbox.Options{
		Dir: settings.Tools.Dir, Workers: tool.TracedWorkers{Workers: t.pool}, Egress: client,
		Approvals: settings.InData(config.GrantsFolder), KV: t.kv, Setting: toolSettings(settings),
		Secret:  egress.Learning(log, configuredSecrets(settings, toolSecrets(env, settings))),
		Deliver: channels, DeliverPerMinute: settings.Deliver.PerMinute,
		Timeout: settings.Tools.Timeout, Retries: settings.Tools.Retries, PerMinute: settings.Tools.PerMinute,
		CacheTTL: settings.Cache.TTL, Timezone: t.zone, Log: log,
	}
	if settings.Tools.Builtin {
		options.Builtin = toolswasm.FS
	}
	if ask != nil {
		options.Question = func(call toolbox.Asked) string { return ask(call, time.Now().In(t.zone)) }
	}
	t.box, err = toolbox.Open(ctx, options)
	if err != nil {
		return nil, cli.Infrastructure("", fmt.Errorf("open the tools: %w", err))
	}
	t.closers.add(func() error { t.box.Close(); return nil })
	t.Tools = decorate[loop.Tools](t.box, env.decorate.Guests)
	if settings.Cache.MaxBytes > 0 && !env.decorate.NoCache {
		if t.cache, err = toolcache.Wrap(t.Tools, toolcache.Options{MaxBytes: int64(settings.Cache.MaxBytes)}); err != nil {
			return nil, cli.Usage("", "cache: %w", err)
		}
		t.closers.add(func() error { t.cache.Close(); return nil })
		t.Tools = t.cache
	}
	t.Tools = decorate(t.Tools, env.decorate.Tools)
	return t, nil
}
