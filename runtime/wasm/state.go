package wasm

// This file adds to a module what puts an instance's state back, as far as it is not memory: a copy of every mutable
// global, a copy of every table where tables are written, and two functions, one that fills the copies and one that
// copies back. They run as code of the module itself, because the engine's interface reaches neither tables nor every
// kind of global, and because one call is faster than one for each. Guests cannot reach what is added: admission and
// the walker hold every index to what the module itself defines.

// The names of the two functions.
const (
	saveName    = reservedPrefix + "save"    // () -> (): what is now is what comes back
	restoreName = reservedPrefix + "restore" // () -> i32: 1, or 0 where it cannot be restored
)

const typeEmpty = 0x40 // of a block

// The globals that are added come after the module's own: the counter of work, the mark of a dropped segment, the
// copies.
func (m *module) counterIndex() uint32 { return uint32(len(m.globals)) }
func (m *module) droppedIndex() uint32 { return uint32(len(m.globals)) + 1 }
func (m *module) copiesIndex() uint32  { return uint32(len(m.globals)) + 2 }

// addedGlobals are those, as the section of globals holds them, and how many there are.
func (m *module) addedGlobals() (entries []byte, count uint32) {
	entries = append(appendS32([]byte{valueI32, 1, opI32Const}, workUnits), opEnd)
	entries = append(entries, valueI32, 1, opI32Const, 0, opEnd)
	count = 2
	for _, g := range m.globals {
		if g.mutable {
			entries = append(appendZero(append(entries, g.value, 1), g.value), opEnd)
			count++
		}
	}
	return entries, count
}

// appendZero is the constant expression of a type's zero, without its end.
func appendZero(b []byte, value byte) []byte {
	switch value {
	case valueI32:
		return append(b, opI32Const, 0)
	case valueI64:
		return append(b, opI64Const, 0)
	case valueF32:
		return append(append(b, opF32Const), make([]byte, 4)...)
	case valueF64:
		return append(append(b, opF64Const), make([]byte, 8)...)
	case valueV128:
		return append(append(b, opSIMD, simdConst), make([]byte, 16)...)
	}
	return append(b, opRefNull, value)
}

// eachCopy calls with the index of each mutable global and that of its copy.
func (m *module) eachCopy(each func(global, copied uint32)) {
	at := m.copiesIndex()
	for i, g := range m.globals {
		if g.mutable {
			each(uint32(i), at)
			at++
		}
	}
}

// copiedTables is how many tables have a copy; that of table t is table t plus this.
func (m *module) copiedTables(f facts) uint32 {
	if f.writesTables {
		return uint32(len(m.tables))
	}
	return 0
}

// saveBody is the function that fills the copies.
func (m *module) saveBody(f facts) []byte {
	b := []byte{0} // no locals
	m.eachCopy(func(global, copied uint32) {
		b = appendU32(append(b, opGlobalGet), global)
		b = appendU32(append(b, opGlobalSet), copied)
	})
	tables := m.copiedTables(f)
	for t := range tables {
		b = append(b, opRefNull, m.tables[t].element)
		b = appendTableSizes(b, t, tables)
		b = appendU32(append(b, opI32Sub, opBulk, bulkTableGrow), t+tables)
		b = append(b, opDrop)
		b = appendTableCopy(b, t+tables, t)
	}
	b = appendU32(append(b, opI32Const, 0, opGlobalSet), m.droppedIndex())
	return append(b, opEnd)
}

// restoreBody is the function that copies back. A table cannot shrink and a segment cannot come back.
func (m *module) restoreBody(f facts) []byte {
	giveUp := []byte{opIf, typeEmpty, opI32Const, 0, opReturn, opEnd}
	b := []byte{0}
	tables := m.copiedTables(f)
	for t := range tables {
		b = appendTableSizes(b, t, tables)
		b = append(append(b, opI32Ne), giveUp...)
	}
	b = append(appendU32(append(b, opGlobalGet), m.droppedIndex()), giveUp...)
	m.eachCopy(func(global, copied uint32) {
		b = appendU32(append(b, opGlobalGet), copied)
		b = appendU32(append(b, opGlobalSet), global)
	})
	for t := range tables {
		b = appendTableCopy(b, t, t+tables)
	}
	b = appendS32(append(b, opI32Const), workUnits)
	b = appendU32(append(b, opGlobalSet), m.counterIndex())
	return append(b, opI32Const, 1, opEnd)
}

// appendTableSizes pushes the size of table t and that of its copy.
func appendTableSizes(b []byte, t, tables uint32) []byte {
	b = appendU32(append(b, opBulk, bulkTableSize), t)
	return appendU32(append(b, opBulk, bulkTableSize), t+tables)
}

// appendTableCopy copies all of one table to another, which is as large.
func appendTableCopy(b []byte, to, from uint32) []byte {
	b = append(b, opI32Const, 0, opI32Const, 0)
	b = appendU32(append(b, opBulk, bulkTableSize), from)
	return appendU32(appendU32(append(b, opBulk, bulkTableCopy), to), from)
}
