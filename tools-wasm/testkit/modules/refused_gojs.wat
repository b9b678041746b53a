(module (import "gojs" "runtime.wasmExit" (func (param i32))) (memory (export "mem") 1) (func (export "run") (param i32 i32)))
