;; Answers a result whose end wraps around 2^32.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (i64.const 0xfffffff0_00000020)))
