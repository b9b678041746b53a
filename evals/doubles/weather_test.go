package doubles_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/evals/doubles"
)

var austin = doubles.Place{
	Name: "Austin", Admin1: "Texas", Country: "United States",
	Latitude: 30.27, Longitude: -97.74, TemperatureC: 20, HumidityPercent: 40, WeatherCode: 0, WindKMH: 9.5,
}

const (
	current = "&current=temperature_2m,relative_humidity_2m,weather_code,wind_speed_10m&timezone=auto"
	there   = doubles.ForecastPath + "?latitude=30.27&longitude=-97.74" + current
)

func getWeather(ctx context.Context, t *testing.T, service http.Handler, target string) (int, map[string]any) {
	t.Helper()
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil))
	body := map[string]any{}
	if recorder.Body.Len() > 0 {
		if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
			t.Fatalf("%s: %v in %s", target, err, recorder.Body)
		}
	}
	return recorder.Code, body
}

func TestAnswersAsTheRealServiceDoes(t *testing.T) {
	for sentence, c := range map[string]struct {
		target string
		status int
		want   string // part of the body
	}{
		"a place is found by its name":               {doubles.SearchPath + "?name=Austin&count=1", 200, `"admin1":"Texas"`},
		"a place is found by name and country":       {doubles.SearchPath + "?name=Austin,%20United%20States", 200, `"name":"Austin"`},
		"a place is not found by name and state":     {doubles.SearchPath + "?name=Austin,%20Texas", 200, `{"generationtime_ms":`},
		"letters' case does not matter":              {doubles.SearchPath + "?name=aUSTIN", 200, `"name":"Austin"`},
		"a search without a name is a mistake":       {doubles.SearchPath, 400, `"error":true`},
		"a count of nought is a mistake":             {doubles.SearchPath + "?name=Austin&count=0", 400, "between 1 and 100"},
		"a forecast has what was asked for":          {there, 200, `"temperature_2m":20`},
		"a forecast needs a latitude":                {doubles.ForecastPath + "?longitude=1", 400, "latitude"},
		"a latitude ends at the pole":                {doubles.ForecastPath + "?latitude=91&longitude=1", 400, "Latitude must be in range"},
		"a variable that does not exist is an error": {doubles.ForecastPath + "?latitude=30.27&longitude=-97.74&current=luck", 400, "luck"},
		"any other path is not there":                {"/v2/search", 404, "Not Found"},
	} {
		t.Run(sentence, func(t *testing.T) {
			service := doubles.NewWeather()
			service.Put(austin)
			status, body := getWeather(t.Context(), t, service, c.target)
			text, _ := json.Marshal(body)
			if status != c.status || !strings.Contains(string(text), c.want) {
				t.Errorf("%s answered %d %s, want %d with %s", c.target, status, text, c.status, c.want)
			}
		})
	}
}

func TestWithoutAMatchTheResultsAreMissing(t *testing.T) {
	status, body := getWeather(t.Context(), t, doubles.NewWeather(), doubles.SearchPath+"?name=Narnia&count=1")
	if _, has := body["results"]; status != http.StatusOK || has {
		t.Errorf("answered %d %v, want 200 without results", status, body)
	}
}

func TestFailsAndCounts(t *testing.T) {
	service := doubles.NewWeather()
	service.Put(austin)
	service.Fail(http.StatusServiceUnavailable)
	if status, _ := getWeather(t.Context(), t, service, there); status != http.StatusServiceUnavailable {
		t.Errorf("answered %d, want 503", status)
	}
	service.Fail(0)
	if status, _ := getWeather(t.Context(), t, service, there); status != http.StatusOK {
		t.Errorf("answered %d, want 200", status)
	}
	if got := service.Forecasts(); len(got) != 2 || got[0].Get("latitude") != "30.27" {
		t.Errorf("forecasts are %v, want two for latitude 30.27", got)
	}
}

func TestTheSamePlaceIsReplaced(t *testing.T) {
	service := doubles.NewWeather()
	service.Put(austin)
	warmer := austin
	warmer.TemperatureC = 33
	service.Put(warmer)
	if _, body := getWeather(t.Context(), t, service, doubles.SearchPath+"?name=Austin"); len(body["results"].([]any)) != 1 {
		t.Errorf("found %v, want one place", body["results"])
	}
	_, body := getWeather(t.Context(), t, service, there)
	if got := body["current"].(map[string]any)["temperature_2m"]; got != 33.0 {
		t.Errorf("temperature is %v, want 33", got)
	}
}

func TestPlacesOfOneNameAreFoundInTheirOrder(t *testing.T) {
	service := doubles.NewWeather()
	service.Put(austin)
	other := austin
	other.Admin1, other.Latitude = "Minnesota", 43.67
	service.Put(other)
	for sentence, c := range map[string]struct {
		query string
		want  []string
	}{
		"all of them":    {"?name=Austin", []string{"Texas", "Minnesota"}},
		"only the first": {"?name=Austin&count=1", []string{"Texas"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, body := getWeather(t.Context(), t, service, doubles.SearchPath+c.query)
			var got []string
			for _, result := range body["results"].([]any) {
				got = append(got, result.(map[string]any)["admin1"].(string))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestHammerHold asks from several goroutines: nobody is answered before the last has come.
func TestHammerHold(t *testing.T) {
	const together = 8
	service := doubles.NewWeather()
	service.Put(austin)
	service.Hold(together)
	var group sync.WaitGroup
	for range together {
		group.Go(func() {
			if status, _ := getWeather(t.Context(), t, service, there); status != http.StatusOK {
				t.Errorf("answered %d", status)
			}
			if n := len(service.Forecasts()); n != together {
				t.Errorf("answered when %d of %d had asked", n, together)
			}
		})
	}
	group.Wait()
}

func TestWaitsOnlyAsLongAsItsClient(t *testing.T) {
	for sentence, prepare := range map[string]func(*doubles.Weather){
		"a held forecast":   func(s *doubles.Weather) { s.Hold(2) },
		"a silent forecast": func(s *doubles.Weather) { s.Silence() },
	} {
		t.Run(sentence, func(t *testing.T) {
			service := doubles.NewWeather()
			service.Put(austin)
			prepare(service)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, body := getWeather(ctx, t, service, there); len(body) != 0 {
				t.Errorf("answered %v to a client that left", body)
			}
		})
	}
}
