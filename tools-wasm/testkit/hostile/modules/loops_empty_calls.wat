;; Loops over calls of an empty function.
(module
  (memory (export "memory") 1)
  (func $nothing)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (loop $again (call $nothing) (br $again))
    (unreachable)))
