;; A reactor whose result is not UTF-8.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "\ff\fe{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param i32 i32) (result i64) (i64.const 4)))
