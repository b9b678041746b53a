(module (import "extism:host/env" "open_door" (func)) (memory (export "memory") 1) (func (export "call")))
