;; execute calls execute: a call in a call, without end.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func $execute (export "execute") (param $at i32) (param $n i32) (result i64)
    (call $execute (local.get $at) (local.get $n))))
