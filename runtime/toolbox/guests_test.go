package toolbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
	toolswasm "chatterbox/tools-wasm"
)

// openBuiltin opens the real built-in tools on a real pool, with a weather service of the test's own.
func openBuiltin(t testing.TB, weather http.HandlerFunc) *toolbox.Toolbox {
	t.Helper()
	server := httptest.NewServer(weather)
	t.Cleanup(server.Close)
	pool, err := worker.NewPool(worker.Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	client := egress.New(egress.Options{})
	t.Cleanup(client.Close)
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	box, err := toolbox.Open(t.Context(), toolbox.Options{
		Builtin: toolswasm.FS, Workers: pool, Egress: client, Timezone: zone,
		Setting: func(name string) ([]string, string) {
			path := map[string]string{"tools.weather.geocoding_url": "/v1/search", "tools.weather.forecast_url": "/v1/forecast"}[name]
			if path == "" { // of a tool that is not called here
				return []string{"set"}, name
			}
			return []string{server.URL + path}, name
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	if problems := box.Problems(); len(problems) > 0 {
		t.Fatalf("problems %+v", problems)
	}
	return box
}

func osloWeather(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/v1/search" && r.URL.Query().Get("name") == "Oslo":
		fmt.Fprint(w, `{"results":[{"name":"Oslo","latitude":59.91,"longitude":10.75,"country":"Norway","admin1":"Oslo"}]}`)
	case r.URL.Path == "/v1/search":
		fmt.Fprint(w, `{"generationtime_ms":0.5}`)
	default:
		fmt.Fprint(w, `{"current":{"temperature_2m":-3.2,"relative_humidity_2m":80,"weather_code":71,"wind_speed_10m":10.0}}`)
	}
}

func call(t testing.TB, box *toolbox.Toolbox, name, arguments string) loop.Result {
	t.Helper()
	c := loop.Call{ID: "1", Name: name, Arguments: arguments}
	verdict := box.Check(t.Context(), c)
	if verdict.Decision != loop.Run {
		return loop.ErrorResult(verdict.Reason)
	}
	return box.Call(t.Context(), c, verdict)
}

func TestBuiltinTools(t *testing.T) {
	box := openBuiltin(t, osloWeather)
	var offered []string
	for _, tool := range box.Offered() {
		offered = append(offered, tool.Name)
	}
	if !slices.Equal(offered, []string{
		"book_appointment", "calculate", "cancel_appointment", "check_availability", "complete_reminder", "convert", "count_days",
		"delete_reminder", "get_calendar", "get_current_datetime", "get_current_detections", "get_location", "get_weather", "lights", "list_reminders", "lookup_customer",
		"media", "reschedule_appointment", "scenes", "send_email", "send_notification", "set_reminder", "show_camera_feed",
		"where_am_i", "zones",
	}) {
		t.Fatalf("offered %v", offered)
	}
	result := call(t, box, "get_weather", `{"location":"Oslo"}`)
	var weather map[string]any
	if err := json.Unmarshal([]byte(result.Content), &weather); err != nil || result.Failed ||
		weather["temperature_c"] != -3.2 || weather["conditions"] != "Slight snow" || weather["location_name"] != "Oslo, Oslo, Norway" {
		t.Errorf("weather %s, %v", result.Content, err)
	}
	if got := call(t, box, "get_weather", `{"location":"Narnia"}`); got.Content != `{"error":"Location not found: 'Narnia'"}` || !got.Failed {
		t.Errorf("no such place: %s", got.Content)
	}
	if got := call(t, box, "get_weather", `{}`); !strings.HasPrefix(got.Content, `{"error":"Missing required argument: location. Expected arguments of get_weather: {`) {
		t.Errorf("no place: %s", got.Content)
	}
	result = call(t, box, "get_current_datetime", `{"timezone":"asia/tokyo"}`)
	if !strings.Contains(result.Content, `"Asia/Tokyo"`) || !strings.Contains(result.Content, "+09:00") || result.Failed {
		t.Errorf("time %s", result.Content)
	}
	if got := call(t, box, "get_current_datetime", `{}`); !strings.Contains(got.Content, `"Europe/Berlin"`) {
		t.Errorf("time without a zone %s", got.Content)
	}
	if got := call(t, box, "get_current_datetime", `{"timezone":"Mars"}`); !strings.Contains(got.Content, "Unknown timezone 'Mars'; showing UTC instead.") {
		t.Errorf("time of no zone %s", got.Content)
	}
}

func TestABuiltinToolThatLacksItsConfigurationIsNotOffered(t *testing.T) {
	pool, err := worker.NewPool(worker.Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	box, err := toolbox.Open(t.Context(), toolbox.Options{
		Builtin: toolswasm.FS, Workers: pool,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if slices.ContainsFunc(box.Offered(), func(tool loop.Tool) bool { return tool.Name == "where_am_i" }) {
		t.Error("it is offered")
	}
	want := `{"error":"The tool 'where_am_i' may not run: it waits for tools.home.location, or tools.home.url and tools.home.token."}`
	if got := call(t, box, "where_am_i", `{}`); got.Content != want {
		t.Errorf("%s, want %s", got.Content, want)
	}
	if got := call(t, box, "get_current_datetime", `{}`); got.Failed {
		t.Errorf("another tool: %s", got.Content)
	}
}

func TestHammerBuiltinTools(t *testing.T) {
	box := openBuiltin(t, osloWeather)
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for j := range 10 {
				name, arguments := "get_weather", `{"location":"Oslo"}`
				if (i+j)%2 == 0 {
					name, arguments = "get_current_datetime", `{"timezone":"Asia/Tokyo"}`
				}
				if got := call(t, box, name, arguments); got.Failed {
					t.Errorf("%s: %s", name, got.Content)
				}
			}
		})
	}
	callers.Wait()
}

// BenchmarkCall is Check and Call of a built-in reactor, as a turn pays for it.
func BenchmarkCall(b *testing.B) {
	box := openBuiltin(b, osloWeather)
	c := loop.Call{ID: "1", Name: "get_current_datetime", Arguments: `{"timezone":"Asia/Tokyo"}`}
	b.ReportAllocs()
	for b.Loop() {
		if result := box.Call(b.Context(), c, box.Check(b.Context(), c)); result.Failed {
			b.Fatal(result.Content)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	box := openBuiltin(b, osloWeather)
	c := loop.Call{ID: "1", Name: "get_weather", Arguments: `{"location":"Oslo"}`}
	b.ReportAllocs()
	for b.Loop() {
		if verdict := box.Check(b.Context(), c); verdict.Decision != loop.Run {
			b.Fatal(verdict.Reason)
		}
	}
}

// BenchmarkOpen is what the built-in tools add to the start of a server whose compile cache is warm.
func BenchmarkOpen(b *testing.B) {
	folder := b.TempDir()
	for warm := false; b.Loop(); warm = true {
		if !warm {
			b.StopTimer()
		}
		pool, err := worker.NewPool(worker.Options{CacheDir: folder})
		if err != nil {
			b.Fatal(err)
		}
		box, err := toolbox.Open(b.Context(), toolbox.Options{Builtin: toolswasm.FS, Workers: pool})
		if err != nil || len(box.Problems()) > 0 {
			b.Fatal(err, box.Problems())
		}
		box.Close()
		if err := pool.Close(); err != nil {
			b.Fatal(err)
		}
		if !warm {
			b.StartTimer()
		}
	}
}
