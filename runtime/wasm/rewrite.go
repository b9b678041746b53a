package wasm

// rewriter copies a section while function indexes in it move.
type rewriter struct {
	m     *module
	from  []byte
	to    []byte
	taken int // how much of from is in to

	elements int // passed so far
}

// index replaces the function index that r has just passed and that stands at from[at:]. One that the module does not
// have is refused: the next number is that of a function which is added.
func (v *rewriter) index(r *reader, at int, index uint32) {
	if r.err != nil {
		return
	}
	if index >= v.m.functionCount() {
		r.fail()
		return
	}
	v.to = appendU32(append(v.to, v.from[v.taken:at]...), v.m.moved(index))
	v.taken = r.at
}

func (v *rewriter) rest() []byte { return append(v.to, v.from[v.taken:]...) }

// movedElements is the element section with its function indexes moved.
func (m *module) movedElements() ([]byte, error) {
	section := m.sections[sectionElement]
	if section == nil {
		return nil, nil
	}
	r := &reader{b: section}
	v := &rewriter{m: m, from: section}
	lists := r.count()
	if lists > elementListsMax {
		return nil, refuse("has %d lists of elements; the limit is %d", lists, elementListsMax)
	}
	for range lists {
		v.element(r)
	}
	if v.elements > elementsTotalMax {
		return nil, refuse("has more than %d elements", elementsTotalMax)
	}
	if r.err == nil && !r.done() {
		r.fail()
	}
	if refusal, ok := r.err.(Refusal); ok {
		return nil, refuse("is broken or not supported: elements: %s", refusal)
	} else if r.err != nil {
		return nil, refuse("is broken: the section of elements %v", r.err)
	}
	return v.rest(), nil
}

// element passes one segment. Bit 0 of its flags: passive or declarative; bit 1: a table index, or declarative; bit 2:
// expressions instead of indexes.
func (v *rewriter) element(r *reader) {
	const passive, explicit, expressions = 1, 2, 4
	flags := r.u32()
	if flags > 7 {
		r.fail()
		return
	}
	constant := func(at int, index uint32) { v.index(r, at, index) }
	if flags&passive == 0 {
		if flags&explicit != 0 && r.u32() >= uint32(len(v.m.tables)) {
			r.fail()
		}
		skipConstant(r, constant)
	}
	if flags&(passive|explicit) != 0 {
		r.byte() // the kind of element, or its type
	}
	count := r.limited(tableStartMax)
	if v.elements += int(count); v.elements > elementsTotalMax {
		r.fail()
	}
	for range count {
		if flags&expressions != 0 {
			skipConstant(r, constant)
			continue
		}
		at := r.at
		v.index(r, at, r.u32())
	}
}

// movedNames is the custom section "name" with the names of functions only, which make a trap readable; nil when there
// are none, or they cannot be read.
func (m *module) movedNames() []byte {
	const functionNames = 1
	for r := (&reader{b: m.names}); !r.done(); {
		id := r.byte()
		content := r.bytes(r.u32())
		if r.err != nil || id != functionNames {
			continue
		}
		names := &reader{b: content}
		v := &rewriter{m: m, from: content}
		for range names.count() {
			at := names.at
			index := names.u32()
			v.index(names, at, index)
			names.name()
		}
		if names.err != nil || !names.done() {
			return nil
		}
		moved := v.rest()
		section := appendName(nil, "name")
		section = appendU32(append(section, functionNames), uint32(len(moved)))
		return append(section, moved...)
	}
	return nil
}
