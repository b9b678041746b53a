;; Answers what an earlier call was given, where it finds it.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (local $kept i64)
    (local.set $kept (i64.load (i32.const 60000)))
    (i64.store (i32.const 60000) (i64.or (i64.shl (i64.const 50000) (i64.const 32)) (i64.extend_i32_u (local.get $n))))
    (if (i64.ne (local.get $kept) (i64.const 0)) (then (return (local.get $kept))))
    (memory.copy (i32.const 50000) (local.get $at) (local.get $n))
    (i64.or (i64.shl (i64.extend_i32_u (local.get $at)) (i64.const 32)) (i64.extend_i32_u (local.get $n)))))
