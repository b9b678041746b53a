;; Asks for 64 KiB of random bytes, without end.
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (loop $again (drop (call $random_get (i32.const 0) (i32.const 65536))) (br $again))
    (unreachable)))
