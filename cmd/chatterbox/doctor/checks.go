package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/deliver"
	"chatterbox/runtime/flows"
	"chatterbox/runtime/history"
	"chatterbox/runtime/provider/openai"
)

// This file is what the doctor looks at. It uses the parts that serve uses, as serve makes them, so that what it says
// is what serve would meet. It asks a model's server which models it has, and never has it answer: that could cost
// money.

const (
	modelTime    = 5 * time.Second // for a model's server to list its models
	modelListMax = 1 << 20
	tokenBytes   = 16   // what a token has at least that nobody guesses
	clockFloor   = 2026 // the year before which no clock can be right
)

func (e *examination) configuration(listen string) bool {
	loaded, err := e.host.Resolve(map[string]string{"listen": listen})
	if err != nil {
		e.failure("configuration", err)
		return false
	}
	e.settings, e.file = loaded.Config, loaded.File
	from := loaded.File
	if from == "" {
		from = "no file, the defaults and the environment"
	}
	e.ok("configuration", "%s", from)
	return true
}

// access says who may ask, and whether somebody else on this machine can read what lets them.
func (e *examination) access() {
	const check = "access"
	switch token := e.settings.Auth.Token; {
	case token == "":
		e.ok(check, "from this machine only, without a token")
	case len(token) < tokenBytes:
		e.warn(check, "head -c 32 /dev/urandom | base64 makes a better one", "with the token, but it is short enough to be guessed")
	default:
		e.ok(check, "with the token")
	}
	info, err := os.Stat(e.file)
	if err != nil || info.Mode().Perm()&0o007 == 0 {
		return
	}
	text, err := os.ReadFile(e.file)
	legible := func(secret string) bool { return bytes.Contains(text, []byte(secret)) }
	if err != nil || !slices.ContainsFunc(e.settings.Secrets(), legible) {
		return
	}
	e.warn(check, "chmod 600 "+e.file, "everybody on this machine can read the secrets in %s", e.file)
}

func (e *examination) dataFolder() {
	const hint = "make the folder writable for the user that chatterbox runs as, or choose another with --data"
	folder := e.settings.Data
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		err = writes(folder)
	}
	if err != nil {
		e.fail("data folder", cli.ExitInfrastructure, hint, "%v", err)
		return
	}
	e.ok("data folder", "%s can be written", folder)
}

// writes writes a file into a folder and removes it again.
func writes(folder string) error {
	file, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString("chatterbox doctor\n")
	return errors.Join(err, file.Sync(), file.Close(), os.Remove(file.Name()))
}

