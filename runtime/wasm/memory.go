package wasm

import "github.com/tetratelabs/wazero/experimental"

// linearMemory is a guest's memory. Its limit can change from call to call.
type linearMemory struct {
	bytes  []byte // what the guest sees; the rest of its capacity is zero
	max    uint64 // the module's own
	limit  uint64
	denied bool // growing was refused because of the limit

	mapping []byte // a private mapping of the image of a snapshot, to be unmapped; nil where bytes is on the heap
	next    []byte // what Reallocate has to answer, whatever it is asked for
}

// Allocate implements experimental.MemoryAllocator. A module has one memory.
func (l *linearMemory) Allocate(_, _ uint64) experimental.LinearMemory { return l }

// Reallocate implements experimental.LinearMemory.
func (l *linearMemory) Reallocate(size uint64) []byte {
	switch {
	case l.next != nil:
		l.bytes, l.next = l.next, nil
		return l.bytes
	case size > l.max:
		return nil
	case size > l.limit:
		l.denied = true
		return nil
	}
	if size > uint64(cap(l.bytes)) {
		room := size
		if l.bytes != nil {
			room = min(max(size, uint64(cap(l.bytes))*2), l.limit, l.max)
		}
		grown := make([]byte, size, room)
		copy(grown, l.bytes)
		l.bytes = grown
	}
	l.bytes = l.bytes[:size]
	return l.bytes
}

// Free implements experimental.LinearMemory.
func (l *linearMemory) Free() {
	l.bytes = nil
	if l.mapping != nil {
		unmap(l.mapping)
		l.mapping = nil
	}
}

// isMapped says whether the guest's memory is the mapping; it has outgrown it otherwise, or there is none.
func (l *linearMemory) isMapped() bool {
	return l.mapping != nil && cap(l.bytes) > 0 && &l.bytes[:1][0] == &l.mapping[0]
}

// become makes next the instance's memory, also a shorter one: growing by a page makes the engine ask for a memory, and
// take what it is given. It says whether that worked.
func (in *instance) become(next []byte) bool {
	in.linear.next = next
	_, grown := in.memory.Grow(1)
	in.linear.next = nil
	return grown && int(in.memory.Size()) == len(next)
}
