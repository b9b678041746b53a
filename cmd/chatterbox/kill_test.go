package main

import (
	"bytes"
	"encoding/json"
	"errors"
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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/steps"
	"chatterbox/runtime/agenda"
	"chatterbox/runtime/history"
)

var kills = flag.Int("kills", 12, "how many `times` TestCaldavKill kills the server in the middle of a booking")

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

// officeScript is a model that books what it is asked for, by round.
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
		line(map[string]any{
			"match": map[string]any{"last": "user", "user": g.asksOffice()}, "repeat": "forever",
			"tool_calls": []any{map[string]any{"name": "book_appointment", "arguments": map[string]any{"customer_name": g.name, "date": g.date, "time": "09:00"}}},
		})
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

func (g guest) asksOffice() string {
	return fmt.Sprintf("Ask the office to see %s on %s at nine.", g.name, g.said)
}

func (g guest) books() string {
	return fmt.Sprintf("Book an appointment for %s at 789 Main Street on %s at nine", g.name, g.said)
}

// pass hands a request on to the calendar and kills the server where that is its point.
func (k *killing) pass(w http.ResponseWriter, r *http.Request, next http.Handler) {
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

// booked says whether the person was told so, or could see it in the trace.
func (h heard) booked() bool {
	for _, call := range h.Trace.ToolCalls {
		if call.Name == "book_appointment" && bytes.Contains(call.Result, []byte("event_id")) {
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

// appointments counts what the calendar has for g, and what it has at that time at all.
func (k *killing) appointments(g guest) (own, all int) {
	k.t.Helper()
	events, _ := k.call("get_calendar", fmt.Sprintf(`{"start":%q}`, g.date))["events"].([]any)
	for _, event := range events {
		if title, _ := event.(map[string]any)["title"].(string); strings.Contains(title, g.name) {
			own++
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

// round books for a guest, with the server's end at a point, and says what went wrong. An agreement by voice to a workflow and one
// to a model's call take turns.
func (k *killing) round(i int, point string) error {
	g, byModel := guestOf(i), i%2 == 1
	opening := g.books()
	if byModel {
		opening = g.asksOffice()
	}
	if h, err := k.say(g, opening); err != nil || byModel == (h.Extra.Approval == nil) {
		return fmt.Errorf("%q: %q, %v", opening, h.Text, err)
	}
	k.arm(point)
	answer, err := k.say(g, "yes")
	if err != nil {
		k.died[point]++
	}
	told := err == nil && answer.booked()
	k.kill()
	k.arm("")
	stored := k.stored(g)
	k.start()
	next, err := k.say(g, "Hello there.")
	if err != nil {
		return fmt.Errorf("it does not come back: %w", err)
	}
	own, _ := k.appointments(g)
	unknown, done := strings.Contains(next.Text, "can't tell"), strings.Contains(next.Text, "was done")
	switch {
	case told && own != 1:
		return errors.New("the person was told of an appointment that is not there")
	case told && !stored:
		return errors.New("the person was told what is not stored")
	case done && own != 1:
		return fmt.Errorf("%q, but nothing is there", next.Text)
	case !stored && own > 0 && !unknown && !done:
		return fmt.Errorf("nobody says that there is an appointment; what is said is %q", next.Text)
	case stored && (unknown || done):
		return fmt.Errorf("the turn has ended, and %q", next.Text)
	case stored || done:
		return k.right(g, 1)
	}
	return k.goOn(g, byModel, unknown)
}

// goOn tries again after a server's end, which must lead to one appointment.
func (k *killing) goOn(g guest, byModel, unknown bool) error {
	texts := []string{"yes"}
	switch {
	case byModel:
		texts = []string{g.asksOffice(), "yes"}
	case unknown:
		texts = []string{"try again"}
	}
	var last heard
	for _, text := range texts {
		var err error
		if last, err = k.say(g, text); err != nil {
			return err
		}
	}
	if !last.booked() {
		return fmt.Errorf("trying again does not help: %q", last.Text)
	}
	return k.right(g, 1)
}

func (k *killing) right(g guest, want int) error {
	if own, all := k.appointments(g); own != want || all != want {
		return fmt.Errorf("%d appointments, %d in all", own, all)
	}
	return nil
}

// TestCaldavKill: wherever the server is killed in the middle of a booking, nobody is booked twice, who was told of an
// appointment has it, and who was not is told that it is not known, or finds it.
func TestCaldavKill(t *testing.T) {
	startsMany(t)
	newKilling(t, diesOnWish, *kills).rounds(*kills, killPoints())
}

// TestKillWithTheCalendar is the same for a calendar that dies with the server.
func TestKillWithTheCalendar(t *testing.T) {
	startsMany(t)
	points := slices.DeleteFunc(killPoints(), func(point string) bool { return strings.HasPrefix(point, "request") })
	newKillingEmbedded(t, *kills).rounds(*kills, points)
}

// rounds kills n times, at each point in turn.
func (k *killing) rounds(n int, points []string) {
	k.t.Helper()
	for i := range n {
		point := points[i/2%len(points)]
		if err := k.round(i, point); err != nil {
			k.t.Errorf("round %d, killed at %s: %v\n%s", i, point, err, lastLines(k.server.Log(), 5))
		}
	}
	k.t.Logf("%d kills at %d points, by workflow and by approval; in the middle of a turn: %v", n, len(points), k.died)
	for _, point := range points {
		if k.died[point] == 0 && n >= 2*len(points) && point != "never" && point != "at random" {
			k.t.Errorf("the server was never killed at %s", point)
		}
	}
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// TestKillCatchesWhatIsNotNoted is the control: a server that notes nothing before it acts forgets what it did.
func TestKillCatchesWhatIsNotNoted(t *testing.T) {
	startsMany(t)
	k := newKilling(t, diesCarelessly, 2)
	for i := range 2 {
		if err := k.round(i, "call 1 after"); err == nil {
			t.Errorf("round %d: nothing is wrong", i)
		}
	}
}
