package wasm

// This file keeps instances between calls. Each belongs to an environment, because a module may read its environment in
// its start code. An instance that cannot be restored, or that the engine reported an error for, is thrown away
// instead.

import (
	"context"
	"maps"
	"slices"
)

const (
	idleMax         = 4 // instances kept for each
	environmentsMax = 8 // for which instances are kept
)

// environment is what start code can see, with the instances that saw it.
type environment struct {
	env  map[string]string
	list []string // env as WASI shows it

	// What follows is guarded by the module's mu.
	first *snapshot // of the first instance
	idle  []*instance
}

// environment finds or makes the one for the call's environment.
func (m *Module) environment(call *Call) *environment {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, o := range m.environments {
		if maps.Equal(o.env, call.Env) {
			if last := len(m.environments) - 1; i != last {
				m.environments = append(slices.Delete(m.environments, i, i+1), o)
			}
			return o
		}
	}
	if len(m.environments) == environmentsMax {
		m.environments[0].drop()
		m.environments = slices.Delete(m.environments, 0, 1)
	}
	o := &environment{env: maps.Clone(call.Env), list: wasiEnviron(call.Env)}
	m.environments = append(m.environments, o)
	return o
}

// drop lets go of what is kept. A call that still runs in an instance of it throws it away itself.
func (o *environment) drop() {
	for _, in := range o.idle {
		in.close()
	}
	if o.first != nil {
		o.first.release()
	}
	o.idle, o.first = nil, nil
}

// take gives an instance that is prepared for the call. There is one also with an error, to be asked what it means.
func (m *Module) take(ctx context.Context, from *environment, call *Call, host Host) (*instance, error) {
	m.mu.Lock()
	if n := len(from.idle); n > 0 && from.idle[n-1].snapshot.size <= int(call.Limits.MemoryPages)<<16 {
		in := from.idle[n-1]
		from.idle = from.idle[:n-1]
		m.mu.Unlock()
		in.prepare(ctx, call, from.list, host)
		return in, nil
	}
	m.mu.Unlock()
	in, err := m.instantiate(ctx, call, from.list, host)
	if err != nil {
		return in, err
	}
	if err := in.module.ExportedFunction(saveName).CallWithStack(in, in.words[:]); err != nil {
		return in, err
	}
	m.settle(in, from)
	return in, nil
}

// settle gives a new instance its snapshot: the environment's when its memory is the same, else one of its own, since
// start code need not always do the same (it may read a clock, or random numbers).
func (m *Module) settle(in *instance, from *environment) {
	m.mu.Lock()
	first := from.first
	if first != nil {
		first.retain()
	}
	m.mu.Unlock()
	if first != nil && first.is(in.linear.bytes) {
		in.snapshot = first
		return
	}
	if first != nil {
		first.release()
	}
	in.snapshot = newSnapshot(in.linear.bytes)
	m.mu.Lock()
	defer m.mu.Unlock()
	if from.first == nil && !m.released && slices.Contains(m.environments, from) {
		from.first = in.snapshot
		in.snapshot.retain()
	}
}

// give puts an instance back and keeps it, or throws it away.
func (m *Module) give(to *environment, in *instance, usable bool) {
	in.finish()
	if !usable || !in.restore() {
		in.close()
		return
	}
	m.mu.Lock()
	kept := !m.released && len(to.idle) < idleMax && slices.Contains(m.environments, to)
	if kept {
		to.idle = append(to.idle, in)
	}
	m.mu.Unlock()
	if !kept {
		in.close()
	}
}
