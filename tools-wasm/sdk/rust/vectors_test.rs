//! Holds the SDK to the vectors of every template, on the machine itself; the vector answers in the host's place.
//!
//!     rustc --edition 2021 --crate-type rlib --crate-name my_tool -C panic=abort lib.rs
//!     objcopy --redefine-sym read=host_read --redefine-sym now=host_now libmy_tool.rlib
//!     rustc --edition 2021 -C panic=abort --extern my_tool=libmy_tool.rlib vectors_test.rs
//!     ./vectors_test ../../testkit/sdk/my_tool.txtar
//!
//! objcopy, because `read` is the C library's here. JSON is compared without its white space and its ways to escape, with members in
//! the order of the vector.

extern crate my_tool as _;

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Mutex;

extern "C" {
    fn alloc(length: usize) -> *mut u8;
    fn execute(at: *const u8, length: usize) -> u64;
    fn mmap(at: usize, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> usize;
}

/// An address has 32 bits, so all memory is in the first 4 GiB. Nothing is given back.
struct Low;

#[global_allocator]
static LOW: Low = Low;
static NEXT: AtomicUsize = AtomicUsize::new(0);
const START: usize = 0x2000_0000;
const ROOM: usize = 64 << 20;

unsafe impl GlobalAlloc for Low {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if NEXT.load(Relaxed) == 0 {
            const READ_WRITE: i32 = 3;
            const PRIVATE_ANONYMOUS: i32 = 0x22;
            if mmap(START, ROOM, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0) != START {
                std::process::abort();
            }
            NEXT.store(START, Relaxed);
        }
        let at = (NEXT.load(Relaxed) + layout.align() - 1) / layout.align() * layout.align();
        NEXT.store(at + layout.size(), Relaxed);
        if at + layout.size() > START + ROOM {
            return std::ptr::null_mut();
        }
        at as *mut u8
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[derive(Default)]
struct Call {
    arguments: Option<String>,
    output: String,
    host: Vec<(String, String)>, // function, then input and answer, the first at the end
}

/// The host of one call: what it may be asked, the first at the end, and the answer that has not been read.
static HOST: Mutex<(Vec<(String, String)>, String)> = Mutex::new((Vec::new(), String::new()));

#[no_mangle]
unsafe extern "C" fn host_now(at: *const u8, length: usize) -> i32 {
    let input = std::str::from_utf8(std::slice::from_raw_parts(at, length)).unwrap();
    let mut host = HOST.lock().unwrap();
    let (function, text) = host.0.pop().unwrap_or_else(|| panic!("the script ran out at now {input}"));
    let (want, answer) = text.split_once('\n').expect("a host function has an input and an answer");
    assert!(function == "now" && plain(input) == plain(want), "asked now {input}, want {function} {want}");
    host.1 = answer.to_string();
    answer.len() as i32
}

#[no_mangle]
unsafe extern "C" fn host_read(at: *mut u8) -> i32 {
    let answer = std::mem::take(&mut HOST.lock().unwrap().1);
    at.copy_from_nonoverlapping(answer.as_ptr(), answer.len());
    answer.len() as i32
}

/// JSON without white space, and its strings as the numbers of their UTF-16.
fn plain(json: &str) -> String {
    let mut out = String::new();
    let mut rest = json.chars();
    while let Some(c) = rest.next() {
        if !c.is_ascii_whitespace() {
            out.push(c);
        }
        while c == '"' {
            let unit = match rest.next().expect("a string has an end") {
                '"' => break,
                '\\' => match rest.next().expect("an escape has an end") {
                    'u' => u32::from_str_radix(&rest.by_ref().take(4).collect::<String>(), 16).unwrap(),
                    'b' => 8,
                    't' => 9,
                    'n' => 10,
                    'f' => 12,
                    'r' => 13,
                    other => other as u32,
                },
                other => {
                    let mut units = [0; 2];
                    for unit in other.encode_utf16(&mut units).iter().take(other.len_utf16() - 1) {
                        out += &format!("{unit:x},");
                    }
                    units[other.len_utf16() - 1] as u32
                }
            };
            out += &format!("{unit:x},");
        }
    }
    out
}

/// Reads what testkit/README.md describes, as far as an SDK has a part in it; the rest is fatal.
fn parse(vectors: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for (number, section) in vectors.split("\n-- ").skip(1).enumerate() {
        let (name, text) = section.split_once(" --").expect("a section has a name");
        let text = text.trim_start_matches('\n');
        if number == 0 {
            assert!(name == "module", "section {name} before the module");
            continue;
        }
        if name == "call" {
            assert!(text.is_empty(), "unknown key in {text}");
            calls.push(Call::default());
            continue;
        }
        let call = calls.last_mut().unwrap_or_else(|| panic!("section {name} before the first call"));
        match name.split_once(' ') {
            Some(("host", function)) => call.host.insert(0, (function.into(), text.into())),
            None if name == "arguments" => call.arguments = Some(text.into()),
            None if name == "output" => call.output = text.into(),
            _ => panic!("unknown section {name}"),
        }
    }
    calls
}

fn main() {
    let file = std::env::args().nth(1).expect("which vectors?");
    let calls = parse(&std::fs::read_to_string(file).unwrap());
    assert!(calls.len() >= 5, "{} calls", calls.len());
    for (number, call) in (1..).zip(calls) {
        HOST.lock().unwrap().0 = call.host;
        let arguments = call.arguments.as_deref().unwrap_or("{}");
        let envelope = format!(r#"{{"name":"my_tool","arguments":{arguments}}}"#);
        let packed = unsafe {
            let at = alloc(envelope.len());
            at.copy_from_nonoverlapping(envelope.as_ptr(), envelope.len());
            execute(at, envelope.len())
        };
        let output = unsafe { std::slice::from_raw_parts((packed >> 32) as *const u8, packed as u32 as usize) };
        let output = std::str::from_utf8(output).unwrap();
        assert!(plain(output) == plain(&call.output), "call {number}: output {output}, want {}", call.output);
        assert!(HOST.lock().unwrap().0.is_empty(), "call {number} did not ask all");
    }
}
