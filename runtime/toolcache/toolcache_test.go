package toolcache

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counter is a tool set whose results say which run they are of.
type counter struct {
	runs atomic.Int64
	call func(ctx context.Context, call loop.Call, run int64) loop.Result // nil: the number of the run
}

func (c *counter) Check(_ context.Context, call loop.Call) loop.Verdict {
	return loop.Verdict{Decision: loop.Refuse, Reason: call.Name}
}

func (c *counter) Call(ctx context.Context, call loop.Call, _ loop.Verdict) loop.Result {
	run := c.runs.Add(1)
	if c.call != nil {
		return c.call(ctx, call, run)
	}
	return loop.Result{Content: fmt.Sprintf(`{"run":%d}`, run)}
}

func wrap(t *testing.T, inner loop.Tools, options Options) *Cache {
	t.Helper()
	cache, err := Wrap(inner, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	return cache
}

var minute = loop.Verdict{Decision: loop.Run, Tool: "sha256:a", CacheTTL: time.Minute}

func callOf(name, arguments string) loop.Call { return loop.Call{Name: name, Arguments: arguments} }

func TestEqualCallsAreAnsweredFromTheCache(t *testing.T) {
	for name, test := range map[string]struct {
		second        loop.Call
		secondVerdict loop.Verdict
		want          bool
	}{
		"the same":                      {callOf("w", `{"a":5,"b":"x"}`), minute, true},
		"members in another order":      {callOf("w", `{ "b":"x", "a":5 }`), minute, true},
		"another spelling of a number":  {callOf("w", `{"a":5.0,"b":"x"}`), minute, true},
		"an escaped letter":             {callOf("w", `{"a":5e0,"b":"\u0078"}`), minute, true},
		"another id of the call":        {loop.Call{ID: "2", Name: "w", Arguments: `{"a":5,"b":"x"}`}, minute, true},
		"another value":                 {callOf("w", `{"a":6,"b":"x"}`), minute, false},
		"a text instead of a number":    {callOf("w", `{"a":"5","b":"x"}`), minute, false},
		"another tool":                  {callOf("v", `{"a":5,"b":"x"}`), minute, false},
		"another version of the tool":   {callOf("w", `{"a":5,"b":"x"}`), loop.Verdict{Tool: "sha256:b", CacheTTL: time.Minute}, false},
		"a verdict that forbids it":     {callOf("w", `{"a":5,"b":"x"}`), loop.Verdict{Tool: "sha256:a"}, false},
		"name and version moved across": {callOf("aw", `{"a":5,"b":"x"}`), loop.Verdict{Tool: "sha256:", CacheTTL: time.Minute}, false},
	} {
		t.Run(name, func(t *testing.T) {
			cache := wrap(t, &counter{}, Options{})
			first := cache.Call(t.Context(), callOf("w", `{"a":5,"b":"x"}`), minute)
			second := cache.Call(t.Context(), test.second, test.secondVerdict)
			if first.Cached || second.Cached != test.want || (first.Content == second.Content) != test.want {
				t.Errorf("first %+v, second %+v, want a hit: %v", first, second, test.want)
			}
		})
	}
}

func TestLongIntegersKeepEveryDigit(t *testing.T) {
	cache := wrap(t, &counter{}, Options{})
	a := cache.Call(t.Context(), callOf("w", `{"id":9007199254740992}`), minute)
	b := cache.Call(t.Context(), callOf("w", `{"id":9007199254740993}`), minute)
	if b.Cached || a.Content == b.Content {
		t.Errorf("two ids share a result: %+v, %+v", a, b)
	}
}

func TestFailuresAndUnreadableArgumentsAreNotKept(t *testing.T) {
	inner := &counter{call: func(_ context.Context, _ loop.Call, run int64) loop.Result {
		return loop.ErrorResult(fmt.Sprint(run))
	}}
	cache := wrap(t, inner, Options{})
	for range 2 {
		cache.Call(t.Context(), callOf("w", `{}`), minute)
		cache.Call(t.Context(), callOf("w", `{"a":1,"a":2}`), minute)
	}
	if inner.runs.Load() != 4 {
		t.Errorf("%d runs, want 4", inner.runs.Load())
	}
}

func TestCheckIsAlwaysAsked(t *testing.T) {
	cache := wrap(t, &counter{}, Options{})
	cache.Call(t.Context(), callOf("w", `{}`), minute)
	if verdict := cache.Check(t.Context(), callOf("w", `{}`)); verdict.Decision != loop.Refuse || verdict.Reason != "w" {
		t.Errorf("verdict %+v", verdict)
	}
}

func TestResultsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache, err := Wrap(&counter{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cache.Close()
		get := func() loop.Result { return cache.Call(t.Context(), callOf("w", `{}`), minute) }
		get()
		time.Sleep(59 * time.Second)
		if !get().Cached {
			t.Error("gone before its time")
		}
		time.Sleep(2 * time.Second)
		if got := get(); got.Cached || got.Content != `{"run":2}` {
			t.Errorf("after its time: %+v", got)
		}
		if !get().Cached {
			t.Error("the new result is not kept")
		}
	})
}

