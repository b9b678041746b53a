;; Reads standard input at its end, without end.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\20\00\00\00\00\10\00\00")
  (func (export "_start")
    (loop $again (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16))) (br $again))))
