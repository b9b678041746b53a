;; Writes to stdout and stderr without end.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (memory.fill (i32.const 1024) (i32.const 97) (i32.const 32768))
    (i32.store (i32.const 0) (i32.const 1024))
    (i32.store (i32.const 4) (i32.const 32768))
    (loop $again
      (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 32)))
      (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 32)))
      (br $again))))
