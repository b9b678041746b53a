;; Waits 20 ms in poll_oneoff, then answers how many events there were.
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (i32.store (i32.const 16) (i32.const 1))
    (i64.store (i32.const 24) (i64.const 20000000))
    (i32.store8 (i32.const 512) (i32.add (i32.const 48) (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128))))
    (i32.store8 (i32.const 513) (i32.add (i32.const 48) (i32.load (i32.const 128))))
    (i32.store (i32.const 256) (i32.const 512))
    (i32.store (i32.const 260) (i32.const 2))
    (drop (call $write (i32.const 1) (i32.const 256) (i32.const 1) (i32.const 264)))))
