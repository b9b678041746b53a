package wasm

// This file says how a guest's work is counted. The rules are:
//   - each function's entry, each turn of a loop and each bulk operation takes what it may cost from a counter, a global
//     that the guest cannot reach, before it does it. Any path without end passes such a check;
//   - when the counter is used up the guest calls the host, which looks at the deadline. A deadline thus ends any guest, also
//     one that never loops; and since machine code cannot be preempted, these calls are also where the Go runtime gets the
//     thread back, for instance to collect garbage;
//   - a loop's check stands before each jump back to its head, so that a loop left in its first turn, as most are that skip
//     white space, costs nothing: its first turn is counted with the code around it. It stands at the head where the jumps
//     are many or bring values along, or one of them is a br_table.

// workUnits is how much work passes between two looks at the deadline: about 0.3 ms, at worst some 100 ms.
const workUnits = 32_768

// Work is counted in units of about 64 bytes of code, which take some 10 ns; see [module.appendCheck].
const (
	bytesPerUnit = 64
	bulkUnits    = 4_096
)

// loopJumpsMax is how many jumps back to a loop's head have a check each; it bounds how much longer checks make a
// function.
const loopJumpsMax = 8

// The names that the host adds.
const (
	meterModule = reservedPrefix + "meter"
	meterName   = "check"
)

// appendCheck takes units of work from the counter. Where it held less the guest calls refill and takes them again.
// That jump back is for speed: the engine puts a block behind all that comes later in the program only when it does not
// lead there.
func (m *module) appendCheck(b []byte, units int32) []byte {
	units = min(units, workUnits/2) // so that they can be taken after refill
	b = appendU32(append(b, opLoop, typeEmpty, opGlobalGet), m.counterIndex())
	b = append(appendS32(append(b, opI32Const), units), opI32Sub)
	b = appendU32(append(b, opGlobalSet), m.counterIndex())
	b = appendU32(append(b, opGlobalGet), m.counterIndex())
	b = append(b, opI32Const, 0, opI32GeS, opIf, typeEmpty, opElse)
	b = appendU32(append(b, opCall), m.refillIndex())
	return append(b, opBr, 1, opEnd, opEnd)
}

// appendJumpIf is a br_if to the loop of that depth, with a check where it jumps.
func (m *module) appendJumpIf(b []byte, units int32, depth uint32) []byte {
	b = m.appendCheck(append(b, opIf, typeEmpty), units)
	return append(appendU32(append(b, opBr), depth+1), opEnd)
}

// refillIndex is the function that refillBody is of; it comes after those that save and restore.
func (m *module) refillIndex() uint32 { return m.moved(m.functionCount() + 2) }

// refillBody lets the host look and fills the counter up.
func (m *module) refillBody() []byte {
	b := appendU32([]byte{0, opCall}, uint32(len(m.imports))) // no locals
	b = appendU32(append(b, opGlobalGet), m.counterIndex())
	b = append(appendS32(append(b, opI32Const), workUnits), opI32Add)
	b = appendU32(append(b, opGlobalSet), m.counterIndex())
	return append(b, opEnd)
}
