package extract_test

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"chatterbox/runtime/extract"
)

// wednesday is the clock of the tests that do not care which.
var wednesday = time.Date(2026, 5, 13, 10, 0, 0, 0, time.UTC)

func find(t testing.TB, kind, text string, context extract.Context) []extract.Match {
	t.Helper()
	extractor, ok := extract.For(kind)
	if !ok {
		t.Fatalf("no extractor %q", kind)
	}
	return extractor(text, context)
}

func TestKinds(t *testing.T) {
	want := strings.Fields("name phone address email date time datetime duration recurrence message location number")
	if got := extract.Kinds(); !slices.Equal(got, want) {
		t.Errorf("Kinds() = %q, want %q", got, want)
	}
	if _, ok := extract.For("colour"); ok {
		t.Error("there is an extractor for colours")
	}
}

// TestReferenceDialogue is the booking that must hold word for word.
func TestReferenceDialogue(t *testing.T) {
	for text, want := range map[string]struct {
		expect string
		values map[string]string // by kind; a leading ~ where approximate
	}{
		"schedule a cleaning estimate":       {"", nil},
		"My name is Sarah Johnson":           {"", map[string]string{"name": "Sarah Johnson"}},
		"Sarah Johnson":                      {"name", map[string]string{"name": "Sarah Johnson"}},
		"789 Main Street":                    {"", map[string]string{"address": "789 Main Street"}},
		"Tomorrow morning would be perfect":  {"", map[string]string{"date": "2026-05-14", "time": "~09:00", "datetime": "~2026-05-14T09:00"}},
		"Tomorrow morning would be perfect.": {"date", map[string]string{"date": "2026-05-14", "time": "~09:00", "datetime": "~2026-05-14T09:00"}},
	} {
		for _, kind := range extract.Kinds() {
			got := ""
			for _, m := range find(t, kind, text, extract.Context{Now: wednesday, Language: "en", Expect: want.expect}) {
				if m.Approximate {
					got += "~"
				}
				got += m.Value
			}
			if got != want.values[kind] {
				t.Errorf("%q: %s is %q, want %q", text, kind, got, want.values[kind])
			}
		}
	}
}

