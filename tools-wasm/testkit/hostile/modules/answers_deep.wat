;; Answers 60,000 brackets, one in the other.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (memory.fill (i32.const 2048) (i32.const 91) (i32.const 60000))
    (i64.const 0x8000000ea60)))
