;; Asks for 4 GiB of random bytes, then for 64 KiB and one.
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (if (i32.ne (call $random_get (i32.const 0) (i32.const -1)) (i32.const 28)) (then (unreachable)))
    (if (i32.ne (call $random_get (i32.const 0) (i32.const 65537)) (i32.const 28)) (then (unreachable)))
    (if (i32.ne (call $random_get (i32.const 1) (i32.const 65536)) (i32.const 21)) (then (unreachable)))
    (i64.const 0x800000002)))
