;; Prints the value of the first variable of its environment: what a stub tool answers.
(module
  (import "wasi_snapshot_preview1" "environ_get" (func $get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 4)
  (func (export "_start")
    (local $at i32)
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (drop (call $get (i32.const 64) (i32.const 1024)))
    (local.set $at (i32.load (i32.const 64)))
    (loop $more
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $more (i32.ne (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 61))))
    (i32.store (i32.const 16) (local.get $at))
    (i32.store (i32.const 20)
      (i32.sub (i32.add (i32.const 1023) (i32.load (i32.const 4))) (local.get $at)))
    (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8)))))
