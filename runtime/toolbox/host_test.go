package toolbox

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/runtime/egress"
)

// hostOf gives a host for a tool with these rights.
func hostOf(t testing.TB, rights Rights, rules []egress.Rule, options Options) *host {
	t.Helper()
	client := egress.New(egress.Options{})
	t.Cleanup(client.Close)
	options.Egress = client
	box := open(t, options)
	return &host{box: box, tool: &tool{
		rights: rights, rules: rules, limits: box.limits(Limits{}, true), manifest: Manifest{Name: "it"},
	}}
}

func ask(t testing.TB, h *host, function, input string) map[string]any {
	t.Helper()
	var answer map[string]any
	text := h.answer(t.Context(), function, []byte(input))
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%s %s answered %s", function, input, text)
	}
	return answer
}

func TestHTTPRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.Header.Get("X-Own"))
		switch r.URL.Path {
		case "/bytes":
			w.Write([]byte{0xff, 0xfe})
		case "/slow":
			<-r.Context().Done()
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		default:
			fmt.Fprintf(w, "got %q <>", body)
		}
	}))
	defer server.Close()
	rule := configuredRules(map[string]string{"URL": server.URL}, []NetRule{{Methods: []string{"POST"}}})[0]
	rule.Path = "/*"
	h := hostOf(t, Rights{}, []egress.Rule{rule}, Options{})
	*h.tool.limits.HTTPCalls = 100
	for input, want := range map[string]map[string]any{
		`{"url":"URL/x","method":"POST","body":"é","headers":{"X-Own":"1"},"later":true}`: {"status": 200.0, "body": `got "é" <>`},
		`{"url":"URL/x","method":"POST","body_base64":"/w=="}`:                            {"status": 200.0, "body": `got "\xff" <>`},
		`{"url":"URL/bytes"}`:                          {"status": 200.0, "body_base64": "//4="},
		`{"url":"URL/missing"}`:                        {"status": 404.0, "body": ""},
		`{"url":"URL/slow","timeout_ms":50}`:           {"kind": "timeout"},
		`{"url":"http://127.0.0.1:1/"}`:                {"kind": "refused", "error": "no rule allows http://127.0.0.1:1"},
		`{"url":"URL/x","method":"DELETE"}`:            {"kind": "refused"},
		`{"url":"URL/x","method":"BREW"}`:              {"kind": "invalid"},
		`{"url":"URL/x","headers":{"Host":"x"}}`:       {"kind": "invalid"},
		`{}`:                                           {"kind": "invalid"},
		`{"url":5}`:                                    {"kind": "invalid", "error": "member url must not be a JSON number"},
		`[]`:                                           {"kind": "invalid"},
		`not JSON`:                                     {"kind": "invalid", "error": "the input is not a JSON object"},
		`{"url":"URL/x","timeout_ms":-1}`:              {"kind": "invalid"},
		`{"url":"URL/x","timeout_ms":9e18}`:            {"kind": "invalid"},
		`{"url":"URL/x","body":"a","body_base64":"b"}`: {"kind": "invalid"},
		`{"url":"URL/x","body_base64":"?"}`:            {"kind": "invalid"},
	} {
		answer := ask(t, h, "http_request", strings.ReplaceAll(input, "URL", server.URL))
		for name, value := range want {
			if answer[name] != value {
				t.Errorf("%s: %s is %v, want %v (%v)", input, name, answer[name], value, answer)
			}
		}
		if (answer["status"] == nil) == (answer["error"] == nil) {
			t.Errorf("%s: %v", input, answer)
		}
	}
}

func TestHTTPRequestsAreCounted(t *testing.T) {
	h := hostOf(t, Rights{}, nil, Options{})
	*h.tool.limits.HTTPCalls = 2
	for i, want := range []any{"refused", "refused", "limit"} {
		if got := ask(t, h, "http_request", `{"url":"https://a.example.com/"}`); got["kind"] != want {
			t.Errorf("request %d: %v, want %v", i, got, want)
		}
	}
}

