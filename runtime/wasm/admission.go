package wasm

// This file decides which modules are let in. The rules are:
//   - only what tools-wasm/ABI.md names may be imported, with exactly its types;
//   - a module brings its own memory and exports it; tables are bounded, since the host allocates by them;
//   - everything that has a number has a limit, before anything is allocated for it;
//   - a refusal is one sentence that says what to build instead.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The limits of a module.
const (
	moduleBytesMax   = 32 << 20
	manifestBytesMax = 256 << 10
	functionBytesMax = 128 << 10
	functionsMax     = 65_536
	typesMax         = 10_000
	importsMax       = 256
	exportsMax       = 10_000
	globalsMax       = 1_000
	tablesMax        = 16
	tableElementsMax = 10_000  // to which a table can grow
	tableStartMax    = 32_768  // with which one can start: big programs have a function pointer in each
	elementsTotalMax = 100_000 // of all lists, also those that no table holds: each instance has them
	elementListsMax  = 10_000
	dataPiecesMax    = 100_000
	memoryPagesMax   = 4_096  // 256 MiB
	localsMax        = 10_000 // of one function; a few bytes can declare any number
	localsTotalMax   = 4_000_000
	nestingMax       = 4_000  // blocks one in the other, for which the compiler takes time by their square
	targetsMax       = 20_000 // of the jumps of one function
)

// ManifestSection is the custom section that holds a tool's manifest.
const ManifestSection = "chatterbox.tool"

// reservedPrefix begins the names that the host adds to a module.
const reservedPrefix = "chatterbox:"

// Refusal is the error of a module that is not fit to run. It is a sentence for the tool's author.
type Refusal string

func (r Refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }

