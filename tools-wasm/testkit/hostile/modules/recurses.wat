;; Calls itself without end.
(module
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func $f (call $f))
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (call $f)
    (i64.const 0x800000002)))
