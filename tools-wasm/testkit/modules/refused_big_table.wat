(module (memory (export "memory") 1) (table 32769 funcref) (func (export "_start")))
