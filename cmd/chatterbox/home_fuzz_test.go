package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/runtime/config"
)

// homeCalls look into a house in each way, with the member that their result has when all is well.
var homeCalls = [][3]string{
	{"lights", `{"name":"all lights","action":"off"}`, "lights"},
	{"media", `{"action":"pause"}`, "players"},
	{"scenes", `{"name":"good night"}`, "scene"},
	{"show_camera_feed", `{}`, "camera"},
	{"get_current_detections", `{}`, "detections"},
	{"zones", `{}`, "zones"},
	{"where_am_i", `{}`, "people"},
	{"get_location", `{}`, "location"},
}

// FuzzHomeAnswer gives the tools of the house any answer of Home Assistant. Whatever it is, they end with a result of their own.
func FuzzHomeAnswer(f *testing.F) {
	f.Add(`[{"entity_id":"light.a","state":"on","attributes":{"friendly_name":"B\u00fcro"},"last_changed":"x"},{"entity_id":"light.a_b","state":"unavailable"}]`)
	f.Add(`[{"entity_id":"media_player.tv","state":"playing","attributes":{"device_class":"tv"}},{"entity_id":"camera.a","state":"idle"}]`)
	f.Add(`[{"entity_id":"binary_sensor.a","state":"on","attributes":{"device_class":"motion"}},{"entity_id":"person.","state":"home"}]`)
	f.Add(`[{"entity_id":"scene.good_night","state":"x"},{"entity_id":"zone.home","state":"1"},{"entity_id":"person.a","state":"Home"},7,null,[]]`)
	f.Add(`{"location_name":"Home","latitude":-1e400,"longitude":"1","country":null,"time_zone":"Europe/Berlin"}`)
	f.Add(`[{"entity_id":".","state":"\ud800","attributes":[]}`)
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = w.Write([]byte("[]"))
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	f.Cleanup(server.Close)
	h := &smartHouse{t: f}
	h.open(config.Home{URL: server.URL, Token: homeTestToken}, 0)
	f.Fuzz(func(t *testing.T, given string) {
		body = given
		h.t = t
		for _, call := range homeCalls {
			ownResult(t, call[0], h.call(call[0], call[1]), call[2])
		}
	})
}

// FuzzCustomers looks for customers in any table.
func FuzzCustomers(f *testing.F) {
	f.Add(customerTable, "Johnson")
	f.Add("name,phone\n\"a\"\"b\",\n,,,,\r\r\"", "a")
	f.Add("Kunde;Telefon;Notizen\n\"ß\xff;0", "ss")
	f.Add(strings.Repeat("name,", 100)+"\n"+strings.Repeat("a,", 100), "\x00")
	file := filepath.Join(f.TempDir(), "customers.csv")
	look := openCustomers(f, file)
	f.Fuzz(func(t *testing.T, table, name string) {
		if err := os.WriteFile(file, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments, err := json.Marshal(map[string]string{"name": name, "phone": "0142 555"})
		if err != nil {
			t.Fatal(err)
		}
		for _, given := range []string{string(arguments), `{"name":"ann"}`} {
			ownResult(t, "lookup_customer", look(t, given), "customers")
		}
	})
}

// ownResult holds that a result is what the tool itself has written: neither the host's word for a tool that crashed, was stopped
// or said nothing, nor something without the member that it must have.
func ownResult(t *testing.T, tool, content, member string) {
	t.Helper()
	var result map[string]json.RawMessage
	if err := json.Unmarshal([]byte(content), &result); err != nil {
		t.Fatalf("%s: %q: %v", tool, content, err)
	}
	_, failed := result["error"]
	if failed && strings.HasPrefix(content, `{"error":"The tool `) || !failed && result[member] == nil {
		t.Errorf("%s: %s", tool, content)
	}
}
