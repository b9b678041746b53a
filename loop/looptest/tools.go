package looptest

import (
	"context"
	"slices"
	"sync"

	"chatterbox/loop"
)

// Tool is one tool of [Tools].
type Tool struct {
	loop.Tool
	// Check is what Tools.Check says; nil is a plain Run. Verdict.Tool is filled in where it is empty.
	Check func(call loop.Call) loop.Verdict
	// Call is what the tool does; nil answers {}.
	Call func(ctx context.Context, call loop.Call) loop.Result
}

// Static is a tool that always answers result, which is JSON.
func Static(name, result string) Tool {
	return Tool{
		Tool: loop.Tool{Name: name, Description: name, Parameters: []byte(`{"type":"object"}`)},
		Call: func(context.Context, loop.Call) loop.Result { return loop.Result{Content: result} },
	}
}

// Made is a call that reached a tool.
type Made struct {
	Call    loop.Call
	Verdict loop.Verdict
}

// Tools is a [loop.Tools] of given tools. It keeps the rules of the real ones: an unknown name is refused, and so is a
// call whose verdict was about another version of the tool. It may be used by several goroutines at once.
type Tools struct {
	tools   []Tool
	mu      sync.Mutex
	made    []Made          // guarded by mu
	updated map[string]bool // guarded by mu: tools that were replaced by a new version
}

// NewTools has the given tools.
func NewTools(tools ...Tool) *Tools { return &Tools{tools: tools, updated: map[string]bool{}} }

// Offered is what a model is told of the tools.
func (t *Tools) Offered() []loop.Tool {
	var offered []loop.Tool
	for _, tool := range t.tools {
		offered = append(offered, tool.Tool)
	}
	return offered
}

// Made are the calls that reached a tool, in the order in which they began.
func (t *Tools) Made() []Made {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.made)
}

// Update replaces the tool of that name by a new version, so that earlier verdicts do not hold any more.
func (t *Tools) Update(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.updated[name] = true
}

// Check implements [loop.Tools].
func (t *Tools) Check(_ context.Context, call loop.Call) loop.Verdict {
	tool, known := t.find(call.Name)
	if !known {
		return loop.Verdict{Decision: loop.Refuse, Reason: "Unknown tool: '" + call.Name + "'"}
	}
	verdict := loop.Verdict{Decision: loop.Run}
	if tool.Check != nil {
		verdict = tool.Check(call)
	}
	if verdict.Tool == "" {
		verdict.Tool = t.digest(call.Name)
	}
	return verdict
}

// Call implements [loop.Tools].
func (t *Tools) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	tool, known := t.find(call.Name)
	if !known || verdict.Decision != loop.Run || verdict.Tool != t.digest(call.Name) {
		return loop.ErrorResult("the tool has changed since it was checked")
	}
	t.mu.Lock()
	t.made = append(t.made, Made{call, verdict})
	t.mu.Unlock()
	if tool.Call == nil {
		return loop.Result{Content: "{}"}
	}
	return tool.Call(ctx, call)
}

func (t *Tools) find(name string) (Tool, bool) {
	i := slices.IndexFunc(t.tools, func(tool Tool) bool { return tool.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return t.tools[i], true
}

func (t *Tools) digest(name string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.updated[name] {
		return name + " v2"
	}
	return name + " v1"
}
