;; Answers half a surrogate pair and an overlong zero, in the bytes of UTF-8.
(module
  (memory (export "memory") 1)
  (data (i32.const 8) "\22\ed\a0\80\c0\80\22")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (i64.const 0x800000007)))
