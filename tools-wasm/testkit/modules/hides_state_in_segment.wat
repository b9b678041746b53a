;; A reactor that remembers by dropping a segment: memory.init from it traps afterwards.
(module
  (memory (export "memory") 1)
  (data $once "{\"ok\":true}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param i32 i32) (result i64)
    (memory.init $once (i32.const 0) (i32.const 0) (i32.const 11))
    (data.drop $once)
    (i64.const 11)))
