package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	toolswasm "chatterbox/tools-wasm"

	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/flows"
	"chatterbox/runtime/history"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/toolcache"
	"chatterbox/runtime/worker"
)

// app is everything that answers: the same for the server and for a talk at the terminal.
type app struct {
	settings config.Config
	log      *slog.Logger
	history  *history.SQLite
	models   *models
	tools    *tools
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
	a.closers.add(a.models.close)
	rules, err := flows.Load(flows.Options{Dir: filepath.Join(settings.Data, "flows")})
	if err != nil {
		return nil, usageError("correct the file, or move it out of that folder", "%w", err)
	}
	a.service = conversation.New(a.options(env, rules))
	return a, nil
}

// open opens what lives on the disk: history and tools.
func (a *app) open(ctx context.Context, env env) error {
	store, err := history.Open(ctx, history.Options{
		Path: filepath.Join(a.settings.Data, "history.db"), TTL: a.settings.History.TTL, Log: a.log,
	})
	if err != nil {
		return historyError(err)
	}
	a.history = store
	a.closers.add(store.Close)
	if a.tools, err = openTools(ctx, env, a.settings, a.log); err != nil {
		return err
	}
	a.closers.add(a.tools.close)
	return nil
}

// close ends everything, in the reverse order of its start. The service must have been shut down, or never used.
func (a *app) close() error { return a.closers.close() }

// tools is the chain that a tool call goes through, and its parts for those who ask about them.
type tools struct {
	loop.Tools
	pool  *worker.Pool
	box   *toolbox.Toolbox
	cache *toolcache.Cache // nil where results are not kept

	closers closers
}

func (t *tools) close() error { return t.closers.close() }

func openTools(ctx context.Context, env env, settings config.Config, log *slog.Logger) (_ *tools, err error) {
	t := &tools{}
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
		Workers: settings.Tools.Workers, CacheDir: filepath.Join(settings.Data, "compiled"), Command: command, Log: log,
	})
	if err != nil {
		return nil, infrastructureError("", fmt.Errorf("start the workers: %w", err))
	}
	t.closers.add(t.pool.Close)
	client := egress.New(egress.Options{Log: log})
	t.closers.add(func() error { client.Close(); return nil })
	zone, err := time.LoadLocation(localZone(settings.Timezone))
	if err != nil {
		return nil, usageError("set timezone to an IANA name such as Europe/Berlin", "timezone: %w", err)
	}
	t.box, err = toolbox.Open(ctx, toolbox.Options{
		Builtin: toolswasm.FS, Dir: settings.Tools.Dir, Workers: tracedWorkers{t.pool}, Egress: client,
		Approvals: approvalsFolder(settings), Secret: toolSecrets(env, settings), KV: toolbox.NewKV(filepath.Join(settings.Data, "kv")),
		Timeout: settings.Tools.Timeout, Retries: settings.Tools.Retries, PerMinute: orUnlimited(settings.Tools.PerMinute),
		CacheTTL: settings.Cache.TTL, Timezone: zone, BuiltinEnv: weatherEnv(settings.Tools.Weather), Log: log,
	})
	if err != nil {
		return nil, infrastructureError("", fmt.Errorf("open the tools: %w", err))
	}
	t.closers.add(func() error { t.box.Close(); return nil })
	t.Tools = decorate[loop.Tools](t.box, env.decorate.Guests)
	if settings.Cache.MaxBytes > 0 && !env.decorate.NoCache {
		if t.cache, err = toolcache.Wrap(t.Tools, toolcache.Options{MaxBytes: int64(settings.Cache.MaxBytes)}); err != nil {
			return nil, usageError("", "cache: %w", err)
		}
		t.closers.add(func() error { t.cache.Close(); return nil })
		t.Tools = t.cache
	}
	t.Tools = decorate(t.Tools, env.decorate.Tools)
	return t, nil
}

func localZone(configured string) string {
	if configured == "" {
		return "Local"
	}
	return configured
}

// orUnlimited turns the configuration's "0 is no limit" into the toolbox's.
func orUnlimited(perMinute int) int {
	if perMinute == 0 {
		return -1
	}
	return perMinute
}

func weatherEnv(settings config.Weather) map[string]map[string]string {
	values := map[string]string{}
	if settings.GeocodingURL != "" {
		values["WEATHER_GEOCODING_URL"] = settings.GeocodingURL
	}
	if settings.ForecastURL != "" {
		values["WEATHER_FORECAST_URL"] = settings.ForecastURL
	}
	return map[string]map[string]string{"get_weather": values}
}