// admit reads a module and says whether it may run here. Its code is not looked at yet: see instrument.
func admit(binary []byte) (*module, error) {
	if len(binary) > moduleBytesMax {
		return nil, refuse("the module has %d bytes; the limit is %d", len(binary), moduleBytesMax)
	}
	m, err := parse(binary)
	if err != nil {
		return nil, err
	}
	for _, check := range []func(*module) error{
		checkImports, checkMemory, checkTables, checkExports, checkData, (*module).detectABI,
	} {
		if err := check(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func checkImports(m *module) error {
	for _, in := range m.imports {
		if err := checkImport(m, in); err != nil {
			return err
		}
	}
	return nil
}

func checkImport(m *module, in importEntry) error {
	full := in.module + "." + in.name
	known, ok := hostFunction(in.module, in.name)
	switch {
	case ok && in.kind == externFunction:
		if in.index >= uint32(len(m.types)) || !m.types[in.index].equal(known.params, known.results) {
			return refuse("imports %s with another type than (%s) -> (%s)",
				full, typeNames(known.params), typeNames(known.results))
		}
		return nil
	case in.module == "wasi_unstable":
		return refuse("is built for WASI preview 0 (wasi_unstable); build it for wasm32-wasip1")
	case strings.HasPrefix(in.module, "wasi:"):
		return refuse("is built for WASI preview 2 (imports %s); build it for wasm32-wasip1", full)
	case in.module == "wasi" && in.name == "thread-spawn":
		return refuse("starts threads; build it for wasm32-wasip1 without threads")
	case in.module == "wbg" || strings.HasPrefix(in.module, "__wbindgen") || strings.HasPrefix(in.module, "./"):
		return refuse("is built for a browser by wasm-bindgen (imports %s); "+
			"build it for wasm32-wasip1 without wasm-bindgen", full)
	case in.module == "gojs" || in.module == "go":
		return refuse("is built for a browser (GOOS=js); build it with GOOS=wasip1 GOARCH=wasm")
	case in.module == "env" && strings.Contains(in.name, "emscripten"):
		return refuse("needs Emscripten's JavaScript (imports %s); build it for wasm32-wasip1, with wasi-sdk or zig cc", full)
	case strings.HasPrefix(in.module, extismPrefix):
		return refuse("imports %s, which this host of extism plugins does not have", full)
	case in.kind != externFunction:
		return refuse("imports %s, a %s; a tool brings its own and imports functions only", full, externNames[in.kind])
	case in.module == HostModule || in.module == wasiModule:
		return refuse("imports %s, a function that does not exist; see tools-wasm/ABI.md for those that do", full)
	}
	return refuse("imports %s, which this host does not have; only %s and %s can be imported",
		full, HostModule, wasiModule)
}

func checkMemory(m *module) error {
	switch {
	case m.memory == nil:
		return refuse("has no memory; a tool defines one and exports it as \"memory\"")
	case m.memory.min > memoryPagesMax:
		return refuse("starts with %d pages of memory; the limit is %d", m.memory.min, memoryPagesMax)
	case m.memory.hasMax && (m.memory.max < m.memory.min || m.memory.max > 1<<16):
		return refuse("is broken: its memory has a maximum of %d pages", m.memory.max)
	}
	if !m.exported("memory", externMemory) {
		return refuse("does not export its memory as \"memory\"")
	}
	return nil
}

func checkTables(m *module) error {
	for _, t := range m.tables {
		if t.min > tableStartMax {
			return refuse("has a table of %d elements; the limit is %d", t.min, tableStartMax)
		}
	}
	return nil
}

// checkData holds the number of pieces to what is worth keeping a note of each.
func checkData(m *module) error {
	for _, section := range []byte{sectionDataCount, sectionData} {
		r := &reader{b: m.sections[section]}
		if pieces := r.u32(); m.sections[section] != nil && pieces > dataPiecesMax {
			return refuse("has %d pieces of data; the limit is %d", pieces, dataPiecesMax)
		}
	}
	return nil
}

func checkExports(m *module) error {
	for _, e := range m.exports {
		if strings.HasPrefix(e.name, reservedPrefix) {
			return refuse("exports %q; names that begin with %q are the host's", e.name, reservedPrefix)
		}
		// An index just beyond the module's own would reach what instrument adds.
		if e.kind == externGlobal && e.index >= uint32(len(m.globals)) ||
			e.kind == externFunction && e.index >= m.functionCount() ||
			e.kind == externTable && e.index >= uint32(len(m.tables)) {
			return refuse("is broken: exports a %s that it does not have", externNames[e.kind])
		}
	}
	return nil
}

// detectABI sets the module's ABI, in the order that tools-wasm/ABI.md gives.
func (m *module) detectABI() error {
	i32, i64 := []byte{valueI32}, []byte{valueI64}
	switch {
	case slices.ContainsFunc(m.imports, func(in importEntry) bool { return strings.HasPrefix(in.module, extismPrefix) }):
		m.abi = Extism
		return m.checkPlugin()
	case m.exported("alloc", externFunction) && m.exported("execute", externFunction):
		m.abi = Reactor
		for _, want := range []struct {
			name            string
			params, results []byte
			optional        bool
		}{
			{"alloc", i32, i32, false},
			{"execute", []byte{valueI32, valueI32}, i64, false},
			{"describe", nil, i64, true},
			{"_initialize", nil, nil, true},
		} {
			if err := m.checkFunction(want.name, want.params, want.results, want.optional); err != nil {
				return err
			}
		}
		return nil
	case m.exported("_start", externFunction):
		m.abi = Stdio
		if servesMCP(m.manifest) {
			m.abi = MCPStdio
		}
		return m.checkFunction("_start", nil, nil, false)
	}
	return refuse("exports neither _start nor alloc and execute; " +
		"build it as a command for wasm32-wasip1, or see tools-wasm/ABI.md for the reactor")
}

func servesMCP(manifest []byte) bool {
	var declared struct {
		Serve string `json:"serve"`
	}
	return json.Unmarshal(manifest, &declared) == nil && declared.Serve == "mcp"
}

// checkFunction says whether the exported function has the type.
func (m *module) checkFunction(name string, params, results []byte, optional bool) error {
	i := slices.IndexFunc(m.exports, func(e exportEntry) bool { return e.name == name && e.kind == externFunction })
	if i < 0 {
		if optional {
			return nil
		}
		return refuse("does not export the function %s", name)
	}
	t, ok := m.functionType(m.exports[i].index)
	if !ok {
		return refuse("is broken: exports a function that it does not have")
	}
	if !t.equal(params, results) {
		return refuse("exports %s with another type than (%s) -> (%s)", name, typeNames(params), typeNames(results))
	}
	return nil
}
