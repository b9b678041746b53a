;; Copies stdin to stdout, the tool's name to stderr.
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (memory (export "memory") 8)
  (func (export "_start")
    (local $n i32)
    (drop (call $args (i32.const 64) (i32.const 128)))
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (i32.store (i32.const 16) (i32.load (i32.const 68)))
    (i32.store (i32.const 20) (i32.sub (i32.sub (i32.add (i32.const 128) (i32.load (i32.const 4))) (i32.load (i32.const 68))) (i32.const 1)))
    (drop (call $write (i32.const 2) (i32.const 16) (i32.const 1) (i32.const 8)))
    (loop $more
      (i32.store (i32.const 16) (i32.const 1024))
      (i32.store (i32.const 20) (i32.const 400000))
      (drop (call $read (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 8)))
      (local.set $n (i32.load (i32.const 8)))
      (if (local.get $n) (then
        (i32.store (i32.const 20) (local.get $n))
        (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8)))
        (br $more))))))
