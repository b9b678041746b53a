package toolbox

import (
	"reflect"
	"testing"
	"testing/fstest"
)

// TestRequiredSettings holds that settings which belong together count only together, and what a tool waits for.
func TestRequiredSettings(t *testing.T) {
	asks := `,"effects":"write","confirm":"never","settings":[
		{"name":"a.url","required":"a"},{"name":"a.to","env":"A","required":"a"},{"name":"a.to","host":"mail","required":"a"},
		{"name":"b.url","env":"B","required":"b"},{"name":"c.word","env":"C"}]`
	builtin := fstest.MapFS{
		"tool.wasm": {Data: []byte(moduleWithout)}, "tool.tool.json": {Data: []byte(manifest("tool", asks))},
	}
	for name, c := range map[string]struct {
		set    map[string]string
		reason string
		env    map[string]string
	}{
		"nothing":   {nil, "waits for b.url, or a.url and a.to", map[string]string{}},
		"half":      {map[string]string{"a.to": "ann", "c.word": "w"}, "waits for a.url, or b.url", map[string]string{"C": "w"}},
		"the first": {map[string]string{"a.to": "ann", "a.url": "x"}, "", map[string]string{"A": "ann"}},
		"either":    {map[string]string{"b.url": "b", "a.to": "ann"}, "", map[string]string{"B": "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			box := open(t, Options{Builtin: builtin, Workers: &workers{}, Setting: settings(c.set)})
			tool := box.current.Load().tools["tool"]
			if tool == nil {
				t.Fatalf("problems %+v", box.Problems())
			}
			if tool.blocked != c.reason || !reflect.DeepEqual(tool.env, c.env) {
				t.Errorf("blocked %q, environment %v", tool.blocked, tool.env)
			}
			if sends := len(tool.rights.Deliver) > 0; sends != (name == "the first") {
				t.Errorf("delivers %+v", tool.rights.Deliver)
			}
		})
	}
}

func TestOnlyBuiltinToolsHaveSettings(t *testing.T) {
	f := newFolder(t)
	f.put(t, "tool.wasm", moduleWith+manifest("tool", `,"settings":[{"name":"auth.token","env":"TOKEN"}]`))
	box := open(t, Options{Dir: string(f), Workers: &workers{}, Setting: settings(map[string]string{"auth.token": "secret"})})
	tool := box.current.Load().tools["tool"]
	if tool.blocked != "asks for settings, which only a tool that comes with the product has" || len(tool.env) > 0 {
		t.Errorf("blocked %q, environment %v", tool.blocked, tool.env)
	}
}
