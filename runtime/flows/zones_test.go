package flows_test

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"chatterbox/loop/route"
	"chatterbox/runtime/flows"
)

func zone(said, language string) route.Resolved {
	return flows.Resolvers()["zone"](said, route.Context{Language: language})
}

// goZones lists the names that this Go knows.
func goZones(t *testing.T) []string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var names []string
	for _, file := range archive.File {
		if !file.FileInfo().IsDir() {
			names = append(names, file.Name)
		}
	}
	if len(names) < 500 {
		t.Fatalf("only %d zones", len(names))
	}
	return names
}

// sameTime says whether two zones agree in winter and summer of these years.
func sameTime(t *testing.T, one, other string) bool {
	t.Helper()
	a, err := time.LoadLocation(one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := time.LoadLocation(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, month := range []time.Month{time.January, time.April, time.July, time.October} {
		at := time.Date(2026, month, 15, 12, 0, 0, 0, time.UTC)
		_, offsetA := at.In(a).Zone()
		_, offsetB := at.In(b).Zone()
		if offsetA != offsetB {
			return false
		}
	}
	return true
}

func TestEveryNameOfTheDatabaseIsItself(t *testing.T) {
	for _, name := range goZones(t) {
		if !strings.Contains(name, "/") {
			continue
		}
		for _, said := range []string{name, strings.ToLower(name)} {
			if got := zone(said, "en"); got.Sureness != route.Known || !sameTime(t, got.Value.(string), name) {
				t.Errorf("%s resolves to %+v", said, got)
			}
		}
	}
}

func TestEveryCityOfTheDatabaseResolves(t *testing.T) {
	// These are no cities, or names of two places; the more usual one is meant.
	other := map[string]string{
		"Etc/": "numbers", "Factory": "no place", "Australia/West": "a direction", "Australia/North": "a direction", "Australia/South": "a direction",
		"Brazil/West": "a direction", "Brazil/East": "a direction", "Mexico/General": "no place", "GMT+0": "a number", "GMT-0": "a number", "GMT0": "a number",
		"US/Samoa": "the country", "Pacific/Samoa": "the country", "America/Argentina/San_Juan": "San Juan in Puerto Rico", "Canada/": "names of zones in two countries",
	}
	resolved := 0
next:
	for _, name := range goZones(t) {
		for prefix := range other {
			if strings.HasPrefix(name, prefix) {
				continue next
			}
		}
		city := strings.ReplaceAll(name[strings.LastIndexByte(name, '/')+1:], "_", " ")
		for _, said := range []string{city, strings.ToLower(city), strings.ToUpper(city)} {
			got := zone(said, "en")
			if got.Sureness != route.Known || !sameTime(t, got.Value.(string), name) {
				t.Errorf("%s (%s) resolves to %+v", said, name, got)
			}
		}
		resolved++
	}
	if resolved < 540 {
		t.Errorf("only %d cities were tried", resolved)
	}
}

// tabLines calls do with the columns of every line of one of the database's tables.
func tabLines(t *testing.T, name string, do func(columns []string)) {
	t.Helper()
	table, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if !strings.HasPrefix(line, "#") {
			do(strings.Split(strings.TrimSpace(line), "\t"))
		}
	}
}

func TestEveryCountryResolves(t *testing.T) {
	// Nobody lives on these islands, and the database has no zone for them.
	zones := map[string][]string{"BV": {"Europe/Oslo"}, "HM": {"Indian/Kerguelen"}}
	tabLines(t, "zone.tab", func(columns []string) { zones[columns[0]] = append(zones[columns[0]], columns[2]) })
	countries := 0
	tabLines(t, "iso3166.tab", func(columns []string) {
		countries++
		code, name := columns[0], columns[1]
		got := zone(name, "en")
		if got.Sureness != route.Known || !slices.ContainsFunc(zones[code], func(own string) bool { return sameTime(t, got.Value.(string), own) }) {
			t.Errorf("%s %s resolves to %+v, want one of %v", code, name, got, zones[code])
		}
	})
	if countries < 249 {
		t.Errorf("only %d countries", countries)
	}
}

func TestPlaces(t *testing.T) {
	tests := map[string]struct{ said, zone, spoken, german string }{
		"a city":                               {"Tokyo", "Asia/Tokyo", "Tokyo", "Tokyo"},
		"a city of two words":                  {"new york", "America/New_York", "New York", "New York"},
		"an older name":                        {"Calcutta", "Asia/Kolkata", "Calcutta", "Calcutta"},
		"with accents":                         {"São Paulo", "America/Sao_Paulo", "Sao Paulo", "Sao Paulo"},
		"with accents decomposed":              {"Malmo\u0308", "Europe/Stockholm", "Malmö", "Malmö"},
		"umlauts written out":                  {"Duesseldorf", "Europe/Berlin", "Düsseldorf", "Düsseldorf"},
		"umlauts left out":                     {"dusseldorf", "Europe/Berlin", "Düsseldorf", "Düsseldorf"},
		"hyphens":                              {"port au prince", "America/Port-au-Prince", "Port-au-Prince", "Port-au-Prince"},
		"an abbreviation":                      {"U.S.A.", "America/New_York", "New York, the United States", "New York, USA"},
		"a country with an article":            {"the Netherlands", "Europe/Amsterdam", "the Netherlands", "den Niederlanden"},
		"a country in its own language":        {"Deutschland", "Europe/Berlin", "Berlin, Germany", "Berlin, Deutschland"},
		"a part of a country":                  {"Scotland", "Europe/London", "the United Kingdom", "Großbritannien"},
		"South Korea":                          {"south korea", "Asia/Seoul", "South Korea", "Südkorea"},
		"a state with one time":                {"California", "America/Los_Angeles", "California", "California"},
		"a state with two times":               {"Florida", "America/New_York", "most of Florida", "den meisten Teilen von Florida"},
		"a city that the database has not":     {"Mumbai", "Asia/Kolkata", "Mumbai", "Mumbai"},
		"another one":                          {"beijing", "Asia/Shanghai", "Beijing", "Beijing"},
		"a saint":                              {"Saint Louis", "America/Chicago", "Saint Louis", "Saint Louis"},
		"a saint abbreviated":                  {"St. Petersburg", "Europe/Moscow", "Saint Petersburg", "Saint Petersburg"},
		"a city and its country":               {"Munich, Germany", "Europe/Berlin", "Munich", "Munich"},
		"a city and its state":                 {"kansas city missouri", "America/Chicago", "Kansas City", "Kansas City"},
		"a state that is a country's name too": {"Atlanta, Georgia", "America/New_York", "Atlanta", "Atlanta"},
		"and that country":                     {"Georgia", "Asia/Tbilisi", "Georgia", "Georgien"},
		"the country before the American isle": {"Samoa", "Pacific/Apia", "Samoa", "Samoa"},
		"an article that belongs to the name":  {"the Hague", "Europe/Amsterdam", "The Hague", "The Hague"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := zone(test.said, "en"); got.Sureness != route.Known || got.Value != test.zone || got.Spoken != test.spoken {
				t.Errorf("%+v, want %s, %q", got, test.zone, test.spoken)
			}
			if got := zone(test.said, "de"); got.Spoken != test.german {
				t.Errorf("in German %q, want %q", got.Spoken, test.german)
			}
		})
	}
}

