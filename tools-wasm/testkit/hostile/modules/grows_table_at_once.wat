;; Grows its table by 200 million elements and traps when it is refused.
(module
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (table $t 1 funcref)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (if (i32.eq (table.grow $t (ref.null func) (i32.const 200000000)) (i32.const -1)) (then (unreachable)))
    (i64.const 0x800000002)))
