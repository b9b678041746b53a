package wasm

// The instructions that are looked at by name. All others are only passed over.
const (
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
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
	opI32Ne        = 0x47
	opI32GeS       = 0x4e
	opI32Add       = 0x6a
	opI32Sub       = 0x6b
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

// splice is a place in a function's body where instrument puts something else.
type splice struct {
	at, cut int // position in the body and how many bytes go
	put     put
	units   int32  // of a check
	loop    int    // the splice that has the units: a loop's, or this one
	jumps   int    // of a loop: back to its head
	checked bool   // of a loop: at its head, and not before the jumps
	index   uint32 // of a function; or how many blocks a jump leaves
}

// put is what comes in a splice's place.
type put byte

const (
	putIndex   put = iota // the function index
	putDropped            // the mark that a segment is dropped
	putCheck              // a check
	putHead               // a check where the loop is checked at its head
	putJump               // a check before a jump where the loop is not
	putJumpIf             // the same around a jump with a condition
)

// walker passes over one function's body, in the order of its bytes, and notes what has to change. The engine validates
// the outcome; the walker refuses what it does not know, because behind an unknown instruction it would misread the
// rest.
type walker struct {
	reader
	m       *module
	splices []splice
	open    []int  // the open blocks: the index in splices of a loop's, or −1
	targets uint32 // of all jumps with several, in this function
	locals  uint64 // of all functions so far
	facts   facts
}

// facts are what the code does that decides how an instance is restored.
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
	w.check(w.at, 1+int32(len(code)/bytesPerUnit))
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
	case opcode == opBr, opcode == opBrIf:
		w.jump(at, opcode)
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
		w.check(at, bulkUnits)
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
	case opcode >= 0x20 && opcode <= 0x22: // locals
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
	case opcode == 0x00, opcode == 0x01, opcode == opElse, opcode == opReturn, // unreachable, nop
		opcode == 0x1a, opcode == 0x1b, // drop, select
		opcode >= 0x45 && opcode <= 0xc4, // numbers
		opcode == 0xd1:                   // ref.is_null
	default:
		w.unknown(uint32(opcode))
	}
}

func (w *walker) unknown(code uint32) {
	if w.err == nil {
		w.err = refuse("uses an instruction (%#x) that WebAssembly 2.0 does not have; "+
			"build it without exceptions, tail calls, threads and garbage collection", code)
	}
}

func (w *walker) block(opcode byte) {
	blockType := w.s64()
	w.typeIndex(blockType)
	opened := -1
	if opcode == opLoop {
		opened = len(w.splices)
		bringsValues := blockType >= 0
		w.splices = append(w.splices, splice{at: w.at, put: putHead, units: 1, loop: opened, checked: bringsValues})
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
	for range count + 1 {
		if loop := w.loop(w.u32()); loop >= 0 {
			w.splices[loop].checked = true
		}
	}
}

// loop is the index in splices of the loop whose head a jump goes to; −1 where it goes to a block's end.
func (w *walker) loop(depth uint32) int {
	if depth >= uint32(len(w.open)) {
		return -1
	}
	return w.open[len(w.open)-1-int(depth)]
}

// jump passes where a br or br_if goes to.
func (w *walker) jump(at int, opcode byte) {
	depth := w.u32()
	loop := w.loop(depth)
	if loop < 0 {
		return
	}
	w.splices[loop].jumps++
	if w.splices[loop].jumps > loopJumpsMax {
		w.splices[loop].checked = true
	}
	s := splice{at: at, put: putJump, loop: loop}
	if opcode == opBrIf {
		s.put, s.cut, s.index = putJumpIf, w.at-at, depth
	}
	w.splices = append(w.splices, s)
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
		w.splices = append(w.splices, splice{at: at, cut: w.at - at, put: putIndex, index: moved})
	}
}

// table passes a table index. One just beyond the module's own would reach a copy.
func (w *walker) table() {
	if w.u32() >= uint32(len(w.m.tables)) {
		w.fail()
	}
}

// check puts one at a position.
func (w *walker) check(at int, units int32) {
	w.splices = append(w.splices, splice{at: at, put: putCheck, units: units, loop: len(w.splices)})
}

// bulk passes what comes behind its first byte. The work of some does not show in their size.
func (w *walker) bulk(at int) {
	switch code := w.u32(); code {
	case 0, 1, 2, 3, 4, 5, 6, 7: // saturating conversions
	case bulkMemoryInit:
		w.check(at, bulkUnits)
		w.u32()
		w.byte()
	case bulkMemoryCopy:
		w.check(at, bulkUnits)
		w.bytes(2)
	case bulkMemoryFill:
		w.check(at, bulkUnits)
		w.byte()
	case bulkTableInit:
		w.check(at, bulkUnits)
		w.facts.writesTables = true
		w.u32()
		w.table()
	case bulkTableCopy:
		w.check(at, bulkUnits)
		w.facts.writesTables = true
		w.table()
		w.table()
	case bulkTableGrow, bulkTableFill:
		w.check(at, bulkUnits)
		w.facts.writesTables = true
		w.table()
	case bulkDataDrop, bulkElemDrop:
		w.splices = append(w.splices, splice{at: at, put: putDropped})
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