func TestMatchIsWhatWasSaid(t *testing.T) {
	got := find(t, "name", "Hi, my name is sarah johnson!", extract.Context{Now: wednesday})
	want := []extract.Match{{Kind: "name", Start: 15, End: 28, Text: "sarah johnson", Value: "Sarah Johnson"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestLanguageAndCountry: the tag's region is the country where none is given.
func TestLanguageAndCountry(t *testing.T) {
	for name, c := range map[string]struct {
		context extract.Context
		want    string
	}{
		"american by default":            {extract.Context{Language: "en"}, "2027-03-04"},
		"british by the language's tag":  {extract.Context{Language: "en-GB"}, "2027-04-03"},
		"the country wins over the tag":  {extract.Context{Language: "en-GB", Country: "US"}, "2027-03-04"},
		"a small letter is as good":      {extract.Context{Language: "EN_gb"}, "2027-04-03"},
		"an unknown language is English": {extract.Context{Language: "tlh"}, "2027-03-04"},
		"no language is English":         {extract.Context{}, "2027-03-04"},
	} {
		t.Run(name, func(t *testing.T) {
			c.context.Now = wednesday
			got := find(t, "date", "3/4", c.context)
			if len(got) != 1 || got[0].Value != c.want {
				t.Errorf("got %+v, want %s", got, c.want)
			}
		})
	}
}

// TestTextLimit: what stands beyond the limit is not read, and a character on the limit is not cut.
func TestTextLimit(t *testing.T) {
	const limit = 4 << 10
	inside := strings.Repeat("x ", (limit-len("tomorrow"))/2) + "tomorrow"
	if got := find(t, "date", inside, extract.Context{Now: wednesday}); len(got) != 1 {
		t.Errorf("at the limit: %+v", got)
	}
	if got := find(t, "date", "x"+inside, extract.Context{Now: wednesday}); len(got) != 0 {
		t.Errorf("beyond the limit: %+v", got)
	}
	for _, m := range find(t, "name", strings.Repeat("a", limit-12)+" my name is ä"+strings.Repeat("ä", 9), extract.Context{Now: wednesday}) {
		if !utf8.ValidString(m.Text) {
			t.Errorf("a character is cut: %q", m.Text)
		}
	}
}

// TestHammerExtractors: several turns at once do not see each other's text.
func TestHammerExtractors(t *testing.T) {
	texts := map[string]string{"tomorrow at five": "2026-05-14T17:00", "friday at noon": "2026-05-15T12:00", "in twenty minutes": "2026-05-13T10:20", "no day at all": ""}
	var turns sync.WaitGroup
	for text, want := range texts {
		for range 4 {
			turns.Go(func() {
				for range 50 {
					got := ""
					for _, m := range find(t, "datetime", text, extract.Context{Now: wednesday}) {
						got = m.Value
					}
					if got != want {
						t.Errorf("%q: %q, want %q", text, got, want)
					}
				}
			})
		}
	}
	turns.Wait()
}

// TestSameTextAnotherContext: what was found once does not outlive its clock, its language and what was asked for.
func TestSameTextAnotherContext(t *testing.T) {
	for _, c := range []struct {
		context extract.Context
		want    int
	}{
		{extract.Context{Now: wednesday}, 0},
		{extract.Context{Now: wednesday, Expect: "time"}, 1},
		{extract.Context{Now: wednesday, Expect: "name"}, 0},
		{extract.Context{Now: wednesday, Expect: "time", Language: "de"}, 0},
	} {
		if got := find(t, "time", "ten", c.context); len(got) != c.want {
			t.Errorf("%+v: %+v", c.context, got)
		}
	}
}

var canonical = map[string]*regexp.Regexp{
	"phone":      regexp.MustCompile(`^\+[1-9]\d{6,14}$`),
	"email":      regexp.MustCompile(`^[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z0-9-]{2,}$`),
	"duration":   regexp.MustCompile(`^P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?$`),
	"recurrence": regexp.MustCompile(`^FREQ=(MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)(;(INTERVAL=[1-9]\d*|BYDAY=-?\d?[A-Z]{2}(,[A-Z]{2})*|BYMONTH=\d+|BYMONTHDAY=\d+))*$`),
	"number":     regexp.MustCompile(`^-?\d+(\.\d+)?$`),
}

var layouts = map[string]string{"date": time.DateOnly, "time": "15:04", "datetime": "2006-01-02T15:04"}

// check holds a match to the contract.
func check(t *testing.T, kind, text string, m extract.Match, before int) {
	t.Helper()
	switch {
	case m.Kind != kind:
		t.Fatalf("%s found a %s", kind, m.Kind)
	case m.Start < before || m.Start >= m.End || m.End > len(text) || text[m.Start:m.End] != m.Text:
		t.Fatalf("%s in %q: %+v does not lie in order inside the text", kind, text, m)
	case utf8.ValidString(text) && !utf8.ValidString(m.Text):
		t.Fatalf("%s in %q: %+v cuts a character", kind, text, m)
	case strings.TrimSpace(m.Value) != m.Value || m.Value == "":
		t.Fatalf("%s in %q: value %q", kind, text, m.Value)
	}
	if layout := layouts[kind]; layout != "" {
		if _, err := time.Parse(layout, m.Value); err != nil {
			t.Fatalf("%s in %q: %v", kind, text, err)
		}
	}
	if form := canonical[kind]; form != nil && (!form.MatchString(m.Value) || m.Value == "P" || strings.HasSuffix(m.Value, "T")) {
		t.Fatalf("%s in %q: %q is not in its form", kind, text, m.Value)
	}
}

// FuzzExtractors: whatever is said, nothing panics, and what is found has its place and its form.
func FuzzExtractors(f *testing.F) {
	for _, text := range []string{
		"", "tomorrow at 5", "in two hours", "every other monday at half past six", "my name is o'brien no wait mcdonald", "ada dot l at example dot com", "5' 10\"", "7/4/26 24.12. 2026-07-04T10:00",
		"seven eighty nine main street apartment four b", "plus four nine one seven one", "remind me tomorrow to call mom on friday", "einundzwanzig komma fünf", "am 3. juni um halb drei", "\xff\xfe tomorrow",
		"for for for thirty", "ten million million million", "double double five", "in 99999 years", "the 31st", "a a a a a", "not not not tuesday", "ß’ß ’ '", "at at at at dot dot com",
	} {
		for _, language := range []string{"en", "de"} {
			f.Add(text, language, "", int64(wednesday.Unix()))
		}
	}
	f.Fuzz(func(t *testing.T, text, language, expect string, now int64) {
		context := extract.Context{Now: time.Unix(now%(1<<36), 0).UTC(), Language: language, Expect: expect}
		for i, kind := range extract.Kinds() {
			if expect == "" && len(text)%13 == i {
				context.Expect = kind
			}
			before := 0
			for _, m := range find(t, kind, text, context) {
				check(t, kind, text, m, before)
				before = m.Start
			}
		}
	})
}

// BenchmarkSentence is all extractors on one sentence.
func BenchmarkSentence(b *testing.B) {
	for name, text := range map[string]string{
		"short":  "tomorrow morning would be perfect",
		"long":   "my name is sarah johnson i live at 789 main street and tomorrow at half past two would be fine",
		"digits": "you can reach me at four one five five five five double two seven one every other monday",
	} {
		b.Run(name, func(b *testing.B) {
			context := extract.Context{Now: wednesday, Language: "en"}
			for turn := 0; b.Loop(); turn++ {
				context.Now = wednesday.Add(time.Duration(turn)) // another turn: nothing is known of the last one
				for _, kind := range extract.Kinds() {
					find(b, kind, text, context)
				}
			}
		})
	}
}

// BenchmarkLongest is the worst that the text limit allows: the time must grow with the length, not with its square.
func BenchmarkLongest(b *testing.B) {
	for name, word := range map[string]string{"numbers": "five ", "digits": "5 ", "corrections": "no tuesday ", "fillers": "at ", "streets": "st 5 ", "hours": "every two hours and ", "names": "my name is ", "reminders": "remind me tomorrow at 5 to ", "mail": "a at b dot com "} {
		for _, size := range []int{1 << 10, 4 << 10} {
			b.Run(name+"/"+map[int]string{1 << 10: "1KiB", 4 << 10: "4KiB"}[size], func(b *testing.B) {
				text := strings.Repeat(word, size/len(word))
				context := extract.Context{Now: wednesday, Language: "en"}
				for turn := 0; b.Loop(); turn++ {
					context.Now = wednesday.Add(time.Duration(turn))
					for _, kind := range extract.Kinds() {
						find(b, kind, text, context)
					}
				}
			})
		}
	}
}
