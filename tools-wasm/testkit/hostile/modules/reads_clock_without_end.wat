;; Reads the clock without end.
(module
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (loop $again (drop (call $clock_time_get (i32.const 1) (i64.const 1) (i32.const 64))) (br $again))
    (unreachable)))
