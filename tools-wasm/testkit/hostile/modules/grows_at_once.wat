;; Grows its memory to 4 GiB at once and traps when it is refused.
(module
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (if (i32.eq (memory.grow (i32.const 65535)) (i32.const -1)) (then (unreachable)))
    (i64.const 0x800000002)))
