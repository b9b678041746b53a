;; A command that writes 64 MiB and ends.
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
  (data (i32.const 0) "\00\00\01\00\00\00\01\00")
  (func (export "_start") (local $n i32)
    (memory.fill (i32.const 65536) (i32.const 120) (i32.const 65536))
    (local.set $n (i32.const 1024))
    (loop $again (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))
