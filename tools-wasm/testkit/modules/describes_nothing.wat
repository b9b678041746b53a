;; A reactor whose description is empty.
(module
  (memory (export "memory") 1)
  (func (export "describe") (result i64) (i64.const 0))
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param i32 i32) (result i64) (i64.const 0)))
