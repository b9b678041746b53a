package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/evals/doubles"
	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

const homeTestToken = "a-token-of-the-house"

// smartHouse is the real tools over a Home Assistant that a test decides.
type smartHouse struct {
	t       testing.TB
	service *doubles.House // may be replaced between calls
	box     *toolbox.Toolbox
}

// furnished is a house with what people have.
func furnished() *doubles.House {
	service := doubles.NewHouse(doubles.HouseOptions{
		Token: homeTestToken, Location: "Maple Street", Config: map[string]any{"latitude": 39.1, "longitude": -94.6, "country": "US"},
	})
	tv, motion, occupancy := map[string]any{"device_class": "tv"}, map[string]any{"device_class": "motion"}, map[string]any{"device_class": "occupancy"}
	for _, entity := range []doubles.Entity{
		{ID: "light.kitchen_ceiling", State: "off", Name: "Kitchen Ceiling"},
		{ID: "light.kitchen_counter", State: "off", Name: "Kitchen Counter Light"},
		{ID: "light.living_room", State: "on", Name: "Living Room Light"},
		{ID: "switch.reading_lamp", State: "off", Name: "Reading Lamp"},
		{ID: "switch.coffee", State: "off", Name: "Coffee Machine"},
		{ID: "light.hall", State: "unavailable", Name: "Hall"},
		{ID: "light.wohnzimmer_decke", State: "off", Name: "Büro Deckenlampe"},
		{ID: "light.annas_room", State: "off", Name: "Anna’s Room"},
		{ID: "light.bed_1", State: "off", Name: "Bedroom Lamp 1"},
		{ID: "light.bed_2", State: "off", Name: "Bedroom Lamp 2"},
		{ID: "light.porch_west", State: "off"},
		{ID: "media_player.kitchen", State: "playing", Name: "Kitchen Speaker"},
		{ID: "media_player.samsung", State: "on", Name: "Samsung QE55", Attributes: tv},
		{ID: "media_player.bedroom", State: "paused", Name: "Bedroom Radio"},
		{ID: "scene.good_night", State: "unknown", Name: "Good Night"},
		{ID: "scene.movie", State: "unknown", Name: "Movie Time"},
		{ID: "camera.front_door", State: "idle", Name: "Front Door"},
		{ID: "camera.garden", State: "recording", Name: "Garden Camera"},
		{ID: "binary_sensor.driveway_person", State: "on", Name: "Driveway Person occupancy", Attributes: occupancy},
		{ID: "binary_sensor.driveway_car", State: "off", Name: "Driveway Car occupancy", Attributes: occupancy},
		{ID: "binary_sensor.garden", State: "on", Name: "Garden Motion", Attributes: motion},
		{ID: "binary_sensor.window", State: "on", Name: "Kitchen Window", Attributes: map[string]any{"device_class": "window"}},
		{ID: "zone.home", State: "1", Name: "Home"},
		{ID: "zone.office", State: "1", Name: "Office"},
		{ID: "person.anna", State: "home", Name: "Anna"},
		{ID: "person.ben", State: "Office", Name: "Ben"},
		{ID: "person.cleo", State: "not_home", Name: "Cleo"},
	} {
		service.Put(entity)
	}
	return service
}

