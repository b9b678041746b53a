package flows_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chatterbox/loop/route"
	"chatterbox/runtime/flows"
)

const (
	clockTool   = "get_current_datetime"
	weatherTool = "get_weather"
)

func load(t testing.TB) *route.Rules {
	t.Helper()
	rules, err := flows.Load(flows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func decide(rules *route.Rules, text, language string, model bool) route.Decision {
	return route.Decide(rules, route.Input{Text: text, Language: language, Mode: "AUTO", Model: model,
		Tools: []string{"book_appointment", clockTool, weatherTool}})
}

// phrase is what somebody says, the rule that must take it, and the argument that the tool must get, "" for none.
type phrase struct{ text, rule, argument string }

var english = []phrase{
	{"what time is it", "time", ""},
	{"What time is it?", "time", ""},
	{"what's the time", "time", ""},
	{"whats the time", "time", ""},
	{"What’s the time, please?", "time", ""},
	{"hey chatterbox, what time is it right now", "time", ""},
	{"ok computer what's the time", "time", ""},
	{"could you tell me the time please", "time", ""},
	{"do you know what time it is", "time", ""},
	{"do you have the time", "time", ""},
	{"have you got the time", "time", ""},
	{"the time please", "time", ""},
	{"how late is it", "time", ""},
	{"What's the time in Tokyo?", "time", "Asia/Tokyo"},
	{"what time is it in tokyo", "time", "Asia/Tokyo"},
	{"what time is it right now in London", "time", "Europe/London"},
	{"time in New York please", "time", "America/New_York"},
	{"current time in são paulo", "time", "America/Sao_Paulo"},
	{"tell me the current time in India", "time", "Asia/Kolkata"},
	{"what is the local time in san francisco", "time", "America/Los_Angeles"},
	{"What time is it in Paris, France?", "time", "Europe/Paris"},
	{"what time is it in atlanta georgia", "time", "America/New_York"},
	{"what time is it in georgia", "time", "Asia/Tbilisi"},
	{"what time is it in the UK", "time", "Europe/London"},
	{"what time is it in the netherlands at the moment", "time", "Europe/Amsterdam"},
	{"what time is it in Washington, D.C.", "time", "America/New_York"},
	{"give me the time in Mumbai", "time", "Asia/Kolkata"},
	{"what time do we have in Buenos Aires", "time", "America/Argentina/Buenos_Aires"},
	{"what time is it over in Australia", "time", "Australia/Sydney"},
	{"what time is it in UTC", "time", "Etc/UTC"},
	{"what time is it in europe/berlin", "time", "Europe/Berlin"},
	{"good morning, what's the time here", "time", ""},
	{"what day is it", "date", ""},
	{"what day is it today", "date", ""},
	{"what's today's date", "date", ""},
	{"what is the date today", "date", ""},
	{"tell me the date", "date", ""},
	{"what is today", "date", ""},
	{"which day of the week is it", "date", ""},
	{"what month is it", "date", ""},
	{"can you tell me what year it is", "date", ""},
	{"what is the date in Sydney", "date", "Australia/Sydney"},
	{"what day is it in Honolulu right now", "date", "Pacific/Honolulu"},
	{"weather in Paris", "weather", "Paris"},
	{"what's the weather in London", "weather", "London"},
	{"What is the weather like in Berlin, Germany?", "weather", "Berlin, Germany"},
	{"how's the weather in Kansas City right now", "weather", "Kansas City"},
	{"tell me the weather for oslo please", "weather", "oslo"},
	{"how is the weather in the Netherlands today", "weather", "Netherlands"},
	{"what's the current weather at Narnia", "weather", "Narnia"},
	{"what's the weather like on Mars", "", ""},
	{"what's it like outside in Reykjavik", "weather", "Reykjavik"},
	{"can you check the weather in Vancouver for me", "weather", "Vancouver"},
	{"Paris weather", "weather of a city", "Paris"},
	{"how is the London weather right now", "weather of a city", "London"},
	{"what's the temperature in Oslo", "temperature", "Oslo"},
	{"how cold is it in Nuuk", "temperature", "Nuuk"},
	{"is it hot in Dubai today", "temperature", "Dubai"},
	{"how many degrees is it in Rome", "temperature", "Rome"},
	{"is it raining in London", "rain", "London"},
	{"do I need an umbrella in Bergen", "rain", "Bergen"},
	{"should i take an umbrella in Hamburg today", "rain", "Hamburg"},
	{"is it snowing in Salt Lake City", "snow", "Salt Lake City"},
	{"how windy is it in Wellington", "sky", "Wellington"},
	{"is it sunny in Málaga", "sky", "Málaga"},
}

var german = []phrase{
	{"Wie spät ist es?", "time", ""},
	{"wie spät ist es gerade", "time", ""},
	{"wie viel uhr ist es", "time", ""},
	{"wieviel Uhr haben wir", "time", ""},
	{"sag mir bitte die Uhrzeit", "time", ""},
	{"kannst du mir sagen, wie spät es ist?", "time", ""},
	{"welche Uhrzeit haben wir jetzt", "time", ""},
	{"wie spät ist es in Tokio", "time", "Asia/Tokyo"},
	{"Wie spät ist es gerade in New York?", "time", "America/New_York"},
	{"wie viel Uhr ist es in der Schweiz", "time", "Europe/Zurich"},
	{"wie spät ist es jetzt im Iran", "time", "Asia/Tehran"},
	{"wie spät ist es in den USA", "time", "America/New_York"},
	{"wie spät ist es auf Mallorca", "time", "Europe/Madrid"},
	{"Uhrzeit in Muenchen", "time", "Europe/Berlin"},
	{"guten Morgen, wie spät ist es bei uns", "time", ""},
	{"Welcher Tag ist heute?", "date", ""},
	{"welches Datum haben wir heute", "date", ""},
	{"der wievielte ist heute", "date", ""},
	{"den wievielten haben wir", "date", ""},
	{"was ist heute für ein Tag", "date", ""},
	{"welches Datum ist in Sydney", "date", "Australia/Sydney"},
	{"Wie ist das Wetter in Berlin?", "weather", "Berlin"},
	{"wie ist gerade das Wetter in der Schweiz", "weather", "Switzerland"},
	{"wie ist in Hamburg das Wetter", "weather", "Hamburg"},
	{"Wetter Köln", "weather of a city", "Köln"},
	{"wie warm ist es in Rom", "temperature", "Rom"},
	{"wie viel Grad sind es in Oslo", "temperature", "Oslo"},
	{"regnet es in London", "rain", "London"},
	{"brauche ich in Hamburg einen Regenschirm", "rain", "Hamburg"},
	{"schneit es gerade in Innsbruck?", "snow", "Innsbruck"},
	{"ist es in Kiel windig", "sky", "Kiel"},
	{"scheint in Freiburg die Sonne", "sky", "Freiburg"},
}

// nearMisses look like commands and are none: no rule may take them, with or without a model.
var nearMisses = []string{
	"what time does the shop open", "what time is it supposed to start", "what time is the meeting", "time flies like an arrow",
	"set a timer for five minutes", "remind me what time the train leaves", "what time is it tomorrow in Tokyo when I wake up",
	"what time will it be in London in 3 hours", "what time was it in Paris when you called", "what's the time difference between Berlin and Tokyo",
	"what time is it in the movie", "what's the best time to visit Rome", "what time zone is Denver in", "what time is it in half an hour",
	"what is the time limit", "it's time to go", "I had a good time in Paris", "is it time for dinner", "how much time do I have",
	"once upon a time in america", "tell me the time of the last train to London", "what time is sunset in Oslo", "the time is now",
	"what day is christmas", "what day is it tomorrow", "what's the date of the wedding", "what date is next monday", "do you have a date tonight",
	"what day was the fourth of july", "what day is trash day", "date night ideas in Berlin", "how many days until christmas",
	"what was the weather yesterday in Paris", "what will the weather be in London tomorrow", "weather in Paris tomorrow",
	"how's the weather", "is it raining", "what's the temperature", "do I need an umbrella", "will it rain in London",
	"is it going to snow in Denver", "weather forecast for Madrid", "how's the weather in Rome next week", "what's the weather this weekend in Kiel",
	"what's the weather in the morning", "what's the temperature in the living room", "what's the temperature in here", "how hot is it in the oven",
	"what's the average temperature in Oslo in july", "nice weather today", "whatever the weather", "I'm feeling under the weather",
	"is it cold outside", "is it safe in Caracas", "should I wear a coat in London", "what is the weather like in may",
	"what's the weather in London and what time is it there in Tokyo and who won", "turn on the lights", "", "?", "time travel in London",
	"what time is it there", "what time is it in the world", "date",
	"what's the weather in my city", "is it raining in the kitchen", "what is the weather in london for tomorrow", "wie ist das Wetter bei uns", "wetter morgen",
	"wie spät ist es dort", "wetter berlin morgen",
	"wie spät ist es morgen in Tokio", "wie spät war es gestern", "wann geht der Zug", "wie wird das Wetter in Berlin", "wie ist das Wetter morgen in Köln",
	"wie ist das Wetter", "wie warm ist es im Wohnzimmer", "wie viel Uhr ist es in drei Stunden", "welcher Tag ist morgen", "welcher Tag ist Weihnachten",
	"stell einen Wecker auf acht Uhr", "es ist Zeit zu gehen", "wie spät kommt der Bus", "regnet es am Wochenende in Ulm", "Zeitung in Berlin",
}

func TestPhrasesAreTakenByTheirRule(t *testing.T) {
	rules := load(t)
	taken := 0
	for language, phrases := range map[string][]phrase{"en": english, "de": german} {
		for _, p := range phrases {
			for _, model := range []bool{true, false} {
				got := decide(rules, p.text, language, model)
				if p.rule == "" {
					if got.Command != nil {
						t.Errorf("%q: %s took it", p.text, got.Command.Rule)
					}
					continue
				}
				if got.Stage != route.StageCommand || got.Command.Rule != p.rule {
					t.Errorf("%q, model %v: stage %s because %s, want rule %s", p.text, model, got.Stage, got.Reason, p.rule)
					continue
				}
				taken++
				checkCall(t, p, got)
			}
		}
	}
	if taken < 2*80 {
		t.Errorf("only %d phrases were taken", taken/2)
	}
}

func checkCall(t *testing.T, p phrase, got route.Decision) {
	t.Helper()
	tool, name := weatherTool, "location"
	if p.rule == "time" || p.rule == "date" {
		tool, name = clockTool, "timezone"
	}
	want := map[string]string{}
	if p.argument != "" {
		want[name] = p.argument
	}
	encoded, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got.Command.Tool != tool || string(got.Command.Arguments) != string(encoded) || len(got.Tools) != 1 || got.Tools[0] != tool {
		t.Errorf("%q: %s(%s), offered %v; want %s(%s)", p.text, got.Command.Tool, got.Command.Arguments, got.Tools, tool, encoded)
	}
}

func TestNearMissesAreTakenByNoRule(t *testing.T) {
	rules := load(t)
	for _, text := range nearMisses {
		for _, language := range []string{"en", "de", ""} {
			if got := decide(rules, text, language, true); got.Stage != route.StageLoop || got.Command != nil || len(got.Tools) != 3 {
				t.Errorf("%q with a model: %s, offered %v, because %s", text, got.Stage, got.Tools, got.Reason)
			}
			if got := decide(rules, text, language, false); got.Stage != route.StageNone || got.Command != nil {
				t.Errorf("%q without a model: %s because %s", text, got.Stage, got.Reason)
			}
		}
	}
}

func TestALanguageThatIsNotToldIsFound(t *testing.T) {
	rules := load(t)
	for _, language := range []string{"", "en", "fr", "de-AT", "DE_ch"} {
		got := decide(rules, "Wie spät ist es in Wien?", language, false)
		if got.Command == nil {
			t.Fatalf("language %q: %s", language, got.Reason)
		}
		answer, err := got.Command.Answer([]byte(`{"datetime_iso":"2026-02-20T14:05:00+01:00"}`))
		if err != nil || answer != "Es ist 14:05 Uhr in Wien." {
			t.Errorf("language %q: %q, %v", language, answer, err)
		}
	}
}

// A place that no table knows is the model's to find; without one the tool is asked, and its answer says so.
func TestATimeSomewhereUnknown(t *testing.T) {
	rules := load(t)
	const text = "what time is it in Gelsenkirchen-Buer"
	if got := decide(rules, text, "en", true); got.Stage != route.StageLoop {
		t.Errorf("with a model: %s because %s", got.Stage, got.Reason)
	}
	got := decide(rules, text, "en", false)
	if got.Stage != route.StageCommand || string(got.Command.Arguments) != `{"timezone":"Gelsenkirchen-Buer"}` {
		t.Fatalf("without: %+v", got)
	}
	answer, err := got.Command.Answer([]byte(`{"datetime_iso":"2026-02-20T14:05:00Z","timezone":"UTC","error":"Unknown timezone 'Gelsenkirchen-Buer'; showing UTC instead."}`))
	if err != nil || answer != "I'm sorry, I don't know which time zone Gelsenkirchen-Buer is in." {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestAnswers(t *testing.T) {
	const (
		clock = `{"datetime_iso":"2026-03-01T15:04:05+09:00","date":"2026-03-01","time":"15:04:05","timezone":"Asia/Tokyo","day_of_week":"Sunday","unix_timestamp":1772345045}`
		rain  = `{"location_name":"Oslo, Oslo, Norway","temperature_c":-0.4,"temperature_f":31.3,"conditions":"Slight rain","humidity_percent":81,"wind_speed_kmh":11.6,"wind_speed_mph":7.2}`
		clear = `{"location_name":"Rome, Lazio, Italy","temperature_c":21.5,"temperature_f":70.7,"conditions":"Clear sky","humidity_percent":40,"wind_speed_kmh":4,"wind_speed_mph":2.5}`
	)
	tests := []struct{ text, result, want string }{
		{"what time is it", clock, "It's 3:04 PM."},
		{"what time is it in tokyo", clock, "It's 3:04 PM in Tokyo."},
		{"what time is it in the uk", clock, "It's 3:04 PM in the United Kingdom."},
		{"what time is it in australia", clock, "It's 3:04 PM in Sydney, Australia."},
		{"what time is it in texas", clock, "It's 3:04 PM in most of Texas."},
		{"what day is it in japan", clock, "It's Sunday, March 1, 2026 in Japan."},
		{"wie spät ist es in der schweiz", clock, "Es ist 15:04 Uhr in der Schweiz."},
		{"welcher Tag ist heute", clock, "Heute ist Sonntag, der 1. März 2026."},
		{"weather in oslo", rain, "In Oslo, Norway it's 0 degrees Celsius. The conditions: slight rain, 81 percent humidity and wind at 12 kilometers per hour."},
		{"temperature in Rome", clear, "It's 22 degrees Celsius, 71 Fahrenheit, in Rome, Italy."},
		{"is it raining in oslo", rain, "Yes, it's wet in Oslo, Norway: slight rain at 0 degrees Celsius."},
		{"is it raining in rome", clear, "No, it's not raining in Rome, Italy: clear sky at 22 degrees Celsius."},
		{"is it snowing in rome", clear, "No, it's not snowing in Rome, Italy: clear sky at 22 degrees Celsius."},
		{"is it sunny in Rome", clear, "In Rome, Italy it's 22 degrees Celsius. The conditions: clear sky, 40 percent humidity and wind at 4 kilometers per hour."},
		{"Wetter in Rom", clear, "In Rome, Italy sind es 22 Grad. Die Lage: klarer Himmel, 40 Prozent Luftfeuchtigkeit und Wind mit 4 Kilometern pro Stunde."},
		{"regnet es in Oslo", rain, "Ja, in Oslo, Norway ist es nass: leichter Regen bei 0 Grad."},
		{"schneit es in Rom", clear, "Nein, in Rome, Italy schneit es nicht: klarer Himmel bei 22 Grad."},
		{"weather in Narnia", `{"error":"Location not found: 'Narnia'"}`, "I'm sorry, I couldn't find a place called Narnia."},
		{"weather in Oslo", `{"error":"Weather service timed out"}`, "I'm sorry, the weather service took too long to answer. Please try again."},
		{"weather in Oslo", `{"error":"Weather service error: 503"}`, "I'm sorry, I can't get the weather right now. Please try again later."},
		{"what time is it", `{"error":"worker failed"}`, "I'm sorry, I can't tell the time right now."},
		{"Wetter in Narnia", `{"error":"Location not found: 'Narnia'"}`, "Tut mir leid, einen Ort namens Narnia habe ich nicht gefunden."},
	}
	rules := load(t)
	for _, test := range tests {
		got := decide(rules, test.text, "en", false)
		if got.Command == nil {
			t.Errorf("%q: %s", test.text, got.Reason)
			continue
		}
		if answer, err := got.Command.Answer([]byte(test.result)); err != nil || answer != test.want {
			t.Errorf("%q: %q, %v\nwant %q", test.text, answer, err, test.want)
		}
	}
}

// Every code of the weather table must be spoken, in both languages, and every rule must answer every failure.
func TestEveryConditionIsTranslated(t *testing.T) {
	conditions := []string{"Clear sky", "Mainly clear", "Partly cloudy", "Overcast", "Fog", "Depositing rime fog", "Light drizzle", "Moderate drizzle",
		"Dense drizzle", "Light freezing drizzle", "Dense freezing drizzle", "Slight rain", "Moderate rain", "Heavy rain", "Light freezing rain",
		"Heavy freezing rain", "Slight snow", "Moderate snow", "Heavy snow", "Snow grains", "Slight rain showers", "Moderate rain showers",
		"Violent rain showers", "Slight snow showers", "Heavy snow showers", "Thunderstorm", "Thunderstorm with slight hail", "Thunderstorm with heavy hail"}
	rules := load(t)
	for _, text := range []string{"is it snowing in Rome", "schneit es in Rom"} {
		command := decide(rules, text, "en", false).Command
		for _, condition := range conditions {
			result, _ := json.Marshal(map[string]any{"location_name": "Rome", "temperature_c": 1, "conditions": condition})
			answer, err := command.Answer(result)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(answer, condition) {
				t.Errorf("%q says %q", condition, answer)
			}
		}
	}
}
