(module (import "wasi:cli/stdout@0.2.0" "get-stdout" (func (result i32))) (memory (export "memory") 1) (func (export "_start")))
