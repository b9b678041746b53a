package loop_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"chatterbox/loop"
)

var (
	propertySteps = flag.Int("loop.steps", 110_000, "steps of TestProperties, at least")
	propertySeed  = flag.Uint64("loop.seed", 0, "seed of TestProperties; 0 takes the time")
)

// TestProperties drives machines by events that fit, that come late, twice or broken, and holds what they do to the
// rules that no turn may break.
func TestProperties(t *testing.T) {
	seed := *propertySeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	steps, turns, ends := 0, 0, map[string]int{}
	for steps < *propertySteps {
		w := newWorld(t, rand.New(rand.NewPCG(seed, uint64(turns))))
		w.play()
		steps += w.steps
		turns++
		ends[w.end]++
		if t.Failed() {
			t.Fatalf("seed %d, turn %d (run with -loop.seed=%d)", seed, turns-1, seed)
		}
	}
	for _, end := range []string{"answer", "words", "pending", "iteration_limit", "repeated_call", "budget", "internal", "connection"} {
		if ends[end] == 0 {
			t.Errorf("no turn of %d ended as %s, so that end was not tried", turns, end)
		}
	}
}

// world is everything outside one machine, and what it knows of it.
type world struct {
	t       *testing.T
	random  *rand.Rand
	limits  loop.Limits
	machine loop.Machine
	steps   int
	elapsed time.Duration
	cost    float64
	tokens  int
	end     string

	history  []loop.Message // with room behind it, filled with a mark that nobody may overwrite
	events   []loop.Event
	effects  []string // JSON of the effects of each event, where the turn is replayed
	queue    []loop.Event
	content  string // that the next completion must begin with
	said     string
	asked    int // model calls
	ran      int
	verdicts map[int]loop.Verdict // on the present calls
	past     []loop.Event         // verdicts and results of the present answer that the machine has had
	running  map[int]string       // id of the call that runs, by its index
	results  map[string]string    // content that the call of an id was given
	approved bool
	replayed bool
	resumed  bool            // the person has answered once
	recorded int             // calls that an earlier turn of the machine has recorded
	words    bool            // the caller words the results
	proposed []loop.Proposed // those of the present calls; nil where a model made them
	began    map[int]bool    // which of them have begun to run
	finished bool
}

func newWorld(t *testing.T, random *rand.Rand) *world {
	limits := loop.Limits{Iterations: 1 + random.IntN(6)}
	for _, set := range []func(){
		func() { limits.Calls = 1 + random.IntN(6) },
		func() { limits.ResultBytes = 256 + random.IntN(200) },
		func() { limits.OutputBytes = 1 + random.IntN(60) },
		func() { limits.Tokens = 1 + random.IntN(500) },
		func() { limits.CostUSD = random.Float64() },
		func() { limits.Wall = time.Duration(1 + random.IntN(int(5*time.Second))) },
	} {
		if random.IntN(3) == 0 {
			set()
		}
	}
	tools := []loop.Tool{{Name: "get_weather", Parameters: []byte(`{"type":"object"}`)}, {Name: "book", Parameters: []byte(`{}`)}}
	if random.IntN(8) == 0 {
		tools = nil
	}
	w := &world{t: t, random: random, limits: limits, machine: loop.New(limits, tools), replayed: random.IntN(4) == 0,
		running: map[int]string{}, results: map[string]string{}}
	w.history = make([]loop.Message, 0, 4)
	for range 3 {
		w.history = append(w.history, loop.Message{Role: loop.User, Content: "history"})
	}
	w.history[:4][3].Content = "mark"
	return w
}

func (w *world) play() {
	first := w.machine
	w.words = w.random.IntN(3) == 0
	start := loop.Event{Kind: loop.Start, Messages: w.history, CallerWords: w.words}
	if w.words || w.random.IntN(4) == 0 {
		w.propose(&start)
	}
	w.step(start)
	for n := 0; !w.finished; n++ {
		if n > 2000 {
			w.t.Errorf("the turn does not end: %+v", w.machine)
			return
		}
		switch w.random.IntN(12) {
		case 0:
			if !w.paused() { // then a Start is no noise
				w.step(w.noise())
			}
		case 1:
			w.reload()
		case 2:
			w.again()
		case 3:
			if w.random.IntN(30) == 0 {
				w.step(loop.Event{Kind: loop.Cancelled, Cause: []loop.Cause{loop.ClientGone, loop.Deadline, loop.Shutdown}[w.random.IntN(3)]})
			}
		default:
			w.fitting()
		}
	}
	if w.machine.Ended {
		for _, event := range w.others() {
			w.step(event)
		}
	}
	w.checkUntouched(first)
	if w.replayed {
		w.checkReplay(first)
	}
}

