//! The whole SDK: the two exports of a reactor, the host functions, and as much JSON as a small tool needs (with serde_json in
//! Cargo.toml the second half can go). Change it as you like.
#![allow(dead_code)]

#[link(wasm_import_module = "chatterbox")]
extern "C" {
    fn read(at: *mut u8) -> i32;
    pub fn now(at: *const u8, length: usize) -> i32;
    pub fn log(at: *const u8, length: usize) -> i32;
    pub fn http_request(at: *const u8, length: usize) -> i32;
    pub fn kv_get(at: *const u8, length: usize) -> i32;
    pub fn kv_set(at: *const u8, length: usize) -> i32;
    pub fn secret_exists(at: *const u8, length: usize) -> i32;
    pub fn deliver(at: *const u8, length: usize) -> i32;
}

#[no_mangle]
extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::leak(vec![0u8; length].into_boxed_slice()).as_mut_ptr()
}

/// # Safety
/// The host passes what alloc answered, filled.
#[no_mangle]
unsafe extern "C" fn execute(at: *const u8, length: usize) -> u64 {
    let envelope = std::str::from_utf8(std::slice::from_raw_parts(at, length)).unwrap_or("");
    let result = match (text(envelope, "name"), member(envelope, "arguments")) {
        (Some(name), Some(arguments)) => crate::run(&name, arguments),
        _ => Err("the call cannot be read".into()),
    };
    let answer = result.unwrap_or_else(|reason| format!(r#"{{"error":{}}}"#, quote(&reason)));
    let answer = Box::leak(answer.into_boxed_str());
    (answer.as_ptr() as u64) << 32 | answer.len() as u64
}

/// Calls a host function with a JSON object; answers its JSON, or the text of its "error".
pub fn host(function: unsafe extern "C" fn(*const u8, usize) -> i32, input: &str) -> Result<String, String> {
    let length = unsafe { function(input.as_ptr(), input.len()) };
    let mut answer = vec![0u8; length.max(0) as usize];
    if answer.is_empty() {
        return Err("the host gave no answer".into());
    }
    unsafe { read(answer.as_mut_ptr()) };
    let answer = String::from_utf8(answer).map_err(|e| e.to_string())?;
    match text(&answer, "error") {
        Some(reason) => Err(reason),
        None => Ok(answer),
    }
}

/// The JSON text of an object's member. The object must be valid JSON, as all is that the host hands over.
pub fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = object.trim_start().strip_prefix('{')?.trim_start();
    while rest.starts_with('"') {
        let key = &rest[..value_end(rest)];
        rest = rest[key.len()..].trim_start().strip_prefix(':')?.trim_start();
        let value = &rest[..value_end(rest)];
        if unquote(key).as_deref() == Some(name) {
            return Some(value);
        }
        rest = rest[value.len()..].trim_start();
        rest = rest.strip_prefix(',').unwrap_or("").trim_start();
    }
    None
}

/// A member that is a text.
pub fn text(object: &str, name: &str) -> Option<String> {
    unquote(member(object, name)?)
}

/// Where the value that the JSON begins with ends.
fn value_end(json: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in json.bytes().enumerate() {
        match c {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' if quoted && depth == 0 => return at + 1,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return at + 1,
            b'}' | b']' if depth > 1 => depth -= 1,
            b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return at,
            _ => {}
        }
    }
    json.len()
}

fn unquote(json: &str) -> Option<String> {
    let mut units: Vec<u16> = Vec::new(); // UTF-16, since \u escapes come in halves
    let mut rest = json.strip_prefix('"')?.strip_suffix('"')?.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        units.push(match rest.next()? {
            'b' => 8,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'u' => {
                let digits = rest.as_str().get(..4)?;
                rest = rest.as_str()[4..].chars();
                u16::from_str_radix(digits, 16).ok()?
            }
            other => other as u16,
        });
    }
    String::from_utf16(&units).ok()
}

/// A text as JSON, quoted.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}
