;; Ends at once, without a result.
(module (memory (export "memory") 1) (func (export "_start")))
