package toolcache

import (
	"testing"

	"chatterbox/loop"
)

const weatherArguments = `{"location":"Berlin","units":"metric","days":3}`

func ready(tb testing.TB) (*Cache, []byte) {
	tb.Helper()
	cache, err := Wrap(&counter{}, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(cache.Close)
	cache.Call(tb.Context(), callOf("get_weather", weatherArguments), minute)
	return cache, keyOf(tb, callOf("get_weather", weatherArguments))
}

func keyOf(tb testing.TB, call loop.Call) []byte {
	tb.Helper()
	read, err := call.Read()
	if err != nil {
		tb.Fatal(err)
	}
	return scope{call.Name, read.Canonical()}.key(minute.Tool)
}

func TestHitAllocatesNothing(t *testing.T) {
	cache, key := ready(t)
	found := true
	// ristretto fills its buffer of read keys anew now and then, so that only the average is nothing.
	allocations := testing.AllocsPerRun(10_000, func() {
		_, ok := cache.lookup(key)
		found = found && ok
	})
	if allocations != 0 || !found {
		t.Errorf("%v allocations, found: %v", allocations, found)
	}
}

// BenchmarkHit is to be compared with BenchmarkRistrettoGet of the same run.
func BenchmarkHit(b *testing.B) {
	cache, key := ready(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := cache.lookup(key); !ok {
			b.Fatal("missed")
		}
	}
}

func BenchmarkRistrettoGet(b *testing.B) {
	cache, key := ready(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := cache.store.Get(key); !ok {
			b.Fatal("missed")
		}
	}
}

// BenchmarkCallHit is a hit with everything: the key is built from the arguments.
func BenchmarkCallHit(b *testing.B) {
	cache, _ := ready(b)
	call := callOf("get_weather", weatherArguments)
	b.ReportAllocs()
	for b.Loop() {
		if result := cache.Call(b.Context(), call, minute); !result.Cached {
			b.Fatal("missed")
		}
	}
}
