package toolbox

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/worker"
)

type (
	ctx      = context.Context
	call     = worker.Call
	output   = worker.Output
	hostFunc = worker.Host
)

func TestCheck(t *testing.T) {
	f := newFolder(t)
	required := `,"inputSchema":{"type":"object","required":["location"],"properties":{"location":{"type":"string"}}}`
	f.put(t, "a.wasm", moduleWith+manifest("plain", required))
	f.put(t, "b.wasm", moduleWith+manifest("cached", `,"cache":{"ttl":"90s"}`))
	f.put(t, "c.wasm", moduleWith+manifest("cached_as_usual", `,"cache":{}`))
	f.put(t, "d.wasm", moduleWith+manifest("asks", `,"confirm":"always","title":"Ask first"`))
	f.put(t, "e.wasm", moduleWith+manifest("waits", `,"kv":{"quota":5}`))
	f.put(t, "f.wasm", moduleWith+manifest("asks_once", `,"confirm":"first","cache":{}`))
	f.put(t, "g.wasm", moduleWith+manifest("small", `,"limits":{"input":10}`))
	box := open(t, Options{Dir: string(f), CacheTTL: time.Hour})
	for name, test := range map[string]struct {
		tool, arguments string
		want            loop.Verdict
	}{
		"fits":             {"plain", `{"location":"Oslo"}`, loop.Verdict{Decision: loop.Run}},
		"own time":         {"cached", `{}`, loop.Verdict{Decision: loop.Run, CacheTTL: 90 * time.Second}},
		"usual time":       {"cached_as_usual", `{}`, loop.Verdict{Decision: loop.Run, CacheTTL: time.Hour}},
		"unknown":          {"nope", `{}`, loop.Verdict{Decision: loop.Refuse, Reason: "Unknown tool: 'nope'"}},
		"another case":     {"Plain", `{}`, loop.Verdict{Decision: loop.Refuse, Reason: "Unknown tool: 'Plain'"}},
		"missing argument": {"plain", `{}`, loop.Verdict{Decision: loop.Refuse, Reason: `Missing required argument: location. Expected arguments of plain: {"location": string}.`}},
		"wrong type":       {"plain", `{"location":1}`, loop.Verdict{Decision: loop.Refuse, Reason: `Argument location must be of type string, not 1. Expected arguments of plain: {"location": string}.`}},
		"no object":        {"plain", `[]`, loop.Verdict{Decision: loop.Refuse, Reason: "Arguments cannot be read: must be one JSON object"}},
		"no grant":         {"waits", `{}`, loop.Verdict{Decision: loop.Refuse, Reason: "The tool 'waits' may not run: it waits for a grant of kv."}},
		"asks":             {"asks", `{"n":1}`, loop.Verdict{Decision: loop.Ask, Question: `Shall I run "Ask first" with n 1?`}},
		"asks once":        {"asks_once", `{}`, loop.Verdict{Decision: loop.Ask, Question: `Shall I run "asks once"?`}},
		"too large":        {"small", `{"a":"bcd"}`, loop.Verdict{Decision: loop.Refuse, Reason: "Arguments too large: 11 bytes, the tool takes 10"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := box.Check(t.Context(), loop.Call{Name: test.tool, Arguments: test.arguments})
			if tool := box.current.Load().tools[test.tool]; tool != nil {
				test.want.Tool = tool.digest
			}
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestCallRunsTheGuest(t *testing.T) {
	var got call
	var deadline time.Duration
	w := &workers{call: func(ctx ctx, call call, _ hostFunc) output {
		got = call
		end, _ := ctx.Deadline()
		deadline = time.Until(end)
		return output{Result: []byte(" {\"ok\": true}\n"), Log: []byte("line")}
	}}
	var log bytes.Buffer
	box := openOne(t, `,"env":{"A":"1"},"limits":{"memory_pages":9,"wall_ms":2000,"output":100,"log":50}`,
		Options{Workers: w, Timeout: 10 * time.Second, Log: logTo(&log)})
	if result := do(t, box, "it", ` {"b": 5.0, "a": "é"} `); result != (loop.Result{Content: `{"ok":true}`}) {
		t.Errorf("result %+v", result)
	}
	limits := worker.Limits{MemoryPages: 9, Wall: got.Limits.Wall, InputBytes: 256 << 10, OutputBytes: 100, LogBytes: 50}
	if string(got.Arguments) != `{"a":"é","b":5.0}` || got.Tool != "it" || got.Limits != limits ||
		!maps.Equal(got.Env, map[string]string{"A": "1"}) || got.Digest != box.current.Load().tools["it"].module.known.Digest {
		t.Errorf("the worker got %+v", got)
	}
	if got.Limits.Wall > 2*time.Second || got.Limits.Wall < time.Second || deadline > 2*time.Second {
		t.Errorf("time limits %v and %v", got.Limits.Wall, deadline)
	}
	if !strings.Contains(log.String(), "line") {
		t.Errorf("the log of the guest is missing:\n%s", log.String())
	}
}

func TestTimeoutIsTheSmaller(t *testing.T) {
	for more, want := range map[string]time.Duration{``: time.Second, `,"limits":{"wall_ms":500}`: 500 * time.Millisecond, `,"limits":{"wall_ms":5000}`: time.Second} {
		box := openOne(t, more, Options{Timeout: time.Second})
		if got := box.current.Load().tools["it"].limits.Wall; got != want {
			t.Errorf("%s: %v, want %v", more, got, want)
		}
	}
}

func TestFaults(t *testing.T) {
	for name, test := range map[string]struct {
		output output
		want   string
	}{
		"trap":             {output{Fault: worker.Trap, Message: "unreachable"}, `{"error":"The tool crashed: unreachable."}`},
		"time":             {output{Fault: worker.TimedOut, Message: "not finished in time"}, `{"error":"The tool did not finish within 30s."}`},
		"memory":           {output{Fault: worker.OutOfMemory}, `{"error":"The tool ran out of memory. Ask it for less."}`},
		"nothing":          {output{Fault: worker.BadOutput, Message: "wrote no result"}, `{"error":"The tool wrote no result."}`},
		"refused":          {output{Fault: worker.Refused, Message: "unknown module"}, `{"error":"The tool could not take the call: unknown module."}`},
		"host":             {output{Fault: worker.HostFailure, Message: "fork failed"}, `{"error":"The tool could not be started. Try again later."}`},
		"exit":             {output{Fault: worker.ExitStatus, Message: "left with status 3"}, `{"error":"The tool left with status 3."}`},
		"exit with result": {output{Fault: worker.ExitStatus, Message: "left with status 3", Result: []byte(`{"a":1}`)}, `{"error":"The tool left with status 3.","result":{"a":1}}`},
		"exit with error":  {output{Fault: worker.ExitStatus, Message: "left with status 3", Result: []byte(`{"error":"no such place"}`)}, `{"error":"no such place"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			w := &workers{call: func(ctx, call, hostFunc) output { return test.output }}
			result := do(t, openOne(t, "", Options{Workers: w, Log: logTo(&log)}), "it", `{}`)
			if !result.Failed || result.Content != test.want {
				t.Errorf("got %+v, want %s", result, test.want)
			}
			for _, named := range []string{`"tool":"it"`, `"fault":"` + string(test.output.Fault), test.output.Message} {
				if !strings.Contains(log.String(), named) {
					t.Errorf("the log lacks %s:\n%s", named, log.String())
				}
			}
		})
	}
}

func TestRetries(t *testing.T) {
	builtin := func(more string) Options {
		return Options{Builtin: mapFS(t, manifest("it", more)), Retries: 2}
	}
	for name, test := range map[string]struct {
		more   string
		faults []worker.Fault
		want   int
		failed bool
	}{
		"a time-out, then a result":         {``, []worker.Fault{worker.TimedOut}, 2, false},
		"a failing host, then a result":     {``, []worker.Fault{worker.HostFailure, worker.TimedOut}, 3, false},
		"more failures than retries":        {``, []worker.Fault{worker.TimedOut, worker.TimedOut, worker.TimedOut, worker.TimedOut}, 3, true},
		"a trap is the tool's own":          {``, []worker.Fault{worker.Trap}, 1, true},
		"a tool that writes is never rerun": {`,"effects":"write","confirm":"never"`, []worker.Fault{worker.TimedOut}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			options := builtin(test.more)
			options.Workers = &workers{call: func(ctx, call, hostFunc) output {
				runs++
				if runs <= len(test.faults) {
					return output{Fault: test.faults[runs-1]}
				}
				return output{Result: []byte(`{}`)}
			}}
			result := do(t, open(t, options), "it", `{}`)
			if runs != test.want || result.Failed != test.failed {
				t.Errorf("%d runs, %+v", runs, result)
			}
		})
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	giving, cancel := context.WithCancel(t.Context())
	runs := 0
	w := &workers{call: func(ctx ctx, _ call, _ hostFunc) output {
		runs++
		cancel()
		<-ctx.Done()
		return output{Fault: worker.TimedOut, Message: "cancelled"}
	}}
	box := openOne(t, "", Options{Workers: w, Retries: 3})
	verdict := box.Check(t.Context(), loop.Call{Name: "it", Arguments: `{}`})
	result := box.Call(giving, loop.Call{Name: "it", Arguments: `{}`}, verdict)
	if errorOf(t, result) != "The call was given up." || runs != 1 {
		t.Errorf("%+v after %d runs", result, runs)
	}
}

func TestWaitingCountsAsTheTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &workers{call: func(ctx ctx, call call, _ hostFunc) output {
			select {
			case <-ctx.Done():
				return output{Fault: worker.TimedOut}
			case <-time.After(6 * time.Second):
				return output{Result: []byte(`{}`)}
			}
		}}
		box, err := Open(t.Context(), Options{Builtin: mapFS(t, manifest("it", `,"limits":{"concurrency":1,"wall_ms":10000}`)), Workers: w})
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		began := time.Now()
		results := make(chan loop.Result)
		for range 2 {
			go func() { results <- do(t, box, "it", `{}`) }()
		}
		first, second := <-results, <-results
		if first.Failed || errorOf(t, second) != "The tool did not finish within 10s." || time.Since(began) != 10*time.Second {
			t.Errorf("%+v and %+v after %v", first, second, time.Since(began))
		}
	})
}

