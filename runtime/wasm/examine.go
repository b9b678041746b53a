package wasm

// Examine admits a module as [Engine.Load] does, compiles nothing, and says whether the compiled form is kept already.
// The error is a [Refusal] when the module is not fit.
func (e *Engine) Examine(binary []byte) (info Info, kept bool, err error) {
	admitted, err := admit(binary)
	if err != nil {
		return Info{}, false, err
	}
	ready, err := instrument(admitted)
	if err != nil {
		return Info{}, false, err
	}
	return newModule(e, admitted, ready).info, e.kind == Compiler && e.cache.has(ready.binary), nil
}
