;; fd_write with lists and buffers that wrap around memory, 2^32-1 of them.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (i32.store (i32.const 64) (i32.const 65535)) (i32.store (i32.const 68) (i32.const -1))
    (if (i32.ne (call $fd_write (i32.const 1) (i32.const 64) (i32.const 1) (i32.const 80)) (i32.const 21)) (then (unreachable)))
    (if (i32.ne (call $fd_write (i32.const 1) (i32.const -4) (i32.const 1) (i32.const 80)) (i32.const 21)) (then (unreachable)))
    (if (i32.ne (call $fd_write (i32.const 1) (i32.const 64) (i32.const -1) (i32.const 80)) (i32.const 28)) (then (unreachable)))
    (if (i32.ne (call $fd_write (i32.const 1) (i32.const 96) (i32.const 1) (i32.const -1)) (i32.const 21)) (then (unreachable)))
    (i64.const 0x800000002)))
