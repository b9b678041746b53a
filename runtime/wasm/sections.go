package wasm

// limited takes a vector's length and holds it to a limit.
func (r *reader) limited(max uint32) uint32 {
	n := r.count()
	if n > max && r.err == nil {
		r.err = refuse("%d of them; the limit is %d", n, max)
		return 0
	}
	return n
}

func (r *reader) valueTypes() []byte {
	types := r.bytes(r.limited(1_000))
	for _, t := range types {
		if !isValueType(t) && r.err == nil {
			r.err = refuse("value type %#x", t)
		}
	}
	return types
}

func isValueType(t byte) bool {
	return t >= valueV128 && t <= valueI32 || t == valueFuncref || t == valueExternref
}

// The reference types.
const (
	valueFuncref   = 0x70
	valueExternref = 0x6f
)

func (r *reader) sizes() sizeLimits {
	var s sizeLimits
	switch flags := r.byte(); {
	case r.err != nil:
	case flags > 1:
		r.err = refuse("shared or 64-bit memory; build it for wasm32 without threads")
	default:
		s.min = r.u32()
		if s.hasMax = flags == 1; s.hasMax {
			s.max = r.u32()
		}
	}
	return s
}

func (m *module) readTypes(r *reader) {
	for range r.limited(typesMax) {
		if r.byte() != 0x60 && r.err == nil {
			r.err = refuse("a type that is not a function's")
		}
		t := functionType{params: r.valueTypes(), results: r.valueTypes()}
		if r.err != nil {
			return
		}
		m.types = append(m.types, t)
	}
}

func (m *module) readImports(r *reader) {
	for range r.limited(importsMax) {
		in := importEntry{module: r.name(), name: r.name(), kind: r.byte()}
		switch in.kind {
		case externFunction:
			in.index = r.u32()
		case externTable:
			r.byte()
			r.sizes()
		case externMemory:
			r.sizes()
		case externGlobal:
			r.byte()
			r.byte()
		default:
			r.fail()
		}
		if r.err != nil {
			return
		}
		m.imports = append(m.imports, in)
	}
}

func (m *module) readFunctions(r *reader) {
	for range r.limited(functionsMax) {
		t := r.u32()
		if t >= uint32(len(m.types)) {
			r.fail()
			return
		}
		m.functions = append(m.functions, t)
	}
}

func (m *module) readTables(r *reader) {
	for range r.limited(tablesMax) {
		t := tableType{element: r.byte(), sizeLimits: r.sizes()}
		if t.element != valueFuncref && t.element != valueExternref {
			r.fail()
		}
		if r.err != nil {
			return
		}
		m.tables = append(m.tables, t)
	}
}

func (m *module) readMemories(r *reader) {
	for range r.limited(1) {
		sizes := r.sizes()
		m.memory = &sizes
	}
}

func (m *module) readGlobals(r *reader) {
	for range r.limited(globalsMax) {
		g := globalType{value: r.byte(), mutable: r.byte() == 1}
		if !isValueType(g.value) {
			r.fail()
		}
		skipConstant(r, nil)
		if r.err != nil {
			return
		}
		m.globals = append(m.globals, g)
	}
}

func (m *module) readExports(r *reader) {
	for range r.limited(exportsMax) {
		e := exportEntry{name: r.name(), kind: r.byte(), index: r.u32()}
		if e.kind > externGlobal {
			r.fail()
		}
		if r.err != nil {
			return
		}
		m.exports = append(m.exports, e)
	}
}

// skipConstant passes a constant expression. Where function is not nil it is called with the position before each
// function index in it.
func skipConstant(r *reader, function func(at int, index uint32)) {
	for r.err == nil {
		switch opcode := r.byte(); opcode {
		case opEnd:
			return
		case opGlobalGet:
			// Only imported globals may stand here, and there are none.
			r.err = refuse("a constant that needs an imported global")
		case opRefFunc:
			at := r.at
			if index := r.u32(); function != nil {
				function(at, index)
			}
		case opI32Const, opI64Const:
			r.s64()
		case opF32Const:
			r.bytes(4)
		case opF64Const:
			r.bytes(8)
		case opRefNull:
			r.byte()
		case opSIMD:
			if r.u32() != simdConst {
				r.fail()
			}
			r.bytes(16)
		default:
			if r.err == nil {
				r.err = refuse("a constant expression with instruction %#x", opcode)
			}
		}
	}
}
