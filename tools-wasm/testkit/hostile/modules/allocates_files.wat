;; Asks for files of 2^63 bytes behind its standard output.
(module
  (import "wasi_snapshot_preview1" "fd_allocate" (func $fd_allocate (param i32 i64 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_filestat_set_size" (func $fd_filestat_set_size (param i32 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_pwrite" (func $fd_pwrite (param i32 i32 i32 i64 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (if (i32.eqz (call $fd_allocate (i32.const 1) (i64.const 0) (i64.const 0x7fffffffffffffff))) (then (unreachable)))
    (if (i32.eqz (call $fd_filestat_set_size (i32.const 1) (i64.const 0x7fffffffffffffff))) (then (unreachable)))
    (if (i32.eqz (call $fd_pwrite (i32.const 1) (i32.const 0) (i32.const 1) (i64.const 0x7fffffffffffffff) (i32.const 64))) (then (unreachable)))
    (i64.const 0x800000002)))
