;; Grows its table until it is refused, which must be before 40,000 elements.
(module
  (memory (export "memory") 1)
  (data (i32.const 8) "{}")
  (table $t 1 funcref)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64)
    (loop $again (br_if $again (i32.ne (table.grow $t (ref.null func) (i32.const 100)) (i32.const -1))))
    (loop $more (br_if $more (i32.ne (table.grow $t (ref.null func) (i32.const 1)) (i32.const -1))))
    (if (i32.gt_u (table.size $t) (i32.const 40000)) (then (unreachable)))
    (i64.const 0x800000002)))