func (e *examination) stored(ctx context.Context) {
	store, err := history.Open(ctx, history.Options{
		Path: e.settings.InData(config.HistoryFile), TTL: e.settings.History.TTL, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		e.failure("history", cli.Stored(err))
		return
	}
	defer store.Close()
	stats, err := store.Stats(ctx)
	if err = cmp.Or(store.Check(ctx), err); err != nil {
		e.failure("history", cli.Stored(err))
		return
	}
	e.ok("history", "%s, %s", cli.Count(stats.Conversations, "conversation"), cli.Count(stats.Turns, "turn"))
}

func (e *examination) model(ctx context.Context) {
	found, err := e.host.Models(ctx, e.settings)
	if err != nil {
		e.failure("model", err)
		return
	}
	defer found.Close()
	list := e.settings.ModelList()
	if len(list) == 0 && found.Current() != nil {
		one := found.Found()
		list = []config.Model{{Name: one.Model, BaseURL: one.BaseURL, Model: one.Model, APIKey: one.APIKey}}
	}
	if len(list) == 0 {
		e.warn("model", "set llm.base_url and llm.model, or start an Ollama or a llama.cpp server here", "%s",
			strings.Join(append([]string{found.Describe()}, found.Found().Report...), "; "))
	}
	for _, one := range list {
		e.oneModel(ctx, one)
	}
}

func (e *examination) oneModel(ctx context.Context, one config.Model) {
	where := one.Model + " at " + openai.Public(one.BaseURL)
	status, names, err := listModels(ctx, one)
	switch {
	case err != nil:
		e.fail("model", cli.ExitInfrastructure, "is its server running, and is llm.base_url right?", "%s: %v", where, err)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.fail("model", cli.ExitFailed, "set llm.api_key to a key that is valid there", "%s: the server refuses the key (%d)", where, status)
	case status != http.StatusOK || len(names) == 0:
		e.warn("model", "", "%s: the server answers, but does not say which models it has (%d)", where, status)
	case !slices.Contains(names, one.Model) && !slices.Contains(names, one.Model+":latest"):
		e.warn("model", "set llm.model to one that it has", "%s: the server answers, and has %s", where,
			strings.Join(names[:min(len(names), 8)], ", "))
	default:
		e.ok("model", "%s", where)
	}
}

// listModels asks a server for its models' names. Its address is taken with and without /v1, as calls take it.
func listModels(ctx context.Context, one config.Model) (status int, names []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, modelTime)
	defer cancel()
	for _, path := range []string{"/models", "/v1/models"} {
		var body []byte
		status, body, err = get(ctx, http.ProxyFromEnvironment, strings.TrimRight(one.BaseURL, "/")+path, one.APIKey, modelListMax)
		if err != nil {
			if failed := (*url.Error)(nil); errors.As(err, &failed) {
				err = failed.Err // without the URL, which may hold a password
			}
			return 0, nil, err
		}
		var list struct{ Data []struct{ ID string } }
		if json.Unmarshal(body, &list) == nil {
			for _, model := range list.Data {
				names = append(names, model.ID)
			}
		}
		if status != http.StatusNotFound {
			break
		}
	}
	return status, names, nil
}

func (e *examination) tools(ctx context.Context) {
	var log bytes.Buffer
	settings := e.settings
	settings.Log = config.Log{Level: "warn"}
	opened, err := e.host.Tools(ctx, settings, &log)
	if err != nil {
		e.failure("tools", err)
		return
	}
	ready, waiting := cli.Names(opened.Box)
	e.ok("tools", "%d (%s)", len(ready), strings.Join(ready, ", "))
	if n := len(waiting); n > 0 {
		e.findings[len(e.findings)-1].Hint = fmt.Sprintf("%d more wait for a setting or a grant; chatterbox tool list says for which", n)
	}
	for _, problem := range opened.Box.Problems() {
		stem := strings.TrimSuffix(filepath.Base(problem.File), ".wasm")
		e.fail("tools", cli.ExitFailed, "correct it, or remove it with: chatterbox tool remove "+cli.InLine(stem),
			"%s is not loaded: %s", cli.InLine(problem.File), cli.InLine(problem.Reason))
	}
	log.Reset()
	called := len(e.findings)
	e.guest(ctx, opened)
	status := opened.Pool.Status() // of the worker that ran the guest
	if status.Engine == "compiler" {
		e.ok("wasm engine", "%s", status.Engine)
	} else {
		e.warn("wasm engine", "on amd64 and arm64, allow memory to be made executable: in a systemd unit, leave out MemoryDenyWriteExecute",
			"%s: tools run some 60 times slower than compiled", status.Engine)
	}
	e.walls(status.Isolation)
	if err := opened.Close(); err != nil {
		e.failure("tools", err)
	}
	if log.Len() > 0 { // a person hears less of a failed call than the log
		e.findings[called].Detail += ": " + strings.TrimSpace(log.String())
	}
}