func TestVerdictOfAnotherVersion(t *testing.T) {
	f := newFolder(t)
	f.put(t, "a.wasm", moduleWith+manifest("it", ``))
	box := open(t, Options{Dir: string(f)})
	c := loop.Call{Name: "it", Arguments: `{}`}
	old := box.Check(t.Context(), c)
	if again := box.Check(t.Context(), c); again != old {
		t.Errorf("the same tool has the verdicts %+v and %+v", old, again)
	}
	for name, change := range map[string]func(){
		"manifest":    func() { f.put(t, "a.wasm", moduleWith+manifest("it", `,"title":"x"`)) },
		"environment": func() { f.put(t, "a.wasm", moduleWith+manifest("it", `,"env":{"A":"1"}`)) },
	} {
		change()
		box.rescan(t)
		if message := errorOf(t, box.Call(t.Context(), c, old)); !strings.Contains(message, "has changed since") {
			t.Errorf("%s: %s", name, message)
		}
	}
	f.remove(t, "a.wasm")
	box.rescan(t)
	if message := errorOf(t, box.Call(t.Context(), c, old)); message != "Unknown tool: 'it'" {
		t.Errorf("gone: %s", message)
	}
}

func TestOnlyARunVerdictRuns(t *testing.T) {
	runs := 0
	w := &workers{call: func(ctx, call, hostFunc) output { runs++; return output{Result: []byte(`{}`)} }}
	box := openOne(t, `,"confirm":"always"`, Options{Workers: w})
	c := loop.Call{Name: "it", Arguments: `{}`}
	verdict := box.Check(t.Context(), c)
	if message := errorOf(t, box.Call(t.Context(), c, verdict)); message != "The call was not allowed to run." || runs != 0 {
		t.Errorf("%s, %d runs", message, runs)
	}
	verdict.Decision = loop.Run // the person's yes
	if result := box.Call(t.Context(), c, verdict); result.Failed || runs != 1 {
		t.Errorf("%+v, %d runs", result, runs)
	}
}

func TestOfferedIsStableAndSorted(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"c", "a", "b"} {
		f.put(t, name+".wasm", moduleWith+manifest(name, ``))
	}
	box := open(t, Options{Dir: string(f)})
	if got := names(box); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("offered %v", got)
	}
	offered := box.Offered()
	if string(offered[0].Parameters) != `{"type":"object","properties":{}}` || offered[0].Description != "Does it." {
		t.Errorf("offered %+v", offered[0])
	}
	offered[0].Name = "changed"
	if names(box)[0] != "a" {
		t.Error("the list is shared with the caller")
	}
}
