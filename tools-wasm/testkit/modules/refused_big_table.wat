(module (memory (export "memory") 1) (table 10001 funcref) (func (export "_start")))