// guest runs a tool that is built in.
func (e *examination) guest(ctx context.Context, opened *cli.Tools) {
	const name = "get_current_datetime"
	call := loop.Call{ID: "doctor", Name: name, Arguments: "{}"}
	began := time.Now()
	verdict := opened.Box.Check(ctx, call)
	if verdict.Decision != loop.Run {
		e.fail("tool call", cli.ExitFailed, "", "%s may not run: %s", name, verdict.Reason)
		return
	}
	if result := opened.Box.Call(ctx, call, verdict); !strings.Contains(result.Content, `"datetime_iso"`) {
		e.fail("tool call", cli.ExitFailed, "is worker.command right? Left out, this program starts itself", "%s answered %s", name, result.Content)
		return
	}
	e.ok("tool call", "%s answered in %v", name, time.Since(began).Round(time.Millisecond))
}

// walls says which walls stand between guests and the machine.
func (e *examination) walls(isolation string) {
	var missing []string
	for _, wall := range []string{"rlimit", "no_new_privs", "seccomp", "landlock"} {
		if !strings.Contains(isolation, wall) {
			missing = append(missing, wall)
		}
	}
	if len(missing) == 0 {
		e.ok("isolation", "%s", isolation)
		return
	}
	e.warn("isolation", "a newer Linux on amd64 or arm64 has them; in a container, its own filter may withhold them",
		"%s; missing: %s", isolation, strings.Join(missing, ", "))
}

// broker logs in at the MQTT broker, where one is set. Nothing is published.
func (e *examination) broker(ctx context.Context) {
	settings := e.settings.Deliver.MQTT
	if settings.URL == "" {
		return
	}
	broker, err := deliver.NewMQTT(deliver.MQTTOptions{URL: settings.URL, User: settings.User, Password: settings.Password})
	if err != nil {
		e.failure("MQTT broker", cli.Usage("", "deliver.mqtt: %w", err))
		return
	}
	if err := broker.Check(ctx); err != nil {
		e.fail("MQTT broker", cli.ExitInfrastructure, "is deliver.mqtt.url right, and are deliver.mqtt.user and deliver.mqtt.password?",
			"%v (%v)", err, errors.Unwrap(err))
		return
	}
	e.ok("MQTT broker", "%s lets this host in", settings.URL)
}

// workflows reads the rules and workflows of the person's own. Nothing starts with a wrong rule, and a wrong workflow
// is left out.
func (e *examination) workflows() {
	options := flows.Options{Dir: e.settings.InData(config.FlowsFolder)}
	if _, err := flows.Load(options); err != nil {
		e.fail("workflows", cli.ExitFailed, "correct the file, or move it out of that folder: nothing starts with it", "%v", err)
		return
	}
	known, err := flows.Workflows(options)
	if err != nil {
		e.warn("workflows", "chatterbox workflow check says where", "a file is left out: %v", err)
		return
	}
	e.ok("workflows", "%s", strings.Join(known.Names(), ", "))
}

func (e *examination) clock() {
	zone, err := time.LoadLocation(cmp.Or(e.settings.Timezone, "Local"))
	now := time.Now()
	switch {
	case err != nil:
		e.fail("clock", cli.ExitFailed, "set timezone to an IANA name such as Europe/Berlin", "%v", err)
	case now.Year() < clockFloor:
		e.fail("clock", cli.ExitFailed, "set the clock, or have it set: timedatectl set-ntp true", "it is not %s", now.Format(time.DateOnly))
	default:
		named := "zone " + zone.String()
		if e.settings.Timezone == "" {
			named = "this machine's zone"
		}
		e.ok("clock", "%s, %s", now.In(zone).Format("2006-01-02 15:04:05 MST"), named)
	}
}

func (e *examination) port(ctx context.Context) {
	listener, err := net.Listen("tcp", e.settings.Listen)
	if err == nil {
		_ = listener.Close()
		e.ok("port", "%s is free", e.settings.Listen)
		return
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		if says := Serving(ctx, e.settings.Listen); says != "" {
			e.ok("port", "%s: chatterbox serves there (%s)", e.settings.Listen, says)
			return
		}
	}
	e.failure("port", cli.Listening("serve", e.settings.Listen, fmt.Errorf("listen: %w", err)))
}
