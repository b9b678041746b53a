(module (import "env" "open_door" (func)) (memory (export "memory") 1) (func (export "_start")))