// A city beside a country or state that has not its time is another city of that name, whose time is not known.
func TestPlacesThatAreNotCertain(t *testing.T) {
	for _, said := range []string{"Paris, Texas", "London Ontario", "Portland, Maine", "Narnia", "Oslo Minnesota"} {
		if got := zone(said, "en"); got.Sureness != route.Plausible || got.Value != said {
			t.Errorf("%s: %+v", said, got)
		}
	}
	for _, said := range []string{"", "the movie", "half an hour", "3 hours", "the morning", "here", "2026", "my house", "drei Stunden", "<b>x</b>",
		"a very long name of some place far away"} {
		if got := zone(said, "en"); got.Sureness != route.Unknown {
			t.Errorf("%s: %+v", said, got)
		}
	}
}

func TestWeatherPlaces(t *testing.T) {
	place, city := flows.Resolvers()["place"], flows.Resolvers()["city"]
	for said, want := range map[string]string{"paris": "paris", "the Netherlands": "Netherlands", "der Schweiz": "Switzerland", "The Hague": "The Hague",
		"Bad Homburg": "Bad Homburg", "Narnia": "Narnia", "the morning": "", "kitchen": "", "wohnzimmer": ""} {
		if got := place(said, route.Context{Language: "en"}); got.Spoken != want || (got.Sureness == route.Known) != (want != "") {
			t.Errorf("%s: %+v, want %q", said, got, want)
		}
	}
	if got := city("Narnia", route.Context{Language: "en"}); got.Sureness != route.Unknown {
		t.Errorf("Narnia is %+v", got)
	}
	if got := city("Rom", route.Context{Language: "de"}); got.Value != "Rom" {
		t.Errorf("Rom is %+v", got)
	}
}

func FuzzResolve(f *testing.F) {
	for _, said := range []string{"Paris, France", "U.S.", "the", "a\u0308", "İstanbul", "St. & co", "\xff\xfe", "Etc/GMT+5"} {
		f.Add(said)
	}
	f.Fuzz(func(t *testing.T, said string) {
		for name, resolve := range flows.Resolvers() {
			for _, language := range []string{"en", "de"} {
				in := route.Context{Language: language, Now: time.Unix(1e9, 0)}
				got := resolve(said, in)
				if again := resolve(said, in); got != again {
					t.Fatalf("%s: %+v, then %+v", name, got, again)
				}
				if name == "zone" && got.Sureness == route.Known {
					if _, err := time.LoadLocation(got.Value.(string)); err != nil {
						t.Fatalf("%q: %v", said, err)
					}
				}
			}
		}
	})
}
