package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/steps"
	"chatterbox/runtime/agenda"
	"chatterbox/runtime/history"
)

var kills = flag.Int("kills", 3, "how many `times` TestCaldavKill kills the server in the middle of a booking")

// A server is killed while it does what a person has said yes to: at a commit of its own, before or after the tool, before or
// after each request to the calendar, or at any moment. Then it starts again, and the person goes on talking.

// killWithin is how long it may take at a random moment; a booking takes less.
const killWithin = 60 * time.Millisecond

// killing is a server that dies again and again, over a calendar that does not.
type killing struct {
	*desk
	settings steps.Settings
	proxy    *httptest.Server
	mutation string
	command  *exec.Cmd
	server   steps.Instance
	died     map[string]int // by point, in the middle of the turn

	mu       sync.Mutex
	point    string // guarded by mu; the request to the calendar at which the server is killed
	requests int    // guarded by mu, since it was set

	passing sync.RWMutex // read-locked while the calendar has a request in hand
}

func newKilling(t *testing.T, mutation string, rounds int) *killing {
	t.Helper()
	k := &killing{desk: newDesk(t), mutation: mutation, died: map[string]int{}}
	k.prepare(rounds)
	target, err := url.Parse(k.calendar)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	forward.ErrorLog = log.New(io.Discard, "", 0) // who is killed leaves its requests behind
	k.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { k.pass(w, r, forward) }))
	t.Cleanup(k.proxy.Close)
	k.start()
	t.Cleanup(k.kill)
	return k
}

// newKillingEmbedded is a server whose calendar dies with it.
func newKillingEmbedded(t *testing.T, rounds int) *killing {
	t.Helper()
	k := &killing{desk: &desk{t: t}, mutation: diesOnWish, died: map[string]int{}}
	k.prepare(rounds)
	same, err := agenda.Open(agenda.Options{Dir: filepath.Join(k.settings.Data, "agenda"), Zone: zoneOf(t)})
	if err != nil {
		t.Fatal(err)
	}
	k.agenda = same.Handler()
	k.open("")
	k.start()
	t.Cleanup(k.kill)
	return k
}

// prepare makes the server's folder and its model.
func (k *killing) prepare(rounds int) {
	k.t.Helper()
	mock := mockllm.New(officeScript(k.t, rounds), mockllm.Options{})
	model := httptest.NewServer(mock)
	k.t.Cleanup(func() { mock.Close(); model.Close() })
	k.settings = steps.Settings{Data: k.t.TempDir(), Model: "mock", ModelURL: model.URL + "/v1", Timezone: homeZone}
}

