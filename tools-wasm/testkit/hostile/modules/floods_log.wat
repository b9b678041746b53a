;; Writes to standard error without end.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 0) "\00\00\01\00\00\00\01\00")
  (data (i32.const 65536) "flood")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (loop $again (drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 16))) (br $again))
    (unreachable)))
