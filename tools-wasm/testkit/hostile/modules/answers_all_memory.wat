;; Answers all of its memory, 16 MiB, as the result.
(module
  (memory (export "memory") 256)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (memory.fill (i32.const 0) (i32.const 120) (i32.const 16777216))
    (i64.const 0x01000000)))
