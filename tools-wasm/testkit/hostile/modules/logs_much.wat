;; Hands the host's log a megabyte that is no JSON, without end.
(module
  (import "chatterbox" "log" (func $log (param i32 i32) (result i32)))
  (memory (export "memory") 20)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param i32 i32) (result i64)
    (memory.fill (i32.const 65536) (i32.const 32) (i32.const 1048576))
    (loop $again (drop (call $log (i32.const 65536) (i32.const 1048576))) (br $again))
    (unreachable)))
