package wasm

// This file rewrites an admitted module before it is compiled. What it adds:
//   - what counts work: see meter.go;
//   - what puts globals and tables back between calls: see state.go;
//   - a maximum for each table. That of the memory is taken away: linearMemory holds to it, and needs room to say that the
//     memory is smaller again.
//
// The host's function comes after the imported ones, so every index of a function that the module defines moves by one.

// addedFunctions is how many are defined beside the module's own.
const addedFunctions = 3

// instrumented is a module that is ready to be compiled.
type instrumented struct {
	binary []byte
	facts  facts
}

// moved is where a function's index goes.
func (m *module) moved(index uint32) uint32 {
	if index < uint32(len(m.imports)) {
		return index
	}
	return index + 1
}

func instrument(m *module) (*instrumented, error) {
	code, facts, err := m.meteredCode()
	if err != nil {
		return nil, err
	}
	elements, err := m.movedElements()
	if err != nil {
		return nil, err
	}
	start, err := m.movedStart()
	if err != nil {
		return nil, err
	}
	globals, err := m.withGlobals()
	if err != nil {
		return nil, err
	}
	sections := m.sections
	sections[sectionType] = m.withTypes()
	sections[sectionImport] = m.withImport()
	sections[sectionFunction] = m.withFunctions()
	sections[sectionTable] = m.withTables(facts)
	sections[sectionMemory] = appendU32([]byte{1, 0}, m.memory.min)
	sections[sectionGlobal] = globals
	sections[sectionExport] = m.withExports()
	sections[sectionStart] = start
	sections[sectionElement] = elements
	sections[sectionCode] = code
	out := &instrumented{facts: facts}
	out.binary = append(make([]byte, 0, len(m.binary)+len(code)/2), coreHeader...)
	for _, id := range sectionOrder {
		if sections[id] != nil {
			out.binary = appendSection(out.binary, id, sections[id])
		}
	}
	if names := m.movedNames(); names != nil {
		out.binary = appendSection(out.binary, sectionCustom, names)
	}
	return out, nil
}

func appendSection(b []byte, id byte, payload []byte) []byte {
	return append(appendU32(append(b, id), uint32(len(payload))), payload...)
}

// extended is a section's vector with more elements, or a vector of those when the section is absent.
func (m *module) extended(id byte, count int, more uint32, elements []byte) []byte {
	grown := appendU32(nil, uint32(count)+more)
	if old := m.sections[id]; old != nil {
		r := &reader{b: old}
		r.u32()
		grown = append(grown, old[r.at:]...)
	}
	return append(grown, elements...)
}

// withTypes adds () -> () and () -> i32.
func (m *module) withTypes() []byte {
	return m.extended(sectionType, len(m.types), 2, []byte{0x60, 0, 0, 0x60, 0, 1, valueI32})
}

func (m *module) withImport() []byte {
	entry := appendName(appendName(nil, meterModule), meterName)
	entry = appendU32(append(entry, externFunction), uint32(len(m.types)))
	return m.extended(sectionImport, len(m.imports), 1, entry)
}

// withFunctions adds those that save, restore and refill, behind all others.
func (m *module) withFunctions() []byte {
	types := appendU32(nil, uint32(len(m.types)))
	types = appendU32(types, uint32(len(m.types))+1)
	types = appendU32(types, uint32(len(m.types)))
	return m.extended(sectionFunction, len(m.functions), addedFunctions, types)
}

// withTables bounds each table, and adds the copies.
func (m *module) withTables(f facts) []byte {
	if m.sections[sectionTable] == nil {
		return nil
	}
	tables := m.tables
	if m.copiedTables(f) > 0 {
		tables = append(tables[:len(tables):len(tables)], tables...)
	}
	section := appendU32(nil, uint32(len(tables)))
	for _, t := range tables {
		highest := max(t.min, tableElementsMax)
		if t.hasMax {
			highest = min(t.max, highest)
		}
		section = appendU32(append(section, t.element, 1), t.min)
		section = appendU32(section, highest)
	}
	return section
}

