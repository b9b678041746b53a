;; Calls itself through a table, without end.
(module
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (type $t (func))
  (table 1 funcref)
  (elem (i32.const 0) $f)
  (func $f (call_indirect (type $t) (i32.const 0)))
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (call $f)
    (i64.const 0x800000002)))
