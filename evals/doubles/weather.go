package doubles

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The paths of the two endpoints, as on the real servers.
const (
	SearchPath   = "/v1/search"
	ForecastPath = "/v1/forecast"
)

// Place is a place with its present weather. Like the real service, this one finds it by its name, or by name and
// country ("Limerick, Ireland"), whatever the case of the letters, and not by name and state.
type Place struct {
	Name    string
	Admin1  string // state or region; may be empty
	Country string

	Latitude, Longitude float64

	TemperatureC    float64
	HumidityPercent int
	WeatherCode     int // WMO code
	WindKMH         float64
}

// Weather answers as Open-Meteo does: its geocoding and its forecast endpoint, with the failures that the real one
// has. All methods may be called by several goroutines at once. The forecasts are what fails.
type Weather struct {
	failing

	mu        sync.Mutex
	places    []Place       // guarded by mu
	holding   int           // guarded by mu; how many forecasts are still missing before gate opens
	gate      chan struct{} // guarded by mu; closed when as many forecasts as Hold said have arrived
	forecasts []url.Values  // guarded by mu
}

// NewWeather returns a service that knows no place.
func NewWeather() *Weather { return &Weather{} }

// found says whether the place is among the results of a search.
func (p Place) found(search string) bool {
	return strings.EqualFold(search, p.Name) || strings.EqualFold(search, p.Name+", "+p.Country)
}

// Put adds a place, or replaces the one at the same coordinates.
func (s *Weather) Put(place Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places = slices.DeleteFunc(s.places, func(p Place) bool {
		return p.Latitude == place.Latitude && p.Longitude == place.Longitude
	})
	s.places = append(s.places, place)
}

// Hold keeps every later forecast waiting until n of them wait at once, or their clients give up. So n forecasts that
// are answered were asked for at the same time, without anyone measuring it.
func (s *Weather) Hold(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding, s.gate = n, make(chan struct{})
}

// Forecasts returns the parameters of the forecast requests so far, in the order of their arrival.
func (s *Weather) Forecasts() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.forecasts)
}

// ServeHTTP answers the two endpoints.
func (s *Weather) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	switch {
	case r.Method != http.MethodGet:
		refuseWeather(w, http.StatusMethodNotAllowed, "Method Not Allowed")
	case r.URL.Path == SearchPath:
		s.search(w, r.URL.Query())
	case r.URL.Path == ForecastPath:
		s.forecast(w, r)
	default:
		refuseWeather(w, http.StatusNotFound, "Not Found")
	}
}

func (s *Weather) search(w http.ResponseWriter, query url.Values) {
	s.mu.Lock()
	places := slices.Clone(s.places)
	s.mu.Unlock()

	if !query.Has("name") {
		refuseWeather(w, http.StatusBadRequest, "Value was not of type 'String' at path 'name'. Missing value")
		return
	}
	count := 10
	if text := query.Get("count"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil || count < 1 || count > 100 {
			refuseWeather(w, http.StatusBadRequest, "Parameter count must be between 1 and 100.")
			return
		}
	}
	var results []map[string]any
	for i, place := range places {
		if place.found(strings.TrimSpace(query.Get("name"))) && len(results) < count {
			results = append(results, searchResult(i+1, place))
		}
	}
	answer := map[string]any{"generationtime_ms": 0.42}
	if len(results) > 0 { // without a match the key is missing, not empty
		answer["results"] = results
	}
	reply(w, http.StatusOK, answer)
}

func searchResult(id int, place Place) map[string]any {
	result := map[string]any{
		"id": id, "name": place.Name, "latitude": place.Latitude, "longitude": place.Longitude,
		"elevation": 100.0, "feature_code": "PPL", "country": place.Country, "timezone": "UTC",
	}
	if place.Admin1 != "" {
		result["admin1"] = place.Admin1
	}
	return result
}

func (s *Weather) forecast(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.mu.Lock()
	s.forecasts = append(s.forecasts, query)
	gate, places := s.gate, slices.Clone(s.places)
	if gate != nil && s.holding > 0 {
		if s.holding--; s.holding == 0 {
			close(gate)
		}
	}
	s.mu.Unlock()

	status, answers := s.fails(r)
	if !answers {
		return
	}
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	if status != 0 {
		refuseWeather(w, status, http.StatusText(status))
		return
	}
	latitude, longitude, refusal := coordinates(query)
	if refusal != "" {
		refuseWeather(w, http.StatusBadRequest, refusal)
		return
	}
	at := slices.IndexFunc(places, func(p Place) bool { return p.Latitude == latitude && p.Longitude == longitude })
	if at < 0 {
		refuseWeather(w, http.StatusBadRequest, "No data is available for this location")
		return
	}
	answerForecast(w, query, places[at])
}

// coordinates returns where the forecast is asked for, or why it cannot be given, in the service's own words.
func coordinates(query url.Values) (latitude, longitude float64, refusal string) {
	for _, c := range []struct {
		name  string
		bound float64
		value *float64
	}{{"latitude", 90, &latitude}, {"longitude", 180, &longitude}} {
		value, err := strconv.ParseFloat(query.Get(c.name), 64)
		if err != nil {
			return 0, 0, fmt.Sprintf("Value of type 'Float' required for key '%s'.", c.name)
		}
		if value < -c.bound || value > c.bound {
			return 0, 0, fmt.Sprintf("%s must be in range of -%.0f to %.0f°. Given: %v.",
				strings.ToUpper(c.name[:1])+c.name[1:], c.bound, c.bound, value)
		}
		*c.value = value
	}
	return latitude, longitude, ""
}

func answerForecast(w http.ResponseWriter, query url.Values, place Place) {
	units := map[string]any{"time": "iso8601", "interval": "seconds"}
	current := map[string]any{"time": "2026-02-20T14:30", "interval": 900}
	known := map[string][2]any{
		"temperature_2m":       {"°C", place.TemperatureC},
		"relative_humidity_2m": {"%", place.HumidityPercent},
		"weather_code":         {"wmo code", place.WeatherCode},
		"wind_speed_10m":       {"km/h", place.WindKMH},
	}
	for name := range strings.SplitSeq(query.Get("current"), ",") {
		variable, ok := known[name]
		if !ok {
			refuseWeather(w, http.StatusBadRequest, "Cannot initialize variable from invalid String value "+name+".")
			return
		}
		units[name], current[name] = variable[0], variable[1]
	}
	reply(w, http.StatusOK, map[string]any{
		"latitude": place.Latitude, "longitude": place.Longitude, "generationtime_ms": 0.05,
		"utc_offset_seconds": 0, "timezone": "GMT", "timezone_abbreviation": "GMT", "elevation": 100.0,
		"current_units": units, "current": current,
	})
}

func refuseWeather(w http.ResponseWriter, status int, reason string) {
	reply(w, status, map[string]any{"error": true, "reason": reason})
}
