(module (memory (export "memory") 5000) (func (export "_start")))
