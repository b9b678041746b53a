package wasm

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// FuzzMetering runs programs as they come and rewritten: both must come to the same result, memory and globals, and the
// host must be asked at least once for every workUnits turns of loops and calls of functions.
func FuzzMetering(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		seed := make([]byte, 600)
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed []byte) {
		binary := program(seed)
		m, err := parse(binary)
		if err != nil {
			t.Fatal(err)
		}
		rewritten, err := instrument(m)
		if err != nil {
			t.Fatal(err)
		}
		want, got := runProgram(t, binary), runProgram(t, rewritten.binary)
		counted := (got.looks + 1) * workUnits
		if uncounted := got.globals[headsGlobal] - got.globals[loopsGlobal] + got.globals[callsGlobal]; counted < uncounted {
			t.Errorf("%d turns and calls, and %d looks", uncounted, got.looks)
		}
		got.looks = 0
		if want.result != got.result || want.globals != got.globals || !bytes.Equal(want.memory, got.memory) {
			t.Errorf("as it came %s %v, rewritten %s %v", want.result, want.globals, got.result, got.globals)
		}
	})
}

// The globals of a program.
const (
	fuelGlobal  = iota // turns and calls that are left, or it would not end
	depthGlobal        // of calls
	headsGlobal        // how often a loop's head was passed
	loopsGlobal        // how often from outside
	callsGlobal        // of functions
	programGlobals
)

type ran struct {
	result  string
	memory  []byte
	globals [programGlobals]int
	looks   int
}

func runProgram(t *testing.T, binary []byte) ran {
	t.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)
	var r ran
	_, err := runtime.NewHostModuleBuilder(meterModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(context.Context, []uint64) { r.looks++ }), nil, nil).Export(meterName).Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	in, err := runtime.Instantiate(ctx, binary)
	if err != nil {
		t.Fatal(err)
	}
	words, err := in.ExportedFunction("run").Call(ctx, 7)
	if err == nil {
		r.result = fmt.Sprint(words)
	} else {
		r.result, _, _ = strings.Cut(err.Error(), "\n")
	}
	view, _ := in.Memory().Read(0, in.Memory().Size())
	r.memory = bytes.Clone(view)
	for i := range r.globals {
		r.globals[i] = int(int32(in.ExportedGlobal(string(rune('a' + i))).Get()))
	}
	return r
}

// programmer writes functions (i32) -> i32 as the bytes of a seed choose, with three local variables more. Statements
// leave the stack as it was.
type programmer struct {
	seed   []byte
	code   []byte
	labels []bool // of the open blocks: whether a jump there brings a value
}

const (
	programFunctions = 3
	programBytes     = 3_000 // after which a function comes to its end
	programNesting   = 8
)

// program is a module with one memory that exports its first function as run, and its globals as a, b and so on.
func program(seed []byte) []byte {
	p := &programmer{seed: seed}
	globals, exports := []byte{programGlobals}, []byte{2 + programGlobals}
	exports = append(appendName(exports, "run"), externFunction, 0)
	exports = append(appendName(exports, "memory"), externMemory, 0)
	for i := range programGlobals {
		start := int32(0)
		if i == fuelGlobal {
			start = 4 * workUnits
		}
		globals = append(appendS32(append(globals, valueI32, 1, opI32Const), start), opEnd)
		exports = append(appendName(exports, string(rune('a'+i))), externGlobal, byte(i))
	}
	code := []byte{programFunctions}
	for range programFunctions {
		p.code = []byte{1, 3, valueI32}
		p.count(callsGlobal, 1)
		p.turn()
		for range 4 {
			p.statements()
		}
		p.expression(2)
		p.code = append(p.code, opEnd)
		code = append(appendU32(code, uint32(len(p.code))), p.code...)
	}
	binary := append([]byte(nil), coreHeader...)
	binary = appendSection(binary, sectionType, []byte{1, 0x60, 1, valueI32, 1, valueI32})
	binary = appendSection(binary, sectionFunction, append([]byte{programFunctions}, make([]byte, programFunctions)...))
	binary = appendSection(binary, sectionMemory, []byte{1, 0, 1})
	binary = appendSection(binary, sectionGlobal, globals)
	binary = appendSection(binary, sectionExport, exports)
	return appendSection(binary, sectionCode, code)
}

// choose takes one of the first n numbers from the seed; 0 where it is used up.
func (p *programmer) choose(n int) int {
	if len(p.seed) == 0 {
		return 0
	}
	chosen := int(p.seed[0]) % n
	p.seed = p.seed[1:]
	return chosen
}

func (p *programmer) put(code ...byte) { p.code = append(p.code, code...) }

// count adds to a global.
func (p *programmer) count(global byte, add int32) {
	p.code = appendS32(append(p.code, opGlobalGet, global, opI32Const), add)
	p.put(opI32Add, opGlobalSet, global)
}

// turn leaves the function when the fuel is used up.
func (p *programmer) turn() {
	p.count(fuelGlobal, -1)
	p.put(opGlobalGet, fuelGlobal, opI32Const, 0, opI32LtS, opIf, typeEmpty, opLocalGet, 0, opReturn, opEnd)
}

