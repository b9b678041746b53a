package wasm

import (
	"encoding/binary"
	"math/bits"
)

// kernel is the memory through which an extism plugin and its host talk, and what else belongs to one call of a plugin.
// Addresses are the plugin's: none of them is trusted, and one that is wrong reads zeros and writes nothing.
type kernel struct {
	memory []byte
	limit  uint64
	unused [sizesMax][]uint64 // freed blocks, by size

	input, failure       uint64 // blocks, or 0
	output, outputLength uint64

	config  map[string]string
	vars    map[string][]byte // set by this call; a nil value is one that was removed
	noKV    bool              // the Host said that there is none
	status  int               // of the last response
	headers []byte            // of it, a JSON object
}

// The shape of memory: each block has a header before it, and a size of a power of two, so that a freed one fits the
// next.
const (
	headerBytes   = 8
	smallestBlock = 4 // as a power of two
	sizesMax      = 33
	memoryKeptMax = 1 << 20 // memory that a kernel keeps between calls
	headerMark    = 0x5ca1ab1e
)

// reset makes the kernel ready for another call. Nothing of the last one is left in its memory.
func (k *kernel) reset() {
	clear(k.memory)
	memory := k.memory[:0]
	if cap(memory) > memoryKeptMax {
		memory = nil
	}
	*k = kernel{memory: memory}
}

// alloc answers the address of a new block, or 0 when there is no room.
func (k *kernel) alloc(length uint64) uint64 {
	if length == 0 || length > k.limit {
		return 0
	}
	size := max(bits.Len64(length-1), smallestBlock)
	at := uint64(0)
	if free := k.unused[size]; len(free) > 0 {
		at = free[len(free)-1]
		k.unused[size] = free[:len(free)-1]
	} else if at = k.extend(uint64(1) << size); at == 0 {
		return 0
	}
	binary.LittleEndian.PutUint64(k.memory[at-headerBytes:], (uint64(uint32(at))^headerMark)<<32|length)
	return at
}

// extend adds a block of size bytes to the memory, whose first bytes belong to no block, so that no address is 0.
func (k *kernel) extend(size uint64) uint64 {
	used := max(uint64(len(k.memory)), headerBytes)
	at := used + headerBytes
	if at+size > k.limit+headerBytes*2 {
		return 0
	}
	if end := at + size; end > uint64(cap(k.memory)) {
		grown := make([]byte, end, max(end, min(2*uint64(cap(k.memory)), k.limit)))
		copy(grown, k.memory)
		k.memory = grown
	}
	k.memory = k.memory[:at+size]
	return at
}

// length is that of a block, 0 where there is none.
func (k *kernel) length(at uint64) uint64 {
	if at < headerBytes || at > uint64(len(k.memory)) {
		return 0
	}
	header := binary.LittleEndian.Uint64(k.memory[at-headerBytes:])
	if header>>32 != uint64(uint32(at))^headerMark {
		return 0
	}
	return uint64(uint32(header))
}

// free gives a block back. A plugin that writes over a header harms what it reads, and nothing else.
func (k *kernel) free(at uint64) {
	length := k.length(at)
	if length == 0 {
		return
	}
	clear(k.memory[at-headerBytes : at])
	size := max(bits.Len64(length-1), smallestBlock)
	// The second condition holds a plugin that makes up headers to what memory there is.
	if at+uint64(1)<<size <= uint64(len(k.memory)) && len(k.unused[size]) < len(k.memory)>>size {
		k.unused[size] = append(k.unused[size], at)
	}
}

// bytes is a view of memory, empty where it is outside.
func (k *kernel) bytes(at, length uint64) []byte {
	if end := at + length; end < at || end > uint64(len(k.memory)) {
		return nil
	}
	return k.memory[at : at+length]
}

// load reads a number of 1 or 8 bytes.
func (k *kernel) load(at, width uint64) uint64 {
	view := k.bytes(at, width)
	switch {
	case view == nil:
		return 0
	case width == 1:
		return uint64(view[0])
	}
	return binary.LittleEndian.Uint64(view)
}

func (k *kernel) store(at, value, width uint64) {
	view := k.bytes(at, width)
	switch {
	case view == nil:
	case width == 1:
		view[0] = byte(value)
	default:
		binary.LittleEndian.PutUint64(view, value)
	}
}

// loadInput reads a number of the input.
func (k *kernel) loadInput(offset, width uint64) uint64 {
	if end := offset + width; end < offset || end > k.length(k.input) {
		return 0
	}
	return k.load(k.input+offset, width)
}
