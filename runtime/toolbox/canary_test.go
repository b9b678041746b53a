package toolbox

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"chatterbox/loop"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/worker"
)

const canary = "canary-7Qk9/Xw+2z"

// traces gives the forms of the canary that text holds: as it is, encoded, backwards, and half of it.
func traces(text string) []string {
	raw := []byte(canary)
	backwards := slices.Clone(raw)
	slices.Reverse(backwards)
	var found []string
	for name, form := range map[string]string{
		"raw": canary, "hex": hex.EncodeToString(raw), "HEX": strings.ToUpper(hex.EncodeToString(raw)),
		"base64": base64.RawStdEncoding.EncodeToString(raw), "base64url": base64.RawURLEncoding.EncodeToString(raw),
		"url": url.QueryEscape(canary), "reversed": string(backwards),
		"first half": canary[:len(canary)/2], "second half": canary[len(canary)/2:],
	} {
		if strings.Contains(text, form) {
			found = append(found, name)
		}
	}
	return found
}

// prowl runs a tool that looks everywhere it can reach, against a service that gives back what it was sent, and gives all
// that the guest, the model, the log and the disk saw.
func prowl(t *testing.T, handOver bool) (everything, received string) {
	t.Helper()
	var credential atomic.Value
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received := r.Header.Get("Authorization")
		credential.Store(received)
		switch r.URL.Path {
		case "/echo":
			fmt.Fprint(w, r.Header)
		case "/basic":
			fmt.Fprint(w, base64.StdEncoding.EncodeToString([]byte("me:"+received+"\n")))
		case "/broken":
			panic(http.ErrAbortHandler)
		case "/moved":
			http.Redirect(w, r, "http://"+received+".example.org/"+url.PathEscape(received), http.StatusFound)
		default:
			fmt.Fprint(w, "fine")
		}
	}))
	t.Cleanup(service.Close)
	where, err := url.Parse(service.URL)
	if err != nil {
		t.Fatal(err)
	}
	asks := fmt.Sprintf(`,"net":[{"scheme":"http","host":"127.0.0.1","port":%s}],"kv":{"quota":9000},
		"secrets":[{"ref":"key","header":"Authorization","only_to":"127.0.0.1"}]`, where.Port())
	grant := fmt.Sprintf(`{"net":[{"scheme":"http","host":"127.0.0.1","port":%s,"private":true}],"kv":{"quota":9000},
		"secrets":[{"ref":"key","header":"Authorization","only_to":"127.0.0.1"}]}`, where.Port())
	var seen, log bytes.Buffer
	var box *Toolbox
	guest := &workers{call: func(c ctx, call call, host hostFunc) output {
		fmt.Fprint(&seen, call)
		for _, path := range []string{"/", "/echo", "/basic", "/broken", "/moved"} {
			answer := host(c, "http_request", []byte(`{"url":"`+service.URL+path+`"}`))
			seen.Write(answer)
			seen.Write(host(c, "kv_set", []byte(`{"key":"seen","value_base64":"`+base64.StdEncoding.EncodeToString(answer)+`"}`)))
		}
		for _, question := range []string{`{"ref":"key"}`, `{"ref":"../secrets/key"}`, `{"ref":"` + canary[:4] + `"}`} {
			seen.Write(host(c, "secret_exists", []byte(question)))
		}
		if handOver {
			value, err := box.secret("key") // what no host function does
			seen.WriteString(value)
			if err != nil {
				t.Error(err)
			}
		}
		return worker.Output{Result: []byte(`{"text":"done"}`), Log: seen.Bytes()}
	}}
	f, grants, kept := newFolder(t), t.TempDir(), t.TempDir()
	f.put(t, "it.wasm", moduleWith+manifest("it", asks))
	approve(t, grants, moduleWith+manifest("it", asks), manifest("it", asks), grant)
	client := egress.New(egress.Options{Log: logTo(&log)})
	t.Cleanup(client.Close)
	box = open(t, Options{Dir: string(f), Approvals: grants, KV: NewKV(kept), Workers: guest, Egress: client, Log: logTo(&log),
		Secret: func(string) (string, error) { return canary, nil }})
	verdict := box.Check(t.Context(), loop.Call{Name: "it", Arguments: "{}"})
	result := box.Call(t.Context(), loop.Call{Name: "it", Arguments: "{}"}, verdict)
	fmt.Fprintln(&seen, result, verdict, box.Tools(), box.Offered(), box.Problems(), log.String())
	for _, folder := range []string{grants, kept} {
		err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := fs.ReadFile(os.DirFS(folder), name)
			seen.Write(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return seen.String(), credential.Load().(string)
}

// TestSecretLeavesNoTrace holds that the value reaches the service and nobody else. The control is a host that hands it
// over: it is caught.
func TestSecretLeavesNoTrace(t *testing.T) {
	everything, received := prowl(t, false)
	if received != canary || !strings.Contains(everything, `"body":"fine"`) || !strings.Contains(everything, `{"exists":true}`) {
		t.Fatalf("the service was sent %q, and the guest saw %s", received, everything)
	}
	if found := traces(everything); len(found) > 0 {
		t.Errorf("the secret is legible (%v) in %s", found, everything)
	}
	if caught, _ := prowl(t, true); len(traces(caught)) == 0 {
		t.Error("a host that hands the secret over is not caught")
	}
}
