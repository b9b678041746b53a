package extract

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

// What every extractor must reach on the part of the corpus that it was not tuned on.
const (
	precisionMin = .98
	recallMin    = .95
)

// sentence is a line of the corpus.
type sentence struct {
	where   string
	text    string
	context Context
	want    map[string][]string // by kind, with a leading ~ where approximate
	open    map[string]bool     // kinds that are not judged here
}

func corpus(t testing.TB, file string) []sentence {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "corpus", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []sentence
	var clock Context
	scanner := bufio.NewScanner(f)
	for n := 1; scanner.Scan(); n++ {
		line := scanner.Text()
		where := fmt.Sprintf("%s:%d", file, n)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "@ "):
			clock = readClock(t, where, line)
		default:
			all = append(all, readSentence(t, where, line, clock))
		}
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func readClock(t testing.TB, where, line string) Context {
	t.Helper()
	parts := strings.Fields(line)
	if len(parts) != 5 {
		t.Fatalf("%s: want @ now zone language country", where)
	}
	zone, err := time.LoadLocation(parts[2])
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	now, err := time.ParseInLocation("2006-01-02T15:04", parts[1], zone)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	return Context{Now: now, Language: parts[3], Country: parts[4]}
}

func readSentence(t testing.TB, where, line string, clock Context) sentence {
	t.Helper()
	text, expected, ok := strings.Cut(line, " |")
	if !ok {
		t.Fatalf("%s: no | behind the text", where)
	}
	one := sentence{where: where, text: text, context: clock, want: map[string][]string{}, open: map[string]bool{}}
	expected = strings.TrimSpace(expected)
	if kind, ok := strings.CutPrefix(expected, "?"); ok {
		one.context.Expect, expected, _ = strings.Cut(kind, " |")
		if !slices.Contains(Kinds(), one.context.Expect) {
			t.Fatalf("%s: no kind %q", where, one.context.Expect)
		}
	}
	for part := range strings.SplitSeq(expected, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		at := strings.IndexAny(part, "=~")
		if at < 0 { // the rest of a recurrence
			t.Fatalf("%s: no value in %q", where, part)
		}
		kind, value := part[:at], part[at+1:]
		switch {
		case slices.Contains([]string{"INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH"}, kind):
			rules := one.want["recurrence"]
			rules[len(rules)-1] += ";" + part
			continue
		case !slices.Contains(Kinds(), kind):
			t.Fatalf("%s: no kind %q", where, kind)
		case value == "*":
			one.open[kind] = true
			continue
		case part[at] == '~':
			value = "~" + value
		}
		one.want[kind] = append(one.want[kind], value)
	}
	if len(one.want["date"])+len(one.want["time"]) > 0 && len(one.want["datetime"]) == 0 {
		one.open["datetime"] = true
	}
	return one
}

// score counts right, wrong and missing values.
type score struct{ right, wrong, missing int }

func (s score) precision() float64 { return share(s.right, s.right+s.wrong) }
func (s score) recall() float64    { return share(s.right, s.right+s.missing) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (s *score) add(o score) {
	s.right, s.wrong, s.missing = s.right+o.right, s.wrong+o.wrong, s.missing+o.missing
}

// judge compares one extractor's matches of a sentence with what they should be, in order.
func judge(one sentence, kind string) (score, []string) {
	find, _ := For(kind)
	var got []string
	for _, m := range find(one.text, one.context) {
		value := m.Value
		if m.Approximate {
			value = "~" + value
		}
		got = append(got, value)
	}
	want := one.want[kind]
	var s score
	rest := slices.Clone(want)
	for _, value := range got {
		if i := slices.Index(rest, value); i >= 0 {
			s.right++
			rest = slices.Delete(rest, i, i+1)
		} else {
			s.wrong++
		}
	}
	s.missing = len(rest)
	return s, got
}

// scores judges all kinds on a part of the corpus, by language; wrong tells of each failure.
func scores(all []sentence, wrong func(one sentence, kind string, got []string)) map[[2]string]score {
	result := map[[2]string]score{}
	for _, one := range all {
		for _, kind := range Kinds() {
			if one.open[kind] {
				continue
			}
			s, got := judge(one, kind)
			if s.wrong+s.missing > 0 && wrong != nil {
				wrong(one, kind, got)
			}
			key := [2]string{kind, one.context.Language[:2]}
			total := result[key]
			total.add(s)
			result[key] = total
		}
	}
	return result
}

// TestExactly holds that every line of a part is found as it says.
func TestExactly(t *testing.T) {
	scores(corpus(t, "exact.txt"), func(one sentence, kind string, got []string) {
		t.Errorf("%s: %q: %s %q, want %q", one.where, one.text, kind, got, one.want[kind])
	})
}

// TestCorpus prints what each extractor reaches and fails below the limits. Failures of the held-out parts are not
// shown on purpose: who sees them tunes on them.
func TestCorpus(t *testing.T) {
	tuned := scores(corpus(t, "tuning.txt"), func(one sentence, kind string, got []string) {
		t.Logf("%s: %q: %s %q, want %q", one.where, one.text, kind, got, one.want[kind])
	})
	held, fresh := scores(corpus(t, "heldout.txt"), nil), scores(append(corpus(t, "fresh.txt"), corpus(t, "blind.txt")...), nil)
	t.Logf("%-11s %-3s %9s %9s %6s | %9s %9s %6s | %9s %9s %6s", "kind", "", "precision", "recall", "values", "held out:", "recall", "values", "fresh:", "recall", "values")
	for _, kind := range Kinds() {
		var ofHeld, ofFresh score
		for _, language := range []string{"en", "de"} {
			key := [2]string{kind, language}
			a, b, c := tuned[key], held[key], fresh[key]
			ofHeld.add(b)
			ofFresh.add(c)
			t.Logf("%-11s %-3s %9.3f %9.3f %6d | %9.3f %9.3f %6d | %9.3f %9.3f %6d", kind, language, a.precision(), a.recall(), a.right+a.missing,
				b.precision(), b.recall(), b.right+b.missing, c.precision(), c.recall(), c.right+c.missing)
		}
		for part, both := range map[string]score{"heldout.txt": ofHeld, "fresh.txt and blind.txt": ofFresh} {
			if both.precision() < precisionMin || both.recall() < recallMin {
				t.Errorf("%s: precision %.3f (at least %.2f), recall %.3f (at least %.2f) on %s: %+v", kind, both.precision(), precisionMin, both.recall(), recallMin, part, both)
			}
		}
	}
}
