package run

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"chatterbox/evals/doubles"
	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// stub is the guest of every offered tool: it prints its environment.
//
//go:embed stub/stub.wasm
var stub []byte

// Times that a product may take to start and to stop; both are far beyond what it needs.
const (
	startTime = 60 * time.Second
	stopTime  = 20 * time.Second
)

// modeName is the mode in which all conversations are: it has the offered tools and no others.
const modeName = "TRIAL"

// Serve is a product around a model, started for each scenario with the tools that the scenario offers.
type Serve struct {
	// Command starts the product; its configuration follows as --config FILE.
	Command []string
	// Env is added to the environment, which is empty otherwise.
	Env []string
	// Strategy is conversation.strategy.
	Strategy string
	// Folder is for files, and kept by who gives it; what products share lies there.
	Folder string
}

// Prepare implements [Target].
func (s Serve) Prepare(ctx context.Context, plan scenario.Plan, offered []scenario.Tool) (_ Bench, err error) {
	transport := &http.Transport{}
	b := &serveBench{plan: plan, offered: offered, client: &http.Client{Transport: transport}}
	b.stops = append(b.stops, func() error { transport.CloseIdleConnections(); return nil })
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	if b.folder, err = os.MkdirTemp(s.Folder, "product-"); err != nil {
		return nil, err
	}
	address, stop, err := doubles.Serve(b)
	if err != nil {
		return nil, err
	}
	b.stops = append(b.stops, stop)
	if err := s.write(b.folder, address, offered); err != nil {
		return nil, err
	}
	command := exec.Command(s.Command[0], append(s.Command[1:], "--config", filepath.Join(b.folder, "chatterbox.yaml"))...)
	command.Env = append([]string{"HOME=" + b.folder, "XDG_CONFIG_HOME=" + b.folder, "TZ=UTC"}, s.Env...)
	command.Dir, command.SysProcAttr = b.folder, ownProcess()
	url, end, err := launch(ctx, command)
	if err != nil {
		return nil, fmt.Errorf("start the product: %w", err)
	}
	b.url = url
	b.stops = append(b.stops, end)
	return b, nil
}

// write makes the product's configuration, its tools and its data folder.
func (s Serve) write(folder, modelAddress string, offered []scenario.Tool) error {
	tools, data, compiled := filepath.Join(folder, "tools"), filepath.Join(folder, "data"), filepath.Join(s.Folder, "compiled")
	for _, name := range []string{tools, data, compiled} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			return err
		}
	}
	if err := os.Symlink(compiled, filepath.Join(data, "compiled")); err != nil {
		return err
	}
	names := []string{}
	for _, tool := range offered {
		names = append(names, tool.Name)
	}
	config := map[string]any{
		"listen": "127.0.0.1:0", "data": data, "timezone": "UTC",
		"llm":          map[string]any{"base_url": "http://" + modelAddress + "/v1", "model": "trial", "discover": false},
		"modes":        []any{map[string]any{"name": modeName, "tools": names, "workflows": []string{"*"}, "idle": "1h"}},
		"conversation": map[string]any{"mode": modeName, "strategy": s.Strategy},
		"tools":        map[string]any{"builtin": false, "dir": tools, "shared": []string{}, "max_offered": max(1, len(offered)), "per_minute": 0},
		"log":          map[string]any{"level": "warn"},
	}
	files := map[string]any{"chatterbox.yaml": config}
	for _, tool := range offered {
		manifest := map[string]any{
			"name": tool.Name, "description": tool.Description, "inputSchema": tool.Parameters,
			"effects": "read", "confirm": "never", "env": map[string]string{"ANSWER": string(tool.Answer)},
		}
		if tool.Confirm {
			manifest["confirm"] = "always"
		}
		files[filepath.Join("tools", tool.Name+".tool.json")] = manifest
		if err := os.WriteFile(filepath.Join(tools, tool.Name+".wasm"), stub, 0o644); err != nil {
			return err
		}
	}
	for name, value := range files {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// serveBench is a product that runs, and the model as it sees it: requests go on to the line of the trial.
type serveBench struct {
	plan    scenario.Plan
	offered []scenario.Tool
	folder  string
	url     string
	client  *http.Client
	stops   []func() error

	mu   sync.Mutex
	line *Line // guarded by mu
	last error // guarded by mu: the infrastructure error that the model's server made last
}

func (b *serveBench) Begin(ctx context.Context, line *Line) (Session, error) {
	b.mu.Lock()
	b.line, b.last = line, nil
	b.mu.Unlock()
	session, err := newProduct(ctx, product{url: b.url, client: b.client, plan: b.plan, offered: b.offered})
	if err != nil {
		return nil, b.explained(err)
	}
	return &explaining{session, b}, nil
}

// explaining gives the reason of an error that the product only has as an apology.
type explaining struct {
	Session
	bench *serveBench
}

// explained is the model server's own infrastructure error, where there was one.
func (b *serveBench) explained(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last != nil && KindOf(err) != "" {
		return b.last
	}
	return err
}

// Close ends the product and removes its files.
func (b *serveBench) Close() error {
	var problems []error
	for i := len(b.stops) - 1; i >= 0; i-- {
		problems = append(problems, b.stops[i]())
	}
	if b.folder != "" {
		problems = append(problems, os.RemoveAll(b.folder))
	}
	return errors.Join(problems...)
}

// ServeHTTP is the model's API, as the product sees it.
func (b *serveBench) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		io.WriteString(w, `{"object":"list","data":[{"id":"trial","object":"model"}]}`) //nolint:errcheck // a client that left gets nothing
		return
	}
	var request map[string]any
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, answerBytesMax))
	decoder.UseNumber()
	if err := decoder.Decode(&request); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	b.mu.Lock()
	line := b.line
	b.mu.Unlock()
	if line == nil {
		refuse(w, http.StatusServiceUnavailable, errors.New("no trial runs"))
		return
	}
	response, err := line.Complete(r.Context(), request)
	if err != nil {
		b.mu.Lock()
		b.last = err
		b.mu.Unlock()
		refuse(w, http.StatusBadRequest, err) // which no client tries again: the line has done so
		return
	}
	defer response.Body.Close()
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	Pass(w, response.Body)
}

