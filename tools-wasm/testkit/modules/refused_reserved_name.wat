(module (memory (export "memory") 1) (global (export "chatterbox:global0") (mut i32) (i32.const 0)) (func (export "_start")))
