package steps

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadEvents(t *testing.T) {
	for sentence, c := range map[string]struct {
		stream, want string
	}{
		"an event":                      {"event: delta\ndata: {}\n\n", "[delta={}]"},
		"comments are left out":         {": beat\n\nevent: delta\ndata: 1\n\n", "[delta=1]"},
		"data on several lines":         {"data: a\ndata: b\n\n", "[=a\nb]"},
		"without a space, with a colon": {"event:tool\ndata:a: b\n\n", "[tool=a: b]"},
		"an event without data is none": {"event: x\n\nevent: done\ndata: {}\n\n", "[done={}]"},
		"a stream that breaks off":      {"event: done\ndata: {}\n", "error"},
		"an empty stream":               {"", "[]"},
	} {
		t.Run(sentence, func(t *testing.T) {
			events, err := readEvents(strings.NewReader(c.stream))
			var got []string
			for _, event := range events {
				got = append(got, event.name+"="+string(event.data))
			}
			text := fmt.Sprint(got)
			if err != nil {
				text = "error"
			}
			if text != c.want {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add("event: delta\ndata: {\"text\":\"a\"}\n\nevent: done\ndata: {}\n\n")
	f.Add(": beat\n\ndata\n\n\r\n")
	f.Fuzz(func(t *testing.T, stream string) {
		events, err := readEvents(strings.NewReader(stream))
		if err == nil && len(events) > strings.Count(stream, "data") {
			t.Errorf("%d events in %q", len(events), stream)
		}
	})
}