func newSmartHouse(t testing.TB, token string) *smartHouse {
	t.Helper()
	h := &smartHouse{t: t, service: furnished()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.service.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	h.open(config.Home{URL: server.URL, Token: token}, 0)
	return h
}

// open opens the tools as the program does.
func (h *smartHouse) open(settings config.Home, timeout time.Duration) {
	h.t.Helper()
	h.box = openConfigured(h.t, config.Tools{Home: settings}, timeout)
}

// call runs a tool and gives its result. No tool of the house asks for a yes.
func (h *smartHouse) call(tool, arguments string) string {
	h.t.Helper()
	call := loop.Call{ID: "1", Name: tool, Arguments: arguments}
	verdict := h.box.Check(h.t.Context(), call)
	if verdict.Decision != loop.Run {
		return verdict.Reason
	}
	return h.box.Call(h.t.Context(), call, verdict).Content
}

// served are the calls of services as "light.turn_on kitchen_ceiling", with the other members behind it.
func (h *smartHouse) served() string {
	h.t.Helper()
	var all []string
	for _, call := range h.service.Calls() {
		ids, ok := call.Data["entity_id"].([]any)
		if !ok {
			ids = []any{call.Data["entity_id"]}
		}
		delete(call.Data, "entity_id")
		line := call.Service
		for _, id := range ids {
			_, object, _ := strings.Cut(id.(string), ".")
			line += " " + object
		}
		if len(call.Data) > 0 {
			more, err := json.Marshal(call.Data)
			if err != nil {
				h.t.Fatal(err)
			}
			line += " " + string(more)
		}
		all = append(all, line)
	}
	return strings.Join(all, "; ")
}

// TestThingsAreFoundByTheirNames says what the words of a person mean in one house.
func TestThingsAreFoundByTheirNames(t *testing.T) {
	h := newSmartHouse(t, homeTestToken)
	for _, c := range []struct{ tool, arguments, served, result string }{
		{"lights", `{"name":"the living room lamp","action":"off"}`, "light.turn_off living_room", `"Living Room Light"`},
		{"lights", `{"name":"livingroom","action":"on","brightness_percent":30}`, `light.turn_on living_room {"brightness_pct":30}`, `"brightness_percent":30`},
		{"lights", `{"name":"living room","brightness_percent":0}`, "light.turn_off living_room", `"done":"off"`},
		{"lights", `{"name":"living room","brightness_change_percent":-20}`, `light.turn_on living_room {"brightness_step_pct":-20}`, `"done":"on"`},
		{"lights", `{"name":"living room","color":"blue"}`, `light.turn_on living_room {"color_name":"blue"}`, `"color":"blue"`},
		{"lights", `{"name":"living room","color":"warm white"}`, `light.turn_on living_room {"color_temp_kelvin":2700}`, `"warm white"`},
		{"lights", `{"name":"kitchen","action":"on"}`, "light.turn_on kitchen_ceiling kitchen_counter", `"Kitchen Ceiling"`},
		{"lights", `{"name":"the kitchen lights","action":"toggle"}`, "light.toggle kitchen_ceiling kitchen_counter", `"done":"toggled"`},
		{"lights", `{"name":"kitchen light","action":"on"}`, "", `"candidates":[{"name":"Kitchen Ceiling"},{"name":"Kitchen Counter Light"}]`},
		{"lights", `{"name":"ceiling lamp in the kitchen","action":"on"}`, "light.turn_on kitchen_ceiling", `"Kitchen Ceiling"`},
		{"lights", `{"name":"bedroom lamp","action":"on"}`, "", `"candidates":[{"name":"Bedroom Lamp 1"},{"name":"Bedroom Lamp 2"}]`},
		{"lights", `{"name":"bedroom lamp two","action":"on"}`, "light.turn_on bed_2", `"Bedroom Lamp 2"`},
		{"lights", `{"name":"both bedroom lamps","action":"on"}`, "light.turn_on bed_1 bed_2", `"Bedroom Lamp 1"`},
		{"lights", `{"name":"Anna's room","action":"on"}`, "light.turn_on annas_room", `Room"`},
		{"lights", `{"name":"reading light","action":"on"}`, "switch.turn_on reading_lamp", `"Reading Lamp"`},
		{"lights", `{"name":"porch west","action":"on"}`, "light.turn_on porch_west", `"porch west"`},
		{"lights", `{"name":"Bürolampe","action":"on"}`, "light.turn_on wohnzimmer_decke", `Deckenlampe`},
		{"lights", `{"name":"die Deckenlampe im Büro","action":"on"}`, "light.turn_on wohnzimmer_decke", `Deckenlampe`},
		{"lights", `{"name":"all lights","action":"off"}`, "light.turn_off kitchen_ceiling kitchen_counter living_room wohnzimmer_decke annas_room bed_1 bed_2 porch_west; switch.turn_off reading_lamp", `"no_answer":[{"name":"Hall"}]`},
		{"lights", `{"name":"coffee machine","action":"on"}`, "", `There is no light called 'coffee machine'`},
		{"lights", `{"name":"hall","action":"on"}`, "", `The light Hall does not answer`},
		{"lights", `{"name":"reading lmap","action":"on"}`, "", `"nearest":[{"name":"Reading Lamp"}`},
		{"lights", `{"name":"living room"}`, "", `Missing required argument: action`},
		{"media", `{"action":"pause"}`, "media_player.media_pause kitchen", `"Kitchen Speaker"`},
		{"media", `{"action":"play"}`, "media_player.media_play bedroom", `"Bedroom Radio"`},
		{"media", `{"action":"volume_up","name":"the music"}`, "media_player.volume_up kitchen", `"done":"volume_up"`},
		{"media", `{"action":"set_volume","volume_percent":5}`, `media_player.volume_set kitchen {"volume_level":0.05}`, `"volume_percent":5`},
		{"media", `{"action":"set_volume","volume_percent":100,"name":"kitchen"}`, `media_player.volume_set kitchen {"volume_level":1}`, `100`},
		{"media", `{"action":"set_volume"}`, "", "Missing required argument: volume_percent"},
		{"media", `{"action":"mute","name":"television"}`, `media_player.volume_mute samsung {"is_volume_muted":true}`, `"Samsung QE55"`},
		{"media", `{"action":"off","name":"der Fernseher"}`, `media_player.turn_off samsung`, `"Samsung QE55"`},
		{"media", `{"action":"stop","name":"garage"}`, "", `There is no player called 'garage'`},
		{"scenes", `{"name":"good night scene"}`, "scene.turn_on good_night", `"scene":"Good Night"`},
		{"scenes", `{"name":"movie"}`, "scene.turn_on movie", `"scene":"Movie Time"`},
		{"scenes", `{"name":"party"}`, "", `"nearest":[{"name":`},
		{"show_camera_feed", `{"camera":"the front door camera"}`, `camera.play_stream front_door {"media_player":"media_player.samsung"}`, `"screen":"Samsung QE55"`},
		{"show_camera_feed", `{"camera":"garden","screen":"kitchen"}`, `camera.play_stream garden {"media_player":"media_player.kitchen"}`, `"state":"recording"`},
		{"show_camera_feed", `{}`, "", `"candidates":[{"name":"Front Door"},{"name":"Garden Camera"}]`},
		{"get_current_detections", `{"place":"the driveway"}`, "", `{"detections":[{"name":"Driveway Person occupancy","what":"person","since":"2026-02-20T08:15:00.000000+00:00"}],"no_answer":[]}`},
		{"get_current_detections", `{}`, "", `"name":"Garden Motion","what":"motion"`},
		{"get_current_detections", `{"place":"attic"}`, "", `There is no watched place called 'attic'`},
		{"zones", `{}`, "", `{"zones":[{"name":"Home","people":"Anna"},{"name":"Office","people":"Ben"}]}`},
		{"where_am_i", `{"person":"Ben"}`, "", `"place":"Office"`},
		{"where_am_i", `{}`, "", `"people":[{"name":"Anna","place":"home"},{"name":"Ben","place":"Office"},{"name":"Cleo","place":"away"}]`},
		{"get_location", `{}`, "", `{"location":"Maple Street","latitude":39.1,"longitude":-94.6,"country":"US"}`},
	} {
		t.Run(c.tool+" "+c.arguments, func(t *testing.T) {
			h.service = furnished()
			got := h.call(c.tool, c.arguments)
			if served := h.served(); served != c.served {
				t.Errorf("served %q, want %q", served, c.served)
			}
			if !strings.Contains(got, c.result) {
				t.Errorf("%s, want %s in it", got, c.result)
			}
		})
	}
}

// TestTheHomeThatDoesNotAnswer is what a person may be told when something is wrong with the server.
func TestTheHomeThatDoesNotAnswer(t *testing.T) {
	const on = `{"name":"living room","action":"on"}`
	for name, c := range map[string]struct {
		token string
		spoil func(*smartHouse)
		want  string
	}{
		"a wrong token":           {"another-token-of-nobody", func(*smartHouse) {}, "Home Assistant refused the token: make a new long-lived one and set tools.home.token"},
		"a server out of order":   {homeTestToken, func(h *smartHouse) { h.service.Fail(http.StatusServiceUnavailable) }, "Home Assistant answered with error 503"},
		"an address that is none": {homeTestToken, func(h *smartHouse) { h.service.Fail(http.StatusNotFound) }, "Home Assistant has nothing at states. Look at tools.home.url"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newSmartHouse(t, c.token)
			c.spoil(h)
			if got, want := h.call("lights", on), `{"error":"`+c.want+`"}`; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			if served := h.served(); served != "" {
				t.Errorf("served %s", served)
			}
		})
	}
	t.Run("a server that is silent", func(t *testing.T) {
		h := newSmartHouse(t, homeTestToken)
		h.service.Silence()
		server := httptest.NewServer(h.service)
		defer server.Close()
		h.open(config.Home{URL: server.URL, Token: homeTestToken}, 300*time.Millisecond)
		if got := h.call("lights", on); !strings.Contains(got, `"error"`) {
			t.Errorf("%s", got)
		}
	})
	t.Run("a server that is gone", func(t *testing.T) {
		h := &smartHouse{t: t, service: furnished()}
		server := httptest.NewServer(h.service)
		server.Close()
		h.open(config.Home{URL: server.URL, Token: homeTestToken}, 0)
		if got := h.call("lights", on); !strings.Contains(got, "Home Assistant cannot be reached") {
			t.Errorf("%s", got)
		}
	})
	t.Run("a house in which there is nothing", func(t *testing.T) {
		server := httptest.NewServer(doubles.NewHouse(doubles.HouseOptions{Token: homeTestToken}))
		defer server.Close()
		h := &smartHouse{t: t}
		h.open(config.Home{URL: server.URL, Token: homeTestToken}, 0)
		for tool, want := range map[string]string{
			"lights": "There is not one light in Home Assistant", "media": "There is no player in Home Assistant", "get_current_detections": "There is no sensor",
			"where_am_i": "There is no person", "zones": `{"zones":[]}`,
		} {
			arguments := map[string]string{"lights": on, "media": `{"action":"pause"}`}[tool]
			if arguments == "" {
				arguments = "{}"
			}
			if got := h.call(tool, arguments); !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", tool, got, want)
			}
		}
	})
}

