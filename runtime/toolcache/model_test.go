package toolcache

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop"

	"pgregory.net/rapid"
)

func TestModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { rapid.Check(inBubble{t}, checkModel) })
}

// inBubble hides that it is a *testing.T, whose Deadline rapid would ask for: in a bubble that panics.
type inBubble struct{ rapid.TB }

// checkModel compares the cache with a plain map while time passes.
func checkModel(t *rapid.T) {
	inner := &counter{}
	cache, err := Wrap(inner, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	type kept struct {
		content string
		until   time.Time
	}
	model := map[string]kept{}
	names := rapid.SampledFrom([]string{"w", "v"})
	values := rapid.SampledFrom([]string{"1", "1.0", "10e-1", "2", "9007199254740993", "9007199254740992"})
	value := map[string]string{"1.0": "1", "10e-1": "1"}
	t.Repeat(map[string]func(*rapid.T){
		"call": func(t *rapid.T) {
			name, spelled := names.Draw(t, "name"), values.Draw(t, "value")
			tool := rapid.SampledFrom([]string{"t1", "t2"}).Draw(t, "tool")
			ttl := time.Duration(rapid.IntRange(0, 3).Draw(t, "ttl")) * 10 * time.Second
			canonical := spelled
			if v, ok := value[spelled]; ok {
				canonical = v
			}
			key := name + canonical + tool
			got := cache.Call(context.Background(), callOf(name, `{"a":`+spelled+`}`),
				loop.Verdict{Tool: tool, CacheTTL: ttl})
			want, ok := model[key]
			ok = ok && time.Now().Before(want.until) && ttl > 0
			if got.Cached != ok || ok && got.Content != want.content {
				t.Fatalf("%s: got %+v, model %+v (valid %v)", key, got, want, ok)
			}
			if !ok && ttl > 0 {
				model[key] = kept{got.Content, time.Now().Add(ttl)}
			}
		},
		"time": func(t *rapid.T) {
			time.Sleep(time.Duration(rapid.IntRange(1, 20).Draw(t, "seconds"))*time.Second + time.Millisecond)
		},
		"invalidate": func(t *rapid.T) {
			name := names.Draw(t, "name")
			cache.Invalidate(name)
			for key := range model {
				if strings.HasPrefix(key, name) {
					delete(model, key)
				}
			}
		},
		"clear": func(*rapid.T) {
			cache.Clear()
			clear(model)
		},
	})
}
