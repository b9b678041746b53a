package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"time"

	"chatterbox/runtime/wasm"
)

// The module that is compiled to calibrate has nothing but functions that load and forget a word.
const (
	calibrationFunctions = 100
	calibrationLoads     = 20
	calibrationTime      = 8 * time.Millisecond // of processor time, where compileTime is meant as it stands
)

// slowness is how much longer this machine takes to compile than one that has the calibration module in its time: at
// least 1, and at most compileSlowest.
func slowness(interpret bool) float64 {
	before := processorTime(os.Getpid())
	module, err := wasm.NewEngine(wasm.Options{Interpret: interpret}).Load(context.Background(), calibrationModule())
	if err != nil || module.Close() != nil {
		return 1
	}
	took := processorTime(os.Getpid()) - before
	return min(max(1, float64(took)/float64(calibrationTime)), compileSlowest)
}

func calibrationModule() []byte {
	body := append(bytes.Repeat([]byte{0x41, 0, 0x28, 2, 0, 0x1a}, calibrationLoads), 0x0b)
	body = append(binary.AppendUvarint(nil, uint64(1+len(body))), append([]byte{0}, body...)...)
	module := []byte("\x00asm\x01\x00\x00\x00")
	for _, section := range []struct {
		id      byte
		content []byte
	}{
		{1, []byte{1, 0x60, 0, 0}},                              // the type () -> ()
		{3, repeated([]byte{0})},                                // of each function
		{5, []byte{1, 0, 1}},                                    // the memory
		{7, []byte("\x02\x06memory\x02\x00\x06_start\x00\x00")}, // the exports
		{10, repeated(body)},                                    // the code
	} {
		module = append(binary.AppendUvarint(append(module, section.id), uint64(len(section.content))), section.content...)
	}
	return module
}

// repeated is the vector of one element for each function.
func repeated(element []byte) []byte {
	return append(binary.AppendUvarint(nil, calibrationFunctions), bytes.Repeat(element, calibrationFunctions)...)
}