func TestHTTPRequestEndsWithTheCall(t *testing.T) {
	began := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
	}))
	defer server.Close()
	h := hostOf(t, Rights{}, configuredRules(map[string]string{"URL": server.URL}, nil), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	if got := h.answer(ctx, "http_request", []byte(`{"url":"`+server.URL+`/"}`)); !strings.Contains(string(got), `"kind":"timeout"`) {
		t.Errorf("got %s", got)
	}
}

func TestNow(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { // where it is 2000-01-01 00:00:00 UTC
		box, err := Open(t.Context(), Options{Workers: &workers{}, Timezone: berlin})
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		h := &host{box: box, tool: &tool{}}
		for input, want := range map[string]string{
			`{}`:                          `{"zone":"Europe/Berlin","known":true,"datetime_iso":"2000-01-01T01:00:00+01:00","date":"2000-01-01","time":"01:00:00","day_of_week":"Saturday","unix":946684800}`,
			`{"zone":""}`:                 `{"zone":"Europe/Berlin","known":true,"datetime_iso":"2000-01-01T01:00:00+01:00","date":"2000-01-01","time":"01:00:00","day_of_week":"Saturday","unix":946684800}`,
			`{"zone":"america/NEW_york"}`: `{"zone":"America/New_York","known":true,"datetime_iso":"1999-12-31T19:00:00-05:00","date":"1999-12-31","time":"19:00:00","day_of_week":"Friday","unix":946684800}`,
			`{"zone":"utc"}`:              `{"zone":"UTC","known":true,"datetime_iso":"2000-01-01T00:00:00+00:00","date":"2000-01-01","time":"00:00:00","day_of_week":"Saturday","unix":946684800}`,
			`{"zone":"Mars/Olympus"}`:     `{"zone":"UTC","known":false,"datetime_iso":"2000-01-01T00:00:00+00:00","date":"2000-01-01","time":"00:00:00","day_of_week":"Saturday","unix":946684800}`,
			`{"zone":"../../etc/passwd"}`: `{"zone":"UTC","known":false,"datetime_iso":"2000-01-01T00:00:00+00:00","date":"2000-01-01","time":"00:00:00","day_of_week":"Saturday","unix":946684800}`,
			`{"at":1743296400}`:           `{"zone":"Europe/Berlin","known":true,"datetime_iso":"2025-03-30T03:00:00+02:00","date":"2025-03-30","time":"03:00:00","day_of_week":"Sunday","unix":1743296400,"offset":7200,"offset_since":1743296400,"offset_until":1761440400}`,
			`{"at":1743296399}`:           `{"zone":"Europe/Berlin","known":true,"datetime_iso":"2025-03-30T01:59:59+01:00","date":"2025-03-30","time":"01:59:59","day_of_week":"Sunday","unix":1743296399,"offset":3600,"offset_since":1729990800,"offset_until":1743296400}`,
			`{"zone":"UTC","at":0}`:       `{"zone":"UTC","known":true,"datetime_iso":"1970-01-01T00:00:00+00:00","date":"1970-01-01","time":"00:00:00","day_of_week":"Thursday","unix":0,"offset":0}`,
			`{"at":-1}`:                   `{"error":"member at must be seconds since 1970, before the year 10000"}`,
			`{"at":"x"}`:                  `{"error":"member at must not be a JSON string"}`,
			`{"zone":"Local"}`:            `{"zone":"UTC","known":false,"datetime_iso":"2000-01-01T00:00:00+00:00","date":"2000-01-01","time":"00:00:00","day_of_week":"Saturday","unix":946684800}`,
			`{"zone":5}`:                  `{"error":"member zone must not be a JSON number"}`,
		} {
			if got := string(h.answer(t.Context(), "now", []byte(input))); got != want {
				t.Errorf("%s:\n got %s\nwant %s", input, got, want)
			}
		}
	})
}

