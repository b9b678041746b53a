package wasm

// This file puts an instance back to the state that it had before its first call: globals and tables by the code that
// instrument added, the memory by copying it back or by giving the pages that were written to back to the kernel.

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
)

const (
	weighedBytesMin = 256 << 10 // smaller memories are always copied back
	spareBytesMax   = 16 << 20  // by which an instance that is kept may have grown
)

// snapshot is a memory as it was before the first call. Instances that were the same then share one.
type snapshot struct {
	memory []byte // without the zeros at its end
	size   int    // with them

	users    atomic.Int32
	weighing sync.Once
	image    *image // set by weighing; nil where memory is copied back
}

// newSnapshot is one with one user.
func newSnapshot(memory []byte) *snapshot {
	h := &snapshot{memory: bytes.Clone(bytes.TrimRight(memory, "\x00")), size: len(memory)}
	h.retain()
	return h
}

func (h *snapshot) retain() { h.users.Add(1) }

func (h *snapshot) release() {
	if h.users.Add(-1) == 0 && h.image != nil {
		h.image.close()
	}
}

func (h *snapshot) is(memory []byte) bool {
	return len(memory) == h.size && bytes.Equal(memory[:len(h.memory)], h.memory) &&
		len(bytes.TrimRight(memory[len(h.memory):], "\x00")) == 0
}

// restore puts the instance back. Where it says false that is not possible, and the instance is of no more use.
func (in *instance) restore() bool {
	if in.restorer == nil {
		in.restorer = in.module.ExportedFunction(restoreName)
	}
	if err := in.restorer.CallWithStack(context.Background(), in.words[:]); err != nil || uint32(in.words[0]) != 1 {
		return false
	}
	h, l := in.snapshot, in.linear
	if h.size >= weighedBytesMin {
		h.weighing.Do(func() { h.image = weigh(l.bytes[:h.size], h.memory) })
	}
	switch {
	case cap(l.bytes) > h.size+spareBytesMax:
		return false
	case h.image == nil:
		copyBack(l.bytes, h.memory)
	case l.mapping == nil:
		mapping, err := h.image.mapped(max(cap(l.bytes), int(in.outgrew.Load())))
		if err != nil {
			return false
		}
		l.mapping = mapping
		return in.become(mapping[:h.size])
	case !l.isMapped():
		in.outgrew.Store(int64(cap(l.bytes)))
		return false
	case discard(l.mapping) != nil:
		return false
	}
	return len(l.bytes) == h.size || in.become(l.bytes[:h.size])
}

// copyBack makes used what memory was, which may be shorter by zeros.
func copyBack(used, memory []byte) { clear(used[copy(used, memory):]) }
