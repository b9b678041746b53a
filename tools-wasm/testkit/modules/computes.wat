;; A reactor that computes: fib(20) by recursion and the sum of 100,000 numbers in a loop.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "done")
  (func $fib (param $n i32) (result i32)
    (if (result i32) (i32.lt_u (local.get $n) (i32.const 2))
      (then (local.get $n))
      (else (i32.add (call $fib (i32.sub (local.get $n) (i32.const 1))) (call $fib (i32.sub (local.get $n) (i32.const 2)))))))
  (func $sum (result i64) (local $i i32) (local $total i64)
    (loop $again
      (local.set $total (i64.add (i64.mul (local.get $total) (i64.const 31)) (i64.extend_i32_u (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 100000))))
    (local.get $total))
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param i32 i32) (result i64)
    (i64.store (i32.const 64) (i64.add (call $sum) (i64.extend_i32_u (call $fib (i32.const 20)))))
    (i64.const 4)))
