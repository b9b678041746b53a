;; Traps in a function that has a name.
(module
  (memory (export "memory") 1)
  (func $deep (unreachable))
  (func (export "_start") (call $deep)))
