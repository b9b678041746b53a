package page_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	chromium    = flag.String("chromium", "", "the Chromium to look at pages with; without it no page is looked at")
	screenshots = flag.String("screenshots", "", "a folder that pictures of the pages are written to")
)

// browserPatience is how long a command of the browser may take.
const browserPatience = time.Minute

// browser is a Chromium without a window. It speaks its DevTools protocol over two pipes: JSON with a zero byte behind
// it.
type browser struct {
	testing.TB
	to       *os.File
	messages chan browserMessage
	session  string
	id       int
	problems []string // what went wrong on the page
	requests []string // the addresses that the page asked for
}

type browserMessage struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// newBrowser starts the browser with one empty page.
func newBrowser(t testing.TB) *browser {
	t.Helper()
	if *chromium == "" {
		t.Skip("no -chromium is given")
	}
	arguments := []string{"--headless=new", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir(), "about:blank"}
	if os.Getuid() == 0 {
		arguments = append([]string{"--no-sandbox"}, arguments...)
	}
	command := exec.Command(*chromium, arguments...)
	commandsOut, commandsIn, err := os.Pipe()
	answersOut, answersIn, err2 := os.Pipe()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	command.ExtraFiles = []*os.File{commandsOut, answersIn}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	commandsOut.Close()
	answersIn.Close()
	b := &browser{TB: t, to: commandsIn, messages: make(chan browserMessage, 1024)}
	done := make(chan struct{})
	go b.listen(answersOut, done)
	t.Cleanup(func() {
		b.session = ""
		b.send("Browser.close", nil)
		commandsIn.Close()
		for range b.messages { // until the browser has ended
		}
		<-done
		command.Wait() // it was told to end
		answersOut.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// listen reads what the browser says until it ends.
func (b *browser) listen(from *os.File, done chan<- struct{}) {
	defer close(done)
	defer close(b.messages)
	reader := bufio.NewReader(from)
	for {
		text, err := reader.ReadBytes(0)
		if err != nil {
			return
		}
		var m browserMessage
		if json.Unmarshal(text[:len(text)-1], &m) == nil {
			b.messages <- m
		}
	}
}

func (b *browser) send(method string, params any) {
	b.id++
	command := map[string]any{"id": b.id, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	text, err := json.Marshal(command)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.Error(err)
	}
}

// call gives a command and waits for its answer.
func (b *browser) call(method string, params, result any) {
	b.Helper()
	b.send(method, params)
	id := b.id
	b.until(method, func(m browserMessage) bool {
		if m.ID != id {
			return false
		}
		if m.Error != nil {
			b.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.Fatal(method, err)
			}
		}
		return true
	})
}

// until takes messages until one is what is waited for.
func (b *browser) until(what string, wanted func(browserMessage) bool) {
	b.Helper()
	timeout := time.After(browserPatience)
	for {
		select {
		case m, open := <-b.messages:
			if !open {
				b.Fatal("the browser has ended")
			}
			b.note(m)
			if wanted(m) {
				return
			}
		case <-timeout:
			b.Fatalf("%s did not come", what)
		}
	}
}

// note keeps what a test asks for later.
func (b *browser) note(m browserMessage) {
	var params struct {
		Type             string
		Entry            struct{ Level, Text string }
		Request          struct{ URL string }
		ExceptionDetails json.RawMessage
	}
	if m.Method == "" || json.Unmarshal(m.Params, &params) != nil {
		return
	}
	switch m.Method {
	case "Network.requestWillBeSent":
		b.requests = append(b.requests, params.Request.URL)
	case "Runtime.exceptionThrown":
		b.problems = append(b.problems, string(params.ExceptionDetails))
	case "Runtime.consoleAPICalled":
		b.problems = append(b.problems, string(m.Params))
	case "Log.entryAdded":
		b.problems = append(b.problems, params.Entry.Level+": "+params.Entry.Text)
	}
}

// open loads a page and waits until it is there.
func (b *browser) open(file, hash string) {
	b.Helper()
	b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil) // else another hash would be the same page
	b.call("Page.navigate", map[string]any{"url": "file://" + file + hash}, nil)
	b.wait("location.protocol === 'file:' && document.readyState === 'complete'")
}

// eval gives the value of an expression on the page, as text. It waits for promises.
func (b *browser) eval(expression string) string {
	b.Helper()
	var out struct {
		Result struct{ Value any }
		// ExceptionDetails is there when the expression failed.
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &out)
	if out.ExceptionDetails != nil {
		b.Fatalf("%s: %s", expression, out.ExceptionDetails)
	}
	return fmt.Sprint(out.Result.Value)
}

// want compares the value of an expression.
func (b *browser) want(expression, value string) {
	b.Helper()
	if got := b.eval(expression); got != value {
		b.Errorf("%s is %q, want %q", expression, got, value)
	}
}

// wait waits until an expression is true on the page.
func (b *browser) wait(expression string) {
	b.Helper()
	b.eval(`new Promise(done => { const look = () => (` + expression + `) ? done(true) : requestAnimationFrame(look); look(); })`)
}

// press types keys: single letters, or Enter, Escape, Tab.
func (b *browser) press(keys ...string) {
	b.Helper()
	for _, key := range keys {
		event := map[string]any{"type": "keyDown", "key": key}
		switch codes := map[string]int{"Enter": 13, "Escape": 27, "Tab": 9}; {
		case key == "Enter":
			event["text"] = "\r"
			fallthrough
		case codes[key] > 0:
			event["windowsVirtualKeyCode"] = codes[key]
		default:
			event["text"] = key
		}
		b.call("Input.dispatchKeyEvent", event, nil)
		event["type"] = "keyUp"
		delete(event, "text")
		b.call("Input.dispatchKeyEvent", event, nil)
	}
}

// size makes the window of a size, and light or dark.
func (b *browser) size(width, height int, scheme string) {
	b.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// picture writes what is to be seen, where a test is asked to.
func (b *browser) picture(name string) {
	b.Helper()
	if *screenshots == "" {
		return
	}
	var shot struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), shot.Data, 0o600); err != nil {
		b.Error(err)
	}
}

// calm fails the test when anything went wrong on the pages, or when they asked for any address but their own.
func (b *browser) calm() {
	b.Helper()
	for _, problem := range b.problems {
		b.Errorf("on the page: %s", problem)
	}
	for _, url := range b.requests {
		if !strings.HasPrefix(url, "file:///") || !strings.Contains(url, "page.html") {
			if url != "about:blank" && !strings.HasPrefix(url, "data:") {
				b.Errorf("the page asked for %s", url)
			}
		}
	}
	if len(b.requests) == 0 {
		b.Error("no request was seen")
	}
}