// officeScript is a model that books, moves and cancels what it is asked for, by round.
func officeScript(t testing.TB, rounds int) *mockllm.Script {
	t.Helper()
	var script bytes.Buffer
	line := func(value any) {
		if err := json.NewEncoder(&script).Encode(value); err != nil {
			t.Fatal(err)
		}
	}
	for i := range rounds {
		g := guestOf(i)
		for _, tool := range []string{"book_appointment", "reschedule_appointment", "cancel_appointment"} {
			line(map[string]any{
				"match": map[string]any{"last": "user", "user": g.asksOffice(tool)}, "repeat": "forever",
				"tool_calls": []any{map[string]any{"name": tool, "arguments": g.arguments(tool)}},
			})
		}
	}
	line(map[string]any{"match": map[string]any{"last": "tool"}, "content": "The office has answered.", "repeat": "forever"})
	line(map[string]any{"match": map[string]any{"last": "user"}, "content": "Hello.", "repeat": "forever"})
	parsed, err := mockllm.Parse("office", &script)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// guest is who is booked in one round.
type guest struct{ id, name, date, said string }

func guestOf(round int) guest {
	name := ""
	for rest := round + 100; rest > 0; rest /= 10 {
		name += []string{"bal", "cor", "dun", "fen", "gar", "hol", "kin", "lam", "mor", "nes"}[rest%10]
	}
	day := time.Date(2031, 1, 1+round, 0, 0, 0, 0, time.UTC)
	return guest{
		id: fmt.Sprint("round-", round), name: "Ann " + strings.ToUpper(name[:1]) + name[1:],
		date: day.Format("2006-01-02"), said: day.Format("January 2, 2006"),
	}
}

func (g guest) asksOffice(tool string) string {
	words := map[string]string{
		"book_appointment": "see %s on %s at nine", "reschedule_appointment": "see %s at eleven instead of nine on %s", "cancel_appointment": "forget %s on %s",
	}
	return fmt.Sprintf("Ask the office to "+words[tool]+".", g.name, g.said)
}

// arguments are those of a call for what the office was asked.
func (g guest) arguments(tool string) map[string]string {
	arguments := map[string]string{"customer_name": g.name, "date": g.date}
	switch tool {
	case "book_appointment":
		arguments["time"] = "09:00"
	case "reschedule_appointment":
		arguments["new_time"] = "11:00"
	}
	return arguments
}

func (g guest) books() string {
	return fmt.Sprintf("Book an appointment for %s at 789 Main Street on %s at nine", g.name, g.said)
}

// pass hands a request on to the calendar and kills the server where that is its point.
func (k *killing) pass(w http.ResponseWriter, r *http.Request, next http.Handler) {
	k.passing.RLock()
	defer k.passing.RUnlock()
	r = r.WithContext(context.WithoutCancel(r.Context())) // what was sent arrives, also from a server that is no more
	k.mu.Lock()
	k.requests++
	point, at := k.point, fmt.Sprintf("request %d", k.requests)
	k.mu.Unlock()
	switch point {
	case at + " before":
		_ = k.command.Process.Kill()
		panic(http.ErrAbortHandler)
	case at + " after":
		next.ServeHTTP(httptest.NewRecorder(), r)
		_ = k.command.Process.Kill()
		panic(http.ErrAbortHandler)
	}
	next.ServeHTTP(w, r)
}

func (k *killing) start() {
	k.t.Helper()
	_ = os.Remove(filepath.Join(k.settings.Data, killWishes))
	k.command = exec.Command(os.Args[0], "serve")
	k.command.Env = append(environment(k.settings), envAsProgram+"=1", envMutation+"="+k.mutation)
	if k.proxy != nil {
		k.command.Env = append(k.command.Env, "CHATTERBOX_TOOLS_CALENDAR_URL="+strings.Replace(k.calendar, hostOf(k.calendar), hostOf(k.proxy.URL), 1))
	}
	if name, password, ok := strings.Cut(k.login, ":"); ok {
		k.command.Env = append(k.command.Env, "CHATTERBOX_TOOLS_CALENDAR_USER="+name, "CHATTERBOX_TOOLS_CALENDAR_PASSWORD="+password)
	}
	var err error
	if k.server, err = launch(k.command); err != nil {
		k.t.Fatal(err)
	}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// kill ends the server if it has not ended, and waits.
func (k *killing) kill() {
	_ = k.command.Process.Kill()
	if err := k.server.Stop(); err == nil {
		k.t.Error("the server ended in order")
	}
	k.passing.Lock() // a server that starts now finds what the last one left, and not what is under way
	defer k.passing.Unlock()
}

// heard is what the person hears of a turn.
type heard struct {
	Text  string `json:"response_text"`
	Extra struct {
		Approval json.RawMessage `json:"approval"`
	} `json:"extra"`
	Trace struct {
		ToolCalls []struct {
			Name   string          `json:"name"`
			Result json.RawMessage `json:"result"`
		} `json:"tool_calls"`
	} `json:"trace"`
}

// did says whether the person was told that the tool did it, or could see it in the trace.
func (h heard) did(tool string) bool {
	for _, call := range h.Trace.ToolCalls {
		if call.Name == tool && len(call.Result) > 0 && !bytes.Contains(call.Result, []byte(`"error"`)) {
			return true
		}
	}
	return false
}

func (k *killing) say(g guest, text string) (heard, error) {
	body, _ := json.Marshal(map[string]any{"text": text, "conversation_id": g.id, "trace": true})
	response, err := http.Post(k.server.URL+"/conversation", "application/json", bytes.NewReader(body))
	if err != nil {
		return heard{}, err
	}
	defer response.Body.Close()
	var h heard
	err = json.NewDecoder(response.Body).Decode(&h)
	return h, err
}

// appointments are the times that the calendar has for g, and how many it has on that day at all.
func (k *killing) appointments(g guest) (own []string, all int) {
	k.t.Helper()
	events, _ := k.call("get_calendar", fmt.Sprintf(`{"start":%q}`, g.date))["events"].([]any)
	for _, event := range events {
		if event, ok := event.(map[string]any); ok && strings.Contains(fmt.Sprint(event["title"]), g.name) {
			own = append(own, fmt.Sprint(event["time"]))
		}
	}
	return own, len(events)
}

// stored says whether the conversation's last turn but those that came after is the person's yes.
func (k *killing) stored(g guest) bool {
	k.t.Helper()
	store, err := history.Open(k.t.Context(), history.Options{Path: filepath.Join(k.settings.Data, "history.db")})
	if err != nil {
		k.t.Fatal(err)
	}
	defer store.Close()
	c, err := store.Load(k.t.Context(), g.id, 10)
	if err != nil {
		k.t.Fatal(err)
	}
	return len(c.Turns) > 0 && c.Turns[len(c.Turns)-1].User == "yes"
}

// arm makes the next turn the server's last.
func (k *killing) arm(point string) {
	k.t.Helper()
	k.mu.Lock()
	k.point, k.requests = point, 0
	k.mu.Unlock()
	command := k.command
	if point == "at random" {
		time.AfterFunc(rand.N(killWithin), func() { _ = command.Process.Kill() })
	}
	if err := os.WriteFile(filepath.Join(k.settings.Data, killWishes), []byte(point), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
