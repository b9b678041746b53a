package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
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

	mu     sync.Mutex
	stages map[string]*Stage // guarded by mu
}

// NewPlayer starts a player.
func NewPlayer() (*Player, error) {
	p := &Player{stages: map[string]*Stage{}}
	var err error
	p.address, p.stop, err = doubles.Serve(p)
	return p, err
}

// Close ends the server.
func (p *Player) Close() error { return p.stop() }

// ServeHTTP leads a request to its trial.
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	p.mu.Lock()
	stage := p.stages[token]
	p.mu.Unlock()
	if stage == nil {
		http.Error(w, `{"error":{"message":"no trial plays here"}}`, http.StatusNotFound)
		return
	}
	if err := stage.look(r); err != nil {
		http.Error(w, `{"error":{"message":"the request cannot be read"}}`, http.StatusBadRequest)
		return
	}
	stage.mock.ServeHTTP(w, r)
}

// Stage is where the model of one trial plays.
type Stage struct {
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

// Begin opens a stage. rates may be nil; the seed, the scenario and the trial decide what goes wrong.
func (p *Player) Begin(plan scenario.Plan, offered []scenario.Tool, rates mockllm.Rates, seed uint64, trial int) *Stage {
	s := &Stage{player: p, token: fmt.Sprintf("t%d", p.count.Add(1)), plan: plan, real: rates == nil}
	s.BaseURL = "http://" + p.address + "/" + s.token + "/v1"
	for _, tool := range offered {
		s.offered = append(s.offered, tool.Name)
	}
	s.dice = rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d %s %d", seed, plan.Scenario.ID, trial))))
	s.way = rates.Draw(s.dice)
	s.mock = mockllm.New(nil, mockllm.Options{Prefix: "/" + s.token + "/v1", Keep: -1})
	for _, e := range plan.Before {
		s.mock.Append(mockllm.Reply{Content: e.Model})
	}
	p.mu.Lock()
	p.stages[s.token] = s
	p.mu.Unlock()
	return s
}

// Turn makes the model ready for the n-th turn, from 0.
func (s *Stage) Turn(n int) {
	script := s.plan.Turns[n].Script
	if s.real {
		s.set(script)
		return
	}
	way := s.way
	for _, earlier := range s.plan.Turns[:n] {
		for _, reply := range earlier.Script {
			if len(reply.ToolCalls) > 0 {
				way = "" // it went wrong already
			}
		}
	}
	if mockllm.Depends(way) {
		s.mu.Lock()
		s.open = append([]mockllm.Reply{}, script...)
		s.mu.Unlock()
		return
	}
	s.set(mockllm.Spoil(way, script, s.offered, s.dice))
}

func (s *Stage) set(script []mockllm.Reply) {
	s.mock.SetScript(&mockllm.Script{Name: s.plan.Scenario.ID, Replies: script})
}

// look finds out how many tools the model is offered, where that decides how it plays the turn.
func (s *Stage) look(r *http.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil || r.Method != http.MethodPost {
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
	s.set(mockllm.Spoil(mockllm.With(s.way, len(request.Tools)), s.open, s.offered, s.dice))
	s.open = nil
	return nil
}

// End closes the stage.
func (s *Stage) End() {
	s.mock.Close()
	s.player.mu.Lock()
	delete(s.player.stages, s.token)
	s.player.mu.Unlock()
}
