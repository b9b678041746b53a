;; Asks the host for the network from inside alloc, before it knows the call.
(module
  (import "chatterbox" "http_request" (func $http_request (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (drop (call $http_request (i32.const 8) (i32.const 2))) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (i64.const 0x800000002)))
