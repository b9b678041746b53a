// As much JSON as a small tool needs. It takes valid JSON, as all is that the host hands over.

// member answers the JSON text of an object's member.
export function member(object: string, name: string): string | null {
  let at = space(object, 0);
  if (at >= object.length || object.charAt(at) != "{") return null;
  at = space(object, at + 1);
  while (at < object.length && object.charAt(at) == '"') {
    const keyEnd = valueEnd(object, at);
    const key = unquote(object.substring(at, keyEnd));
    const from = space(object, space(object, keyEnd) + 1);
    const end = valueEnd(object, from);
    if (key == name) return object.substring(from, end);
    at = space(object, end);
    if (at < object.length && object.charAt(at) == ",") at = space(object, at + 1);
  }
  return null;
}

// text answers a member that is a text.
export function text(object: string, name: string): string | null {
  const value = member(object, name);
  return value != null && value.startsWith('"') ? unquote(value) : null;
}

// quote answers a text as JSON.
export function quote(value: string): string {
  let out = '"';
  for (let i = 0; i < value.length; i++) {
    const c = value.charCodeAt(i);
    if (c == 0x22 || c == 0x5c) out += "\\" + value.charAt(i);
    else if (c < 0x20) out += "\\u" + c.toString(16).padStart(4, "0");
    else out += value.charAt(i);
  }
  return out + '"';
}

function space(json: string, at: i32): i32 {
  while (at < json.length && json.charCodeAt(at) <= 0x20) at++;
  return at;
}

// valueEnd answers where the value that begins at at ends.
function valueEnd(json: string, at: i32): i32 {
  let depth = 0;
  let quoted = false;
  for (; at < json.length; at++) {
    const c = json.charCodeAt(at);
    if (quoted) {
      if (c == 0x5c) at++;
      else if (c == 0x22) {
        quoted = false;
        if (depth == 0) return at + 1;
      }
    } else if (c == 0x22) quoted = true;
    else if (c == 0x7b || c == 0x5b) depth++;
    else if (c == 0x7d || c == 0x5d) {
      if (depth <= 1) return depth == 1 ? at + 1 : at;
      depth--;
    } else if (depth == 0 && (c == 0x2c || c <= 0x20)) return at;
  }
  return at;
}

function unquote(json: string): string {
  let out = "";
  for (let i = 1; i < json.length - 1; i++) {
    if (json.charCodeAt(i) != 0x5c) {
      out += json.charAt(i);
      continue;
    }
    const c = json.charAt(++i);
    if (c == "n") out += "\n";
    else if (c == "t") out += "\t";
    else if (c == "r") out += "\r";
    else if (c == "b") out += "\b";
    else if (c == "f") out += "\f";
    else if (c == "u") {
      out += String.fromCharCode(<i32>parseInt(json.substring(i + 1, i + 5), 16));
      i += 4;
    } else out += c;
  }
  return out;
}
