package wasm

// This file keeps a reactor's instances between calls. An instance is put back to the state that it had before its first
// call: the whole memory and all mutable globals are copied back. Where that does not hold all of its state (the module
// writes tables or drops segments) or the memory grew, the instance is thrown away instead.

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

const (
	idleMax    = 4 // instances kept for each origin
	originsMax = 8 // environments for which instances are kept
)

// origin is the state before the first call, for one environment: a module may read it in its start code.
type origin struct {
	env  map[string]string
	list []string // env as WASI shows it

	// What follows is guarded by the module's mu.
	memory  []byte // without the zeros at its end; nil until the first instance is made
	size    int    // of memory with the zeros
	globals []uint64
	known   bool // memory, size and globals are set
	idle    []*instance
}

// origin finds or makes the origin for the call's environment.
func (m *Module) origin(call *Call) *origin {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, o := range m.origins {
		if maps.Equal(o.env, call.Env) {
			if last := len(m.origins) - 1; i != last {
				m.origins = append(slices.Delete(m.origins, i, i+1), o)
			}
			return o
		}
	}
	if len(m.origins) == originsMax {
		m.origins[0].drop()
		m.origins = slices.Delete(m.origins, 0, 1)
	}
	o := &origin{env: maps.Clone(call.Env), list: environment(call.Env)}
	m.origins = append(m.origins, o)
	return o
}

func (o *origin) drop() {
	for _, in := range o.idle {
		in.close()
	}
	o.idle = nil
}

// take gives an instance that is prepared for the call. There is one also with an error, to be asked what it means.
func (m *Module) take(ctx context.Context, from *origin, call *Call, host Host) (*instance, error) {
	m.mu.Lock()
	if n := len(from.idle); n > 0 && from.size <= int(call.Limits.MemoryPages)<<16 {
		in := from.idle[n-1]
		from.idle = from.idle[:n-1]
		m.mu.Unlock()
		in.prepare(ctx, call, from.list, host)
		return in, nil
	}
	m.mu.Unlock()
	in, err := m.instantiate(ctx, call, from.list, host)
	if err != nil || !m.wholeState {
		return in, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !from.known {
		from.remember(in)
	}
	return in, nil
}

func (o *origin) remember(in *instance) {
	whole := in.linear.bytes
	o.size = len(whole)
	o.memory = bytes.Clone(bytes.TrimRight(whole, "\x00"))
	for _, global := range in.globals {
		o.globals = append(o.globals, global.Get())
	}
	o.known = true
}

// give puts an instance back to its origin's state and keeps it, or throws it away.
func (m *Module) give(to *origin, in *instance, usable bool) {
	in.finish()
	// size and what is copied back do not change once they are known, which they are when take gave the instance.
	if !usable || !m.wholeState || len(in.linear.bytes) != to.size {
		in.close()
		return
	}
	to.restore(in)
	m.mu.Lock()
	kept := !m.released && len(to.idle) < idleMax && slices.Contains(m.origins, to)
	if kept {
		to.idle = append(to.idle, in)
	}
	m.mu.Unlock()
	if !kept {
		in.close()
	}
}

func (o *origin) restore(in *instance) {
	clear(in.linear.bytes[copy(in.linear.bytes, o.memory):])
	for i, global := range in.globals {
		global.Set(o.globals[i])
	}
}
