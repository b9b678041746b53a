;; Hands the host 2 MiB to send and answers what it is told.
(module
  (import "chatterbox" "http_request" (func $http_request (param i32 i32) (result i32)))
  (import "chatterbox" "read" (func $read (param i32) (result i32)))
  (memory (export "memory") 40)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (local $n2 i32)
    (drop (call $http_request (i32.const 65536) (i32.const 2097152)))
    (local.set $n2 (call $read (i32.const 4096)))
    (i64.or (i64.const 0x100000000000) (i64.extend_i32_u (local.get $n2)))))
