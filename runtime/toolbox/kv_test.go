package toolbox

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"chatterbox/runtime/worker"
)

// kvBox is a toolbox whose tool it asks the host function that its argument names.
func kvBox(t *testing.T, store *KV) func(function, input string) string {
	t.Helper()
	var function, input, answer string
	workers := &workers{call: func(c ctx, _ call, host hostFunc) output {
		answer = string(host(c, function, []byte(input)))
		return worker.Output{Result: []byte("{}")}
	}}
	f, grants := newFolder(t), t.TempDir()
	const asks = `,"kv":{"quota":1000}`
	f.put(t, "it.wasm", moduleWith+manifest("it", asks))
	approve(t, grants, moduleWith+manifest("it", asks), manifest("it", asks), `{"kv":{"quota":300}}`)
	box := open(t, Options{Dir: string(f), Approvals: grants, KV: store, Workers: workers, PerMinute: -1})
	return func(f, in string) string {
		function, input = f, in
		do(t, box, "it", "{}")
		return answer
	}
}

func TestKV(t *testing.T) {
	folder := t.TempDir()
	ask := kvBox(t, NewKV(folder))
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
	if got := kvBox(t, NewKV(folder))("kv_get", `{"key":"c"}`); got != `{"found":true,"value":"x"}` {
		t.Errorf("after a restart: %s", got)
	}
	if got := kvBox(t, nil)("kv_get", `{"key":"c"}`); got != `{"error":"kv is not available on this host"}` {
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
				if err := store.Set("it", key, value, quota); err != nil && err != errQuota {
					t.Error(err)
				}
				got, found, err := store.Get("it", key)
				if err != nil || found && (len(got) != 100 || len(bytes.Trim(got, string(got[:1]))) != 0) {
					t.Errorf("read %q, %v", got, err)
				}
			}
		})
	}
	writers.Wait()
	kept := 0
	for i := range 5 {
		if _, found, _ := store.Get("it", fmt.Sprint(i)); found {
			kept++
		}
	}
	if kept == 0 || kept > 3 {
		t.Errorf("%d values are kept, 3 fit", kept)
	}
	if err := store.Forget("it"); err != nil {
		t.Error(err)
	}
	if _, found, _ := store.Get("it", "0"); found || store.Forget("..") == nil {
		t.Error("forgetting forgets the wrong things")
	}
}
