package wasm

// The instructions that are looked at by name. All others are only passed over.
const (
	opLoop         = 0x03
	opElse         = 0x05
	opEnd          = 0x0b
	opBrTable      = 0x0e
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelectTyped  = 0x1c
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableGet     = 0x25
	opTableSet     = 0x26
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opRefNull      = 0xd0
	opRefFunc      = 0xd2
	opBulk         = 0xfc
	opSIMD         = 0xfd
)

// Second bytes of opBulk and opSIMD.
const (
	bulkMemoryInit = 8
	bulkDataDrop   = 9
	bulkMemoryCopy = 10
	bulkMemoryFill = 11
	bulkTableInit  = 12
	bulkElemDrop   = 13
	bulkTableCopy  = 14
	bulkTableGrow  = 15
	bulkTableSize  = 16
	bulkTableFill  = 17
	simdConst      = 12
	simdShuffle    = 13
)

// Work is counted in units of about 64 bytes of code, which take some 10 ns; see [check].
const (
	bytesPerUnit = 64
	bulkUnits    = 4_096
)

// splice is a place in a function's body where instrument puts something else.
type splice struct {
	at, cut int    // position in the body and how many bytes go
	units   int32  // > 0: a check of that weight is put here
	drops   bool   // else: the mark that a segment is dropped
	index   uint32 // else: a function index
}

// walker passes over one function's body, in the order of its bytes, and notes what has to change. The engine validates
// the outcome; the walker refuses what it does not know, because behind an unknown instruction it would misread the rest.
type walker struct {
	reader
	m       *module
	splices []splice
	open    []int  // the open blocks: the index in splices of a loop's check, or −1
	targets uint32 // of all jumps with several, in this function
	locals  uint64 // of all functions so far
	facts   facts
}

// facts are what the code does that decides how an instance is put back.
type facts struct {
	writesTables bool
}

// body walks code, a function's body with its locals.
func (w *walker) body(code []byte) error {
	w.reader = reader{b: code}
	w.splices, w.open, w.targets = w.splices[:0], w.open[:0], 0
	locals := uint64(0)
	for range w.count() {
		locals += uint64(w.u32())
		w.byte()
	}
	w.locals += locals
	switch {
	case locals > localsMax:
		return refuse("has a function with %d local variables; the limit is %d", locals, localsMax)
	case w.locals > localsTotalMax:
		return refuse("has more than %d local variables", localsTotalMax)
	}
	w.splices = append(w.splices, splice{at: w.at, units: 1 + int32(len(code)/bytesPerUnit)})
	for w.err == nil {
		if w.instruction() {
			break
		}
	}
	if w.err == nil && !w.done() {
		w.fail()
	}
	if refusal, ok := w.err.(Refusal); ok {
		return refusal
	} else if w.err != nil {
		return refuse("is broken: a function's code %v", w.err)
	}
	return nil
}

// instruction passes one instruction and says whether it was the body's last.
func (w *walker) instruction() (last bool) {
	at := w.at
	switch opcode := w.byte(); {
	case opcode >= 0x02 && opcode <= 0x04: // block, loop, if
		w.block(opcode)
	case opcode == opEnd:
		return w.end()
	case opcode == opBrTable:
		w.branches()
	case opcode == opCall, opcode == opRefFunc:
		w.function()
	case opcode == opCallIndirect:
		w.typeIndex(int64(w.u32()))
		w.table()
	case opcode == opSelectTyped:
		w.valueTypes()
	case opcode == opGlobalGet, opcode == opGlobalSet:
		// An index just beyond the module's own would reach the counter that instrument adds.
		if w.u32() >= uint32(len(w.m.globals)) {
			w.fail()
		}
	case opcode == opTableGet:
		w.table()
	case opcode == opTableSet:
		w.facts.writesTables = true
		w.table()
	case opcode == opMemoryGrow:
		w.check(at)
		w.byte()
	case opcode == opBulk:
		w.bulk(at)
	case opcode == opSIMD:
		w.simd()
	default:
		w.plain(opcode)
	}
	return false
}

