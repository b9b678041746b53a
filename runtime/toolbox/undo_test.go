package toolbox

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"chatterbox/loop"
)

const (
	setsIt = `{"name":"set_it","description":"Sets it.","effects":"write","confirm":"never",
		"outputSchema":{"type":"object","properties":{"id":{"type":"string"},"at":{"type":"string"}}},
		"undo":{"tool":"clear_it","arguments":{"id":"id"}}}`
	clearsIt = `{"name":"clear_it","description":"Clears it.","effects":"write",
		"inputSchema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"why":{"type":"string"}}}}`
)

func TestUndoIsRead(t *testing.T) {
	got, err := ParseManifest([]byte(`{"tools":[` + setsIt + `,` + clearsIt + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := (&Undo{Tool: "clear_it", Arguments: map[string]string{"id": "id"}}); !reflect.DeepEqual(got[0].Undo, want) || got[1].Undo != nil {
		t.Errorf("%+v", got)
	}
}

func TestUndoIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"a tool that is elsewhere":      {`"tool":"clear_it"`, `"tool":"unlock_door"`, `field "tools[0].undo.tool" "unlock_door": the module has no such tool`},
		"no tool":                       {`"tool":"clear_it",`, ``, `field "tools[0].undo" needs tool and arguments`},
		"no arguments":                  {`{"id":"id"}`, `{}`, `field "tools[0].undo" needs tool and arguments`},
		"a value and no member":         {`{"id":"id"}`, `{"id":7}`, `field "tools[0].undo.arguments" must be an object of at most 16 texts`},
		"an argument that is not taken": {`{"id":"id"}`, `{"id":"id","name":"at"}`, `field "tools[0].undo.arguments.name" clear_it takes no such argument`},
		"a member that is not given":    {`{"id":"id"}`, `{"id":"key"}`, `field "tools[0].undo.arguments.id" "key": outputSchema has no such member`},
		"what the tool requires":        {`{"id":"id"}`, `{"why":"at"}`, `field "tools[0].undo.arguments" lacks "id", which clear_it requires`},
		"an effect that stays":          {`"effects":"write","confirm":"never"`, `"effects":"irreversible"`, `field "tools[0].undo" is only for tools whose effects are write`},
		"no effect":                     {`"effects":"write","confirm":"never"`, `"effects":"read"`, `field "tools[0].undo" is only for tools whose effects are write`},
		"an undoing that stays":         {`"Clears it.","effects":"write"`, `"Clears it.","effects":"irreversible"`, `field "tools[0].undo.tool" "clear_it": its effects must be write`},
		"a field that there is not":     {`"tool":"clear_it",`, `"tool":"clear_it","when":"now",`, `unknown field "tools[0].undo.when"`},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"tools":[` + setsIt + `,` + clearsIt + `]}`
			if !strings.Contains(text, c.old) {
				t.Fatalf("%s is not in the manifest", c.old)
			}
			if _, err := ParseManifest([]byte(strings.Replace(text, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	if _, err := ParseManifest([]byte(setsIt)); err == nil || !strings.Contains(err.Error(), `field "undo.tool" "clear_it": the module has no such tool`) {
		t.Errorf("alone: %v", err)
	}
}

// TestCheckTellsOfUndoAndTrust holds what a verdict says beside its decision.
func TestCheckTellsOfUndoAndTrust(t *testing.T) {
	f := newFolder(t)
	f.put(t, "a.wasm", moduleWith+`{"tools":[`+setsIt+`,`+clearsIt+`]}`)
	builtin := newFolder(t)
	builtin.put(t, "b.wasm", moduleWith+`{"tools":[`+strings.ReplaceAll(setsIt, "_it", "_own")+`,`+strings.ReplaceAll(clearsIt, "_it", "_own")+`,`+
		manifest("looks", `,"annotations":{"openWorldHint":false}`)+`,`+manifest("reads_mail", `,"annotations":{"openWorldHint":true}`)+`,`+manifest("says_nothing", "")+`]}`)
	f.put(t, "c.wasm", moduleWith+manifest("claims", `,"annotations":{"openWorldHint":false}`))
	box := open(t, Options{Dir: string(f), Builtin: os.DirFS(string(builtin))})
	check := func(name, arguments string) loop.Verdict {
		return box.Check(t.Context(), loop.Call{Name: name, Arguments: arguments})
	}
	sets, clears := check("set_own", `{}`), check("clear_own", `{"id":"1"}`)
	if sets.Decision != loop.Run || sets.Question == "" || sets.Undo == nil || sets.Undo.Tool != "clear_own" || sets.Undo.Digest != clears.Tool {
		t.Errorf("%+v", sets)
	}
	if clears.Decision != loop.Ask || clears.Undo != nil {
		t.Errorf("%+v", clears)
	}
	if waits := check("set_it", `{}`); waits.Decision == loop.Run || waits.Undo != nil {
		t.Errorf("without a grant: %+v", waits)
	}
	for name, want := range map[string]bool{"looks": true, "reads_mail": false, "says_nothing": false, "claims": false} {
		if got := check(name, `{}`); got.Decision != loop.Run || got.Trusted != want || got.Question != "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
