;; A reactor that fails to describe itself.
(module
  (memory (export "memory") 1)
  (func (export "describe") (result i64) unreachable)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param i32 i32) (result i64) (i64.const 0)))