// TestZoneListIsWhole compares zones.txt with the database that comes with Go.
func TestZoneListIsWhole(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	database, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	var want []string
	for _, file := range database.File {
		if !strings.HasSuffix(file.Name, "/") && file.Name != "Factory" {
			want = append(want, file.Name)
		}
	}
	slices.Sort(want)
	if got := strings.Fields(zoneList); !slices.Equal(got, want) || len(zones()) != len(want) {
		t.Errorf("zones.txt has %d names, %d without regard to case, the database %d", len(got), len(zones()), len(want))
	}
	for _, name := range want {
		if usual, location, known := findZone(strings.ToUpper(name)); !known || usual != name || location.String() != name {
			t.Errorf("%s: %s, %v, %v", name, usual, location, known)
		}
	}
}

func TestZoneNameOfTheMachine(t *testing.T) {
	if name := zoneName(time.Local); name != "Local" {
		if _, location, known := findZone(name); !known || !sameClock(location, time.Local) {
			t.Errorf("the machine's zone is not %s", name)
		}
	}
	if got := zoneName(time.UTC); got != "UTC" {
		t.Errorf("got %s", got)
	}
}

func TestRightsThatAreNotThere(t *testing.T) {
	none := hostOf(t, Rights{}, nil, Options{})
	some := hostOf(t, Rights{KV: Quota{Bytes: 100}, Deliver: []Delivery{{"mail", []string{"a"}}}}, nil, Options{})
	for _, test := range []struct {
		host            *host
		function, input string
		want            map[string]any
	}{
		{none, "kv_get", `{"key":"a"}`, map[string]any{"error": "this tool has no grant for kv"}},
		{none, "kv_set", `{"key":"a","value":"b"}`, map[string]any{"error": "this tool has no grant for kv"}},
		{some, "kv_get", `{"key":"a"}`, map[string]any{"error": "kv is not available on this host"}},
		{none, "deliver", `{}`, map[string]any{"error": "this tool has no grant to deliver"}},
		{some, "deliver", `{"text":"x"}`, map[string]any{"error": "this tool has no grant to send to that recipient over that channel", "kind": "refused"}},
		{none, "secret_exists", `{"ref":"a"}`, map[string]any{"exists": false}},
		{none, "secret_exists", `{}`, map[string]any{"error": "member ref is missing"}},
		{none, "shell", `{}`, map[string]any{"error": `unknown host function "shell"`}},
	} {
		if got := ask(t, test.host, test.function, test.input); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s %s: %v, want %v", test.function, test.input, got, test.want)
		}
	}
}

// FuzzHost holds that any input gets one JSON object for an answer.
func FuzzHost(f *testing.F) {
	h := hostOf(f, Rights{}, nil, Options{})
	*h.tool.limits.HTTPCalls = 1 << 30
	functions := []string{"http_request", "now", "kv_get", "kv_set", "secret_exists", "deliver", "other"}
	f.Add(0, []byte(`{"url":"https://a.example.com/","headers":{"a":"b"},"timeout_ms":5}`))
	f.Add(1, []byte(`{"zone":"Europe/Berlin"}`))
	f.Fuzz(func(t *testing.T, function int, input []byte) {
		name := functions[uint(function)%uint(len(functions))]
		var answer map[string]any
		if err := json.Unmarshal(h.answer(t.Context(), name, input), &answer); err != nil || len(answer) == 0 {
			t.Fatalf("%s %q: %v, %v", name, input, answer, err)
		}
	})
}

func TestClock(t *testing.T) {
	h := hostOf(t, Rights{}, nil, Options{})
	for _, input := range []string{`{"zone":"asia/tokyo"}`, `{"zone":"Nowhere/Else"}`, `{"zone":7}`, `no JSON`} {
		answer, ok := Clock("now", []byte(input))
		var told map[string]any
		if err := json.Unmarshal(answer, &told); !ok || err != nil {
			t.Fatalf("%s: %s, %v", input, answer, ok)
		}
		if want := ask(t, h, "now", input); told["zone"] != want["zone"] || told["known"] != want["known"] || told["error"] != want["error"] {
			t.Errorf("%s: %v inside, %v by the server", input, told, want)
		}
	}
	for function, input := range map[string]string{"now": `{"zone":" "}`, "kv_get": `{"zone":"Asia/Tokyo"}`} {
		if answer, ok := Clock(function, []byte(input)); ok {
			t.Errorf("%s %s is answered %s, although the server has to", function, input, answer)
		}
	}
}