// withGlobals moves the function indexes in the globals' initial values and appends what is added.
func (m *module) withGlobals() ([]byte, error) {
	added, count := m.addedGlobals()
	section := m.sections[sectionGlobal]
	if section == nil {
		return m.extended(sectionGlobal, 0, count, added), nil
	}
	r := &reader{b: section}
	moved := &rewriter{m: m, from: section, to: appendU32(nil, r.u32()+count)}
	moved.taken = r.at
	for range m.globals {
		r.bytes(2)
		skipConstant(r, func(at int, index uint32) { moved.index(r, at, index) })
	}
	if r.err != nil {
		return nil, refuse("is broken: the section of globals %v", r.err)
	}
	return append(moved.rest(), added...), nil
}

// withExports moves the function indexes and adds the two functions that the host calls.
func (m *module) withExports() []byte {
	entries := []byte(nil)
	for _, e := range m.exports {
		index := e.index
		if e.kind == externFunction {
			index = m.moved(index)
		}
		entries = appendU32(append(appendName(entries, e.name), e.kind), index)
	}
	save := m.moved(m.functionCount())
	entries = appendU32(append(appendName(entries, saveName), externFunction), save)
	entries = appendU32(append(appendName(entries, restoreName), externFunction), save+1)
	return append(appendU32(nil, uint32(len(m.exports))+2), entries...)
}

func (m *module) movedStart() ([]byte, error) {
	if m.sections[sectionStart] == nil {
		return nil, nil
	}
	r := &reader{b: m.sections[sectionStart]}
	index := r.u32()
	if r.err != nil || !r.done() || index >= m.functionCount() {
		return nil, refuse("is broken: the section of the start function is not the number of a function")
	}
	return appendU32(nil, m.moved(index)), nil
}

// meteredCode is the code section with checks, and with the functions that are added.
func (m *module) meteredCode() ([]byte, facts, error) {
	section := m.sections[sectionCode]
	if section == nil {
		section = []byte{0}
	}
	r := &reader{b: section}
	count := r.count()
	if r.err != nil || count != uint32(len(m.functions)) {
		return nil, facts{}, refuse("is broken: %d functions are declared and %d defined", len(m.functions), count)
	}
	out := appendU32(make([]byte, 0, len(section)+len(section)/2), count+addedFunctions)
	w := &walker{m: m}
	var body []byte
	for range count {
		code := r.bytes(r.u32())
		if r.err != nil {
			return nil, facts{}, refuse("is broken: the section of code %v", r.err)
		}
		if len(code) > functionBytesMax {
			return nil, facts{}, refuse("has a function of %d bytes; the limit is %d", len(code), functionBytesMax)
		}
		if err := w.body(code); err != nil {
			return nil, facts{}, err
		}
		body = m.spliced(body[:0], code, w.splices)
		out = append(appendU32(out, uint32(len(body))), body...)
	}
	if !r.done() {
		return nil, facts{}, refuse("is broken: the section of code has bytes left over")
	}
	for _, body := range [][]byte{m.saveBody(w.facts), m.restoreBody(w.facts), m.refillBody()} {
		out = append(appendU32(out, uint32(len(body))), body...)
	}
	return out, w.facts, nil
}

// spliced is code with the splices, which are in order of position.
func (m *module) spliced(out, code []byte, splices []splice) []byte {
	taken := 0
	for _, s := range splices {
		out = append(out, code[taken:s.at]...)
		taken = s.at + s.cut
		switch loop := splices[s.loop]; {
		case s.put == putIndex:
			out = appendU32(out, s.index)
		case s.put == putDropped:
			out = appendU32(append(out, opI32Const, 1, opGlobalSet), m.droppedIndex())
		case s.put == putCheck, s.put == putHead && s.checked, s.put == putJump && !loop.checked:
			out = m.appendCheck(out, loop.units)
		case s.put == putJumpIf && !loop.checked:
			out = m.appendJumpIf(out, loop.units, s.index)
		default:
			out = append(out, code[s.at:taken]...)
		}
	}
	return append(out, code[taken:]...)
}
