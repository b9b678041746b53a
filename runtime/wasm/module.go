package wasm

import (
	"bytes"
	"strings"
)

// The section numbers of the binary format, and the order in which they stand.
const (
	sectionCustom    = 0
	sectionType      = 1
	sectionImport    = 2
	sectionFunction  = 3
	sectionTable     = 4
	sectionMemory    = 5
	sectionGlobal    = 6
	sectionExport    = 7
	sectionStart     = 8
	sectionElement   = 9
	sectionCode      = 10
	sectionData      = 11
	sectionDataCount = 12
)

var sectionOrder = []byte{
	sectionType, sectionImport, sectionFunction, sectionTable, sectionMemory, sectionGlobal, sectionExport,
	sectionStart, sectionElement, sectionDataCount, sectionCode, sectionData,
}

// The kinds of imports and exports.
const (
	externFunction = 0
	externTable    = 1
	externMemory   = 2
	externGlobal   = 3
)

var externNames = [...]string{"function", "table", "memory", "global"}

// The value types.
const (
	valueI32  = 0x7f
	valueI64  = 0x7e
	valueF32  = 0x7d
	valueF64  = 0x7c
	valueV128 = 0x7b
)

// module is what is known of a module's binary before its code is looked at.
type module struct {
	binary    []byte
	sections  [sectionDataCount + 1][]byte // payloads, nil when absent; they alias binary
	names     []byte                       // the custom section "name"
	types     []functionType
	imports   []importEntry
	functions []uint32 // type index of each defined function
	tables    []tableType
	memory    *sizeLimits
	globals   []globalType
	exports   []exportEntry
	manifest  []byte // nil when there is none
	abi       ABI

	pluginCall, pluginDescribe string // of an extism plugin; the second may be absent
}

type functionType struct{ params, results []byte }

func (t functionType) equal(params, results []byte) bool {
	return bytes.Equal(t.params, params) && bytes.Equal(t.results, results)
}

func typeNames(types []byte) string {
	names := make([]string, len(types))
	for i, t := range types {
		switch t {
		case valueI32:
			names[i] = "i32"
		case valueI64:
			names[i] = "i64"
		case valueF32:
			names[i] = "f32"
		case valueF64:
			names[i] = "f64"
		default:
			names[i] = "other"
		}
	}
	return strings.Join(names, ", ")
}

type importEntry struct {
	module, name string
	kind         byte
	index        uint32 // type index, of functions only
}

type exportEntry struct {
	name  string
	kind  byte
	index uint32
}

type sizeLimits struct {
	min, max uint32
	hasMax   bool
}

type tableType struct {
	element byte
	sizeLimits
}

type globalType struct {
	value   byte
	mutable bool
}

func (m *module) exported(name string, kind byte) bool {
	for _, e := range m.exports {
		if e.name == name && e.kind == kind {
			return true
		}
	}
	return false
}

// functionCount is how many functions there are, imported ones included.
func (m *module) functionCount() uint32 { return uint32(len(m.imports) + len(m.functions)) }

// functionType answers the type of a function by its index, imported ones first. Only functions are imported.
func (m *module) functionType(index uint32) (functionType, bool) {
	var t uint32
	switch imported := uint32(len(m.imports)); {
	case index < imported:
		t = m.imports[index].index
	case index-imported < uint32(len(m.functions)):
		t = m.functions[index-imported]
	default:
		return functionType{}, false
	}
	if t >= uint32(len(m.types)) {
		return functionType{}, false
	}
	return m.types[t], true
}

var (
	coreHeader      = []byte("\x00asm\x01\x00\x00\x00")
	componentHeader = []byte("\x00asm\x0d\x00\x01\x00")
)

// parse reads everything but code, elements and data. Only what later steps rely on is checked; the engine validates
// the whole module when it compiles it.
func parse(binary []byte) (*module, error) {
	switch {
	case bytes.HasPrefix(binary, componentHeader):
		return nil, refuse("is a component (WASI preview 2); build it for wasm32-wasip1")
	case !bytes.HasPrefix(binary, coreHeader[:4]):
		return nil, refuse("is not a WebAssembly file")
	case !bytes.HasPrefix(binary, coreHeader):
		return nil, refuse("is not WebAssembly of version 1")
	}
	m := &module{binary: binary}
	if err := m.split(); err != nil {
		return nil, err
	}
	for _, read := range []struct {
		section byte
		name    string
		entries func(*reader)
	}{
		{sectionType, "types", m.readTypes},
		{sectionImport, "imports", m.readImports},
		{sectionFunction, "functions", m.readFunctions},
		{sectionTable, "tables", m.readTables},
		{sectionMemory, "memories", m.readMemories},
		{sectionGlobal, "globals", m.readGlobals},
		{sectionExport, "exports", m.readExports},
	} {
		payload := m.sections[read.section]
		if payload == nil {
			continue
		}
		r := &reader{b: payload}
		read.entries(r)
		if r.err == nil && !r.done() {
			r.err = refuse("bytes are left over")
		}
		if refusal, ok := r.err.(Refusal); ok {
			return nil, refuse("is broken or not supported: %s: %s", read.name, refusal)
		} else if r.err != nil {
			return nil, refuse("is broken: the section of %s %v", read.name, r.err)
		}
	}
	return m, nil
}

// split finds the sections.
func (m *module) split() error {
	r := &reader{b: m.binary, at: len(coreHeader)}
	last := -1
	for !r.done() {
		id := r.byte()
		payload := r.bytes(r.u32())
		if r.err != nil {
			return refuse("is broken: the file ends in the middle of a section; was it cut short?")
		}
		if id == sectionCustom {
			if err := m.custom(payload); err != nil {
				return err
			}
			continue
		}
		position := bytes.IndexByte(sectionOrder, id)
		if position < 0 {
			return refuse("has a section of kind %d, which WebAssembly 2.0 does not know; "+
				"build it without exceptions, threads and garbage collection", id)
		}
		if position <= last {
			return refuse("is broken: section %d stands twice or in the wrong place", id)
		}
		last = position
		m.sections[id] = payload
	}
	return nil
}

func (m *module) custom(payload []byte) error {
	r := &reader{b: payload}
	name := r.name()
	if r.err != nil {
		return refuse("is broken: a custom section has no name")
	}
	content := payload[r.at:]
	switch name {
	case ManifestSection:
		if m.manifest != nil {
			return refuse("has two sections %s", ManifestSection)
		}
		if len(content) > manifestBytesMax {
			return refuse("has a manifest of %d bytes; the limit is %d", len(content), manifestBytesMax)
		}
		m.manifest = content
	case "name":
		m.names = content
	}
	return nil
}
