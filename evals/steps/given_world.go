package steps

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/cucumber/godog"

	"chatterbox/evals/doubles"
)

// settingSentences decide about the product, and the way to its model.
func (w *world) settingSentences() bindings {
	return bindings{
		`no model is configured`: func() error {
			return w.configure(func(s *Settings) { s.Model = "" })
		},
		`a conversation keeps {n} turns in mind`: func(turns int) error {
			return w.configure(func(s *Settings) { s.HistoryTurns = turns })
		},
		`a turn may ask the model {n} times`: func(calls int) error {
			return w.configure(func(s *Settings) { s.ModelCalls = calls })
		},
		`a turn may call {n} tools`: func(calls int) error {
			return w.configure(func(s *Settings) { s.ToolCalls = calls })
		},
		`a tool may take {n} second(s)`: func(seconds int) error {
			return w.configure(func(s *Settings) { s.ToolTimeout = time.Duration(seconds) * time.Second })
		},
		`results of tools are not reused`: func() error {
			return w.configure(func(s *Settings) { s.NoReuse = true })
		},
		`the assistant begins no conversation by itself`: func() error {
			return w.configure(func(s *Settings) { s.NoConversations = true })
		},
		`the model decides about every sentence`: func() error {
			return w.configure(func(s *Settings) { s.Strategy = "loop" })
		},
		`the model words what commands gave`: func() error {
			return w.configure(func(s *Settings) { s.ModelAnswers = true })
		},
		`the model words what workflows say`: func() error {
			return w.configure(func(s *Settings) { s.ModelWords = true })
		},
		`the house is in the time zone {text}`: func(zone string) error {
			return w.configure(func(s *Settings) { s.Timezone = zone })
		},
		`the model cannot be reached`:    func() { w.modelIsGone.Store(true) },
		`the model can be reached again`: func() { w.modelIsGone.Store(false) },
	}
}

// weatherSentences decide about the weather service.
func (w *world) weatherSentences() bindings {
	return bindings{
		`the weather is:`: w.putWeather,
		`there is no place called {text}`: func(place string) error {
			if w.places[place] {
				return fmt.Errorf("the scenario has weather for %s", place)
			}
			return nil
		},
		`the weather service is out of order`:                              func() { w.weather.Fail(http.StatusServiceUnavailable) },
		`the weather service does not answer`:                              w.weather.Silence,
		`the weather service answers only when {n} questions wait at once`: w.weather.Hold,
	}
}

// weatherCodes are the WMO codes of what scenarios say about the sky.
var weatherCodes = map[string]int{
	"Clear sky": 0, "Mainly clear": 1, "Partly cloudy": 2, "Overcast": 3, "Fog": 45, "Depositing rime fog": 48,
	"Light drizzle": 51, "Moderate drizzle": 53, "Dense drizzle": 55,
	"Light freezing drizzle": 56, "Dense freezing drizzle": 57,
	"Slight rain": 61, "Moderate rain": 63, "Heavy rain": 65, "Light freezing rain": 66, "Heavy freezing rain": 67,
	"Slight snow": 71, "Moderate snow": 73, "Heavy snow": 75, "Snow grains": 77,
	"Slight rain showers": 80, "Moderate rain showers": 81, "Violent rain showers": 82,
	"Slight snow showers": 85, "Heavy snow showers": 86,
	"Thunderstorm": 95, "Thunderstorm with slight hail": 96, "Thunderstorm with heavy hail": 99,
}

// putWeather reads places with their weather. Where the place lies does not matter, only that no two lie together.
func (w *world) putWeather(table *godog.Table) error {
	list, err := rows(table, "place", "region?", "country", "temperature", "sky", "humidity", "wind")
	if err != nil {
		return err
	}
	for _, row := range list {
		code, ok := weatherCodes[row["sky"]]
		if !ok {
			return fmt.Errorf("there is no code for the sky %q", row["sky"])
		}
		w.places[row["place"]] = true
		w.latitude++
		place := doubles.Place{
			Name: row["place"], Admin1: row["region"], Country: row["country"],
			Latitude: w.latitude, Longitude: -w.latitude, WeatherCode: code,
		}
		for _, number := range []struct {
			column string
			value  *float64
		}{{"temperature", &place.TemperatureC}, {"wind", &place.WindKMH}} {
			if *number.value, err = strconv.ParseFloat(row[number.column], 64); err != nil {
				return fmt.Errorf("%s of %s: %w", number.column, row["place"], err)
			}
		}
		if place.HumidityPercent, err = strconv.Atoi(row["humidity"]); err != nil {
			return fmt.Errorf("humidity of %s: %w", row["place"], err)
		}
		w.weather.Put(place)
	}
	return nil
}
