//! get_current_datetime, a reactor: it asks the host what time it is in a zone and words the answer. All zones live in the
//! host, so nothing here knows about them.

const std = @import("std");

extern "chatterbox" fn now(ptr: [*]const u8, len: usize) i32;
extern "chatterbox" fn read(ptr: [*]u8) i32;

// The envelope is in `input`; what is made of it, the host's answer included, in `scratch`; the result in `output`.
var input: [16 << 10]u8 = undefined;
var scratch: [64 << 10]u8 = undefined;
var output: [8 << 10]u8 = undefined;

/// Answers where the host may write `length` bytes, or 0 when there is no room.
export fn alloc(length: usize) usize {
    return if (length <= input.len) @intFromPtr(&input) else 0;
}

/// Answers the result as address << 32 | length.
export fn execute(ptr: [*]const u8, length: usize) u64 {
    var memory = std.heap.FixedBufferAllocator.init(&scratch);
    var writer = std.Io.Writer.fixed(&output);
    answer(memory.allocator(), ptr[0..length], &writer) catch |problem| {
        writer = std.Io.Writer.fixed(&output);
        const message = switch (problem) {
            error.Refused => "The host's clock could not be read",
            error.NotArguments => "The arguments are not a JSON object with a text \"timezone\"",
            else => "The host's clock gave an answer that cannot be read",
        };
        std.json.Stringify.value(.{ .@"error" = message }, .{}, &writer) catch unreachable; // it fits
    };
    const result = writer.buffered();
    return @as(u64, @intFromPtr(result.ptr)) << 32 | result.len;
}

const Envelope = struct { arguments: struct { timezone: ?[]const u8 = null } };

/// What the host answers to `now`.
const Now = struct {
    zone: []const u8 = "",
    known: bool = false,
    datetime_iso: []const u8 = "",
    date: []const u8 = "",
    time: []const u8 = "",
    day_of_week: []const u8 = "",
    unix: i64 = 0,
    @"error": ?[]const u8 = null,
};

fn answer(memory: std.mem.Allocator, envelope: []const u8, writer: *std.Io.Writer) !void {
    const lenient: std.json.ParseOptions = .{ .ignore_unknown_fields = true };
    const called = std.json.parseFromSliceLeaky(Envelope, memory, envelope, lenient) catch return error.NotArguments;
    const asked = std.mem.trim(u8, called.arguments.timezone orelse "", " \t\r\n");

    const question = try std.json.Stringify.valueAlloc(memory, .{ .zone = asked }, .{});
    const length = now(question.ptr, question.len);
    if (length <= 0) return error.Unreadable;
    const answered = try memory.alloc(u8, @intCast(length));
    if (read(answered.ptr) != length) return error.Unreadable;
    const local = try std.json.parseFromSliceLeaky(Now, memory, answered, lenient);
    if (local.@"error" != null) return error.Refused;
    if (local.datetime_iso.len == 0) return error.Unreadable;

    const complaint = if (local.known) null else try std.fmt.allocPrint(
        memory,
        "Unknown timezone '{s}'; showing UTC instead.",
        .{asked},
    );
    try std.json.Stringify.value(.{
        .datetime_iso = local.datetime_iso,
        .date = local.date,
        .time = local.time,
        .timezone = local.zone,
        .day_of_week = local.day_of_week,
        .unix_timestamp = local.unix,
        .@"error" = complaint,
    }, .{ .emit_null_optional_fields = false }, writer);
}
