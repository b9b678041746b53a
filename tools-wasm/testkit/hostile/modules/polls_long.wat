;; Asks for a sleep of 146 years.
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 512) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (i64.store (i32.const 24) (i64.const 0x3fffffffffffffff))
    (drop (call $poll_oneoff (i32.const 0) (i32.const 128) (i32.const 1) (i32.const 256)))
    (i64.const 0x800000002)))