func TestInvalidateAndClear(t *testing.T) {
	cache := wrap(t, &counter{}, Options{})
	fill := func() {
		for _, call := range []loop.Call{callOf("w", `{"a":1}`), callOf("w", `{"a":2}`), callOf("v", `{"a":1}`)} {
			cache.Call(t.Context(), call, minute)
		}
	}
	kept := func() (found string) {
		for _, call := range []loop.Call{callOf("w", `{"a":1}`), callOf("w", `{"a":2}`), callOf("v", `{"a":1}`)} {
			if _, ok := cache.lookup(keyOf(t, call)); ok {
				found += call.Name + call.Arguments + " "
			}
		}
		return strings.TrimSpace(found)
	}
	for name, test := range map[string]struct {
		forget func()
		want   string
	}{
		"one result":                 {func() { cache.Invalidate("w", `{ "a" : 1.0 }`) }, `w{"a":2} v{"a":1}`},
		"all of a tool":              {func() { cache.Invalidate("w") }, `v{"a":1}`},
		"arguments that are no JSON": {func() { cache.Invalidate("w", `{`) }, `w{"a":1} w{"a":2} v{"a":1}`},
		"everything":                 {cache.Clear, ``},
	} {
		fill()
		test.forget()
		if got := kept(); got != test.want {
			t.Errorf("%s: kept %s, want %s", name, got, test.want)
		}
	}
}

func TestWhatWasInvalidatedIsNotStoredByACallThatBeganBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		inner := &counter{call: func(_ context.Context, _ loop.Call, run int64) loop.Result {
			if run == 1 {
				<-release
			}
			return loop.Result{Content: fmt.Sprint(run)}
		}}
		cache, _ := Wrap(inner, Options{})
		defer cache.Close()
		var old loop.Result
		var waiting sync.WaitGroup
		waiting.Go(func() { old = cache.Call(t.Context(), callOf("w", `{}`), minute) })
		synctest.Wait()
		cache.Invalidate("w")
		if got := cache.Call(t.Context(), callOf("w", `{}`), minute); got.Content != "2" {
			t.Errorf("a call after the invalidation got %+v", got)
		}
		close(release)
		waiting.Wait()
		if got := cache.Call(t.Context(), callOf("w", `{}`), minute); old.Content != "1" || got.Content != "2" || !got.Cached {
			t.Errorf("the old call got %+v, the cache holds %+v", old, got)
		}
	})
}

func TestConcurrentCallsRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &counter{call: func(_ context.Context, _ loop.Call, run int64) loop.Result {
			time.Sleep(time.Second)
			return loop.Result{Content: fmt.Sprint(run)}
		}}
		cache, _ := Wrap(inner, Options{})
		defer cache.Close()
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				if got := cache.Call(t.Context(), callOf("w", `{}`), minute); got.Content != "1" {
					t.Errorf("got %+v", got)
				}
			})
		}
		callers.Wait()
		if got := cache.Stats(); inner.runs.Load() != 1 || got != (Stats{Misses: 1, Shared: 19}) {
			t.Errorf("%d runs, %+v", inner.runs.Load(), got)
		}
	})
}

func TestOneCallersEndIsNotTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended error
		inner := &counter{call: func(ctx context.Context, _ loop.Call, run int64) loop.Result {
			select {
			case <-ctx.Done():
				ended = ctx.Err()
				return loop.ErrorResult("cancelled")
			case <-time.After(time.Minute):
				return loop.Result{Content: fmt.Sprint(run)}
			}
		}}
		cache, _ := Wrap(inner, Options{})
		defer cache.Close()
		first, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		var callers sync.WaitGroup
		callers.Go(func() {
			began := time.Now()
			if got := cache.Call(first, callOf("w", `{}`), minute); !got.Failed || time.Since(began) != time.Second {
				t.Errorf("the caller that left got %+v after %v", got, time.Since(began))
			}
		})
		synctest.Wait()
		callers.Go(func() {
			if got := cache.Call(t.Context(), callOf("w", `{}`), minute); got.Content != "1" {
				t.Errorf("the caller that stayed got %+v", got)
			}
		})
		callers.Wait()
		if ended != nil || inner.runs.Load() != 1 {
			t.Errorf("the run ended with %v, %d runs", ended, inner.runs.Load())
		}

		alone, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		cache.Clear()
		cache.Call(alone, callOf("w", `{}`), minute)
		synctest.Wait()
		if ended == nil {
			t.Error("a run that nobody waits for goes on")
		}
	})
}

func TestPanicCostsTheCall(t *testing.T) {
	inner := &counter{call: func(context.Context, loop.Call, int64) loop.Result { panic("boom") }}
	if got := wrap(t, inner, Options{}).Call(t.Context(), callOf("w", `{}`), minute); !got.Failed || !strings.Contains(got.Content, "boom") {
		t.Errorf("got %+v", got)
	}
}

func TestRefusedSetIsOnlyAMiss(t *testing.T) {
	inner := &counter{call: func(_ context.Context, _ loop.Call, run int64) loop.Result {
		return loop.Result{Content: `"` + strings.Repeat("x", 4096) + `"`}
	}}
	cache := wrap(t, inner, Options{MaxBytes: 1000})
	for range 3 {
		if got := cache.Call(t.Context(), callOf("w", `{}`), minute); got.Cached || got.Failed {
			t.Errorf("got %+v", got)
		}
	}
	if got := cache.Stats(); got.Misses != 3 {
		t.Errorf("%+v", got)
	}
}

func TestSizeIsBounded(t *testing.T) {
	inner := &counter{call: func(_ context.Context, _ loop.Call, run int64) loop.Result {
		return loop.Result{Content: `"` + strings.Repeat("x", 1000) + `"`}
	}}
	cache := wrap(t, inner, Options{MaxBytes: 50_000})
	for i := range 500 {
		cache.Call(t.Context(), callOf("w", fmt.Sprintf(`{"a":%d}`, i)), minute)
	}
	bytes := 0
	cache.store.IterValues(func(e *entry) bool {
		bytes += len(e.key) + len(e.result.Content)
		return false
	})
	if bytes == 0 || bytes > 50_000 {
		t.Errorf("the cache holds %d bytes", bytes)
	}
}

func TestAfterCloseCallsGoToInner(t *testing.T) {
	inner := &counter{}
	cache := wrap(t, inner, Options{})
	cache.Call(t.Context(), callOf("w", `{}`), minute)
	cache.Close()
	cache.Close()
	cache.Invalidate("w")
	if got := cache.Call(t.Context(), callOf("w", `{}`), minute); got.Cached || inner.runs.Load() != 2 {
		t.Errorf("got %+v after %d runs", got, inner.runs.Load())
	}
}

// TestEntryWithAnotherKeyIsAMiss puts an entry where another key's hash would find it.
func TestEntryWithAnotherKeyIsAMiss(t *testing.T) {
	cache := wrap(t, &counter{}, Options{})
	cache.store.Set([]byte("one"), &entry{key: "other"}, 1)
	cache.store.Wait()
	if _, ok := cache.lookup([]byte("one")); ok {
		t.Error("a result of another key was given")
	}
}

func TestHammerCache(t *testing.T) {
	inner := &counter{call: func(_ context.Context, call loop.Call, _ int64) loop.Result {
		return loop.Result{Content: call.Arguments}
	}}
	cache := wrap(t, inner, Options{MaxBytes: 20_000})
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for j := range 400 {
				arguments := fmt.Sprintf(`{"a":%d}`, (i*j)%97)
				ctx, cancel := context.WithCancel(t.Context())
				if j%17 == 0 {
					cancel()
				}
				if got := cache.Call(ctx, callOf("w", arguments), minute); !got.Failed && got.Content != arguments {
					t.Errorf("%s: %+v", arguments, got)
				}
				cancel()
				switch {
				case j%50 == 49:
					cache.Invalidate("w", arguments)
				case j%199 == 198:
					cache.Clear()
				case i == 0 && j == 390:
					cache.Close()
				}
			}
		})
	}
	callers.Wait()
}
