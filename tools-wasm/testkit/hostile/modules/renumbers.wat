;; fd_renumber to 2^31-1, where a table of descriptors would grow to 16 GiB.
(module
  (import "wasi_snapshot_preview1" "fd_renumber" (func $fd_renumber (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (if (i32.eqz (call $fd_renumber (i32.const 1) (i32.const 2147483647))) (then (unreachable)))
    (if (i32.eqz (call $fd_renumber (i32.const -1) (i32.const 0))) (then (unreachable)))
    (i64.const 0x800000002)))
