package toolbox_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"chatterbox/runtime/egress"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
	"chatterbox/tools-wasm/testkit/hostile"
)

// public is where names resolve to unless an attack says otherwise.
var public = netip.MustParseAddr("93.184.216.34")

// TestHostileGuestsOnTheNetwork lets real guests make the requests of each attack through the real egress, with names and
// connections of the test's own.
func TestHostileGuestsOnTheNetwork(t *testing.T) {
	attacks, err := hostile.Table("network")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(meanServer))
	t.Cleanup(server.Close)
	pool, err := worker.NewPool(worker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	for _, attack := range attacks {
		t.Run(attack.Name, func(t *testing.T) {
			wires := &wires{attack: attack, server: server.Listener.Addr().String()}
			box, log := openHostile(t, pool, attack, wires, nil)
			grown, began := hostile.Watch(), time.Now()
			got := requestKinds(t, box, attack.Name)
			if took := time.Since(began); took > attack.Within*20 { // a busy machine is given time
				t.Errorf("it took %v, the bound is %v", took, attack.Within)
			}
			if memory := grown(); memory > attack.Memory {
				t.Errorf("memory grew by %d MiB, the bound is %d", memory>>20, attack.Memory>>20)
			}
			if want := strings.Join(attack.Kinds, " "); got != want {
				t.Errorf("the requests came to\n%s, want\n%s", got, want)
			}
			wires.check(t)
			if strings.Contains(got, "refused") &&
				!strings.Contains(log.String(), `msg="request refused" tool=`+attack.Name+" reason=") {
				t.Errorf("the log does not name tool and reason:\n%s", log)
			}
			if after := call(t, box, "good", `{"after":true}`); !strings.Contains(after.Content, `{"after":true}`) {
				t.Errorf("then the good tool answered %s", after.Content)
			}
			if attack.Without == "is reached" {
				reachable(t, pool, attack, server)
			}
		})
	}
}

// reachable is the null control: with private addresses granted the same requests arrive, and the wires show it.
func reachable(t *testing.T, pool *worker.Pool, attack hostile.Attack, server *httptest.Server) {
	t.Helper()
	granted := map[string]string{}
	for i, url := range attack.Requests {
		var request struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal([]byte(url), &request); err != nil {
			t.Fatal(err)
		}
		granted[fmt.Sprintf("URL_%d", i)] = request.URL
	}
	wires := &wires{attack: attack, server: server.Listener.Addr().String()}
	box, _ := openHostile(t, pool, attack, wires, granted)
	got := requestKinds(t, box, attack.Name)
	if !strings.Contains(got, "status") || wires.connects() == 0 {
		t.Errorf("without its wall the attack comes to %s: the test would not notice", got)
	}
}

