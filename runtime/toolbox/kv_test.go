package toolbox

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/worker"
)

// kvBox is a toolbox whose tool it asks the host function that its argument names, in the conversation that is given.
func kvBox(t *testing.T, store *KV, asks, grant string) func(conversation, function, input string) string {
	t.Helper()
	var function, input, answer string
	workers := &workers{call: func(c ctx, _ call, host hostFunc) output {
		answer = string(host(c, function, []byte(input)))
		return worker.Output{Result: []byte("{}")}
	}}
	f, grants := newFolder(t), t.TempDir()
	asks = `,"kv":` + asks
	f.put(t, "it.wasm", moduleWith+manifest("it", asks))
	approve(t, grants, moduleWith+manifest("it", asks), manifest("it", asks), `{"kv":`+grant+`}`)
	box := open(t, Options{Dir: string(f), Approvals: grants, KV: store, Workers: workers})
	return func(conversation, f, in string) string {
		function, input = f, in
		call := loop.Call{ID: "1", Name: "it", Arguments: "{}", Conversation: conversation}
		if result := box.Call(t.Context(), call, box.Check(t.Context(), call)); result.Failed {
			t.Fatal(result.Content)
		}
		return answer
	}
}

func TestKV(t *testing.T) {
	folder := t.TempDir()
	inAll := func(store *KV) func(function, input string) string {
		ask := kvBox(t, store, `{"quota":1000}`, `{"quota":300}`)
		return func(function, input string) string { return ask(t.Name(), function, input) }
	}
	ask := inAll(NewKV(folder))
	big := strings.Repeat("x", 100)
	for _, step := range [][3]string{
		{"kv_get", `{"key":"a"}`, `{"found":false}`},
		{"kv_set", `{"key":"a","value":"é"}`, `{}`},
		{"kv_get", `{"key":"a"}`, `{"found":true,"value":"é"}`},
		{"kv_set", `{"key":"a","value_base64":"/w=="}`, `{}`},
		{"kv_get", `{"key":"a"}`, `{"found":true,"value_base64":"/w=="}`},
		{"kv_set", `{"key":"../../a","value":""}`, `{}`},
		{"kv_get", `{"key":"../../a"}`, `{"found":true,"value":""}`},
		{"kv_set", `{"key":"b","value":"` + big + `"}`, `{}`},
		{"kv_set", `{"key":"c","value":"x"}`, `{"error":"the value would pass the quota of this tool"}`},
		{"kv_get", `{"key":"c"}`, `{"found":false}`},
		{"kv_set", `{"key":"b","value":null}`, `{}`},
		{"kv_set", `{"key":"b","value":null}`, `{}`},
		{"kv_get", `{"key":"b"}`, `{"found":false}`},
		{"kv_set", `{"key":"c","value":"x"}`, `{}`},
		{"kv_set", `{"key":"","value":"x"}`, `{"error":"member key must have 1 to 256 bytes"}`},
		{"kv_set", `{"key":"` + strings.Repeat("k", 257) + `","value":"x"}`, `{"error":"member key must have 1 to 256 bytes"}`},
		{"kv_set", `{"key":"c"}`, `{"error":"member value is missing"}`},
		{"kv_set", `{"key":"c","value":5}`, `{"error":"member value must be a text or null"}`},
		{"kv_set", `{"key":"c","value":"","value_base64":""}`, `{"error":"give value or value_base64, not both"}`},
		{"kv_set", `{"key":"c","value_base64":"!"}`, `{"error":"member value_base64 is not base64"}`},
	} {
		if got := ask(step[0], step[1]); got != step[2] {
			t.Errorf("%s %s: %s, want %s", step[0], step[1], got, step[2])
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 || entries[0].Name() != "it" {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if got := inAll(NewKV(folder))("kv_get", `{"key":"c"}`); got != `{"found":true,"value":"x"}` {
		t.Errorf("after a restart: %s", got)
	}
	if got := inAll(nil)("kv_get", `{"key":"c"}`); got != `{"error":"kv is not available on this host"}` {
		t.Errorf("without a store: %s", got)
	}
}

// TestHammerKV holds that values are whole and the quota stands whoever writes.
func TestHammerKV(t *testing.T) {
	store := NewKV(t.TempDir())
	const quota = 3 * (kvKeyCost + 100)
	var writers sync.WaitGroup
	for i := range 6 {
		writers.Go(func() {
			value := bytes.Repeat([]byte{'a' + byte(i)}, 100)
			for j := range 30 {
				key := fmt.Sprint((i + j) % 5)
				if err := store.Set(Drawer{Tool: "it"}, key, value, quota); err != nil && err != errQuota {
					t.Error(err)
				}
				got, found, err := store.Get(Drawer{Tool: "it"}, key)
				if err != nil || found && (len(got) != 100 || len(bytes.Trim(got, string(got[:1]))) != 0) {
					t.Errorf("read %q, %v", got, err)
				}
			}
		})
	}
	writers.Wait()
	kept := 0
	for i := range 5 {
		if _, found, _ := store.Get(Drawer{Tool: "it"}, fmt.Sprint(i)); found {
			kept++
		}
	}
	if kept == 0 || kept > 3 {
		t.Errorf("%d values are kept, 3 fit", kept)
	}
	if err := store.Forget("it"); err != nil {
		t.Error(err)
	}
	if _, found, _ := store.Get(Drawer{Tool: "it"}, "0"); found || store.Forget("..") == nil {
		t.Error("forgetting forgets the wrong things")
	}
}

// TestKVScopes holds who shares what a tool keeps: all conversations, or none as soon as the manifest or the grant says so.
func TestKVScopes(t *testing.T) {
	for name, c := range map[string]struct {
		asks, grant string
		want        [3]string // what conversation b, a and none read after a has written "a", b "b"
	}{
		"nobody says":            {`{"quota":900}`, `{"quota":900}`, [3]string{"b", "b", "b"}},
		"shared":                 {`{"quota":900,"scope":"shared"}`, `{"quota":900}`, [3]string{"b", "b", "b"}},
		"the manifest separates": {`{"quota":900,"scope":"conversation"}`, `{"quota":900}`, [3]string{"b", "a", "refused"}},
		"the grant separates":    {`{"quota":900}`, `{"quota":900,"scope":"conversation"}`, [3]string{"b", "a", "refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			ask := kvBox(t, NewKV(t.TempDir()), c.asks, c.grant)
			for _, id := range []string{"a", "b"} {
				if got := ask(id, "kv_set", `{"key":"k","value":"`+id+`"}`); got != "{}" {
					t.Fatal(got)
				}
			}
			for i, id := range []string{"b", "a", ""} {
				want := `{"found":true,"value":"` + c.want[i] + `"}`
				if c.want[i] == "refused" {
					want = `{"error":"there is no conversation to keep values for"}`
				}
				if got := ask(id, "kv_get", `{"key":"k"}`); got != want {
					t.Errorf("conversation %q reads %s, want %s", id, got, want)
				}
			}
		})
	}
}

// TestKVOfAConversation holds that each conversation has a quota of its own, and that what it kept goes with it.
func TestKVOfAConversation(t *testing.T) {
	store := NewKV(t.TempDir())
	ask := kvBox(t, store, `{"quota":300,"scope":"conversation"}`, `{"quota":300}`)
	full := `{"key":"k","value":"` + strings.Repeat("x", 200) + `"}`
	for _, id := range []string{"a", "../b", "c"} {
		if got := ask(id, "kv_set", full); got != "{}" {
			t.Fatalf("%s: %s", id, got)
		}
	}
	if got := ask("a", "kv_set", `{"key":"more","value":"`+strings.Repeat("x", 100)+`"}`); !strings.Contains(got, "quota") {
		t.Errorf("beyond the quota: %s", got)
	}
	if err := store.ForgetConversation("a"); err != nil {
		t.Fatal(err)
	}
	living := func() ([]string, error) { return []string{"a", "c"}, nil }
	if err := store.ForgetConversations(longAgo, living); err != nil {
		t.Fatal(err)
	}
	if _, found, _ := store.Get(Drawer{"it", "../b"}, "k"); !found {
		t.Error("what a conversation has just begun to keep is gone")
	}
	if err := store.ForgetConversations(time.Now().Add(time.Hour), living); err != nil {
		t.Fatal(err)
	}
	for id, found := range map[string]bool{"a": false, "../b": false, "c": true} {
		if _, got, err := store.Get(Drawer{"it", id}, "k"); got != found || err != nil {
			t.Errorf("%s is found: %v, %v", id, got, err)
		}
	}
	if err := store.Forget("it"); err != nil {
		t.Fatal(err)
	}
	if _, found, _ := store.Get(Drawer{"it", "c"}, "k"); found {
		t.Error("a tool that is removed still keeps values in a conversation")
	}
	if err := NewKV(t.TempDir()).ForgetConversations(time.Now(), nil); err != nil {
		t.Errorf("with nothing kept: %v", err)
	}
}

func TestKVIsBoundedInConversations(t *testing.T) {
	store := NewKV(t.TempDir())
	set := func(id string) error { return store.Set(Drawer{"it", id}, "k", []byte("v"), 1000) }
	for i := range kvConversationsMax {
		if err := os.MkdirAll(store.path(Drawer{"it", fmt.Sprint(i)}), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := set("one more"); err != errConversations {
		t.Errorf("one more than allowed: %v", err)
	}
	if err := set("7"); err != nil {
		t.Errorf("one of them: %v", err)
	}
	if err := store.Set(Drawer{"another", "one more"}, "k", []byte("v"), 1000); err != nil {
		t.Errorf("another tool: %v", err)
	}
}
