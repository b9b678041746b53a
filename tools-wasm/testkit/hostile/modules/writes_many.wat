;; Writes a thousand empty buffers at a time, without end.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param i32 i32) (result i64)
    (loop $again (drop (call $fd_write (i32.const 2) (i32.const 16384) (i32.const 1024) (i32.const 16))) (br $again))
    (unreachable)))
