;; Grows its memory page by page, touches each, and traps when there is no more.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (loop $again
      (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable)))
      (i32.store (i32.sub (i32.shl (memory.size) (i32.const 16)) (i32.const 8)) (i32.const 1))
      (br $again))
    (unreachable)))