// Pass copies a response as its pieces come.
func Pass(w http.ResponseWriter, from io.Reader) {
	flush := http.NewResponseController(w)
	block := make([]byte, 16<<10)
	for {
		n, err := from.Read(block)
		if _, gone := w.Write(block[:n]); gone != nil || err != nil {
			if err != nil && !errors.Is(err, io.EOF) {
				panic(http.ErrAbortHandler) // so that the client sees that it broke off
			}
			return
		}
		flush.Flush() //nolint:errcheck // a client that left gets nothing
	}
}

func refuse(w http.ResponseWriter, status int, err error) {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": err.Error(), "type": "eval"}}) // texts always marshal
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // a client that left gets nothing
}

// launch starts a server and waits for the line that says where it listens.
func launch(ctx context.Context, command *exec.Cmd) (url string, stop func() error, err error) {
	stdout, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	var log bytes.Buffer
	command.Stderr = &log // read only after the end
	command.WaitDelay = stopTime
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	listening, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		scanner := bufio.NewScanner(stdout)
		for scanner.Scan() {
			if found, ok := strings.CutPrefix(scanner.Text(), "listening on "); ok {
				listening <- found
			}
		}
		ended <- command.Wait()
	}()
	timer := time.NewTimer(startTime)
	defer timer.Stop()
	select {
	case url := <-listening:
		return url, func() error { return interrupt(command, ended) }, nil
	case err := <-ended:
		return "", nil, fmt.Errorf("it ended before it listened: %w\n%s", err, log.Bytes())
	case <-ctx.Done():
		return "", nil, errors.Join(ctx.Err(), command.Process.Kill(), notNil(<-ended))
	case <-timer.C:
		return "", nil, errors.Join(fmt.Errorf("it does not listen after %v", startTime), command.Process.Kill(), notNil(<-ended))
	}
}

// notNil is for ends of processes that were killed, which are never good.
func notNil(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// interrupt ends the product as Ctrl-C does, and by force where that does not help.
func interrupt(command *exec.Cmd, ended <-chan error) error {
	if err := command.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	timer := time.NewTimer(stopTime)
	defer timer.Stop()
	select {
	case err := <-ended:
		return notNil(err)
	case <-timer.C:
		return errors.Join(command.Process.Kill(), notNil(<-ended))
	}
}

func (e *explaining) Say(ctx context.Context, text string) (got judge.Observed, err error) {
	if got, err = e.Session.Say(ctx, text); err != nil {
		err = e.bench.explained(err)
	}
	return got, err
}