const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opI32Load     = 0x28
	opI32Store    = 0x36
	opI32LtS      = 0x48
	opI32And      = 0x71
)

// expression leaves an i32 on the stack.
func (p *programmer) expression(nesting int) {
	switch kind := p.choose(8); {
	case kind < 3 || nesting == 0:
		p.put(opLocalGet, byte(p.choose(4)))
	case kind < 5:
		p.code = appendS32(append(p.code, opI32Const), int32(p.choose(7))-2)
	case kind == 5:
		p.address()
		p.put(opI32Load, 2, 0)
	default:
		p.expression(nesting - 1)
		p.expression(nesting - 1)
		p.put([]byte{opI32Add, opI32Sub, opI32LtS, opI32Ne, opI32And, 0x6c, 0x73}[p.choose(7)]) // mul and xor, too
	}
}

// address leaves one that is inside memory on the stack.
func (p *programmer) address() {
	p.expression(1)
	p.code = append(appendS32(append(p.code, opI32Const), 0xff), opI32And)
}

func (p *programmer) set() { p.put(opLocalSet, byte(p.choose(4))) }

// body is what a block has inside. jumping is where a loop most often ends: with a jump back, which brings the value on
// the stack along where it needs one.
func (p *programmer) body(valued, jumping bool) {
	p.labels = append(p.labels, valued)
	p.statements()
	if valued {
		p.expression(1)
	}
	if jumping && p.choose(4) > 0 {
		p.expression(1)
		p.put(opBrIf, 0)
	}
	p.labels = p.labels[:len(p.labels)-1]
}

func (p *programmer) statements() {
	for range p.choose(5) {
		if len(p.code) < programBytes && len(p.labels) < programNesting {
			p.statement()
		}
	}
}

func (p *programmer) statement() {
	switch p.choose(16) {
	case 0, 1:
		p.expression(2)
		p.set()
	case 2: // a value waits on the stack
		p.expression(1)
		p.statement()
		p.set()
	case 3:
		p.address()
		p.expression(1)
		p.put(opI32Store, 2, 0)
	case 4:
		p.address()
		p.expression(1)
		p.address()
		p.put(opBulk, bulkMemoryFill, 0)
	case 5:
		p.put(opBlock, typeEmpty)
		p.body(false, false)
		p.put(opEnd)
	case 6:
		p.put(opBlock, valueI32)
		p.body(true, false)
		p.put(opEnd)
		p.set()
	case 7:
		p.expression(1)
		p.put(opIf, typeEmpty)
		p.body(false, false)
		p.put(opElse)
		p.body(false, false)
		p.put(opEnd)
	case 8, 9, 10:
		p.loop()
	case 11:
		p.call()
	case 12, 13:
		p.jump(opBrIf)
	default:
		p.expression(1)
		p.put(opIf, typeEmpty)
		p.labels = append(p.labels, false)
		p.leave()
		p.labels = p.labels[:len(p.labels)-1]
		p.put(opEnd)
	}
}

// loop may have a parameter, which then lies on the stack at its head.
func (p *programmer) loop() {
	valued := p.choose(4) == 0
	p.count(loopsGlobal, 1)
	if valued {
		p.expression(1)
		p.put(opLoop, 0)
	} else {
		p.put(opLoop, typeEmpty)
	}
	p.count(headsGlobal, 1)
	p.turn()
	if valued {
		p.set()
	}
	p.body(valued, true)
	p.put(opEnd)
	if valued {
		p.set()
	}
}

func (p *programmer) call() {
	p.put(opGlobalGet, depthGlobal, opI32Const, 20, opI32LtS, opIf, typeEmpty)
	p.count(depthGlobal, 1)
	p.expression(1)
	p.put(opCall, byte(p.choose(programFunctions)))
	p.set()
	p.count(depthGlobal, -1)
	p.put(opEnd)
}

// jump goes to any open block.
func (p *programmer) jump(opcode byte) {
	if len(p.labels) == 0 {
		return
	}
	depth := p.choose(len(p.labels))
	valued := p.labels[len(p.labels)-1-depth]
	if valued {
		p.expression(1)
	}
	if opcode == opBrIf {
		p.expression(1)
	}
	p.put(opcode, byte(depth))
	if valued && opcode == opBrIf {
		p.set()
	}
}

// leave goes away for good; what follows never runs.
func (p *programmer) leave() {
	switch p.choose(8) {
	case 0:
		p.put(opUnreachable)
	case 1:
		p.expression(1)
		p.put(opReturn)
	case 2, 3, 4:
		p.table()
	default:
		p.jump(opBr)
	}
	p.statements()
}

// table is a br_table to blocks whose jumps bring no value.
func (p *programmer) table() {
	var depths []byte
	for i, valued := range p.labels {
		if depth := len(p.labels) - 1 - i; !valued && p.choose(3) > 0 {
			depths = append(depths, byte(depth))
		}
	}
	if len(depths) > 0 {
		p.expression(1)
		p.put(opBrTable, byte(len(depths)-1))
		p.put(depths...)
	}
}
