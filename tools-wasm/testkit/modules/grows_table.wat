;; Grows its table by 200 million elements, which must answer -1, and then by 100, which must not.
(module
  (memory (export "memory") 1)
  (table $t 1 funcref)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (data (i32.const 0) "0 0")
  (func (export "execute") (param i32 i32) (result i64)
    (if (i32.eq (table.grow $t (ref.null func) (i32.const 200000000)) (i32.const -1))
      (then (i32.store8 (i32.const 0) (i32.const 49))))
    (if (i32.ne (table.grow $t (ref.null func) (i32.const 100)) (i32.const -1))
      (then (i32.store8 (i32.const 2) (i32.const 49))))
    (i64.const 3)))
