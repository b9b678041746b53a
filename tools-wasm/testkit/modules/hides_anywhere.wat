;; A reactor that hides something of one call wherever it can, and looks for it first in the next. The arguments are a string
;; of two characters, where to hide and what: m memory, g a global, v a wide global, f a global with a function, t a table's
;; element, z a table's elements, T a table's size, p beyond a grown memory, d a dropped segment, e a dropped segment of
;; elements, u a global before it traps, n nowhere. The answer has a digit for each place, 1 where something is found.
(module
  (memory (export "memory") 2)
  (type $tells (func (result i32)))
  (global $number (mut i32) (i32.const 0))
  (global $wide (mut v128) (v128.const i32x4 0 0 0 0))
  (global $function (mut funcref) (ref.null func))
  (table $t 2 20 funcref)
  (elem (i32.const 0) func $clean $found)
  (elem $names func $clean)
  (data $segment "x")
  (func $clean (result i32) (i32.const 0))
  (func $found (result i32) (i32.const 1))
  (func $sum (param $at i32) (param $end i32) (result i64) (local $s i64)
    (loop $more
      (local.set $s (i64.or (local.get $s) (i64.load (local.get $at))))
      (br_if $more (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (local.get $end))))
    (local.get $s))
  (func $tell (param $place i32) (param $found i32)
    (i32.store8 (i32.add (i32.const 1) (local.get $place)) (i32.add (i32.const 48) (i32.ne (local.get $found) (i32.const 0)))))
  (func $look (local $new i32)
    (i32.store16 (i32.const 0) (i32.const 0x3022))
    (i32.store8 (i32.const 9) (i32.const 0x22))
    (call $tell (i32.const 0) (i64.ne (call $sum (i32.const 4096) (i32.const 131072)) (i64.const 0)))
    (call $tell (i32.const 1) (global.get $number))
    (call $tell (i32.const 2) (i32x4.extract_lane 3 (global.get $wide)))
    (call $tell (i32.const 3) (i32.eqz (ref.is_null (global.get $function))))
    (call $tell (i32.const 4) (call_indirect $t (type $tells) (i32.const 0)))
    (call $tell (i32.const 5) (i32.ne (table.size $t) (i32.const 2)))
    (call $tell (i32.const 6) (i32.ne (memory.size) (i32.const 2)))
    (local.set $new (i32.mul (memory.grow (i32.const 2)) (i32.const 65536)))
    (call $tell (i32.const 7)
      (i64.ne (call $sum (local.get $new) (i32.add (local.get $new) (i32.const 131072))) (i64.const 0)))
    ;; both trap when the segment was dropped
    (memory.init $segment (i32.const 600) (i32.const 0) (i32.const 1))
    (table.init $t $names (i32.const 0) (i32.const 0) (i32.const 1)))
  (func $is (param $where i32) (param $letter i32) (result i32) (i32.eq (local.get $where) (local.get $letter)))
  (func $hide (param $where i32) (param $what i32)
    (if (call $is (local.get $where) (i32.const 109)) (then ;; m
      (i32.store8 (i32.add (i32.const 4096) (i32.mul (local.get $what) (i32.const 1000))) (local.get $what))))
    (if (call $is (local.get $where) (i32.const 103)) (then ;; g
      (global.set $number (local.get $what))))
    (if (call $is (local.get $where) (i32.const 118)) (then ;; v
      (global.set $wide (i32x4.splat (local.get $what)))))
    (if (call $is (local.get $where) (i32.const 102)) (then ;; f
      (global.set $function (table.get $t (i32.const 1)))))
    (if (call $is (local.get $where) (i32.const 116)) (then ;; t
      (table.set $t (i32.const 0) (table.get $t (i32.const 1)))))
    (if (call $is (local.get $where) (i32.const 122)) (then ;; z
      (table.fill $t (i32.const 0) (table.get $t (i32.const 1)) (i32.const 2))))
    (if (call $is (local.get $where) (i32.const 84)) (then ;; T
      (drop (table.grow $t (table.get $t (i32.const 1)) (i32.const 1)))))
    (if (call $is (local.get $where) (i32.const 112)) (then ;; p
      (i32.store8
        (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.mul (local.get $what) (i32.const 1000)))
        (local.get $what))))
    (if (call $is (local.get $where) (i32.const 100)) (then (data.drop $segment)))
    (if (call $is (local.get $where) (i32.const 101)) (then (elem.drop $names)))
    (if (call $is (local.get $where) (i32.const 117)) (then ;; u
      (global.set $number (local.get $what))
      (unreachable))))
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "execute") (param $at i32) (param $n i32) (result i64) (local $end i32)
    (call $look)
    (local.set $end (i32.add (local.get $at) (local.get $n)))
    (call $hide
      (i32.load8_u (i32.sub (local.get $end) (i32.const 4)))
      (i32.load8_u (i32.sub (local.get $end) (i32.const 3))))
    (i64.const 10)))