// openHostile opens a toolbox with the attack as a built-in tool, so that what its manifest asks is granted, and a good one.
func openHostile(t *testing.T, pool *worker.Pool, attack hostile.Attack, wires *wires, granted map[string]string) (*toolbox.Toolbox, *bytes.Buffer) {
	t.Helper()
	binary, err := attack.Module()
	if err != nil {
		t.Fatal(err)
	}
	most := attack.MostRequests
	if most == 0 {
		most = 64
	}
	manifest := fmt.Sprintf(`{"name":%q,"description":"Harms.","limits":{"http_calls":%d}`, attack.Name, most)
	if attack.Net != "" {
		manifest += `,"net":` + attack.Net
	}
	var asked []string
	for name := range granted {
		asked = append(asked, fmt.Sprintf(`{"name":%q,"env":%q}`, name, name))
	}
	if len(asked) > 0 {
		manifest += `,"settings":[` + strings.Join(asked, ",") + "]"
	}
	manifest += "}"
	log := &bytes.Buffer{}
	client := egress.New(egress.Options{Resolve: wires.resolve, Dial: wires.dial})
	t.Cleanup(client.Close)
	box, err := toolbox.Open(t.Context(), toolbox.Options{
		Builtin: fstest.MapFS{
			"it.wasm": {Data: binary}, "it.tool.json": {Data: []byte(manifest)},
			"good.wasm": {Data: hostile.Good()}, "good.tool.json": {Data: []byte(`{"name":"good","description":"Good."}`)},
		},
		Workers: pool, Egress: client,
		Setting: func(name string) ([]string, string) { return strings.Fields(granted[name]), name },
		Log:     slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	if problems := box.Problems(); len(problems) > 0 {
		t.Fatalf("problems %+v", problems)
	}
	return box, log
}

// requestKinds calls the tool and gives what each of its requests came to.
func requestKinds(t *testing.T, box *toolbox.Toolbox, name string) string {
	t.Helper()
	result := call(t, box, name, `{}`)
	var answers []struct {
		Status int    `json:"status"`
		Error  string `json:"error"`
		Kind   string `json:"kind"`
	}
	if err := json.Unmarshal([]byte(result.Content), &answers); err != nil {
		t.Fatalf("answered %.300s: %v", result.Content, err)
	}
	var kinds []string
	for _, answer := range answers {
		switch {
		case answer.Status != 0:
			kinds = append(kinds, "status")
		case answer.Error == "":
			kinds = append(kinds, "no reason")
		default:
			kinds = append(kinds, answer.Kind)
		}
	}
	return strings.Join(kinds, " ")
}

// wires are the names and connections of one attack. Whatever is dialled, the mean server answers.
type wires struct {
	attack hostile.Attack
	server string

	mu      sync.Mutex
	asked   map[string]int   // guarded by mu: look-ups of a name
	dialled []netip.AddrPort // guarded by mu
}

func (w *wires) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	answers, ok := w.attack.DNS[host]
	if !ok {
		return []netip.Addr{public}, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked == nil {
		w.asked = map[string]int{}
	}
	answer := answers[min(w.asked[host], len(answers)-1)]
	w.asked[host]++
	addresses := make([]netip.Addr, len(answer))
	for i, text := range answer {
		addresses[i] = netip.MustParseAddr(text)
	}
	return addresses, nil
}

func (w *wires) dial(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, address)
	w.mu.Unlock()
	return (&net.Dialer{}).DialContext(ctx, "tcp", w.server)
}

func (w *wires) connects() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.dialled)
}

func (w *wires) check(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.dialled) != w.attack.Connects {
		t.Errorf("%d connections, want %d", len(w.dialled), w.attack.Connects)
	}
	for _, address := range w.dialled {
		if address != netip.AddrPortFrom(public, 80) {
			t.Errorf("it connected to %v", address)
		}
	}
}

// packedMiB is a compressed MiB. So many as one likes, one after the other, are a compressed whole.
var packedMiB = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(make([]byte, 1<<20))
	_ = zip.Close()
	return packed.Bytes()
})

// meanServer answers each path in its own bad way.
func meanServer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/redirect":
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusFound)
	case "/again":
		http.Redirect(w, r, "/again", http.StatusFound)
	case "/close":
		w.Header().Set("Connection", "close")
	case "/slow-headers":
		<-r.Context().Done()
	case "/slow-body":
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ".")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	case "/endless":
		for block := make([]byte, 64<<10); r.Context().Err() == nil; {
			_, _ = w.Write(block)
		}
	case "/bomb":
		w.Header().Set("Content-Encoding", "gzip")
		for r.Context().Err() == nil {
			_, _ = w.Write(packedMiB())
		}
	case "/long-headers":
		w.Header().Set("X-Long", strings.Repeat("x", 100<<10))
	case "/no-http", "/cut", "/two-lengths":
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(connection, map[string]string{
			"/no-http":     "SSH-2.0-OpenSSH_9.7\r\n",
			"/cut":         "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
			"/two-lengths": "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
		}[r.URL.Path])
		_ = connection.Close()
	default:
		_, _ = io.WriteString(w, "reached")
	}
}
