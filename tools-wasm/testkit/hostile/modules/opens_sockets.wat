;; Accepts, sends and receives on every descriptor.
(module
  (import "wasi_snapshot_preview1" "sock_accept" (func $sock_accept (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_send" (func $sock_send (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "sock_recv" (func $sock_recv (param i32 i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (local $fd i32)
    (loop $again
      (if (i32.eqz (call $sock_accept (local.get $fd) (i32.const 0) (i32.const 64))) (then (unreachable)))
      (if (i32.eqz (call $sock_send (local.get $fd) (i32.const 64) (i32.const 1) (i32.const 0) (i32.const 80))) (then (unreachable)))
      (if (i32.eqz (call $sock_recv (local.get $fd) (i32.const 64) (i32.const 1) (i32.const 0) (i32.const 80) (i32.const 84))) (then (unreachable)))
      (local.set $fd (i32.add (local.get $fd) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $fd) (i32.const 64))))
    (i64.const 0x800000002)))
