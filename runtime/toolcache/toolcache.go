// Package toolcache keeps the results of tools that let theirs be reused, and runs equal calls that meet once.
package toolcache

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"chatterbox/loop"

	"github.com/dgraph-io/ristretto/v2"
)

// Options are what a Cache needs. Zero values mean the default in brackets.
type Options struct {
	MaxBytes int64 // of keys and results together [16 MiB]
}

// Stats counts the calls whose results may be reused. A call is one of the three.
type Stats struct {
	Hits   uint64 `json:"hits"`   // answered from the cache
	Misses uint64 `json:"misses"` // run
	Shared uint64 `json:"shared"` // answered by an equal call that was running
}

// Cache is a loop.Tools before another one. A result is kept when its verdict has a CacheTTL and it did not fail; it
// answers calls with the same Verdict.Tool, name and arguments by value. All methods may be called by several
// goroutines at once.
type Cache struct {
	inner loop.Tools

	// open is held for reading around every use of store, because ristretto must not be used while it closes.
	open   sync.RWMutex
	closed bool // guarded by open
	store  *ristretto.Cache[[]byte, *entry]

	// changing orders everything that changes store, so that what was invalidated is not stored again by a call that
	// began before. It is taken before flying.
	changing sync.Mutex
	flying   sync.Mutex
	flights  map[string]*flight // guarded by flying
	running  sync.WaitGroup
	life     context.Context // ends with Close
	end      context.CancelFunc

	hits, misses, shared atomic.Uint64
}

// entry is what the store holds. ristretto compares hashes only, so the key is kept and compared.
type entry struct {
	key    string
	scope  scope
	result loop.Result
}

// scope is what Invalidate looks for.
type scope struct{ name, arguments string }

const (
	maxBytesDefault = 16 << 20
	resultBytes     = 1 << 10 // the usual size of an entry, for the number of access counters
	entryBytes      = 160     // what an entry takes beside its strings
)

// Wrap returns inner with a cache before its Call. Close it when it is no longer needed; inner stays open.
func Wrap(inner loop.Tools, options Options) (*Cache, error) {
	if options.MaxBytes == 0 {
		options.MaxBytes = maxBytesDefault
	}
	store, err := ristretto.NewCache(&ristretto.Config[[]byte, *entry]{
		NumCounters: min(max(10*options.MaxBytes/resultBytes, 1_000), 1_000_000),
		MaxCost:     options.MaxBytes,
		BufferItems: 64,
	})
	if err != nil {
		return nil, fmt.Errorf("make a tool cache of %d bytes: %w", options.MaxBytes, err)
	}
	c := &Cache{
		inner: inner, store: store, flights: map[string]*flight{},
	}
	c.life, c.end = context.WithCancel(context.Background())
	return c, nil
}

// Check asks inner: what may run is never decided by what ran before.
func (c *Cache) Check(ctx context.Context, call loop.Call) loop.Verdict {
	return c.inner.Check(ctx, call)
}

// Call answers from the cache, from an equal call that is running, or by running the call. A call that runs goes on
// while anybody waits for it: the end of one caller's ctx is not the end of the others'.
func (c *Cache) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	if verdict.CacheTTL <= 0 {
		return c.inner.Call(ctx, call, verdict)
	}
	read, err := call.Read()
	if err != nil {
		return c.inner.Call(ctx, call, verdict)
	}
	about := scope{call.Name, read.Canonical()}
	key := about.key(verdict.Tool)
	if result, ok := c.lookup(key); ok {
		c.hits.Add(1)
		return result
	}
	return c.share(ctx, call, verdict, string(key), about)
}

// key is that of the results of a tool.
func (s scope) key(tool string) []byte {
	key := binary.AppendUvarint(nil, uint64(len(tool)))
	key = append(key, tool...)
	key = binary.AppendUvarint(key, uint64(len(s.name)))
	return append(append(key, s.name...), s.arguments...)
}

func (c *Cache) lookup(key []byte) (loop.Result, bool) {
	c.open.RLock()
	found, ok := c.store.Get(key)
	c.open.RUnlock()
	if !ok || found.key != string(key) {
		return loop.Result{}, false
	}
	return found.result, true
}

// Stats gives the counters since the start.
func (c *Cache) Stats() Stats {
	return Stats{Hits: c.hits.Load(), Misses: c.misses.Load(), Shared: c.shared.Load()}
}

// Invalidate forgets the results of a tool: those of the arguments given, or all where none are. Calls that run now
// answer their callers and are not kept.
func (c *Cache) Invalidate(name string, arguments ...string) {
	wanted := make(map[string]bool, len(arguments))
	for _, text := range arguments {
		if read, err := (loop.Call{Arguments: text}).Read(); err == nil {
			wanted[read.Canonical()] = true
		}
	}
	c.forget(func(s scope) bool { return s.name == name && (len(arguments) == 0 || wanted[s.arguments]) })
}

// Clear forgets everything, like Invalidate of every tool.
func (c *Cache) Clear() { c.forget(func(scope) bool { return true }) }

func (c *Cache) forget(unwanted func(scope) bool) {
	c.changing.Lock()
	defer c.changing.Unlock()
	c.flying.Lock()
	for key, f := range c.flights {
		if unwanted(f.scope) {
			f.dropped = true
			delete(c.flights, key)
		}
	}
	c.flying.Unlock()

	c.open.RLock()
	defer c.open.RUnlock()
	var gone []*entry
	c.store.IterValues(func(e *entry) (stop bool) {
		if unwanted(e.scope) {
			gone = append(gone, e)
		}
		return false
	})
	for _, e := range gone {
		c.store.Del([]byte(e.key))
	}
	c.store.Wait()
}

// Close ends the calls that run, waits for them and drops everything. Calls afterwards go to inner.
func (c *Cache) Close() {
	c.open.Lock()
	closed := c.closed
	c.closed = true
	c.open.Unlock()
	if closed {
		return
	}
	c.end()
	c.running.Wait()
	c.open.Lock()
	c.store.Close()
	c.open.Unlock()
}
