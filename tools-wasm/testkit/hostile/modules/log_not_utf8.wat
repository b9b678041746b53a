;; Logs bytes that are not UTF-8, and what steers a terminal.
(module
  (import "chatterbox" "log" (func $log (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (data (i32.const 16) "\ff\fe\80\1b[2J\1b]0;x\07")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (drop (call $log (i32.const 16) (i32.const 12)))
    (i64.const 0x800000002)))
