;; Calls a host function 1,001 times and answers what the last one said.
(module
  (import "chatterbox" "http_request" (func $http_request (param i32 i32) (result i32)))
  (import "chatterbox" "read" (func $read (param i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (local $i i32)
    (local.set $i (i32.const 1001))
    (loop $again (drop (call $http_request (i32.const 8) (i32.const 2)))
      (br_if $again (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
    (i64.or (i64.const 0x100000000000) (i64.extend_i32_u (call $read (i32.const 4096))))))
