(module (import "env" "emscripten_notify_memory_growth" (func (param i32))) (memory (export "memory") 1) (func (export "_start")))
