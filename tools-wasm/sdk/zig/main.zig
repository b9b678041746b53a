//! my_tool greets a person by name and says what day it is.

const std = @import("std");

extern "chatterbox" fn now(ptr: [*]const u8, len: usize) i32;
extern "chatterbox" fn read(ptr: [*]u8) i32;

// The call is in `input`; what is made of it in `scratch`; the result in `output`.
var input: [64 << 10]u8 = undefined;
var scratch: [256 << 10]u8 = undefined;
var output: [64 << 10]u8 = undefined;

/// Answers where the host may write `length` bytes, or 0 when there is no room.
export fn alloc(length: usize) usize {
    return if (length <= input.len) @intFromPtr(&input) else 0;
}

/// Answers the result as address << 32 | length.
export fn execute(ptr: [*]const u8, length: usize) u64 {
    var memory = std.heap.FixedBufferAllocator.init(&scratch);
    var writer = std.Io.Writer.fixed(&output);
    run(memory.allocator(), ptr[0..length], &writer) catch |problem| {
        writer = std.Io.Writer.fixed(&output);
        const reason = switch (problem) {
            error.NameIsMissing => "name is missing",
            error.NoClock => "the host's clock did not answer",
            else => @errorName(problem),
        };
        std.json.Stringify.value(.{ .@"error" = reason }, .{}, &writer) catch unreachable; // it fits
    };
    const result = writer.buffered();
    return @as(u64, @intFromPtr(result.ptr)) << 32 | result.len;
}

const Envelope = struct { arguments: struct { name: []const u8 = "" } };
const Now = struct { day_of_week: []const u8 = "" };

fn run(memory: std.mem.Allocator, envelope: []const u8, writer: *std.Io.Writer) !void {
    const lenient: std.json.ParseOptions = .{ .ignore_unknown_fields = true };
    const call = std.json.parseFromSliceLeaky(Envelope, memory, envelope, lenient) catch return error.NameIsMissing;
    if (call.arguments.name.len == 0) return error.NameIsMissing;

    const length = now("{}", 2);
    if (length <= 0) return error.NoClock;
    const answered = try memory.alloc(u8, @intCast(length));
    _ = read(answered.ptr);
    const local = std.json.parseFromSliceLeaky(Now, memory, answered, lenient) catch return error.NoClock;
    if (local.day_of_week.len == 0) return error.NoClock;

    const greeting = try std.fmt.allocPrint(memory, "Hello, {s}. It is {s}.", .{ call.arguments.name, local.day_of_week });
    try std.json.Stringify.value(.{ .greeting = greeting }, .{}, writer);
}
