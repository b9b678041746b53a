// my_tool greets a person by name and says what day it is.
import { member, text, quote } from "./json";

@external("chatterbox", "now")
declare function now(at: usize, length: usize): i32;
@external("chatterbox", "read")
declare function read(at: usize): i32;

// run is one call of the tool: the arguments are a JSON object, what it returns is one JSON value.
function run(args: string): string {
  const name = text(args, "name");
  if (name == null || name.length == 0) return '{"error":"name is missing"}';
  const day = text(clock(), "day_of_week");
  if (day == null || day.length == 0) return '{"error":"the host\'s clock did not answer"}';
  return '{"greeting":' + quote("Hello, " + name + ". It is " + day + ".") + "}";
}

function clock(): string {
  const input = String.UTF8.encode("{}");
  const length = now(changetype<usize>(input), <usize>input.byteLength);
  if (length <= 0) return "";
  const answer = new ArrayBuffer(length);
  read(changetype<usize>(answer));
  return String.UTF8.decode(answer);
}

let envelope = new ArrayBuffer(0);
let result = new ArrayBuffer(0);

// alloc answers where the host may write the call.
export function alloc(length: usize): usize {
  envelope = new ArrayBuffer(<i32>length);
  return changetype<usize>(envelope);
}

// execute answers the result as address << 32 | length.
export function execute(at: usize, length: usize): u64 {
  const call = String.UTF8.decodeUnsafe(at, length);
  const args = member(call, "arguments");
  result = String.UTF8.encode(run(args == null ? "{}" : args));
  return (<u64>changetype<usize>(result) << 32) | <u64>result.byteLength;
}

// fail takes the place of AssemblyScript's abort, which would be an import that no host has.
export function fail(_message: string | null, _file: string | null, _line: u32, _column: u32): void {
  unreachable();
}
