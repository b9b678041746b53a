(module (import "./tool_bg.js" "__wbindgen_throw" (func (param i32 i32))) (memory (export "memory") 1) (func (export "_start")))