// TestTheTokenGoesToTheHomeOnly shows that neither the guest nor a result can have it.
func TestTheTokenGoesToTheHomeOnly(t *testing.T) {
	h := &smartHouse{t: t, service: furnished()}
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := json.Marshal([]any{map[string]any{"entity_id": "light.x", "state": "on", "attributes": map[string]any{
			"friendly_name": r.Header.Get("Authorization")}}})
		if err != nil || r.Header.Get("Authorization") != "Bearer "+homeTestToken {
			t.Errorf("the server gets %q, %v", r.Header.Get("Authorization"), err)
		}
		w.Write(answer)
	}))
	defer echo.Close()
	h.open(config.Home{URL: echo.URL, Token: homeTestToken}, 0)
	for _, tool := range []string{"lights", "zones"} {
		if got := h.call(tool, `{"name":"nothing","action":"on"}`); strings.Contains(got, homeTestToken) {
			t.Errorf("%s tells the token: %s", tool, got)
		}
	}
}

// homeTools are the built-in tools over Home Assistant.
var homeTools = []string{
	"lights", "media", "scenes", "show_camera_feed", "get_current_detections", "zones", "where_am_i", "get_location",
}

func TestWithoutAHomeItsToolsAreNotOffered(t *testing.T) {
	offered := func(settings config.Home) string {
		h := &smartHouse{t: t}
		h.open(settings, 0)
		var names []string
		for _, tool := range h.box.Offered() {
			if slices.Contains(homeTools, tool.Name) {
				names = append(names, tool.Name)
			}
		}
		if settings.URL == "" {
			want := `The tool 'lights' may not run: it waits for tools.home.url and tools.home.token.`
			if got := h.call("lights", `{"name":"x","action":"on"}`); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		if settings.Location != "" {
			if got := h.call("get_location", `{}`); got != `{"location":"`+settings.Location+`"}` {
				t.Errorf("location %s", got)
			}
			if got := h.call("where_am_i", `{}`); !strings.Contains(got, `"location":"`+settings.Location+`"`) {
				t.Errorf("where %s", got)
			}
		}
		return strings.Join(names, " ")
	}
	if got := offered(config.Home{}); got != "" {
		t.Errorf("nothing configured: %s", got)
	}
	if got := offered(config.Home{Location: "Kansas City, Missouri"}); got != "get_location where_am_i" {
		t.Errorf("only the place: %s", got)
	}
	if got := offered(config.Home{URL: "http://127.0.0.1:1", Token: "x"}); len(strings.Fields(got)) != len(homeTools) {
		t.Errorf("a home: %s", got)
	}
}
