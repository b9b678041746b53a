package flows

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"chatterbox/loop/route"
)

//go:generate go run gen_zones.go

//go:embed zones/*.txt
var zoneFiles embed.FS

// place is what a name stands for.
type place struct {
	zone   string   // the IANA name
	zones  []string // all that the place has
	name   string   // without article
	spoken string   // in English, or as it is called everywhere
	german string   // as it stands behind "in"
}

// atlas finds places by their names.
type atlas struct {
	exact  map[string]string // IANA names by their lower case
	places map[string]place  // by key
	behind map[string]place  // by key; known only behind another place
	not    map[string]bool   // words of no place
	begins map[string]bool   // words with which no place begins
}

// openAtlas reads the tables at their first use: a start does not wait for them.
var openAtlas = sync.OnceValue(readAtlas)

func readAtlas() *atlas {
	a := &atlas{exact: map[string]string{}, places: make(map[string]place, 4096), behind: map[string]place{},
		not: map[string]bool{}, begins: map[string]bool{}}
	ofCountry := a.readIANA()
	// The first reading of a name stays, so the strongest comes first.
	a.readCountries(ofCountry)
	a.readPlaces()
	a.addCities()
	a.readNotPlaces()
	return a
}

// tableLines calls do with every line of an embedded table that is neither empty nor a comment.
func tableLines(name string, do func(line string)) {
	text, err := zoneFiles.ReadFile("zones/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			do(line)
		}
	}
}

// readIANA fills exact and returns the zones of each country.
func (a *atlas) readIANA() map[string][]string {
	ofCountry := map[string][]string{}
	tableLines("iana.txt", func(line string) {
		name, country, _ := strings.Cut(line, " ")
		name, usual, _ := strings.Cut(name, ">")
		if usual == "" {
			usual = name
		}
		a.exact[strings.ToLower(name)] = usual
		if country != "" {
			ofCountry[country] = append(ofCountry[country], name)
		}
	})
	return ofCountry
}

func (a *atlas) readCountries(ofCountry map[string][]string) {
	tableLines("countries.txt", func(line string) {
		head, names, _ := strings.Cut(line, ": ")
		code, zone, _ := strings.Cut(head, " ")
		zones := ofCountry[code]
		if zone == "" {
			zone = zones[0] // its only one
		}
		english, german, _ := strings.Cut(names, " | ")
		if len(zones) == 0 { // nobody lives there
			zones = []string{zone}
		}
		p := place{zone: zone, zones: zones, name: withoutArticle(first(english)), spoken: first(english), german: first(german)}
		if len(zones) > 1 { // the answer says whose time it is
			p.spoken = city(zone) + ", " + p.spoken
			p.german = city(zone) + ", " + withoutArticle(p.german)
		}
		for name := range strings.SplitSeq(english+"; "+german, "; ") {
			a.add(name, p)
		}
	})
}

func (a *atlas) readPlaces() {
	tableLines("places.txt", func(line string) {
		head, names, _ := strings.Cut(line, ": ")
		zones := strings.Split(head, ", ")
		for name := range strings.SplitSeq(names, "; ") {
			p := place{zone: zones[0], zones: zones, name: withoutArticle(name), spoken: name, german: name}
			if len(zones) > 1 {
				p.spoken, p.german = "most of "+name, "den meisten Teilen von "+name
			}
			if only, ok := strings.CutPrefix(name, "-"); ok {
				a.behind[placeKey(only)] = p
				continue
			}
			a.add(name, p)
		}
	})
}

// notCities are last parts of IANA names that name no place by themselves.
const notCities = " east west north south general factory gmt+0 gmt-0 gmt0 "

