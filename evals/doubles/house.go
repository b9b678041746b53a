package doubles

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// HousePath is where the API stands, as on the real server.
const HousePath = "/api/"

// Entity is a thing of the house with its state.
type Entity struct {
	ID         string // such as light.kitchen
	State      string
	Name       string         // the attribute friendly_name; may be empty
	Attributes map[string]any // the others
}

// HouseCall is a service that was called.
type HouseCall struct {
	Service string         // such as light.turn_on
	Data    map[string]any // what it was called with
}

// HouseOptions are what a House is made of.
type HouseOptions struct {
	Token    string         // that every request must carry
	Location string         // the name of the house ["Home"]
	Config   map[string]any // the members of /api/config beside location_name
}

// House answers as Home Assistant does: its states, its configuration and its services, with the failures that a real
// server has. All methods may be called by several goroutines at once.
type House struct {
	options HouseOptions
	failing

	mu       sync.Mutex
	entities []Entity    // guarded by mu
	calls    []HouseCall // guarded by mu
}

// NewHouse returns a house in which there is nothing.
func NewHouse(options HouseOptions) *House {
	options.Location = cmp.Or(options.Location, "Home")
	return &House{options: options}
}

// Put adds an entity, or replaces the one of the same id.
func (s *House) Put(entity Entity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.index(entity.ID); at >= 0 {
		s.entities[at] = entity
		return
	}
	s.entities = append(s.entities, entity)
}

// State is the state of an entity, and false when there is none of that id.
func (s *House) State(id string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.index(id)
	if at < 0 {
		return "", false
	}
	return s.entities[at].State, true
}

// index is where the entity of an id is, -1 for none.
func (s *House) index(id string) int {
	return slices.IndexFunc(s.entities, func(e Entity) bool { return e.ID == id })
}

// Calls returns the services that were called so far, in the order of their arrival.
func (s *House) Calls() []HouseCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// ServeHTTP answers below [HousePath].
func (s *House) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	path, below := strings.CutPrefix(r.URL.Path, HousePath)
	service, calls := strings.CutPrefix(path, "services/")
	state, one := strings.CutPrefix(path, "states/")
	switch status, answers := s.fails(r); {
	case !answers:
	case status != 0:
		refuse(w, status)
	case !below:
		refuse(w, http.StatusNotFound)
	case r.Header.Get("Authorization") != "Bearer "+s.options.Token:
		refuse(w, http.StatusUnauthorized)
	case calls && r.Method == http.MethodPost:
		s.serve(w, r, service)
	case r.Method != http.MethodGet:
		refuse(w, http.StatusMethodNotAllowed)
	case path == "":
		reply(w, http.StatusOK, map[string]any{"message": "API running."})
	case path == "config":
		reply(w, http.StatusOK, s.config())
	case path == "states":
		reply(w, http.StatusOK, s.states(func(Entity) bool { return true }))
	case one:
		found := s.states(func(e Entity) bool { return e.ID == state })
		if len(found) == 0 {
			reply(w, http.StatusNotFound, map[string]any{"message": "Entity not found."})
			return
		}
		reply(w, http.StatusOK, found[0])
	default:
		refuse(w, http.StatusNotFound)
	}
}

func (s *House) config() map[string]any {
	config := map[string]any{"location_name": s.options.Location, "state": "RUNNING", "version": "2026.2.0"}
	maps.Copy(config, s.options.Config)
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
		maps.Copy(attributes, entity.Attributes)
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
		refuse(w, http.StatusBadRequest)
		return
	}
	ids := texts(data["entity_id"])
	s.mu.Lock()
	s.calls = append(s.calls, HouseCall{Service: domain + "." + name, Data: data})
	changed := map[string]bool{}
	for i := range s.entities {
		entity := &s.entities[i]
		isMeant := slices.Contains(ids, entity.ID) && strings.HasPrefix(entity.ID, domain+".")
		if !isMeant || entity.State == "unavailable" {
			continue
		}
		if state := effect.state(entity.State); state != entity.State {
			entity.State = state
			changed[entity.ID] = true
		}
	}
	s.mu.Unlock()
	reply(w, http.StatusOK, s.states(func(e Entity) bool { return changed[e.ID] }))
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
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "%d: %s", status, http.StatusText(status))
}
