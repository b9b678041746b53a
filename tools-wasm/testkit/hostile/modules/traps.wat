;; Divides by zero.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (i64.div_u (i64.const 1) (i64.load (i32.const 0)))))
