;; Loops by br_table, its label one among many.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (loop $again (block $out (br_table $again $again $again $out (i32.const 1))))
    (unreachable)))
