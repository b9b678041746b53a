package doubles_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"chatterbox/evals/doubles"
)

const token = "secret"

func ask(ctx context.Context, service http.Handler, method, path, bearer, body string) (int, string) {
	recorder := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+bearer)
	service.ServeHTTP(recorder, request)
	return recorder.Code, strings.TrimSpace(recorder.Body.String())
}

func furnished() *doubles.House {
	s := doubles.NewHouse(doubles.HouseOptions{Token: token, Config: map[string]any{"country": "DE"}})
	s.Put(doubles.Entity{ID: "light.hall", State: "on", Name: "Old Hall"})
	s.Put(doubles.Entity{ID: "light.hall", State: "off", Name: "Hall", Attributes: map[string]any{"icon": "x"}})
	s.Put(doubles.Entity{ID: "light.gone", State: "unavailable"})
	return s
}

func TestAnswersAsTheRealServerDoes(t *testing.T) {
	for sentence, c := range map[string]struct {
		method, path, token, body string
		status                    int
		want                      string // part of the answer
	}{
		"it says that it runs":              {"GET", "/api/", token, "", 200, `{"message":"API running."}`},
		"nobody enters without the token":   {"GET", "/api/states", "other", "", 401, "401: Unauthorized"},
		"the configuration names the house": {"GET", "/api/config", token, "", 200, `"location_name":"Home"`},
		"the configuration has the rest":    {"GET", "/api/config", token, "", 200, `"country":"DE"`},
		"states have their names":           {"GET", "/api/states", token, "", 200, `"friendly_name":"Hall"`},
		"one state":                         {"GET", "/api/states/light.hall", token, "", 200, `"entity_id":"light.hall"`},
		"a state that is not there":         {"GET", "/api/states/light.attic", token, "", 404, "Entity not found."},
		"a path that is not there":          {"GET", "/api/rooms", token, "", 404, "404: Not Found"},
		"a path beside the API":             {"GET", "/", token, "", 404, "404: Not Found"},
		"a service needs a POST":            {"GET", "/api/services/light/turn_on", token, "", 404, "404: Not Found"},
		"states are not posted":             {"POST", "/api/states", token, "{}", 405, "405: Method Not Allowed"},
		"a service answers what changed":    {"POST", "/api/services/light/toggle", token, `{"entity_id":"light.hall"}`, 200, `"state":"on"`},
		"what is as wanted did not change":  {"POST", "/api/services/light/turn_off", token, `{"entity_id":["light.hall"]}`, 200, `[]`},
		"what is not there does not change": {"POST", "/api/services/light/turn_on", token, `{"entity_id":"light.attic"}`, 200, `[]`},
		"what has no power does not change": {"POST", "/api/services/light/turn_on", token, `{"entity_id":"light.gone"}`, 200, `[]`},
		"a service that does not exist":     {"POST", "/api/services/light/explode", token, `{"entity_id":"light.hall"}`, 400, "400: Bad Request"},
		"data that the service lacks":       {"POST", "/api/services/switch/turn_on", token, `{"entity_id":"switch.x","brightness":3}`, 400, "400"},
		"data that it needs":                {"POST", "/api/services/media_player/volume_set", token, `{"entity_id":"media_player.x"}`, 400, "400"},
		"a level beyond all":                {"POST", "/api/services/media_player/volume_set", token, `{"entity_id":"media_player.x","volume_level":30}`, 400, "400"},
		"what is no JSON":                   {"POST", "/api/services/light/turn_on", token, `{`, 400, "400: Bad Request"},
		"nobody to serve":                   {"POST", "/api/services/light/turn_on", token, `{}`, 400, "400: Bad Request"},
	} {
		t.Run(sentence, func(t *testing.T) {
			status, body := ask(t.Context(), furnished(), c.method, c.path, c.token, c.body)
			if status != c.status || !strings.Contains(body, c.want) {
				t.Errorf("%d %s, want %d %s", status, body, c.status, c.want)
			}
		})
	}
}

func TestMisbehavesAsTold(t *testing.T) {
	s := furnished()
	s.Fail(http.StatusBadGateway)
	if status, body := ask(t.Context(), s, "GET", "/api/", token, ""); status != 502 || body != "502: Bad Gateway" {
		t.Errorf("%d %s", status, body)
	}
	s.Silence()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, body := ask(ctx, s, "GET", "/api/", token, ""); body != "" {
		t.Errorf("a silent server says %s", body)
	}
}

func TestHammerTheHouse(t *testing.T) {
	s := furnished()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				if status, body := ask(t.Context(), s, "POST", "/api/services/light/toggle", token, `{"entity_id":"light.hall"}`); status != 200 || !json.Valid([]byte(body)) {
					t.Errorf("%d %s", status, body)
				}
				ask(t.Context(), s, "GET", "/api/states", token, "")
			}
		})
	}
	group.Wait()
	if state, ok := s.State("light.hall"); state != "off" || !ok || len(s.Calls()) != 160 {
		t.Errorf("%s %v after %d calls", state, ok, len(s.Calls()))
	}
}
