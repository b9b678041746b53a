package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/script, which reads like a manual. Beside testscript's own commands there are:
//
//	start NAME COMMAND...      runs chatterbox in the background and sets $NAME to the address it prints
//	end NAME                   ends it as a service manager does; its output becomes stdout and stderr
//	ask METHOD URL [BODY]      one HTTP request; status and body become stdout; @FILE is a body from a file
//	exits CODE COMMAND...      runs chatterbox, which must end with this exit code
//	room NAME BYTES            no file of NAME's can grow beyond BYTES, as on a full disk; -1 makes room again (Linux)
//	damage FILE TEXT           makes the database page that holds TEXT one of no kind, as a failing disk does
//
// The condition [long] holds with -long and without the race detector.
func TestScripts(t *testing.T) {
	testkit, err := filepath.Abs("../../tools-wasm/testkit")
	if err != nil {
		t.Fatal(err)
	}
	action, err := filepath.Abs("../../build/action")
	if err != nil {
		t.Fatal(err)
	}
	old, err := filepath.Abs("testdata/old")
	if err != nil {
		t.Fatal(err)
	}
	goCache := os.Getenv("GOCACHE")
	if caches, err := os.UserCacheDir(); goCache == "" && err == nil {
		goCache = filepath.Join(caches, "go-build")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": startCommand, "end": endCommand, "ask": askCommand, "exits": exitsCommand, "room": roomCommand,
			"damage": damageCommand,
		},
		Condition: func(condition string) (bool, error) {
			if condition != "long" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			return *long && !raceDetector, nil
		},
		Setup: func(e *testscript.Env) error {
			// Nothing of the machine reaches a script: no configuration, no key, no model on a usual port.
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/home/.config")
			e.Setenv("CHATTERBOX_DATA", e.WorkDir+"/data")
			linkCompiled(t, e.WorkDir+"/data")
			e.Setenv("CHATTERBOX_LLM_DISCOVER", "false")
			e.Setenv("CHATTERBOX_TIMEZONE", "UTC")
			e.Setenv("TESTKIT", filepath.Join(testkit, "modules"))
			e.Setenv("ACTION", action)
			e.Setenv("OLD", old)
			e.Setenv("GOCACHE", goCache)            // or a script that builds a tool compiles Go's library each time
			e.Setenv("GORACE", "atexit_sleep_ms=0") // or the race detector waits a second at the end of each command
			e.Values[running{}] = &programs{byName: map[string]*program{}}
			e.Defer(e.Values[running{}].(*programs).kill)
			return nil
		},
	})
}

type running struct{}

// programs are what a script started.
type programs struct{ byName map[string]*program }

type program struct {
	command        *exec.Cmd
	stdout, stderr logBuffer
	copied         sync.WaitGroup
}

func (p *programs) kill() {
	for _, one := range p.byName {
		_ = one.command.Process.Kill()
		_ = one.command.Wait()
		one.copied.Wait()
	}
}

func startCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME COMMAND...")
	}
	p := &program{command: exec.Command(os.Args[0], args[1:]...)}
	p.command.Dir = ts.MkAbs(".")
	p.command.Env = []string{envAsProgram + "=1"}
	for _, name := range []string{
		"HOME", "PATH", "GORACE", "CHATTERBOX_DATA", "CHATTERBOX_LLM_DISCOVER", "CHATTERBOX_TIMEZONE", "CHATTERBOX_LLM_BASE_URL",
		"CHATTERBOX_LLM_MODEL", "CHATTERBOX_AUTH_TOKEN",
	} {
		if value := ts.Getenv(name); value != "" {
			p.command.Env = append(p.command.Env, name+"="+value)
		}
	}
	p.command.Stderr = &p.stderr
	out, err := p.command.StdoutPipe()
	ts.Check(err)
	ts.Check(p.command.Start())
	ts.Value(running{}).(*programs).byName[args[0]] = p
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		ts.Fatalf("%s printed no address: %v\n%s%s", args[0], err, first, p.stderr.String())
	}
	p.copied.Go(func() {
		fmt.Fprint(&p.stdout, first)
		_, _ = io.Copy(&p.stdout, lines)
	})
	_, address, _ := strings.Cut(strings.TrimSpace(first), "http://")
	ts.Setenv(args[0], address)
}

func endCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] end NAME")
	}
	all := ts.Value(running{}).(*programs).byName
	p := all[args[0]]
	if p == nil {
		ts.Fatalf("nothing was started as %s", args[0])
	}
	delete(all, args[0])
	ts.Check(p.command.Process.Signal(syscall.SIGTERM))
	p.copied.Wait()
	err := p.command.Wait()
	_, _ = ts.Stdout().Write([]byte(p.stdout.String()))
	_, _ = ts.Stderr().Write([]byte(p.stderr.String()))
	if (err != nil) != neg {
		ts.Fatalf("%s: %v\n%s", args[0], err, p.stderr.String())
	}
}

func askCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] ask METHOD URL [BODY]")
	}
	body := strings.Join(args[2:], " ")
	if file, ok := strings.CutPrefix(body, "@"); ok {
		body = ts.ReadFile(file)
	}
	request, err := http.NewRequest(args[0], args[1], strings.NewReader(body))
	ts.Check(err)
	if token := ts.Getenv("TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if accept := ts.Getenv("ACCEPT"); accept != "" {
		request.Header.Set("Accept", accept)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%d\n%s\n", response.StatusCode, answer)
	if (response.StatusCode >= 400) != neg {
		ts.Fatalf("%s: %s\n%s", args[1], response.Status, answer)
	}
}

func damageCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage FILE TEXT")
	}
	const page = 1024
	data := []byte(ts.ReadFile(args[0]))
	at := strings.Index(string(data), args[1])
	if at < page {
		ts.Fatalf("%s is not in a page of its own", args[1])
	}
	data[at/page*page] = 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	code := -1
	if len(args) >= 2 {
		code, _ = strconv.Atoi(args[0])
	}
	if neg || code < 0 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	err := ts.Exec("chatterbox", args[1:]...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	if got := exit.ExitCode(); err != nil && got != code || err == nil && code != 0 {
		ts.Fatalf("exit code %d, want %d", got, code)
	}
}
