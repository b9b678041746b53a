;; A reactor that remembers in its table: the first call is answered by $first, which puts $second in its place.
(module
  (memory (export "memory") 1)
  (data (i32.const 0) "{\"call\":\"first\"}{\"call\":\"later\"}")
  (type $answer (func (result i64)))
  (table $t 2 2 funcref)
  (elem (i32.const 0) func $first $second)
  (func $first (result i64)
    (table.set $t (i32.const 0) (table.get $t (i32.const 1)))
    (i64.const 16))
  (func $second (result i64) (i64.or (i64.shl (i64.const 16) (i64.const 32)) (i64.const 16)))
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param i32 i32) (result i64) (call_indirect $t (type $answer) (i32.const 0))))