// fitting answers one of the effects that are open, in any order.
func (w *world) fitting() {
	if len(w.queue) == 0 {
		w.t.Errorf("nothing is open and the turn has not ended: state %s", w.machine.State)
		w.finished = true
		return
	}
	i := w.random.IntN(len(w.queue))
	event := w.queue[i]
	if event.Kind == loop.Completed && w.random.IntN(2) == 0 {
		piece := pick(w.random, pieces)
		w.content += piece
		w.step(loop.Event{Kind: loop.Delta, Text: piece})
		return
	}
	if event.Kind == loop.Completed && w.random.IntN(20) == 0 {
		w.content = ""
		w.step(loop.Event{Kind: loop.Restarted})
		return
	}
	w.queue = append(w.queue[:i:i], w.queue[i+1:]...)
	switch event.Kind {
	case loop.Completed:
		event = w.completion(pick(w.random, []float64{0, 0.01, 0.1}))
	case loop.Checked:
		event.Verdict = w.verdict()
		w.verdicts[event.Index] = *event.Verdict
		w.past = append(w.past, event)
	case loop.ToolDone:
		event.Result = w.result()
		w.results[w.running[event.Index]] = event.Result.Content
		w.past = append(w.past, event)
	}
	w.step(event)
}

// again gives a verdict or a result to a call that has had its own: nothing may come of it.
func (w *world) again() {
	if len(w.past) == 0 {
		return
	}
	event, before := pick(w.random, w.past), encode(w.t, w.machine)
	event.Verdict, event.Result = &loop.Verdict{Decision: loop.Run}, &loop.Result{Content: `"again"`}
	w.step(event)
	if after := encode(w.t, w.machine); after != before {
		w.t.Errorf("a second %s of call %d made of\n%s\n%s", event.Kind, event.Index, before, after)
	}
}

// step gives event to the machine and holds its effects to the rules.
func (w *world) step(event loop.Event) {
	w.elapsed += time.Duration(w.random.IntN(int(40 * time.Millisecond)))
	event.Elapsed, event.CostUSD = w.elapsed, w.cost
	before := w.machine.State
	wasEnded := w.machine.Ended
	previous := w.machine
	var effects []loop.Effect
	w.machine, effects = loop.Step(previous, event)
	if w.random.IntN(20) == 0 {
		w.checkApart(previous)
	}
	w.steps++
	if w.replayed {
		w.events = append(w.events, event)
		w.effects = append(w.effects, encode(w.t, effects))
	}
	if wasEnded && len(effects) > 0 {
		w.t.Errorf("effects after the end: %s", encode(w.t, effects))
	}
	if event.Kind == loop.Completed && before == loop.LLMInference && event.Completion != nil {
		w.tokens += event.Completion.Usage.PromptTokens
	}
	for i, effect := range effects {
		w.check(effect, event)
		if effect.Kind == loop.Finish && i != len(effects)-1 {
			w.t.Error("Finish is not the last effect")
		}
	}
}

// checkApart gives other events to the machine that w.machine came from, which must change neither of the two.
func (w *world) checkApart(previous loop.Machine) {
	was, is := encode(w.t, previous), encode(w.t, w.machine)
	for _, event := range w.others() {
		loop.Step(previous, event)
	}
	if encode(w.t, previous) != was {
		w.t.Error("Step changed its argument")
	}
	if encode(w.t, w.machine) != is {
		w.t.Error("a machine that came from the same one was changed")
	}
}

// others are events of every kind that some state has a use for.
func (w *world) others() []loop.Event {
	index := w.random.IntN(3)
	return []loop.Event{
		w.noise(), w.completion(0), {Kind: loop.Delta, Text: "text"}, {Kind: loop.Restarted}, {Kind: loop.ModelFailed},
		{Kind: loop.Checked, Index: index, Verdict: w.verdict()}, {Kind: loop.ToolDone, Index: index, Result: w.result()},
		{Kind: loop.Answered, Yes: w.random.IntN(2) == 0}, {Kind: loop.Cancelled, Cause: loop.Deadline},
	}
}

// reload takes the machine through JSON, as a restart would.
func (w *world) reload() {
	text := encode(w.t, w.machine)
	var restored loop.Machine
	if err := json.Unmarshal([]byte(text), &restored); err != nil {
		w.t.Fatal(err)
	}
	if again := encode(w.t, restored); again != text {
		w.t.Errorf("JSON changes the machine:\n%s\n%s", text, again)
	}
	w.machine = restored
}

func (w *world) checkUntouched(first loop.Machine) {
	if w.history[:4][3].Content != "mark" {
		w.t.Error("the machine wrote behind the caller's messages")
	}
	for _, message := range w.history {
		if message.Content != "history" || message.ToolCalls != nil {
			w.t.Errorf("the caller's history was changed: %+v", message)
		}
	}
	if first.State != "" || len(first.Trace.States) > 0 {
		w.t.Error("the first machine was changed")
	}
}

// checkReplay gives the same events to the same machine again.
func (w *world) checkReplay(machine loop.Machine) {
	for i, event := range w.events {
		var effects []loop.Effect
		machine, effects = loop.Step(machine, event)
		if got := encode(w.t, effects); got != w.effects[i] {
			w.t.Errorf("replayed event %d (%s) has the effects\n%s, at first\n%s", i, event.Kind, got, w.effects[i])
		}
	}
	if got, want := encode(w.t, machine), encode(w.t, w.machine); got != want {
		w.t.Errorf("the replay ends with\n%s, the turn with\n%s", got, want)
	}
}

func encode(t testing.TB, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

func repeatText(random *rand.Rand, text string) string { return strings.Repeat(text, random.IntN(150)) }
