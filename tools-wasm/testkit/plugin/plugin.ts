// An extism plugin as somebody else would write it, with extism's own library: see plugin.txtar for what it does.
import { Config, Host, LogLevel, Var } from "@extism/as-pdk";

export function describe(): i32 {
  Host.outputString('{"tools":[' + tool("echo", "Says its input again.") + "," + tool("count", "Counts its calls.") + "]}");
  return 0;
}

function tool(name: string, description: string): string {
  return '{"name":"' + name + '","description":"' + description + '","inputSchema":{"type":"object"}}';
}

export function call(): i32 {
  const input = Host.inputString();
  if (input.includes('"name":"echo"')) {
    Host.outputString(input);
    return 0;
  }
  if (!input.includes('"name":"count"')) return 7;
  const step = Config.get("STEP");
  const before = Var.getString("count");
  const after = (before == null ? 0 : parseInt(before)) + (step == null ? 1 : parseInt(step));
  const text = (<i32>after).toString();
  Var.set("count", Uint8Array.wrap(String.UTF8.encode(text)));
  Host.log(LogLevel.Warn, "counted to " + text);
  Host.outputString('{"content":[{"type":"text","text":"' + text + '"}]}');
  return 0;
}

export function fail(_message: string | null, _file: string | null, _line: u32, _column: u32): void {
  unreachable();
}
