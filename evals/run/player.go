package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"chatterbox/evals/doubles"
	"chatterbox/evals/mockllm"
	"chatterbox/evals/scenario"
)

// Player is a server of models that play what scenarios say, each trial its own; with rates it is a simulated model,
// which goes wrong as often as they say.
type Player struct {
	address string
	stop    func() error
	count   atomic.Int64
	models  sync.Map // *playedModel by its first part of the path
}

// NewPlayer starts a player.
func NewPlayer() (*Player, error) {
	p := &Player{}
	var err error
	p.address, p.stop, err = doubles.Serve(p)
	return p, err
}

// Close ends the server.
func (p *Player) Close() error { return p.stop() }

// ServeHTTP leads a request to its trial.
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	model, ok := p.models.Load(token)
	if !ok {
		http.Error(w, `{"error":{"message":"no trial plays here"}}`, http.StatusNotFound)
		return
	}
	model.(*playedModel).ServeHTTP(w, r)
}

// playedModel is the model of one trial.
type playedModel struct {
	BaseURL string

	player  *Player
	token   string
	mock    *mockllm.Server
	plan    scenario.Plan
	offered []string
	way     string // in which it goes wrong
	dice    *rand.Rand
	real    bool // it plays only what is written

	mu   sync.Mutex
	open []mockllm.Reply // guarded by mu: what the turn's first request decides how to play
}

// Begin begins a trial. rates may be nil; the seed, the scenario and the trial decide what goes wrong.
func (p *Player) Begin(
	plan scenario.Plan, offered []scenario.Tool, rates mockllm.Rates, seed uint64, trial int,
) *playedModel {
	token := fmt.Sprintf("t%d", p.count.Add(1))
	dice := rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d %s %d", seed, plan.Scenario.ID, trial))))
	m := &playedModel{
		BaseURL: "http://" + p.address + "/" + token + "/v1", player: p, token: token, plan: plan,
		offered: toolNames(offered), mock: mockllm.New(nil, mockllm.Options{Prefix: "/" + token + "/v1", Keep: -1}),
		way: rates.Draw(dice), dice: dice, real: rates == nil,
	}
	for _, e := range plan.Before {
		m.mock.Append(mockllm.Reply{Content: e.Model})
	}
	p.models.Store(token, m)
	return m
}

// Turn makes the model ready for the n-th turn, from 0.
func (m *playedModel) Turn(n int) {
	script, way := m.plan.Turns[n].Script, m.way
	for _, earlier := range m.plan.Turns[:n] {
		if slices.ContainsFunc(earlier.Script, func(r mockllm.Reply) bool { return len(r.ToolCalls) > 0 }) {
			way = "" // it went wrong already
		}
	}
	switch {
	case m.real:
		m.set(script)
	case mockllm.Depends(way):
		m.mu.Lock()
		m.open = append([]mockllm.Reply{}, script...)
		m.mu.Unlock()
	default:
		m.set(mockllm.Spoil(way, script, m.offered, m.dice))
	}
}

func (m *playedModel) set(script []mockllm.Reply) {
	m.mock.SetScript(&mockllm.Script{Name: m.plan.Scenario.ID, Replies: script})
}

// ServeHTTP plays. Where that decides how it plays the turn, it finds out how many tools the model is offered.
func (m *playedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := m.decide(r); err != nil {
		http.Error(w, `{"error":{"message":"the request cannot be read"}}`, http.StatusBadRequest)
		return
	}
	m.mock.ServeHTTP(w, r)
}

func (m *playedModel) decide(r *http.Request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open == nil || r.Method != http.MethodPost {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, answerBytesMax))
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var request struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	m.set(mockllm.Spoil(mockllm.With(m.way, len(request.Tools)), m.open, m.offered, m.dice))
	m.open = nil
	return nil
}

// End ends the trial.
func (m *playedModel) End() {
	m.mock.Close()
	m.player.models.Delete(m.token)
}
