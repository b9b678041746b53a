package toolcache

import (
	"context"
	"fmt"

	"chatterbox/loop"
)

// flight is one run of a call, and everybody who waits for it.
type flight struct {
	scope   scope
	cancel  context.CancelFunc
	waiting int  // guarded by Cache.flying
	dropped bool // guarded by Cache.flying: the result must not be kept

	done   chan struct{} // closed when result is there
	result loop.Result
}

// share waits for the running call with this key, or runs one.
func (c *Cache) share(ctx context.Context, call loop.Call, verdict loop.Verdict, key string, s scope) loop.Result {
	c.flying.Lock()
	f := c.flights[key]
	if f == nil {
		// One that was running when the caller looked may have ended meanwhile; its result is stored before it goes.
		if result, ok := c.lookup([]byte(key)); ok {
			c.flying.Unlock()
			c.hits.Add(1)
			return result
		}
		if f = c.depart(ctx, call, verdict, key, s); f == nil {
			c.flying.Unlock()
			return c.inner.Call(ctx, call, verdict)
		}
		c.misses.Add(1)
	} else {
		c.shared.Add(1)
	}
	f.waiting++
	c.flying.Unlock()

	select {
	case <-f.done:
		return f.result
	case <-ctx.Done():
		c.leave(key, f)
		return loop.ErrorResult("the call was given up: " + ctx.Err().Error())
	}
}

// depart starts a run; nil when the cache is closed. The caller holds flying.
func (c *Cache) depart(ctx context.Context, call loop.Call, verdict loop.Verdict, key string, s scope) *flight {
	c.open.RLock()
	defer c.open.RUnlock()
	if c.closed {
		return nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{scope: s, cancel: cancel, done: make(chan struct{})}
	c.flights[key] = f
	c.running.Go(func() {
		defer cancel()
		defer context.AfterFunc(c.life, cancel)()
		f.result = c.run(ctx, call, verdict)
		if !f.result.Failed {
			c.keep(key, f, verdict)
		}
		c.flying.Lock()
		if c.flights[key] == f {
			delete(c.flights, key)
		}
		c.flying.Unlock()
		close(f.done)
	})
	return f
}

// run calls inner. A panic costs the call: nobody above this goroutine could catch it.
func (c *Cache) run(ctx context.Context, call loop.Call, verdict loop.Verdict) (result loop.Result) {
	defer func() {
		if value := recover(); value != nil {
			result = loop.ErrorResult(fmt.Sprint("the tool failed: panic: ", value))
		}
	}()
	return c.inner.Call(ctx, call, verdict)
}

// keep stores the result and returns when the next lookup finds it. Where the store refuses it, that is a later miss.
func (c *Cache) keep(key string, f *flight, verdict loop.Verdict) {
	c.changing.Lock()
	defer c.changing.Unlock()
	c.flying.Lock()
	dropped := f.dropped
	c.flying.Unlock()
	if dropped {
		return
	}
	e := &entry{key: key, scope: f.scope, result: f.result}
	e.result.Cached = true
	c.open.RLock()
	defer c.open.RUnlock()
	if c.store.SetWithTTL([]byte(key), e, int64(len(key)+len(e.result.Content)+entryBytes), verdict.CacheTTL) {
		c.store.Wait()
	}
}

// leave ends the run when nobody waits for it any more, and lets the next equal call begin another.
func (c *Cache) leave(key string, f *flight) {
	c.flying.Lock()
	defer c.flying.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	f.cancel()
	f.dropped = true
	if c.flights[key] == f {
		delete(c.flights, key)
	}
}