// addCities makes the last part of each IANA name a place. Names that are usual come before links.
func (a *atlas) addCities() {
	for _, links := range []bool{false, true} {
		tableLines("iana.txt", func(line string) {
			name, _, _ := strings.Cut(line, " ")
			name, usual, link := strings.Cut(name, ">")
			last := name[strings.LastIndexByte(name, '/')+1:]
			if link != links || strings.HasPrefix(name, "Etc/GMT") || strings.Contains(notCities, " "+strings.ToLower(last)+" ") {
				return
			}
			if !link {
				usual = name
			}
			a.add(city(name), cityPlace(name, usual))
		})
	}
}

func (a *atlas) readNotPlaces() {
	tableLines("notplaces.txt", func(line string) {
		words := a.not
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			line, words = rest, a.begins
		}
		for word := range strings.FieldsSeq(line) {
			words[fold(word)] = true
		}
	})
}

// cityPlace is the place that an IANA name is called after.
func cityPlace(name, zone string) place {
	spoken := city(name)
	return place{zone: zone, zones: []string{zone}, name: spoken, spoken: spoken, german: spoken}
}

func (a *atlas) add(name string, p place) {
	for _, key := range []string{placeKey(name), placeKey(transliterate(name))} {
		if _, taken := a.places[key]; !taken {
			a.places[key] = p
		}
	}
}

// find gives the place that text names: an IANA name, a place, or a place and what it lies in ("Paris, France").
func (a *atlas) find(text string) (place, bool) {
	if zone, ok := a.exact[strings.ToLower(text)]; ok && strings.Contains(text, "/") {
		return cityPlace(zone, zone), true
	}
	key := placeKey(text)
	if p, ok := a.places[key]; ok {
		return p, true
	}
	words := strings.Fields(key)
	for i := 1; i < len(words); i++ {
		p, ok := a.places[strings.Join(words[:i], " ")]
		around := strings.Join(words[i:], " ")
		for _, where := range []map[string]place{a.places, a.behind} {
			if outer, known := where[around]; ok && known && slices.Contains(outer.zones, p.zone) {
				return p, true
			}
		}
	}
	return place{}, false
}

// couldBePlace says whether text looks like the name of a place that is in no table.
func (a *atlas) couldBePlace(text string) bool {
	if strings.ContainsAny(text, "0123456789@#$%&+*=<>()[]{}/\\?!:;\"") {
		return false
	}
	words := strings.Fields(fold(text))
	if len(words) == 0 || len(words) > 5 || a.begins[words[0]] {
		return false
	}
	for _, word := range words {
		if a.not[word] {
			return false
		}
	}
	return true
}

// zoneOf resolves a place to the IANA name of its time zone.
func zoneOf(said string, in route.Context) route.Resolved {
	a := openAtlas()
	p, ok := a.find(said)
	switch {
	case ok && in.Language == "de":
		return route.Resolved{Value: p.zone, Spoken: p.german, Sureness: route.Known}
	case ok:
		return route.Resolved{Value: p.zone, Spoken: p.spoken, Sureness: route.Known}
	case a.couldBePlace(said):
		return route.Resolved{Value: said, Spoken: said, Sureness: route.Plausible}
	default:
		return route.Resolved{}
	}
}

// placeOf lets through what names a place, as it was said but for an article that only grammar put there.
func placeOf(said string, in route.Context) route.Resolved {
	a := openAtlas()
	p, ok := a.find(said)
	switch {
	case ok && withoutArticle(strings.ToLower(said)) != strings.ToLower(said):
		return route.Resolved{Value: p.name, Spoken: p.name, Sureness: route.Known}
	case !ok && in.Certain && a.couldBePlace(said):
		return route.Resolved{Value: said, Spoken: said, Sureness: route.Plausible}
	case ok || a.couldBePlace(said):
		return route.Resolved{Value: said, Spoken: said, Sureness: route.Known}
	default:
		return route.Resolved{}
	}
}

// cityOf is placeOf for places that are in the tables.
func cityOf(said string, in route.Context) route.Resolved {
	if _, ok := openAtlas().find(said); !ok {
		return route.Resolved{}
	}
	return placeOf(said, in)
}
