// Package homeassistant plays the REST API of Home Assistant: its states, its configuration and its services, with a
// house that a test decides, and the failures that a real server has.
package doubles

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Path is where the API stands, as on the real server.
const HousePath = "/api/"

// Entity is a thing of the house with its state.
type Entity struct {
	ID         string // such as light.kitchen
	State      string
	Name       string         // the attribute friendly_name; may be empty
	Attributes map[string]any // the others
}

// Call is a service that was called.
type HouseCall struct {
	Service string         // such as light.turn_on
	Data    map[string]any // what it was called with
}

// Options are what a Service is made of.
type HouseOptions struct {
	Token    string         // that every request must carry
	Location string         // the name of the house ["Home"]
	Config   map[string]any // the members of /api/config beside location_name
}

// Service answers as Home Assistant does. All methods may be called by several goroutines at once.
type House struct {
	options HouseOptions

	mu       sync.Mutex
	entities []Entity    // guarded by mu
	calls    []HouseCall // guarded by mu
	status   int         // guarded by mu; of every answer, 0 is the ordinary one
	silent   bool        // guarded by mu
}

// New returns a house in which there is nothing.
func NewHouse(options HouseOptions) *House {
	if options.Location == "" {
		options.Location = "Home"
	}
	return &House{options: options}
}

// Put adds an entity, or replaces the one of the same id.
func (s *House) Put(entity Entity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.entities {
		if s.entities[i].ID == entity.ID {
			s.entities[i] = entity
			return
		}
	}
	s.entities = append(s.entities, entity)
}

// State is the state of an entity, and false when there is none of that id.
func (s *House) State(id string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, entity := range s.entities {
		if entity.ID == id {
			return entity.State, true
		}
	}
	return "", false
}

// Calls returns the services that were called so far, in the order of their arrival.
func (s *House) Calls() []HouseCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Fail makes every later request answer with an HTTP status; 0 is the ordinary answer again.
func (s *House) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// Silence makes every later request wait until its client gives up.
func (s *House) Silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = true
}

// ServeHTTP answers below [Path].
func (s *House) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	status, silent := s.status, s.silent
	s.mu.Unlock()
	path, below := strings.CutPrefix(r.URL.Path, HousePath)
	service, calls := strings.CutPrefix(path, "services/")
	state, one := strings.CutPrefix(path, "states/")
	switch {
	case silent:
		<-r.Context().Done()
	case status != 0:
		refuseHouse(w, status)
	case !below:
		refuseHouse(w, http.StatusNotFound)
	case r.Header.Get("Authorization") != "Bearer "+s.options.Token:
		refuseHouse(w, http.StatusUnauthorized)
	case calls && r.Method == http.MethodPost:
		s.serve(w, r, service)
	case r.Method != http.MethodGet:
		refuseHouse(w, http.StatusMethodNotAllowed)
	case path == "":
		replyHouse(w, map[string]any{"message": "API running."})
	case path == "config":
		replyHouse(w, s.config())
	case path == "states":
		replyHouse(w, s.states(func(Entity) bool { return true }))
	case one:
		found := s.states(func(e Entity) bool { return e.ID == state })
		if len(found) == 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"message":"Entity not found."}`)
			return
		}
		replyHouse(w, found[0])
	default:
		refuseHouse(w, http.StatusNotFound)
	}
}

func (s *House) config() map[string]any {
	config := map[string]any{"location_name": s.options.Location, "state": "RUNNING", "version": "2026.2.0"}
	for name, value := range s.options.Config {
		config[name] = value
	}
	return config
}

// states are the entities that fit, as the API writes them.
func (s *House) states(fits func(Entity) bool) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := time.Date(2026, 2, 20, 8, 15, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000000-07:00")
	all := []map[string]any{}
	for _, entity := range s.entities {
		if !fits(entity) {
			continue
		}
		attributes := map[string]any{}
		for name, value := range entity.Attributes {
			attributes[name] = value
		}
		if entity.Name != "" {
			attributes["friendly_name"] = entity.Name
		}
		all = append(all, map[string]any{
			"entity_id": entity.ID, "state": entity.State, "attributes": attributes,
			"last_changed": since, "last_reported": since, "last_updated": since,
			"context": map[string]any{"id": "01HX0000000000000000000000", "parent_id": nil, "user_id": nil},
		})
	}
	return all
}

const houseBodyMax = 64 << 10

// serve calls a service and answers the states that it changed.
func (s *House) serve(w http.ResponseWriter, r *http.Request, path string) {
	domain, name, _ := strings.Cut(path, "/")
	var data map[string]any
	body, err := io.ReadAll(io.LimitReader(r.Body, houseBodyMax))
	if err == nil && len(body) > 0 {
		err = json.Unmarshal(body, &data)
	}
	effect, known := effects[domain+"."+name]
	if err != nil || !known || !effect.accepts(data) {
		refuseHouse(w, http.StatusBadRequest)
		return
	}
	ids := texts(data["entity_id"])
	s.mu.Lock()
	s.calls = append(s.calls, HouseCall{Service: domain + "." + name, Data: data})
	changed := map[string]bool{}
	for i := range s.entities {
		entity := &s.entities[i]
		if !slices.Contains(ids, entity.ID) || !strings.HasPrefix(entity.ID, domain+".") || entity.State == "unavailable" {
			continue
		}
		if state := effect.state(entity.State); state != entity.State {
			entity.State = state
			changed[entity.ID] = true
		}
	}
	s.mu.Unlock()
	replyHouse(w, s.states(func(e Entity) bool { return changed[e.ID] }))
}

func texts(value any) []string {
	if one, ok := value.(string); ok {
		return []string{one}
	}
	list, _ := value.([]any)
	var out []string
	for _, element := range list {
		if text, ok := element.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// refuse answers as the server does that Home Assistant is built on: "401: Unauthorized".
func refuseHouse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "%d: %s", status, http.StatusText(status))
}

func replyHouse(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}
