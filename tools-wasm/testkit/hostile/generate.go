package hostile

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// This file makes the modules whose attack is their size. Each generator takes the number that counts.

// The section numbers of the binary format.
const (
	typeSection = 1 + iota
	importSection
	functionSection
	tableSection
	memorySection
	globalSection
	exportSection
	startSection
	elementSection
	codeSection
	dataSection
	dataCountSection
	customSection = 0
)

// sections are payloads by number; what is empty is left out.
type sections [dataCountSection + 1][]byte

var order = []int{typeSection, importSection, functionSection, tableSection, memorySection, globalSection, exportSection,
	startSection, elementSection, dataCountSection, codeSection, dataSection, customSection}

func (s sections) binary() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, id := range order {
		if s[id] != nil {
			out = append(sized(append(out, byte(id)), len(s[id])), s[id]...)
		}
	}
	return out
}

// sized appends a number as the format writes it.
func sized(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

// vector is n times the element, with the number before it.
func vector(n int, element ...byte) []byte { return append(sized(nil, n), bytes.Repeat(element, n)...) }

func name(text string) []byte { return append(sized(nil, len(text)), text...) }

func function(body []byte) []byte { return append(sized(nil, len(body)), body...) }

// i32Const pushes a number that is not negative.
func i32Const(n int) []byte {
	b := []byte{0x41}
	for {
		c := byte(n & 0x7f)
		if n >>= 7; n == 0 && c&0x40 == 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// command is a stdio tool that does nothing; generators change one section of it.
func command() sections {
	var s sections
	s[typeSection] = []byte{1, 0x60, 0, 0}
	s[functionSection] = []byte{1, 0}
	s[memorySection] = []byte{1, 0, 1}
	s[exportSection] = append(append([]byte{2}, append(name("memory"), 2, 0)...), append(name("_start"), 0, 0)...)
	s[codeSection] = []byte{1, 2, 0, 0x0b}
	return s
}

// with is a command with one section of its own.
func with(id int, payload []byte) []byte {
	s := command()
	s[id] = payload
	return s.binary()
}

// body is a command whose only function has the locals and instructions.
func body(locals []byte, instructions []byte) []byte {
	return with(codeSection, append([]byte{1}, function(append(append(locals, instructions...), 0x0b))...))
}

var noLocals = []byte{0}

// load reads the memory's first word and forgets it.
var load = []byte{0x41, 0, 0x28, 2, 0, 0x1a}

var generators = map[string]func(int) []byte{
	"types": func(n int) []byte { return with(typeSection, vector(n, 0x60, 0, 0)) },
	"parameters": func(n int) []byte {
		return with(typeSection, append([]byte{2, 0x60, 0, 0, 0x60}, append(vector(n, 0x7f), 0)...))
	},
	"results": func(n int) []byte {
		return with(typeSection, append([]byte{2, 0x60, 0, 0, 0x60, 0}, vector(n, 0x7f)...))
	},
	"imports":       manyImports,
	"functions":     manyFunctions,
	"table":         func(n int) []byte { return with(tableSection, append([]byte{1, 0x70, 0}, sized(nil, n)...)) },
	"tables":        func(n int) []byte { return with(tableSection, vector(n, 0x70, 0, 1)) },
	"memory":        func(n int) []byte { return with(memorySection, append([]byte{1, 0}, sized(nil, n)...)) },
	"memories":      func(n int) []byte { return with(memorySection, vector(n, 0, 1)) },
	"globals":       func(n int) []byte { return with(globalSection, vector(n, 0x7f, 1, 0x41, 0, 0x0b)) },
	"exports":       manyExports,
	"elements":      manyElements,
	"element_lists": func(n int) []byte { return with(elementSection, vector(n, 1, 0, 0)) },
	"data":          func(n int) []byte { return with(dataSection, append([]byte{1, 1}, vector(n, 'x')...)) },
	"data_segments": func(n int) []byte { return with(dataSection, vector(n, 1, 0)) },
	"data_counted":  func(n int) []byte { return with(dataCountSection, sized(nil, n)) },
	"locals":        func(n int) []byte { return body(append(append([]byte{1}, sized(nil, n)...), 0x7f), nil) },
	"locals_each":   manyLocals,
	"loads":         func(n int) []byte { return body(noLocals, bytes.Repeat(load, n)) },
	"loads_each":    func(n int) []byte { return inEach(n, 20, noLocals, load...) },
	"jumps":         func(n int) []byte { return body(noLocals, bytes.Repeat([]byte{0x41, 0, 0x0d, 0}, n)) },
	"jumps_each":    func(n int) []byte { return inEach(n, 248, noLocals, 0x41, 0, 0x0d, 0) },
	"ifs_each":      func(n int) []byte { return inEach(n, 200, noLocals, 0x41, 0, 0x04, 0x40, 0x0b) },
	"loops_each":    func(n int) []byte { return inEach(n, 330, noLocals, 0x03, 0x40, 0x0b) },
	"fills_each": func(n int) []byte {
		return inEach(n, 111, noLocals, 0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 0x0b, 0)
	},
	"drops_each":          func(n int) []byte { return inEach(n, 330, noLocals, 0xfc, 9, 0) },
	"indirect_calls_each": func(n int) []byte { return inEach(n, 200, noLocals, 0x41, 0, 0x11, 0, 0) },
	"divisions_each":      func(n int) []byte { return inEach(n, 200, noLocals, 0x41, 1, 0x41, 1, 0x6d, 0x1a) },
	"roundings_each":      func(n int) []byte { return inEach(n, 200, noLocals, 0x42, 1, 0xba, 0xb1, 0x1a) },
	"loops_and_locals":    loopsAndLocals,
	"blocks":              func(n int) []byte { return body(noLocals, nest([]byte{0x02, 0x40}, n)) },
	"loops":               func(n int) []byte { return body(noLocals, nest([]byte{0x03, 0x40}, n)) },
	"ifs":                 func(n int) []byte { return body(noLocals, nest([]byte{0x41, 0, 0x04, 0x40}, n)) },
	"branches":            branches,
	"values": func(n int) []byte {
		return body(noLocals, append(bytes.Repeat([]byte{0x41, 1}, n), bytes.Repeat([]byte{0x1a}, n)...))
	},
	"sets_global": func(n int) []byte { return body(noLocals, sized([]byte{0x41, 0, 0x24}, n)) },
	"calls":       func(n int) []byte { return body(noLocals, sized([]byte{0x10}, n)) },
	"trap_name":   trapName,
	"custom":      func(n int) []byte { return with(customSection, append(name("x"), make([]byte, n)...)) },
	"manifest":    func(n int) []byte { return with(customSection, append(name("chatterbox.tool"), make([]byte, n)...)) },
	"names": func(n int) []byte {
		return with(customSection, append(name("name"), 1, 5, 0xff, 0xff, 0xff, 0xff, byte(n)))
	},
	"section_length": func(n int) []byte { return sized(append(command().binary(), customSection), n) },
	"bytes":          func(n int) []byte { return append([]byte("\x00asm\x01\x00\x00\x00"), make([]byte, n)...) },
}

func nest(open []byte, n int) []byte {
	return append(bytes.Repeat(open, n), bytes.Repeat([]byte{0x0b}, n)...)
}

func manyImports(n int) []byte {
	one := append(append(name("wasi_snapshot_preview1"), name("sched_yield")...), 0, 1)
	s := command()
	s[typeSection] = []byte{2, 0x60, 0, 0, 0x60, 0, 1, 0x7f}
	s[importSection] = vector(n, one...)
	return s.binary()
}

func manyFunctions(n int) []byte {
	s := command()
	s[functionSection], s[codeSection] = vector(n, 0), vector(n, 2, 0, 0x0b)
	return s.binary()
}

func manyExports(n int) []byte {
	out := sized(nil, n)
	for i := range n {
		out = append(append(out, name("e"+strconv.Itoa(i))...), 0, 0)
	}
	return with(exportSection, out)
}

// manyElements are passive, 10,000 in each segment: instances hold them although no table does.
func manyElements(n int) []byte {
	const each = 10_000
	segment := append([]byte{1, 0}, vector(each, 0)...)
	return with(elementSection, vector(n/each, segment...))
}

// manyLocals has n functions with 10,000 local variables each.
func manyLocals(n int) []byte {
	s := command()
	s[functionSection] = vector(n, 0)
	s[codeSection] = vector(n, function([]byte{1, 0x90, 0x4e, 0x7f, 0x0b})...)
	return s.binary()
}

// inEach has n functions, each of the instructions so often, with a table and a piece of data for them.
func inEach(n, often int, locals []byte, instructions ...byte) []byte {
	s := command()
	s[functionSection] = vector(n, 0)
	s[tableSection] = []byte{1, 0x70, 0, 1}
	s[dataCountSection], s[dataSection] = []byte{1}, []byte{1, 1, 0}
	code := append(append(bytes.Clone(locals), bytes.Repeat(instructions, often)...), 0x0b)
	s[codeSection] = vector(n, function(code)...)
	return s.binary()
}

// loopsAndLocals is n loops, one in the other, in the innermost of which ten thousand variables are read.
func loopsAndLocals(n int) []byte {
	code := bytes.Repeat([]byte{0x03, 0x40}, n)
	for i := range 10_000 {
		code = append(sized(append(code, 0x20), i), 0x1a)
	}
	return body([]byte{1, 0x90, 0x4e, 0x7f}, append(code, bytes.Repeat([]byte{0x0b}, n)...))
}

// branches is one jump with n targets.
func branches(n int) []byte {
	code := append([]byte{0x02, 0x40, 0x41, 0, 0x0e}, vector(n, 0)...)
	return body(noLocals, append(code, 0, 0x0b))
}

// requester is a reactor that makes each request and answers the list of what came of them.
func requester(requests []string) []byte {
	const requestsAt, answersAt, pages = 4 << 10, 64 << 10, 64
	// Local 2 is where the next byte of the answer goes.
	put := func(c byte) []byte {
		code := append([]byte{0x20, 2}, i32Const(int(c))...)
		return append(append(code, 0x3a, 0, 0, 0x20, 2), append(i32Const(1), 0x6a, 0x21, 2)...)
	}
	code := append([]byte{1, 1, 0x7f}, append(i32Const(answersAt), 0x21, 2)...)
	code = append(code, put('[')...)
	text, at := []byte(nil), requestsAt
	for i, request := range requests {
		if i > 0 {
			code = append(code, put(',')...)
		}
		code = append(append(code, i32Const(at+len(text))...), i32Const(len(request))...)
		code = append(code, 0x10, 0, 0x1a)                            // http_request, and its answer's length forgotten
		code = append(code, 0x20, 2, 0x20, 2, 0x10, 1, 0x6a, 0x21, 2) // next += read(next)
		text = append(text, request...)
	}
	code = append(code, put(']')...)
	code = append(append(code, 0x42), i32Const(answersAt)[1:]...)
	code = append(code, 0x42, 32, 0x86) // shifted: the address
	code = append(append(append(code, 0x20, 2), i32Const(answersAt)...), 0x6b, 0xad, 0x84, 0x0b)
	var s sections
	s[typeSection] = []byte{3, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7e}
	s[importSection] = append(append([]byte{2}, append(append(name("chatterbox"), name("http_request")...), 0, 0)...),
		append(append(name("chatterbox"), name("read")...), 0, 1)...)
	s[functionSection] = []byte{2, 1, 2}
	s[memorySection] = append([]byte{1, 0}, sized(nil, pages)...)
	s[exportSection] = append(append(append([]byte{3}, append(name("memory"), 2, 0)...), append(name("alloc"), 0, 2)...),
		append(name("execute"), 0, 3)...)
	alloc := function(append(append([]byte{0}, i32Const(1<<20)...), 0x0b))
	s[codeSection] = append(append([]byte{2}, alloc...), function(code)...)
	s[dataSection] = append(append(append([]byte{1, 0}, i32Const(at)...), 0x0b), append(sized(nil, len(text)), text...)...)
	return s.binary()
}

// trapName traps in a function whose name is n bytes long, begins a line of its own and steers a terminal.
func trapName(n int) []byte {
	long := append([]byte("\n\x1b[2Jlevel=INFO msg=forged "), bytes.Repeat([]byte("x"), n)...)
	names := append([]byte{1, 0}, name(string(long))...)
	s := command()
	s[codeSection] = []byte{1, 3, 0, 0, 0x0b}
	s[customSection] = append(name("name"), append(sized([]byte{1}, len(names)), names...)...)
	return s.binary()
}
