package steps

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"chatterbox/evals/doubles"
)

// settingSentences decide about the product. They come before its start.
func (w *world) settingSentences() bindings {
	s := &w.settings
	return bindings{
		`no model is configured`:                         func() { s.Model = "" },
		`a conversation keeps {n} turns in mind`:         func(turns int) { s.HistoryTurns = turns },
		`a turn may ask the model {n} times`:             func(calls int) { s.ModelCalls = calls },
		`a turn may call {n} tools`:                      func(calls int) { s.ToolCalls = calls },
		`a tool may take {n} second(s)`:                  func(n int) { s.ToolTimeout = time.Duration(n) * time.Second },
		`results of tools are not reused`:                func() { s.NoReuse = true },
		`the assistant begins no conversation by itself`: func() { s.NoConversations = true },
		`the model decides about every sentence`:         func() { s.Strategy = "loop" },
		`the model words what commands gave`:             func() { s.ModelAnswers = true },
		`the model words what workflows say`:             func() { s.ModelWords = true },
		`the model is offered at most {n} tools`:         func(n int) { s.ToolsOffered = n },
		`the house is in the time zone {text}`:           func(zone string) { s.Timezone = zone },
		`the house is in {text}`:                         func(place string) { s.HomeLocation = place },
		`conversations begin in mode {text}`:             func(mode string) { s.Mode = mode },
		`the calendar is on another server`:              func() { w.calendarElsewhere = true },
	}
}

// worldSentences decide about what is around the product.
func (w *world) worldSentences() bindings {
	return bindings{
		`the model cannot be reached`:              func() { w.modelIsGone.Store(true) },
		`the model can be reached again`:           func() { w.modelIsGone.Store(false) },
		`the model's server reads only {n} tokens`: func(tokens int) { w.modelWindow = tokens },
		`the weather is:`:                          w.putWeather,
		`there is no place called {text}`: func(place string) error {
			return unless(!w.places[place], "the scenario has weather for %s", place)
		},
		`the weather service is out of order`: func() { w.weather.Fail(http.StatusServiceUnavailable) },
		`the weather service does not answer`: w.weather.Silence,

		`the weather service answers only when {n} questions wait at once`: w.weather.Hold,

		`the house has:`:                        w.furnish,
		`Home Assistant is out of order`:        func() { w.house.Fail(http.StatusServiceUnavailable) },
		`Home Assistant takes no token`:         func() { w.house.Fail(http.StatusUnauthorized) },
		`the customers are:`:                    w.fillBook,
		`the address book is out of order`:      func() { w.book.fail(http.StatusServiceUnavailable) },
		`the address book takes no password`:    func() { w.book.fail(http.StatusUnauthorized) },
		`the calendar's server is out of order`: func() error { return w.breakCalendar(true) },
		`the calendar's server works again`:     func() error { return w.breakCalendar(false) },
	}
}

// unstarted fails where the product runs.
func (w *world) unstarted() error {
	return unless(!w.started(), "settings come before the first turn")
}

func (w *world) breakCalendar(broken bool) error {
	if !w.calendarElsewhere {
		return errors.New("only a calendar on another server can be out of order")
	}
	w.calendarIsBroken.Store(broken)
	return nil
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
		temperature, err := strconv.ParseFloat(row["temperature"], 64)
		wind, err2 := strconv.ParseFloat(row["wind"], 64)
		humidity, err3 := strconv.Atoi(row["humidity"])
		if err := errors.Join(err, err2, err3); err != nil {
			return fmt.Errorf("the weather of %s: %w", row["place"], err)
		}
		w.places[row["place"]] = true
		w.latitude++
		w.weather.Put(doubles.Place{
			Name: row["place"], Admin1: row["region"], Country: row["country"], Latitude: w.latitude, Longitude: -w.latitude,
			WeatherCode: code, TemperatureC: temperature, WindKMH: wind, HumidityPercent: humidity,
		})
	}
	return nil
}

// homeToken is what the product is told to show at the door of the house.
const homeToken = "token-of-the-house"

// furnish reads things, which Home Assistant calls entities; a class is what it calls the class of a device.
func (w *world) furnish(table *godog.Table) error {
	list, err := rows(table, "thing", "name", "state", "class?")
	if err != nil {
		return err
	}
	for _, row := range list {
		thing := doubles.Entity{ID: row["thing"], Name: row["name"], State: row["state"]}
		if row["class"] != "" {
			thing.Attributes = map[string]any{"device_class": row["class"]}
		}
		w.house.Put(thing)
	}
	if w.settings.HomeToken != "" {
		return nil
	}
	w.settings.HomeToken = homeToken
	return w.unstarted()
}

// fillBook puts customers into the address book.
func (w *world) fillBook(table *godog.Table) error {
	list, err := rows(table, "name", "phone?", "email?", "address?")
	if err != nil {
		return err
	}
	for _, row := range list {
		card := "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + row["name"] + "\r\nN:;" + row["name"] + ";;;\r\n"
		properties := [][2]string{{"TEL", row["phone"]}, {"EMAIL", row["email"]}, {"ADR", ";;" + row["address"] + ";;;;"}}
		for _, property := range properties {
			if strings.Trim(property[1], ";") != "" {
				card += property[0] + ":" + property[1] + "\r\n"
			}
		}
		w.book.put(card + "END:VCARD\r\n")
	}
	if w.settings.CustomersUser != "" {
		return nil
	}
	w.settings.CustomersUser, w.settings.CustomersPassword = bookUser, bookPassword
	return w.unstarted()
}
