package wasm

// This file rewrites an admitted module before it is compiled. What it adds:
//   - a counter of work, and a check of it at every function's entry, at every loop's head and before bulk operations. When
//     the counter is used up the guest calls the host, which looks at the deadline. A deadline thus ends any guest, also
//     one that never loops; and since machine code cannot be preempted, these calls are also where the Go runtime gets the
//     thread back, for instance to collect garbage;
//   - an export for each mutable global, so that it can be put back between calls;
//   - a maximum for each table.
//
// The host's function comes after the imported ones, so every index of a function that the module defines moves by one.

import "strconv"

// workUnits is how much work passes between two looks at the deadline: about 0.3 ms, at worst some 100 ms.
const workUnits = 32_768

// The names that the host adds.
const (
	meterModule  = reservedPrefix + "meter"
	meterName    = "check"
	globalPrefix = reservedPrefix + "global"
)

// instrumented is a module that is ready to be compiled.
type instrumented struct {
	binary []byte
	facts  facts
	// globals are the export names of the mutable globals, in the order of their indexes.
	globals []string
	// wholeState is false where a copy of memory and globals does not hold all of an instance's state.
	wholeState bool
}

// moved is where a function's index goes.
func (m *module) moved(index uint32) uint32 {
	if index < uint32(len(m.imports)) {
		return index
	}
	return index + 1
}

func instrument(m *module) (*instrumented, error) {
	out := &instrumented{wholeState: true}
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
	globals, err := m.withCounter()
	if err != nil {
		return nil, err
	}
	exports := m.withExports(out)
	out.facts = facts
	out.wholeState = out.wholeState && !facts.writesTables && !facts.dropsSegments

	sections := m.sections
	sections[sectionType] = m.withType()
	sections[sectionImport] = m.withImport()
	sections[sectionTable] = m.boundedTables()
	sections[sectionGlobal] = globals
	sections[sectionExport] = exports
	sections[sectionStart] = start
	sections[sectionElement] = elements
	sections[sectionCode] = code
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

// extended is a section's vector with one more element, or a vector of that one when the section is absent.
func (m *module) extended(id byte, count int, element []byte) []byte {
	grown := appendU32(nil, uint32(count)+1)
	if old := m.sections[id]; old != nil {
		r := &reader{b: old}
		r.u32()
		grown = append(grown, old[r.at:]...)
	}
	return append(grown, element...)
}

func (m *module) withType() []byte {
	return m.extended(sectionType, len(m.types), []byte{0x60, 0, 0})
}

func (m *module) withImport() []byte {
	entry := appendName(appendName(nil, meterModule), meterName)
	entry = appendU32(append(entry, externFunction), uint32(len(m.types)))
	return m.extended(sectionImport, len(m.imports), entry)
}

func (m *module) boundedTables() []byte {
	if m.sections[sectionTable] == nil {
		return nil
	}
	section := appendU32(nil, uint32(len(m.tables)))
	for _, t := range m.tables {
		highest := uint32(tableElementsMax)
		if t.hasMax {
			highest = min(t.max, tableElementsMax)
		}
		section = appendU32(append(section, t.element, 1), t.min)
		section = appendU32(section, highest)
	}
	return section
}

// withCounter moves the function indexes in the globals' initial values and appends the counter of work.
func (m *module) withCounter() ([]byte, error) {
	counter := append(appendS32([]byte{valueI32, 1, opI32Const}, workUnits), opEnd)
	section := m.sections[sectionGlobal]
	if section == nil {
		return m.extended(sectionGlobal, 0, counter), nil
	}
	r := &reader{b: section}
	moved := &mover{m: m, from: section, to: appendU32(nil, r.u32()+1)}
	moved.taken = r.at
	for range m.globals {
		r.bytes(2)
		skipConstant(r, func(at int, index uint32) { moved.index(at, r.at, index) })
	}
	if r.err != nil {
		return nil, refuse("is broken: the section of globals %v", r.err)
	}
	return append(moved.rest(), counter...), nil
}

// withExports moves the function indexes and adds an export for each mutable global.
func (m *module) withExports(out *instrumented) []byte {
	entries := []byte(nil)
	count := uint32(len(m.exports))
	for _, e := range m.exports {
		index := e.index
		if e.kind == externFunction {
			index = m.moved(index)
		}
		entries = appendU32(append(appendName(entries, e.name), e.kind), index)
	}
	for i, g := range m.globals {
		if !g.mutable {
			continue
		}
		if g.value == valueV128 || g.value == valueFuncref || g.value == valueExternref {
			out.wholeState = false // the engine's interface cannot set these
			continue
		}
		name := globalPrefix + strconv.Itoa(i)
		out.globals = append(out.globals, name)
		entries = appendU32(append(appendName(entries, name), externGlobal), uint32(i))
		count++
	}
	return append(appendU32(nil, count), entries...)
}

func (m *module) movedStart() ([]byte, error) {
	if m.sections[sectionStart] == nil {
		return nil, nil
	}
	r := &reader{b: m.sections[sectionStart]}
	index := r.u32()
	if r.err != nil || !r.done() {
		return nil, refuse("is broken: the section of the start function is not one number")
	}
	return appendU32(nil, m.moved(index)), nil
}

// meteredCode is the code section with checks.
func (m *module) meteredCode() ([]byte, facts, error) {
	section := m.sections[sectionCode]
	if section == nil {
		return nil, facts{}, nil
	}
	r := &reader{b: section}
	count := r.count()
	if r.err != nil || count != uint32(len(m.functions)) {
		return nil, facts{}, refuse("is broken: %d functions are declared and %d defined", len(m.functions), count)
	}
	out := appendU32(make([]byte, 0, len(section)+len(section)/2), count)
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
	return out, w.facts, nil
}

// spliced is code with the splices, which are in order of position.
func (m *module) spliced(out, code []byte, splices []splice) []byte {
	taken := 0
	for _, s := range splices {
		out = append(out, code[taken:s.at]...)
		taken = s.at + s.cut
		if s.units > 0 {
			out = m.appendCheck(out, s.units)
		} else {
			out = appendU32(out, s.index)
		}
	}
	return append(out, code[taken:]...)
}

// appendCheck takes units of work from the counter, and where it holds less asks the host first and fills it up again.
func (m *module) appendCheck(b []byte, units int32) []byte {
	const (
		opIf       = 0x04
		blockEmpty = 0x40
		opI32LtS   = 0x48
		opI32Sub   = 0x6b
	)
	units = min(units, workUnits)
	counter, host := uint32(len(m.globals)), uint32(len(m.imports))
	b = appendU32(append(b, opGlobalGet), counter)
	b = appendS32(append(b, opI32Const), units)
	b = append(b, opI32LtS, opIf, blockEmpty)
	b = appendU32(append(b, opCall), host)
	b = appendS32(append(b, opI32Const), workUnits)
	b = appendU32(append(b, opGlobalSet), counter)
	b = append(b, opEnd)
	b = appendU32(append(b, opGlobalGet), counter)
	b = appendS32(append(b, opI32Const), units)
	return appendU32(append(b, opI32Sub, opGlobalSet), counter)
}
