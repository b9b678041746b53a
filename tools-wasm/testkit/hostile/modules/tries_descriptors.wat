;; Reads, stats and lists 65,536 descriptors beyond the three that there are.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $fd_prestat_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_readdir" (func $fd_readdir (param i32 i32 i32 i64 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (local $fd i32)
    (local.set $fd (i32.const 3))
    (loop $again
      (if (i32.ne (call $fd_read (local.get $fd) (i32.const 64) (i32.const 1) (i32.const 80)) (i32.const 8)) (then (unreachable)))
      (if (i32.ne (call $fd_prestat_get (local.get $fd) (i32.const 64)) (i32.const 8)) (then (unreachable)))
      (if (i32.ne (call $fd_readdir (local.get $fd) (i32.const 64) (i32.const 64) (i64.const 0) (i32.const 64)) (i32.const 8)) (then (unreachable)))
      (local.set $fd (i32.add (local.get $fd) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $fd) (i32.const 65536))))
    (i64.const 0x800000002)))
