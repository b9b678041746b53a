package sentence

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var official = flag.String("sentence.official", "", "a folder with sentences as the official matcher reads them; .ci/hassil makes it")

// TestOfficial compares us with the official matcher: what matches, what its slots hold, and what matches nothing.
func TestOfficial(t *testing.T) {
	if *official == "" {
		t.Skip("there are no official readings; .ci/hassil makes them")
	}
	files, err := filepath.Glob(filepath.Join(*official, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	live := officialHouse(t)
	for _, file := range files {
		language := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(language, func(t *testing.T) {
			set := officialSet(t, language)
			agreed, matched, lines := 0, 0, officialLines(t, file)
			for _, line := range lines {
				got := said(set.Best(line.Text, live, line.Context, "name"))
				if got == line.want() {
					agreed++
				} else {
					t.Logf("%q in %v\n  is  %s\n  not %s", line.Text, line.Context, got, line.want())
				}
				if line.Match != nil {
					matched++
				}
			}
			t.Logf("%s: %d of %d readings are the same; %d of them match", language, agreed, len(lines), matched)
			if agreed < len(lines) {
				t.Errorf("%d differ", len(lines)-agreed)
			}
		})
	}
}

type officialLine struct {
	Text    string
	Context map[string]any
	Match   *struct {
		Intent string
		Slots  map[string]any
	}
}

func (l *officialLine) want() string {
	if l.Match == nil {
		return "nothing"
	}
	return shown(l.Match.Intent, l.Match.Slots)
}

func said(match *Match) string {
	if match == nil {
		return "nothing"
	}
	slots := map[string]any{}
	for _, slot := range match.Slots {
		slots[slot.Name] = slot.Value
	}
	return shown(match.Intent, slots)
}

func shown(intent string, slots map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(slots)) {
		intent += fmt.Sprintf(" %s=%v", name, slots[name])
	}
	return intent
}

func officialLines(t *testing.T, file string) []officialLine {
	t.Helper()
	opened, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	var lines []officialLine
	for scanner := bufio.NewScanner(opened); scanner.Scan(); {
		var line officialLine
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

func officialSet(t testing.TB, language string) *Set {
	t.Helper()
	var data Language
	officialRead(t, language+".json", &data)
	var table map[string]float64
	officialRead(t, language+".numbers", &table)
	words, longest := map[string]float64{}, 0
	for word, value := range table {
		words[strings.ToLower(word)] = value
		longest = max(longest, len([]rune(word)))
	}
	set, err := New(data, func(text string) []Number {
		var read []Number
		runes := []rune(text)
		for n := 1; n <= min(longest, len(runes)); n++ {
			if value, is := words[string(runes[:n])]; is {
				read = append(read, Number{n, value})
			}
		}
		return read
	}, "name", "area", "floor")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func officialRead(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(*official, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func officialHouse(t testing.TB) Lists {
	t.Helper()
	var house map[string][][]string
	officialRead(t, "house.json", &house)
	lists := map[string]List{}
	for name, values := range house {
		var list List
		for _, v := range values {
			value := Value{In: v[0], Out: v[1]}
			if len(v) > 2 {
				value.Context = map[string]any{"domain": v[2]}
			}
			list.Values = append(list.Values, value)
		}
		lists[name] = list
	}
	live, err := NewLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	return live
}

func BenchmarkOfficial(b *testing.B) {
	if *official == "" {
		b.Skip("there are no official readings; .ci/hassil makes them")
	}
	set, live := officialSet(b, "en"), officialHouse(b)
	for _, text := range []string{"turn on the kitchen lamp", "what's the temperature in the living room", "tell me about the french revolution"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				set.Best(text, live, nil, "name")
			}
		})
	}
}
