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
	"slices"
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

// configName is the file of the product's configuration.
const configName = "chatterbox.yaml"

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

// Prepare implements [Strategy].
func (s Serve) Prepare(ctx context.Context, plan scenario.Plan, offered []scenario.Tool) (_ Setup, err error) {
	client := &http.Client{Transport: &http.Transport{}}
	p := &servedProduct{product: product{client: client, language: plan.Language, offered: offered}}
	p.stops = append(p.stops, func() error { client.CloseIdleConnections(); return nil })
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	folder, err := os.MkdirTemp(s.Folder, "product-")
	if err != nil {
		return Setup{}, err
	}
	p.stops = append([]func() error{func() error { return os.RemoveAll(folder) }}, p.stops...)
	address, stop, err := doubles.Serve(p)
	if err != nil {
		return Setup{}, err
	}
	p.stops = append(p.stops, stop)
	if err := s.write(folder, address, offered); err != nil {
		return Setup{}, err
	}
	running, cancel := context.WithCancel(ctx)
	arguments := append(slices.Clone(s.Command[1:]), "--config", filepath.Join(folder, configName))
	command := exec.CommandContext(running, s.Command[0], arguments...)
	command.Env = append([]string{"HOME=" + folder, "XDG_CONFIG_HOME=" + folder, "TZ=UTC"}, s.Env...)
	command.Dir, command.SysProcAttr = folder, ownProcess()
	url, end, err := launch(command, cancel)
	if err != nil {
		return Setup{}, fmt.Errorf("start the product: %w", err)
	}
	p.url = url
	p.stops = append(p.stops, end)
	return Setup{
		Begin: func(ctx context.Context, model *Connection) (Say, error) {
			return p.begin(model).after(ctx, plan.Before)
		},
		Close: p.close,
	}, nil
}

// write makes the product's configuration, its tools and its data folder.
func (s Serve) write(folder, modelAddress string, offered []scenario.Tool) error {
	tools, data := filepath.Join(folder, "tools"), filepath.Join(folder, "data")
	compiled := filepath.Join(s.Folder, "compiled")
	for _, name := range []string{tools, data, compiled} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			return err
		}
	}
	if err := os.Symlink(compiled, filepath.Join(data, "compiled")); err != nil {
		return err
	}
	config := map[string]any{
		"listen": "127.0.0.1:0", "data": data, "timezone": "UTC",
		"llm": map[string]any{"base_url": "http://" + modelAddress + "/v1", "model": "trial", "discover": false},
		"modes": []any{
			map[string]any{"name": modeName, "tools": toolNames(offered), "workflows": []string{"*"}, "idle": "1h"},
		},
		"conversation": map[string]any{"mode": modeName, "strategy": s.Strategy},
		"tools": map[string]any{
			"builtin": false, "dir": tools, "shared": []string{}, "max_offered": max(1, len(offered)), "per_minute": 0,
		},
		"log": map[string]any{"level": "warn"},
	}
	files := map[string]any{configName: config}
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
		if err := os.WriteFile(filepath.Join(folder, name), marshal(value), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// servedProduct is a product that runs, and the model as it sees it: requests go on to the connection of the trial.
type servedProduct struct {
	product
	stops []func() error

	mu    sync.Mutex
	model *Connection // guarded by mu
	last  error       // guarded by mu: the infrastructure error that the model's server made last
}

// begin begins a conversation. Of an error that the product only has as an apology it gives the reason.
func (p *servedProduct) begin(model *Connection) Say {
	p.mu.Lock()
	p.model, p.last = model, nil
	p.mu.Unlock()
	say := p.conversation()
	return func(ctx context.Context, text string) (judge.Observed, error) {
		got, err := say(ctx, text)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.last != nil && KindOf(err) != "" {
			err = p.last
		}
		return got, err
	}
}

// close ends the product and removes its files.
func (p *servedProduct) close() error {
	var problems []error
	for _, stop := range slices.Backward(p.stops) {
		problems = append(problems, stop())
	}
	return errors.Join(problems...)
}

// ServeHTTP is the model's API, as the product sees it.
func (p *servedProduct) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		io.WriteString(w, `{"object":"list","data":[{"id":"trial","object":"model"}]}`) //nolint:errcheck // it may have left
		return
	}
	var request map[string]any
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, answerBytesMax))
	decoder.UseNumber()
	if err := decoder.Decode(&request); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	p.mu.Lock()
	model := p.model
	p.mu.Unlock()
	if model == nil {
		refuse(w, http.StatusServiceUnavailable, errors.New("no trial runs"))
		return
	}
	response, err := model.Complete(r.Context(), request)
	if err != nil {
		p.mu.Lock()
		p.last = err
		p.mu.Unlock()
		refuse(w, http.StatusBadRequest, err) // which no client tries again: the connection has done so
		return
	}
	defer response.Body.Close()
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	pass(w, response.Body)
}

// pass copies a response as its pieces come.
func pass(w http.ResponseWriter, from io.Reader) {
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
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body := marshal(map[string]any{"error": map[string]any{"message": err.Error(), "type": "eval"}})
	w.Write(body) //nolint:errcheck // a client that left gets nothing
}

// launch starts a server and waits for the line that says where it listens. cancel ends the command's context, which
// ends it as Ctrl-C does, and by force where that does not help; stop does so and waits.
func launch(command *exec.Cmd, cancel func()) (url string, stop func() error, err error) {
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = stopTime
	var log bytes.Buffer
	command.Stderr = &log // read only after the end
	stdout, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		cancel()
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
	stop = func() error {
		cancel()
		<-ended // ended by a signal it never ends well
		return nil
	}
	select {
	case url := <-listening:
		return url, stop, nil
	case err := <-ended:
		cancel()
		return "", nil, fmt.Errorf("it ended before it listened: %w\n%s", err, log.Bytes())
	case <-time.After(startTime):
		return "", nil, errors.Join(fmt.Errorf("it does not listen after %v", startTime), stop())
	}
}