// plain passes the immediates of the instructions that need nothing else.
func (w *walker) plain(opcode byte) {
	switch {
	case opcode == 0x0c, opcode == 0x0d, // br, br_if
		opcode >= 0x20 && opcode <= 0x22: // locals
		w.u32()
	case opcode >= 0x28 && opcode <= 0x3e: // loads and stores
		w.u32()
		w.u32()
	case opcode == 0x3f, opcode == opRefNull: // memory.size
		w.byte()
	case opcode == opI32Const, opcode == opI64Const:
		w.s64()
	case opcode == opF32Const:
		w.bytes(4)
	case opcode == opF64Const:
		w.bytes(8)
	case opcode == 0x00, opcode == 0x01, opcode == opElse, opcode == 0x0f, // unreachable, nop, return
		opcode == 0x1a, opcode == 0x1b, // drop, select
		opcode >= 0x45 && opcode <= 0xc4, // numbers
		opcode == 0xd1:                   // ref.is_null
	default:
		w.unknown(uint32(opcode))
	}
}

func (w *walker) unknown(code uint32) {
	if w.err == nil {
		w.err = refuse("uses an instruction (%#x) that WebAssembly 2.0 does not have; build it without exceptions, tail calls, threads and garbage collection", code)
	}
}

func (w *walker) block(opcode byte) {
	w.typeIndex(w.s64())
	opened := -1
	if opcode == opLoop {
		opened = len(w.splices)
		w.splices = append(w.splices, splice{at: w.at, units: 1})
	}
	w.open = append(w.open, opened)
	if len(w.open) > nestingMax && w.err == nil {
		w.err = refuse("has a function with more than %d blocks one in the other", nestingMax)
	}
}

// branches passes the targets of a jump.
func (w *walker) branches() {
	count := w.count()
	if w.targets += count; w.targets > targetsMax && w.err == nil {
		w.err = refuse("has a function whose jumps have more than %d targets", targetsMax)
	}
	for range count {
		w.u32()
	}
	w.u32()
}

// typeIndex holds an index of a type to those that the module has; negative is a value type or none.
func (w *walker) typeIndex(index int64) {
	if index >= int64(len(w.m.types)) {
		w.fail()
	}
}

func (w *walker) end() (last bool) {
	if len(w.open) == 0 {
		return true
	}
	if loop := w.open[len(w.open)-1]; loop >= 0 {
		w.splices[loop].units += int32((w.at - w.splices[loop].at) / bytesPerUnit)
	}
	w.open = w.open[:len(w.open)-1]
	return false
}

// function passes a function index and notes its new value.
func (w *walker) function() {
	at := w.at
	index := w.u32()
	if index >= w.m.functionCount() {
		w.fail()
	}
	if moved := w.m.moved(index); moved != index {
		w.splices = append(w.splices, splice{at: at, cut: w.at - at, index: moved})
	}
}

// table passes a table index. One just beyond the module's own would reach a copy.
func (w *walker) table() {
	if w.u32() >= uint32(len(w.m.tables)) {
		w.fail()
	}
}

// check puts one before an instruction whose work does not show in its size.
func (w *walker) check(at int) {
	w.splices = append(w.splices, splice{at: at, units: bulkUnits})
}

func (w *walker) bulk(at int) {
	switch code := w.u32(); code {
	case 0, 1, 2, 3, 4, 5, 6, 7: // saturating conversions
	case bulkMemoryInit:
		w.check(at)
		w.u32()
		w.byte()
	case bulkMemoryCopy:
		w.check(at)
		w.bytes(2)
	case bulkMemoryFill:
		w.check(at)
		w.byte()
	case bulkTableInit:
		w.check(at)
		w.facts.writesTables = true
		w.u32()
		w.table()
	case bulkTableCopy:
		w.check(at)
		w.facts.writesTables = true
		w.table()
		w.table()
	case bulkTableGrow, bulkTableFill:
		w.check(at)
		w.facts.writesTables = true
		w.table()
	case bulkDataDrop, bulkElemDrop:
		w.splices = append(w.splices, splice{at: at, drops: true})
		w.u32()
	case bulkTableSize:
		w.table()
	default:
		w.unknown(opBulk<<8 | code)
	}
}

func (w *walker) simd() {
	switch code := w.u32(); {
	case code <= 11, code == 92, code == 93: // loads and stores
		w.u32()
		w.u32()
	case code == simdConst, code == simdShuffle:
		w.bytes(16)
	case code >= 21 && code <= 34: // lanes
		w.byte()
	case code >= 84 && code <= 91: // loads and stores of a lane
		w.u32()
		w.u32()
		w.byte()
	case code <= 255:
	default:
		w.unknown(opSIMD<<8 | code)
	}
}
